//! Control flow as CUDA C: blocks, `if`, options, assignment, `return`. A value of an `if` is a conditional
//! expression where both sides are plain expressions, and a temporary that both branches assign otherwise.

use super::body::{Body, Target};
use crate::model::{Block, Expr, ExprKind, Stmt, Ty};

impl Body<'_> {
    /// Whether the expression needs no statement of its own.
    pub(super) fn is_simple(&self, expr: &Expr) -> bool {
        let mut simple = true;
        crate::check::visit(expr, &mut |expr| {
            simple &= match &expr.kind {
                ExprKind::Return(_)
                | ExprKind::Assign(..)
                | ExprKind::AssignOp(..)
                | ExprKind::IfSome(..) => false,
                ExprKind::Block(block) => is_plain(block),
                ExprKind::If(_, then, otherwise) => is_plain(then) && otherwise.is_some(),
                _ => true,
            };
        });
        simple
    }

    /// The value of an `if`, a `match` or a block.
    pub(super) fn control_value(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Block(Block { statements, tail: Some(tail), .. }) if statements.is_empty() => {
                self.value(tail)
            }
            ExprKind::If(condition, then, Some(otherwise)) if expr.ty != Ty::Unit && self.is_simple(expr) => {
                let condition = self.value(condition);
                let then = then.tail.as_ref().map(|tail| self.value(tail)).unwrap_or_default();
                let otherwise = self.value(otherwise);
                format!("(({condition}) ? ({then}) : ({otherwise}))")
            }
            _ if matches!(expr.ty, Ty::Unit | Ty::Never) => {
                self.emit(expr, &Target::Discard);
                "wp::Unit{}".into()
            }
            _ => {
                let name = self.temporary();
                self.text.line(format!("{} {name};", self.type_name(&expr.ty)));
                self.emit(expr, &Target::Assign(name.clone()));
                name
            }
        }
    }

    /// Writes statements that bring the expression's value to the target.
    pub(super) fn emit(&mut self, expr: &Expr, target: &Target) {
        match &expr.kind {
            ExprKind::Unit | ExprKind::Error => {}
            ExprKind::Block(block) => self.scoped(block, target),
            ExprKind::If(condition, then, otherwise) => {
                self.text.at_user(expr.span);
                let condition = self.value(condition);
                self.text.at_user(expr.span);
                self.text.open(format!("if ({condition}) {{"));
                self.branches(then, otherwise.as_deref(), target);
            }
            ExprKind::IfSome(local, option, then, otherwise) => {
                self.if_some(*local, option, expr);
                self.branches(then, otherwise.as_deref(), target);
            }
            ExprKind::Return(value) => self.emit(value, &Target::Return),
            ExprKind::Assign(place, value) => {
                self.text.at_user(expr.span);
                let (place, value) = (self.value(place), self.value(value));
                self.text.line(format!("{place} = {value};"));
            }
            ExprKind::AssignOp(op, place, value, site) => {
                self.text.at_user(expr.span);
                // For numbers Rust evaluates the right side first, then reads the place.
                let value = self.value(value);
                let ty = place.ty.clone();
                let place = self.value(place);
                let result = self.binary(*op, &[place.clone(), value], *site, &ty);
                self.text.line(format!("{place} = {result};"));
            }
            _ => self.deliver(expr, target),
        }
    }

    fn deliver(&mut self, expr: &Expr, target: &Target) {
        self.text.at_user(expr.span);
        let value = self.value(expr);
        self.text.at_user(expr.span);
        match target {
            Target::Return => self.text.line(format!("return {value};")),
            Target::Assign(name) => self.text.line(format!("{name} = {value};")),
            Target::Discard => self.text.line(format!("(void)({value});")),
        }
    }

    /// Opens the `if` over an option, with the name for what it holds.
    fn if_some(&mut self, local: Option<usize>, option: &Expr, expr: &Expr) {
        self.text.at_user(expr.span);
        let ty = self.type_name(&option.ty);
        let value = self.value(option);
        let name = self.temporary();
        self.text.line(format!("const {ty} {name} = {value};"));
        self.text.open(format!("if ({name}.some) {{"));
        if let Some(id) = local {
            self.declare(id, &format!("{name}.value"));
        }
    }

    fn declare(&mut self, id: usize, value: &str) {
        let local = &self.function.locals[id];
        let (ty, name) = (self.type_name(&local.ty), self.names[id].clone());
        let constant = if local.mutable { "" } else { "const " };
        self.text.line(format!("{constant}{ty} {name} = {value};"));
    }

    /// The branches of an `if` whose head is written.
    fn branches(&mut self, then: &Block, otherwise: Option<&Expr>, target: &Target) {
        self.block(then, target);
        let Some(otherwise) = otherwise else { return self.text.close("}") };
        match &otherwise.kind {
            ExprKind::If(condition, then, rest) if self.is_simple(condition) => {
                self.text.at_user(otherwise.span);
                let condition = self.value(condition);
                self.text.reopen(format!("}} else if ({condition}) {{"));
                self.branches(then, rest.as_deref(), target);
            }
            _ => {
                self.text.at_before();
                self.text.reopen("} else {");
                match &otherwise.kind {
                    ExprKind::Block(block) => self.block(block, target),
                    _ => self.emit(otherwise, target),
                }
                self.text.close("}");
            }
        }
    }

    /// A block of its own scope, where it declares anything.
    fn scoped(&mut self, block: &Block, target: &Target) {
        if block.statements.is_empty() {
            return self.block(block, target);
        }
        self.text.open("{");
        self.block(block, target);
        self.text.close("}");
    }

    /// The statements of a block and its value.
    pub(super) fn block(&mut self, block: &Block, target: &Target) {
        for statement in &block.statements {
            match statement {
                Stmt::Let(id, value) => {
                    self.text.at_user(value.span);
                    let text = self.value(value);
                    self.text.at_user(value.span);
                    self.declare(*id, &text);
                }
                Stmt::Expr(value) => self.emit(value, &Target::Discard),
            }
        }
        if let Some(tail) = &block.tail {
            self.emit(tail, target);
        }
    }
}

/// A block that is nothing but its value.
fn is_plain(block: &Block) -> bool {
    block.statements.is_empty() && block.tail.is_some()
}
