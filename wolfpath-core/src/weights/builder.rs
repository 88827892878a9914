//! A column that grows weight by weight, and switches to a wider type when necessary. A file is therefore read only
//! once, although the type that its weights need is known only at the end.

use super::number::{Number, Stored, integer_value};
use super::{WeightNumber, WeightSlice, Weights, with_column};
use crate::parallel;
use crate::program::DatumKind;
use rayon::prelude::*;

/// A growing column of weights. The column has an integer type as long as one of them holds all weights. The first
/// fraction converts it to floats.
#[derive(Debug)]
pub struct WeightBuilder {
    weights: Weights,
    rounded: Option<usize>,
}

impl Default for WeightBuilder {
    fn default() -> WeightBuilder {
        WeightBuilder { weights: Weights::U32(Vec::new()), rounded: None }
    }
}

impl WeightBuilder {
    /// Appends a non-negative integer. Nearly all weights in files are non-negative integers.
    #[inline]
    pub fn push_unsigned(&mut self, weight: u64) {
        if let (Weights::U32(column), Ok(narrow)) = (&mut self.weights, u32::try_from(weight)) {
            return column.push(narrow);
        }
        self.push(Number::Integer(weight.into()));
    }

    /// Appends a number that is not NaN. A float without a fraction is treated as an integer.
    pub fn push(&mut self, number: Number) {
        let number = simplest(number);
        while !self.try_push(number) {
            self.widen(number);
        }
    }

    /// Returns the column in its narrowest type. Also returns the position of the first integer that was rounded, if no
    /// type represents all numbers exactly.
    pub fn finish(self) -> (Weights, Option<usize>) {
        match self.weights {
            Weights::F64(column) => (narrowest_float(column), self.rounded),
            weights => (weights, None),
        }
    }

    /// Concatenates the columns of the pieces of one list, in the narrowest type that represents all numbers. Also
    /// returns the position of the first weight that was rounded, if any. The returned column is `None` if no piece has
    /// weights.
    ///
    /// # Panics
    /// Panics if the number of weights is not `len`. (Filling in zeros for missing weights would hide an error.)
    pub fn joined(columns: Vec<WeightBuilder>, len: usize) -> (Option<Weights>, Option<usize>) {
        if columns.iter().all(|column| column.weights.is_empty()) {
            return (None, None);
        }
        let found: usize = columns.iter().map(|column| column.weights.len()).sum();
        assert_eq!(found, len, "a column has a number for every edge");
        let rounded = first_rounded(&columns);
        let pieces: Vec<Weights> = columns.into_iter().map(|column| column.weights).collect();
        if let Some(weights) = concatenated(&pieces, len) {
            let (narrowed, _) = WeightBuilder { weights, rounded: None }.finish();
            return (Some(narrowed), rounded);
        }
        // None of the types that the pieces have represents all numbers. This case is rare, so pushing the numbers one
        // by one is fast enough.
        let mut whole = WeightBuilder::default();
        for piece in &pieces {
            with_column!(Weights, piece, column => {
                for weight in column {
                    whole.push(weight.number());
                }
            });
        }
        let (weights, also_rounded) = whole.finish();
        (Some(weights), rounded.into_iter().chain(also_rounded).min())
    }

    /// Returns `true` if the column is empty.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Returns a few numbers that need the same type as all numbers of the column together.
    pub fn extremes(&self) -> Vec<Number> {
        let (mut least, mut most, mut float, mut wide) = (None, None, None, None);
        with_column!(Weights, &self.weights, column => {
            for number in column.iter().map(|weight| simplest(weight.number())) {
                match number {
                    Number::Integer(integer) => {
                        least = Some(least.map_or(integer, |least: i128| least.min(integer)));
                        most = Some(most.map_or(integer, |most: i128| most.max(integer)));
                    }
                    Number::Float(_) => float = float.or(Some(number)),
                }
                if f64::from(number.nearest_f64() as f32) != number.nearest_f64() {
                    wide = wide.or(Some(number));
                }
            }
        });
        least.into_iter().chain(most).map(Number::Integer).chain(float).chain(wide).collect()
    }

    /// Concatenates columns like [`joined`](Self::joined), as if they were one with others, of which only the
    /// [`extremes`](Self::extremes) are known.
    ///
    /// # Panics
    /// Panics if the number of weights is not `len`.
    pub fn joined_among(extremes: &[Number], columns: Vec<WeightBuilder>, len: usize) -> Option<Weights> {
        let mut known = WeightBuilder::default();
        extremes.iter().for_each(|&number| known.push(number));
        let columns = [known].into_iter().chain(columns).collect();
        let (weights, _) = WeightBuilder::joined(columns, extremes.len() + len);
        weights.map(|weights| weights.retained(|position| position >= extremes.len()))
    }

    /// Returns the position of the first integer that no 64-bit float represents, also if it has been rounded already.
    pub fn first_inexact(columns: &[WeightBuilder]) -> Option<usize> {
        let mut before = 0;
        let is_inexact = |number: Number| match number {
            Number::Integer(integer) => integer as f64 as i128 != integer,
            Number::Float(_) => false,
        };
        for column in columns {
            let found = column.rounded.or_else(|| {
                with_column!(Weights, &column.weights, weights => {
                    weights.iter().position(|weight| is_inexact(weight.number()))
                })
            });
            if let Some(position) = found {
                return Some(before + position);
            }
            before += column.weights.len();
        }
        None
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
        // An integer column accepts only integers. In particular, it does not accept -0.0, which equals 0 but has a
        // different sign.
        let fits = matches!(number, Number::Integer(_)) || self.weights.kind().is_float();
        fits && with_column!(Weights, &mut self.weights, column => push_exact(column, number))
    }

    /// Converts the column to the next wider type. `number` is the number that did not fit.
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
        let mut floats = WeightBuilder { weights: Weights::F64(Vec::new()), rounded: None };
        with_column!(WeightSlice, slice, column => {
            for weight in column {
                floats.try_push(weight.number());
            }
        });
        *self = floats;
    }
}

/// Returns the position, in the whole list, of the first weight that was rounded.
fn first_rounded(columns: &[WeightBuilder]) -> Option<usize> {
    let mut before = 0;
    for column in columns {
        if let Some(position) = column.rounded {
            return Some(before + position);
        }
        before += column.weights.len();
    }
    None
}

/// Concatenates columns in a type that depends on the types of the pieces. Returns `None` if that type does not
/// represent all numbers exactly.
fn concatenated(pieces: &[Weights], len: usize) -> Option<Weights> {
    let filled = || pieces.iter().filter(|piece| !piece.is_empty());
    let kinds: Vec<DatumKind> = filled().map(Weights::kind).collect();
    let has = |kind| kinds.contains(&kind);
    if has(DatumKind::F64) {
        return concat::<f64>(pieces, len);
    }
    if has(DatumKind::I64) {
        return concat::<i64>(pieces, len);
    }
    match (has(DatumKind::I32), has(DatumKind::U64)) {
        (false, false) => concat::<u32>(pieces, len),
        (true, false) => concat::<i32>(pieces, len).or_else(|| concat::<i64>(pieces, len)),
        (false, true) => concat::<u64>(pieces, len),
        (true, true) => concat::<i64>(pieces, len),
    }
}

/// Concatenates columns as numbers of type `W`. Returns `None` if `W` does not represent all of them exactly.
fn concat<W: WeightNumber>(pieces: &[Weights], len: usize) -> Option<Weights> {
    let mut whole = vec![W::zeroed(); len];
    let mut rest = &mut whole[..];
    let mut tasks = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let (slot, more) = rest.split_at_mut_checked(piece.len())?;
        rest = more;
        tasks.push((slot, piece));
    }
    let fits = tasks.into_par_iter().all(|(slot, piece)| match piece.slice().convert::<W>(false) {
        Ok(column) => {
            slot.copy_from_slice(&column);
            true
        }
        Err(_) => false,
    });
    fits.then(|| W::into_weights(whole))
}

/// Converts the column to the narrowest integer type that represents both its weights and `more`. Returns `None` if
/// there is no such type.
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

fn push_exact<T: Stored>(column: &mut Vec<T>, number: Number) -> bool {
    let exact = T::exact(number);
    column.extend(exact);
    exact.is_some()
}

/// Converts a float without a fraction to an integer. -0.0 remains a float, because integers have no negative zero.
fn simplest(number: Number) -> Number {
    match number {
        Number::Float(float) if float == 0.0 && float.is_sign_negative() => number,
        // Beyond 2^53, several integers round to the same float, so it is unknown which integer was meant, and the
        // number stays a float.
        Number::Float(float) if float.abs() <= 9_007_199_254_740_992.0 => {
            integer_value(float).map_or(number, Number::Integer)
        }
        _ => number,
    }
}

/// Returns the numbers as `f32` if this type represents all of them exactly, otherwise as `f64`.
fn narrowest_float(column: Vec<f64>) -> Weights {
    let wide = |&weight: &f64| f64::from(weight as f32) != weight;
    if parallel::first(column.len(), &|range| column[range].iter().position(wide)).is_some() {
        return Weights::F64(column);
    }
    let mut narrow = vec![0.0; column.len()];
    parallel::fill(&mut narrow, &|first, slots| {
        slots.iter_mut().zip(&column[first..]).for_each(|(slot, &weight)| *slot = weight as f32);
    });
    Weights::F32(narrow)
}

/// Returns numbers that all fit in the narrower type `T`.
fn truncated<T: Stored + Send + Sync>(column: &[u32]) -> Vec<T> {
    let mut narrow = vec![T::zeroed(); column.len()];
    parallel::fill(&mut narrow, &|first, slots| {
        for (slot, &weight) in slots.iter_mut().zip(&column[first..]) {
            *slot = T::exact(Number::Integer(weight.into())).expect("the largest number fits");
        }
    });
    narrow
}

impl Weights {
    /// Returns the same weights in the type in which graphs store them: 8 or 16 bits if all of them fit, otherwise the
    /// same type. Lists of edges keep 32 bits at least, because their columns still grow.
    pub(crate) fn for_graph(self) -> Weights {
        let largest = self.slice().max_integer();
        self.for_graph_up_to(largest)
    }

    /// Returns the same weights in the type in which graphs store a column whose [largest](WeightSlice::max_integer) weight is
    /// `largest`, of which these may be a part.
    #[doc(hidden)]
    pub fn for_graph_up_to(self, largest: Option<u64>) -> Weights {
        let Weights::U32(column) = self else { return self };
        match largest {
            Some(0..=0xff) => Weights::U8(truncated(&column)),
            Some(0x100..=0xffff) => Weights::U16(truncated(&column)),
            _ => Weights::U32(column),
        }
    }

    /// Returns the same weights with at least 32 bits. The opposite of [`for_graph`](Self::for_graph).
    #[doc(hidden)]
    pub fn for_list(self) -> Weights {
        match self {
            Weights::U8(column) => Weights::U32(column.into_par_iter().map(u32::from).collect()),
            Weights::U16(column) => Weights::U32(column.into_par_iter().map(u32::from).collect()),
            column => column,
        }
    }

    /// Returns the same weights in the narrowest type of programs that represents all of them exactly.
    pub fn narrowed(self) -> Weights {
        if matches!(self, Weights::U32(_)) {
            return self;
        }
        let mut column = WeightBuilder::default();
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
        let mut column = WeightBuilder::default();
        for &number in numbers {
            column.push(number);
        }
        column.finish().0
    }

    #[test]
    fn parts_of_a_column_get_the_type_of_the_whole() {
        let wide = i128::from(u64::MAX);
        let numbers: [Vec<Number>; 9] = [
            vec![],
            vec![Integer(5), Integer(0)],
            vec![Integer(-1)],
            vec![Integer(1 << 40)],
            vec![Integer(wide)],
            vec![Float(0.5)],
            vec![Float(0.1), Float(-0.0)],
            vec![Integer((1 << 53) + 1)],
            vec![Integer(3_000_000_000), Float(1e30)],
        ];
        let built = |numbers: &[Number]| {
            let mut column = WeightBuilder::default();
            numbers.iter().for_each(|&number| column.push(number));
            column
        };
        for (a, b) in numbers.iter().flat_map(|a| numbers.iter().map(move |b| (a, b))) {
            let whole = WeightBuilder::joined(vec![built(a), built(b)], a.len() + b.len()).0;
            let extremes = [built(a).extremes(), built(b).extremes()].concat();
            let part = |of: &[Number]| WeightBuilder::joined_among(&extremes, vec![built(of)], of.len());
            let parts = [part(a), part(b)].map(|part| part.map(|weights| weights.kind()));
            assert_eq!(parts, [whole.as_ref().map(Weights::kind); 2], "{a:?} and {b:?}");
            let (_, rounded) = WeightBuilder::joined(vec![built(a), built(b)], a.len() + b.len());
            if whole.is_some_and(|whole| whole.kind().is_float()) {
                assert_eq!(WeightBuilder::first_inexact(&[built(a), built(b)]), rounded, "{a:?} and {b:?}");
            }
        }
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
        let mut column = WeightBuilder::default();
        column.push(Float(0.5));
        column.push_unsigned(u64::MAX);
        assert_eq!(column.finish(), (Weights::F32(vec![0.5, 18_446_744_073_709_551_616.0]), Some(1)));
        let mut column = WeightBuilder::default();
        column.push_unsigned(u64::MAX);
        column.push(Integer(-1));
        assert_eq!(column.finish().1, Some(0));
    }

    #[test]
    fn pieces_join_as_if_read_by_one() {
        let numbers: [&[Number]; 5] = [
            &[Integer(1), Integer(2)],
            &[],
            &[Integer(-7)],
            &[Integer(1 << 40), Float(3.0)],
            &[Float(0.5), Float(-0.0)],
        ];
        for count in 1..=numbers.len() {
            let column_of = |numbers: &[Number]| {
                let mut column = WeightBuilder::default();
                numbers.iter().for_each(|&number| column.push(number));
                column
            };
            let columns = numbers[..count].iter().map(|numbers| column_of(numbers)).collect();
            let all = numbers[..count].concat();
            let (joined, rounded) = WeightBuilder::joined(columns, all.len());
            assert_eq!((joined, rounded), (Some(column(&all)), None));
        }
        let rounding = [vec![Integer(5)], vec![Float(0.5), Integer(i128::from(u64::MAX))]];
        let columns = rounding.iter().map(|numbers| {
            let mut column = WeightBuilder::default();
            numbers.iter().for_each(|&number| column.push(number));
            column
        });
        assert_eq!(WeightBuilder::joined(columns.collect(), 3).1, Some(2));
    }

    #[test]
    #[should_panic(expected = "a number for every edge")]
    fn missing_numbers_are_not_zeros() {
        let mut column = WeightBuilder::default();
        column.push_unsigned(7);
        WeightBuilder::joined(vec![column, WeightBuilder::default()], 2);
    }

    #[test]
    fn graphs_store_small_integers_in_few_bits() {
        let column = |largest: u32| Weights::U32((0..70_000).map(|at| at.min(largest)).collect());
        assert!(matches!(column(255).for_graph(), Weights::U8(column) if column[69_999] == 255));
        assert!(matches!(column(256).for_graph(), Weights::U16(column) if column[69_999] == 256));
        assert!(matches!(column(65_535).for_graph(), Weights::U16(column) if column[69_999] == 65_535));
        assert_eq!(column(65_536).for_graph(), column(65_536));
        assert_eq!(Weights::I32(vec![-1, 2]).for_graph(), Weights::I32(vec![-1, 2]));
    }

    #[test]
    fn lists_have_wider_weights_than_graphs() {
        for largest in [7, 300, 70_000] {
            let column = Weights::U32(vec![0, largest]);
            assert_eq!(column.clone().for_graph().for_list(), column);
        }
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
