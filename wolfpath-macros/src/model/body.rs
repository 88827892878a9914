//! Functions and what stands in them.

use proc_macro2::{Ident, Span};

use super::views::InputRead;
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
    Input(&'static InputRead, Box<Expr>, Box<Expr>),
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

/// Defines a walk over a body: a trait whose methods see its parts and go on to theirs, and the functions that do the
/// latter. Operands come in the order in which they are evaluated, and a value before the pattern that takes it apart.
macro_rules! walk {
    ($($mut:ident)?) => {
        use super::{Arm, Block, Condition, Expr, ExprKind, LoopKind, Pattern, Range, RangeAdapter, Stmt};

        /// Sees the parts of a body. A method that is replaced calls the function of its name to go on.
        pub(crate) trait Visit {
            fn visit_expr(&mut self, expr: &$($mut)? Expr) {
                expr_parts(self, expr);
            }

            fn visit_block(&mut self, block: &$($mut)? Block) {
                block_parts(self, block);
            }

            fn visit_range(&mut self, range: &$($mut)? Range) {
                self.visit_expr(&$($mut)? range.first);
                self.visit_expr(&$($mut)? range.end);
                for adapter in &$($mut)? range.adapters {
                    if let RangeAdapter::StepBy(width, _) = adapter {
                        self.visit_expr(width);
                    }
                }
            }

            /// Sees the constants that a pattern compares with.
            fn visit_pattern(&mut self, pattern: &$($mut)? Pattern) {
                pattern_parts(self, pattern);
            }
        }

        pub(crate) fn expr_parts<V: Visit + ?Sized>(visitor: &mut V, expr: &$($mut)? Expr) {
            match &$($mut)? expr.kind {
                ExprKind::Unary(_, inner, _)
                | ExprKind::Cast(inner)
                | ExprKind::Field(inner, _)
                | ExprKind::Part(inner, _)
                | ExprKind::Some(inner)
                | ExprKind::Repeat(inner)
                | ExprKind::Borrow(_, inner)
                | ExprKind::Deref(inner)
                | ExprKind::Try(inner)
                | ExprKind::Return(inner)
                | ExprKind::Break(_, Some(inner)) => visitor.visit_expr(inner),
                ExprKind::Binary(_, left, right, _)
                | ExprKind::AssignOp(_, left, right, _)
                | ExprKind::Logic(_, left, right)
                | ExprKind::Index(left, right, _)
                | ExprKind::Input(_, left, right)
                | ExprKind::Assign(left, right) => {
                    visitor.visit_expr(left);
                    visitor.visit_expr(right);
                }
                ExprKind::Call(_, parts)
                | ExprKind::Method(_, parts, ..)
                | ExprKind::Tuple(parts)
                | ExprKind::Array(parts) => {
                    for part in parts {
                        visitor.visit_expr(part);
                    }
                }
                ExprKind::Struct(_, fields, rest) => {
                    for (_, value) in fields {
                        visitor.visit_expr(value);
                    }
                    if let Some(rest) = rest {
                        visitor.visit_expr(rest);
                    }
                }
                ExprKind::If(conditions, then, otherwise) => {
                    conditions_parts(visitor, conditions);
                    visitor.visit_block(then);
                    if let Some(otherwise) = otherwise {
                        visitor.visit_expr(otherwise);
                    }
                }
                ExprKind::Match(value, arms) => {
                    visitor.visit_expr(value);
                    for Arm { pattern, guard, body } in arms {
                        visitor.visit_pattern(pattern);
                        if let Some(guard) = guard {
                            visitor.visit_expr(guard);
                        }
                        visitor.visit_expr(body);
                    }
                }
                ExprKind::Block(block) | ExprKind::Labelled(_, block) => visitor.visit_block(block),
                ExprKind::Loop(_, kind, body, _) => {
                    loop_parts(visitor, kind);
                    visitor.visit_block(body);
                }
                ExprKind::Unit
                | ExprKind::Bool(_)
                | ExprKind::Int(..)
                | ExprKind::Float(_)
                | ExprKind::NumberConst(_)
                | ExprKind::Checked
                | ExprKind::Local(_)
                | ExprKind::Params
                | ExprKind::Const(_)
                | ExprKind::Variant(..)
                | ExprKind::Break(_, None)
                | ExprKind::Continue(_)
                | ExprKind::Fault(..)
                | ExprKind::None
                | ExprKind::Error => {}
            }
        }

        pub(crate) fn block_parts<V: Visit + ?Sized>(visitor: &mut V, block: &$($mut)? Block) {
            for statement in &$($mut)? block.statements {
                match statement {
                    Stmt::Let(pattern, value) => {
                        visitor.visit_expr(value);
                        visitor.visit_pattern(pattern);
                    }
                    Stmt::LetElse(pattern, value, otherwise) => {
                        visitor.visit_expr(value);
                        visitor.visit_pattern(pattern);
                        visitor.visit_block(otherwise);
                    }
                    Stmt::Expr(value) => visitor.visit_expr(value),
                    Stmt::Declare(_) => {}
                }
            }
            if let Some(tail) = &$($mut)? block.tail {
                visitor.visit_expr(tail);
            }
        }

        fn conditions_parts<V: Visit + ?Sized>(visitor: &mut V, conditions: &$($mut)? [Condition]) {
            for condition in conditions {
                match condition {
                    Condition::Is(value) => visitor.visit_expr(value),
                    Condition::Let(pattern, value) => {
                        visitor.visit_expr(value);
                        visitor.visit_pattern(pattern);
                    }
                }
            }
        }

        fn loop_parts<V: Visit + ?Sized>(visitor: &mut V, kind: &$($mut)? LoopKind) {
            match kind {
                LoopKind::Forever => {}
                LoopKind::While(conditions) => conditions_parts(visitor, conditions),
                LoopKind::Over(pattern, range) => {
                    visitor.visit_range(range);
                    visitor.visit_pattern(pattern);
                }
                LoopKind::Each(number, pattern, array, _) => {
                    if let Some(number) = number {
                        visitor.visit_pattern(number);
                    }
                    visitor.visit_expr(array);
                    visitor.visit_pattern(pattern);
                }
            }
        }

        pub(crate) fn pattern_parts<V: Visit + ?Sized>(visitor: &mut V, pattern: &$($mut)? Pattern) {
            match pattern {
                Pattern::Equal(value) => visitor.visit_expr(value),
                Pattern::Range(first, end) => {
                    if let Some(first) = first {
                        visitor.visit_expr(first);
                    }
                    if let Some((end, _)) = end {
                        visitor.visit_expr(end);
                    }
                }
                Pattern::Bind(_, Some(inner)) | Pattern::Some(inner) | Pattern::Behind(_, inner) => {
                    visitor.visit_pattern(inner);
                }
                Pattern::Tuple(parts) | Pattern::Array(parts) | Pattern::Or(parts) => {
                    for part in parts {
                        visitor.visit_pattern(part);
                    }
                }
                Pattern::Struct(_, fields) => {
                    for (_, part) in fields {
                        visitor.visit_pattern(part);
                    }
                }
                Pattern::Wild | Pattern::Bind(_, None) | Pattern::None | Pattern::Variant(..) => {}
            }
        }
    };
}

/// The walk that looks.
mod shared {
    walk!();
}

/// The walk that changes what it meets.
pub(crate) mod visit_mut {
    walk!(mut);
}

/// Shows every expression of a tree to `see`, parents first.
pub(crate) fn visit(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    shared::Visit::visit_expr(&mut EachExpr(see), expr);
}

/// Shows every expression of a block to `see`, parents first.
pub(crate) fn visit_block(block: &Block, see: &mut dyn FnMut(&Expr)) {
    shared::Visit::visit_block(&mut EachExpr(see), block);
}

/// A function that sees every expression.
struct EachExpr<'s>(&'s mut dyn FnMut(&Expr));

impl shared::Visit for EachExpr<'_> {
    fn visit_expr(&mut self, expr: &Expr) {
        (self.0)(expr);
        shared::expr_parts(self, expr);
    }
}
