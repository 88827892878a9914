//! Emits the function form: the function as written, and a type of the same name whose `edge` calls the function.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{AttrStyle, Attribute, FnArg, Type};

use super::implementation::{Wording, implementation};
use crate::model::{Checked, Interface};
use crate::parse::FunctionForm;

/// Returns the user's function. If the program was checked, also returns the type that implements it.
pub(crate) fn function_form(form: &FunctionForm, checked: Option<(&Checked, &str)>) -> TokenStream {
    let item = &form.item;
    let generated = checked.map(|(checked, cuda)| {
        let declaration = declaration(form);
        let implementation = implementation(checked, &wording(form, checked.interface()), cuda);
        quote!(#declaration #implementation)
    });
    quote! {
        #[allow(dead_code)]
        #item
        #generated
    }
}

/// Returns the struct and its constructors.
fn declaration(form: &FunctionForm) -> TokenStream {
    let (name, visibility) = (&form.item.sig.ident, &form.item.vis);
    let docs = documentation(&form.item.attrs, &format!("The edge program `{name}`."));
    let value = value_type(form);
    let starting_at = starting_at(form);
    quote! {
        #(#docs)*
        #[derive(Clone, Debug)]
        #[allow(non_camel_case_types, dead_code)]
        #visibility struct #name {
            sources: ::std::vec::Vec<(::core::primitive::u64, #value)>,
        }

        #[allow(dead_code, unreachable_pub)]
        #[automatically_derived]
        impl #name {
            #starting_at

            /// Creates the program that starts with `value` at the vertex `id` (the id that the input file uses).
            #[must_use]
            #visibility fn from_source(id: ::core::primitive::u64, value: #value) -> Self {
                Self { sources: ::std::vec![(id, value)] }
            }

            /// Creates the program that starts at several vertices, each given by its id (the id that the input file
            /// uses). Several values for one id are combined.
            #[must_use]
            #visibility fn from_sources(
                sources: impl ::core::iter::IntoIterator<Item = (::core::primitive::u64, #value)>,
            ) -> Self {
                Self { sources: ::core::iter::Iterator::collect(::core::iter::IntoIterator::into_iter(sources)) }
            }
        }
    }
}

/// Returns the constructor `starting_at`, if the attribute names a first value.
fn starting_at(form: &FunctionForm) -> Option<TokenStream> {
    let first = form.arguments.first.as_ref()?;
    let visibility = &form.item.vis;
    let documentation = format!(
        "Creates the program that starts with `{}` at the vertex `id` (the id that the input file uses).",
        quote!(#first)
    );
    Some(quote! {
        #[doc = #documentation]
        #[must_use]
        #visibility fn starting_at(id: ::core::primitive::u64) -> Self {
            Self::from_source(id, #first)
        }
    })
}

/// Returns the user's documentation, or `otherwise` if there is none.
fn documentation(attributes: &[Attribute], otherwise: &str) -> Vec<TokenStream> {
    let own: Vec<_> =
        attributes.iter().filter(|attribute| is_documentation(attribute)).map(|doc| quote!(#doc)).collect();
    if own.is_empty() { vec![quote!(#[doc = #otherwise])] } else { own }
}

/// Returns `true` if the attribute documents the item. `#![doc]` inside the function's braces is not included.
fn is_documentation(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc") && matches!(attribute.style, AttrStyle::Outer)
}

fn value_type(form: &FunctionForm) -> Option<&Type> {
    match form.item.sig.inputs.first() {
        Some(FnArg::Typed(value)) => Some(&value.ty),
        _ => None,
    }
}

/// Returns `fn start`, which finds the vertex among the sources, and `fn edge`, which calls the user's function.
fn functions(form: &FunctionForm) -> TokenStream {
    let (name, output) = (&form.item.sig.ident, &form.item.sig.output);
    // `edge` has the macro's hygiene, because the user's function may have the same name.
    let edge = Ident::new("edge", Span::mixed_site());
    let weight = (form.item.sig.inputs.len() == 2).then(|| quote!(#edge.weight));
    quote! {
        fn start(&self, vertex: ::wolfpath::program::Vertex) -> ::core::option::Option<Self::Value> {
            ::wolfpath::twin::first_value::<Self>(self, vertex.id)
        }
        fn edge(&self, #edge: ::wolfpath::program::Edge<Self::Value, Self::Weight>) #output {
            #name(#edge.value, #weight)
        }
    }
}

fn wording(form: &FunctionForm, interface: &Interface) -> Wording {
    let marker = syn::Ident::new(interface.combine.marker(), Span::mixed_site());
    let (uniform, accumulates) = (form.arguments.uniform, form.arguments.accumulates.is_some());
    let non_negative = form.arguments.non_negative;
    let along = format_ident!("{}", form.along().unwrap_or("Out"));
    let (value, message) = (&interface.value.written, &interface.message.written);
    let weight = &interface.weight.written;
    let combine = quote!(::wolfpath::program::#marker);
    Wording {
        trait_path: quote!(::wolfpath::program::EdgeProgram),
        attributes: quote!(#[allow(warnings, clippy::all, clippy::pedantic)] #[automatically_derived]),
        types: quote! {
            type Value = #value;
            type Message = #message;
            type Weight = #weight;
            type Combine = #combine;
            type Aggregate = ::wolfpath::program::NoAggregate;
        },
        functions: functions(form),
        combine,
        settings: quote! {
            const ALONG: ::wolfpath::program::Along = ::wolfpath::program::Along::#along;
            const UNIFORM: ::core::primitive::bool = #uniform;
            const ACCUMULATES: ::core::primitive::bool = #accumulates;
            const NON_NEGATIVE_WEIGHTS: ::core::primitive::bool = #non_negative;
        },
        copies: quote! {
            fn sources(&self) -> &[(::core::primitive::u64, #value)] {
                &self.sources
            }
            fn duplicate(&self) -> Self {
                Self { sources: self.sources.clone() }
            }
        },
        asserts: TokenStream::new(),
    }
}
