//! The table of columns that a struct of weights is made of.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use super::type_tokens;
use crate::model::{Program, Ty};

/// `Model::weight_columns`: empty for a plain number.
pub(super) fn columns(program: &Program) -> TokenStream {
    let Ty::Struct(index) = program.weight.ty else { return quote!(&[]) };
    let item = &program.structs[index];
    let (name, fields) = (&item.name, &item.fields);
    let fields = fields.iter().map(|field| {
        let (ident, column) = (&field.name, field.name.unraw().to_string());
        let ty = type_tokens(&field.ty, program);
        quote! {
            ::wolfpath::program::WeightField {
                name: #column,
                kind: <#ty as ::wolfpath::program::Datum>::KIND,
                offset: ::core::mem::offset_of!(#name, #ident),
            }
        }
    });
    quote!(&[#(#fields),*])
}
