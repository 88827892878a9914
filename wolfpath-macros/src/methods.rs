//! The methods that a program may call on numbers and options, as a table: what they apply to, what they take and
//! return, and how they can fault. A method of the table has one function in rust.cuh (`rust::NAME`) and, when it
//! can fault, one in `wolfpath::twin`; otherwise the CPU calls the standard library's.

use crate::model::{Int, Ty};

/// A method of the table.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) on: On,
    pub(crate) takes: &'static [Takes],
    pub(crate) gives: Gives,
    /// What Rust says when it panics, one message a site.
    pub(crate) faults: &'static [&'static str],
}

/// What a method applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    Int,
    Signed,
    Unsigned,
    Float,
    Option,
    /// `from_bits`, which has a type in front instead of a receiver.
    BitsOfFloat,
}

/// What an argument is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Takes {
    Same,
    U32,
    I32,
    /// What the option holds.
    Inner,
}

/// What comes back.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gives {
    Same,
    Bool,
    U32,
    OptionOfSame,
    Unsigned,
    Bits,
    Inner,
}

const ADD: &str = "attempt to add with overflow";
const MUL: &str = "attempt to multiply with overflow";
const NEG: &str = "attempt to negate with overflow";
const REM_ZERO: &str = "attempt to calculate the remainder with a divisor of zero";
const REM: &str = "attempt to calculate the remainder with overflow";
const DIV_ZERO: &str = "attempt to divide by zero";
const DIV: &str = "attempt to divide with overflow";

const fn pure(name: &'static str, on: On, takes: &'static [Takes], gives: Gives) -> Method {
    Method { name, on, takes, gives, faults: &[] }
}

const fn faulting(
    name: &'static str,
    on: On,
    takes: &'static [Takes],
    gives: Gives,
    faults: &'static [&'static str],
) -> Method {
    Method { name, on, takes, gives, faults }
}

const NONE: &[Takes] = &[];
const SAME: &[Takes] = &[Takes::Same];
const TWO: &[Takes] = &[Takes::Same, Takes::Same];
const U32: &[Takes] = &[Takes::U32];

static TABLE: &[Method] = &[
    pure("min", On::Int, SAME, Gives::Same),
    pure("max", On::Int, SAME, Gives::Same),
    faulting("clamp", On::Int, TWO, Gives::Same, &["min > max"]),
    faulting("abs", On::Signed, NONE, Gives::Same, &[NEG]),
    pure("signum", On::Signed, NONE, Gives::Same),
    pure("is_positive", On::Signed, NONE, Gives::Bool),
    pure("is_negative", On::Signed, NONE, Gives::Bool),
    pure("unsigned_abs", On::Signed, NONE, Gives::Unsigned),
    pure("is_power_of_two", On::Unsigned, NONE, Gives::Bool),
    pure("abs_diff", On::Int, SAME, Gives::Unsigned),
    faulting("pow", On::Int, U32, Gives::Same, &[MUL]),
    faulting("rem_euclid", On::Int, SAME, Gives::Same, &[REM_ZERO, REM]),
    faulting("div_euclid", On::Int, SAME, Gives::Same, &[DIV_ZERO, DIV]),
    faulting("div_ceil", On::Unsigned, SAME, Gives::Same, &[DIV_ZERO]),
    pure("wrapping_add", On::Int, SAME, Gives::Same),
    pure("wrapping_sub", On::Int, SAME, Gives::Same),
    pure("wrapping_mul", On::Int, SAME, Gives::Same),
    pure("wrapping_neg", On::Int, NONE, Gives::Same),
    pure("wrapping_abs", On::Signed, NONE, Gives::Same),
    pure("wrapping_shl", On::Int, U32, Gives::Same),
    pure("wrapping_shr", On::Int, U32, Gives::Same),
    pure("saturating_add", On::Int, SAME, Gives::Same),
    pure("saturating_sub", On::Int, SAME, Gives::Same),
    pure("saturating_mul", On::Int, SAME, Gives::Same),
    pure("checked_add", On::Int, SAME, Gives::OptionOfSame),
    pure("checked_sub", On::Int, SAME, Gives::OptionOfSame),
    pure("checked_mul", On::Int, SAME, Gives::OptionOfSame),
    pure("checked_div", On::Int, SAME, Gives::OptionOfSame),
    pure("checked_rem", On::Int, SAME, Gives::OptionOfSame),
    pure("leading_zeros", On::Int, NONE, Gives::U32),
    pure("trailing_zeros", On::Int, NONE, Gives::U32),
    pure("count_ones", On::Int, NONE, Gives::U32),
    pure("count_zeros", On::Int, NONE, Gives::U32),
    pure("rotate_left", On::Int, U32, Gives::Same),
    pure("rotate_right", On::Int, U32, Gives::Same),
    pure("min", On::Float, SAME, Gives::Same),
    pure("max", On::Float, SAME, Gives::Same),
    faulting("clamp", On::Float, TWO, Gives::Same, &["min > max, or either was NaN"]),
    pure("abs", On::Float, NONE, Gives::Same),
    pure("signum", On::Float, NONE, Gives::Same),
    pure("copysign", On::Float, SAME, Gives::Same),
    pure("sqrt", On::Float, NONE, Gives::Same),
    pure("mul_add", On::Float, TWO, Gives::Same),
    pure("recip", On::Float, NONE, Gives::Same),
    pure("floor", On::Float, NONE, Gives::Same),
    pure("ceil", On::Float, NONE, Gives::Same),
    pure("round", On::Float, NONE, Gives::Same),
    pure("trunc", On::Float, NONE, Gives::Same),
    pure("fract", On::Float, NONE, Gives::Same),
    pure("powi", On::Float, &[Takes::I32], Gives::Same),
    pure("powf", On::Float, SAME, Gives::Same),
    pure("exp", On::Float, NONE, Gives::Same),
    pure("exp2", On::Float, NONE, Gives::Same),
    pure("ln", On::Float, NONE, Gives::Same),
    pure("log2", On::Float, NONE, Gives::Same),
    pure("log10", On::Float, NONE, Gives::Same),
    pure("sin", On::Float, NONE, Gives::Same),
    pure("cos", On::Float, NONE, Gives::Same),
    pure("tanh", On::Float, NONE, Gives::Same),
    pure("hypot", On::Float, SAME, Gives::Same),
    pure("is_nan", On::Float, NONE, Gives::Bool),
    pure("is_finite", On::Float, NONE, Gives::Bool),
    pure("is_infinite", On::Float, NONE, Gives::Bool),
    pure("is_sign_negative", On::Float, NONE, Gives::Bool),
    pure("is_sign_positive", On::Float, NONE, Gives::Bool),
    pure("to_bits", On::Float, NONE, Gives::Bits),
    pure("from_bits", On::BitsOfFloat, NONE, Gives::Same),
    pure("is_some", On::Option, NONE, Gives::Bool),
    pure("is_none", On::Option, NONE, Gives::Bool),
    pure("unwrap_or", On::Option, &[Takes::Inner], Gives::Inner),
    faulting("unwrap", On::Option, NONE, Gives::Inner, &["called `Option::unwrap()` on a `None` value"]),
];

impl On {
    /// Whether a method on this can be called on a value of the type.
    pub(crate) fn holds(self, ty: &Ty) -> bool {
        match (self, ty) {
            (On::Int, Ty::Int(_)) | (On::Float, Ty::Float(_)) | (On::Option, Ty::Option(_)) => true,
            (On::Signed, Ty::Int(int)) => int.is_signed(),
            (On::Unsigned, Ty::Int(int)) => !int.is_signed(),
            _ => false,
        }
    }
}

impl Method {
    /// The method of this name on values of this type.
    pub(crate) fn find(name: &str, receiver: &Ty) -> Option<&'static Method> {
        TABLE.iter().find(|method| method.name == name && method.on.holds(receiver))
    }

    /// `from_bits`.
    pub(crate) fn from_bits() -> Option<&'static Method> {
        TABLE.iter().find(|method| method.on == On::BitsOfFloat)
    }

    /// The names of all methods on values of this type, for messages.
    pub(crate) fn names(receiver: &Ty) -> Vec<&'static str> {
        TABLE.iter().filter(|method| method.on.holds(receiver)).map(|method| method.name).collect()
    }

    /// The types of the arguments after the receiver.
    pub(crate) fn arguments(&self, receiver: &Ty) -> Vec<Ty> {
        self.takes
            .iter()
            .map(|takes| match takes {
                Takes::Same => receiver.clone(),
                Takes::U32 => Ty::Int(Int::U32),
                Takes::I32 => Ty::Int(Int::I32),
                Takes::Inner => inner(receiver),
            })
            .collect()
    }

    /// The type of the result.
    pub(crate) fn output(&self, receiver: &Ty) -> Ty {
        match self.gives {
            Gives::Same => receiver.clone(),
            Gives::Bool => Ty::Bool,
            Gives::U32 => Ty::Int(Int::U32),
            Gives::OptionOfSame => Ty::option(receiver.clone()),
            Gives::Inner => inner(receiver),
            Gives::Unsigned => match receiver {
                Ty::Int(int) => Ty::Int(int.unsigned()),
                _ => Ty::Error,
            },
            Gives::Bits => match receiver {
                Ty::Float(float) => Ty::Int(float.bits()),
                _ => Ty::Error,
            },
        }
    }
}

fn inner(option: &Ty) -> Ty {
    match option {
        Ty::Option(of) => (**of).clone(),
        _ => Ty::Error,
    }
}

/// What Rust says when this operator panics on integers, one message a site.
pub(crate) fn operator_faults(op: crate::model::BinaryOp, signed: bool) -> &'static [&'static str] {
    use crate::model::BinaryOp::*;
    match op {
        Add => &[ADD],
        Sub => &["attempt to subtract with overflow"],
        Mul => &[MUL],
        Div if signed => &[DIV_ZERO, DIV],
        Div => &[DIV_ZERO],
        Rem if signed => &[REM_ZERO, REM],
        Rem => &[REM_ZERO],
        Shl => &["attempt to shift left with overflow"],
        Shr => &["attempt to shift right with overflow"],
        _ => &[],
    }
}

/// What Rust says when negation panics.
pub(crate) fn negation_fault() -> &'static [&'static str] {
    &[NEG]
}
