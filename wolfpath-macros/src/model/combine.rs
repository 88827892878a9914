//! Combiners, and the fields that each of them combines.

use std::fmt;

use super::{Field, Phase, Struct, Ty};

/// The combiners; the macro's copy of `CombineKind`, with the parts of `Fields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Min,
    Max,
    Sum,
    Or,
    And,
    Any,
    /// One combiner for each field of a struct, in the order of declaration.
    Fields(Vec<Combine>),
    MostFrequent,
    Custom,
}

impl Combine {
    const TABLE: [(&'static str, &'static str, Combine); 7] = [
        ("min", "Min", Combine::Min),
        ("max", "Max", Combine::Max),
        ("sum", "Sum", Combine::Sum),
        ("or", "Or", Combine::Or),
        ("and", "And", Combine::And),
        ("any", "Any", Combine::Any),
        ("custom", "Custom", Combine::Custom),
    ];

    /// Returns the combiner for the word in `#[edge_program(combine = ..)]`.
    pub(crate) fn from_word(word: &str) -> Option<Combine> {
        Combine::TABLE[..6].iter().find(|row| row.0 == word).map(|row| row.2.clone())
    }

    /// Returns the combiner for a marker type without parameters.
    pub(crate) fn from_marker(marker: &str) -> Option<Combine> {
        Combine::TABLE.iter().find(|row| row.1 == marker).map(|row| row.2.clone())
    }

    /// Returns the name of the marker type, which is also that of the `CombineKind`.
    pub(crate) fn marker(&self) -> &'static str {
        match self {
            Combine::Fields(_) => "Fields",
            Combine::MostFrequent => "MostFrequent",
            _ => Combine::TABLE.iter().find(|row| row.2 == *self).map_or("Custom", |row| row.1),
        }
    }

    /// Returns `true` if the combiner has a neutral message for every type that it combines.
    pub(crate) fn has_identity(&self) -> bool {
        match self {
            Combine::Fields(parts) => parts.iter().all(Combine::has_identity),
            Combine::Sum | Combine::Or | Combine::And => true,
            _ => false,
        }
    }

    /// Returns `true` if messages of this type are combined field by field, so that floats that are added are
    /// accumulated in f64 and the rest in its own type.
    pub(crate) fn is_by_field<P: Phase>(&self, message: &Ty<P>) -> bool {
        match self {
            Combine::Fields(_) => true,
            Combine::Sum | Combine::Or | Combine::And => matches!(message, Ty::Struct(_) | Ty::Array(..)),
            _ => false,
        }
    }

    /// Returns the fields of a struct with their combiners, if a combiner is given for each.
    pub(crate) fn of_fields<'a, P: Phase>(
        &'a self,
        item: &'a Struct<P>,
    ) -> impl Iterator<Item = (&'a Field<P>, &'a Combine)> {
        let part = move |at: usize| match self {
            Combine::Fields(parts) => parts.get(at),
            all => Some(all),
        };
        item.fields.iter().enumerate().filter_map(move |(at, field)| Some((field, part(at)?)))
    }

    /// Returns `true` if a value of this type is combined as a whole, not as several fields.
    pub(crate) fn is_leaf<P: Phase>(&self, ty: &Ty<P>) -> bool {
        *self == Combine::Any || !matches!(ty, Ty::Struct(_) | Ty::Array(..))
    }

    /// Returns `true` if the combiner can combine values of this type, which is not a struct or an array.
    pub(crate) fn fits_scalar<P: Phase>(&self, ty: &Ty<P>) -> bool {
        match self {
            Combine::Min | Combine::Max | Combine::Sum => ty.is_number(),
            Combine::Or | Combine::And => matches!(ty, Ty::Bool | Ty::Int(_)),
            Combine::Any | Combine::Custom => true,
            Combine::Fields(_) | Combine::MostFrequent => false,
        }
    }

    /// Returns what the combiner combines, for messages.
    pub(crate) fn takes(&self) -> &'static str {
        match self {
            Combine::Min | Combine::Max | Combine::Sum => "numbers",
            Combine::Or | Combine::And => "`bool` and integers",
            Combine::Any | Combine::Custom => "all types",
            Combine::Fields(_) => "the fields of a struct",
            Combine::MostFrequent => "`u32` and `u64`",
        }
    }
}

impl fmt::Display for Combine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.marker())
    }
}
