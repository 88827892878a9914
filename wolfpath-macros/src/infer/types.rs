//! Type variables and their unification. At the end of a body, undetermined literals default to `i32` and `f64`. Then
//! operators and casts are checked, and every position that can fault (a fault site) gets its number.

use proc_macro2::Span;

use super::Infer;
use crate::model::inferred::{Block, Expr, ExprKind, Range, RangeAdapter, Ty};
use crate::model::visit_mut::{self, Visit};
use crate::model::{BinaryOp, Float, Inferred, Int, Site, UnaryOp, Unknown};

/// State of a type variable.
#[derive(Clone)]
pub(super) enum Var {
    Any,
    Int,
    Float,
    Is(Ty),
}

impl Infer<'_, '_> {
    pub(super) fn fresh(&mut self, var: Var) -> Ty {
        self.vars.push(var);
        Ty::Unknown(Unknown::Variable(self.vars.len() - 1))
    }

    /// Resolves the outermost layer of the type as far as it is known.
    pub(super) fn shallow(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        while let Ty::Unknown(Unknown::Variable(id)) = ty {
            match &self.vars[id] {
                Var::Is(bound) => ty = bound.clone(),
                _ => break,
            }
        }
        ty
    }

    /// Resolves the whole type as far as it is known.
    pub(super) fn deep(&self, ty: &Ty) -> Ty {
        self.shallow(ty).map_parts(|part| self.deep(part))
    }

    /// Returns the type as the user would write it, as far as it is known.
    pub(super) fn show(&self, ty: &Ty) -> String {
        self.names.show_with(&self.deep(ty), &|variable| match &self.vars[variable] {
            Var::Int => "{integer}",
            Var::Float => "{float}",
            Var::Any | Var::Is(_) => "_",
        })
    }

    /// Unifies two types. Returns `false` if this is impossible.
    pub(super) fn unify(&mut self, a: &Ty, b: &Ty) -> bool {
        match (self.shallow(a), self.shallow(b)) {
            (Ty::REFUSED, _) | (_, Ty::REFUSED) => true,
            (Ty::Unknown(Unknown::Variable(a)), Ty::Unknown(Unknown::Variable(b))) if a == b => true,
            (Ty::Unknown(Unknown::Variable(id)), other) | (other, Ty::Unknown(Unknown::Variable(id))) => {
                self.bind(id, other)
            }
            (Ty::Option(a), Ty::Option(b)) => self.unify(&a, &b),
            (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(&b).all(|(a, b)| self.unify(a, b))
            }
            (Ty::Array(a, n), Ty::Array(b, m)) => n == m && self.unify(&a, &b),
            (Ty::Ref(m, a), Ty::Ref(n, b)) => m == n && self.unify(&a, &b),
            (a, b) => a == b,
        }
    }

    fn bind(&mut self, id: usize, to: Ty) -> bool {
        let fits = match (&self.vars[id], &to) {
            (Var::Any | Var::Is(_), _) | (Var::Int, Ty::Int(_)) | (Var::Float, Ty::Float(_)) => true,
            (Var::Int | Var::Float, Ty::Unknown(Unknown::Variable(other))) => {
                return self.bind_variables(id, *other);
            }
            _ => false,
        };
        if fits {
            self.vars[id] = Var::Is(to);
        }
        fits
    }

    /// Unifies a literal's variable with another variable.
    fn bind_variables(&mut self, literal: usize, other: usize) -> bool {
        let fits = matches!(
            (&self.vars[literal], &self.vars[other]),
            (_, Var::Any) | (Var::Int, Var::Int) | (Var::Float, Var::Float)
        );
        if fits {
            self.vars[other] = Var::Is(Ty::Unknown(Unknown::Variable(literal)));
        }
        fits
    }
}

impl Infer<'_, '_> {
    /// Returns the finished body: a block that yields this value, with all types known.
    pub(super) fn finished_body(&mut self, value: Expr) -> Block {
        let mut block = match value.kind {
            ExprKind::Block(block) => block,
            _ => Self::value_block(value),
        };
        for id in 0..self.locals.len() {
            let ty = self.locals[id].ty.clone();
            let span = self.locals[id].name.span();
            self.locals[id].ty = self.known(&ty, span);
        }
        self.visit_block(&mut block);
        block
    }

    /// Resolves the type completely, with Rust's defaults for literals.
    fn known(&mut self, ty: &Ty, span: Span) -> Ty {
        let Ty::Unknown(Unknown::Variable(id)) = self.shallow(ty) else {
            return self.shallow(ty).map_parts(|part| self.known(part, span));
        };
        match self.vars[id] {
            Var::Int => Ty::Int(Int::I32),
            Var::Float => Ty::Float(Float::F64),
            Var::Any | Var::Is(_) => {
                let message = "the type of this value is not known: write `let name: type`";
                self.errors.disagreement(span, message);
                self.vars[id] = Var::Is(Ty::REFUSED);
                Ty::REFUSED
            }
        }
    }

    /// Checks an expression after its types are known, and numbers its fault sites.
    fn check_known(&mut self, expr: &mut Expr) {
        let span = expr.span;
        match &mut expr.kind {
            ExprKind::Unary(op, operand, site) => *site = self.unary_site(*op, &operand.ty, span),
            ExprKind::Binary(op, left, right, site) | ExprKind::AssignOp(op, left, right, site) => {
                *site = self.binary_site(*op, &left.ty, &right.ty, span);
            }
            ExprKind::Cast(inner) => self.check_cast(&inner.ty, &expr.ty, span),
            ExprKind::Index(base, _, site) => site.0 = self.index_site(&base.ty, span),
            ExprKind::ValueAt(_, site) => site.0 = self.site(&["no vertex has this index"], span),
            ExprKind::Method(method, _, site, name) => *site = self.site(method.faults, *name),
            ExprKind::Fault(message, site) => site.0 = self.site(&[message], span),
            _ => {}
        }
    }
}

/// Resolves the type of every expression before those of its parts, and checks every expression after its parts.
impl Visit<Inferred> for Infer<'_, '_> {
    fn visit_expr(&mut self, expr: &mut Expr) {
        expr.ty = self.known(&expr.ty, expr.span);
        if matches!(expr.ty, Ty::Ref(..)) && is_chosen(expr) {
            self.errors.at(
                expr.span,
                "a reference must refer to one fixed place: choose between values here, not references",
            );
        }
        visit_mut::expr_parts(self, expr);
        self.check_known(expr);
    }

    fn visit_block(&mut self, block: &mut Block) {
        visit_mut::block_parts(self, block);
        block.ty = self.known(&block.ty, block.span);
    }

    fn visit_range(&mut self, range: &mut Range) {
        self.visit_expr(&mut range.first);
        self.visit_expr(&mut range.end);
        range.ty = self.known(&range.ty, range.first.span);
        if !matches!(range.ty, Ty::Int(_) | Ty::REFUSED) {
            let message = format!("`for` iterates over integers, found `{}`", self.show(&range.ty));
            self.errors.disagreement(range.first.span, message);
        }
        for adapter in &mut range.adapters {
            if let RangeAdapter::StepBy(width, site) = adapter {
                self.visit_expr(width);
                site.0 = self.site(&["assertion failed: step != 0"], width.span);
            }
        }
    }
}

/// Returns `true` if the value depends on control flow.
fn is_chosen(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::If(..) | ExprKind::Match(..) | ExprKind::Loop(..) | ExprKind::Labelled(..))
}

impl Infer<'_, '_> {
    /// Numbers the fault sites of one operation. Returns the first number.
    pub(super) fn site(&mut self, messages: &[impl AsRef<str>], span: Span) -> Option<u32> {
        let first = u32::try_from(self.sites.len()).ok()?;
        for message in messages {
            let message = message.as_ref().to_owned();
            self.sites.push(Site { function: self.function.clone(), span, message });
        }
        (!messages.is_empty()).then_some(first)
    }

    pub(super) fn index_site(&mut self, array: &Ty, span: Span) -> Option<u32> {
        match array {
            Ty::Array(_, length) => self.site(&[format!("index out of bounds: the len is {length}")], span),
            _ => None,
        }
    }

    pub(super) fn unary_site(&mut self, op: UnaryOp, ty: &Ty, span: Span) -> Option<u32> {
        match (op, ty) {
            (_, Ty::Unknown(_)) | (UnaryOp::Neg, Ty::Float(_)) | (UnaryOp::Not, Ty::Bool | Ty::Int(_)) => {
                None
            }
            (UnaryOp::Neg, Ty::Int(int)) if int.is_signed() => self.site(op.faults(), span),
            (UnaryOp::Neg, _) => {
                let message = format!("`-` needs a signed number, found `{}`", self.show(ty));
                self.errors.disagreement(span, message);
                None
            }
            (UnaryOp::Not, _) => {
                let message = format!("`!` needs a `bool` or an integer, found `{}`", self.show(ty));
                self.errors.disagreement(span, message);
                None
            }
        }
    }

    pub(super) fn binary_site(&mut self, op: BinaryOp, left: &Ty, right: &Ty, span: Span) -> Option<u32> {
        if *left == Ty::REFUSED || *right == Ty::REFUSED {
            return None;
        }
        if op.is_comparison() {
            self.check_comparison(op, left, span);
            return None;
        }
        let fits = if op.is_bitwise() {
            matches!(left, Ty::Int(_) | Ty::Bool)
        } else if op.is_shift() {
            matches!((left, right), (Ty::Int(_), Ty::Int(_)))
        } else {
            left.is_number()
        };
        if !fits {
            let message = format!("`{}` is not defined on `{}`", op.symbol(), self.show(left));
            self.errors.disagreement(span, message);
        }
        match left {
            Ty::Int(int) => self.site(op.faults(*int), span),
            _ => None,
        }
    }

    /// Records a disagreement unless the type derives the comparison. A handwritten implementation would be outside the
    /// module.
    fn check_comparison(&mut self, op: BinaryOp, ty: &Ty, span: Span) {
        let derives = self.names.derives(ty);
        let (fits, name) = match op {
            BinaryOp::Eq | BinaryOp::Ne => (derives.equality, "PartialEq"),
            _ => (derives.order, "PartialOrd"),
        };
        if !fits {
            let shown = self.show(ty);
            self.errors.disagreement(
                span,
                format!(
                    "`{}` is not defined on `{shown}`: write `#[derive({name})]` on the type",
                    op.symbol()
                ),
            );
        }
    }

    pub(super) fn check_cast(&mut self, from: &Ty, to: &Ty, span: Span) {
        let fits = match (from, to) {
            (Ty::Unknown(_), _) | (_, Ty::Unknown(_)) => true,
            (Ty::Bool | Ty::Enum(_), Ty::Int(_)) => true,
            (from, to) => from.is_number() && to.is_number(),
        };
        if !fits {
            let message = format!("`{}` cannot be cast to `{}`", self.show(from), self.show(to));
            self.errors.disagreement(span, message);
        }
    }
}
