//! Infers control flow: blocks, `let`, `if`, `return`, `?`.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{ExprBlock, ExprIf, Pat};

use super::pattern::Binding;
use super::types::Var;
use super::{Hint, Infer, typed};
use crate::messages::{mismatch, not_taken};
use crate::model::Mutability;
use crate::model::inferred::{Block, Condition, Expr, ExprKind, Stmt, Ty};
use crate::parse::peel;

impl Infer<'_, '_> {
    /// Returns a function's finished block, checked against the function's result type.
    pub(super) fn function_body(&mut self, block: &syn::Block) -> Block {
        let output = self.output.clone();
        let body = self.block(block, &Hint::Expect(output.clone()));
        if body.ty != Ty::Never && !self.unify(&body.ty, &output) {
            let message = mismatch(&self.show(&output), &self.show(&body.ty));
            let at = block.stmts.last().map_or_else(|| block.brace_token.span.join(), Spanned::span);
            self.errors.disagreement(at, message);
        }
        let value = typed(ExprKind::Block(body), output, block.span());
        self.finished_body(value)
    }

    pub(super) fn block_expr(&mut self, block: &ExprBlock, hint: &Hint) -> Expr {
        if let Some(label) = &block.label {
            return self.labelled_block(label, &block.block, hint);
        }
        let block = self.block(&block.block, hint);
        let (ty, span) = (block.ty.clone(), block.span);
        typed(ExprKind::Block(block), ty, span)
    }

    pub(super) fn block(&mut self, block: &syn::Block, hint: &Hint) -> Block {
        self.scoped(|infer| infer.open_block(block, hint))
    }

    /// Infers a block in the caller's scope.
    pub(super) fn open_block(&mut self, block: &syn::Block, hint: &Hint) -> Block {
        let mut statements = Vec::new();
        let mut tail = None;
        let mut diverges = false;
        for (index, statement) in block.stmts.iter().enumerate() {
            let last = index + 1 == block.stmts.len();
            match statement {
                syn::Stmt::Expr(expr, None) if last => tail = Some(Box::new(self.expr(expr, hint))),
                syn::Stmt::Macro(call) if last && call.semi_token.is_none() => {
                    tail = Some(Box::new(self.macro_call(&call.mac)));
                }
                _ => statements.extend(self.statement(statement)),
            }
            diverges |= statements.last().is_some_and(is_never);
        }
        let ty = match &tail {
            _ if diverges && tail.is_none() => Ty::Never,
            Some(tail) => tail.ty.clone(),
            None => Ty::Unit,
        };
        Block { statements, tail, ty, span: block.span() }
    }

    /// Returns a block that evaluates `value` as a statement and yields nothing.
    pub(super) fn statement_block(&self, value: Expr, span: Span) -> Block {
        let ty = if value.ty == Ty::Never { Ty::Never } else { Ty::Unit };
        Block { statements: vec![Stmt::Expr(value)], tail: None, ty, span }
    }

    fn statement(&mut self, statement: &syn::Stmt) -> Option<Stmt> {
        match statement {
            syn::Stmt::Local(local) => self.local(local),
            syn::Stmt::Expr(expr, semicolon) => {
                let value = self.expr(expr, &Hint::None);
                if semicolon.is_none() {
                    self.coerce(&value, &Ty::Unit, expr.span());
                }
                Some(Stmt::Expr(value))
            }
            syn::Stmt::Item(item) => {
                self.refuse(item, not_taken("items inside a function", "move them into the module"));
                if let syn::Item::Const(syn::ItemConst { ident, .. })
                | syn::Item::Static(syn::ItemStatic { ident, .. })
                | syn::Item::Fn(syn::ItemFn { sig: syn::Signature { ident, .. }, .. }) = item
                {
                    self.declare(ident, Ty::REFUSED, Mutability::Fixed);
                }
                None
            }
            syn::Stmt::Macro(call) => Some(Stmt::Expr(self.macro_call(&call.mac))),
        }
    }

    fn local(&mut self, local: &syn::Local) -> Option<Stmt> {
        let (pattern, written) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        let written = written.map(|ty| self.resolve_type(ty));
        if written == Some(Ty::REFUSED) {
            self.pattern(pattern, &Ty::REFUSED, Binding::Move);
            return None;
        }
        let Some(init) = &local.init else { return self.deferred(local, pattern, written) };
        let value = match &written {
            Some(ty) => Expr { ty: ty.clone(), ..self.check(&init.expr, ty) },
            None => self.operand(&init.expr, &Hint::None),
        };
        let value = self.of_one_place(value, &init.expr, "a reference in a `let`");
        let otherwise = init.diverge.as_ref().map(|(_, otherwise)| self.diverging(otherwise));
        let pattern = self.pattern(pattern, &value.ty, Binding::Move);
        Some(match otherwise {
            Some(otherwise) => Stmt::LetElse(pattern, value, otherwise),
            None => Stmt::Let(pattern, value),
        })
    }

    /// Reads `let name;`, whose value is assigned later.
    fn deferred(&mut self, local: &syn::Local, pattern: &Pat, written: Option<Ty>) -> Option<Stmt> {
        let ty = written.unwrap_or_else(|| self.fresh(Var::Any));
        match pattern {
            Pat::Ident(name) => {
                let id = self.declare(&name.ident, ty, Mutability::of(name.mutability.as_ref()));
                self.deferred.push(id);
                Some(Stmt::Declare(id))
            }
            _ => {
                self.refuse(
                    local,
                    not_taken("a pattern without a value", "write a separate `let` for every name"),
                );
                None
            }
        }
    }

    /// Returns the value. Rejects a reference that is neither a borrow nor a local, because on the device a reference
    /// is an alias of one fixed place.
    pub(super) fn of_one_place(&mut self, value: Expr, blame: &syn::Expr, what: &str) -> Expr {
        let lent = matches!(value.kind, ExprKind::Borrow(..) | ExprKind::Local(_) | ExprKind::Refused(_));
        if lent || !matches!(self.shallow(&value.ty), Ty::Ref(..)) {
            return value;
        }
        self.refuse(
            &blame,
            format!("{what} must refer to one fixed place: write `&place` or `&mut place` here"),
        )
    }

    /// Returns the block of a `let .. else`, which must diverge.
    fn diverging(&mut self, otherwise: &syn::Expr) -> Block {
        let body = self.expr(otherwise, &Hint::None);
        if body.ty != Ty::Never && body.ty != Ty::REFUSED {
            let message = "the `else` of a `let` must leave: by `return`, `break`, `continue` or `panic!`";
            self.errors.disagreement(otherwise.span(), message);
        }
        self.statement_block(body, otherwise.span())
    }

    pub(super) fn return_expr(&mut self, ret: &syn::ExprReturn) -> Expr {
        if self.closures > 0 {
            return self.refuse(&ret, not_taken("`return` inside a closure", "write `match` instead"));
        }
        let output = self.output.clone();
        let value = match &ret.expr {
            Some(value) => self.check(value, &output),
            None => {
                let unit = typed(ExprKind::Unit, Ty::Unit, ret.span());
                self.coerce(&unit, &output, ret.span());
                unit
            }
        };
        typed(ExprKind::Return(Box::new(value)), Ty::Never, ret.span())
    }

    /// Reads `option?`.
    pub(super) fn try_expr(&mut self, option: &syn::ExprTry) -> Expr {
        if self.closures > 0 {
            return self
                .refuse(&option, not_taken("`?` inside a closure", "write `and_then` or `match` instead"));
        }
        let value = self.operand(&option.expr, &Hint::None);
        let of = match self.shallow(&value.ty) {
            Ty::Option(of) => *of,
            Ty::REFUSED => return super::error(),
            other => {
                let message = format!("`?` requires an `Option`, found `{}`", self.show(&other));
                return self.disagree(option.expr.span(), message);
            }
        };
        if !matches!(self.output, Ty::Option(_) | Ty::REFUSED) {
            let message = "`?` is allowed only in functions that return an `Option`";
            return self.disagree(option.span(), message);
        }
        typed(ExprKind::Try(Box::new(value)), of, option.span())
    }

    pub(super) fn if_expr(&mut self, branch: &ExprIf, hint: &Hint) -> Expr {
        // Names of the condition are visible in the first branch only.
        let (conditions, then) = self.scoped(|infer| {
            let conditions = infer.conditions(&branch.cond);
            (conditions, infer.block(&branch.then_branch, hint))
        });
        let (otherwise, ty) = self.otherwise(&then, branch, hint);
        typed(ExprKind::If(conditions, then, otherwise), ty, branch.span())
    }

    /// Returns the parts of a condition. The condition is split at `&&` only if some part is a `let`.
    pub(super) fn conditions(&mut self, condition: &syn::Expr) -> Vec<Condition> {
        match peel(condition) {
            syn::Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) && has_let(condition) => {
                let mut conditions = self.conditions(&binary.left);
                conditions.extend(self.conditions(&binary.right));
                conditions
            }
            syn::Expr::Let(condition) => {
                let value = self.operand(&condition.expr, &Hint::None);
                let pattern = self.pattern(&condition.pat, &value.ty, Binding::Move);
                vec![Condition::Let(pattern, value)]
            }
            other => vec![Condition::Is(self.check(other, &Ty::Bool))],
        }
    }

    /// Returns the `else`, and the type of the whole `if`.
    fn otherwise(&mut self, then: &Block, branch: &ExprIf, hint: &Hint) -> (Option<Box<Expr>>, Ty) {
        let Some((_, expr)) = &branch.else_branch else {
            if then.ty != Ty::Never && !self.unify(&then.ty, &Ty::Unit) {
                let message =
                    format!("an `if` that yields a value of type `{}` needs an `else`", self.show(&then.ty));
                self.errors.disagreement(branch.then_branch.span(), message);
            }
            return (None, Ty::Unit);
        };
        let otherwise = self.expr(expr, hint);
        let ty = self.join(&then.ty, &otherwise, super::tail_of(expr).span());
        (Some(Box::new(otherwise)), ty)
    }

    /// Returns the common type of two branches. Either branch may never yield a value.
    pub(super) fn join(&mut self, first: &Ty, second: &Expr, at: Span) -> Ty {
        if *first == Ty::Never {
            return second.ty.clone();
        }
        self.coerce(second, first, at);
        first.clone()
    }
}

fn is_never(statement: &Stmt) -> bool {
    match statement {
        Stmt::Let(_, value) | Stmt::LetElse(_, value, _) | Stmt::Expr(value) => value.ty == Ty::Never,
        Stmt::Declare(_) => false,
    }
}

/// Returns `true` if a condition contains a `let`.
fn has_let(condition: &syn::Expr) -> bool {
    match peel(condition) {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) => {
            has_let(&binary.left) || has_let(&binary.right)
        }
        _ => false,
    }
}
