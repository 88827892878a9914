//! Statements, each on its own line.

use super::{Loop, Writer};
use crate::types::{Ty, U32, int, scalar};

impl Writer<'_> {
    /// Writes up to `count` statements. Stops at the end of the choices.
    pub(super) fn statements(&mut self, count: usize, depth: u32) {
        for _ in 0..count {
            if self.choose.has_ended() {
                return;
            }
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.choose.below(24) {
            20.. => self.further_statement(depth),
            0..=3 => self.let_statement(depth),
            4 => self.let_tuple(depth),
            5..=8 => self.assignment(depth),
            9 | 10 => self.if_statement(depth),
            11 => self.match_statement(depth),
            12 => self.for_loop(depth),
            13 => self.while_loop(depth),
            14 => self.leave(depth),
            15 => {
                let condition = self.condition(depth);
                let name = ["assert!", "debug_assert!"][self.choose.below(2)];
                let guard = self.condition(1);
                self.line(format!("{name}({condition} || {guard});"));
            }
            16 | 17 => self.call_statement(depth),
            18 => self.if_let_statement(depth),
            _ => self.assert_equal(depth),
        }
    }

    fn let_statement(&mut self, depth: u32) {
        let ty = self.any_type();
        let mutable = !self.choose.once_in(3);
        let typed = self.choose.once_in(2);
        let value = self.expr(&ty, depth, typed);
        let name = self.fresh();
        let front = if mutable { "mut " } else { "" };
        let annotation = if typed { format!(": {}", ty.name()) } else { String::new() };
        self.line(format!("let {front}{name}{annotation} = {value};"));
        self.declare(&name, ty, mutable);
    }

    fn let_tuple(&mut self, depth: u32) {
        let parts = vec![
            int(&mut self.choose),
            if self.choose.once_in(3) { scalar(&mut self.choose) } else { Ty::Bool },
        ];
        let value = self.expr(&Ty::Tuple(parts.clone()), depth, false);
        self.names += 2;
        let names = [format!("v{}", self.names - 2), format!("v{}", self.names - 1)];
        self.line(format!("let ({}, mut {}) = {value};", names[0], names[1]));
        self.declare(&names[0], parts[0].clone(), false);
        self.declare(&names[1], parts[1].clone(), true);
    }

    /// Writes an assignment with `=` or a compound operator.
    fn assignment(&mut self, depth: u32) {
        let types: Vec<Ty> = self.visible().into_iter().filter(|v| v.mutable).map(|v| v.ty).collect();
        let Some(mut ty) = self.choose.pick(&types).cloned() else { return self.let_statement(depth) };
        if self.choose.once_in(2) {
            ty = self.part(&ty);
        }
        let Some(place) = self.named(&ty, true) else { return };
        let operators: &[&str] = match ty {
            Ty::Int(_) => &["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="],
            Ty::F32 | Ty::F64 => &["=", "+=", "-=", "*=", "/=", "%="],
            Ty::Bool => &["=", "&=", "|=", "^="],
            _ => &["="],
        };
        let operator = operators[self.choose.below(operators.len())];
        let value = match operator {
            "<<=" | ">>=" => format!("({}) & 7", self.expr(&U32, depth, false)),
            _ => self.expr(&ty, depth, true),
        };
        self.line(format!("{place} {operator} {value};"));
    }

    /// Chooses the type of a field or element of this type. Returns the type itself if it has none.
    fn part(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Struct(index) => {
                let fields = self.structs[*index].clone();
                self.choose.pick(&fields).cloned().unwrap_or_else(|| ty.clone())
            }
            Ty::Tuple(parts) => self.choose.pick(parts).cloned().unwrap_or_else(|| ty.clone()),
            Ty::Array(of, _) => (**of).clone(),
            other => other.clone(),
        }
    }

    /// Writes a block of statements. Their variables end with the block.
    fn block(&mut self, depth: u32) {
        let count = 1 + self.choose.below(3);
        let (text, ()) = self.apart(|w| w.statements(count, depth.saturating_sub(1)));
        self.text.push_str(&text);
    }

    fn if_statement(&mut self, depth: u32) {
        let condition = self.condition(depth);
        self.line(format!("if {condition} {{"));
        self.block(depth);
        if self.choose.once_in(3) {
            let condition = self.condition(1);
            self.line(format!("}} else if {condition} {{"));
            self.block(depth);
        }
        if self.choose.once_in(2) {
            self.line("} else {");
            self.block(depth);
        }
        self.line("}");
    }

    fn if_let_statement(&mut self, depth: u32) {
        let of = scalar(&mut self.choose);
        let option = self.expr(&Ty::option(of.clone()), depth, false);
        let (name, mutable) = (self.fresh(), self.choose.once_in(3));
        let front = if mutable { "mut " } else { "" };
        self.line(format!("if let Some({front}{name}) = {option} {{"));
        let (text, ()) = self.apart(|w| {
            w.declare(&name, of, mutable);
            w.statements(2, depth.saturating_sub(1));
        });
        self.text.push_str(&text);
        self.line("}");
    }

    fn match_statement(&mut self, depth: u32) {
        let (of, arms) = self.arms();
        let value = self.expr(&of, depth, false);
        self.line(format!("match {value} {{"));
        for (pattern, bound) in arms {
            let (text, guard) = self.apart(|w| {
                bound.into_iter().for_each(|(name, ty)| w.declare(&name, ty, false));
                let guard = if pattern.ends_with('?') {
                    format!(" if {}", w.in_closure(|w| w.condition(1)))
                } else {
                    String::new()
                };
                w.statements(1, depth.saturating_sub(1));
                guard
            });
            self.line(format!("{}{guard} => {{", pattern.trim_end_matches('?')));
            self.text.push_str(&text);
            self.line("}");
        }
        self.line("}");
    }

    /// Returns a label for a loop, or occasionally none.
    fn label(&mut self) -> (Option<String>, String) {
        if !self.choose.once_in(3) {
            return (None, String::new());
        }
        self.names += 1;
        let label = format!("'l{}", self.names);
        (Some(label.clone()), format!("{label}: "))
    }

    fn for_loop(&mut self, depth: u32) {
        let of = int(&mut self.choose);
        let suffix = of.name();
        let (low, high) = (self.choose.below(4), self.choose.below(6));
        let end = if of.is_signed() || self.choose.once_in(2) {
            format!("{high}_{suffix}")
        } else {
            format!("({} % 6)", self.leaf(&of, false))
        };
        let low = if of.is_signed() && self.choose.once_in(2) { format!("-{low}") } else { low.to_string() };
        let range = match self.choose.below(5) {
            0 | 1 => format!("{low}..{end}"),
            2 => format!("{low}..={end}"),
            3 => format!("({low}..{end}).rev()"),
            _ => format!("({low}..={end}).step_by({})", 1 + self.choose.below(3)),
        };
        let (label, front) = self.label();
        let name = self.fresh();
        self.line(format!("{front}for {name} in {range} {{"));
        self.loop_body(label, depth, |w| w.declare(&name, of, false));
        self.line("}");
    }

    fn while_loop(&mut self, depth: u32) {
        self.names += 1;
        let (counter, turns) = (format!("n{}", self.names), self.choose.below(5));
        self.line(format!("let mut {counter} = 0u8;"));
        let condition = self.condition(depth);
        let (label, front) = self.label();
        self.line(format!("{front}while {counter} < {turns} && {condition} {{"));
        self.line(format!("{counter} += 1;"));
        self.loop_body(label, depth, |_| ());
        self.line("}");
    }

    fn loop_body(&mut self, label: Option<String>, depth: u32, declare: impl FnOnce(&mut Self)) {
        self.place.loops.push(Loop { label, value: false });
        let count = 1 + self.choose.below(2);
        let (text, ()) = self.apart(|w| {
            declare(w);
            w.statements(count, depth.saturating_sub(1));
        });
        self.text.push_str(&text);
        self.place.loops.pop();
    }

    /// Writes a conditional `return`, or, in a loop, a conditional `break` or `continue`.
    fn leave(&mut self, depth: u32) {
        let condition = self.condition(depth);
        let labels: Vec<String> = self.place.loops.iter().filter_map(|around| around.label.clone()).collect();
        let inner = self.place.loops.last().cloned();
        let how = match (inner, self.choose.below(4)) {
            (Some(inner), 1) if !inner.value => "break".to_owned(),
            (Some(inner), 2) if !inner.value => "continue".to_owned(),
            (Some(_), 3) if !labels.is_empty() => {
                let label = &labels[self.choose.below(labels.len())];
                format!("{} {label}", ["break", "continue"][self.choose.below(2)])
            }
            _ => {
                let output = self.place.returns.clone();
                format!("return {}", self.expr(&output, depth.min(1), true))
            }
        };
        self.line(format!("if {condition} {{ {how}; }}"));
    }

    /// Writes a call of a helper that takes a `&mut` parameter, for its side effect.
    fn call_statement(&mut self, depth: u32) {
        let found: Vec<_> = self
            .functions
            .iter()
            .filter(|f| f.parameters.iter().any(|parameter| parameter.1))
            .cloned()
            .collect();
        let function = self.choose.pick(&found).cloned();
        match function.and_then(|function| self.call_of(&function, depth)) {
            Some(call) => self.line(format!("{call};")),
            None => self.let_statement(depth),
        }
    }

    /// Writes an assertion that fails for some inputs.
    fn assert_equal(&mut self, depth: u32) {
        let of = int(&mut self.choose);
        let left = self.expr(&of, depth.min(1), false);
        let right = self.expr(&of, 0, true);
        self.line(format!("assert!(({left}) != {right});"));
    }
}
