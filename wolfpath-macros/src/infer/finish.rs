//! The second look at a body, when all its types are known: variables become types (`i32` and `f64` where nothing
//! said otherwise), operators and casts are checked, and every place that can fault gets its number.

use proc_macro2::Span;

use super::{Infer, Var};
use crate::methods::{negation_fault, operator_faults};
use crate::model::{BinaryOp, Block, Expr, ExprKind, Float, Int, Site, Stmt, Ty, UnaryOp};

impl Infer<'_, '_> {
    /// The body as a block that yields this value.
    pub(super) fn finished_body(&mut self, value: Expr) -> Block {
        let mut block = match value.kind {
            ExprKind::Block(block) => block,
            _ => Block {
                statements: Vec::new(),
                ty: value.ty.clone(),
                span: value.span,
                tail: Some(Box::new(value)),
            },
        };
        for id in 0..self.locals.len() {
            let ty = self.locals[id].ty.clone();
            let span = self.locals[id].name.span();
            self.locals[id].ty = self.known(&ty, span);
        }
        self.finish_block(&mut block);
        block
    }

    /// The type, with Rust's defaults for literals.
    fn known(&mut self, ty: &Ty, span: Span) -> Ty {
        match self.shallow(ty) {
            Ty::Option(of) => Ty::option(self.known(&of, span)),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| self.known(part, span)).collect()),
            Ty::Var(id) => match self.vars[id] {
                Var::Int => Ty::Int(Int::I32),
                Var::Float => Ty::Float(Float::F64),
                _ => {
                    self.errors.at(span, "the type of this value is not known: write `let name: type`");
                    self.vars[id] = Var::Is(Ty::Error);
                    Ty::Error
                }
            },
            other => other,
        }
    }

    fn finish_block(&mut self, block: &mut Block) {
        for statement in &mut block.statements {
            match statement {
                Stmt::Let(_, value) | Stmt::Expr(value) => self.finish(value),
            }
        }
        if let Some(tail) = &mut block.tail {
            self.finish(tail);
        }
        block.ty = self.known(&block.ty, block.span);
    }

    fn finish(&mut self, expr: &mut Expr) {
        let span = expr.span;
        expr.ty = self.known(&expr.ty, span);
        match &mut expr.kind {
            ExprKind::Unary(op, operand, site) => {
                self.finish(operand);
                *site = self.unary_site(*op, &operand.ty, span);
            }
            ExprKind::Binary(op, left, right, site) | ExprKind::AssignOp(op, left, right, site) => {
                self.finish(left);
                self.finish(right);
                *site = self.binary_site(*op, &left.ty, &right.ty, span);
            }
            ExprKind::Logic(_, left, right) | ExprKind::Assign(left, right) => {
                self.finish(left);
                self.finish(right);
            }
            ExprKind::Cast(inner) => {
                self.finish(inner);
                self.check_cast(&inner.ty, &expr.ty, span);
            }
            ExprKind::Field(inner, _) | ExprKind::Some(inner) | ExprKind::Return(inner) => self.finish(inner),
            ExprKind::Call(_, arguments) => arguments.iter_mut().for_each(|argument| self.finish(argument)),
            ExprKind::Method(method, arguments, site) => {
                arguments.iter_mut().for_each(|argument| self.finish(argument));
                *site = self.site(method.faults, span);
            }
            ExprKind::Struct(_, fields) => fields.iter_mut().for_each(|(_, value)| self.finish(value)),
            ExprKind::If(first, then, otherwise) | ExprKind::IfSome(_, first, then, otherwise) => {
                self.finish(first);
                self.finish_block(then);
                if let Some(otherwise) = otherwise {
                    self.finish(otherwise);
                }
            }
            ExprKind::Block(block) => self.finish_block(block),
            ExprKind::Unit
            | ExprKind::Bool(_)
            | ExprKind::Int(..)
            | ExprKind::Float(_)
            | ExprKind::NumberConst(_)
            | ExprKind::Local(_)
            | ExprKind::Params
            | ExprKind::Const(_)
            | ExprKind::None
            | ExprKind::Error => {}
        }
    }

    /// Numbers for the faults of one place; the first of them.
    fn site(&mut self, messages: &[&'static str], span: Span) -> Option<u32> {
        let first = u32::try_from(self.sites.len()).ok()?;
        for message in messages {
            self.sites.push(Site { function: self.function.clone(), span, message });
        }
        (!messages.is_empty()).then_some(first)
    }

    fn unary_site(&mut self, op: UnaryOp, ty: &Ty, span: Span) -> Option<u32> {
        match (op, ty) {
            (_, Ty::Error) | (UnaryOp::Neg, Ty::Float(_)) | (UnaryOp::Not, Ty::Bool | Ty::Int(_)) => None,
            (UnaryOp::Neg, Ty::Int(int)) if int.is_signed() => self.site(negation_fault(), span),
            (UnaryOp::Neg, _) => {
                self.errors.at(span, format!("`-` needs a signed number, found `{}`", self.show(ty)));
                None
            }
            (UnaryOp::Not, _) => {
                self.errors.at(span, format!("`!` needs a `bool` or an integer, found `{}`", self.show(ty)));
                None
            }
        }
    }

    fn binary_site(&mut self, op: BinaryOp, left: &Ty, right: &Ty, span: Span) -> Option<u32> {
        if *left == Ty::Error || *right == Ty::Error {
            return None;
        }
        let fits = if op.is_comparison() {
            left.is_number() || *left == Ty::Bool
        } else if op.is_bitwise() {
            matches!(left, Ty::Int(_) | Ty::Bool)
        } else if op.is_shift() {
            matches!((left, right), (Ty::Int(_), Ty::Int(_)))
        } else {
            left.is_number()
        };
        if !fits {
            let hint = if op.is_comparison() { ": compare field by field, or match" } else { "" };
            let message =
                format!("`{}` is not defined on `{}` in an edge program{hint}", op.symbol(), self.show(left));
            self.errors.at(span, message);
        }
        match left {
            Ty::Int(int) => self.site(operator_faults(op, int.is_signed()), span),
            _ => None,
        }
    }

    fn check_cast(&mut self, from: &Ty, to: &Ty, span: Span) {
        let fits = match (from, to) {
            (Ty::Error, _) | (_, Ty::Error) => true,
            (Ty::Bool, Ty::Int(_)) => true,
            (from, to) => from.is_number() && to.is_number(),
        };
        if !fits {
            let message = format!("`{}` cannot be cast to `{}`", self.show(from), self.show(to));
            self.errors.at(span, message);
        }
    }
}
