//! From ids in input order to ranks. Ids are kept in 32 bits until one does not fit, so that the largest inputs,
//! whose ids nearly always fit, are never held twice as wide as needed.

use super::id_bits::IdBits;
use super::{EdgeList, EdgeListError, Symmetry, VertexIds};
use crate::weights::Weights;
use rayon::prelude::*;
use std::ops::Range;

/// A growing list of edges by id.
#[derive(Debug, Default)]
pub(crate) struct EdgeBuilder {
    sources: IdColumn,
    targets: IdColumn,
}

#[derive(Debug)]
enum IdColumn {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Default for IdColumn {
    fn default() -> IdColumn {
        IdColumn::Narrow(Vec::new())
    }
}

impl EdgeBuilder {
    #[inline]
    pub(crate) fn push(&mut self, source: u64, target: u64) {
        self.sources.push(source);
        self.targets.push(target);
    }

    pub(crate) fn len(&self) -> usize {
        self.sources.len()
    }

    /// Turns ids into ranks: among the declared ids where there are some (every id must be one), else among the ids
    /// that appear. `weights`, where given, has one weight an edge.
    pub(crate) fn finish(
        self,
        weights: Option<Weights>,
        declared: Option<Range<u64>>,
    ) -> Result<EdgeList, EdgeListError> {
        debug_assert!(weights.as_ref().is_none_or(|weights| weights.len() == self.len()));
        let (ids, bits) = match declared {
            Some(range) => (VertexIds::range(range)?, None),
            None => self.appearing()?,
        };
        let sources = self.sources.into_ranks(&ids, bits.as_ref())?;
        let targets = self.targets.into_ranks(&ids, bits.as_ref())?;
        let mut list = EdgeList::from_ranks(ids, sources, targets, Symmetry::Directed);
        list.weights = weights;
        Ok(list)
    }

    /// The ids that appear, and a fast way to their ranks where there is one.
    fn appearing(&self) -> Result<(VertexIds, Option<IdBits>), EdgeListError> {
        let Some(last) = self.sources.max().max(self.targets.max()) else {
            return Ok((VertexIds::first(0), None));
        };
        // A bit an id is cheaper than sorting while ids are not much more numerous than ends of edges.
        let bits_worth_it = 64 * (self.len() as u64 + 1024);
        let (ids, bits) = if last < bits_worth_it {
            let (ids, bits) = self.by_bits(last);
            (ids, Some(bits))
        } else {
            (self.by_sorting(), None)
        };
        let found = ids.len() as u64;
        let ids = VertexIds::from_sorted(ids).ok_or(EdgeListError::TooManyVertices { found })?;
        Ok((ids, bits))
    }

    fn by_bits(&self, last: u64) -> (Vec<u64>, IdBits) {
        let mut bits = IdBits::up_to(last);
        for column in [&self.sources, &self.targets] {
            column.for_each(|id| bits.insert(id));
        }
        (bits.count(), bits)
    }

    fn by_sorting(&self) -> Vec<u64> {
        let mut ids = Vec::with_capacity(2 * self.len());
        for column in [&self.sources, &self.targets] {
            column.for_each(|id| ids.push(id));
        }
        ids.par_sort_unstable();
        ids.dedup();
        ids
    }
}

impl IdColumn {
    #[inline]
    fn push(&mut self, id: u64) {
        match (&mut *self, u32::try_from(id)) {
            (IdColumn::Narrow(ids), Ok(narrow)) => ids.push(narrow),
            (IdColumn::Wide(ids), _) => ids.push(id),
            (IdColumn::Narrow(ids), Err(_)) => {
                let mut wide: Vec<u64> = ids.iter().map(|&id| id.into()).collect();
                wide.push(id);
                *self = IdColumn::Wide(wide);
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            IdColumn::Narrow(ids) => ids.len(),
            IdColumn::Wide(ids) => ids.len(),
        }
    }

    fn max(&self) -> Option<u64> {
        match self {
            IdColumn::Narrow(ids) => ids.iter().max().map(|&id| id.into()),
            IdColumn::Wide(ids) => ids.iter().max().copied(),
        }
    }

    fn for_each(&self, mut visit: impl FnMut(u64)) {
        match self {
            IdColumn::Narrow(ids) => ids.iter().for_each(|&id| visit(id.into())),
            IdColumn::Wide(ids) => ids.iter().for_each(|&id| visit(id)),
        }
    }

    fn into_ranks(self, ids: &VertexIds, bits: Option<&IdBits>) -> Result<Vec<u32>, EdgeListError> {
        let outside = |id| {
            let first = ids.get(0).unwrap_or(0);
            EdgeListError::OutsideRange { id, first, end: first.saturating_add(ids.len().into()) }
        };
        let rank = |id: u64| ids.rank(id).ok_or_else(|| outside(id));
        let ranked =
            ids.contiguous_from() == Some(0) && self.max().is_none_or(|last| last < ids.len().into());
        match (self, bits) {
            (IdColumn::Narrow(column), _) if ranked => Ok(column),
            (IdColumn::Narrow(column), Some(bits)) => {
                Ok(column.into_par_iter().map(|id| bits.rank(id.into())).collect())
            }
            (IdColumn::Narrow(column), None) => column.into_par_iter().map(|id| rank(id.into())).collect(),
            (IdColumn::Wide(column), _) => column.into_par_iter().map(rank).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(edges: &[(u64, u64)]) -> EdgeList {
        let mut builder = EdgeBuilder::default();
        for &(source, target) in edges {
            builder.push(source, target);
        }
        builder.finish(None, None).unwrap()
    }

    #[test]
    fn bits_and_sorting_agree() {
        let edges: Vec<(u64, u64)> = (0..500).map(|i| (i * 7919 % 1000, i * 31 % 977)).collect();
        let mut builder = EdgeBuilder::default();
        edges.iter().for_each(|&(source, target)| builder.push(source, target));
        assert_eq!(builder.by_bits(999).0, builder.by_sorting());
    }

    #[test]
    fn wide_ids_appear_late() {
        let list = list(&[(3, 1), (1, 1 << 40), (3, 3)]);
        assert_eq!(list.ids().table(), Some(&[1, 3, 1 << 40][..]));
        assert_eq!((list.sources(), list.targets()), (&[1, 0, 1][..], &[0, 2, 1][..]));
    }

    #[test]
    fn declared_ids_bind() {
        let mut builder = EdgeBuilder::default();
        builder.push(1, 4);
        let refused = builder.finish(None, Some(1..4)).unwrap_err();
        assert_eq!(refused, EdgeListError::OutsideRange { id: 4, first: 1, end: 4 });
    }
}
