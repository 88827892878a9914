//! Operators and methods, ordered by the type of their result.

use super::Writer;
use super::method::{FLOATS, INTS_BOTH, INTS_SIGNED, INTS_UNSIGNED, Method, Takes};
use crate::types::{I32, Ty, U32, U64, int, scalar};

impl Writer<'_> {
    pub(super) fn int_operation(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        match self.choose.below(10) {
            0..=3 => {
                let operator = ["+", "-", "*", "/", "%", "&", "|", "^"][self.choose.below(8)];
                self.binary(ty, operator, depth, known)
            }
            4 => {
                let by = int(&mut self.choose);
                let operator = ["<<", ">>"][self.choose.below(2)];
                let left = self.expr(ty, depth, false);
                format!("({left} {operator} {})", self.amount(&by, depth))
            }
            5 => match (ty.is_signed(), self.choose.below(2)) {
                (true, 1) => format!("(-({}))", self.expr(ty, depth, false)),
                _ => format!("(!({}))", self.expr(ty, depth, known)),
            },
            6 => {
                let from = scalar(&mut self.choose);
                format!("(({}) as {})", self.expr(&from, depth, false), ty.name())
            }
            7 if *ty == U32 && self.choose.once_in(2) => self.counted(depth),
            7 if *ty == U64 && self.choose.once_in(2) => self.random(depth),
            _ => self.int_method(ty, depth),
        }
    }

    fn binary(&mut self, ty: &Ty, operator: &str, depth: u32, known: bool) -> String {
        let left = self.expr(ty, depth, known);
        format!("({left} {operator} {})", self.expr(ty, depth, true))
    }

    /// Returns the amount of a shift. Most amounts are below the width.
    fn amount(&mut self, by: &Ty, depth: u32) -> String {
        let amount = self.expr(by, depth, false);
        if self.choose.once_in(3) { amount } else { format!("(({amount}) & 7)") }
    }

    /// Returns a call of a method that returns its receiver's type.
    fn int_method(&mut self, ty: &Ty, depth: u32) -> String {
        let own = if ty.is_signed() { INTS_SIGNED } else { INTS_UNSIGNED };
        let methods: Vec<&Method> =
            INTS_BOTH.iter().chain(own).filter(|method| method.front.is_empty()).collect();
        let method = self.choose.pick(&methods).copied();
        match method {
            Some(method) => self.method(method, ty, depth),
            None => self.leaf(ty, false),
        }
    }

    /// Returns a call of an integer's method that returns `u32`.
    fn counted(&mut self, depth: u32) -> String {
        const COUNTS: [&str; 9] = [
            "count_ones",
            "count_zeros",
            "leading_zeros",
            "trailing_zeros",
            "leading_ones",
            "trailing_ones",
            "ilog2",
            "ilog10",
            "ilog",
        ];
        let of = int(&mut self.choose);
        let name = COUNTS[self.choose.below(COUNTS.len())];
        let receiver = self.expr(&of, depth, false);
        let argument = if name == "ilog" { self.expr(&of, depth, true) } else { String::new() };
        format!("({receiver}).{name}({argument})")
    }

    /// Returns a call of the generator of random numbers.
    fn random(&mut self, depth: u32) -> String {
        let arguments: Vec<String> = (0..3).map(|_| self.expr(&U64, depth, true)).collect();
        format!("random({})", arguments.join(", "))
    }

    /// Returns a call of this method on a receiver of the type `ty`.
    fn method(&mut self, method: &Method, ty: &Ty, depth: u32) -> String {
        let receiver = self.expr(ty, depth, false);
        let arguments: Vec<String> = method
            .takes
            .iter()
            .map(|takes| match takes {
                Takes::Same => self.expr(ty, depth, true),
                Takes::OtherSign => self.expr(&ty.other_sign().unwrap_or(U32), depth, true),
                Takes::Amount => self.amount(&U32, depth),
                Takes::Exponent => format!("({} % 6)", self.expr(&U32, depth, false)),
            })
            .collect();
        format!("({receiver}).{}{}({})", method.front, method.name, arguments.join(", "))
    }

    pub(super) fn float_operation(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        match self.choose.below(8) {
            0..=3 => {
                let operator = ["+", "-", "*", "/", "%"][self.choose.below(5)];
                self.binary(ty, operator, depth, known)
            }
            4 => format!("(-({}))", self.expr(ty, depth, known)),
            5 => {
                let from = match scalar(&mut self.choose) {
                    Ty::Bool => I32,
                    from => from,
                };
                format!("(({}) as {})", self.expr(&from, depth, false), ty.name())
            }
            _ => {
                let method = self.choose.below(FLOATS.len());
                self.method(&FLOATS[method], ty, depth)
            }
        }
    }

    /// Returns a condition: a comparison, a logical operation, or a method that returns a `bool`.
    pub(super) fn question(&mut self, depth: u32) -> String {
        match self.choose.below(11) {
            9 | 10 => self.wide_question(depth),
            0..=2 => {
                let of = scalar(&mut self.choose);
                let operators: &[&str] =
                    if of == Ty::Bool { &["==", "!="] } else { &["<", "<=", "==", "!=", ">", ">="] };
                let operator = operators[self.choose.below(operators.len())];
                let left = self.expr(&of, depth, false);
                format!("({left} {operator} {})", self.expr(&of, depth, true))
            }
            3 | 4 => {
                let operator = ["&&", "||", "&", "|", "^"][self.choose.below(5)];
                self.binary(&Ty::Bool, operator, depth, true)
            }
            5 => format!("(!({}))", self.condition(depth)),
            6 => {
                let of = Ty::option(scalar(&mut self.choose));
                let method = ["is_some", "is_none"][self.choose.below(2)];
                format!("({}).{method}()", self.expr(&of, depth, false))
            }
            7 => self.option_question(depth),
            _ => {
                let of = if self.choose.once_in(2) { Ty::F64 } else { Ty::F32 };
                let method =
                    ["is_nan", "is_finite", "is_infinite", "is_normal", "is_subnormal"][self.choose.below(5)];
                format!("({}).{method}()", self.expr(&of, depth, false))
            }
        }
    }

    fn option_question(&mut self, depth: u32) -> String {
        let of = scalar(&mut self.choose);
        let option = self.expr(&Ty::option(of.clone()), depth, false);
        let name = self.fresh();
        let test = self.closure(&name, &of, &Ty::Bool, depth);
        format!("({option}).is_some_and(|{name}| {test})")
    }

    /// Returns the body of a closure whose parameter has this name and the type `of`.
    pub(super) fn closure(&mut self, name: &str, of: &Ty, output: &Ty, depth: u32) -> String {
        let write = |w: &mut Self| {
            w.declare(name, of.clone(), false);
            w.in_closure(|w| w.expr(output, depth, false))
        };
        self.apart(write).1
    }

    pub(super) fn option_operation(&mut self, of: &Ty, depth: u32, known: bool) -> String {
        let whole = Ty::option(of.clone());
        match self.choose.below(9) {
            0 | 1 => format!("Some({})", self.expr(of, depth, known)),
            2 if of.is_int() => {
                let own = if of.is_signed() { INTS_SIGNED } else { INTS_UNSIGNED };
                let methods: Vec<&Method> =
                    INTS_BOTH.iter().chain(own).filter(|method| method.front == "checked_").collect();
                let method = self.choose.pick(&methods).copied();
                match method {
                    Some(method) => self.method(method, of, depth),
                    None => self.leaf(&whole, known),
                }
            }
            3 => format!("({}).then_some({})", self.condition(depth), self.expr(of, depth, false)),
            4 => {
                let condition = self.condition(depth);
                let value = self.in_closure(|w| w.expr(of, depth, false));
                format!("({condition}).then(|| {value})")
            }
            5 => {
                let from = scalar(&mut self.choose);
                let option = self.expr(&Ty::option(from.clone()), depth, false);
                let name = self.fresh();
                if self.choose.once_in(2) {
                    let body = self.closure(&name, &from, of, depth);
                    return format!("({option}).map(|{name}| {body})");
                }
                let body = self.closure(&name, &from, &whole, depth);
                format!("({option}).and_then(|{name}| {body})")
            }
            6 => {
                let method = ["or", "xor"][self.choose.below(2)];
                let left = self.expr(&whole, depth, false);
                format!("({left}).{method}({})", self.expr(&whole, depth, true))
            }
            7 => {
                let from = Ty::option(scalar(&mut self.choose));
                let left = self.expr(&from, depth, false);
                format!("({left}).and({})", self.expr(&whole, depth, false))
            }
            _ => {
                let option = self.expr(&whole, depth, false);
                let name = self.fresh();
                let test = self.closure(&name, of, &Ty::Bool, depth);
                format!("({option}).filter(|&{name}| {test})")
            }
        }
    }

    /// Returns a call that returns a pair: a number, and `true` if it overflowed. `None` if `parts` is not such a pair.
    pub(super) fn overflowing(&mut self, parts: &[Ty], depth: u32) -> Option<String> {
        let [number @ Ty::Int(_), Ty::Bool] = parts else { return None };
        let own = if number.is_signed() { INTS_SIGNED } else { INTS_UNSIGNED };
        let methods: Vec<&Method> =
            INTS_BOTH.iter().chain(own).filter(|method| method.front == "overflowing_").collect();
        let method = self.choose.pick(&methods).copied()?;
        Some(self.method(method, number, depth))
    }
}
