//! Emits loops and labelled blocks as CUDA C. A loop of unknown length checks in every iteration whether to continue.
//! It ends if the run is to stop, and also after a fault, because values are meaningless then and the loop might never
//! end by itself.

use super::body::{Body, Target};
use super::control::Enclosing;
use crate::model::{
    Block, Breakable, Condition, Elements, Expr, ExprKind, Limits, LoopKind, Mutability, Pattern, Polling,
    Range, RangeAdapter, Sign, Ty, visit, visit_block,
};

impl Body<'_> {
    /// Writes the contents of a loop or labelled block by `write`, then a label if a `goto` jumps there.
    fn enclosed(&mut self, id: usize, target: &Target, kind: Breakable, write: impl FnOnce(&mut Self)) {
        self.enclosing.push(Enclosing { id, target: target.clone(), kind, is_left_by_goto: false });
        write(self);
        if self.enclosing.pop().is_some_and(|enclosing| enclosing.is_left_by_goto) {
            self.text.line(format!("leave_{id}:;"));
        }
    }

    pub(super) fn labelled(&mut self, id: usize, block: &Block, target: &Target) {
        self.enclosed(id, target, Breakable::Block, |body| {
            body.text.open("{");
            body.block(block, target);
            body.text.close("}");
        });
    }

    /// Writes `break`, after storing its value in the loop's target.
    pub(super) fn leave(&mut self, id: usize, value: Option<&Expr>, expr: &Expr) {
        let Some(index) = self.enclosing.iter().rposition(|enclosing| enclosing.id == id) else { return };
        let target = self.enclosing[index].target.clone();
        if let Some(value) = value {
            self.emit(value, &target);
            if matches!(target, Target::Return) {
                return;
            }
        }
        self.text.at_user(expr.span);
        let innermost = self.enclosing.iter().rposition(|enclosing| enclosing.kind == Breakable::Loop);
        if innermost == Some(index) {
            self.text.line("break;");
        } else {
            self.enclosing[index].is_left_by_goto = true;
            self.text.line(format!("goto leave_{id};"));
        }
    }

    pub(super) fn next_turn(&mut self, id: usize) {
        let innermost = self.enclosing.iter().rfind(|enclosing| enclosing.kind == Breakable::Loop);
        if innermost.is_some_and(|enclosing| enclosing.id == id) {
            self.text.line("continue;");
        } else {
            self.text.line(format!("goto next_{id};"));
        }
    }

    pub(super) fn turns(
        &mut self,
        id: usize,
        kind: &LoopKind,
        body: &Block,
        polling: Polling,
        expr: &Expr,
        target: &Target,
    ) {
        self.text.at_user(expr.span);
        // Only `break` gives a loop a value.
        self.enclosed(id, target, Breakable::Loop, |writer| match kind {
            LoopKind::Forever => {
                writer.text.open("while (true) {");
                writer.turn(id, body, polling);
            }
            LoopKind::While(conditions) => {
                let polled = writer.while_head(conditions, polling);
                writer.turn(id, body, polled);
            }
            LoopKind::Over(pattern, range) => {
                writer.range_head(pattern, range, polling);
                writer.turn(id, body, Polling::Never);
            }
            LoopKind::Each(number, pattern, array, elements) => {
                writer.array_head(number.as_ref(), pattern, array, *elements);
                writer.poll(polling);
                writer.turn(id, body, Polling::Never);
            }
        });
    }

    fn poll(&mut self, polling: Polling) {
        if polling == Polling::EveryTurn {
            let give_up = self.give_up();
            self.text.line(format!("if (!wp::go_on(cx)) {give_up}"));
        }
    }

    /// Writes the body of a loop whose head has already been written, and its closing brace. `polling` is `Never` if
    /// the head already polls.
    fn turn(&mut self, id: usize, body: &Block, polling: Polling) {
        self.poll(polling);
        let jumped_to = continues_from_inside(body, id);
        if jumped_to {
            self.text.open("{");
        }
        self.block(body, &Target::Discard);
        if jumped_to {
            self.text.close("}");
            self.text.line(format!("next_{id}:;"));
        }
        self.text.close("}");
    }

    /// Writes the head of a `while`. Its conditions are in the head if they form one expression; otherwise they are in
    /// the body. Returns the polling that the body must do.
    fn while_head(&mut self, conditions: &[Condition], polling: Polling) -> Polling {
        if let Some(condition) = only_simple(self, conditions) {
            let condition = self.value(condition);
            self.text.open(format!("while ({condition}) {{"));
            return polling;
        }
        self.text.open("while (true) {");
        self.poll(polling);
        for condition in conditions {
            match condition {
                Condition::Is(value) => {
                    let value = self.value(value);
                    self.text.line(format!("if (!{}) break;", Self::operand(value)));
                }
                Condition::Let(pattern, value) => {
                    let path = self.path_of(value);
                    if let Some(test) = self.test(pattern, &path) {
                        self.text.line(format!("if (!({test})) break;"));
                    }
                    self.bind(pattern, &path);
                }
            }
        }
        Polling::Never
    }

    /// Writes `for` over numbers: as a plain C++ loop if the range has no adapters and the counter cannot overflow, and
    /// otherwise by `rust::Steps`.
    fn range_head(&mut self, pattern: &Pattern, range: &Range, polling: Polling) {
        let ty = self.type_name(&range.ty);
        let widths = range.adapters.iter().filter_map(|adapter| match adapter {
            RangeAdapter::StepBy(width, _) => Some(&**width),
            RangeAdapter::Rev => None,
        });
        let numbers: Vec<&Expr> = [&range.first, &range.end].into_iter().chain(widths).collect();
        let ends = self.values(&numbers);
        let plain =
            range.adapters.is_empty() && (range.limits == Limits::HalfOpen || is_below_largest(&range.end));
        if !plain {
            return self.steps_head(pattern, range, &ends, polling);
        }
        let end = match range.end.kind {
            ExprKind::Int(..) => ends[1].clone(),
            _ => {
                let name = self.temporary();
                self.text.line(format!("const {ty} {name} = {};", ends[1]));
                name
            }
        };
        let compare = range.limits.comparison().symbol();
        // If the pattern is a name that the body cannot change, that name serves as the counter.
        let own = match pattern {
            Pattern::Bind(id, None) if self.function.locals[*id].mutability == Mutability::Fixed => {
                Some(self.names[*id].clone())
            }
            _ => None,
        };
        let counter = own.clone().unwrap_or_else(|| self.temporary());
        let first = &ends[0];
        self.text.open(format!("for ({ty} {counter} = {first}; {counter} {compare} {end}; {counter}++) {{"));
        self.poll(polling);
        if own.is_none() {
            self.bind(pattern, &counter);
        }
    }

    fn steps_head(&mut self, pattern: &Pattern, range: &Range, ends: &[String], polling: Polling) {
        let ty = self.type_name(&range.ty);
        let (first, end, mut widths) = (&ends[0], &ends[1], ends[2..].iter());
        let mut steps = format!("rust::steps<{ty}>({first}, {end}, {})", range.limits == Limits::Closed);
        for adapter in &range.adapters {
            steps = match adapter {
                RangeAdapter::Rev => format!("rust::reversed({steps})"),
                RangeAdapter::StepBy(_, site) => {
                    let width = widths.next().map_or("1", String::as_str);
                    format!("rust::stepped({steps}, {width}, cx, {site})")
                }
            };
        }
        let (name, turn) = (self.temporary(), self.temporary());
        self.text.line(format!("const rust::Steps<{ty}> {name} = {steps};"));
        self.text.open(format!("for (wp::u64 {turn} = 0; {name}.any && {turn} <= {name}.last; {turn}++) {{"));
        self.poll(polling);
        self.bind(pattern, &format!("rust::step({name}, {turn})"));
    }

    /// Writes `for` over the elements of an array. If the loop takes the elements by value, it iterates over a copy of
    /// the array.
    fn array_head(&mut self, number: Option<&Pattern>, pattern: &Pattern, array: &Expr, elements: Elements) {
        let length = match array.ty.behind() {
            Ty::Array(_, length) => *length,
            _ => 0,
        };
        let (ty, value) = (self.type_name(&array.ty), self.value(array));
        let path = self.temporary();
        let declared = match elements {
            Elements::Copied => format!("const {ty}"),
            Elements::Lent => format!("const {ty}&"),
            Elements::LentMutably => format!("{ty}&"),
        };
        self.text.line(format!("{declared} {path} = {value};"));
        let turn = self.temporary();
        self.text.open(format!("for (wp::u64 {turn} = 0; {turn} < {length}; {turn}++) {{"));
        number.iter().for_each(|number| self.bind(number, &turn));
        self.bind(pattern, &format!("{path}.at[{turn}]"));
    }
}

/// Returns the condition of a `while`, if it is a single condition that needs no statements.
fn only_simple<'c>(body: &Body<'_>, conditions: &'c [Condition]) -> Option<&'c Expr> {
    match conditions {
        [Condition::Is(condition)] if body.is_simple(condition) => Some(condition),
        _ => None,
    }
}

/// Returns `true` if an inner loop of `body` contains a `continue` of the loop `id`, whose body is `body`.
fn continues_from_inside(body: &Block, id: usize) -> bool {
    let mut found = false;
    visit_block(body, &mut |expr| {
        if let ExprKind::Loop(..) = expr.kind {
            visit(expr, &mut |inner| {
                found |= matches!(inner.kind, ExprKind::Continue(target) if target == id)
            });
        }
    });
    found
}

/// Returns `true` if this number is a literal below the largest number of its type.
fn is_below_largest(number: &Expr) -> bool {
    match (&number.kind, &number.ty) {
        (ExprKind::Int(magnitude, sign), Ty::Int(int)) => {
            let bits = int.bits() - u32::from(int.is_signed());
            *sign == Sign::Minus || *magnitude < (1u128 << bits) - 1
        }
        _ => false,
    }
}
