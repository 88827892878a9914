//! Emits `impl Aggregator` for a struct of folds, which is itself the type of the folded values.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Fields, Ident, ItemStruct, Type};

use crate::model::{Interface, Ty};
use crate::names::fold_of;

/// Returns the struct that `type Aggregate` names with the types of the folded values: `f64` in place of `Sum<f64>`.
pub(super) fn plain_fields(mut item: ItemStruct) -> ItemStruct {
    if let Fields::Named(fields) = &mut item.fields {
        for field in &mut fields.named {
            let of = fold_of(&field.ty).map(|(_, of)| of.clone());
            field.ty = of.unwrap_or_else(|| field.ty.clone());
        }
    }
    item
}

/// Returns the type of the folded values: `f64` for `Sum<f64>`, and a tuple for a tuple of folds.
pub(super) fn folded(ty: &Type) -> Option<Type> {
    match crate::parse::peel_type(ty) {
        Type::Tuple(tuple) => {
            let parts: Option<Vec<Type>> = tuple.elems.iter().map(folded).collect();
            let parts = parts?;
            Some(syn::parse_quote!((#(#parts),*)))
        }
        Type::Path(path) if path.path.segments.last()?.ident == "NoAggregate" => None,
        _ => Some(fold_of(ty).map_or_else(|| ty.clone(), |(_, of)| of.clone())),
    }
}

/// Returns the implementation, if the program folds into a struct.
pub(super) fn implementation(interface: &Interface) -> TokenStream {
    let Ty::Struct(index) = interface.aggregate.ty else { return TokenStream::new() };
    if interface.folds.is_empty() {
        return TokenStream::new();
    }
    let item = &interface.structs[index];
    let name = &item.name;
    let fields: Vec<_> = item.fields.iter().map(|field| &field.name).collect();
    let folds: Vec<_> = interface
        .folds
        .iter()
        .map(|fold| {
            let written = &fold.written;
            quote!(<#written as ::wolfpath::program::Aggregator>)
        })
        .collect();
    quote! {
        #[automatically_derived]
        impl ::wolfpath::program::Aggregator for #name {
            type Value = #name;
            const KIND: ::core::option::Option<::wolfpath::program::CombineKind> =
                ::core::option::Option::Some(::wolfpath::program::CombineKind::Fields);
            #[inline]
            fn identity() -> #name {
                #name { #(#fields: #folds::identity()),* }
            }
            #[inline]
            fn combine(a: #name, b: #name) -> #name {
                #name { #(#fields: #folds::combine(a.#fields, b.#fields)),* }
            }
        }
    }
}

/// Returns compile-time checks that rustc resolved the folds to the same kinds as the macro.
pub(super) fn asserts(interface: &Interface) -> TokenStream {
    let folds = interface.folds.iter().map(|fold| {
        let (written, kind) = (&fold.written, Ident::new(fold.combine.marker(), Span::mixed_site()));
        quote! {
            ::core::assert!(::core::matches!(
                <#written as ::wolfpath::program::Aggregator>::KIND,
                ::core::option::Option::Some(::wolfpath::program::CombineKind::#kind)
            ));
        }
    });
    quote!(#(#folds)*)
}
