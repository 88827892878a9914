//! The `#[edge_program]` attribute of wolfpath: a small compiler from a subset of Rust to Rust and CUDA C.
//!
//! It reads in this order: `parse` takes the user's item apart, `names` and `infer` give everything its type, `check`
//! makes a [`model`] that is known to be sound, `emit_rust` and `emit_cuda` write it down twice. Errors are collected
//! on the way and reported together, each at the user's own characters, and the user's item is emitted either way.
#![forbid(unsafe_code)]

mod check;
mod emit_cuda;
mod emit_rust;
mod infer;
mod messages;
mod methods;
mod model;
mod names;
mod parse;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Item, parse_macro_input};

use crate::messages::Errors;
use crate::parse::{Arguments, FunctionForm, ModuleForm};

/// Makes an edge program of a function or an inline module.
#[proc_macro_attribute]
pub fn edge_program(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let original = TokenStream::from(item.clone());
    let arguments = match syn::parse::<Arguments>(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let error = error.to_compile_error();
            return quote::quote!(#original #error).into();
        }
    };
    expand(arguments, parse_macro_input!(item as Item)).into()
}

/// Parse, check, emit; then the errors.
fn expand(arguments: Arguments, item: Item) -> TokenStream {
    let mut errors = Errors::default();
    let mut tokens = match item {
        Item::Fn(item) => function(FunctionForm { item, arguments }, &mut errors),
        Item::Mod(item) => module(item, &arguments, &mut errors),
        other => {
            errors.on(&other, "`#[edge_program]` stands on a function, or on an inline module with an `impl EdgeProgram`");
            other.into_token_stream()
        }
    };
    tokens.extend(errors.into_tokens());
    tokens
}

fn function(form: FunctionForm, errors: &mut Errors) -> TokenStream {
    let source = form.source(errors);
    let program = source.and_then(|source| check::check(&source, errors)).filter(|_| errors.is_empty());
    let cuda = program.as_ref().map(emit_cuda::slot);
    emit_rust::function_form(&form, program.as_ref().zip(cuda.as_deref()))
}

fn module(item: syn::ItemMod, arguments: &Arguments, errors: &mut Errors) -> TokenStream {
    let original = item.to_token_stream();
    let Some(form) = ModuleForm::new(item, arguments, errors) else { return original };
    let source = form.source(errors);
    let program = source.and_then(|source| check::check(&source, errors)).filter(|_| errors.is_empty());
    let cuda = program.as_ref().map(emit_cuda::slot);
    emit_rust::module_form(&form, program.as_ref().zip(cuda.as_deref()), errors)
}
