//! The text under construction: indented lines, some of which know their line in the user's file. When it is
//! finished, `#line` directives are put in where a line of CUDA C would otherwise be attributed elsewhere. Also numbers:
//! exactly the value that Rust reads, of exactly its type.

use proc_macro2::Span;

use crate::emit_rust::full_digits;
use crate::model::{Float, Int, Sign, Ty};

struct Line {
    text: String,
    indent: usize,
    origin: Origin,
    /// What the user wrote there.
    comment: Option<String>,
}

/// Where a line comes from, for the compiler's messages.
#[derive(Clone, PartialEq, Eq)]
enum Origin {
    /// File and line of the user's.
    User(String, usize),
    /// The macro wrote it itself.
    Macro,
    /// Wherever the line before it comes from: a closing brace, say.
    Before,
}

pub(super) struct Text {
    program: String,
    lines: Vec<Line>,
    indent: usize,
    at: Origin,
    /// What the user wrote at this place, until a line has said it.
    comment: Option<String>,
    /// The place that was commented last, since one line of the user's becomes several.
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

    /// Attributes what follows to this place of the user's.
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

    /// Attributes what follows to the origin of the line before it.
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

    /// Writes an empty line; what follows is the macro's own again.
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

    /// Writes a line that closes one.
    pub(super) fn close(&mut self, text: impl Into<String>) {
        self.indent = self.indent.saturating_sub(1);
        self.lines.push(Line {
            text: text.into(),
            indent: self.indent,
            origin: Origin::Before,
            comment: None,
        });
    }

    /// Writes a line between two blocks.
    pub(super) fn reopen(&mut self, text: impl Into<String>) {
        self.indent = self.indent.saturating_sub(1);
        self.open(text);
    }

    /// Returns how many lines there are: a place to insert at.
    pub(super) fn mark(&self) -> usize {
        self.lines.len()
    }

    /// Puts a line in at an earlier mark.
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

/// Text with `#line` directives, which knows where the compiler believes to be.
#[derive(Default)]
struct Numbered {
    text: String,
    lines: usize,
    /// What the macro's own lines are called.
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

    /// Sees to it that the next line is attributed to where it comes from.
    fn attribute(&mut self, origin: &Origin) {
        // The directive is a line itself, and speaks of the line after it.
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

/// Returns the line that the user wrote, as a comment can hold it.
fn comment(span: Span) -> Option<String> {
    Some(without_splice(&crate::source::line(span)?).to_owned())
}

/// Returns a line without the backslashes at its end, which would make the next line a part of a comment. Compilers may
/// pass over blanks behind a backslash.
fn without_splice(line: &str) -> &str {
    line.trim_end_matches(|c: char| c == '\\' || c.is_whitespace())
}

fn escaped(file: &str) -> String {
    file.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Returns an integer of this type.
pub(super) fn int(magnitude: u128, sign: Sign, ty: &Ty) -> String {
    let Ty::Int(int) = ty else { return format!("{magnitude}") };
    let suffix = match int {
        Int::U32 => "u",
        Int::U64 | Int::Usize => "ull",
        Int::I64 | Int::Isize => "ll",
        _ => "",
    };
    // The most negative number has no literal of its own: its magnitude does not fit the type.
    let smallest = sign == Sign::Minus && magnitude == 1u128 << (int.bits() - 1);
    let number = match (sign, smallest) {
        (_, true) => format!("(-{}{suffix} - 1)", magnitude - 1),
        (Sign::Minus, _) => format!("-{magnitude}{suffix}"),
        _ => format!("{magnitude}{suffix}"),
    };
    if int.bits() < 32 { format!("wp::{}({number})", int.name()) } else { number }
}

/// Returns a float of this type, from the digits in the user's text.
pub(super) fn float(digits: &str, ty: &Ty) -> String {
    let digits = full_digits(digits);
    match ty {
        Ty::Float(Float::F32) => f32_text(digits.parse().unwrap_or(f32::NAN)),
        _ => f64_text(digits.parse().unwrap_or(f64::NAN)),
    }
}

/// Returns a constant of a number type.
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

/// Plain digits where they are short and exact; the bits otherwise, since compilers may round decimal digits twice.
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

/// Returns `true` for a multiple of 2^-10 below 2^20, which is exact in both types, in few digits.
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
