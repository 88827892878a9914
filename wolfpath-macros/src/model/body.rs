//! Functions and what stands in them.

use proc_macro2::{Ident, Span};

use super::{BinaryOp, Ty, UnaryOp};

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
    /// From the first to the last, which is included where it says so.
    Range(Option<Box<Expr>>, Option<(Box<Expr>, bool)>),
    Some(Box<Pattern>),
    None,
    Tuple(Vec<Pattern>),
    Array(Vec<Pattern>),
    /// Fields of a struct of the module, of an edge or of a vertex.
    Struct(Ty, Vec<(Ident, Pattern)>),
    Variant(usize, usize),
    Or(Vec<Pattern>),
    /// `&pattern`, or a pattern that Rust reads as one because the value is a reference.
    Behind(bool, Box<Pattern>),
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
    pub(crate) inclusive: bool,
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
    /// Magnitude and sign.
    Int(u128, bool),
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
    /// `&&` and `||`, which may skip their right side.
    Logic(bool, Box<Expr>, Box<Expr>),
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
    /// A loop under its number, and whether it asks now and then if the run is to stop.
    Loop(usize, LoopKind, Block, bool),
    Break(usize, Option<Box<Expr>>),
    Continue(usize),
    Return(Box<Expr>),
    /// `option?`
    Try(Box<Expr>),
    /// `panic!`, with what it says.
    Fault(String, Option<u32>),
    /// `&place`, or `&mut place` where it says so.
    Borrow(bool, Box<Expr>),
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
