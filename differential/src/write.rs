//! Writes a random program: a module of structs, enums, constants, helpers and the program itself, well typed by the
//! way it is written. Every statement stands on a line of its own, so that lines of faults can be compared.

mod expression;
mod items;
mod method;
mod more;
mod operation;
mod statement;

use crate::choices::{Choices, Chooser};
use crate::types::{Ty, U64};

/// A helper that can be called.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) name: String,
    /// The types of the parameters, and whether each is `&mut`.
    pub(crate) parameters: Vec<(Ty, bool)>,
    pub(crate) output: Ty,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) mutable: bool,
    /// A parameter that is `&mut`.
    pub(crate) reference: bool,
}

/// A loop around the statement that is being written.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) label: Option<String>,
    /// `break` needs a value.
    pub(crate) value: bool,
}

/// Where the writer stands.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) returns: Ty,
    pub(crate) loops: Vec<Loop>,
    /// In a closure or a guard, out of which nothing jumps and in which nothing is assigned.
    pub(crate) in_closure: bool,
}

pub(crate) struct Writer<'a> {
    pub(crate) choose: Chooser<'a>,
    pub(crate) text: String,
    pub(crate) structs: Vec<Vec<Ty>>,
    /// The number of variants of each.
    pub(crate) enums: Vec<usize>,
    pub(crate) consts: Vec<Ty>,
    /// Of structs: which, the name, what it takes and gives, and whether it changes the struct.
    pub(crate) methods: Vec<(usize, &'static str, Ty, Ty, bool)>,
    /// Constants of structs.
    pub(crate) associated: Vec<(usize, Ty)>,
    pub(crate) functions: Vec<Signature>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) place: Place,
    pub(crate) names: usize,
    /// Helpers written so far, in all programs of the module.
    pub(crate) helpers: usize,
}

/// The text of the program with these choices, as a module of this name.
pub fn program(choices: &[u32], name: &str) -> String {
    let mut writer = Writer::new(choices);
    writer.module(name);
    writer.text
}

/// The text of one module that holds the programs of all these choices: an edge whose target is `t` runs the one with
/// number `t` % their count.
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
            structs: Vec::new(),
            enums: Vec::new(),
            consts: Vec::new(),
            methods: Vec::new(),
            associated: Vec::new(),
            functions: Vec::new(),
            variables: Vec::new(),
            place,
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

    /// A name that no other variable has, or now and then one that shadows.
    pub(crate) fn fresh(&mut self) -> String {
        if self.names > 0 && self.choose.once_in(8) {
            return format!("v{}", self.choose.below(self.names));
        }
        self.names += 1;
        format!("v{}", self.names - 1)
    }

    /// Declares a variable; one that it shadows is forgotten.
    pub(crate) fn declare(&mut self, name: &str, ty: Ty, mutable: bool) {
        self.variables.push(Variable { name: name.into(), ty, mutable, reference: false });
    }

    /// The variables that can be named: of those with one name, the last.
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

    /// What this writes into a text of its own; variables declared in it are forgotten after it.
    pub(crate) fn apart<R>(&mut self, write: impl FnOnce(&mut Self) -> R) -> (String, R) {
        let (outer, known) = (std::mem::take(&mut self.text), self.variables.len());
        let result = write(self);
        self.variables.truncate(known);
        (std::mem::replace(&mut self.text, outer), result)
    }
}
