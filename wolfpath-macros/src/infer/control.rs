//! Control flow: blocks, `let`, `if`, `match`, `return`.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{ExprIf, ExprMatch, Pat, PatIdent};

use super::expr::typed;
use super::{Hint, Infer, Var};
use crate::messages::{mismatch, not_taken};
use crate::model::{BinaryOp, Block, Expr, ExprKind, Stmt, Ty};
use crate::parse::peel;

/// A pattern on an `Option`.
enum OptionPattern<'p> {
    Some(Option<&'p PatIdent>),
    None,
    Any,
}

impl Infer<'_, '_> {
    /// A function's block, against its result, finished.
    pub(super) fn function_body(&mut self, block: &syn::Block) -> Block {
        let output = self.output.clone();
        let body = self.block(block, &Hint::Expect(output.clone()));
        if body.ty != Ty::Never && !self.unify(&body.ty, &output) {
            let message = mismatch(&self.show(&output), &self.show(&body.ty));
            match block.stmts.last() {
                Some(last) => self.errors.on(last, message),
                None => self.errors.at(block.brace_token.span.join(), message),
            }
        }
        let value = typed(ExprKind::Block(body), output, block.span());
        self.finished_body(value)
    }

    pub(super) fn block_expr(&mut self, block: &syn::Block, hint: &Hint) -> Expr {
        let block = self.block(block, hint);
        let (ty, span) = (block.ty.clone(), block.span);
        typed(ExprKind::Block(block), ty, span)
    }

    fn block(&mut self, block: &syn::Block, hint: &Hint) -> Block {
        self.scopes.push(Vec::new());
        let mut statements = Vec::new();
        let mut tail = None;
        let mut diverges = false;
        for (index, statement) in block.stmts.iter().enumerate() {
            match statement {
                syn::Stmt::Expr(expr, None) if index + 1 == block.stmts.len() => {
                    tail = Some(Box::new(self.expr(expr, hint)));
                }
                _ => statements.extend(self.statement(statement)),
            }
            diverges |= statements.last().is_some_and(is_never);
        }
        self.scopes.pop();
        let ty = match &tail {
            Some(tail) => tail.ty.clone(),
            None if diverges => Ty::Never,
            None => Ty::Unit,
        };
        Block { statements, tail, ty, span: block.span() }
    }

    fn statement(&mut self, statement: &syn::Stmt) -> Option<Stmt> {
        match statement {
            syn::Stmt::Local(local) => self.local(local),
            syn::Stmt::Expr(expr, semicolon) => {
                let value = self.expr(expr, &Hint::None);
                if semicolon.is_none() {
                    self.coerce(&value, &Ty::Unit, expr);
                }
                Some(Stmt::Expr(value))
            }
            syn::Stmt::Item(item) => {
                self.refuse(item, not_taken("items inside a function", "move it into the module"));
                None
            }
            syn::Stmt::Macro(call) => {
                self.refuse(&call.mac.path, not_taken("macros", "write out what it would expand to"));
                None
            }
        }
    }

    fn local(&mut self, local: &syn::Local) -> Option<Stmt> {
        let (pattern, written) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        let Some(init) = &local.init else {
            self.refuse(
                local,
                not_taken("`let` without a value", "give it its value here, for example by `if`"),
            );
            return None;
        };
        if let Some((_, diverge)) = &init.diverge {
            self.refuse(&diverge, not_taken("`let .. else`", "write `match` or `if let Some(..)`"));
            return None;
        }
        let value = match written {
            Some(ty) => {
                let ty = self.resolve_type(ty);
                Expr { ty: ty.clone(), ..self.check(&init.expr, &ty) }
            }
            None => self.expr(&init.expr, &Hint::None),
        };
        if value.ty == Ty::Never {
            self.refuse(
                &init.expr,
                not_taken("`return` as a part of a value", "make it a statement or a branch"),
            );
        }
        match pattern {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                let id = self.declare(&ident.ident, value.ty.clone(), ident.mutability.is_some());
                Some(Stmt::Let(id, value))
            }
            Pat::Wild(_) => Some(Stmt::Expr(value)),
            _ => {
                self.refuse(pattern, not_taken("patterns in `let`", "write a name, and read its fields"));
                None
            }
        }
    }

    pub(super) fn return_expr(&mut self, ret: &syn::ExprReturn) -> Expr {
        let output = self.output.clone();
        match &ret.expr {
            Some(value) => {
                let value = self.check(value, &output);
                typed(ExprKind::Return(Box::new(value)), Ty::Never, ret.span())
            }
            None => self.refuse(&ret, format!("`return` needs a value of type `{}`", self.show(&output))),
        }
    }

    pub(super) fn if_expr(&mut self, branch: &ExprIf, hint: &Hint) -> Expr {
        if let syn::Expr::Let(condition) = peel(&branch.cond) {
            return self.if_let(condition, branch, hint);
        }
        let condition = Box::new(self.check(&branch.cond, &Ty::Bool));
        let then = self.block(&branch.then_branch, hint);
        let (otherwise, ty) = self.otherwise(&then, branch, hint);
        typed(ExprKind::If(condition, then, otherwise), ty, branch.span())
    }

    fn if_let(&mut self, condition: &syn::ExprLet, branch: &ExprIf, hint: &Hint) -> Expr {
        let option = self.expr(&condition.expr, &Hint::None);
        let Some((of, OptionPattern::Some(binding))) = self.option_pattern(&option, &condition.pat) else {
            return self
                .refuse(&condition.pat, "expected `Some(name)` here; for the other case use `is_none()`");
        };
        self.scopes.push(Vec::new());
        let local = binding.map(|name| self.declare(&name.ident, of, name.mutability.is_some()));
        let then = self.block(&branch.then_branch, hint);
        self.scopes.pop();
        let (otherwise, ty) = self.otherwise(&then, branch, hint);
        typed(ExprKind::IfSome(local, Box::new(option), then, otherwise), ty, branch.span())
    }

    /// The `else`, and the type of the whole `if`.
    fn otherwise(&mut self, then: &Block, branch: &ExprIf, hint: &Hint) -> (Option<Box<Expr>>, Ty) {
        let Some((_, expr)) = &branch.else_branch else {
            if then.ty != Ty::Never && !self.unify(&then.ty, &Ty::Unit) {
                let message =
                    format!("an `if` that gives a value of type `{}` needs an `else`", self.show(&then.ty));
                self.errors.on(&branch.then_branch, message);
            }
            return (None, Ty::Unit);
        };
        let otherwise = self.expr(expr, hint);
        let ty = self.join(&then.ty, &otherwise, super::tail_of(expr));
        (Some(Box::new(otherwise)), ty)
    }

    /// The common type of two branches, either of which may never yield a value.
    fn join(&mut self, first: &Ty, second: &Expr, blame: &dyn ToTokens) -> Ty {
        if *first == Ty::Never {
            return second.ty.clone();
        }
        self.coerce(second, first, blame);
        first.clone()
    }

    /// The type inside and the pattern's kind, when both are about options.
    fn option_pattern<'p>(&mut self, option: &Expr, pattern: &'p Pat) -> Option<(Ty, OptionPattern<'p>)> {
        let of = match self.shallow(&option.ty) {
            Ty::Option(of) => *of,
            Ty::Error => Ty::Error,
            _ => return None,
        };
        let kind = match pattern {
            Pat::Paren(paren) => return self.option_pattern(option, &paren.pat),
            Pat::TupleStruct(some) if some.path.is_ident("Some") && some.elems.len() == 1 => {
                match &some.elems[0] {
                    Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                        OptionPattern::Some(Some(name))
                    }
                    Pat::Wild(_) => OptionPattern::Some(None),
                    _ => return None,
                }
            }
            Pat::Ident(name) if name.ident == "None" => OptionPattern::None,
            Pat::Wild(_) => OptionPattern::Any,
            _ => return None,
        };
        Some((of, kind))
    }

    pub(super) fn match_expr(&mut self, choice: &ExprMatch, hint: &Hint) -> Expr {
        for arm in &choice.arms {
            if let Some((_, guard)) = &arm.guard {
                return self.refuse(guard, not_taken("guards in `match`", "write `if` inside the arm"));
            }
        }
        let value = self.expr(&choice.expr, &Hint::None);
        match self.shallow(&value.ty) {
            Ty::Option(_) => self.match_option(value, choice, hint),
            Ty::Error => value,
            _ => self.match_number(value, choice, hint),
        }
    }

    /// Two arms: one for `Some`, one for `None`, either of which may be `_`.
    fn match_option(&mut self, option: Expr, choice: &ExprMatch, hint: &Hint) -> Expr {
        let [first, second] = choice.arms.as_slice() else {
            return self.refuse(&choice.expr, "`match` on an option takes two arms: `Some(name)` and `None`");
        };
        let patterns = (self.option_pattern(&option, &first.pat), self.option_pattern(&option, &second.pat));
        let (some, none, of, binding) = match patterns {
            (
                Some((of, OptionPattern::Some(binding))),
                Some((_, OptionPattern::None | OptionPattern::Any)),
            ) => (first, second, of, binding),
            (Some((_, OptionPattern::None)), Some((of, OptionPattern::Some(binding)))) => {
                (second, first, of, binding)
            }
            (Some((of, OptionPattern::None)), Some((_, OptionPattern::Any))) => (second, first, of, None),
            _ => {
                return self
                    .refuse(&first.pat, "`match` on an option takes the arms `Some(name)` and `None`");
            }
        };
        self.scopes.push(Vec::new());
        let local = binding.map(|name| self.declare(&name.ident, of, name.mutability.is_some()));
        let then = self.arm(&some.body, hint);
        self.scopes.pop();
        let otherwise = self.expr(&none.body, hint);
        let ty = self.join(&then.ty, &otherwise, super::tail_of(&none.body));
        typed(ExprKind::IfSome(local, Box::new(option), then, Some(Box::new(otherwise))), ty, choice.span())
    }

    fn arm(&mut self, body: &syn::Expr, hint: &Hint) -> Block {
        let tail = self.expr(body, hint);
        let (ty, span) = (tail.ty.clone(), tail.span);
        Block { statements: Vec::new(), tail: Some(Box::new(tail)), ty, span }
    }

    /// Arms over numbers become a chain of comparisons; rustc checks that the user's arms cover everything, so the
    /// last one needs no comparison.
    fn match_number(&mut self, value: Expr, choice: &ExprMatch, hint: &Hint) -> Expr {
        let span = choice.span();
        let name = Ident::new("matched", proc_macro2::Span::mixed_site());
        let id = self.locals.len();
        self.locals.push(crate::model::Local { name, ty: value.ty.clone(), mutable: false });
        let result = self.fresh(Var::Any);
        let Some(chain) = self.arms(id, &choice.arms, &result, hint) else {
            return self.refuse(&choice.expr, "a `match` needs at least one arm");
        };
        let ty = chain.ty.clone();
        let block = Block {
            statements: vec![Stmt::Let(id, value)],
            tail: Some(Box::new(chain)),
            ty: ty.clone(),
            span,
        };
        typed(ExprKind::Block(block), ty, span)
    }

    fn arms(&mut self, id: usize, arms: &[syn::Arm], result: &Ty, hint: &Hint) -> Option<Expr> {
        let (arm, rest) = arms.split_first()?;
        let condition = self.number_pattern(id, &arm.pat);
        let body = self.arm(&arm.body, hint);
        if body.ty != Ty::Never && !self.unify(&body.ty, result) {
            let message = mismatch(&self.show(result), &self.show(&body.ty));
            self.errors.on(&arm.body, message);
        }
        let span = arm.span();
        let Some(otherwise) = self.arms(id, rest, result, hint) else {
            let ty = body.ty.clone();
            return Some(typed(ExprKind::Block(body), ty, span));
        };
        let condition = match condition {
            Some(condition) => condition,
            None => typed(ExprKind::Bool(true), Ty::Bool, span),
        };
        let ty = if body.ty == Ty::Never { otherwise.ty.clone() } else { body.ty.clone() };
        Some(typed(ExprKind::If(Box::new(condition), body, Some(Box::new(otherwise))), ty, span))
    }

    /// The comparison that a pattern on a number stands for; `None` for `_`.
    fn number_pattern(&mut self, id: usize, pattern: &Pat) -> Option<Expr> {
        let span = pattern.span();
        match pattern {
            Pat::Paren(paren) => self.number_pattern(id, &paren.pat),
            Pat::Wild(_) => None,
            Pat::Lit(literal) => Some(self.compare(BinaryOp::Eq, id, &syn::Expr::Lit(literal.clone()))),
            Pat::Or(or) => {
                let mut cases =
                    or.cases.iter().map(|case| self.number_pattern(id, case)).collect::<Option<Vec<_>>>()?;
                let first = cases.remove(0);
                Some(cases.into_iter().fold(first, |all, case| {
                    typed(ExprKind::Logic(false, Box::new(all), Box::new(case)), Ty::Bool, span)
                }))
            }
            Pat::Range(range) => self.range_pattern(id, range),
            other => {
                self.refuse(other, "a `match` on a number takes numbers, ranges of numbers, `|` and `_`");
                None
            }
        }
    }

    fn range_pattern(&mut self, id: usize, range: &syn::PatRange) -> Option<Expr> {
        let low = range.start.as_ref().map(|start| self.compare(BinaryOp::Ge, id, start));
        let below =
            if matches!(range.limits, syn::RangeLimits::Closed(_)) { BinaryOp::Le } else { BinaryOp::Lt };
        let high = range.end.as_ref().map(|end| self.compare(below, id, end));
        match (low, high) {
            (Some(low), Some(high)) => {
                Some(typed(ExprKind::Logic(true, Box::new(low), Box::new(high)), Ty::Bool, range.span()))
            }
            (one, other) => one.or(other),
        }
    }

    fn compare(&mut self, op: BinaryOp, id: usize, bound: &syn::Expr) -> Expr {
        let ty = self.locals[id].ty.clone();
        let local = typed(ExprKind::Local(id), ty.clone(), bound.span());
        let bound_value = self.check(bound, &ty);
        typed(ExprKind::Binary(op, Box::new(local), Box::new(bound_value), None), Ty::Bool, bound.span())
    }
}

fn is_never(statement: &Stmt) -> bool {
    match statement {
        Stmt::Let(_, value) | Stmt::Expr(value) => value.ty == Ty::Never,
    }
}
