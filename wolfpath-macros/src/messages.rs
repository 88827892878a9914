//! The collected errors of one expansion, and messages that occur in several places.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// All errors of one expansion. They are reported together.
///
/// There are two kinds. A *refusal* is for a construct that Rust accepts but the language of edge programs does not: it
/// becomes an error at the user's tokens. A *disagreement* about types is left to rustc, which also compiles the user's
/// item and has better messages. If rustc accepts the item after all, the program must still not run, so disagreements
/// are kept for [`ill_typed`](Self::ill_typed).
#[derive(Default)]
pub(crate) struct Errors {
    refusals: Vec<syn::Error>,
    disagreements: Vec<(Span, String)>,
}

impl Errors {
    /// Adds a message that points at these tokens.
    pub(crate) fn on(&mut self, tokens: &dyn ToTokens, message: impl Display) {
        self.refusals.push(syn::Error::new_spanned(tokens.to_token_stream(), message));
    }

    /// Adds a message at a span without tokens.
    pub(crate) fn at(&mut self, span: Span, message: impl Display) {
        self.refusals.push(syn::Error::new(span, message));
    }

    /// Records that types disagree at this span. rustc reports this error.
    pub(crate) fn disagreement(&mut self, span: Span, message: impl Display) {
        self.disagreements.push((span, message.to_string()));
    }

    /// Appends the errors of a later stage.
    pub(crate) fn append(&mut self, later: Errors) {
        self.refusals.extend(later.refusals);
        self.disagreements.extend(later.disagreements);
    }

    /// Returns the number of errors of both kinds.
    pub(crate) fn len(&self) -> usize {
        self.refusals.len() + self.disagreements.len()
    }

    /// Returns the message for a run of a program that has errors, or `None` if there are no errors. Users see this
    /// message only if rustc and the macro disagree, because otherwise rustc has already reported the error.
    pub(crate) fn ill_typed(&self) -> Option<String> {
        let (place, message) = match (self.disagreements.first(), self.refusals.first()) {
            (Some((span, message)), _) => (*span, message.clone()),
            (None, Some(refusal)) => (refusal.span(), refusal.to_string()),
            (None, None) => return None,
        };
        let (file, start) = (place.file(), place.start());
        Some(format!("{file}:{}:{}: {message}", start.line, start.column + 1))
    }

    /// Returns one `compile_error!` per refusal.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.refusals.iter().map(syn::Error::to_compile_error).collect()
    }
}

/// Returns ` (did you mean ..?)` if one of the names is similar to `written`, ignoring case; otherwise an empty text.
pub(crate) fn suggestion<'n>(written: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let written = written.to_lowercase();
    let close = known
        .into_iter()
        .map(|name| (strsim::levenshtein(&written, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance);
    close.map(|(_, name)| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

/// Description of the types that data may have.
pub(crate) const DATA: &str =
    "u32 i32 u64 i64 f32 f64 bool, or an array, a struct or an enum of these declared in the module";

/// Returns the message about a construct that is not in the language.
pub(crate) fn not_taken(what: &str, instead: &str) -> String {
    format!("an edge program cannot use {what}: {instead}")
}

/// Returns the message about two types that do not agree.
pub(crate) fn mismatch(expected: &str, found: &str) -> String {
    format!(
        "expected `{expected}`, found `{found}`: the same program runs on CPU and GPU, so types must match exactly"
    )
}
