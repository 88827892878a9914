//! A table of the methods that a program may call on numbers, `bool` and options: their receivers, arguments, results
//! and faults. Each method has a function in the CUDA headers (`rust::NAME`). If the method can fault, it also has a
//! function in `wolfpath::twin`; otherwise the CPU calls the standard library.

#[cfg(test)]
mod document;
mod table;

use crate::model::Int;
use crate::model::inferred::Ty;
use table::TABLE;

/// A method of the table.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) on: On,
    pub(crate) takes: &'static [Takes],
    pub(crate) gives: Gives,
    /// Rust's panic messages, one per fault site.
    pub(crate) faults: &'static [&'static str],
}

/// The types of receivers that a method applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    Int,
    Signed,
    Unsigned,
    Float,
    Bool,
    Option,
    OptionOfOption,
    OptionOfPair,
    /// A function such as `u32::from_be`, which is called on an integer type instead of a receiver.
    IntType,
    /// A function such as `f32::from_bits`, which is called on a float type.
    FloatType,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Takes {
    Same,
    U32,
    I32,
    Signed,
    Unsigned,
    Bits,
    /// The type inside the option.
    Inner,
    Any,
    AnyOption,
}

/// The type of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gives {
    Same,
    Bool,
    U32,
    Signed,
    Unsigned,
    Bits,
    OptionOfSame,
    OptionOfU32,
    /// The number, and a `bool` that is true if it overflowed.
    Overflowing,
    TwoSame,
    /// The type inside the option.
    Inner,
    /// The type of the argument.
    Argument,
    OptionOfArgument,
    /// An option of a tuple of the two inner types.
    Zipped,
    /// A tuple of two options, one for each part.
    Unzipped,
}

pub(crate) const ADD: &str = "attempt to add with overflow";
pub(crate) const MUL: &str = "attempt to multiply with overflow";
pub(crate) const NEG: &str = "attempt to negate with overflow";
pub(crate) const REM_ZERO: &str = "attempt to calculate the remainder with a divisor of zero";
pub(crate) const REM: &str = "attempt to calculate the remainder with overflow";
pub(crate) const DIV_ZERO: &str = "attempt to divide by zero";
pub(crate) const DIV: &str = "attempt to divide with overflow";

impl On {
    /// Returns `true` if methods with this receiver can be called on a value of type `ty`.
    pub(crate) fn holds(self, ty: &Ty) -> bool {
        match (self, ty) {
            (On::Int, Ty::Int(_)) | (On::Float, Ty::Float(_)) | (On::Bool, Ty::Bool) => true,
            (On::Signed, Ty::Int(int)) => int.is_signed(),
            (On::Unsigned, Ty::Int(int)) => !int.is_signed(),
            (On::Option, Ty::Option(_)) => true,
            (On::OptionOfOption, Ty::Option(of)) => matches!(**of, Ty::Option(_)),
            (On::OptionOfPair, Ty::Option(of)) => matches!(&**of, Ty::Tuple(parts) if parts.len() == 2),
            _ => false,
        }
    }

    /// Returns `true` if functions with this receiver can be called as `TYPE::name(..)` on type `ty`.
    fn is_of(self, ty: &Ty) -> bool {
        matches!((self, ty), (On::IntType, Ty::Int(_)) | (On::FloatType, Ty::Float(_)))
    }
}

impl Method {
    /// Returns the method of this name on values of this type.
    pub(crate) fn find(name: &str, receiver: &Ty) -> Option<&'static Method> {
        TABLE.iter().find(|method| method.name == name && method.on.holds(receiver))
    }

    /// Returns the function of this name that is called on this type, such as `f32::from_bits`.
    pub(crate) fn of_type(name: &str, ty: &Ty) -> Option<&'static Method> {
        TABLE.iter().find(|method| method.name == name && method.on.is_of(ty))
    }

    /// Returns `true` if the method is called as `TYPE::name(..)`, without a receiver.
    pub(crate) fn has_type_in_front(&self) -> bool {
        matches!(self.on, On::IntType | On::FloatType)
    }

    /// Returns `true` if values of this type have any methods.
    pub(crate) fn any(receiver: &Ty) -> bool {
        TABLE.iter().any(|method| method.on.holds(receiver))
    }

    /// Returns the methods on values of this type whose names are similar to this one, the most similar first.
    pub(crate) fn similar(name: &str, receiver: &Ty) -> Vec<&'static str> {
        let mut found: Vec<(usize, &str)> = TABLE
            .iter()
            .filter(|method| method.on.holds(receiver))
            .map(|method| (strsim::levenshtein(name, method.name), method.name))
            .filter(|(distance, known)| *distance * 3 <= known.len().max(name.len()))
            .collect();
        found.sort();
        found.into_iter().map(|(_, name)| name).take(3).collect()
    }

    /// Returns the types of the arguments after the receiver. `fresh` creates a type that is to be inferred.
    pub(crate) fn arguments(&self, receiver: &Ty, mut fresh: impl FnMut() -> Ty) -> Vec<Ty> {
        self.takes
            .iter()
            .map(|takes| match takes {
                Takes::Same => receiver.clone(),
                Takes::U32 => Ty::Int(Int::U32),
                Takes::I32 => Ty::Int(Int::I32),
                Takes::Signed => signed(receiver),
                Takes::Unsigned => unsigned(receiver),
                Takes::Bits => bits(receiver),
                Takes::Inner => inner(receiver),
                Takes::Any => fresh(),
                Takes::AnyOption => Ty::option(fresh()),
            })
            .collect()
    }

    /// Returns the type of the result, given the types of the receiver and the arguments.
    pub(crate) fn output(&self, receiver: &Ty, arguments: &[Ty]) -> Ty {
        let argument = || arguments.first().cloned().unwrap_or(Ty::REFUSED);
        match self.gives {
            Gives::Same => receiver.clone(),
            Gives::Bool => Ty::Bool,
            Gives::U32 => Ty::Int(Int::U32),
            Gives::Signed => signed(receiver),
            Gives::Unsigned => unsigned(receiver),
            Gives::Bits => bits(receiver),
            Gives::OptionOfSame => Ty::option(receiver.clone()),
            Gives::OptionOfU32 => Ty::option(Ty::Int(Int::U32)),
            Gives::Overflowing => Ty::Tuple(vec![receiver.clone(), Ty::Bool]),
            Gives::TwoSame => Ty::Tuple(vec![receiver.clone(), receiver.clone()]),
            Gives::Inner => inner(receiver),
            Gives::Argument => argument(),
            Gives::OptionOfArgument => Ty::option(argument()),
            Gives::Zipped => Ty::option(Ty::Tuple(vec![inner(receiver), inner(&argument())])),
            Gives::Unzipped => match inner(receiver) {
                Ty::Tuple(parts) => Ty::Tuple(parts.into_iter().map(Ty::option).collect()),
                _ => Ty::REFUSED,
            },
        }
    }

    /// Returns the name of the method's function in the headers. It differs for `and`, `or` and `xor`, which are
    /// operators in C++.
    pub(crate) fn device_name(&self) -> String {
        match (self.on, self.name) {
            (On::Option, "and" | "or" | "xor") => format!("{}_option", self.name),
            _ => self.name.to_owned(),
        }
    }
}

fn inner(option: &Ty) -> Ty {
    match option {
        Ty::Option(of) => (**of).clone(),
        _ => Ty::REFUSED,
    }
}

fn unsigned(number: &Ty) -> Ty {
    match number {
        Ty::Int(int) => Ty::Int(int.unsigned()),
        _ => Ty::REFUSED,
    }
}

fn signed(number: &Ty) -> Ty {
    let twin =
        |int: &Int| Int::ALL.into_iter().find(|twin| twin.is_signed() && twin.unsigned() == int.unsigned());
    match number {
        Ty::Int(int) => twin(int).map_or(Ty::REFUSED, Ty::Int),
        _ => Ty::REFUSED,
    }
}

fn bits(number: &Ty) -> Ty {
    match number {
        Ty::Float(float) => Ty::Int(float.bits()),
        _ => Ty::REFUSED,
    }
}
