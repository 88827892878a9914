//! Compares the messages that `edge` returns with the sender's value: whether they are never below it, or never above
//! it, on any edge. Engines stop early only if they know this (`until_settled`).
//!
//! The analysis derives a few facts about each number that `edge` computes. It knows sums, differences, `min`, `max`
//! and saturating operations, and follows names, branches and calls. It knows nothing about any other number, so the
//! facts hold for every input. As in a debug build, it is assumed that no operation overflows.

use super::{
    Arm, BinaryOp, Block, Bodies, Condition, Expr, ExprKind, Function, Mutability, Pattern, Stmt, Ty,
};

/// Facts about the messages of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Messages {
    /// No message is below the sender's value.
    pub(crate) at_least: bool,
    /// No message is above the sender's value.
    pub(crate) at_most: bool,
    /// Every message is the sum of the sender's value and the weight.
    pub(crate) adds_weight: bool,
    /// If the sender's value is NaN, so is every message.
    pub(crate) keeps_nan: bool,
}

/// Returns the facts about the messages of `edge`. `non_negative` is `true` if weights are known to be at least 0.
pub(super) fn messages(bodies: &Bodies, non_negative: bool) -> Messages {
    let edge = Facts { is_edge: true, ..Facts::NONE };
    let facts = returned(&bodies.methods.edge, &[edge], bodies, non_negative);
    let Facts { at_least, at_most, adds_weight, keeps_nan, .. } = facts;
    Messages { at_least, at_most, adds_weight, keeps_nan }
}

/// Facts about an expression. Those about an `Option` are facts about the number that it may contain.
#[derive(Clone, Copy)]
struct Facts {
    /// It is the edge.
    is_edge: bool,
    /// It is the edge's weight.
    is_weight: bool,
    /// It is a number that is at least the sender's value.
    at_least: bool,
    /// It is a number that is at most the sender's value.
    at_most: bool,
    /// It is a number that is at least 0.
    non_negative: bool,
    /// It is not NaN.
    is_number: bool,
    /// It is the sum of the sender's value and the weight.
    adds_weight: bool,
    /// It is NaN if the sender's value is. For any other fact, the sender's value is a number.
    keeps_nan: bool,
}

impl Facts {
    /// Facts about an unknown value.
    const NONE: Facts = Facts {
        is_edge: false,
        is_weight: false,
        at_least: false,
        at_most: false,
        non_negative: false,
        is_number: false,
        adds_weight: false,
        keeps_nan: false,
    };

    /// Facts about a value that never exists: everything holds for it.
    const NEVER: Facts = Facts {
        is_edge: true,
        is_weight: true,
        at_least: true,
        at_most: true,
        non_negative: true,
        is_number: true,
        adds_weight: true,
        keeps_nan: true,
    };

    /// Returns the facts about a value that is one of two.
    fn either(self, other: Facts) -> Facts {
        Facts {
            is_edge: self.is_edge && other.is_edge,
            is_weight: self.is_weight && other.is_weight,
            at_least: self.at_least && other.at_least,
            at_most: self.at_most && other.at_most,
            non_negative: self.non_negative && other.non_negative,
            is_number: self.is_number && other.is_number,
            adds_weight: self.adds_weight && other.adds_weight,
            keeps_nan: self.keeps_nan && other.keeps_nan,
        }
    }

    fn is_value(self) -> bool {
        self.at_least && self.at_most
    }

    fn sum(self, other: Facts) -> Facts {
        Facts {
            at_least: self.at_least && other.non_negative || other.at_least && self.non_negative,
            non_negative: self.non_negative && other.non_negative,
            adds_weight: self.is_value() && other.is_weight || other.is_value() && self.is_weight,
            keeps_nan: self.keeps_nan || other.keeps_nan,
            ..Facts::NONE
        }
    }

    fn difference(self, other: Facts) -> Facts {
        let keeps_nan = self.keeps_nan || other.keeps_nan;
        Facts { at_most: self.at_most && other.non_negative, keeps_nan, ..Facts::NONE }
    }

    /// Returns `true` if a minimum or maximum of the two has a property because one of them has it. Of a number and
    /// NaN the result is the number, so an operand that may be NaN decides nothing alone.
    fn one_of(self, other: Facts, has: impl Fn(Facts) -> bool) -> bool {
        let decides = |facts: Facts| has(facts) && facts.is_number;
        decides(self) || decides(other) || has(self) && has(other)
    }

    fn min(self, other: Facts) -> Facts {
        Facts {
            at_least: self.at_least && other.at_least,
            at_most: self.one_of(other, |facts| facts.at_most),
            non_negative: self.non_negative && other.non_negative,
            is_number: self.is_number || other.is_number,
            keeps_nan: self.keeps_nan && other.keeps_nan,
            ..Facts::NONE
        }
    }

    fn max(self, other: Facts) -> Facts {
        Facts {
            at_least: self.one_of(other, |facts| facts.at_least),
            at_most: self.at_most && other.at_most,
            non_negative: self.one_of(other, |facts| facts.non_negative),
            is_number: self.is_number || other.is_number,
            keeps_nan: self.keeps_nan && other.keeps_nan,
            ..Facts::NONE
        }
    }
}

/// Returns the facts about what a function returns for these arguments.
fn returned(function: &Function, arguments: &[Facts], bodies: &Bodies, non_negative: bool) -> Facts {
    let mut locals = arguments.to_vec();
    locals.resize(function.locals.len().max(arguments.len()), Facts::NONE);
    for (local, facts) in function.locals.iter().zip(&mut locals) {
        if local.mutability == Mutability::Mutable {
            *facts = Facts::NONE;
        }
    }
    let mut analysis = Analysis { function, bodies, non_negative, locals, returned: Facts::NEVER };
    let value = analysis.of_block(&function.body);
    value.either(analysis.returned)
}

/// Returns `true` if a number of this type, or the number that such an option contains, is at least 0.
fn is_unsigned(ty: &Ty) -> bool {
    match ty.behind() {
        Ty::Int(int) => !int.is_signed(),
        Ty::Option(of) => is_unsigned(of),
        _ => false,
    }
}

/// Returns `true` if this is an integer type, or an option of one.
fn is_integer(ty: &Ty) -> bool {
    match ty.behind() {
        Ty::Int(_) => true,
        Ty::Option(of) => is_integer(of),
        _ => false,
    }
}

/// The analysis of one call of a function.
struct Analysis<'a> {
    function: &'a Function,
    bodies: &'a Bodies,
    non_negative: bool,
    /// Facts about the locals that are assigned only once, where they are declared.
    locals: Vec<Facts>,
    /// Facts about what the function has returned early.
    returned: Facts,
}

impl Analysis<'_> {
    fn of_block(&mut self, block: &Block) -> Facts {
        for statement in &block.statements {
            match statement {
                Stmt::Let(pattern, value) => {
                    let facts = self.of(value);
                    self.bind(pattern, facts);
                }
                Stmt::LetElse(pattern, value, otherwise) => {
                    let facts = self.of(value);
                    self.bind(pattern, facts);
                    self.of_block(otherwise);
                }
                Stmt::Expr(value) => {
                    self.of(value);
                }
                Stmt::Declare(_) => {}
            }
        }
        // A block without a tail has no value, unless it never ends.
        block.tail.as_ref().map_or(Facts::NEVER, |tail| self.of(tail))
    }

    /// Notes facts about the names of a pattern. Nothing is known about the parts of a value, except for an edge's.
    fn bind(&mut self, pattern: &Pattern, facts: Facts) {
        match pattern {
            Pattern::Bind(local, inner) => {
                if self.function.locals[*local].mutability == Mutability::Fixed {
                    self.locals[*local] = facts;
                }
                if let Some(inner) = inner {
                    self.bind(inner, facts);
                }
            }
            Pattern::Some(inner) | Pattern::Behind(_, inner) => self.bind(inner, facts),
            Pattern::Struct(Ty::Edge, fields) if facts.is_edge => {
                for (name, part) in fields {
                    let facts = self.field_of_edge(name);
                    self.bind(part, facts);
                }
            }
            _ => {}
        }
    }

    fn field_of_edge(&self, name: &proc_macro2::Ident) -> Facts {
        if name == "value" {
            Facts { at_least: true, at_most: true, is_number: true, keeps_nan: true, ..Facts::NONE }
        } else if name == "weight" {
            Facts { is_weight: true, non_negative: self.non_negative, ..Facts::NONE }
        } else {
            Facts::NONE
        }
    }

    /// Returns the facts about an expression.
    fn of(&mut self, expr: &Expr) -> Facts {
        let mut facts = self.by_kind(expr);
        facts.non_negative |= is_unsigned(&expr.ty);
        facts.is_number |= is_integer(&expr.ty);
        facts
    }

    fn by_kind(&mut self, expr: &Expr) -> Facts {
        match &expr.kind {
            ExprKind::Local(local) => self.locals[*local],
            ExprKind::Int(_, super::Sign::Plus) | ExprKind::Float(_) => {
                Facts { non_negative: true, is_number: true, ..Facts::NONE }
            }
            ExprKind::Field(base, name) => match self.of(base) {
                edge if edge.is_edge => self.field_of_edge(name),
                // A part of the weight. Weights are non-negative if all their parts are.
                weight if weight.is_weight => Facts { non_negative: weight.non_negative, ..Facts::NONE },
                _ => Facts::NONE,
            },
            ExprKind::Binary(BinaryOp::Add, left, right, _) => self.of(left).sum(self.of(right)),
            ExprKind::Binary(BinaryOp::Sub, left, right, _) => self.of(left).difference(self.of(right)),
            ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div, left, right, _) => {
                let non_negative = self.of(left).non_negative & self.of(right).non_negative;
                Facts { non_negative, ..Facts::NONE }
            }
            ExprKind::Method(method, parts, ..) => {
                let parts: Vec<Facts> = parts.iter().map(|part| self.of(part)).collect();
                of_method(method.name, &parts)
            }
            // A cast to a float keeps the sign. Other casts may wrap.
            ExprKind::Cast(inner) => {
                let Facts { non_negative, is_number, .. } = self.of(inner);
                let to_float = matches!(expr.ty, Ty::Float(_));
                let (non_negative, is_number) = (non_negative && to_float, is_number && to_float);
                Facts { non_negative, is_number, ..Facts::NONE }
            }
            ExprKind::Call(function, arguments) => {
                let arguments: Vec<Facts> = arguments.iter().map(|argument| self.of(argument)).collect();
                returned(&self.bodies.functions[*function], &arguments, self.bodies, self.non_negative)
            }
            ExprKind::Some(inner)
            | ExprKind::Try(inner)
            | ExprKind::Borrow(_, inner)
            | ExprKind::Deref(inner) => self.of(inner),
            // No message: there is nothing to compare.
            ExprKind::None | ExprKind::Fault(..) => Facts::NEVER,
            ExprKind::Return(value) => {
                let facts = self.of(value);
                self.returned = self.returned.either(facts);
                Facts::NEVER
            }
            ExprKind::Block(block) => self.of_block(block),
            ExprKind::If(conditions, then, otherwise) => {
                conditions.iter().for_each(|condition| self.meet(condition));
                let then = self.of_block(then);
                otherwise.as_ref().map_or(Facts::NONE, |otherwise| then.either(self.of(otherwise)))
            }
            ExprKind::Match(value, arms) => self.of_match(value, arms),
            _ => self.of_other(expr),
        }
    }

    fn of_match(&mut self, value: &Expr, arms: &[Arm]) -> Facts {
        let value = self.of(value);
        arms.iter().fold(Facts::NEVER, |all, Arm { pattern, guard, body }| {
            self.bind(pattern, value);
            if let Some(guard) = guard {
                self.of(guard);
            }
            all.either(self.of(body))
        })
    }

    fn meet(&mut self, condition: &Condition) {
        match condition {
            Condition::Is(value) => {
                self.of(value);
            }
            Condition::Let(pattern, value) => {
                let facts = self.of(value);
                self.bind(pattern, facts);
            }
        }
    }

    /// Returns the facts about an expression of any other kind. If the function may return inside of it, nothing is
    /// known about what the function returns.
    fn of_other(&mut self, expr: &Expr) -> Facts {
        let mut returns = false;
        super::visit(expr, &mut |part| returns |= matches!(part.kind, ExprKind::Return(_)));
        if returns {
            self.returned = Facts::NONE;
        }
        Facts::NONE
    }
}

/// Returns the facts about what a method returns, from the facts about the receiver and the arguments.
fn of_method(name: &str, parts: &[Facts]) -> Facts {
    match (name, parts) {
        ("min", &[a, b]) => a.min(b),
        ("max", &[a, b]) => a.max(b),
        ("saturating_add" | "checked_add", &[a, b]) => Facts { adds_weight: false, ..a.sum(b) },
        ("saturating_sub" | "checked_sub", &[a, b]) => a.difference(b),
        ("abs" | "sqrt", &[_]) => Facts { non_negative: true, ..Facts::NONE },
        _ => Facts::NONE,
    }
}
