//! Emits the support for weights that are structs: the table of their columns, and the conversion for edges in memory.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use super::type_tokens;
use crate::model::{Interface, Ty};

/// Returns `Model::weight_columns`, which is empty if the weight is a plain number.
pub(super) fn columns(interface: &Interface) -> TokenStream {
    let Ty::Struct(index) = interface.weight.ty else { return quote!(&[]) };
    let item = &interface.structs[index];
    let (name, fields) = (&item.name, &item.fields);
    let fields = fields.iter().map(|field| {
        let (ident, column) = (&field.name, field.name.unraw().to_string());
        let ty = type_tokens(&field.ty, interface);
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

/// Returns `impl ColumnRow`, so that `EdgeList::from_rows` accepts edges with such a weight. Returns nothing if the
/// weight is a plain number.
pub(super) fn rows(interface: &Interface) -> TokenStream {
    let Ty::Struct(index) = interface.weight.ty else { return TokenStream::new() };
    let item = &interface.structs[index];
    let (name, fields) = (&item.name, item.fields.iter().map(|field| &field.name));
    let count = item.fields.len();
    quote! {
        #[automatically_derived]
        impl ::wolfpath::weights::ColumnRow<#count> for #name {
            fn numbers(self) -> [::wolfpath::weights::ColumnNumber; #count] {
                [#(::core::convert::From::from(self.#fields)),*]
            }
        }
    }
}
