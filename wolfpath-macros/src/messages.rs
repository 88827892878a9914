//! The errors of one expansion, collected, and the wording of those that occur in several places.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// All errors of one expansion. They are reported together.
#[derive(Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    /// Adds a message about exactly these tokens.
    pub(crate) fn on(&mut self, tokens: &dyn ToTokens, message: impl Display) {
        self.0.push(syn::Error::new_spanned(tokens.to_token_stream(), message));
    }

    /// Adds a message at a place that has no tokens of its own.
    pub(crate) fn at(&mut self, span: Span, message: impl Display) {
        self.0.push(syn::Error::new(span, message));
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One `compile_error!` a message.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }
}

/// What the language takes as the type of data.
pub(crate) const DATA: &str = "u32 i32 u64 i64 f32 f64 bool, or a struct of these declared in the module";

/// A construct that the language does not have.
pub(crate) fn not_taken(what: &str, instead: &str) -> String {
    format!("an edge program cannot use {what}: {instead}")
}

/// Two types that do not agree.
pub(crate) fn mismatch(expected: &str, found: &str) -> String {
    format!(
        "expected `{expected}`, found `{found}`: the same program runs on CPU and GPU, so types must match exactly"
    )
}
