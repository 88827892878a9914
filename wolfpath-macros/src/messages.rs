//! The errors of one expansion, collected, and the wording of those that occur in several places.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// All errors of one expansion. They are reported together.
///
/// Two kinds are kept apart. A *refusal* is something that Rust would take and an edge program does not: it becomes
/// an error at the user's characters. A *disagreement* about types is rustc's to report, since it sees the user's item
/// too and says it better; should rustc see none, the program must still not run, so it is kept, see
/// [`ill_typed`](Self::ill_typed).
#[derive(Default)]
pub(crate) struct Errors {
    refusals: Vec<syn::Error>,
    disagreements: Vec<(Span, String)>,
}

impl Errors {
    /// Adds a message about exactly these tokens.
    pub(crate) fn on(&mut self, tokens: &dyn ToTokens, message: impl Display) {
        self.refusals.push(syn::Error::new_spanned(tokens.to_token_stream(), message));
    }

    /// Adds a message at a place that has no tokens of its own.
    pub(crate) fn at(&mut self, span: Span, message: impl Display) {
        self.refusals.push(syn::Error::new(span, message));
    }

    /// Notes that types disagree here, which rustc reports.
    pub(crate) fn disagreement(&mut self, span: Span, message: impl Display) {
        self.disagreements.push((span, message.to_string()));
    }

    /// Adds the errors of a later stage behind these.
    pub(crate) fn append(&mut self, later: Errors) {
        self.refusals.extend(later.refusals);
        self.disagreements.extend(later.disagreements);
    }

    /// Returns how many there are of both kinds.
    pub(crate) fn len(&self) -> usize {
        self.refusals.len() + self.disagreements.len()
    }

    /// Returns what is to be said where a program that could not be understood is run all the same: rustc has reported
    /// what is wrong already, unless it and the macro read the text differently.
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

/// Returns ` (did you mean ..?)` if one of the names is close to what was written, letter case aside; an empty text otherwise.
pub(crate) fn suggestion<'n>(written: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let written = written.to_lowercase();
    let close = known
        .into_iter()
        .map(|name| (strsim::levenshtein(&written, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance);
    close.map(|(_, name)| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

/// What the language takes as the type of data.
pub(crate) const DATA: &str =
    "u32 i32 u64 i64 f32 f64 bool, or an array, a struct or an enum of these declared in the module";

/// Returns a construct that the language does not have.
pub(crate) fn not_taken(what: &str, instead: &str) -> String {
    format!("an edge program cannot use {what}: {instead}")
}

/// Two types that do not agree.
pub(crate) fn mismatch(expected: &str, found: &str) -> String {
    format!(
        "expected `{expected}`, found `{found}`: the same program runs on CPU and GPU, so types must match exactly"
    )
}
