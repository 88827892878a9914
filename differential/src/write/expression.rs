//! Expressions of any type: named values, literals, and the forms that every type has.

use super::Writer;
use crate::types::{Ty, U32, USIZE, int, literal, scalar};

/// A pattern, and the variables that it binds. A `?` at the end of the pattern marks an arm with a guard.
type Arm = (String, Vec<(String, Ty)>);

impl Writer<'_> {
    /// Returns an expression of this type. If `known`, the context determines the type, so that a literal may omit it.
    pub(super) fn expr(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        if depth == 0 || self.choose.has_ended() {
            return self.leaf(ty, known);
        }
        if self.values.as_ref() == Some(ty) && self.choose.once_in(5) {
            return format!("v.value_at({})", self.index_of_value());
        }
        match self.choose.below(19) {
            16 => self.labelled_block(ty, depth - 1),
            17 => self.method_call(ty, depth - 1).unwrap_or_else(|| self.own(ty, depth - 1, known)),
            18 => self.associated_const(ty).unwrap_or_else(|| self.own(ty, depth - 1, known)),
            0..=3 => self.leaf(ty, known),
            4..=9 => self.own(ty, depth - 1, known),
            10 => self.if_expr(ty, depth - 1, known),
            11 => self.match_expr(ty, depth - 1, known),
            12 => self.block_expr(ty, depth - 1, known),
            13 => self.unwrapped(ty, depth - 1, known),
            14 => self.loop_expr(ty, depth - 1),
            _ => self.call(ty, depth - 1).unwrap_or_else(|| self.own(ty, depth - 1, known)),
        }
    }

    /// Returns a variable of this type, a part of a variable, or a constant. If `mutable`, it can be assigned to.
    pub(super) fn named(&mut self, ty: &Ty, mutable: bool) -> Option<String> {
        let mut found = Vec::new();
        for variable in self.visible() {
            if mutable && (!variable.mutable || self.place.in_closure) {
                continue;
            }
            let name =
                if variable.reference { format!("(*{})", variable.name) } else { variable.name.clone() };
            if variable.ty == *ty {
                found.push((name.clone(), None));
            }
            // Rust dereferences automatically when a part is accessed, so no star is needed.
            let base = &variable.name;
            match &variable.ty {
                Ty::Struct(index) => {
                    let fields = self.structs[*index].iter().enumerate().filter(|(_, field)| *field == ty);
                    found.extend(fields.map(|(field, _)| (format!("{base}.f{field}"), None)));
                }
                Ty::Tuple(parts) => {
                    let parts = parts.iter().enumerate().filter(|(_, part)| *part == ty);
                    found.extend(parts.map(|(part, _)| (format!("{base}.{part}"), None)));
                }
                Ty::Array(of, length) if **of == *ty => found.push((base.clone(), Some(*length))),
                _ => {}
            }
        }
        if !mutable {
            let constants = self.consts.iter().enumerate().filter(|(_, constant)| *constant == ty);
            found.extend(constants.map(|(index, _)| (format!("C{index}"), None)));
        }
        let (name, length) = self.choose.pick(&found)?.clone();
        Some(match length {
            Some(length) => format!("{name}[{}]", self.index(length)),
            None => name,
        })
    }

    /// Returns an index for `v.value_at`. The harness has 8 values, so most indices are within bounds.
    pub(super) fn index_of_value(&mut self) -> String {
        format!("{} % 9", self.leaf(&U32, false))
    }

    /// Returns an index into an array. Most indices are within bounds.
    fn index(&mut self, length: usize) -> String {
        match self.choose.below(4) {
            0 => self.choose.below(length).to_string(),
            1 | 2 => format!("{} % {length}", self.leaf(&USIZE, true)),
            _ => format!("{} % {}", self.leaf(&USIZE, true), length + 1),
        }
    }

    /// Returns an expression of this type that is a name or a literal, or a cast of one. After the end of the choices, it
    /// depends on an input if possible.
    pub(super) fn leaf(&mut self, ty: &Ty, known: bool) -> String {
        if !self.choose.once_in(3)
            && let Some(name) = self.named(ty, false)
        {
            return name;
        }
        match ty {
            Ty::Int(_) if !self.choose.once_in(2) => {
                // Most inputs are `u64`, so a cast is needed to use them.
                let name = self.named(&crate::types::U64, false);
                name.map_or_else(
                    || literal(ty, known, &mut self.choose),
                    |name| format!("({name} as {})", ty.name()),
                )
            }
            Ty::F32 | Ty::F64 if !self.choose.once_in(2) => match self.named(&crate::types::U64, false) {
                Some(name) => format!("({name} as {} * 0.25)", ty.name()),
                None => literal(ty, known, &mut self.choose),
            },
            Ty::Bool if !self.choose.once_in(4) => match self.named(&crate::types::U64, false) {
                Some(name) => {
                    let operator = ["!=", "<", "==", ">"][self.choose.below(4)];
                    format!("({name} % 8 {operator} {})", self.choose.below(8))
                }
                None => literal(ty, known, &mut self.choose),
            },
            Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Bool => literal(ty, known, &mut self.choose),
            Ty::Option(of) => match (known, self.choose.below(3)) {
                (true, 0) => "None".into(),
                _ => format!("Some({})", self.leaf(of, known)),
            },
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.leaf(part, known)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Array(of, length) if self.choose.once_in(2) => {
                format!("[{}; {length}]", self.leaf(of, known))
            }
            Ty::Array(of, length) => {
                let parts: Vec<String> = (0..*length).map(|_| self.leaf(of, known)).collect();
                format!("[{}]", parts.join(", "))
            }
            Ty::Struct(index) => {
                let types = self.structs[*index].clone();
                let field = |(field, ty): (usize, &Ty)| format!("f{field}: {}", self.leaf(ty, true));
                let fields: Vec<String> = types.iter().enumerate().map(field).collect();
                format!("S{index} {{ {} }}", fields.join(", "))
            }
            Ty::Enum(index) => format!("E{index}::V{}", self.choose.below(self.enums[*index])),
        }
    }

    /// Returns an expression with an operation that is specific to this type.
    pub(super) fn own(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        match ty {
            Ty::Int(_) => self.int_operation(ty, depth, known),
            Ty::F32 | Ty::F64 => self.float_operation(ty, depth, known),
            Ty::Bool => self.question(depth),
            Ty::Option(of) => self.option_operation(of, depth, known),
            Ty::Tuple(parts) => match self.overflowing(parts, depth) {
                Some(text) => text,
                None => {
                    let parts: Vec<String> = parts.iter().map(|part| self.expr(part, depth, known)).collect();
                    format!("({})", parts.join(", "))
                }
            },
            Ty::Struct(index) => {
                let types = self.structs[*index].clone();
                let mut fields: Vec<usize> = (0..types.len()).collect();
                // Fields are evaluated in the order in which they are written.
                fields.rotate_left(self.choose.below(types.len()));
                let field = |field: usize| format!("f{field}: {}", self.expr(&types[field], depth, true));
                let fields: Vec<String> = fields.into_iter().map(field).collect();
                format!("S{index} {{ {} }}", fields.join(", "))
            }
            Ty::Array(of, length) => {
                let parts: Vec<String> = (0..*length).map(|_| self.expr(of, depth, known)).collect();
                format!("[{}]", parts.join(", "))
            }
            Ty::Enum(_) => self.leaf(ty, known),
        }
    }

    pub(super) fn condition(&mut self, depth: u32) -> String {
        self.expr(&Ty::Bool, depth, true)
    }

    fn if_expr(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        if self.choose.once_in(3) {
            let of = scalar(&mut self.choose);
            let option = self.expr(&Ty::option(of.clone()), depth, false);
            let name = self.fresh();
            let (_, then) = self.apart(|w| {
                w.declare(&name, of, false);
                w.expr(ty, depth, known)
            });
            return format!(
                "(if let Some({name}) = {option} {{ {then} }} else {{ {} }})",
                self.expr(ty, depth, known)
            );
        }
        let condition = self.condition(depth);
        let then = self.expr(ty, depth, known);
        format!("(if {condition} {{ {then} }} else {{ {} }})", self.expr(ty, depth, known))
    }

    /// Returns a block with a statement before its value.
    fn block_expr(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        if self.place.in_closure {
            return self.expr(ty, depth, known);
        }
        let (statements, value) = self.apart(|w| {
            w.statements(1, depth.min(1));
            w.expr(ty, depth, known)
        });
        format!("{{\n{statements}{value}\n}}")
    }

    /// Returns a `match` over numbers with ranges and guards, options, tuples, enums or bools.
    fn match_expr(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        let (of, arms) = self.arms();
        let value = self.expr(&of, depth, false);
        let arms: Vec<String> = arms
            .into_iter()
            .map(|(pattern, bound)| {
                let (_, arm) = self.apart(|w| {
                    bound.into_iter().for_each(|(name, ty)| w.declare(&name, ty, false));
                    let guard = if pattern.ends_with('?') {
                        format!(" if {}", w.in_closure(|w| w.condition(1)))
                    } else {
                        String::new()
                    };
                    (guard, w.expr(ty, depth, known))
                });
                format!("{}{} => {},", pattern.trim_end_matches('?'), arm.0, arm.1)
            })
            .collect();
        format!("(match {value} {{ {} }})", arms.join(" "))
    }

    /// Returns the type of the matched value, and the arms.
    pub(super) fn arms(&mut self) -> (Ty, Vec<Arm>) {
        match self.choose.below(6) {
            0 | 1 => {
                let of = int(&mut self.choose);
                let name = self.fresh();
                let mut arms = vec![("0 | 3".to_owned(), vec![]), ("1..=2".to_owned(), vec![])];
                arms.push(match self.choose.below(3) {
                    0 => ("4..10".to_owned(), vec![]),
                    1 => (format!("{name}?"), vec![(name.clone(), of.clone())]),
                    _ => (format!("{name} @ 5..=100"), vec![(name.clone(), of.clone())]),
                });
                let last = if self.choose.once_in(2) {
                    ("_".to_owned(), vec![])
                } else {
                    (name.clone(), vec![(name, of.clone())])
                };
                arms.push(last);
                (of, arms)
            }
            2 => {
                let of = scalar(&mut self.choose);
                let name = self.fresh();
                let mut arms = vec![];
                if self.choose.once_in(2) {
                    arms.push((format!("Some({name})?"), vec![(name.clone(), of.clone())]));
                }
                if of.is_int() && self.choose.once_in(3) {
                    arms.push(("Some(1..=9)".to_owned(), vec![]));
                }
                arms.push(("None".to_owned(), vec![]));
                arms.push((format!("Some({name})"), vec![(name, of.clone())]));
                (Ty::option(of), arms)
            }
            3 => {
                let of = int(&mut self.choose);
                let name = self.fresh();
                let ty = Ty::Tuple(vec![of.clone(), Ty::Bool]);
                let arms = vec![
                    ("(0, true)".to_owned(), vec![]),
                    (format!("({name}, false)"), vec![(name.clone(), of.clone())]),
                    (format!("({name}, _)?"), vec![(name, of)]),
                    ("(_, true)".to_owned(), vec![]),
                ];
                (ty, arms)
            }
            4 if !self.enums.is_empty() => {
                let index = self.choose.below(self.enums.len());
                let variants = self.enums[index];
                let mut arms: Vec<_> =
                    (0..variants).map(|variant| (format!("E{index}::V{variant}"), vec![])).collect();
                if variants > 1 && self.choose.once_in(2) {
                    arms[variants - 1].0 = "_".into();
                }
                (Ty::Enum(index), arms)
            }
            _ => (Ty::Bool, vec![("true".to_owned(), vec![]), ("false".to_owned(), vec![])]),
        }
    }

    /// Returns an expression that unwraps an option of this type.
    fn unwrapped(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        let option = self.expr(&Ty::option(ty.clone()), depth, false);
        let option = format!("({option})");
        match self.choose.below(5) {
            0 | 1 => format!("{option}.unwrap_or({})", self.expr(ty, depth, true)),
            2 if matches!(self.place.returns, Ty::Option(_)) && !self.place.in_closure => {
                format!("{option}?")
            }
            3 => format!("{option}.unwrap()"),
            4 if ty.is_scalar() => format!("{option}.unwrap_or_default()"),
            _ => {
                let otherwise = self.in_closure(|w| w.expr(ty, depth, known));
                format!("{option}.unwrap_or_else(|| {otherwise})")
            }
        }
    }

    pub(super) fn in_closure<R>(&mut self, write: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.place.in_closure, true);
        let result = write(self);
        self.place.in_closure = before;
        result
    }

    /// Returns a `loop` that evaluates to a value.
    fn loop_expr(&mut self, ty: &Ty, depth: u32) -> String {
        if self.place.in_closure {
            return self.expr(ty, depth, false);
        }
        let (statements, value) = self.apart(|w| {
            w.names += 1;
            let counter = format!("n{}", w.names);
            w.line(format!("let mut {counter} = 0u32;"));
            w.line("loop {");
            w.declare(&counter, crate::types::U32, false);
            w.line(format!("{counter} += 1;"));
            w.place.loops.push(super::Loop { label: None, value: true });
            w.statements(1, depth.min(1));
            let condition = w.condition(depth);
            let turns = 1 + w.choose.below(4);
            let value = w.expr(ty, depth, false);
            w.place.loops.pop();
            w.line(format!("if {counter} > {turns} || {condition} {{ break {value}; }}"));
            "}"
        });
        format!("{{\n{statements}{value}\n}}")
    }

    /// Returns a call of a helper that returns this type.
    fn call(&mut self, ty: &Ty, depth: u32) -> Option<String> {
        let found: Vec<_> =
            self.functions.iter().filter(|function| function.output == *ty).cloned().collect();
        let function = self.choose.pick(&found)?.clone();
        self.call_of(&function, depth)
    }

    pub(super) fn call_of(&mut self, function: &super::Signature, depth: u32) -> Option<String> {
        let mut arguments = Vec::new();
        for (ty, reference) in &function.parameters {
            arguments.push(match reference {
                false => self.expr(ty, depth, true),
                true => self.borrowed(ty)?,
            });
        }
        Some(format!("{}({})", function.name, arguments.join(", ")))
    }

    /// Returns a mutable borrow of a variable of this type.
    fn borrowed(&mut self, ty: &Ty) -> Option<String> {
        if self.place.in_closure {
            return None;
        }
        let found: Vec<_> =
            self.visible().into_iter().filter(|variable| variable.ty == *ty && variable.mutable).collect();
        let variable = self.choose.pick(&found)?;
        Some(if variable.reference { variable.name.clone() } else { format!("&mut {}", variable.name) })
    }
}
