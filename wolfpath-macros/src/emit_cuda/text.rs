//! Builds the CUDA text from indented lines, some of which have an origin in the user's file. `finish` inserts `#line`
//! directives where the compiler would otherwise attribute a line to the wrong origin. This module also formats
//! numbers, so that they have exactly the value and the type that they have in Rust.

use proc_macro2::Span;

use crate::emit_rust::full_digits;
use crate::model::{Float, Int, Sign, Ty};

struct Line {
    text: String,
    indent: usize,
    origin: Origin,
    /// The line of the user's text that this line comes from, for a comment.
    comment: Option<String>,
}

/// Origin of a line, for the compiler's messages.
#[derive(Clone, PartialEq, Eq)]
enum Origin {
    /// File and line of the user's text.
    User(String, usize),
    /// The macro.
    Macro,
    /// The origin of the previous line, for example for a closing brace.
    Before,
}

pub(super) struct Text {
    program: String,
    lines: Vec<Line>,
    indent: usize,
    at: Origin,
    /// The user's line at the current position, until it has been written as a comment.
    comment: Option<String>,
    /// The position of the last comment. One line of the user's text becomes several lines, but only the first of them
    /// gets the comment.
    commented: Option<(String, usize)>,
}

impl Text {
    pub(super) fn new(program: &str) -> Text {
        Text {
            program: program.to_owned(),
            lines: Vec::new(),
            indent: 0,
            at: Origin::Macro,
            comment: None,
            commented: None,
        }
    }

    /// Attributes the following lines to this position in the user's text.
    pub(super) fn at_user(&mut self, span: Span) {
        let (file, line) = (span.file(), span.start().line);
        if line == 0 || file.is_empty() {
            self.at = Origin::Before;
            return;
        }
        let place = Some((file.clone(), line));
        self.comment = if place == self.commented { None } else { comment(span) };
        self.at = Origin::User(file, line);
    }

    /// Attributes the following lines to the origin of the preceding line.
    pub(super) fn at_before(&mut self) {
        self.at = Origin::Before;
    }

    pub(super) fn line(&mut self, text: impl Into<String>) {
        let comment = self.comment.take();
        if let (Some(_), Origin::User(file, line)) = (&comment, &self.at) {
            self.commented = Some((file.clone(), *line));
        }
        self.lines.push(Line { text: text.into(), indent: self.indent, origin: self.at.clone(), comment });
    }

    /// Writes an empty line, and attributes the following lines to the macro.
    pub(super) fn blank(&mut self) {
        self.lines.push(Line { text: String::new(), indent: 0, origin: Origin::Before, comment: None });
        self.at = Origin::Macro;
        self.comment = None;
    }

    /// Writes a line that opens a block.
    pub(super) fn open(&mut self, text: impl Into<String>) {
        self.line(text);
        self.indent += 1;
    }

    /// Writes a line that closes a block.
    pub(super) fn close(&mut self, text: impl Into<String>) {
        self.indent = self.indent.saturating_sub(1);
        self.lines.push(Line {
            text: text.into(),
            indent: self.indent,
            origin: Origin::Before,
            comment: None,
        });
    }

    /// Writes a line that closes a block and opens another.
    pub(super) fn reopen(&mut self, text: impl Into<String>) {
        self.indent = self.indent.saturating_sub(1);
        self.open(text);
    }

    /// Returns the number of lines, a position for `insert`.
    pub(super) fn mark(&self) -> usize {
        self.lines.len()
    }

    /// Inserts a line at an earlier position.
    pub(super) fn insert(&mut self, mark: usize, text: String) {
        let line = Line { text, indent: self.indent, origin: Origin::Before, comment: None };
        self.lines.insert(mark, line);
    }

    /// Returns the finished text.
    pub(super) fn finish(self) -> String {
        let mut out = Numbered { own: format!("edge_program {}", self.program), ..Numbered::default() };
        for line in &self.lines {
            out.attribute(&line.origin);
            let comment = line.comment.as_ref().map(|comment| format!("  // {comment}")).unwrap_or_default();
            out.push(&format!("{}{}{comment}", "    ".repeat(line.indent), line.text));
        }
        out.text
    }
}

/// Text with `#line` directives that tracks the compiler's current file and line.
#[derive(Default)]
struct Numbered {
    text: String,
    lines: usize,
    /// The file name for the macro's own lines.
    own: String,
    file: String,
    next: usize,
}

impl Numbered {
    fn push(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
        self.lines += 1;
        self.next += 1;
    }

    /// Writes a `#line` directive if the next line would otherwise be attributed to the wrong origin.
    fn attribute(&mut self, origin: &Origin) {
        // The directive occupies a line, and it sets the number of the line that follows.
        let (file, line) = match origin {
            Origin::Before => return,
            Origin::Macro if self.file == self.own => return,
            Origin::Macro => (self.own.clone(), self.lines + 2),
            Origin::User(file, line) => (file.clone(), *line),
        };
        if self.file != file {
            self.push(&format!("#line {line} \"{}\"", escaped(&file)));
        } else if self.next != line {
            self.push(&format!("#line {line}"));
        }
        (self.file, self.next) = (file, line);
    }
}

/// Returns the user's line in a form that a comment can contain.
fn comment(span: Span) -> Option<String> {
    Some(without_splice(&crate::source::line(span)?).to_owned())
}

/// Returns a line without trailing backslashes. In a comment, a trailing backslash would make the next line a part of
/// the comment, even if blanks follow, because compilers may ignore them.
fn without_splice(line: &str) -> &str {
    line.trim_end_matches(|c: char| c == '\\' || c.is_whitespace())
}

fn escaped(file: &str) -> String {
    file.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Formats an integer of this type.
pub(super) fn int(magnitude: u128, sign: Sign, ty: &Ty) -> String {
    let Ty::Int(int) = ty else { return format!("{magnitude}") };
    let suffix = match int {
        Int::U32 => "u",
        Int::U64 | Int::Usize => "ull",
        Int::I64 | Int::Isize => "ll",
        _ => "",
    };
    // The smallest number has no literal, because its magnitude does not fit in the type.
    let smallest = sign == Sign::Minus && magnitude == 1u128 << (int.bits() - 1);
    let number = match (sign, smallest) {
        (_, true) => format!("(-{}{suffix} - 1)", magnitude - 1),
        (Sign::Minus, _) => format!("-{magnitude}{suffix}"),
        _ => format!("{magnitude}{suffix}"),
    };
    if int.bits() < 32 { format!("wp::{}({number})", int.name()) } else { number }
}

/// Formats a float of this type, given the digits in the user's text.
pub(super) fn float(digits: &str, ty: &Ty) -> String {
    let digits = full_digits(digits);
    match ty {
        Ty::Float(Float::F32) => f32_text(digits.parse().unwrap_or(f32::NAN)),
        _ => f64_text(digits.parse().unwrap_or(f64::NAN)),
    }
}

/// Formats a constant of a number type.
pub(super) fn number_const(name: &str, ty: &Ty) -> String {
    match ty {
        Ty::Int(kind) => {
            let (bits, signed) = (kind.bits(), kind.is_signed());
            let half = 1u128 << (bits - 1);
            match (name, signed) {
                ("MAX", true) => int(half - 1, Sign::Plus, ty),
                ("MIN", true) => int(half, Sign::Minus, ty),
                ("MAX", false) => int(half - 1 + half, Sign::Plus, ty),
                _ => int(0, Sign::Plus, ty),
            }
        }
        Ty::Float(Float::F32) => f32_text(match name {
            "MAX" => f32::MAX,
            "MIN" => f32::MIN,
            "EPSILON" => f32::EPSILON,
            "INFINITY" => f32::INFINITY,
            "NEG_INFINITY" => f32::NEG_INFINITY,
            "MIN_POSITIVE" => f32::MIN_POSITIVE,
            _ => f32::NAN,
        }),
        _ => f64_text(match name {
            "MAX" => f64::MAX,
            "MIN" => f64::MIN,
            "EPSILON" => f64::EPSILON,
            "INFINITY" => f64::INFINITY,
            "NEG_INFINITY" => f64::NEG_INFINITY,
            "MIN_POSITIVE" => f64::MIN_POSITIVE,
            _ => f64::NAN,
        }),
    }
}

/// Formats a float as decimal digits if they are short and exact; otherwise as bits, since compilers may round decimal
/// digits twice.
fn f32_text(value: f32) -> String {
    if is_short(f64::from(value)) {
        format!("{value:?}f")
    } else {
        format!("rust::f32_from_bits({:#010x}u /* {value:?} */)", value.to_bits())
    }
}

fn f64_text(value: f64) -> String {
    if is_short(value) {
        format!("{value:?}")
    } else {
        format!("rust::f64_from_bits({:#018x}ull /* {value:?} */)", value.to_bits())
    }
}

/// Returns `true` for a multiple of 2^-10 below 2^20, which is exact in both types and has few digits.
fn is_short(value: f64) -> bool {
    value.abs() < 1_048_576.0 && (value * 1024.0).fract() == 0.0 && (value != 0.0 || value.is_sign_positive())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_comment_takes_in_the_next_line() {
        for line in ["a + b // art", "a + b // art\\", "a + b // art \\ \\", "a + b // art\\ \t"] {
            assert_eq!(without_splice(line), "a + b // art");
        }
        assert_eq!(without_splice("'\\\\' + b"), "'\\\\' + b");
    }
}
