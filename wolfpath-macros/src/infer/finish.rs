//! The second look at a body, when all its types are known: variables become types (`i32` and `f64` where nothing
//! said otherwise), operators and casts are checked, and every place that can fault gets its number.

use proc_macro2::Span;

use super::Infer;
use super::unify::Var;
use crate::model::inferred::{Block, Expr, ExprKind, Range, RangeAdapter, Ty};
use crate::model::visit_mut::{self, Visit};
use crate::model::{Float, Inferred, Int, Unknown};

impl Infer<'_, '_> {
    /// The body as a block that yields this value.
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

    /// The type, with Rust's defaults for literals.
    fn known(&mut self, ty: &Ty, span: Span) -> Ty {
        match self.shallow(ty) {
            Ty::Option(of) => Ty::option(self.known(&of, span)),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| self.known(part, span)).collect()),
            Ty::Array(of, length) => Ty::Array(Box::new(self.known(&of, span)), length),
            Ty::Ref(access, of) => Ty::Ref(access, Box::new(self.known(&of, span))),
            Ty::Unknown(Unknown::Variable(id)) => match self.vars[id] {
                Var::Int => Ty::Int(Int::I32),
                Var::Float => Ty::Float(Float::F64),
                _ => {
                    let message = "the type of this value is not known: write `let name: type`";
                    self.errors.disagreement(span, message);
                    self.vars[id] = Var::Is(Ty::REFUSED);
                    Ty::REFUSED
                }
            },
            other => other,
        }
    }

    /// Checks an expression whose parts are known, and numbers the faults that it can cause.
    fn check_known(&mut self, expr: &mut Expr) {
        let span = expr.span;
        match &mut expr.kind {
            ExprKind::Unary(op, operand, site) => *site = self.unary_site(*op, &operand.ty, span),
            ExprKind::Binary(op, left, right, site) | ExprKind::AssignOp(op, left, right, site) => {
                *site = self.binary_site(*op, &left.ty, &right.ty, span);
            }
            ExprKind::Cast(inner) => self.check_cast(&inner.ty, &expr.ty, span),
            ExprKind::Index(base, _, site) => site.0 = self.index_site(&base.ty, span),
            ExprKind::Method(method, _, site, name) => *site = self.site(method.faults, *name),
            ExprKind::Fault(message, site) => site.0 = self.site(&[message], span),
            _ => {}
        }
    }
}

/// Makes every type known, parents first, and checks every expression after its parts.
impl Visit<Inferred> for Infer<'_, '_> {
    fn visit_expr(&mut self, expr: &mut Expr) {
        expr.ty = self.known(&expr.ty, expr.span);
        if matches!(expr.ty, Ty::Ref(..)) && is_chosen(expr) {
            self.errors.at(expr.span, "a reference refers to one place: choose between values here");
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
            let message = format!("`for` walks over integers, found `{}`", self.show(&range.ty));
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

/// Whether control flow decides what the value is.
fn is_chosen(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::If(..) | ExprKind::Match(..) | ExprKind::Loop(..) | ExprKind::Labelled(..))
}
