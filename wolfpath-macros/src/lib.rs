//! The `#[edge_program]` attribute of wolfpath: a small compiler from a subset of Rust to Rust and CUDA C.
//!
//! Its stages, in order: `parse` splits the user's item into its parts, `names` reads its declarations, `infer` infers
//! the types of every body, `check` builds the final `model` from them, and `emit_rust` and `emit_cuda` generate code
//! from it. Errors are collected and reported together, each at the tokens that caused it. The user's item is always
//! emitted.
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
mod source;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Item;

use crate::messages::Errors;
use crate::model::Checked;
use crate::names::Names;
use crate::parse::{Arguments, FunctionForm, ModuleForm, Source};

/// Turns a function or an inline module into an edge program. The item itself is unchanged and can be called and
/// tested. The macro completes the program's implementation of `EdgeProgram`, and adds the code that engines call:
/// checked copies of the functions for the CPU, and CUDA C for a GPU.
///
/// **A function** maps the sender's value (and the edge's weight, by position) to a message or an `Option` of a
/// message: `#[edge_program(combine = min|max|or|and|any, first = VALUE, uniform, along = out|in|both, non_negative)]`.
/// The program is a type of the same name. `name::starting_at(id)` starts with the value given by `first`;
/// `name::from_source(id, value)` and `name::from_sources(..)` start with other values. The function cannot call
/// helpers.
///
/// **An inline module** contains one `impl EdgeProgram for T`, the struct `T` (its fields are the parameters), structs
/// and enums of data with their `impl`s, constants, free functions and `use`. The page of `EdgeProgram` lists the items
/// of the implementation, and which of them may be omitted. Fields of type `PerVertex<T>` and `VertexSet` are *inputs*,
/// which hold a value or a bit for every vertex: `self.altitude.of(v)`.
///
/// **The language** is Rust without allocation, text, traits, generics and recursion: every form of `let` and pattern,
/// `match` with guards, loops and labels, `?`, tuples, arrays, structs and enums with methods, references, closures in
/// the methods of options, assertions and `panic!`, and the methods of numbers. `docs/language.md` contains a table of
/// the language. Programs have the same meaning as in Rust: literals get the type that Rust infers, and where Rust
/// would panic, the run stops with an error that names the line.
///
/// **Errors**: constructs outside the language are rejected at the tokens in question. Type errors are left to rustc,
/// which also compiles the user's item. If rustc and this macro ever disagree about a program, compilation fails where
/// the program is run, and the message states the disagreement.
///
/// **Limits**: `#[cfg]` inside the item is rejected. Names must be ASCII. The item can be inside a `macro_rules!`, as
/// long as no function uses one name for two variables that come from different macros. `powi`, `exp`, `ln` and other
/// transcendental functions may differ by a few ulps between devices.
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
    match syn::parse::<Item>(item) {
        Ok(item) => expand(arguments, item).into(),
        Err(error) => {
            let error = error.to_compile_error();
            quote::quote!(#original #error).into()
        }
    }
}

/// Runs all stages on an item and appends the errors.
fn expand(arguments: Arguments, item: Item) -> TokenStream {
    source::forget();
    let mut errors = Errors::default();
    let mut tokens = match item {
        Item::Fn(item) => function(FunctionForm { item, arguments }, &mut errors),
        Item::Mod(item) => module(item, &arguments, &mut errors),
        other => {
            errors.on(
                &other,
                "put `#[edge_program]` on a function, or on an inline module with an `impl EdgeProgram`",
            );
            other.into_token_stream()
        }
    };
    tokens.extend(errors.into_tokens());
    tokens
}

fn function(form: FunctionForm, errors: &mut Errors) -> TokenStream {
    let source = form.source(errors);
    let checked = source.and_then(|source| understood(&source, errors));
    let cuda = checked.as_ref().map(cuda);
    emit_rust::function_form(&form, checked.as_ref().zip(cuda.as_deref()))
}

fn module(item: syn::ItemMod, arguments: &Arguments, errors: &mut Errors) -> TokenStream {
    let original = item.to_token_stream();
    let Some(form) = ModuleForm::new(item, arguments, errors) else { return original };
    let source = form.source(errors);
    let checked = source.and_then(|source| understood(&source, errors));
    let cuda = checked.as_ref().map(cuda);
    emit_rust::module_form(&form, checked.as_ref().zip(cuda.as_deref()), errors)
}

/// Runs the stages `names`, `infer` and `check`.
fn understood(source: &Source, errors: &mut Errors) -> Option<Checked> {
    let names = Names::new(source, errors);
    let mut in_bodies = Errors::default();
    let bodies = infer::bodies(source, &names, &mut in_bodies);
    check::check(source, names, bodies, in_bodies, errors)
}

/// Returns the generated CUDA text (the slot). The text is empty for a program that is never compiled.
fn cuda(checked: &Checked) -> String {
    match checked {
        Checked::Program(program) => emit_cuda::slot(program),
        Checked::IllTyped(..) => String::new(),
    }
}
