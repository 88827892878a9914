//! The typed model: what `infer` makes of the user's text, and what both emissions are written from. Every
//! expression knows its type; names are resolved to locals, constants and functions; every place that can fault
//! has a number.

use std::fmt;

use proc_macro2::{Ident, Span};
use syn::Type;

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
    /// Index into [`Program::structs`].
    Struct(usize),
    /// `Edge<Value, Weight>` of the program.
    Edge,
    /// `Vertex<this, Aggregate>`.
    Vertex(Box<Ty>),
    /// What `self` refers to.
    Params,
    /// The type of `return`, which never yields a value.
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

    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Ty::Float(_))
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Ty::Int(_) | Ty::Float(_))
    }

    /// Whether values, messages, weights, aggregates, parameters and fields of structs may have this type.
    pub(crate) fn is_datum(&self) -> bool {
        match self {
            Ty::Bool | Ty::Float(_) | Ty::Struct(_) | Ty::Error => true,
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

/// A `const` of the module.
#[derive(Clone, Debug)]
pub(crate) struct Const {
    pub(crate) name: Ident,
    pub(crate) body: Function,
}

/// A function with its typed body. Parameters are the first locals.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: Ident,
    pub(crate) parameters: usize,
    pub(crate) output: Ty,
    pub(crate) locals: Vec<Local>,
    pub(crate) body: Block,
}

#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) name: Ident,
    pub(crate) ty: Ty,
    pub(crate) mutable: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) statements: Vec<Stmt>,
    pub(crate) tail: Option<Box<Expr>>,
    pub(crate) ty: Ty,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    Let(usize, Expr),
    /// An expression for its effect; `let _ = ..` too.
    Expr(Expr),
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) ty: Ty,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Unit,
    Bool(bool),
    /// Magnitude and sign.
    Int(u128, bool),
    /// The digits as Rust reads them, without suffix and underscores.
    Float(String),
    /// A constant of a number type, such as `u32::MAX`.
    NumberConst(&'static str),
    Local(usize),
    Params,
    Const(usize),
    Field(Box<Expr>, Ident),
    Unary(UnaryOp, Box<Expr>, Option<u32>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>, Option<u32>),
    /// `&&` and `||`, which may skip their right side.
    Logic(bool, Box<Expr>, Box<Expr>),
    Cast(Box<Expr>),
    Call(usize, Vec<Expr>),
    Method(&'static crate::methods::Method, Vec<Expr>, Option<u32>),
    Struct(usize, Vec<(Ident, Expr)>),
    Some(Box<Expr>),
    None,
    If(Box<Expr>, Block, Option<Box<Expr>>),
    /// `match option { Some(local) => .., None => .. }`; `None` for the local is `Some(_)`.
    IfSome(Option<usize>, Box<Expr>, Block, Option<Box<Expr>>),
    Block(Block),
    Return(Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(BinaryOp, Box<Expr>, Box<Expr>, Option<u32>),
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Neg,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    pub(crate) fn is_comparison(self) -> bool {
        matches!(
            self,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
        )
    }

    pub(crate) fn is_shift(self) -> bool {
        matches!(self, BinaryOp::Shl | BinaryOp::Shr)
    }

    pub(crate) fn is_bitwise(self) -> bool {
        matches!(self, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor)
    }

    /// The operator in Rust and in C++ alike.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
        }
    }

    /// The function of `wolfpath::twin` and of rust.cuh that does this to integers with Rust's faults.
    pub(crate) fn function(self) -> Option<&'static str> {
        Some(match self {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            BinaryOp::Rem => "rem",
            BinaryOp::Shl => "shl",
            BinaryOp::Shr => "shr",
            _ => return None,
        })
    }
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
    pub(crate) message: &'static str,
}

/// Which fields of edges and vertices the program reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    pub(crate) edge: Vec<String>,
    pub(crate) vertex: Vec<String>,
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
    pub(crate) consts: Vec<Const>,
    pub(crate) functions: Vec<Function>,
    pub(crate) methods: Methods,
    pub(crate) sites: Vec<Site>,
    pub(crate) reads: Reads,
}
