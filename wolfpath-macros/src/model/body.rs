//! Functions and what stands in them.

use proc_macro2::{Ident, Span};

use super::{Access, BinaryOp, LogicOp, Sign, Ty, UnaryOp};

/// A function with its typed body. Parameters are the first locals, `self` before all others.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// The struct or enum whose method it is; `None` for free functions and for the functions of the program.
    pub(crate) owner: Option<Ty>,
    pub(crate) name: Ident,
    pub(crate) parameters: usize,
    pub(crate) output: Ty,
    pub(crate) locals: Vec<Local>,
    pub(crate) body: Block,
    /// It has a loop whose number of turns the macro does not know.
    pub(crate) polls: bool,
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
    /// `let pattern = value;`
    Let(Pattern, Expr),
    /// `let pattern = value else { .. };`
    LetElse(Pattern, Expr, Block),
    /// `let name;`
    Declare(usize),
    /// An expression for its effect; `let _ = ..` too.
    Expr(Expr),
}

/// What a value may look like, and the names for its parts.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Wild,
    /// A name, and what the value must look like beside.
    Bind(usize, Option<Box<Pattern>>),
    /// A number, a `bool` or a constant.
    Equal(Box<Expr>),
    /// From the first to the last number, either of which may be missing.
    Range(Option<Box<Expr>>, Option<(Box<Expr>, Limits)>),
    Some(Box<Pattern>),
    None,
    Tuple(Vec<Pattern>),
    Array(Vec<Pattern>),
    /// Fields of a struct of the module, of an edge or of a vertex.
    Struct(Ty, Vec<(Ident, Pattern)>),
    Variant(usize, usize),
    Or(Vec<Pattern>),
    /// A pattern for what a reference refers to.
    Behind(Ampersand, Box<Pattern>),
}

/// Whether a pattern for what a reference refers to is written with its `&`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ampersand {
    Written,
    /// Rust reads the pattern so because the value is a reference.
    Implied,
}

/// Whether a range includes its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limits {
    HalfOpen,
    Closed,
}

impl Limits {
    /// Returns the limits that are written as these.
    pub(crate) fn of(written: &syn::RangeLimits) -> Limits {
        match written {
            syn::RangeLimits::HalfOpen(_) => Limits::HalfOpen,
            syn::RangeLimits::Closed(_) => Limits::Closed,
        }
    }

    /// Returns the comparison of a number in the range with its end.
    pub(crate) fn comparison(self) -> BinaryOp {
        match self {
            Limits::HalfOpen => BinaryOp::Lt,
            Limits::Closed => BinaryOp::Le,
        }
    }
}

/// Whether a loop asks if the run is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Polling {
    EveryTurn,
    /// The loop is known to be short.
    Never,
}

/// One condition of an `if` or a `while`; several are joined by `&&`.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Is(Expr),
    Let(Pattern, Expr),
}

#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Expr,
}

/// What makes a loop go on.
#[derive(Clone, Debug)]
pub(crate) enum LoopKind {
    Forever,
    While(Vec<Condition>),
    /// Over the numbers of a range.
    Over(Pattern, Box<Range>),
    /// Over the values of an array; the first pattern takes their numbers where they are counted.
    Each(Option<Pattern>, Pattern, Box<Expr>, Elements),
}

/// What a loop over an array gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elements {
    Copied,
    Lent,
    /// To be changed in their places.
    LentMutably,
}

/// `first..end`, and what was called on it.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) first: Expr,
    pub(crate) end: Expr,
    pub(crate) limits: Limits,
    pub(crate) adapters: Vec<RangeAdapter>,
    /// The type of the numbers.
    pub(crate) ty: Ty,
}

/// What can be called on a range before it is walked.
#[derive(Clone, Debug)]
pub(crate) enum RangeAdapter {
    Rev,
    /// The width and the fault of a width of zero.
    StepBy(Box<Expr>, Option<u32>),
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
    /// The magnitude and the sign.
    Int(u128, Sign),
    /// The digits as Rust reads them, without suffix and underscores.
    Float(String),
    /// A constant of a number type, such as `u32::MAX`.
    NumberConst(&'static str),
    /// Whether overflow is a fault here, as in a debug build.
    Checked,
    Local(usize),
    Params,
    Const(usize),
    /// A variant of an enum.
    Variant(usize, usize),
    Field(Box<Expr>, Ident),
    /// An input of the program, a field, read by this method at a vertex or an edge.
    Input(&'static str, Box<Expr>, Box<Expr>),
    /// A part of a tuple.
    Part(Box<Expr>, usize),
    /// An element of an array.
    Index(Box<Expr>, Box<Expr>, Option<u32>),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    /// `[value; length]`, the length being in the type.
    Repeat(Box<Expr>),
    Unary(UnaryOp, Box<Expr>, Option<u32>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>, Option<u32>),
    Logic(LogicOp, Box<Expr>, Box<Expr>),
    Cast(Box<Expr>),
    Call(usize, Vec<Expr>),
    /// With the place of its name, which a panic tells.
    Method(&'static crate::methods::Method, Vec<Expr>, Option<u32>, Span),
    /// The fields, and the value that gives the others.
    Struct(usize, Vec<(Ident, Expr)>, Option<Box<Expr>>),
    Some(Box<Expr>),
    None,
    If(Vec<Condition>, Block, Option<Box<Expr>>),
    Match(Box<Expr>, Vec<Arm>),
    Block(Block),
    /// A block that `break 'label` leaves.
    Labelled(usize, Block),
    /// A loop under its number.
    Loop(usize, LoopKind, Block, Polling),
    Break(usize, Option<Box<Expr>>),
    Continue(usize),
    Return(Box<Expr>),
    /// `option?`
    Try(Box<Expr>),
    /// `panic!`, with what it says.
    Fault(String, Option<u32>),
    /// `&place` or `&mut place`.
    Borrow(Access, Box<Expr>),
    /// `*reference`
    Deref(Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(BinaryOp, Box<Expr>, Box<Expr>, Option<u32>),
    Error,
}

impl Expr {
    /// Whether this names a place that stays where it is while it is looked at: no function is called to find it.
    pub(crate) fn is_place(&self) -> bool {
        match &self.kind {
            ExprKind::Local(_) | ExprKind::Params => true,
            ExprKind::Field(base, _) | ExprKind::Part(base, _) | ExprKind::Deref(base) => base.is_place(),
            _ => false,
        }
    }
}
