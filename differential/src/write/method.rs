//! The methods that random programs call. Methods are omitted if Rust itself does not specify the bits of a NaN or the
//! sign of a zero in their results: `min` and `max` of floats, `copysign` and `signum`. Transcendental functions are
//! omitted too.

/// Type of an argument.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes {
    /// The receiver's type.
    Same,
    /// The integer type with the receiver's width and the opposite signedness.
    OtherSign,
    /// The amount of a shift or rotation.
    Amount,
    /// The exponent of a power.
    Exponent,
}

/// A method. Its `front`, the first part of the full name, determines the type of its result: an option for `checked_`,
/// a pair for `overflowing_`, otherwise the receiver's type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Method {
    pub(super) front: &'static str,
    pub(super) name: &'static str,
    pub(super) takes: &'static [Takes],
}

const fn method(front: &'static str, name: &'static str, takes: &'static [Takes]) -> Method {
    Method { front, name, takes }
}

const NONE: &[Takes] = &[];
const SAME: &[Takes] = &[Takes::Same];
const TWO: &[Takes] = &[Takes::Same, Takes::Same];
const OTHER: &[Takes] = &[Takes::OtherSign];
const AMOUNT: &[Takes] = &[Takes::Amount];
const EXPONENT: &[Takes] = &[Takes::Exponent];

/// Methods of all integers.
pub(super) const INTS_BOTH: &[Method] = &[
    method("", "min", SAME),
    method("", "max", SAME),
    method("", "clamp", TWO),
    method("", "pow", EXPONENT),
    method("", "isqrt", NONE),
    method("", "midpoint", SAME),
    method("", "div_euclid", SAME),
    method("", "rem_euclid", SAME),
    method("", "rotate_left", AMOUNT),
    method("", "rotate_right", AMOUNT),
    method("", "swap_bytes", NONE),
    method("", "reverse_bits", NONE),
    method("", "unbounded_shl", AMOUNT),
    method("", "unbounded_shr", AMOUNT),
    method("", "wrapping_add", SAME),
    method("", "wrapping_sub", SAME),
    method("", "wrapping_mul", SAME),
    method("", "wrapping_div", SAME),
    method("", "wrapping_rem", SAME),
    method("", "wrapping_neg", NONE),
    method("", "wrapping_shl", AMOUNT),
    method("", "wrapping_shr", AMOUNT),
    method("", "wrapping_pow", EXPONENT),
    method("", "saturating_add", SAME),
    method("", "saturating_sub", SAME),
    method("", "saturating_mul", SAME),
    method("", "saturating_div", SAME),
    method("", "saturating_pow", EXPONENT),
    method("checked_", "add", SAME),
    method("checked_", "sub", SAME),
    method("checked_", "mul", SAME),
    method("checked_", "div", SAME),
    method("checked_", "rem_euclid", SAME),
    method("checked_", "neg", NONE),
    method("checked_", "shl", AMOUNT),
    method("checked_", "shr", AMOUNT),
    method("checked_", "pow", EXPONENT),
    method("overflowing_", "add", SAME),
    method("overflowing_", "sub", SAME),
    method("overflowing_", "mul", SAME),
    method("overflowing_", "div_euclid", SAME),
    method("overflowing_", "neg", NONE),
    method("overflowing_", "shl", AMOUNT),
    method("overflowing_", "pow", EXPONENT),
];

pub(super) const INTS_SIGNED: &[Method] = &[
    method("", "abs", NONE),
    method("", "signum", NONE),
    method("", "wrapping_abs", NONE),
    method("", "saturating_neg", NONE),
    method("", "wrapping_add_unsigned", OTHER),
    method("", "saturating_sub_unsigned", OTHER),
    method("checked_", "abs", NONE),
    method("checked_", "isqrt", NONE),
    method("checked_", "add_unsigned", OTHER),
    method("overflowing_", "sub_unsigned", OTHER),
    method("overflowing_", "abs", NONE),
];

pub(super) const INTS_UNSIGNED: &[Method] = &[
    method("", "abs_diff", SAME),
    method("", "div_ceil", SAME),
    method("", "next_multiple_of", SAME),
    method("", "next_power_of_two", NONE),
    method("", "wrapping_add_signed", OTHER),
    method("", "saturating_add_signed", OTHER),
    method("checked_", "next_multiple_of", SAME),
    method("checked_", "next_power_of_two", NONE),
    method("checked_", "add_signed", OTHER),
    method("overflowing_", "add_signed", OTHER),
];

pub(super) const FLOATS: &[Method] = &[
    method("", "abs", NONE),
    method("", "sqrt", NONE),
    method("", "floor", NONE),
    method("", "ceil", NONE),
    method("", "round", NONE),
    method("", "round_ties_even", NONE),
    method("", "trunc", NONE),
    method("", "fract", NONE),
    method("", "recip", NONE),
    method("", "mul_add", TWO),
    method("", "clamp", TWO),
    method("", "midpoint", SAME),
    method("", "div_euclid", SAME),
    method("", "rem_euclid", SAME),
    method("", "next_up", NONE),
    method("", "next_down", NONE),
    method("", "to_degrees", NONE),
    method("", "to_radians", NONE),
];
