//! Named columns: the numbers that an edge may have in addition to its weight.
//!
//! One column is the weight: the column called `weight`, or the only column. Programs whose weight is a plain number
//! read it, and formats with a single weight store it. A graph with several columns, none of them called `weight`, has
//! no weight.

use super::{Number, WeightSlice};

/// Name of the column that is the weight.
pub const WEIGHT: &str = "weight";

/// Maximum number of columns.
pub const MOST_COLUMNS: usize = 64;

/// Maximum length of a name, in bytes.
const LONGEST_NAME: usize = 100;

/// Error from building columns.
///
/// ```
/// use wolfpath::edge_list::{EdgeList, EdgeListError};
/// use wolfpath::weights::ColumnError;
///
/// let error = EdgeList::from_edges([(17, 5)])?.with_column("speed limit", &[50u32]).unwrap_err();
/// assert!(matches!(error, EdgeListError::Column(ColumnError::Name { name }) if name == "speed limit"));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// The name is invalid: if it were written to a file, a reader would not accept it.
    #[error(
        "`{name}` cannot name a column; expected a letter or `_`, then up to 99 bytes without spaces, commas, \
         semicolons or quotes"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// Two columns have the same name.
    #[error("two columns are called `{name}` (names that differ only in case are equal); rename one of them")]
    Twice {
        /// The name.
        name: String,
    },
    /// There are too many columns.
    #[error("{found} columns; at most {MOST_COLUMNS} are supported: leave out columns that no program reads")]
    TooMany {
        /// Number of columns.
        found: usize,
    },
    /// The length of a column differs from the number of edges.
    #[error(
        "the column `{name}` has the length {found}, but the number of edges is {expected}; give each edge one number"
    )]
    Length {
        /// The column's name.
        name: String,
        /// Length of the column.
        found: usize,
        /// Number of edges.
        expected: usize,
    },
    /// The column mixes fractions with integers beyond 2^53, or contains integers that do not all fit in one 64-bit
    /// type.
    #[error(
        "no number type represents all numbers of the column `{name}` exactly: edge {position} (counted from 0) has \
         a number that would be rounded; use one type for all of them"
    )]
    Inexact {
        /// The column's name.
        name: String,
        /// Position of the first edge whose number would be rounded, from 0.
        position: u64,
    },
    /// A number is NaN.
    #[error(
        "edge {position} (counted from 0) has a NaN in the column `{name}`; replace it with a number, or remove the \
         edge"
    )]
    Nan {
        /// The column's name.
        name: String,
        /// Position of the edge, from 0.
        position: u64,
    },
}

/// A number in a column, converted from any supported type. `false` and `true` become 0 and 1.
///
/// ```
/// use wolfpath::weights::ColumnNumber;
///
/// assert_eq!(ColumnNumber::from(true), ColumnNumber::from(1u32));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnNumber(pub(crate) Number);

impl ColumnNumber {
    pub(crate) fn is_nan(self) -> bool {
        matches!(self.0, Number::Float(float) if float.is_nan())
    }
}

/// Implements the conversion of each of these types to a `ColumnNumber`.
macro_rules! numbers {
    ($($type:ident: $variant:ident),*) => {$(
        impl From<$type> for ColumnNumber {
            fn from(number: $type) -> ColumnNumber {
                ColumnNumber(Number::$variant(number.into()))
            }
        }
    )*};
}

numbers!(u8: Integer, u16: Integer, u32: Integer, i32: Integer, u64: Integer, i64: Integer, f32: Float, f64: Float, bool: Integer);

/// The numbers of one edge in `N` columns: a tuple or an array of numbers, or a custom type.
///
/// ```
/// use wolfpath_core::weights::{ColumnNumber, ColumnRow};
///
/// struct Ride {
///     departure: u32,
///     duration: u32,
/// }
///
/// impl ColumnRow<2> for Ride {
///     fn numbers(self) -> [ColumnNumber; 2] {
///         [self.departure.into(), self.duration.into()]
///     }
/// }
/// ```
pub trait ColumnRow<const N: usize> {
    /// Returns the numbers, in the order of the columns' names.
    fn numbers(self) -> [ColumnNumber; N];
}

impl<W: Into<ColumnNumber>, const N: usize> ColumnRow<N> for [W; N] {
    fn numbers(self) -> [ColumnNumber; N] {
        self.map(Into::into)
    }
}

/// Implements `ColumnRow` for tuples of numbers of any types.
macro_rules! tuples {
    ($($count:literal: $($type:ident $field:ident),*;)*) => {$(
        impl<$($type: Into<ColumnNumber>),*> ColumnRow<$count> for ($($type,)*) {
            fn numbers(self) -> [ColumnNumber; $count] {
                let ($($field,)*) = self;
                [$($field.into()),*]
            }
        }
    )*};
}

tuples! {
    1: A a;
    2: A a, B b;
    3: A a, B b, C c;
    4: A a, B b, C c, D d;
    5: A a, B b, C c, D d, E e;
    6: A a, B b, C c, D d, E e, F f;
    7: A a, B b, C c, D d, E e, F f, G g;
    8: A a, B b, C c, D d, E e, F f, G g, H h;
}

/// A column and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<C> {
    /// The name.
    pub name: String,
    /// A number for each edge.
    pub numbers: C,
}

/// All columns except the weight, and the weight's name. Empty if edges have one weight, called `weight`, or none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Columns<C> {
    /// Name of the weight, if it is not [`WEIGHT`]. Only an edge list or graph with a single column can have such a
    /// name.
    pub(crate) weight_name: Option<String>,
    /// All other columns. If there is no weight, there are at least two.
    pub(crate) others: Vec<Named<C>>,
}

impl<C> Default for Columns<C> {
    fn default() -> Columns<C> {
        Columns { weight_name: None, others: Vec::new() }
    }
}

impl<C> Columns<C> {
    /// Separates the weight, if any of the columns is the weight, from the others.
    pub(crate) fn assembled(mut all: Vec<Named<C>>) -> (Option<C>, Columns<C>) {
        let weight = all.iter().position(|column| column.name.eq_ignore_ascii_case(WEIGHT));
        match weight {
            Some(at) => {
                let weight = all.remove(at).numbers;
                (Some(weight), Columns { weight_name: None, others: all })
            }
            None if all.len() == 1 => {
                let only = all.pop().map(|only| (only.name, only.numbers));
                let (weight_name, weight) = only.unzip();
                (weight, Columns { weight_name, others: all })
            }
            None => (None, Columns { weight_name: None, others: all }),
        }
    }

    /// Returns all columns, with the weight first. Reverses [`assembled`](Self::assembled), except for the order.
    pub(crate) fn all(self, weight: Option<C>) -> Vec<Named<C>> {
        let name = self.weight_name.unwrap_or_else(|| WEIGHT.to_owned());
        let weight = weight.map(|numbers| Named { name, numbers });
        weight.into_iter().chain(self.others).collect()
    }

    /// Applies `make` to all columns except the weight.
    pub(crate) fn map<D>(self, mut make: impl FnMut(C) -> D) -> Columns<D> {
        let others = self.others.into_iter();
        let others = others.map(|Named { name, numbers }| Named { name, numbers: make(numbers) }).collect();
        Columns { weight_name: self.weight_name, others }
    }

    /// Returns the name of the weight. Meaningful only if there is a weight.
    pub(crate) fn weight_name(&self) -> &str {
        self.weight_name.as_deref().unwrap_or(WEIGHT)
    }

    /// Returns the names of all columns, in the order of [`all`](Self::all).
    pub(crate) fn names(&self, weighted: bool) -> Vec<&str> {
        let weight = weighted.then(|| self.weight_name());
        weight.into_iter().chain(self.others.iter().map(|column| column.name.as_str())).collect()
    }

    /// Returns the index of the column with this name, as [`find`] does. Index 0 is the weight, if any.
    pub(crate) fn find(&self, weighted: bool, name: &str) -> Option<usize> {
        find(&self.names(weighted), name)
    }
}

/// Returns the index of the name that matches exactly. If there is none, returns the index of the first name that
/// differs only in case.
pub fn find(names: &[impl AsRef<str>], name: &str) -> Option<usize> {
    let exactly = names.iter().position(|known| known.as_ref() == name);
    exactly.or_else(|| names.iter().position(|known| known.as_ref().eq_ignore_ascii_case(name)))
}

/// Returns a phrase that lists columns.
pub fn listed(names: &[&str]) -> String {
    match names {
        [] => "no columns".to_owned(),
        [only] => format!("only the column {only}"),
        names => format!("the columns {}", names.join(", ")),
    }
}

/// Finds a negative number in columns with these names. Returns its position, and the number and its column as text.
pub fn first_negative_in<'a>(
    columns: impl IntoIterator<Item = (&'a str, WeightSlice<'a>)>,
) -> Option<(usize, String)> {
    columns.into_iter().find_map(|(name, numbers)| {
        let position = numbers.first_negative()?;
        Some((position, format!("{} in the column `{name}`", numbers.text(position))))
    })
}

/// Returns an error if a name is invalid, if there are too many names, or if two names are equal.
pub fn check_names(names: &[impl AsRef<str>]) -> Result<(), ColumnError> {
    if names.len() > MOST_COLUMNS {
        return Err(ColumnError::TooMany { found: names.len() });
    }
    for (index, name) in names.iter().map(AsRef::as_ref).enumerate() {
        if !is_name(name) {
            return Err(ColumnError::Name { name: name.chars().take(LONGEST_NAME).collect() });
        }
        if names[..index].iter().any(|other| other.as_ref().eq_ignore_ascii_case(name)) {
            return Err(ColumnError::Twice { name: name.to_owned() });
        }
    }
    Ok(())
}

/// Returns `true` if the readers of all formats accept this word as the name of a column.
pub fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let stands_out = |letter: char| {
        letter.is_whitespace() || letter.is_control() || [',', ';', '"', '\''].contains(&letter)
    };
    begins && name.len() <= LONGEST_NAME && !name.contains(stands_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> Vec<Named<usize>> {
        names.iter().enumerate().map(|(numbers, name)| Named { name: (*name).to_owned(), numbers }).collect()
    }

    #[test]
    fn the_weight_is_the_column_of_that_name_or_the_only_one() {
        let (weight, columns) = Columns::assembled(named(&["length", "Weight", "lanes"]));
        assert_eq!((weight, columns.names(true)), (Some(1), vec!["weight", "length", "lanes"]));
        assert_eq!((columns.find(true, "LANES"), columns.find(true, "weight")), (Some(2), Some(0)));
        let (weight, columns) = Columns::assembled(named(&["length"]));
        assert_eq!((weight, columns.weight_name()), (Some(0), "length"));
        assert_eq!(columns.all(weight), named(&["length"]));
        let (weight, columns) = Columns::assembled(named(&["length", "lanes"]));
        assert_eq!((weight, columns.find(false, "lanes")), (None, Some(1)));
        assert_eq!(Columns::<usize>::assembled(Vec::new()), (None, Columns::default()));
    }

    #[test]
    fn names_that_files_read_back() {
        for name in ["weight", "_x", "départ", "a.b-c", "Zeit[s]"] {
            assert_eq!(check_names(&[name]), Ok(()), "{name}");
        }
        let long = "x".repeat(101);
        for name in ["", "1st", "a b", "a,b", "a;b", "\"a\"", "#a", "a\n", &long] {
            assert!(matches!(check_names(&[name]), Err(ColumnError::Name { .. })), "{name}");
        }
        assert!(matches!(check_names(&["a", "A"]), Err(ColumnError::Twice { .. })));
        let many: Vec<String> = (0..65).map(|number| format!("c{number}")).collect();
        assert!(matches!(check_names(&many), Err(ColumnError::TooMany { found: 65 })));
    }

    #[test]
    fn rows_are_tuples_and_arrays() {
        assert_eq!((7u32, -2i64, true).numbers(), [7u32.into(), (-2i32).into(), 1u64.into()]);
        assert!([0.5, f64::NAN].numbers()[1].is_nan());
    }
}
