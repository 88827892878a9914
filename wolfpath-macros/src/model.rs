//! The typed model: what `infer` makes of the user's text, and what both emissions are written from. Every
//! expression knows its type; names are resolved to locals, constants and functions; every place that can fault
//! has a number.

mod body;
mod layout;
mod operators;
mod program;
pub(crate) mod views;

pub(crate) use body::{
    Ampersand, Arm, Block, Condition, Elements, Expr, ExprKind, Function, Limits, Local, LoopKind, Pattern,
    Polling, Range, RangeAdapter, Stmt, visit, visit_block, visit_mut,
};
pub(crate) use layout::{held, is_shared, layout, offsets, structs_in};
pub(crate) use operators::{BinaryOp, LogicOp, UnaryOp};
pub(crate) use program::{Combine, Const, DataType, Methods, Program, Reads, Site, Starts};

use proc_macro2::Ident;

/// Rust's integer types that a program may use.
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

    /// Rust's name of the type.
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

    /// Bits of the type; `usize` counts 64, as on every machine with a GPU.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Int::U8 | Int::I8 => 8,
            Int::U16 | Int::I16 => 16,
            Int::U32 | Int::I32 => 32,
            Int::U64 | Int::I64 | Int::Usize | Int::Isize => 64,
        }
    }

    /// The unsigned type of the same width.
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

    /// The unsigned integer of the same width: what `to_bits` returns.
    pub(crate) fn bits(self) -> Int {
        match self {
            Float::F32 => Int::U32,
            Float::F64 => Int::U64,
        }
    }
}

/// What a reference allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// `&`
    Shared,
    /// `&mut`
    Mutable,
}

impl Access {
    /// Returns the access that a written reference asks for.
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

/// A type of the language. `Var` occurs during inference only.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    Unit,
    Bool,
    Int(Int),
    Float(Float),
    Option(Box<Ty>),
    /// Two or more types side by side.
    Tuple(Vec<Ty>),
    /// So many values of one type.
    Array(Box<Ty>, u64),
    /// Index into [`Program::structs`].
    Struct(usize),
    /// Index into [`Program::enums`].
    Enum(usize),
    /// `&T` or `&mut T`.
    Ref(Access, Box<Ty>),
    /// An input of the program: a datum for every vertex.
    PerVertex(Box<Ty>),
    /// An input of the program: a set of vertices.
    VertexSet,
    /// `Edge<Value, Weight>` of the program.
    Edge,
    /// `Vertex<this, Aggregate>`.
    Vertex(Box<Ty>),
    /// What `self` refers to.
    Params,
    /// The type of what never yields a value: `return`, `break`, `panic!`.
    Never,
    /// A variable of inference.
    Var(usize),
    /// Something was refused here already; agrees with everything, so that one mistake gives one message.
    Error,
}

impl Ty {
    pub(crate) fn option(of: Ty) -> Ty {
        Ty::Option(Box::new(of))
    }

    /// The type without its references.
    pub(crate) fn behind(&self) -> &Ty {
        match self {
            Ty::Ref(_, of) => of.behind(),
            other => other,
        }
    }

    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Ty::Float(_))
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Ty::Int(_) | Ty::Float(_))
    }

    /// Whether values, messages, weights, aggregates, parameters and fields of structs may have this type.
    pub(crate) fn is_datum(&self) -> bool {
        match self {
            Ty::Bool | Ty::Float(_) | Ty::Struct(_) | Ty::Enum(_) | Ty::Error => true,
            Ty::Array(of, _) => of.is_datum(),
            Ty::Int(int) => matches!(int, Int::U32 | Int::U64 | Int::I32 | Int::I64),
            _ => false,
        }
    }
}

/// A struct of the module, or the parameters.
#[derive(Clone, Debug)]
pub(crate) struct Struct {
    pub(crate) name: Ident,
    pub(crate) fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Ident,
    pub(crate) ty: Ty,
}

/// An enum of the module: names for numbers of 32 bits.
#[derive(Clone, Debug)]
pub(crate) struct Enum {
    pub(crate) name: Ident,
    pub(crate) variants: Vec<(Ident, u32)>,
}

impl Enum {
    /// Bytes of a value.
    pub(crate) const SIZE: usize = 4;
}
