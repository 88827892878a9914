//! The second look at a body, when all its types are known: variables become types (`i32` and `f64` where nothing
//! said otherwise), operators and casts are checked, and every place that can fault gets its number.

use proc_macro2::Span;

use super::Infer;
use super::unify::Var;
use crate::model::{
    Arm, Block, Condition, Expr, ExprKind, Float, Int, LoopKind, Pattern, RangeAdapter, Stmt, Ty,
};

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
        self.finish_block(&mut block);
        block
    }

    /// The type, with Rust's defaults for literals.
    fn known(&mut self, ty: &Ty, span: Span) -> Ty {
        match self.shallow(ty) {
            Ty::Option(of) => Ty::option(self.known(&of, span)),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| self.known(part, span)).collect()),
            Ty::Array(of, length) => Ty::Array(Box::new(self.known(&of, span)), length),
            Ty::Ref(access, of) => Ty::Ref(access, Box::new(self.known(&of, span))),
            Ty::Var(id) => match self.vars[id] {
                Var::Int => Ty::Int(Int::I32),
                Var::Float => Ty::Float(Float::F64),
                _ => {
                    let message = "the type of this value is not known: write `let name: type`";
                    self.errors.disagreement(span, message);
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
                Stmt::Let(pattern, value) => {
                    self.finish(value);
                    self.finish_pattern(pattern);
                }
                Stmt::LetElse(pattern, value, otherwise) => {
                    self.finish(value);
                    self.finish_pattern(pattern);
                    self.finish_block(otherwise);
                }
                Stmt::Expr(value) => self.finish(value),
                Stmt::Declare(_) => {}
            }
        }
        if let Some(tail) = &mut block.tail {
            self.finish(tail);
        }
        block.ty = self.known(&block.ty, block.span);
    }

    fn finish_all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e mut Expr>) {
        exprs.into_iter().for_each(|expr| self.finish(expr));
    }

    fn finish(&mut self, expr: &mut Expr) {
        let span = expr.span;
        expr.ty = self.known(&expr.ty, span);
        if matches!(expr.ty, Ty::Ref(..)) && is_chosen(expr) {
            self.errors.at(span, "a reference refers to one place: choose between values here");
        }
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
            ExprKind::Input(_, _, at) => self.finish(at),
            ExprKind::Index(base, at, site) => {
                self.finish(base);
                self.finish(at);
                *site = self.index_site(&base.ty, span);
            }
            ExprKind::Field(inner, _)
            | ExprKind::Part(inner, _)
            | ExprKind::Some(inner)
            | ExprKind::Repeat(inner)
            | ExprKind::Borrow(_, inner)
            | ExprKind::Deref(inner)
            | ExprKind::Try(inner)
            | ExprKind::Return(inner) => self.finish(inner),
            ExprKind::Call(_, parts) | ExprKind::Tuple(parts) | ExprKind::Array(parts) => {
                self.finish_all(parts)
            }
            ExprKind::Method(method, arguments, site, name) => {
                self.finish_all(arguments);
                *site = self.site(method.faults, *name);
            }
            ExprKind::Fault(message, site) => *site = self.site(&[message], span),
            ExprKind::Struct(_, fields, rest) => {
                self.finish_all(fields.iter_mut().map(|(_, value)| value));
                self.finish_all(rest.as_deref_mut());
            }
            ExprKind::If(conditions, then, otherwise) => {
                self.finish_conditions(conditions);
                self.finish_block(then);
                self.finish_all(otherwise.as_deref_mut());
            }
            ExprKind::Match(value, arms) => {
                self.finish(value);
                arms.iter_mut().for_each(|arm| self.finish_arm(arm));
            }
            ExprKind::Block(block) | ExprKind::Labelled(_, block) => self.finish_block(block),
            ExprKind::Loop(_, kind, body, _) => {
                self.finish_loop(kind);
                self.finish_block(body);
            }
            ExprKind::Break(_, value) => self.finish_all(value.as_deref_mut()),
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
            | ExprKind::Continue(_)
            | ExprKind::None
            | ExprKind::Error => {}
        }
    }

    fn finish_conditions(&mut self, conditions: &mut [Condition]) {
        for condition in conditions {
            match condition {
                Condition::Is(value) => self.finish(value),
                Condition::Let(pattern, value) => {
                    self.finish(value);
                    self.finish_pattern(pattern);
                }
            }
        }
    }

    fn finish_arm(&mut self, arm: &mut Arm) {
        self.finish_pattern(&mut arm.pattern);
        self.finish_all(arm.guard.as_mut());
        self.finish(&mut arm.body);
    }

    fn finish_loop(&mut self, kind: &mut LoopKind) {
        match kind {
            LoopKind::Forever => {}
            LoopKind::While(conditions) => self.finish_conditions(conditions),
            LoopKind::Over(pattern, range) => {
                self.finish(&mut range.first);
                self.finish(&mut range.end);
                range.ty = self.known(&range.ty, range.first.span);
                if !matches!(range.ty, Ty::Int(_) | Ty::Error) {
                    let message = format!("`for` walks over integers, found `{}`", self.show(&range.ty));
                    self.errors.disagreement(range.first.span, message);
                }
                for adapter in &mut range.adapters {
                    if let RangeAdapter::StepBy(width, site) = adapter {
                        self.finish(width);
                        *site = self.site(&["assertion failed: step != 0"], width.span);
                    }
                }
                self.finish_pattern(pattern);
            }
            LoopKind::Each(number, pattern, array, _) => {
                number.iter_mut().for_each(|number| self.finish_pattern(number));
                self.finish(array);
                self.finish_pattern(pattern);
            }
        }
    }

    fn finish_pattern(&mut self, pattern: &mut Pattern) {
        match pattern {
            Pattern::Equal(value) => self.finish(value),
            Pattern::Range(first, end) => {
                self.finish_all(first.as_deref_mut());
                self.finish_all(end.as_mut().map(|(end, _)| &mut **end));
            }
            Pattern::Bind(_, Some(inner)) | Pattern::Some(inner) | Pattern::Behind(_, inner) => {
                self.finish_pattern(inner);
            }
            Pattern::Tuple(parts) | Pattern::Array(parts) | Pattern::Or(parts) => {
                parts.iter_mut().for_each(|part| self.finish_pattern(part));
            }
            Pattern::Struct(_, fields) => fields.iter_mut().for_each(|(_, part)| self.finish_pattern(part)),
            Pattern::Wild | Pattern::Bind(_, None) | Pattern::None | Pattern::Variant(..) => {}
        }
    }
}

/// Whether control flow decides what the value is.
fn is_chosen(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::If(..) | ExprKind::Match(..) | ExprKind::Loop(..) | ExprKind::Labelled(..))
}
