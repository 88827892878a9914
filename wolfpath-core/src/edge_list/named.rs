//! Named columns: the data of edges for programs whose weight is a struct.

use super::{EdgeBuilder, EdgeList, EdgeListError, Symmetry, VertexIds};
use crate::random;
use crate::weights::{
    ColumnError, ColumnNumber, ColumnRow, Columns, Named, WeightBuilder, Weights, check_names,
};

impl EdgeList {
    /// Builds a list of edges with several columns from tuples, arrays, or a [custom type](ColumnRow). `names` are the
    /// names of the columns. Each column is stored in the narrowest type that represents all its numbers exactly. NaN
    /// is rejected.
    ///
    /// ```
    /// use wolfpath_core::edge_list::EdgeList;
    ///
    /// let rides = [(1, 2, (480u32, 25u32)), (2, 3, (510, 12))];
    /// let list = EdgeList::from_rows(["departure", "duration"], rides)?;
    /// assert_eq!(list.column("duration").map(|column| column.get(1)), Some(12.0));
    /// # Ok::<(), wolfpath_core::edge_list::EdgeListError>(())
    /// ```
    pub fn from_rows<const N: usize, R: ColumnRow<N>>(
        names: [&str; N],
        edges: impl IntoIterator<Item = (u64, u64, R)>,
    ) -> Result<EdgeList, EdgeListError> {
        check_names(&names)?;
        let mut builder = EdgeBuilder::default();
        let mut columns: [WeightBuilder; N] = std::array::from_fn(|_| WeightBuilder::default());
        for (position, (source, target, row)) in (0u64..).zip(edges) {
            builder.push(source, target);
            for ((column, number), name) in columns.iter_mut().zip(row.numbers()).zip(names) {
                if number.is_nan() {
                    return Err(ColumnError::Nan { name: name.to_owned(), position }.into());
                }
                column.push(number.0);
            }
        }
        let list = builder.finish(None, None)?;
        let named = names.into_iter().zip(columns).map(|(name, column)| exactly(name, column));
        Ok(list.with_columns(named.collect::<Result<_, _>>()?))
    }

    /// Returns the same edges with one more column: a number for each line, in input order. It is stored in the
    /// narrowest type that represents all numbers exactly. NaN is rejected.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    ///
    /// let list = EdgeList::from_edges([(1, 2), (2, 3)])?.with_column("toll", &[50u32, 0])?;
    /// assert_eq!(list.column("toll").map(|tolls| tolls.get(0)), Some(50.0));
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn with_column<W: Copy + Into<ColumnNumber>>(
        mut self,
        name: &str,
        numbers: &[W],
    ) -> Result<EdgeList, EdgeListError> {
        let (found, expected) = (numbers.len(), self.sources.len());
        if found != expected {
            return Err(ColumnError::Length { name: name.to_owned(), found, expected }.into());
        }
        let mut column = WeightBuilder::default();
        for (position, &number) in (0u64..).zip(numbers) {
            let number: ColumnNumber = number.into();
            if number.is_nan() {
                return Err(ColumnError::Nan { name: name.to_owned(), position }.into());
            }
            column.push(number.0);
        }
        let (weights, columns) = self.take_weights();
        let mut all = columns.all(weights);
        all.push(exactly(name, column)?);
        check_names(&all.iter().map(|column| column.name.as_str()).collect::<Vec<_>>())?;
        Ok(self.with_columns(all))
    }

    /// Returns the same edges with only the column of this name, which becomes their weight. Returns `None` if there is
    /// no such column.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    ///
    /// let rides = EdgeList::from_rows(["departure", "duration"], [(1, 2, (480u32, 25u32))])?;
    /// let durations = rides.with_only_column("duration").expect("the list has the column `duration`");
    /// assert_eq!(durations.weights().map(|weights| weights.get(0)), Some(25.0));
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn with_only_column(mut self, name: &str) -> Option<EdgeList> {
        let at = self.columns.find(self.weights.is_some(), name)?;
        let (weights, columns) = self.take_weights();
        let only = columns.all(weights).into_iter().nth(at);
        Some(self.with_columns(only.into_iter().collect()))
    }

    /// Returns the columns and their names. Each column has a number for each line, in input order. The
    /// [weight](Self::weights) comes first, if any.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &Weights)> {
        let weight = self.weights.iter().map(|weights| (self.columns.weight_name(), weights));
        weight.chain(self.columns.others.iter().map(|column| (column.name.as_str(), &column.numbers)))
    }

    /// Returns the column with this name. An exact match is preferred to one that differs in case.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    ///
    /// let list = EdgeList::from_weighted_edges([(1, 2, 7)])?;
    /// assert_eq!(list.column("Weight").map(|weights| weights.get(0)), Some(7.0));
    /// assert_eq!(list.column("toll"), None);
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn column(&self, name: &str) -> Option<&Weights> {
        let at = self.columns.find(self.weights.is_some(), name)?;
        self.columns().nth(at).map(|(_, column)| column)
    }

    /// Returns the same edges with only these columns.
    #[doc(hidden)]
    pub fn with_columns(mut self, all: Vec<Named<Weights>>) -> EdgeList {
        (self.weights, self.columns) = Columns::assembled(all);
        self
    }

    /// Builds a list from lines whose endpoints are ranks, and their columns.
    ///
    /// # Panics
    /// Panics if a source has no target.
    #[doc(hidden)]
    pub fn from_lines(
        ids: VertexIds,
        sources: Vec<u32>,
        targets: Vec<u32>,
        columns: Vec<Named<Weights>>,
    ) -> EdgeList {
        assert_eq!(sources.len(), targets.len(), "each line has a source and a target");
        EdgeList::from_ranks(ids, sources, targets, Symmetry::Directed).with_columns(columns)
    }

    /// Returns the same lines with a symmetry that the caller knows.
    #[doc(hidden)]
    pub fn with_symmetry(self, symmetry: Symmetry) -> EdgeList {
        EdgeList { symmetry, ..self }
    }

    /// Removes and returns all columns. The weight comes first, if any.
    #[doc(hidden)]
    pub fn take_columns(&mut self) -> Vec<Named<Weights>> {
        let (weights, columns) = self.take_weights();
        columns.all(weights)
    }

    /// Sets the name of the weight, if it is the only column.
    #[doc(hidden)]
    pub fn name_weight(&mut self, name: String) {
        if let (Some(numbers), _) = self.take_weights() {
            (self.weights, self.columns) = Columns::assembled(vec![Named { name, numbers }]);
        }
    }

    /// Returns a hash of a line's numbers; 0 if there are no columns. Lines with equal numbers in all columns have
    /// equal hashes. The hash is keyed, so that nobody who does not know `key` can construct lines with different
    /// numbers but equal hashes.
    #[inline]
    pub(super) fn bits(&self, line: usize, key: u64) -> u64 {
        let weight = self.weights.as_ref().map_or(0, |weights| weights.slice().bits(line));
        let others = self.columns.others.iter();
        others.fold(weight, |bits, column| random::hash(bits ^ key, column.numbers.slice().bits(line)))
    }

    /// Returns `true` if two lines have the same numbers in all columns.
    pub(super) fn carry_the_same(&self, a: usize, b: usize) -> bool {
        self.columns().all(|(_, column)| column.slice().bits(a) == column.slice().bits(b))
    }
}

/// Builds a column, or returns an error if a number would have to be rounded.
fn exactly(name: &str, column: WeightBuilder) -> Result<Named<Weights>, ColumnError> {
    let name = name.to_owned();
    match column.finish() {
        (numbers, None) => Ok(Named { name, numbers }),
        (_, Some(position)) => Err(ColumnError::Inexact { name, position: position as u64 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rides() -> EdgeList {
        let rows = [(1, 2, (480u32, 25i32, true)), (2, 1, (500, -1, false)), (1, 2, (490, 20, true))];
        EdgeList::from_rows(["departure", "delay", "runs"], rows).unwrap()
    }

    fn names(list: &EdgeList) -> Vec<&str> {
        list.columns().map(|(name, _)| name).collect()
    }

    #[test]
    fn rows_become_columns() {
        let list = rides();
        assert_eq!((list.weights(), names(&list)), (None, vec!["departure", "delay", "runs"]));
        assert_eq!(list.column("delay"), Some(&Weights::I32(vec![25, -1, 20])));
        assert_eq!(list.column("Runs"), Some(&Weights::U32(vec![1, 0, 1])));
        assert_eq!(list.column("arrival"), None);
        let only = list.with_only_column("delay").unwrap();
        assert_eq!(only.weights(), Some(&Weights::I32(vec![25, -1, 20])));
        assert_eq!(names(&only), ["delay"]);
    }

    #[test]
    fn columns_join_a_list() {
        let list = EdgeList::from_weighted_edges([(1, 2, 5), (2, 3, 6)]).unwrap();
        let list = list.with_column("length", &[0.5, 1.0]).unwrap();
        assert_eq!(list.weights(), Some(&Weights::U32(vec![5, 6])));
        assert_eq!(list.column("length"), Some(&Weights::F32(vec![0.5, 1.0])));
        let short = list.clone().with_column("x", &[1u32]).unwrap_err();
        assert!(short.to_string().contains("the length 1, but the number of edges is 2"), "{short}");
        let twice = list.clone().with_column("Length", &[1u32, 2]).unwrap_err();
        assert!(matches!(twice, EdgeListError::Column(ColumnError::Twice { .. })));
        let nan = list.with_column("x", &[1.0, f64::NAN]).unwrap_err();
        assert_eq!(nan, ColumnError::Nan { name: "x".into(), position: 1 }.into());
        let first = EdgeList::from_edges([(1, 2)]).unwrap().with_column("length", &[3u32]).unwrap();
        assert_eq!((first.weights(), names(&first)), (Some(&Weights::U32(vec![3])), vec!["length"]));
        let second = first.with_column("lanes", &[2u32]).unwrap();
        assert_eq!((second.weights(), names(&second)), (None, vec!["length", "lanes"]));
    }

    #[test]
    fn columns_follow_their_lines() {
        let list = rides().without_duplicates().unwrap();
        assert_eq!(list.column("departure"), Some(&Weights::U32(vec![480, 500])));
        let doubled = rides().undirected();
        assert_eq!((doubled.symmetry(), doubled.num_edges()), (Symmetry::Doubled, 6));
    }

    #[test]
    fn symmetric_means_every_column() {
        let both =
            |second| EdgeList::from_rows(["a", "b"], [(1, 2, [5, 7u32]), (2, 1, [5, second])]).unwrap();
        assert_eq!(both(7).undirected().symmetry(), Symmetry::Found);
        assert_eq!(both(8).undirected().symmetry(), Symmetry::Doubled);
        let pairs = [(1, 2, [5u32, 7]), (2, 1, [5, 8]), (2, 1, [5, 7]), (1, 2, [5, 8])];
        let list = EdgeList::from_rows(["a", "b"], pairs).unwrap().undirected();
        assert_eq!(list.symmetry(), Symmetry::Found);
        let list = list.without_duplicates().unwrap();
        assert_eq!(list.column("b"), Some(&Weights::U32(vec![7, 7])));
    }
}
