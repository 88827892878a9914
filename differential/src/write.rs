//! Writes a random program: a module of structs, enums, constants, helpers and the program itself. The way it is
//! written guarantees that it is well typed. Every statement is on its own line, so that the lines of faults can be
//! compared.

mod expression;
mod items;
mod method;
mod more;
mod operation;
mod program;
mod shape;
mod statement;

use crate::choices::{Choices, Chooser};
use crate::types::{Ty, U64};

/// The signature of a helper.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) name: String,
    /// The type of each parameter, and `true` if the parameter is `&mut`.
    pub(crate) parameters: Vec<(Ty, bool)>,
    pub(crate) output: Ty,
}

/// A variable that can be named.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) mutable: bool,
    /// `true` for a parameter that is a reference.
    pub(crate) reference: bool,
}

/// A loop around the statement that is being written.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) label: Option<String>,
    /// `true` if `break` needs a value.
    pub(crate) value: bool,
}

/// Context of the statement that is being written.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) returns: Ty,
    pub(crate) loops: Vec<Loop>,
    /// `true` in a closure or a guard. The code there may neither jump out nor assign to variables.
    pub(crate) in_closure: bool,
}

pub(crate) struct Writer<'a> {
    pub(crate) choose: Chooser<'a>,
    pub(crate) text: String,
    /// `true` for programs whose answers do not depend on the order in which messages are combined.
    pub(crate) is_exact: bool,
    pub(crate) structs: Vec<Vec<Ty>>,
    /// Number of variants of each enum.
    pub(crate) enums: Vec<usize>,
    pub(crate) consts: Vec<Ty>,
    /// Methods of structs: the struct's index, the name, the type of the argument, the type of the result, and `true`
    /// if the method changes the struct.
    pub(crate) methods: Vec<(usize, &'static str, Ty, Ty, bool)>,
    /// Constants of structs: the struct's index, and the constant's type.
    pub(crate) associated: Vec<(usize, Ty)>,
    pub(crate) functions: Vec<Signature>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) place: Place,
    /// The type of `v.value_at(..)`, in `apply`.
    pub(crate) values: Option<Ty>,
    /// Number of functions of the program that are still to be written.
    pub(crate) parts: usize,
    pub(crate) names: usize,
    /// Number of helpers written so far, in all programs of the module.
    pub(crate) helpers: usize,
}

/// Returns the text of the program with these choices: a module with this name.
pub fn program(choices: &[u32], name: &str) -> String {
    let mut writer = Writer::new(choices);
    writer.module(name);
    writer.text
}

/// Returns the text of a program with these choices that runs on engines: its answers do not depend on the order in which
/// messages and values are combined. It has no `combine` of its own, no sums of floats, and not the combiner `Any`.
pub fn exact_program(choices: &[u32], name: &str) -> String {
    let mut writer = Writer::new(choices);
    writer.is_exact = true;
    writer.module(name);
    writer.text
}

/// Returns the text of one module with the programs of all these lists of choices. An edge whose target is `t` runs the
/// program with the index `t % programs.len()`.
pub fn combined(programs: &[Choices], name: &str) -> String {
    let mut writer = Writer::new(&[]);
    writer.combined(programs, name);
    writer.text
}

impl<'a> Writer<'a> {
    fn new(choices: &'a [u32]) -> Writer<'a> {
        let place = Place { returns: U64, loops: Vec::new(), in_closure: false };
        Writer {
            choose: Chooser::new(choices),
            text: String::new(),
            is_exact: false,
            structs: Vec::new(),
            enums: Vec::new(),
            consts: Vec::new(),
            methods: Vec::new(),
            associated: Vec::new(),
            functions: Vec::new(),
            variables: Vec::new(),
            place,
            values: None,
            parts: 0,
            names: 0,
            helpers: 0,
        }
    }
}

impl Writer<'_> {
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    /// Returns a new name, or occasionally the name of an existing variable, which the new variable shadows.
    pub(crate) fn fresh(&mut self) -> String {
        if self.names > 0 && self.choose.once_in(8) {
            return format!("v{}", self.choose.below(self.names));
        }
        self.names += 1;
        format!("v{}", self.names - 1)
    }

    /// Declares a variable. It shadows earlier variables with the same name.
    pub(crate) fn declare(&mut self, name: &str, ty: Ty, mutable: bool) {
        self.variables.push(Variable { name: name.into(), ty, mutable, reference: false });
    }

    /// Returns the variables that can be named: the last declared variable for each name.
    pub(crate) fn visible(&self) -> Vec<Variable> {
        let shadowed =
            |index: usize, name: &str| self.variables[index + 1..].iter().any(|later| later.name == name);
        self.variables
            .iter()
            .enumerate()
            .filter(|(index, variable)| !shadowed(*index, &variable.name))
            .map(|(_, variable)| variable.clone())
            .collect()
    }

    /// Runs `write`. Returns the text that it wrote, which is not added to the program's text, and its result. The
    /// variables that it declared go out of scope.
    pub(crate) fn apart<R>(&mut self, write: impl FnOnce(&mut Self) -> R) -> (String, R) {
        let (outer, known) = (std::mem::take(&mut self.text), self.variables.len());
        let result = write(self);
        self.variables.truncate(known);
        (std::mem::replace(&mut self.text, outer), result)
    }
}
