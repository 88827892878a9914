//! Functions and what stands in them.

use proc_macro2::{Ident, Span};

use super::views::InputRead;
use super::{Access, BinaryOp, Final, LogicOp, Sign, Stage, Ty, UnaryOp};

/// A function with its typed body. Parameters are the first locals, `self` before all others.
#[derive(Clone, Debug)]
pub(crate) struct Function<S: Stage = Final> {
    /// The struct or enum whose method it is; `None` for free functions and for the functions of the program.
    pub(crate) owner: Option<Ty<S>>,
    pub(crate) name: Ident,
    pub(crate) parameters: usize,
    pub(crate) output: Ty<S>,
    pub(crate) locals: Vec<Local<S>>,
    pub(crate) body: Block<S>,
    /// It has a loop whose number of turns the macro does not know.
    pub(crate) polls: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Local<S: Stage = Final> {
    pub(crate) name: Ident,
    pub(crate) ty: Ty<S>,
    pub(crate) mutable: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Block<S: Stage = Final> {
    pub(crate) statements: Vec<Stmt<S>>,
    pub(crate) tail: Option<Box<Expr<S>>>,
    pub(crate) ty: Ty<S>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Stmt<S: Stage = Final> {
    /// `let pattern = value;`
    Let(Pattern<S>, Expr<S>),
    /// `let pattern = value else { .. };`
    LetElse(Pattern<S>, Expr<S>, Block<S>),
    /// `let name;`
    Declare(usize),
    /// An expression for its effect; `let _ = ..` too.
    Expr(Expr<S>),
}

/// What a value may look like, and the names for its parts.
#[derive(Clone, Debug)]
pub(crate) enum Pattern<S: Stage = Final> {
    Wild,
    /// A name, and what the value must look like beside.
    Bind(usize, Option<Box<Pattern<S>>>),
    /// A number, a `bool` or a constant.
    Equal(Box<Expr<S>>),
    /// From the first to the last number, either of which may be missing.
    Range(Option<Box<Expr<S>>>, Option<(Box<Expr<S>>, Limits)>),
    Some(Box<Pattern<S>>),
    None,
    Tuple(Vec<Pattern<S>>),
    Array(Vec<Pattern<S>>),
    /// Fields of a struct of the module, of an edge or of a vertex.
    Struct(Ty<S>, Vec<(Ident, Pattern<S>)>),
    Variant(usize, usize),
    Or(Vec<Pattern<S>>),
    /// A pattern for what a reference refers to.
    Behind(Ampersand, Box<Pattern<S>>),
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

/// What `break` leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breakable {
    Loop,
    /// A labelled block, which a `break` must name and no `continue` means.
    Block,
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
pub(crate) enum Condition<S: Stage = Final> {
    Is(Expr<S>),
    Let(Pattern<S>, Expr<S>),
}

#[derive(Clone, Debug)]
pub(crate) struct Arm<S: Stage = Final> {
    pub(crate) pattern: Pattern<S>,
    pub(crate) guard: Option<Expr<S>>,
    pub(crate) body: Expr<S>,
}

/// What makes a loop go on.
#[derive(Clone, Debug)]
pub(crate) enum LoopKind<S: Stage = Final> {
    Forever,
    While(Vec<Condition<S>>),
    /// Over the numbers of a range.
    Over(Pattern<S>, Box<Range<S>>),
    /// Over the values of an array; the first pattern takes their numbers where they are counted.
    Each(Option<Pattern<S>>, Pattern<S>, Box<Expr<S>>, Elements),
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
pub(crate) struct Range<S: Stage = Final> {
    pub(crate) first: Expr<S>,
    pub(crate) end: Expr<S>,
    pub(crate) limits: Limits,
    pub(crate) adapters: Vec<RangeAdapter<S>>,
    /// The type of the numbers.
    pub(crate) ty: Ty<S>,
}

/// What can be called on a range before it is walked.
#[derive(Clone, Debug)]
pub(crate) enum RangeAdapter<S: Stage = Final> {
    Rev,
    /// The width and the fault of a width of zero.
    StepBy(Box<Expr<S>>, S::Site),
}

#[derive(Clone, Debug)]
pub(crate) struct Expr<S: Stage = Final> {
    pub(crate) kind: ExprKind<S>,
    pub(crate) ty: Ty<S>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind<S: Stage = Final> {
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
    Field(Box<Expr<S>>, Ident),
    /// An input of the program, a field, read by this method at a vertex or an edge.
    Input(&'static InputRead, Box<Expr<S>>, Box<Expr<S>>),
    /// A part of a tuple.
    Part(Box<Expr<S>>, usize),
    /// An element of an array.
    Index(Box<Expr<S>>, Box<Expr<S>>, S::Site),
    Tuple(Vec<Expr<S>>),
    Array(Vec<Expr<S>>),
    /// `[value; length]`, the length being in the type.
    Repeat(Box<Expr<S>>),
    Unary(UnaryOp, Box<Expr<S>>, Option<u32>),
    Binary(BinaryOp, Box<Expr<S>>, Box<Expr<S>>, Option<u32>),
    Logic(LogicOp, Box<Expr<S>>, Box<Expr<S>>),
    Cast(Box<Expr<S>>),
    Call(usize, Vec<Expr<S>>),
    /// With the place of its name, which a panic tells.
    Method(&'static crate::methods::Method, Vec<Expr<S>>, Option<u32>, Span),
    /// The fields, and the value that gives the others.
    Struct(usize, Vec<(Ident, Expr<S>)>, Option<Box<Expr<S>>>),
    Some(Box<Expr<S>>),
    None,
    If(Vec<Condition<S>>, Block<S>, Option<Box<Expr<S>>>),
    Match(Box<Expr<S>>, Vec<Arm<S>>),
    Block(Block<S>),
    /// A block that `break 'label` leaves.
    Labelled(usize, Block<S>),
    /// A loop under its number.
    Loop(usize, LoopKind<S>, Block<S>, Polling),
    Break(usize, Option<Box<Expr<S>>>),
    Continue(usize),
    Return(Box<Expr<S>>),
    /// `option?`
    Try(Box<Expr<S>>),
    /// `panic!`, with what it says.
    Fault(String, S::Site),
    /// `&place` or `&mut place`.
    Borrow(Access, Box<Expr<S>>),
    /// `*reference`
    Deref(Box<Expr<S>>),
    Assign(Box<Expr<S>>, Box<Expr<S>>),
    AssignOp(BinaryOp, Box<Expr<S>>, Box<Expr<S>>, Option<u32>),
    Refused(S::Refused),
}

impl<S: Stage> Expr<S> {
    /// Returns `true` if this names a place that stays where it is while it is looked at: no function is called to find
    /// it.
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
        use super::{Arm, Block, Condition, Expr, ExprKind, LoopKind, Pattern, Range, RangeAdapter, Stage, Stmt};

        /// Sees the parts of a body. A method that is replaced calls the function of its name to go on.
        pub(crate) trait Visit<S: Stage> {
            fn visit_expr(&mut self, expr: &$($mut)? Expr<S>) {
                expr_parts(self, expr);
            }

            fn visit_block(&mut self, block: &$($mut)? Block<S>) {
                block_parts(self, block);
            }

            fn visit_range(&mut self, range: &$($mut)? Range<S>) {
                self.visit_expr(&$($mut)? range.first);
                self.visit_expr(&$($mut)? range.end);
                for adapter in &$($mut)? range.adapters {
                    if let RangeAdapter::StepBy(width, _) = adapter {
                        self.visit_expr(width);
                    }
                }
            }

            /// Sees the constants that a pattern compares with.
            fn visit_pattern(&mut self, pattern: &$($mut)? Pattern<S>) {
                pattern_parts(self, pattern);
            }
        }

        pub(crate) fn expr_parts<S: Stage, V: Visit<S> + ?Sized>(visitor: &mut V, expr: &$($mut)? Expr<S>) {
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
                | ExprKind::Refused(_) => {}
            }
        }

        pub(crate) fn block_parts<S: Stage, V: Visit<S> + ?Sized>(visitor: &mut V, block: &$($mut)? Block<S>) {
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

        fn conditions_parts<S: Stage, V: Visit<S> + ?Sized>(visitor: &mut V, conditions: &$($mut)? [Condition<S>]) {
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

        fn loop_parts<S: Stage, V: Visit<S> + ?Sized>(visitor: &mut V, kind: &$($mut)? LoopKind<S>) {
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

        pub(crate) fn pattern_parts<S: Stage, V: Visit<S> + ?Sized>(visitor: &mut V, pattern: &$($mut)? Pattern<S>) {
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
pub(crate) fn visit<S: Stage>(expr: &Expr<S>, see: &mut dyn FnMut(&Expr<S>)) {
    shared::Visit::visit_expr(&mut EachExpr(see), expr);
}

/// Shows every expression of a block to `see`, parents first.
pub(crate) fn visit_block<S: Stage>(block: &Block<S>, see: &mut dyn FnMut(&Expr<S>)) {
    shared::Visit::visit_block(&mut EachExpr(see), block);
}

/// A function that sees every expression.
struct EachExpr<'s, S: Stage>(&'s mut dyn FnMut(&Expr<S>));

impl<S: Stage> shared::Visit<S> for EachExpr<'_, S> {
    fn visit_expr(&mut self, expr: &Expr<S>) {
        (self.0)(expr);
        shared::expr_parts(self, expr);
    }
}
