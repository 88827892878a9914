//! Emits the support for weights that are structs: the table of their columns, and the conversion for edges in memory.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use super::type_tokens;
use crate::model::{Field, Interface, Struct, Ty};

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
    match interface.weight.ty {
        Ty::Struct(index) if index >= interface.shared.0 => row(&interface.structs[index]),
        _ => TokenStream::new(),
    }
}

/// Returns the implementations for all shared structs that may be weights.
pub(super) fn rows_of_shared(interface: &Interface) -> Vec<TokenStream> {
    let is_number =
        |field: &Field| matches!(field.ty, Ty::Bool | Ty::Int(_) | Ty::Float(_)) && field.ty.is_datum();
    let may_be_weight = |item: &&Struct| !item.fields.is_empty() && item.fields.iter().all(is_number);
    interface.structs.iter().filter(may_be_weight).map(row).collect()
}

fn row(item: &Struct) -> TokenStream {
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
