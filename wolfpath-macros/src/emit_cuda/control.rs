//! Emits control flow as CUDA C: blocks, `if`, assignment, `return`. The value of an `if` is a conditional expression
//! if both branches are plain expressions; otherwise it is a temporary that all branches assign. C++ has no labelled
//! `break` and `continue`. A `break` or `continue` of an outer loop becomes a `goto` to a label after that loop, or at
//! the end of its body.

use super::body::{Body, Target, can_fault, changes};
use super::place::operands_of_place;
use crate::model::{Block, Breakable, Condition, Expr, ExprKind, Mutability, Stmt, Ty, visit};

/// A loop or labelled block that encloses the current position.
pub(super) struct Enclosing {
    pub(super) id: usize,
    pub(super) target: Target,
    pub(super) kind: Breakable,
    /// `true` if a `goto` jumps to the label after this loop or block.
    pub(super) is_left_by_goto: bool,
}

impl Body<'_> {
    /// Returns `true` if the expression needs no separate statement.
    pub(super) fn is_simple(&self, expr: &Expr) -> bool {
        let mut simple = true;
        visit(expr, &mut |expr| {
            simple &= match &expr.kind {
                ExprKind::Return(_)
                | ExprKind::Break(..)
                | ExprKind::Continue(_)
                | ExprKind::Fault(..)
                | ExprKind::Try(_)
                | ExprKind::Match(..)
                | ExprKind::Loop(..)
                | ExprKind::Labelled(..)
                | ExprKind::Assign(..)
                | ExprKind::Struct(_, _, Some(_))
                | ExprKind::AssignOp(..) => false,
                ExprKind::Call(_, arguments) => {
                    expr.ty != Ty::Unit && !changes(arguments) && at_most_one_faults(arguments)
                }
                ExprKind::Block(block) => is_plain(block),
                ExprKind::Index(..) => at_most_one_faults(operands_of_place(expr)),
                ExprKind::If(conditions, then, otherwise) => {
                    expr.ty != Ty::Unit
                        && only_condition(conditions).is_some()
                        && is_plain(then)
                        && otherwise.is_some()
                }
                ExprKind::Binary(_, left, right, _) => !(can_fault(left) && can_fault(right)),
                ExprKind::Method(_, parts, ..)
                | ExprKind::Random(_, parts)
                | ExprKind::Tuple(parts)
                | ExprKind::Array(parts) => at_most_one_faults(parts),
                ExprKind::Struct(_, fields, _) => at_most_one_faults(fields.iter().map(|(_, value)| value)),
                _ => true,
            };
        });
        simple
    }

    /// Returns the value of an `if`, a `match`, a block or a loop.
    pub(super) fn control_value(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Block(Block { statements, tail: Some(tail), .. }) if statements.is_empty() => {
                self.value(tail)
            }
            ExprKind::If(conditions, then, Some(otherwise))
                if expr.ty != Ty::Unit && self.is_simple(expr) =>
            {
                let condition =
                    only_condition(conditions).map(|condition| self.value(condition)).unwrap_or_default();
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

    /// Returns the value of `option?`.
    pub(super) fn try_value(&mut self, option: &Expr) -> String {
        let (ty, value, name) = (self.type_name(&option.ty), self.value(option), self.temporary());
        self.text.line(format!("const {ty} {name} = {value};"));
        let nothing = match &self.function.output {
            Ty::Option(of) => format!("wp::None<{}>()", self.type_name(of)),
            _ => "{}".to_owned(),
        };
        self.text.line(format!("if (!{name}.some) return {nothing};"));
        format!("{name}.value")
    }

    /// Returns a statement that leaves the function with a meaningless value; the context holds the fault.
    pub(super) fn give_up(&self) -> &'static str {
        if self.function.output == Ty::Unit { "return;" } else { "return {};" }
    }

    /// Writes statements that store the expression's value in the target.
    pub(super) fn emit(&mut self, expr: &Expr, target: &Target) {
        match &expr.kind {
            ExprKind::Unit => {}
            ExprKind::Block(block) => self.scoped(block, target),
            ExprKind::If(conditions, then, otherwise) => {
                self.if_statement(conditions, then, otherwise.as_deref(), expr, target);
            }
            ExprKind::Match(value, arms) => self.match_statement(value, arms, expr, target),
            ExprKind::Labelled(id, block) => self.labelled(*id, block, target),
            ExprKind::Loop(id, kind, body, polling) => self.turns(*id, kind, body, *polling, expr, target),
            ExprKind::Break(id, value) => self.leave(*id, value.as_deref(), expr),
            ExprKind::Continue(id) => self.next_turn(*id),
            ExprKind::Return(value) if self.function.output == Ty::Unit => {
                self.emit(value, &Target::Discard);
                self.text.line("return;");
            }
            ExprKind::Return(value) => self.emit(value, &Target::Return),
            ExprKind::Fault(_, site) => {
                self.text.at_user(expr.span);
                self.text.line(format!("wp::fault(cx, {site});"));
                self.text.line(self.give_up());
            }
            ExprKind::Assign(place, value) => {
                self.text.at_user(expr.span);
                // Rust evaluates the value before the place.
                let values = self.values(&[value, place]);
                self.text.line(format!("{} = {};", values[1], values[0]));
            }
            ExprKind::AssignOp(op, place, value, site) => {
                self.text.at_user(expr.span);
                let values = self.values(&[value, place]);
                let (value, place) = (values[0].clone(), values[1].clone());
                let result = self.binary(*op, &[place.clone(), value], *site, place_type(expr));
                self.text.line(format!("{place} = {result};"));
            }
            _ => self.deliver(expr, target),
        }
    }

    fn deliver(&mut self, expr: &Expr, target: &Target) {
        self.text.at_user(expr.span);
        let value = self.value(expr);
        if expr.ty == Ty::Unit {
            return;
        }
        self.text.at_user(expr.span);
        match target {
            Target::Return => self.text.line(format!("return {value};")),
            Target::Assign(name) => self.text.line(format!("{name} = {value};")),
            Target::Discard => self.text.line(format!("(void)({value});")),
        }
    }

    fn if_statement(
        &mut self,
        conditions: &[Condition],
        then: &Block,
        otherwise: Option<&Expr>,
        expr: &Expr,
        target: &Target,
    ) {
        self.text.at_user(expr.span);
        match conditions {
            [Condition::Is(condition)] => {
                let condition = self.value(condition);
                self.text.at_user(expr.span);
                self.text.open(format!("if ({condition}) {{"));
                self.branches(then, otherwise, target);
            }
            [Condition::Let(pattern, value)] => {
                let path = self.path_of(value);
                let test = self.test(pattern, &path).unwrap_or_else(|| "true".to_owned());
                self.text.open(format!("if ({test}) {{"));
                self.bind(pattern, &path);
                self.branches(then, otherwise, target);
            }
            _ => self.joined_conditions(conditions, then, otherwise, target),
        }
    }

    /// Writes `if a && let b = c && ..`. Each condition can use the names that earlier conditions bind.
    fn joined_conditions(
        &mut self,
        conditions: &[Condition],
        then: &Block,
        otherwise: Option<&Expr>,
        target: &Target,
    ) {
        let taken = self.temporary();
        self.text.line(format!("bool {taken} = false;"));
        for condition in conditions {
            match condition {
                Condition::Is(value) => {
                    let value = self.value(value);
                    self.text.open(format!("if ({value}) {{"));
                }
                Condition::Let(pattern, value) => {
                    let path = self.path_of(value);
                    let test = self.test(pattern, &path).unwrap_or_else(|| "true".to_owned());
                    self.text.open(format!("if ({test}) {{"));
                    self.bind(pattern, &path);
                }
            }
        }
        self.text.line(format!("{taken} = true;"));
        self.block(then, target);
        conditions.iter().for_each(|_| self.text.close("}"));
        if let Some(otherwise) = otherwise {
            self.text.open(format!("if (!{taken}) {{"));
            self.emit(otherwise, target);
            self.text.close("}");
        }
        self.never_here(target);
    }

    /// Writes an unreachable `return`: every branch has already returned, but the C++ compiler cannot see this.
    pub(super) fn never_here(&mut self, target: &Target) {
        if matches!(target, Target::Return) {
            self.text.line(self.give_up());
        }
    }

    /// Writes the branches of an `if` whose condition has already been written.
    fn branches(&mut self, then: &Block, otherwise: Option<&Expr>, target: &Target) {
        self.block(then, target);
        let Some(otherwise) = otherwise else { return self.text.close("}") };
        match &otherwise.kind {
            ExprKind::If(conditions, then, rest)
                if only_condition(conditions).is_some_and(|condition| self.is_simple(condition)) =>
            {
                self.text.at_user(otherwise.span);
                let condition =
                    only_condition(conditions).map(|condition| self.value(condition)).unwrap_or_default();
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

    /// Writes a block, in its own scope if it declares anything.
    fn scoped(&mut self, block: &Block, target: &Target) {
        if block.statements.is_empty() {
            return self.block(block, target);
        }
        self.text.open("{");
        self.block(block, target);
        self.text.close("}");
    }

    /// Writes the statements of a block and its value.
    pub(super) fn block(&mut self, block: &Block, target: &Target) {
        for statement in &block.statements {
            self.statement(statement);
        }
        if let Some(tail) = &block.tail {
            self.emit(tail, target);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Let(pattern, value) => self.let_statement(pattern, value),
            Stmt::LetElse(pattern, value, otherwise) => {
                self.text.at_user(value.span);
                let path = self.path_of(value);
                if let Some(test) = self.test(pattern, &path) {
                    self.text.open(format!("if (!({test})) {{"));
                    self.block(otherwise, &Target::Discard);
                    self.text.close("}");
                }
                self.bind(pattern, &path);
            }
            Stmt::Declare(id) => {
                let (ty, name) = (self.type_name(&self.function.locals[*id].ty), self.names[*id].clone());
                self.text.line(format!("{ty} {name};"));
            }
            Stmt::Expr(value) => self.emit(value, &Target::Discard),
        }
    }

    /// Declares a local with its value. A reference is an alias of its place.
    pub(super) fn declare(&mut self, id: usize, value: &str) {
        let local = &self.function.locals[id];
        let (ty, name) = (self.type_name(&local.ty), self.names[id].clone());
        let changes = local.mutability == Mutability::Mutable || matches!(local.ty, Ty::Ref(..));
        let constant = if changes { "" } else { "const " };
        self.text.line(format!("{constant}{ty} {name} = {value};"));
    }
}

/// Returns the type of the place in a compound assignment.
fn place_type(expr: &Expr) -> &Ty {
    match &expr.kind {
        ExprKind::AssignOp(_, place, ..) => &place.ty,
        _ => &expr.ty,
    }
}

/// Returns the condition of an `if`, if it is a single condition without `let`.
fn only_condition(conditions: &[Condition]) -> Option<&Expr> {
    match conditions {
        [Condition::Is(condition)] => Some(condition),
        _ => None,
    }
}

/// Returns `true` if a block has no statements, only a value.
fn is_plain(block: &Block) -> bool {
    block.statements.is_empty() && block.tail.is_some()
}

/// Returns `true` if at most one of these operands can fault, in which case none of them needs a temporary.
fn at_most_one_faults<'e>(operands: impl IntoIterator<Item = &'e Expr>) -> bool {
    operands.into_iter().filter(|operand| can_fault(operand)).count() <= 1
}
