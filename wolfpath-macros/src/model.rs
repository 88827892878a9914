//! The typed model, which `infer` builds from the user's text and both emitters read. Every expression has a type,
//! names are resolved to locals, constants and functions, and every position that can fault (a site) has a number.
//!
//! The model has two phases, which are different Rust types. In [`Inferred`], types may be unknown and expressions may
//! be rejected. `names` and `infer` build this phase, and import it from [`inferred`]. In [`Final`], all types are
//! known and nothing is rejected. `check` converts the first phase to the second, and both emitters accept nothing
//! else.

mod body;
mod combine;
mod forwards;
pub(crate) mod inferred;
mod layout;
mod messages;
mod operators;
pub(crate) mod views;

pub(crate) use body::{
    Ampersand, Arm, Block, Breakable, Condition, Elements, Expr, ExprKind, Function, Limits, Local, LoopKind,
    Mutability, Pattern, Polling, Range, RangeAdapter, Stmt, visit, visit_block, visit_mut,
};
pub(crate) use combine::Combine;
pub(crate) use layout::{held, is_plain_data, layout, offsets, structs_in};
pub(crate) use messages::Messages;
pub(crate) use operators::{BinaryOp, LogicOp, Operator, UnaryOp};

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt::Debug;

use proc_macro2::{Ident, Span};
use syn::Type;

/// A phase of the model.
pub(crate) trait Phase: Clone + Debug + PartialEq + 'static {
    /// The type of [`Ty::Unknown`]; uninhabited if every type is known.
    type Unknown: Clone + Debug + PartialEq;
    /// The type of [`ExprKind::Refused`]; uninhabited if no expression can be rejected.
    type Refused: Clone + Debug;
    /// The type of the site number of an operation that can fault regardless of the types of its operands.
    type Site: Copy + Debug;
}

/// The phase of a model under inference.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inferred;

impl Phase for Inferred {
    type Unknown = Unknown;
    type Refused = Refused;
    type Site = Numbered;
}

/// The phase of a model that is emitted: every type is known and nothing was rejected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Final;

impl Phase for Final {
    type Unknown = Infallible;
    type Refused = Infallible;
    type Site = u32;
}

/// Marker of an expression that was rejected.
#[derive(Clone, Debug)]
pub(crate) struct Refused;

/// The site number of an operation that can fault regardless of the types of its operands. It is assigned when all
/// types are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbered(pub(crate) Option<u32>);

impl Numbered {
    pub(crate) const NOT_YET: Numbered = Numbered(None);
}

/// A type that is not yet known during inference.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unknown {
    /// A type variable.
    Variable(usize),
    /// The type of something that was rejected. It unifies with every type, so that one mistake gives only one message.
    Refused,
}

/// The integer types of Rust that programs may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Int {
    U8,
    U16,
    U32,
    U64,
    Usize,
    I8,
    I16,
    I32,
    I64,
    Isize,
}

impl Int {
    pub(crate) const ALL: [Int; 10] = [
        Int::U8,
        Int::U16,
        Int::U32,
        Int::U64,
        Int::Usize,
        Int::I8,
        Int::I16,
        Int::I32,
        Int::I64,
        Int::Isize,
    ];

    /// Returns Rust's name of the type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Int::U8 => "u8",
            Int::U16 => "u16",
            Int::U32 => "u32",
            Int::U64 => "u64",
            Int::Usize => "usize",
            Int::I8 => "i8",
            Int::I16 => "i16",
            Int::I32 => "i32",
            Int::I64 => "i64",
            Int::Isize => "isize",
        }
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Int::I8 | Int::I16 | Int::I32 | Int::I64 | Int::Isize)
    }

    /// Returns the width in bits. `usize` has 64 bits, as on every machine with a GPU.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Int::U8 | Int::I8 => 8,
            Int::U16 | Int::I16 => 16,
            Int::U32 | Int::I32 => 32,
            Int::U64 | Int::I64 | Int::Usize | Int::Isize => 64,
        }
    }

    /// Returns the unsigned type of the same width.
    pub(crate) fn unsigned(self) -> Int {
        match self {
            Int::I8 => Int::U8,
            Int::I16 => Int::U16,
            Int::I32 => Int::U32,
            Int::I64 => Int::U64,
            Int::Isize => Int::Usize,
            unsigned => unsigned,
        }
    }
}

/// Rust's floating-point types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Float {
    F32,
    F64,
}

impl Float {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Float::F32 => "f32",
            Float::F64 => "f64",
        }
    }

    /// Returns the unsigned integer of the same width, which `to_bits` returns.
    pub(crate) fn bits(self) -> Int {
        match self {
            Float::F32 => Int::U32,
            Float::F64 => Int::U64,
        }
    }
}

/// The kind of access that a reference gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// `&`
    Shared,
    /// `&mut`
    Mutable,
}

impl Access {
    /// Returns the access of a written reference.
    pub(crate) fn of(mutability: Option<&syn::Token![mut]>) -> Access {
        if mutability.is_some() { Access::Mutable } else { Access::Shared }
    }
}

/// The sign of an integer literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

/// A type of the language.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty<P: Phase = Final> {
    Unit,
    Bool,
    Int(Int),
    Float(Float),
    Option(Box<Ty<P>>),
    /// A tuple of two or more types.
    Tuple(Vec<Ty<P>>),
    /// An array of a type, with its length.
    Array(Box<Ty<P>>, u64),
    /// Index into [`Program::structs`].
    Struct(usize),
    /// Index into [`Program::enums`].
    Enum(usize),
    /// `&T` or `&mut T`.
    Ref(Access, Box<Ty<P>>),
    /// An input of the program: one value per vertex.
    PerVertex(Box<Ty<P>>),
    /// An input of the program: a set of vertices.
    VertexSet,
    /// `Edge<Value, Weight>` of the program.
    Edge,
    /// `Vertex<T, Aggregate, B>` of the program, where `T` and `B` are these types. `B` is `()` unless the vertex is the
    /// argument of an `aggregate` that reads `v.before`.
    Vertex(Box<Ty<P>>, Box<Ty<P>>),
    /// The type that `self` refers to.
    Params,
    /// The type of expressions that never yield a value: `return`, `break`, `panic!`.
    Never,
    /// An unknown type; impossible in a final model.
    Unknown(P::Unknown),
}

impl Ty<Inferred> {
    /// The type of something rejected.
    pub(crate) const REFUSED: Ty<Inferred> = Ty::Unknown(Unknown::Refused);
}

impl<P: Phase> Ty<P> {
    pub(crate) fn option(of: Ty<P>) -> Ty<P> {
        Ty::Option(Box::new(of))
    }

    /// Returns the type without its references.
    pub(crate) fn behind(&self) -> &Ty<P> {
        match self {
            Ty::Ref(_, of) => of.behind(),
            other => other,
        }
    }

    /// Returns the type with its parts replaced.
    pub(crate) fn map_parts(&self, mut part: impl FnMut(&Ty<P>) -> Ty<P>) -> Ty<P> {
        match self {
            Ty::Option(of) => Ty::option(part(of)),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(part).collect()),
            Ty::Array(of, length) => Ty::Array(Box::new(part(of)), *length),
            Ty::Ref(access, of) => Ty::Ref(*access, Box::new(part(of))),
            other => other.clone(),
        }
    }

    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Ty::Float(_))
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Ty::Int(_) | Ty::Float(_))
    }

    /// Returns `true` if values, messages, weights, aggregates, parameters and fields of structs may have this type.
    pub(crate) fn is_datum(&self) -> bool {
        match self {
            Ty::Bool | Ty::Float(_) | Ty::Struct(_) | Ty::Enum(_) | Ty::Unknown(_) => true,
            Ty::Array(of, _) => of.is_datum(),
            Ty::Int(int) => matches!(int, Int::U32 | Int::U64 | Int::I32 | Int::I64),
            _ => false,
        }
    }
}

/// A struct of the module, or the parameters.
#[derive(Clone, Debug)]
pub(crate) struct Struct<P: Phase = Final> {
    pub(crate) name: Ident,
    pub(crate) fields: Vec<Field<P>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Field<P: Phase = Final> {
    pub(crate) name: Ident,
    pub(crate) ty: Ty<P>,
}

/// An enum of the module: names for 32-bit numbers.
#[derive(Clone, Debug)]
pub(crate) struct Enum {
    pub(crate) name: Ident,
    pub(crate) variants: Vec<(Ident, u32)>,
}

impl Enum {
    /// Size of a value in bytes.
    pub(crate) const SIZE: usize = 4;
}

/// A `const` of the module, or of one of its types.
#[derive(Clone, Debug)]
pub(crate) struct Const<P: Phase = Final> {
    /// The struct or enum that the constant belongs to, if any.
    pub(crate) owner: Option<Ty<P>>,
    pub(crate) name: Ident,
    pub(crate) body: Function<P>,
}

/// The vertices that have first values; the macro's copy of `wolfpath::program::Starts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Starts {
    Sources,
    Every,
    Some,
}

impl Starts {
    /// Returns the type of `v.value` in `apply`: an option if a vertex may have no value yet.
    pub(crate) fn before<P: Phase>(self, value: &Ty<P>) -> Ty<P> {
        match self {
            Starts::Every => value.clone(),
            Starts::Sources | Starts::Some => Ty::option(value.clone()),
        }
    }
}

/// The vertices that send in a step; the macro's copy of `wolfpath::program::Senders`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Senders {
    Active,
    All,
}

impl Senders {
    /// Returns the variant's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Senders::Active => "Active",
            Senders::All => "All",
        }
    }
}

/// The vertices that compute a new value in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Computes {
    /// Those that received a message.
    Receivers,
    /// Those that received a message, and those that have a value and have not halted.
    Awake,
    /// All vertices.
    All,
}

impl Computes {
    /// Returns the vertices that compute in a program with these senders.
    pub(crate) fn new(senders: Senders, has_halts: bool) -> Computes {
        match senders {
            Senders::All => Computes::All,
            Senders::Active if has_halts => Computes::Awake,
            Senders::Active => Computes::Receivers,
        }
    }

    /// Returns the type of the combined message in `apply`: an option if `apply` may run without a message and the
    /// combiner has no neutral message to replace it.
    pub(crate) fn incoming<P: Phase>(self, combine: &Combine, message: &Ty<P>) -> Ty<P> {
        match self {
            Computes::Awake | Computes::All if !combine.has_identity() => Ty::option(message.clone()),
            _ => message.clone(),
        }
    }
}

/// One of the four data types of a program, as written and as resolved.
#[derive(Clone, Debug)]
pub(crate) struct DataType {
    pub(crate) written: Type,
    pub(crate) ty: Ty,
}

/// One of several folds.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    pub(crate) combine: Combine,
    /// The fold as written, for example `Sum<f64>`.
    pub(crate) written: Type,
}

/// A position in the program that can fault.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) function: String,
    pub(crate) span: Span,
    pub(crate) message: String,
}

/// The parts of edges, vertices and inputs that the program reads; the engines do not supply the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    /// The names of the fields of `wolfpath::program::Reads` that are true (see [`views`](super::views)).
    pub(crate) noted: BTreeSet<&'static str>,
    /// The names of the program's fields that are inputs and are read.
    pub(crate) inputs: Vec<String>,
}

/// Names of the functions that an `EdgeProgram` may have, in the order in which they are emitted.
pub(crate) const METHODS: [&str; 10] =
    ["start", "edge", "combine", "apply", "changed", "sends", "halts", "priority", "aggregate", "finished"];

/// The functions of `impl EdgeProgram`.
#[derive(Clone, Debug)]
pub(crate) struct Methods<P: Phase = Final> {
    pub(crate) start: Option<Function<P>>,
    pub(crate) edge: Function<P>,
    pub(crate) combine: Option<Function<P>>,
    pub(crate) apply: Option<Function<P>>,
    pub(crate) changed: Option<Function<P>>,
    pub(crate) sends: Option<Function<P>>,
    pub(crate) halts: Option<Function<P>>,
    pub(crate) priority: Option<Function<P>>,
    pub(crate) aggregate: Option<Function<P>>,
    pub(crate) finished: Option<Function<P>>,
}

impl Methods {
    /// Returns the existing functions, in the order of [`METHODS`].
    pub(crate) fn all(&self) -> impl Iterator<Item = &Function> {
        let Methods { start, edge, combine, apply, changed, sends, halts, priority, aggregate, finished } =
            self;
        let others = [combine, apply, changed, sends, halts, priority, aggregate, finished];
        let others = others.into_iter().flatten();
        start.iter().chain([edge]).chain(others)
    }
}

/// All bodies of a program, with their fault sites and reads.
#[derive(Clone, Debug)]
pub(crate) struct Bodies<P: Phase = Final> {
    pub(crate) consts: Vec<Const<P>>,
    pub(crate) functions: Vec<Function<P>>,
    pub(crate) methods: Methods<P>,
    pub(crate) sites: Vec<Site>,
    pub(crate) reads: Reads,
}

/// The types and settings of a program, without its bodies.
#[derive(Clone, Debug)]
pub(crate) struct Interface {
    pub(crate) name: Ident,
    pub(crate) value: DataType,
    pub(crate) message: DataType,
    pub(crate) weight: DataType,
    pub(crate) aggregate: DataType,
    /// The folds of a tuple or struct of several, in the order of declaration; empty if there is only one.
    pub(crate) folds: Vec<Fold>,
    /// `true` if `aggregate` reads the value before the last step.
    pub(crate) folds_before: bool,
    pub(crate) combine: Combine,
    pub(crate) senders: Senders,
    /// `true` if messages travel between distinct neighbours.
    pub(crate) neighbours: bool,
    /// `true` if messages may be added in portions.
    pub(crate) accumulates: bool,
    pub(crate) computes: Computes,
    pub(crate) starts: Starts,
    /// The fields of the program's own struct.
    pub(crate) params: Vec<Field>,
    pub(crate) structs: Vec<Struct>,
    pub(crate) enums: Vec<Enum>,
    /// Number of structs and of enums that are shared with other programs. They come first.
    pub(crate) shared: (usize, usize),
}

impl Interface {
    /// Returns the type of `v.value` in `apply`.
    pub(crate) fn before(&self) -> Ty {
        self.starts.before(&self.value.ty)
    }

    /// Returns the type of the combined message in `apply`.
    pub(crate) fn incoming(&self) -> Ty {
        self.computes.incoming(&self.combine, &self.message.ty)
    }
}

/// A program after all checks.
#[derive(Clone, Debug)]
pub(crate) enum Checked {
    /// A program without errors, except those that only rustc can detect.
    Program(Box<Program>),
    /// A program with an error, and the text that describes the error. Only the program's interface is emitted, so that
    /// the rest of the user's crate can be checked.
    IllTyped(Box<Interface>, String),
}

impl Checked {
    pub(crate) fn interface(&self) -> &Interface {
        match self {
            Checked::Program(program) => &program.interface,
            Checked::IllTyped(interface, _) => interface,
        }
    }
}

/// A whole program.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) interface: Interface,
    pub(crate) bodies: Bodies,
}

impl Program {
    /// Returns every function that is emitted, including helpers and constants.
    pub(crate) fn each_function(&self) -> impl Iterator<Item = &Function> {
        let consts = self.bodies.consts.iter().map(|item| &item.body);
        consts.chain(&self.bodies.functions).chain(self.bodies.methods.all())
    }

    /// Returns `true` if `apply` reads the values of other vertices.
    pub(crate) fn reads_values_at(&self) -> bool {
        self.bodies.reads.noted.contains(views::VALUES_AT)
    }

    /// Returns `true` if `edge` returns a message for every edge, not an `Option`.
    pub(crate) fn always_sends(&self) -> bool {
        !matches!(self.bodies.methods.edge.output, Ty::Option(_))
    }

    /// Returns `true` if `edge`, or a function that it may call, can fault. This is the case unless the program's other
    /// methods contain all fault sites.
    pub(crate) fn edge_can_fault(&self) -> bool {
        let is_helper = |name: &str| self.bodies.functions.iter().any(|function| function.name == name);
        let is_other =
            |name: &str| name != "edge" && self.bodies.methods.all().any(|method| method.name == name);
        self.bodies.sites.iter().any(|site| is_helper(&site.function) || !is_other(&site.function))
    }

    /// Returns `true` if `edge` returns the sender's value unchanged for every edge.
    pub(crate) fn forwards(&self) -> bool {
        forwards::forwards(&self.bodies)
    }

    /// Returns the facts about the messages of `edge`. `non_negative` is `true` if weights are known to be at least 0.
    pub(crate) fn messages(&self, non_negative: bool) -> Messages {
        messages::messages(&self.bodies, non_negative)
    }

    /// Returns `true` if some loop checks whether the run must stop.
    pub(crate) fn polls(&self) -> bool {
        self.each_function().any(|function| function.polls)
    }
}
