//! The line of an edge list that names its columns: a first line of words, or the last comment before the data.

use super::ends;
use super::error::{FieldCount, HeadingProblem, shown};

/// Line that may name the columns.
#[derive(Debug, Default)]
pub(super) struct Heading {
    /// Number of the line, from 1; 0 if no such line was read yet.
    line: u64,
    text: String,
    /// `true` for a comment. Because a comment may be ordinary prose, it names columns only under strict conditions;
    /// see [`names`](Self::names).
    is_comment: bool,
}

impl Heading {
    /// Records a first line of words.
    pub(super) fn words(&mut self, line: u64, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).trim().to_owned();
        *self = Heading { line, text, is_comment: false };
    }

    /// Records a comment, which replaces any earlier comment but not a first line of words.
    pub(super) fn comment(&mut self, line: u64, bytes: &[u8]) {
        let text = bytes.trim_ascii_start();
        let text = text.strip_prefix(b"#").or_else(|| text.strip_prefix(b"%"));
        if let (Some(text), false) = (text, self.is_words()) {
            let text = String::from_utf8_lossy(text).trim().to_owned();
            *self = Heading { line, text, is_comment: true };
        }
    }

    /// Returns `true` after a first line of words.
    pub(super) fn is_words(&self) -> bool {
        self.line > 0 && !self.is_comment
    }

    /// Returns the line's number and text for messages.
    pub(super) fn shown(&self) -> String {
        format!("line {} (`{}`)", self.line, shown(self.text.as_bytes()))
    }

    /// Returns the names of the columns, or `None` if the line does not name columns. `fields` is the number of fields
    /// of the first edge.
    ///
    /// A comment must consist of exactly `fields` words, including names of both ends. If a first line of words
    /// contains the name of an end (source or target) but has a different number of words, it is an error, because it
    /// is unclear which columns it names.
    pub(super) fn names(&self, fields: usize) -> Result<Option<Vec<String>>, HeadingProblem> {
        let words = cut(&self.text, |c| c.is_whitespace() || is_punctuation(c));
        if self.is_comment {
            let is_heading =
                words.len() == fields && words.iter().all(|word| begins_as_word(word)) && ends::both(&words);
            return Ok(is_heading.then_some(words));
        }
        if words.len() == fields {
            return Ok(Some(words));
        }
        // Names may contain spaces if they are separated by commas or tabs.
        let names = cut(&self.text, |c| c == '\t' || is_punctuation(c));
        if names.len() == fields {
            return Ok(Some(names));
        }
        if !ends::any(&words) {
            return Ok(None);
        }
        Err(HeadingProblem::Count { heading: self.shown(), named: words.len(), found: FieldCount(fields) })
    }
}

/// Cuts a line into names at the separators. Separators inside quotes are part of the name.
fn cut(text: &str, separates: impl Fn(char) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let quoted = rest.strip_prefix('"').and_then(|quoted| quoted.split_once('"'));
        let (name, after) =
            quoted.unwrap_or_else(|| rest.split_at(rest.find(&separates).unwrap_or(rest.len())));
        names.push(name.trim().to_owned());
        let after = after.trim_start();
        rest = after.strip_prefix(is_punctuation).unwrap_or(after).trim_start();
    }
    names
}

fn is_punctuation(c: char) -> bool {
    matches!(c, ',' | ';')
}

fn begins_as_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str, fields: usize) -> Option<Vec<String>> {
        let mut heading = Heading::default();
        heading.words(1, line.as_bytes());
        heading.names(fields).unwrap()
    }

    #[test]
    fn names_are_cut_as_the_data_are() {
        assert_eq!(names("target,source", 2).unwrap(), ["target", "source"]);
        assert_eq!(names("\"target\"\t\"source\"\r", 2).unwrap(), ["target", "source"]);
        assert_eq!(names("to ; from ; w", 3).unwrap(), ["to", "from", "w"]);
        assert_eq!(names("\"Target Id\",\"Source Id\"", 2).unwrap(), ["Target Id", "Source Id"]);
        assert_eq!(names("Target Id,Source Id,w", 3).unwrap(), ["Target Id", "Source Id", "w"]);
        assert_eq!(names("a b c", 2), None);
    }

    #[test]
    fn a_heading_of_other_columns_is_refused() {
        for (line, fields) in [("source,target", 3), ("a,b,target", 2), ("from to w", 4)] {
            let mut heading = Heading::default();
            heading.words(7, line.as_bytes());
            let error = heading.names(fields).unwrap_err().to_string();
            assert!(error.contains(&format!("line 7 (`{line}`)")), "{error}");
        }
    }

    #[test]
    fn the_last_comment_names_columns_only_word_for_word() {
        let names = |comments: &[&str], fields| {
            let mut heading = Heading::default();
            (1..).zip(comments).for_each(|(line, comment)| heading.comment(line, comment.as_bytes()));
            heading.names(fields).unwrap()
        };
        assert_eq!(names(&["# target source"], 2).unwrap(), ["target", "source"]);
        assert_eq!(names(&["# made today", "%target source w"], 3).unwrap(), ["target", "source", "w"]);
        assert_eq!(names(&["# target source", "# made today"], 2), None);
        assert_eq!(names(&["# target source", "#"], 2), None);
        assert_eq!(names(&["# target source"], 3), None);
        assert_eq!(names(&["# target: source"], 2), None);
        assert_eq!(names(&["# edges to"], 2), None);
        assert_eq!(names(&["# 7 target source"], 3), None);
        assert_eq!(names(&[], 2), None);
    }
}
