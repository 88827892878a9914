//! Functions and their statements, expressions and patterns.

use proc_macro2::{Ident, Span, TokenStream};

use super::views::InputRead;
use super::{Access, BinaryOp, Final, LogicOp, Phase, Sign, Ty, UnaryOp};

/// A function with its typed body. Its parameters are the first locals, with `self` first.
#[derive(Clone, Debug)]
pub(crate) struct Function<P: Phase = Final> {
    /// The struct or enum of which the function is a method; `None` for free functions and for the functions of the
    /// program.
    pub(crate) owner: Option<Ty<P>>,
    pub(crate) name: Ident,
    pub(crate) parameters: usize,
    pub(crate) output: Ty<P>,
    pub(crate) locals: Vec<Local<P>>,
    pub(crate) body: Block<P>,
    /// `true` if the function has a loop with an unknown number of iterations.
    pub(crate) polls: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Local<P: Phase = Final> {
    pub(crate) name: Ident,
    pub(crate) ty: Ty<P>,
    pub(crate) mutability: Mutability,
}

/// The kind of a local: `let` or `let mut`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutability {
    Fixed,
    Mutable,
}

impl Mutability {
    /// Returns the mutability for a written `mut` or its absence.
    pub(crate) fn of(written: Option<&syn::Token![mut]>) -> Mutability {
        if written.is_some() { Mutability::Mutable } else { Mutability::Fixed }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Block<P: Phase = Final> {
    pub(crate) statements: Vec<Stmt<P>>,
    pub(crate) tail: Option<Box<Expr<P>>>,
    pub(crate) ty: Ty<P>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Stmt<P: Phase = Final> {
    /// `let pattern = value;`
    Let(Pattern<P>, Expr<P>),
    /// `let pattern = value else { .. };`
    LetElse(Pattern<P>, Expr<P>, Block<P>),
    /// `let name;`
    Declare(usize),
    /// An expression evaluated for its effect; also `let _ = ..`.
    Expr(Expr<P>),
}

/// A pattern: a test of a value, with names for its parts.
#[derive(Clone, Debug)]
pub(crate) enum Pattern<P: Phase = Final> {
    Wild,
    /// A name for the value, with an optional pattern that the value must match.
    Bind(usize, Option<Box<Pattern<P>>>),
    /// A number, a `bool` or a constant.
    Equal(Box<Expr<P>>),
    /// A range of numbers. Either end may be missing.
    Range(Option<Box<Expr<P>>>, Option<(Box<Expr<P>>, Limits)>),
    Some(Box<Pattern<P>>),
    None,
    Tuple(Vec<Pattern<P>>),
    Array(Vec<Pattern<P>>),
    /// Fields of a struct of the module, of an edge or of a vertex.
    Struct(Ty<P>, Vec<(Ident, Pattern<P>)>),
    Variant(usize, usize),
    Or(Vec<Pattern<P>>),
    /// A pattern for the value behind a reference.
    Behind(Ampersand, Box<Pattern<P>>),
}

/// The form of a pattern for the value behind a reference: with `&` or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ampersand {
    Written,
    /// Rust implies the `&` because the value is a reference.
    Implied,
}

/// The limits of a range: with or without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limits {
    HalfOpen,
    Closed,
}

impl Limits {
    /// Returns the limits of a written range.
    pub(crate) fn of(written: &syn::RangeLimits) -> Limits {
        match written {
            syn::RangeLimits::HalfOpen(_) => Limits::HalfOpen,
            syn::RangeLimits::Closed(_) => Limits::Closed,
        }
    }

    /// Returns the comparison that holds between a number in the range and its end.
    pub(crate) fn comparison(self) -> BinaryOp {
        match self {
            Limits::HalfOpen => BinaryOp::Lt,
            Limits::Closed => BinaryOp::Le,
        }
    }
}

/// A construct that `break` can leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breakable {
    Loop,
    /// A labelled block. A `break` must name its label, and `continue` cannot refer to it.
    Block,
}

/// The iterations in which a loop checks whether the run must stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Polling {
    EveryTurn,
    /// The loop is known to be short.
    Never,
}

/// One condition of an `if` or a `while`; several are joined by `&&`.
#[derive(Clone, Debug)]
pub(crate) enum Condition<P: Phase = Final> {
    Is(Expr<P>),
    Let(Pattern<P>, Expr<P>),
}

#[derive(Clone, Debug)]
pub(crate) struct Arm<P: Phase = Final> {
    pub(crate) pattern: Pattern<P>,
    pub(crate) guard: Option<Expr<P>>,
    pub(crate) body: Expr<P>,
}

/// The head of a loop.
#[derive(Clone, Debug)]
pub(crate) enum LoopKind<P: Phase = Final> {
    Forever,
    While(Vec<Condition<P>>),
    /// A loop over the numbers of a range.
    Over(Pattern<P>, Box<Range<P>>),
    /// A loop over the values of an array. The first pattern, if any, binds the indices that `enumerate` yields.
    Each(Option<Pattern<P>>, Pattern<P>, Box<Expr<P>>, Elements),
}

/// The form in which a loop over an array yields the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elements {
    Copied,
    Lent,
    /// By mutable reference.
    LentMutably,
}

/// A range `first..end`, with the methods called on it.
#[derive(Clone, Debug)]
pub(crate) struct Range<P: Phase = Final> {
    pub(crate) first: Expr<P>,
    pub(crate) end: Expr<P>,
    pub(crate) limits: Limits,
    pub(crate) adapters: Vec<RangeAdapter<P>>,
    /// The type of the numbers.
    pub(crate) ty: Ty<P>,
}

/// A method that can be called on a range in a `for`.
#[derive(Clone, Debug)]
pub(crate) enum RangeAdapter<P: Phase = Final> {
    Rev,
    /// The width, and the fault site for a width of zero.
    StepBy(Box<Expr<P>>, P::Site),
}

#[derive(Clone, Debug)]
pub(crate) struct Expr<P: Phase = Final> {
    pub(crate) kind: ExprKind<P>,
    pub(crate) ty: Ty<P>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind<P: Phase = Final> {
    Unit,
    Bool(bool),
    /// Magnitude and sign.
    Int(u128, Sign),
    /// The digits without suffix and underscores.
    Float(String),
    /// A constant of a number type, such as `u32::MAX`.
    NumberConst(&'static str),
    /// `true` if overflow is a fault, as in a debug build.
    Checked,
    Local(usize),
    Params,
    Const(usize),
    /// A variant of an enum.
    Variant(usize, usize),
    Field(Box<Expr<P>>, Ident),
    /// A read of an input: the method, the input's field, and the vertex or edge.
    Input(&'static InputRead, Box<Expr<P>>, Box<Expr<P>>),
    /// A part of a tuple.
    Part(Box<Expr<P>>, usize),
    /// An element of an array.
    Index(Box<Expr<P>>, Box<Expr<P>>, P::Site),
    Tuple(Vec<Expr<P>>),
    Array(Vec<Expr<P>>),
    /// `[value; length]`; the length is in the type.
    Repeat(Box<Expr<P>>),
    Unary(UnaryOp, Box<Expr<P>>, Option<u32>),
    Binary(BinaryOp, Box<Expr<P>>, Box<Expr<P>>, Option<u32>),
    Logic(LogicOp, Box<Expr<P>>, Box<Expr<P>>),
    Cast(Box<Expr<P>>),
    Call(usize, Vec<Expr<P>>),
    /// A call of a method. Panics report the span of its name.
    Method(&'static crate::methods::Method, Vec<Expr<P>>, Option<u32>, Span),
    /// A call of `wolfpath::program::random`: the path as written, and the arguments.
    Random(TokenStream, Vec<Expr<P>>),
    /// A call of `v.value_at(index)`: the index.
    ValueAt(Box<Expr<P>>, P::Site),
    /// The written fields, and the value that supplies the others.
    Struct(usize, Vec<(Ident, Expr<P>)>, Option<Box<Expr<P>>>),
    Some(Box<Expr<P>>),
    None,
    If(Vec<Condition<P>>, Block<P>, Option<Box<Expr<P>>>),
    Match(Box<Expr<P>>, Vec<Arm<P>>),
    Block(Block<P>),
    /// A block that `break 'label` leaves.
    Labelled(usize, Block<P>),
    /// A loop with its number.
    Loop(usize, LoopKind<P>, Block<P>, Polling),
    Break(usize, Option<Box<Expr<P>>>),
    Continue(usize),
    Return(Box<Expr<P>>),
    /// `option?`
    Try(Box<Expr<P>>),
    /// `panic!`, with its message.
    Fault(String, P::Site),
    /// `&place` or `&mut place`.
    Borrow(Access, Box<Expr<P>>),
    /// `*reference`
    Deref(Box<Expr<P>>),
    Assign(Box<Expr<P>>, Box<Expr<P>>),
    AssignOp(BinaryOp, Box<Expr<P>>, Box<Expr<P>>, Option<u32>),
    Refused(P::Refused),
}

impl<P: Phase> Expr<P> {
    /// Returns `true` if this expression is a place that can be evaluated repeatedly, because evaluating it calls no
    /// function.
    pub(crate) fn is_place(&self) -> bool {
        match &self.kind {
            ExprKind::Local(_) | ExprKind::Params => true,
            ExprKind::Field(base, _) | ExprKind::Part(base, _) | ExprKind::Deref(base) => base.is_place(),
            _ => false,
        }
    }
}

/// Defines a visitor of bodies: a trait with a method per kind of node, and functions that visit the parts of a node.
/// Operands are visited in the order of evaluation, and a value is visited before the pattern that destructures it.
macro_rules! walk {
    ($($mut:ident)?) => {
        use super::{Arm, Block, Condition, Expr, ExprKind, LoopKind, Pattern, Range, RangeAdapter, Phase, Stmt};

        /// A visitor of the nodes of a body. If a method is overridden, it must call the `_parts` function to visit the
        /// node's parts.
        pub(crate) trait Visit<P: Phase> {
            fn visit_expr(&mut self, expr: &$($mut)? Expr<P>) {
                expr_parts(self, expr);
            }

            fn visit_block(&mut self, block: &$($mut)? Block<P>) {
                block_parts(self, block);
            }

            fn visit_range(&mut self, range: &$($mut)? Range<P>) {
                self.visit_expr(&$($mut)? range.first);
                self.visit_expr(&$($mut)? range.end);
                for adapter in &$($mut)? range.adapters {
                    if let RangeAdapter::StepBy(width, _) = adapter {
                        self.visit_expr(width);
                    }
                }
            }

            /// Visits the constants with which a pattern compares the value.
            fn visit_pattern(&mut self, pattern: &$($mut)? Pattern<P>) {
                pattern_parts(self, pattern);
            }
        }

        pub(crate) fn expr_parts<P: Phase, V: Visit<P> + ?Sized>(visitor: &mut V, expr: &$($mut)? Expr<P>) {
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
                | ExprKind::ValueAt(inner, _)
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
                | ExprKind::Random(_, parts)
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

        pub(crate) fn block_parts<P: Phase, V: Visit<P> + ?Sized>(visitor: &mut V, block: &$($mut)? Block<P>) {
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

        fn conditions_parts<P: Phase, V: Visit<P> + ?Sized>(visitor: &mut V, conditions: &$($mut)? [Condition<P>]) {
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

        fn loop_parts<P: Phase, V: Visit<P> + ?Sized>(visitor: &mut V, kind: &$($mut)? LoopKind<P>) {
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

        pub(crate) fn pattern_parts<P: Phase, V: Visit<P> + ?Sized>(visitor: &mut V, pattern: &$($mut)? Pattern<P>) {
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

/// The visitor of shared references.
mod shared {
    walk!();
}

/// The visitor that can change the nodes.
pub(crate) mod visit_mut {
    walk!(mut);
}

/// Calls `see` for every expression of a tree, before the parts of that expression.
pub(crate) fn visit<P: Phase>(expr: &Expr<P>, see: &mut dyn FnMut(&Expr<P>)) {
    shared::Visit::visit_expr(&mut EachExpr(see), expr);
}

/// Calls `see` for every expression of a block, before the parts of that expression.
pub(crate) fn visit_block<P: Phase>(block: &Block<P>, see: &mut dyn FnMut(&Expr<P>)) {
    shared::Visit::visit_block(&mut EachExpr(see), block);
}

/// Visitor that calls a function for every expression.
struct EachExpr<'s, P: Phase>(&'s mut dyn FnMut(&Expr<P>));

impl<P: Phase> shared::Visit<P> for EachExpr<'_, P> {
    fn visit_expr(&mut self, expr: &Expr<P>) {
        (self.0)(expr);
        shared::expr_parts(self, expr);
    }
}
