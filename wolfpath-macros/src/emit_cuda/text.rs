//! The text under construction: indented lines, some of which know their line in the user's file. When it is
//! finished, `#line` directives are put in where a line of CUDA C would otherwise be attributed elsewhere.

use proc_macro2::Span;

struct Line {
    text: String,
    indent: usize,
    from: From,
    /// What the user wrote there.
    comment: Option<String>,
}

/// Where a line comes from, for the compiler's messages.
#[derive(Clone, PartialEq, Eq)]
enum From {
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
    at: From,
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
            at: From::Macro,
            comment: None,
            commented: None,
        }
    }

    /// What follows comes from this place of the user's.
    pub(super) fn at_user(&mut self, span: Span) {
        let (file, line) = (span.file(), span.start().line);
        if line == 0 || file.is_empty() {
            self.at = From::Before;
            return;
        }
        let place = Some((file.clone(), line));
        self.comment = if place == self.commented { None } else { comment(span) };
        self.at = From::User(file, line);
    }

    /// What follows belongs to what stands before it.
    pub(super) fn at_before(&mut self) {
        self.at = From::Before;
    }

    pub(super) fn line(&mut self, text: impl Into<String>) {
        let comment = self.comment.take();
        if let (Some(_), From::User(file, line)) = (&comment, &self.at) {
            self.commented = Some((file.clone(), *line));
        }
        self.lines.push(Line { text: text.into(), indent: self.indent, from: self.at.clone(), comment });
    }

    /// An empty line; what follows is the macro's own again.
    pub(super) fn blank(&mut self) {
        self.lines.push(Line { text: String::new(), indent: 0, from: From::Before, comment: None });
        self.at = From::Macro;
        self.comment = None;
    }

    /// A line that opens a block.
    pub(super) fn open(&mut self, text: impl Into<String>) {
        self.line(text);
        self.indent += 1;
    }

    /// A line that closes one.
    pub(super) fn close(&mut self, text: impl Into<String>) {
        self.indent = self.indent.saturating_sub(1);
        self.lines.push(Line { text: text.into(), indent: self.indent, from: From::Before, comment: None });
    }

    /// A line between two blocks.
    pub(super) fn reopen(&mut self, text: impl Into<String>) {
        self.indent = self.indent.saturating_sub(1);
        self.open(text);
    }

    /// How many lines there are: a place to insert at.
    pub(super) fn mark(&self) -> usize {
        self.lines.len()
    }

    /// Puts a line in at an earlier mark.
    pub(super) fn insert(&mut self, mark: usize, text: String) {
        let line = Line { text, indent: self.indent, from: From::Before, comment: None };
        self.lines.insert(mark, line);
    }

    /// The finished text.
    pub(super) fn finish(self) -> String {
        let mut out = Numbered { own: format!("edge_program {}", self.program), ..Numbered::default() };
        for line in &self.lines {
            out.attribute(&line.from);
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
    fn attribute(&mut self, from: &From) {
        // The directive is a line itself, and speaks of the line after it.
        let (file, line) = match from {
            From::Before => return,
            From::Macro if self.file == self.own => return,
            From::Macro => (self.own.clone(), self.lines + 2),
            From::User(file, line) => (file.clone(), *line),
        };
        if self.file != file {
            self.push(&format!("#line {line} \"{}\"", escaped(&file)));
        } else if self.next != line {
            self.push(&format!("#line {line}"));
        }
        (self.file, self.next) = (file, line);
    }
}

/// The line that the user wrote, as a comment can hold it.
fn comment(span: Span) -> Option<String> {
    // A backslash at the end would make the next line a part of the comment.
    let line = crate::source::line(span)?;
    Some(line.trim_end_matches('\\').trim_end().to_owned())
}

fn escaped(file: &str) -> String {
    file.replace('\\', "\\\\").replace('"', "\\\"")
}
