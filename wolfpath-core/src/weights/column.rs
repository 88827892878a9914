//! A column that grows weight by weight and widens when it must, so that a file is read once and the weights end in
//! the narrowest type that holds them all.

use super::number::{Exact, Number, integer_value};
use super::{WeightSlice, Weights, with_column};

/// A growing column of weights. Integers stay integers while they fit; the first fraction turns the column into
/// floats.
#[derive(Debug)]
pub(crate) struct WeightColumn {
    weights: Weights,
    rounded: Option<usize>,
}

impl Default for WeightColumn {
    fn default() -> WeightColumn {
        WeightColumn { weights: Weights::U32(Vec::new()), rounded: None }
    }
}

impl WeightColumn {
    /// Appends an integer from 0: nearly every weight of nearly every file.
    #[inline]
    pub(crate) fn push_unsigned(&mut self, weight: u64) {
        if let (Weights::U32(column), Ok(narrow)) = (&mut self.weights, u32::try_from(weight)) {
            return column.push(narrow);
        }
        self.push(Number::Integer(weight.into()));
    }

    /// Appends a number that is not NaN. A float without a fraction counts as the integer it is.
    pub(crate) fn push(&mut self, number: Number) {
        let number = simplest(number);
        while !self.try_push(number) {
            self.widen(number);
        }
    }

    /// The column in its narrowest type, and the position of the first integer that had to be rounded because no
    /// type holds it and all the others.
    pub(crate) fn finish(self) -> (Weights, Option<usize>) {
        match self.weights {
            Weights::F64(column) => (narrowest_float(column), self.rounded),
            weights => (weights, None),
        }
    }

    fn try_push(&mut self, number: Number) -> bool {
        if let (Weights::F64(column), Number::Integer(integer)) = (&mut self.weights, number) {
            let float = integer as f64;
            if float as i128 != integer {
                self.rounded.get_or_insert(column.len());
            }
            column.push(float);
            return true;
        }
        // An integer column takes integers only: -0.0 equals one, and yet is not the same.
        let fits = matches!(number, Number::Integer(_)) || self.weights.kind().is_float();
        fits && with_column!(Weights, &mut self.weights, column => push_exact(column, number))
    }

    /// Moves to the next type that holds what is here; `number` is what did not fit.
    fn widen(&mut self, number: Number) {
        let slice = self.weights.slice();
        let wider = match number {
            Number::Float(_) => None,
            Number::Integer(integer) => wider_integers(slice, integer),
        };
        if let Some(wider) = wider {
            self.weights = wider;
            return;
        }
        let mut floats = WeightColumn { weights: Weights::F64(Vec::new()), rounded: None };
        with_column!(WeightSlice, slice, column => {
            for weight in column {
                floats.try_push(weight.number());
            }
        });
        *self = floats;
    }
}

/// The narrowest integer column that holds the column and one more integer, if there is one.
fn wider_integers(slice: WeightSlice<'_>, more: i128) -> Option<Weights> {
    if i32::try_from(more).is_ok()
        && let Ok(column) = slice.convert::<i32>(false)
    {
        return Some(Weights::I32(column.into_owned()));
    }
    if u64::try_from(more).is_ok()
        && let Ok(column) = slice.convert::<u64>(false)
    {
        return Some(Weights::U64(column.into_owned()));
    }
    if i64::try_from(more).is_ok()
        && let Ok(column) = slice.convert::<i64>(false)
    {
        return Some(Weights::I64(column.into_owned()));
    }
    None
}

fn push_exact<T: Exact>(column: &mut Vec<T>, number: Number) -> bool {
    let exact = T::exact(number);
    column.extend(exact);
    exact.is_some()
}

/// A float without a fraction as the integer it is. -0.0 stays a float: no integer has its sign.
fn simplest(number: Number) -> Number {
    match number {
        Number::Float(float) if float == 0.0 && float.is_sign_negative() => number,
        // Beyond 2^53 a float no longer says which integer was meant.
        Number::Float(float) if float.abs() <= 9_007_199_254_740_992.0 => {
            integer_value(float).map_or(number, Number::Integer)
        }
        _ => number,
    }
}

fn narrowest_float(column: Vec<f64>) -> Weights {
    if column.iter().all(|&weight| f64::from(weight as f32) == weight) {
        Weights::F32(column.into_iter().map(|weight| weight as f32).collect())
    } else {
        Weights::F64(column)
    }
}

impl Weights {
    /// The same weights in the narrowest type that is exact.
    pub fn narrowed(self) -> Weights {
        if matches!(self, Weights::U32(_)) {
            return self;
        }
        let mut column = WeightColumn::default();
        with_column!(Weights, &self, weights => {
            for weight in weights {
                column.push(weight.number());
            }
        });
        match column.finish() {
            (narrowed, None) => narrowed,
            (_, Some(_)) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Number::{Float, Integer};

    fn column(numbers: &[Number]) -> Weights {
        let mut column = WeightColumn::default();
        for &number in numbers {
            column.push(number);
        }
        column.finish().0
    }

    #[test]
    fn the_narrowest_exact_type() {
        assert_eq!(column(&[Float(1.0), Integer(2)]), Weights::U32(vec![1, 2]));
        assert_eq!(column(&[Integer(1), Integer(-2)]), Weights::I32(vec![1, -2]));
        assert_eq!(column(&[Integer(1), Integer(1 << 32)]), Weights::U64(vec![1, 1 << 32]));
        assert_eq!(column(&[Integer(-1), Integer(1 << 31)]), Weights::I64(vec![-1, 1 << 31]));
        assert_eq!(column(&[Integer(1 << 32), Integer(-1)]), Weights::I64(vec![1 << 32, -1]));
        assert_eq!(column(&[Integer(1), Float(2.5)]), Weights::F32(vec![1.0, 2.5]));
        assert_eq!(column(&[Integer(1), Float(0.1)]), Weights::F64(vec![1.0, 0.1]));
        assert_eq!(column(&[Float(2.5), Integer((1 << 24) + 1)]), Weights::F64(vec![2.5, 16_777_217.0]));
        assert_eq!(column(&[]), Weights::U32(vec![]));
    }

    #[test]
    fn what_no_type_holds_is_rounded_and_told() {
        let mut column = WeightColumn::default();
        column.push(Float(0.5));
        column.push_unsigned(u64::MAX);
        assert_eq!(column.finish(), (Weights::F32(vec![0.5, 18_446_744_073_709_551_616.0]), Some(1)));
        let mut column = WeightColumn::default();
        column.push_unsigned(u64::MAX);
        column.push(Integer(-1));
        assert_eq!(column.finish().1, Some(0));
    }

    #[test]
    fn narrowing_keeps_every_bit() {
        assert_eq!(Weights::F64(vec![1.0, 2.0]).narrowed(), Weights::U32(vec![1, 2]));
        let zeros = Weights::F64(vec![-0.0, 1.0]).narrowed();
        assert!(matches!(&zeros, Weights::F32(column) if column[0].is_sign_negative()));
        let wide = Weights::F64(vec![f64::INFINITY, 1e300]);
        assert_eq!(wide.clone().narrowed(), wide);
        let big = Weights::F64(vec![1e15, 0.5, 1e18]);
        assert_eq!(big.clone().narrowed(), big);
    }
}
