//! Emits `impl Combiner` for the structs that a program combines field by field.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Ident;

use super::type_tokens;
use crate::model::{Combine, Interface, Struct, Ty};

/// Returns the implementations for the messages and the structs in them, each once.
pub(super) fn of_structs(interface: &Interface) -> Vec<TokenStream> {
    let mut found = Vec::new();
    if interface.combine.is_by_field(&interface.message.ty) {
        find(&interface.message.ty, &interface.combine, interface, &mut found);
    }
    found
        .iter()
        .filter(|(index, _)| *index >= interface.shared.0)
        .map(|(index, combine)| implementation(&interface.structs[*index], combine, interface))
        .collect()
}

/// Returns the implementations for shared structs, by every combiner that programs may choose for them.
pub(super) fn of_shared(interface: &Interface) -> Vec<TokenStream> {
    let all = [Combine::Sum, Combine::Or, Combine::And];
    let structs = interface.structs.iter().enumerate();
    let pairs = structs.flat_map(|(index, item)| all.iter().map(move |combine| (index, item, combine)));
    let fits = pairs.filter(|&(index, _, combine)| fits(&Ty::Struct(index), combine, interface));
    fits.map(|(_, item, combine)| implementation(item, combine, interface)).collect()
}

/// Returns `true` if a combiner can combine values of this type field by field.
fn fits(ty: &Ty, combine: &Combine, interface: &Interface) -> bool {
    match ty {
        Ty::Array(of, _) => fits(of, combine, interface),
        Ty::Struct(index) => {
            let fields = &interface.structs[*index].fields;
            !fields.is_empty() && fields.iter().all(|field| fits(&field.ty, combine, interface))
        }
        leaf => combine.fits_scalar(leaf) && leaf.is_datum(),
    }
}

/// Lists the structs in a type, with their combiners.
fn find(ty: &Ty, combine: &Combine, interface: &Interface, found: &mut Vec<(usize, Combine)>) {
    match ty {
        _ if combine.is_leaf(ty) => {}
        Ty::Array(of, _) => find(of, combine, interface, found),
        Ty::Struct(index) => {
            let known = (*index, combine.clone());
            if found.contains(&known) {
                return;
            }
            found.push(known);
            for (field, part) in combine.of_fields(&interface.structs[*index]) {
                find(&field.ty, part, interface, found);
            }
        }
        _ => {}
    }
}

/// Returns the marker type of a combiner.
pub(super) fn marker(combine: &Combine) -> TokenStream {
    let name = Ident::new(combine.marker(), Span::mixed_site());
    match combine {
        Combine::Fields(parts) => {
            let parts = parts.iter().map(marker);
            quote!(::wolfpath::program::Fields<(#(#parts,)*)>)
        }
        _ => quote!(::wolfpath::program::#name),
    }
}

fn implementation(item: &Struct, combine: &Combine, interface: &Interface) -> TokenStream {
    let (name, this) = (&item.name, marker(combine));
    let kind = Ident::new(combine.marker(), Span::mixed_site());
    let fields: Vec<_> = item.fields.iter().map(|field| &field.name).collect();
    let of: Vec<_> = combine
        .of_fields(item)
        .map(|(field, part)| {
            let (ty, part) = (type_tokens(&field.ty, interface), marker(part));
            quote!(<#part as ::wolfpath::program::Combiner<#ty>>)
        })
        .collect();
    let identity = combine.has_identity().then(|| {
        quote! {
            fn identity() -> ::core::option::Option<#name> {
                ::core::option::Option::Some(#name { #(#fields: #of::identity()?),* })
            }
        }
    });
    let portions = (*combine == Combine::Sum).then(|| portions(name, &fields, &of));
    quote! {
        #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = {
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct Accumulator {
                #(pub #fields: #of::Accumulator,)*
            }
            #[automatically_derived]
            impl ::wolfpath::program::Combiner<#name> for #this {
                const KIND: ::wolfpath::program::CombineKind = ::wolfpath::program::CombineKind::#kind;
                const ANY_ORDER: bool = true #(&& #of::ANY_ORDER)*;
                type Accumulator = Accumulator;
                #identity
                #[inline]
                fn combine(a: #name, b: #name) -> #name {
                    #name { #(#fields: #of::combine(a.#fields, b.#fields)),* }
                }
                #[inline]
                fn accumulate(message: #name) -> Accumulator {
                    Accumulator { #(#fields: #of::accumulate(message.#fields)),* }
                }
                #[inline]
                fn join(a: Accumulator, b: Accumulator) -> Accumulator {
                    Accumulator { #(#fields: #of::join(a.#fields, b.#fields)),* }
                }
                #[inline]
                fn combined(all: Accumulator) -> #name {
                    #name { #(#fields: #of::combined(all.#fields)),* }
                }
                #portions
            }
        };
    }
}

/// Returns the functions that add up a struct in portions, field by field. `of` are the combiners of the fields.
fn portions(name: &Ident, fields: &[&Ident], of: &[TokenStream]) -> TokenStream {
    quote! {
        const PORTION_WORDS: ::core::primitive::usize = 0 #(+ #of::PORTION_WORDS)*;
        #[inline]
        fn add_portion(
            words: &[::core::sync::atomic::AtomicU64],
            message: #name,
            alone: ::core::primitive::bool,
        ) -> ::core::primitive::bool {
            let mut first = false;
            #(let (part, words) = words.split_at(#of::PORTION_WORDS);
            first |= #of::add_portion(part, message.#fields, alone);)*
            first
        }
        #[inline]
        fn portion(
            words: &[::core::sync::atomic::AtomicU64],
            takes: ::core::primitive::bool,
            alone: ::core::primitive::bool,
        ) -> #name {
            let mut end = 0;
            #name {
                #(#fields: {
                    let first = end;
                    end += #of::PORTION_WORDS;
                    #of::portion(&words[first..end], takes, alone)
                }),*
            }
        }
        #[inline]
        fn size(message: #name) -> ::core::primitive::f64 {
            0.0 #(+ #of::size(message.#fields))*
        }
    }
}
