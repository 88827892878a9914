//! The rows of the table. The test in `document.rs` writes them to `docs/methods.md` for users.

use super::{Gives, Method, On, Takes};

const ADD: &str = super::ADD;
const MUL: &str = super::MUL;
const NEG: &str = super::NEG;
const DIV_ZERO: &str = super::DIV_ZERO;
const DIV: &str = super::DIV;
const REM_ZERO: &str = super::REM_ZERO;
const REM: &str = super::REM;
const LOG_BASE: &str = "base of integer logarithm must be at least 2";
const LOG: &str = "argument of integer logarithm must be positive";
const ROOT: &str = "argument of integer square root cannot be negative";
const ORDERED: &str = "assertion failed: min <= max";

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
const SIGNED: &[Takes] = &[Takes::Signed];
const UNSIGNED: &[Takes] = &[Takes::Unsigned];

/// All methods, in the order of the documentation.
#[rustfmt::skip]
pub(super) static TABLE: &[Method] = &[
    // Integers: arithmetic.
    pure("min", On::Int, SAME, Gives::Same),
    pure("max", On::Int, SAME, Gives::Same),
    faulting("clamp", On::Int, TWO, Gives::Same, &["min > max"]),
    faulting("abs", On::Signed, NONE, Gives::Same, &[NEG]),
    pure("unsigned_abs", On::Signed, NONE, Gives::Unsigned),
    pure("abs_diff", On::Int, SAME, Gives::Unsigned),
    pure("signum", On::Signed, NONE, Gives::Same),
    pure("is_positive", On::Signed, NONE, Gives::Bool),
    pure("is_negative", On::Signed, NONE, Gives::Bool),
    pure("midpoint", On::Int, SAME, Gives::Same),
    faulting("pow", On::Int, U32, Gives::Same, &[MUL]),
    pure("isqrt", On::Unsigned, NONE, Gives::Same),
    faulting("isqrt", On::Signed, NONE, Gives::Same, &[ROOT]),
    faulting("div_euclid", On::Int, SAME, Gives::Same, &[DIV_ZERO, DIV]),
    faulting("rem_euclid", On::Int, SAME, Gives::Same, &[REM_ZERO, REM]),
    faulting("div_ceil", On::Unsigned, SAME, Gives::Same, &[DIV_ZERO]),
    faulting("next_multiple_of", On::Unsigned, SAME, Gives::Same, &[REM_ZERO, ADD]),
    pure("is_multiple_of", On::Unsigned, SAME, Gives::Bool),
    pure("is_power_of_two", On::Unsigned, NONE, Gives::Bool),
    faulting("next_power_of_two", On::Unsigned, NONE, Gives::Same, &[ADD]),
    faulting("ilog", On::Int, SAME, Gives::U32, &[LOG_BASE, LOG]),
    faulting("ilog2", On::Int, NONE, Gives::U32, &[LOG]),
    faulting("ilog10", On::Int, NONE, Gives::U32, &[LOG]),
    // Integers: bits.
    pure("count_ones", On::Int, NONE, Gives::U32),
    pure("count_zeros", On::Int, NONE, Gives::U32),
    pure("leading_zeros", On::Int, NONE, Gives::U32),
    pure("trailing_zeros", On::Int, NONE, Gives::U32),
    pure("leading_ones", On::Int, NONE, Gives::U32),
    pure("trailing_ones", On::Int, NONE, Gives::U32),
    pure("rotate_left", On::Int, U32, Gives::Same),
    pure("rotate_right", On::Int, U32, Gives::Same),
    pure("swap_bytes", On::Int, NONE, Gives::Same),
    pure("reverse_bits", On::Int, NONE, Gives::Same),
    pure("to_be", On::Int, NONE, Gives::Same),
    pure("to_le", On::Int, NONE, Gives::Same),
    pure("from_be", On::IntType, SAME, Gives::Same),
    pure("from_le", On::IntType, SAME, Gives::Same),
    pure("cast_signed", On::Unsigned, NONE, Gives::Signed),
    pure("cast_unsigned", On::Signed, NONE, Gives::Unsigned),
    pure("unbounded_shl", On::Int, U32, Gives::Same),
    pure("unbounded_shr", On::Int, U32, Gives::Same),
    // Integers: `None` if the result does not fit or is undefined.
    pure("checked_add", On::Int, SAME, Gives::OptionOfSame),
    pure("checked_add_signed", On::Unsigned, SIGNED, Gives::OptionOfSame),
    pure("checked_add_unsigned", On::Signed, UNSIGNED, Gives::OptionOfSame),
    pure("checked_sub", On::Int, SAME, Gives::OptionOfSame),
    pure("checked_sub_unsigned", On::Signed, UNSIGNED, Gives::OptionOfSame),
    pure("checked_mul", On::Int, SAME, Gives::OptionOfSame),
    pure("checked_div", On::Int, SAME, Gives::OptionOfSame),
    pure("checked_rem", On::Int, SAME, Gives::OptionOfSame),
    pure("checked_div_euclid", On::Int, SAME, Gives::OptionOfSame),
    pure("checked_rem_euclid", On::Int, SAME, Gives::OptionOfSame),
    pure("checked_neg", On::Int, NONE, Gives::OptionOfSame),
    pure("checked_abs", On::Signed, NONE, Gives::OptionOfSame),
    pure("checked_shl", On::Int, U32, Gives::OptionOfSame),
    pure("checked_shr", On::Int, U32, Gives::OptionOfSame),
    pure("checked_pow", On::Int, U32, Gives::OptionOfSame),
    pure("checked_isqrt", On::Signed, NONE, Gives::OptionOfSame),
    pure("checked_ilog", On::Int, SAME, Gives::OptionOfU32),
    pure("checked_ilog2", On::Int, NONE, Gives::OptionOfU32),
    pure("checked_ilog10", On::Int, NONE, Gives::OptionOfU32),
    pure("checked_next_multiple_of", On::Unsigned, SAME, Gives::OptionOfSame),
    pure("checked_next_power_of_two", On::Unsigned, NONE, Gives::OptionOfSame),
    // Integers: the nearest value of the type if the result does not fit.
    pure("saturating_add", On::Int, SAME, Gives::Same),
    pure("saturating_add_signed", On::Unsigned, SIGNED, Gives::Same),
    pure("saturating_add_unsigned", On::Signed, UNSIGNED, Gives::Same),
    pure("saturating_sub", On::Int, SAME, Gives::Same),
    pure("saturating_sub_unsigned", On::Signed, UNSIGNED, Gives::Same),
    pure("saturating_mul", On::Int, SAME, Gives::Same),
    faulting("saturating_div", On::Int, SAME, Gives::Same, &[DIV_ZERO]),
    pure("saturating_neg", On::Signed, NONE, Gives::Same),
    pure("saturating_abs", On::Signed, NONE, Gives::Same),
    pure("saturating_pow", On::Int, U32, Gives::Same),
    // Integers: the low bits of the result.
    pure("wrapping_add", On::Int, SAME, Gives::Same),
    pure("wrapping_add_signed", On::Unsigned, SIGNED, Gives::Same),
    pure("wrapping_add_unsigned", On::Signed, UNSIGNED, Gives::Same),
    pure("wrapping_sub", On::Int, SAME, Gives::Same),
    pure("wrapping_sub_unsigned", On::Signed, UNSIGNED, Gives::Same),
    pure("wrapping_mul", On::Int, SAME, Gives::Same),
    faulting("wrapping_div", On::Int, SAME, Gives::Same, &[DIV_ZERO]),
    faulting("wrapping_rem", On::Int, SAME, Gives::Same, &[REM_ZERO]),
    faulting("wrapping_div_euclid", On::Int, SAME, Gives::Same, &[DIV_ZERO]),
    faulting("wrapping_rem_euclid", On::Int, SAME, Gives::Same, &[REM_ZERO]),
    pure("wrapping_neg", On::Int, NONE, Gives::Same),
    pure("wrapping_abs", On::Signed, NONE, Gives::Same),
    pure("wrapping_shl", On::Int, U32, Gives::Same),
    pure("wrapping_shr", On::Int, U32, Gives::Same),
    pure("wrapping_pow", On::Int, U32, Gives::Same),
    // Integers: the low bits, with an overflow flag.
    pure("overflowing_add", On::Int, SAME, Gives::Overflowing),
    pure("overflowing_add_signed", On::Unsigned, SIGNED, Gives::Overflowing),
    pure("overflowing_add_unsigned", On::Signed, UNSIGNED, Gives::Overflowing),
    pure("overflowing_sub", On::Int, SAME, Gives::Overflowing),
    pure("overflowing_sub_unsigned", On::Signed, UNSIGNED, Gives::Overflowing),
    pure("overflowing_mul", On::Int, SAME, Gives::Overflowing),
    faulting("overflowing_div", On::Int, SAME, Gives::Overflowing, &[DIV_ZERO]),
    faulting("overflowing_rem", On::Int, SAME, Gives::Overflowing, &[REM_ZERO]),
    faulting("overflowing_div_euclid", On::Int, SAME, Gives::Overflowing, &[DIV_ZERO]),
    faulting("overflowing_rem_euclid", On::Int, SAME, Gives::Overflowing, &[REM_ZERO]),
    pure("overflowing_neg", On::Int, NONE, Gives::Overflowing),
    pure("overflowing_abs", On::Signed, NONE, Gives::Overflowing),
    pure("overflowing_shl", On::Int, U32, Gives::Overflowing),
    pure("overflowing_shr", On::Int, U32, Gives::Overflowing),
    pure("overflowing_pow", On::Int, U32, Gives::Overflowing),
    // Floats with the same results everywhere.
    pure("min", On::Float, SAME, Gives::Same),
    pure("max", On::Float, SAME, Gives::Same),
    faulting("clamp", On::Float, TWO, Gives::Same, &["min > max, or either was NaN"]),
    pure("midpoint", On::Float, SAME, Gives::Same),
    pure("abs", On::Float, NONE, Gives::Same),
    pure("signum", On::Float, NONE, Gives::Same),
    pure("copysign", On::Float, SAME, Gives::Same),
    pure("recip", On::Float, NONE, Gives::Same),
    pure("sqrt", On::Float, NONE, Gives::Same),
    pure("mul_add", On::Float, TWO, Gives::Same),
    pure("div_euclid", On::Float, SAME, Gives::Same),
    pure("rem_euclid", On::Float, SAME, Gives::Same),
    pure("floor", On::Float, NONE, Gives::Same),
    pure("ceil", On::Float, NONE, Gives::Same),
    pure("round", On::Float, NONE, Gives::Same),
    pure("round_ties_even", On::Float, NONE, Gives::Same),
    pure("trunc", On::Float, NONE, Gives::Same),
    pure("fract", On::Float, NONE, Gives::Same),
    pure("next_up", On::Float, NONE, Gives::Same),
    pure("next_down", On::Float, NONE, Gives::Same),
    pure("to_degrees", On::Float, NONE, Gives::Same),
    pure("to_radians", On::Float, NONE, Gives::Same),
    pure("is_nan", On::Float, NONE, Gives::Bool),
    pure("is_finite", On::Float, NONE, Gives::Bool),
    pure("is_infinite", On::Float, NONE, Gives::Bool),
    pure("is_normal", On::Float, NONE, Gives::Bool),
    pure("is_subnormal", On::Float, NONE, Gives::Bool),
    pure("is_sign_negative", On::Float, NONE, Gives::Bool),
    pure("is_sign_positive", On::Float, NONE, Gives::Bool),
    pure("to_bits", On::Float, NONE, Gives::Bits),
    pure("from_bits", On::FloatType, &[Takes::Bits], Gives::Same),
    // Floats whose results differ by a few ulps.
    pure("powi", On::Float, &[Takes::I32], Gives::Same),
    pure("powf", On::Float, SAME, Gives::Same),
    pure("cbrt", On::Float, NONE, Gives::Same),
    pure("hypot", On::Float, SAME, Gives::Same),
    pure("exp", On::Float, NONE, Gives::Same),
    pure("exp2", On::Float, NONE, Gives::Same),
    pure("exp_m1", On::Float, NONE, Gives::Same),
    pure("ln", On::Float, NONE, Gives::Same),
    pure("ln_1p", On::Float, NONE, Gives::Same),
    pure("log", On::Float, SAME, Gives::Same),
    pure("log2", On::Float, NONE, Gives::Same),
    pure("log10", On::Float, NONE, Gives::Same),
    pure("sin", On::Float, NONE, Gives::Same),
    pure("cos", On::Float, NONE, Gives::Same),
    pure("sin_cos", On::Float, NONE, Gives::TwoSame),
    pure("tan", On::Float, NONE, Gives::Same),
    pure("asin", On::Float, NONE, Gives::Same),
    pure("acos", On::Float, NONE, Gives::Same),
    pure("atan", On::Float, NONE, Gives::Same),
    pure("atan2", On::Float, SAME, Gives::Same),
    pure("sinh", On::Float, NONE, Gives::Same),
    pure("cosh", On::Float, NONE, Gives::Same),
    pure("tanh", On::Float, NONE, Gives::Same),
    pure("asinh", On::Float, NONE, Gives::Same),
    pure("acosh", On::Float, NONE, Gives::Same),
    pure("atanh", On::Float, NONE, Gives::Same),
    // Booleans.
    pure("then_some", On::Bool, &[Takes::Any], Gives::OptionOfArgument),
    pure("min", On::Bool, SAME, Gives::Same),
    pure("max", On::Bool, SAME, Gives::Same),
    faulting("clamp", On::Bool, TWO, Gives::Same, &[ORDERED]),
    // Options.
    pure("is_some", On::Option, NONE, Gives::Bool),
    pure("is_none", On::Option, NONE, Gives::Bool),
    faulting("unwrap", On::Option, NONE, Gives::Inner, &["called `Option::unwrap()` on a `None` value"]),
    pure("unwrap_or", On::Option, &[Takes::Inner], Gives::Inner),
    pure("unwrap_or_default", On::Option, NONE, Gives::Inner),
    pure("and", On::Option, &[Takes::AnyOption], Gives::Argument),
    pure("or", On::Option, SAME, Gives::Same),
    pure("xor", On::Option, SAME, Gives::Same),
    pure("zip", On::Option, &[Takes::AnyOption], Gives::Zipped),
    pure("unzip", On::OptionOfPair, NONE, Gives::Unzipped),
    pure("flatten", On::OptionOfOption, NONE, Gives::Inner),
];
