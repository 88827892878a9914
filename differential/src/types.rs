//! The types of random programs, and their literals.

use crate::choices::Chooser;

/// Integer types: name, number of bits, and `true` if signed.
pub(crate) const INTS: [(&str, u32, bool); 10] = [
    ("u64", 64, false),
    ("u32", 32, false),
    ("i32", 32, true),
    ("i64", 64, true),
    ("u8", 8, false),
    ("i8", 8, true),
    ("u16", 16, false),
    ("i16", 16, true),
    ("usize", 64, false),
    ("isize", 64, true),
];

/// Fields of structs may have the first `DATA` types of [`INTS`].
pub(crate) const DATA: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    /// Index into [`INTS`].
    Int(usize),
    F32,
    F64,
    Bool,
    Option(Box<Ty>),
    Tuple(Vec<Ty>),
    Array(Box<Ty>, usize),
    /// Index into the program's structs.
    Struct(usize),
    /// Index into the program's enums.
    Enum(usize),
}

pub(crate) const U64: Ty = Ty::Int(0);
pub(crate) const U32: Ty = Ty::Int(1);
pub(crate) const I32: Ty = Ty::Int(2);
pub(crate) const USIZE: Ty = Ty::Int(8);

impl Ty {
    pub(crate) fn option(of: Ty) -> Ty {
        Ty::Option(Box::new(of))
    }

    /// Returns the type's name in Rust.
    pub(crate) fn name(&self) -> String {
        match self {
            Ty::Int(kind) => INTS[*kind].0.into(),
            Ty::F32 => "f32".into(),
            Ty::F64 => "f64".into(),
            Ty::Bool => "bool".into(),
            Ty::Option(of) => format!("Option<{}>", of.name()),
            Ty::Tuple(parts) => {
                format!("({})", parts.iter().map(Ty::name).collect::<Vec<_>>().join(", "))
            }
            Ty::Array(of, length) => format!("[{}; {length}]", of.name()),
            Ty::Struct(index) => format!("S{index}"),
            Ty::Enum(index) => format!("E{index}"),
        }
    }

    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }

    pub(crate) fn is_int(&self) -> bool {
        matches!(self, Ty::Int(_))
    }

    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Bool)
    }

    pub(crate) fn is_signed(&self) -> bool {
        match self {
            Ty::Int(kind) => INTS[*kind].2,
            other => other.is_float(),
        }
    }

    /// Returns the integer type with the same width and the opposite signedness.
    pub(crate) fn other_sign(&self) -> Option<Ty> {
        let Ty::Int(kind) = self else { return None };
        let (name, bits, signed) = INTS[*kind];
        let is_size = name.ends_with("size");
        INTS.iter()
            .position(|other| other.1 == bits && other.2 != signed && other.0.ends_with("size") == is_size)
            .map(Ty::Int)
    }
}

pub(crate) fn int(choose: &mut Chooser<'_>) -> Ty {
    Ty::Int(choose.below(INTS.len()))
}

/// Chooses a number type or `bool`.
pub(crate) fn scalar(choose: &mut Chooser<'_>) -> Ty {
    match choose.below(8) {
        5 => Ty::F32,
        6 => Ty::F64,
        7 => Ty::Bool,
        _ => int(choose),
    }
}

/// Chooses a type that fields of structs may have.
pub(crate) fn datum(choose: &mut Chooser<'_>) -> Ty {
    match choose.below(7) {
        4 => Ty::F32,
        5 => Ty::F64,
        6 => Ty::Bool,
        _ => Ty::Int(choose.below(DATA)),
    }
}

/// Returns a literal of a number type or `bool`. If `known` is set, the context determines the type of the literal, so
/// that its type suffix may be omitted.
pub(crate) fn literal(ty: &Ty, known: bool, choose: &mut Chooser<'_>) -> String {
    match ty {
        Ty::Int(kind) => integer(*kind, known, choose),
        Ty::F32 | Ty::F64 => float(ty, known, choose),
        _ => if choose.once_in(2) { "true" } else { "false" }.into(),
    }
}

fn integer(kind: usize, known: bool, choose: &mut Chooser<'_>) -> String {
    let (name, bits, signed) = INTS[kind];
    if choose.once_in(12) {
        return format!("{name}::{}", ["MAX", "MIN"][choose.below(2)]);
    }
    let numbers: [i128; 16] = [1, 0, 2, 3, 7, 8, 10, 31, 32, 63, 100, 127, 128, 255, 65_535, 4_294_967_295];
    let largest = if signed { (1i128 << (bits - 1)) - 1 } else { (1i128 << bits) - 1 };
    let number = numbers[choose.below(numbers.len())].min(largest);
    let suffix = if known && choose.once_in(2) { String::new() } else { format!("_{name}") };
    if signed && choose.once_in(4) { format!("(-{number}{suffix})") } else { format!("{number}{suffix}") }
}

fn float(ty: &Ty, known: bool, choose: &mut Chooser<'_>) -> String {
    let name = ty.name();
    if choose.once_in(10) {
        let constants = ["MAX", "INFINITY", "MIN_POSITIVE", "EPSILON", "NAN"];
        return format!("{name}::{}", constants[choose.below(constants.len())]);
    }
    let numbers =
        ["1.0", "0.0", "0.5", "2.5", "1e10", "0.1", "3.75", "1e-7", "255.0", "16777217.0", "1e-42", "1e30"];
    let number = numbers[choose.below(numbers.len())];
    let suffix = if known && choose.once_in(2) { "" } else { &name };
    let separator = if suffix.is_empty() { "" } else { "_" };
    if choose.once_in(4) {
        format!("(-{number}{separator}{suffix})")
    } else {
        format!("{number}{separator}{suffix}")
    }
}
