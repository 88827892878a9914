//! Further language features: methods of structs, labelled blocks, and patterns in more positions.

use super::{Loop, Writer};
use crate::types::{Ty, U32, U64, datum, int, scalar};

impl Writer<'_> {
    /// Writes an `impl` block for the last struct: a constant, a method that takes `&self`, and one that takes `&mut
    /// self`.
    pub(super) fn impl_item(&mut self) {
        let index = self.structs.len() - 1;
        let (constant, read, changed) =
            (datum(&mut self.choose), scalar(&mut self.choose), scalar(&mut self.choose));
        self.line(format!("impl S{index} {{"));
        let value = crate::types::literal(&constant, true, &mut self.choose);
        self.line(format!("const K: {} = {value};", constant.name()));
        for (name, front, output, mutable) in
            [("read", "&self", &read, false), ("change", "&mut self", &changed, true)]
        {
            self.variables.clear();
            self.declare("self", Ty::Struct(index), mutable);
            if let Some(own) = self.variables.last_mut() {
                own.reference = true;
            }
            let by = scalar(&mut self.choose);
            self.declare("by", by.clone(), false);
            self.line(format!("fn {name}({front}, by: {}) -> {} {{", by.name(), output.name()));
            self.body(output, 2);
            self.line("}");
            self.methods.push((index, name, by, output.clone(), mutable));
        }
        self.line("}");
        self.associated.push((index, constant));
    }

    /// Returns a call of a struct's method that returns this type.
    pub(super) fn method_call(&mut self, ty: &Ty, depth: u32) -> Option<String> {
        let variables = self.visible();
        let mut found = Vec::new();
        for (of, name, by, output, mutable) in &self.methods {
            let fits = |v: &&super::Variable| {
                v.ty == Ty::Struct(*of) && (!mutable || v.mutable && !self.place.in_closure)
            };
            if output == ty {
                found.extend(variables.iter().filter(fits).map(|v| (v.name.clone(), *name, by.clone())));
            }
        }
        let (receiver, name, by) = self.choose.pick(&found)?.clone();
        // The call borrows the receiver, so the argument must not use it.
        let hidden = std::mem::take(&mut self.variables);
        self.variables = hidden.iter().filter(|variable| variable.name != receiver).cloned().collect();
        let argument = self.expr(&by, depth, true);
        self.variables = hidden;
        Some(format!("{receiver}.{name}({argument})"))
    }

    /// Returns the name of a struct's constant of this type.
    pub(super) fn associated_const(&mut self, ty: &Ty) -> Option<String> {
        let found: Vec<usize> =
            self.associated.iter().filter(|(_, of)| of == ty).map(|(index, _)| *index).collect();
        self.choose.pick(&found).map(|index| format!("S{index}::K"))
    }

    /// Returns a labelled block that evaluates to a value.
    pub(super) fn labelled_block(&mut self, ty: &Ty, depth: u32) -> String {
        if self.place.in_closure {
            return self.expr(ty, depth, false);
        }
        self.names += 1;
        let label = format!("'b{}", self.names);
        // `break` and `continue` without a label are not allowed inside a labelled block.
        self.place.loops.push(Loop { label: None, value: true });
        let (statements, value) = self.apart(|w| {
            w.statements(1, depth.min(1));
            let (condition, early) = (w.condition(depth), w.expr(ty, depth, false));
            w.line(format!("if {condition} {{ break {label} {early}; }}"));
            w.statements(1, depth.min(1));
            w.expr(ty, depth, false)
        });
        self.place.loops.pop();
        format!("({label}: {{\n{statements}{value}\n}})")
    }

    /// Returns a condition about whole values: a comparison of tuples, arrays, enums or options, a range, or a pattern.
    pub(super) fn wide_question(&mut self, depth: u32) -> String {
        match self.choose.below(5) {
            0 => {
                let of = match self.choose.below(4) {
                    0 => Ty::Tuple(vec![scalar(&mut self.choose), scalar(&mut self.choose)]),
                    1 => Ty::Array(Box::new(int(&mut self.choose)), 2),
                    2 if !self.enums.is_empty() => Ty::Enum(self.choose.below(self.enums.len())),
                    _ => Ty::option(scalar(&mut self.choose)),
                };
                let operator = ["==", "!="][self.choose.below(2)];
                let left = self.expr(&of, depth, false);
                format!("(({left}) {operator} ({}))", self.expr(&of, depth, true))
            }
            1 => {
                let of = int(&mut self.choose);
                format!("matches!({}, 1..=9 | 20)", self.expr(&of, depth, false))
            }
            2 => {
                let of = int(&mut self.choose);
                let low = self.expr(&of, depth, false);
                format!("({low}..{}).contains(&({}))", self.leaf(&of, true), self.leaf(&of, true))
            }
            3 => {
                let of = scalar(&mut self.choose);
                let option = self.expr(&Ty::option(of.clone()), depth, false);
                let name = self.fresh();
                let test = self.closure(&name, &of, &Ty::Bool, depth);
                format!("({option}).is_none_or(|{name}| {test})")
            }
            _ => {
                let of = scalar(&mut self.choose);
                let option = self.expr(&Ty::option(of.clone()), depth, false);
                let name = self.fresh();
                let otherwise = self.in_closure(|w| w.condition(0));
                let test = self.closure(&name, &of, &Ty::Bool, depth);
                format!("({option}).map_or({otherwise}, |{name}| {test})")
            }
        }
    }

    /// Writes a statement of a kind that `statement` does not write itself.
    pub(super) fn further_statement(&mut self, depth: u32) {
        match self.choose.below(8) {
            0 => self.array_loop(depth),
            1 => self.while_let(depth),
            2 => {
                let of = scalar(&mut self.choose);
                let option = self.expr(&Ty::option(of.clone()), depth, false);
                let output = self.place.returns.clone();
                let otherwise = self.expr(&output, depth.min(1), true);
                let name = self.fresh();
                self.line(format!("let Some({name}) = ({option}) else {{ return {otherwise}; }};"));
                self.declare(&name, of, false);
            }
            3 => {
                let ty = self.any_type();
                let condition = self.condition(depth);
                let (then, otherwise) = (self.expr(&ty, depth, true), self.expr(&ty, depth, true));
                self.names += 1;
                let name = format!("v{}", self.names - 1);
                self.line(format!("let {name}: {};", ty.name()));
                self.line(format!("if {condition} {{ {name} = {then}; }} else {{ {name} = {otherwise}; }}"));
                self.declare(&name, ty, false);
            }
            4 => {
                let condition = self.condition(depth);
                let (rare, number) = (self.condition(0), self.leaf(&U64, false));
                let how = ["panic!(\"random\")", "unreachable!()"][self.choose.below(2)];
                self.line(format!("if {condition} && {rare} && {number} % 16 == 3 {{ {how}; }}"));
            }
            5 => {
                let of = int(&mut self.choose);
                let left = self.expr(&of, depth.min(1), false);
                let right = self.expr(&of, 0, true);
                let number = self.leaf(&U64, false);
                let name = ["assert_eq!", "assert_ne!"][self.choose.below(2)];
                self.line(format!("if {number} % 8 == 5 {{ {name}({left}, {right}); }}"));
            }
            6 => self.struct_pattern(depth),
            _ => {
                let of = scalar(&mut self.choose);
                let option = self.expr(&Ty::option(of.clone()), depth, false);
                let name = self.fresh();
                let (text, test) = self.apart(|w| {
                    w.declare(&name, of, false);
                    let test = w.condition(depth.min(1));
                    w.statements(1, depth.saturating_sub(1));
                    test
                });
                self.line(format!("if let Some({name}) = {option} && {test} {{"));
                self.text.push_str(&text);
                self.line("}");
            }
        }
    }

    /// Writes a `for` loop over an array.
    fn array_loop(&mut self, depth: u32) {
        let of = scalar(&mut self.choose);
        let length = 1 + self.choose.below(3);
        let array = self.expr(&Ty::Array(Box::new(of.clone()), length), depth, false);
        let name = self.fresh();
        self.line(format!("for {name} in {array} {{"));
        self.place.loops.push(Loop { label: None, value: false });
        let (text, ()) = self.apart(|w| {
            w.declare(&name, of, false);
            w.statements(2, depth.saturating_sub(1));
        });
        self.place.loops.pop();
        self.text.push_str(&text);
        self.line("}");
    }

    fn while_let(&mut self, depth: u32) {
        let of = scalar(&mut self.choose);
        self.names += 1;
        let counter = format!("n{}", self.names);
        self.line(format!("let mut {counter} = 0u8;"));
        self.declare(&counter, Ty::Int(4), false);
        let option = self.expr(&Ty::option(of.clone()), depth, false);
        let name = self.fresh();
        self.line(format!("while let Some({name}) = {option} {{"));
        self.line(format!("{counter} += 1;"));
        let turns = self.choose.below(4);
        self.line(format!("if {counter} > {turns} {{ break; }}"));
        self.place.loops.push(Loop { label: None, value: false });
        let (text, ()) = self.apart(|w| {
            w.declare(&name, of, false);
            w.statements(2, depth.saturating_sub(1));
        });
        self.place.loops.pop();
        self.text.push_str(&text);
        self.line("}");
    }

    /// Writes a `let` with a pattern that destructures a struct or an array.
    fn struct_pattern(&mut self, depth: u32) {
        self.names += 2;
        let (first, second) = (format!("v{}", self.names - 2), format!("v{}", self.names - 1));
        if self.structs.is_empty() || self.choose.once_in(2) {
            let value = self.expr(&Ty::Array(Box::new(U32), 2), depth, true);
            self.line(format!("let [{first}, mut {second}]: [u32; 2] = {value};"));
            self.declare(&first, U32, false);
            self.declare(&second, U32, true);
            return;
        }
        let index = self.choose.below(self.structs.len());
        let value = self.expr(&Ty::Struct(index), depth, false);
        self.line(format!("let S{index} {{ f0: mut {first}, .. }} = {value};"));
        let ty = self.structs[index][0].clone();
        self.declare(&first, ty, true);
    }
}
