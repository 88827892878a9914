//! The user's text as written in the file, for comments in the CUDA C and for messages of failed assertions. The stable
//! compiler gives a macro only the positions of tokens, so the lines are read from the file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use proc_macro2::{Span, TokenStream};

thread_local! {
    /// The lines of the files that were read while one crate compiles.
    static FILES: RefCell<HashMap<PathBuf, Rc<Vec<String>>>> = RefCell::default();
}

/// Clears the cache of lines. In a long-lived compiler, as in an editor, files may have changed.
pub(crate) fn forget() {
    FILES.with_borrow_mut(HashMap::clear);
}

/// Returns the lines of the span's file, if the file exists.
fn lines(span: Span) -> Option<Rc<Vec<String>>> {
    let path = span.local_file()?;
    FILES.with_borrow_mut(|files| {
        if let Some(known) = files.get(&path) {
            return Some(known.clone());
        }
        let text = std::fs::read_to_string(&path).ok()?;
        let lines: Rc<Vec<String>> = Rc::new(text.lines().map(str::to_owned).collect());
        files.insert(path, lines.clone());
        Some(lines)
    })
}

/// Returns the line in which the span begins, without its indentation.
pub(crate) fn line(span: Span) -> Option<String> {
    let lines = lines(span)?;
    let line = lines.get(span.start().line.checked_sub(1)?)?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Returns the text from the first to the last of these tokens, on one line.
pub(crate) fn text(tokens: &TokenStream) -> String {
    written(tokens).unwrap_or_else(|| tokens.to_string())
}

fn written(tokens: &TokenStream) -> Option<String> {
    let first = tokens.clone().into_iter().next()?.span();
    let last = tokens.clone().into_iter().last()?.span();
    let (start, end) = (first.start(), last.end());
    let lines = lines(first)?;
    let part = |index: usize| {
        let line: Vec<char> = lines.get(index.checked_sub(1)?)?.chars().collect();
        let from = if index == start.line { start.column } else { 0 };
        let to = if index == end.line { end.column } else { line.len() };
        Some(line.get(from..to)?.iter().collect::<String>().trim().to_owned())
    };
    let parts: Vec<String> = (start.line..=end.line).map(part).collect::<Option<_>>()?;
    Some(parts.join(" "))
}
