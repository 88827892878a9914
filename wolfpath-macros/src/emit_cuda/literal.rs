//! Numbers as CUDA C writes them: exactly the value that Rust reads, of exactly its type.

use crate::emit_rust::full_digits;
use crate::model::{Float, Int, Sign, Ty};

/// An integer of this type.
pub(super) fn int(magnitude: u128, sign: Sign, ty: &Ty) -> String {
    let Ty::Int(int) = ty else { return format!("{magnitude}") };
    let suffix = match int {
        Int::U32 => "u",
        Int::U64 | Int::Usize => "ull",
        Int::I64 | Int::Isize => "ll",
        _ => "",
    };
    // The most negative number has no literal of its own: its magnitude does not fit the type.
    let smallest = sign == Sign::Minus && magnitude == 1u128 << (int.bits() - 1);
    let number = match (sign, smallest) {
        (_, true) => format!("(-{}{suffix} - 1)", magnitude - 1),
        (Sign::Minus, _) => format!("-{magnitude}{suffix}"),
        _ => format!("{magnitude}{suffix}"),
    };
    if int.bits() < 32 { format!("wp::{}({number})", int.name()) } else { number }
}

/// A float of this type, from the digits in the user's text.
pub(super) fn float(digits: &str, ty: &Ty) -> String {
    let digits = full_digits(digits);
    match ty {
        Ty::Float(Float::F32) => f32_text(digits.parse().unwrap_or(f32::NAN)),
        _ => f64_text(digits.parse().unwrap_or(f64::NAN)),
    }
}

/// A constant of a number type.
pub(super) fn number_const(name: &str, ty: &Ty) -> String {
    match ty {
        Ty::Int(kind) => {
            let (bits, signed) = (kind.bits(), kind.is_signed());
            let half = 1u128 << (bits - 1);
            match (name, signed) {
                ("MAX", true) => int(half - 1, Sign::Plus, ty),
                ("MIN", true) => int(half, Sign::Minus, ty),
                ("MAX", false) => int(half - 1 + half, Sign::Plus, ty),
                _ => int(0, Sign::Plus, ty),
            }
        }
        Ty::Float(Float::F32) => f32_text(match name {
            "MAX" => f32::MAX,
            "MIN" => f32::MIN,
            "EPSILON" => f32::EPSILON,
            "INFINITY" => f32::INFINITY,
            "NEG_INFINITY" => f32::NEG_INFINITY,
            "MIN_POSITIVE" => f32::MIN_POSITIVE,
            _ => f32::NAN,
        }),
        _ => f64_text(match name {
            "MAX" => f64::MAX,
            "MIN" => f64::MIN,
            "EPSILON" => f64::EPSILON,
            "INFINITY" => f64::INFINITY,
            "NEG_INFINITY" => f64::NEG_INFINITY,
            "MIN_POSITIVE" => f64::MIN_POSITIVE,
            _ => f64::NAN,
        }),
    }
}

/// Plain digits where they are short and exact; the bits otherwise, since compilers may round decimal digits twice.
fn f32_text(value: f32) -> String {
    if is_short(f64::from(value)) {
        format!("{value:?}f")
    } else {
        format!("rust::f32_from_bits({:#010x}u /* {value:?} */)", value.to_bits())
    }
}

fn f64_text(value: f64) -> String {
    if is_short(value) {
        format!("{value:?}")
    } else {
        format!("rust::f64_from_bits({:#018x}ull /* {value:?} */)", value.to_bits())
    }
}

/// A multiple of 2^-10 below 2^20 is exact in both types, in few digits.
fn is_short(value: f64) -> bool {
    value.abs() < 1_048_576.0 && (value * 1024.0).fract() == 0.0 && (value != 0.0 || value.is_sign_positive())
}
