//! The text under construction: indented lines, some of which know their line in the user's file. When it is
//! finished, `#line` directives are put in where a line of CUDA C would otherwise be attributed elsewhere.

use proc_macro2::Span;

struct Line {
    text: String,
    indent: usize,
    from: From,
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
}

impl Text {
    pub(super) fn new(program: &str) -> Text {
        Text { program: program.to_owned(), lines: Vec::new(), indent: 0, at: From::Macro }
    }

    /// What follows comes from this place of the user's.
    pub(super) fn at_user(&mut self, span: Span) {
        let (file, line) = (span.file(), span.start().line);
        self.at = if line > 0 && !file.is_empty() { From::User(file, line) } else { From::Before };
    }

    /// What follows belongs to what stands before it.
    pub(super) fn at_before(&mut self) {
        self.at = From::Before;
    }

    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.lines.push(Line { text: text.into(), indent: self.indent, from: self.at.clone() });
    }

    /// An empty line; what follows is the macro's own again.
    pub(super) fn blank(&mut self) {
        self.lines.push(Line { text: String::new(), indent: 0, from: From::Before });
        self.at = From::Macro;
    }

    /// A line that opens a block.
    pub(super) fn open(&mut self, text: impl Into<String>) {
        self.line(text);
        self.indent += 1;
    }

    /// A line that closes one.
    pub(super) fn close(&mut self, text: impl Into<String>) {
        self.indent = self.indent.saturating_sub(1);
        self.lines.push(Line { text: text.into(), indent: self.indent, from: From::Before });
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
        let line = Line { text, indent: self.indent, from: From::Before };
        self.lines.insert(mark, line);
    }

    /// The finished text.
    pub(super) fn finish(self) -> String {
        let mut out = Numbered { own: format!("edge_program {}", self.program), ..Numbered::default() };
        for line in &self.lines {
            out.attribute(&line.from);
            out.push(&format!("{}{}", "    ".repeat(line.indent), line.text));
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

fn escaped(file: &str) -> String {
    file.replace('\\', "\\\\").replace('"', "\\\"")
}
