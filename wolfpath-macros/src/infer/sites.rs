//! The places that can fault, and what operators and casts apply to.

use proc_macro2::Span;

use super::Infer;
use crate::methods::{negation_fault, operator_faults};
use crate::model::inferred::Ty;
use crate::model::{BinaryOp, Site, UnaryOp};

impl Infer<'_, '_> {
    /// Numbers for the faults of one place; the first of them.
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
            (UnaryOp::Neg, Ty::Int(int)) if int.is_signed() => self.site(negation_fault(), span),
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
            Ty::Int(int) => self.site(operator_faults(op, int.is_signed()), span),
            _ => None,
        }
    }

    /// What is compared derives the comparison: one written by hand would be outside the module.
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
