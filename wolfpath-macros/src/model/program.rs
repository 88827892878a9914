//! A whole program: its data types, its functions, and what the rest of the macro must know about it.

use std::collections::BTreeSet;
use std::fmt;

use proc_macro2::{Ident, Span};
use syn::Type;

use super::{Enum, Field, Function, Struct, Ty};

/// A `const` of the module, or of a type of it.
#[derive(Clone, Debug)]
pub(crate) struct Const {
    /// The struct or enum that it belongs to.
    pub(crate) owner: Option<Ty>,
    pub(crate) name: Ident,
    pub(crate) body: Function,
}

/// How messages combine; the macro's copy of `CombineKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Min,
    Max,
    Sum,
    Or,
    And,
    Any,
    Custom,
}

impl Combine {
    const TABLE: [(&'static str, &'static str, Combine); 7] = [
        ("min", "Min", Combine::Min),
        ("max", "Max", Combine::Max),
        ("sum", "Sum", Combine::Sum),
        ("or", "Or", Combine::Or),
        ("and", "And", Combine::And),
        ("any", "Any", Combine::Any),
        ("custom", "Custom", Combine::Custom),
    ];

    /// From the word in `#[edge_program(combine = ..)]`.
    pub(crate) fn from_word(word: &str) -> Option<Combine> {
        Combine::TABLE[..6].iter().find(|row| row.0 == word).map(|row| row.2)
    }

    /// From the marker type in `type Combine = ..`.
    pub(crate) fn from_marker(marker: &str) -> Option<Combine> {
        Combine::TABLE.iter().find(|row| row.1 == marker).map(|row| row.2)
    }

    pub(crate) fn marker(self) -> &'static str {
        Combine::TABLE.iter().find(|row| row.2 == self).map_or("Custom", |row| row.1)
    }

    /// Whether every type that it combines has a message that changes nothing.
    pub(crate) fn has_identity(self) -> bool {
        matches!(self, Combine::Sum | Combine::Or | Combine::And)
    }
}

impl fmt::Display for Combine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.marker())
    }
}

/// How vertices get their first values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Starts {
    Sources,
    Every,
    Some,
}

/// One of the four data types of a program: as the user wrote it, and as it is.
#[derive(Clone, Debug)]
pub(crate) struct DataType {
    pub(crate) written: Type,
    pub(crate) ty: Ty,
}

/// A place that can fault.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) function: String,
    pub(crate) span: Span,
    pub(crate) message: String,
}

/// What the program reads, so that the engines leave out the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    /// The fields of `wolfpath::program::Reads` that are true, see [`views`](super::views).
    pub(crate) noted: BTreeSet<&'static str>,
    /// The fields of the program that are inputs and are read.
    pub(crate) inputs: Vec<String>,
}

/// The functions of the program itself.
#[derive(Clone, Debug)]
pub(crate) struct Methods {
    pub(crate) start: Option<Function>,
    pub(crate) edge: Function,
    pub(crate) combine: Option<Function>,
    pub(crate) apply: Option<Function>,
    pub(crate) changed: Option<Function>,
    pub(crate) aggregate: Option<Function>,
}

/// A whole program, checked: nothing about it can be wrong any more except what only rustc can see.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) name: Ident,
    pub(crate) value: DataType,
    pub(crate) message: DataType,
    pub(crate) weight: DataType,
    pub(crate) aggregate: DataType,
    pub(crate) combine: Combine,
    pub(crate) all_send: bool,
    pub(crate) starts: Starts,
    /// The fields of the program's own struct.
    pub(crate) params: Vec<Field>,
    pub(crate) structs: Vec<Struct>,
    pub(crate) enums: Vec<Enum>,
    pub(crate) consts: Vec<Const>,
    pub(crate) functions: Vec<Function>,
    pub(crate) methods: Methods,
    pub(crate) sites: Vec<Site>,
    pub(crate) reads: Reads,
    /// What is wrong with it, when something is: then only its outside is written, for the rest of the user's crate.
    pub(crate) unsound: Option<String>,
}

impl Program {
    /// Sees every function that is written out: helpers and constants too.
    pub(crate) fn each_function(&self, see: &mut dyn FnMut(&Function)) {
        let methods = &self.methods;
        self.consts.iter().for_each(|item| see(&item.body));
        self.functions.iter().for_each(&mut *see);
        let optional =
            [&methods.start, &methods.combine, &methods.apply, &methods.changed, &methods.aggregate];
        optional.into_iter().flatten().for_each(&mut *see);
        see(&methods.edge);
    }

    /// Whether `edge` returns a message for every edge, not an `Option`.
    pub(crate) fn always_sends(&self) -> bool {
        !matches!(self.methods.edge.output, Ty::Option(_))
    }

    /// Whether `edge` can fault, or a function that it may call: some place outside the other methods can.
    pub(crate) fn edge_can_fault(&self) -> bool {
        let methods = &self.methods;
        let others = [&methods.start, &methods.combine, &methods.apply, &methods.changed, &methods.aggregate];
        let is_helper = |name: &str| self.functions.iter().any(|function| function.name == name);
        let is_other = |name: &str| others.into_iter().flatten().any(|method| method.name == name);
        self.sites.iter().any(|site| is_helper(&site.function) || !is_other(&site.function))
    }

    /// Whether some loop asks now and then if the run is to stop.
    pub(crate) fn polls(&self) -> bool {
        let mut polls = false;
        self.each_function(&mut |function| polls |= function.polls);
        polls
    }
}
