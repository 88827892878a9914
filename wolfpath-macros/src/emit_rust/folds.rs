//! Emits `impl Aggregator` for a struct of folds, which is itself the type of the folded values.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{Fields, GenericArgument, Ident, ItemStruct, PathArguments, Type};

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

/// Returns the type of `v.before` in `aggregate`.
pub(super) fn earlier(interface: &Interface) -> TokenStream {
    match interface.folds_before {
        true => quote!(
            type Earlier = <Self as ::wolfpath::program::EdgeProgram>::Before;
        ),
        false => quote!(
            type Earlier = ();
        ),
    }
}

/// Returns the function that engines call for the contribution of a vertex.
pub(super) fn checked_aggregate(interface: &Interface) -> TokenStream {
    let before = match (interface.folds_before, interface.before()) {
        (false, _) => quote!(let _ = before;),
        (true, Ty::Option(_)) => quote!(let vertex = vertex.with_before(before);),
        (true, _) => quote! {
            let vertex = vertex.with_before(
                before.expect("an engine folds vertices with a value before the step if they all have one"),
            );
        },
    };
    quote! {
        #[inline]
        fn checked_aggregate(
            &self,
            vertex: ::wolfpath::program::Vertex<
                <Self as ::wolfpath::program::EdgeProgram>::Value,
                ::wolfpath::program::AggregateOf<Self>,
            >,
            before: ::core::option::Option<<Self as ::wolfpath::program::EdgeProgram>::Value>,
        ) -> ::wolfpath::program::Checked<::wolfpath::program::AggregateOf<Self>> {
            #before
            method_aggregate(self, vertex)
        }
    }
}

/// Adds the type of `v.before` to the vertex that `aggregate` takes.
pub(super) struct AddBefore(pub(super) Type);

impl VisitMut for AddBefore {
    fn visit_type_path_mut(&mut self, path: &mut syn::TypePath) {
        let Some(segment) = path.path.segments.last_mut() else { return };
        if let (true, PathArguments::AngleBracketed(arguments)) =
            (segment.ident == "Vertex", &mut segment.arguments)
            && arguments.args.len() == 2
        {
            arguments.args.push(GenericArgument::Type(self.0.clone()));
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
