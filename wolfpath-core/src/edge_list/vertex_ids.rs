//! The user's ids, indexed by rank. They are stored as a range if they are contiguous, else as a sorted table.

use super::{EdgeListError, MAX_VERTICES};
use std::ops::Range;

/// The ids of all vertices, ascending. The position of an id among them is its rank.
///
/// ```
/// use wolfpath::edge_list::VertexIds;
///
/// let ids = VertexIds::from_sorted(vec![5, 17, 42]).expect("they ascend");
/// assert_eq!((ids.len(), ids.rank(42), ids.id(0)), (3, Some(2), 5));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexIds(Form);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Range { first: u64, len: u32 },
    Sorted(Vec<u64>),
}

impl VertexIds {
    /// Returns all ids of a range.
    ///
    /// ```
    /// use wolfpath::edge_list::VertexIds;
    ///
    /// let ids = VertexIds::range(10..13)?;
    /// assert_eq!((ids.len(), ids.id(0), ids.contiguous_from()), (3, 10, Some(10)));
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn range(range: Range<u64>) -> Result<VertexIds, EdgeListError> {
        let found = range.end.saturating_sub(range.start);
        match u32::try_from(found) {
            Ok(len) => Ok(VertexIds(Form::Range { first: if len == 0 { 0 } else { range.start }, len })),
            Err(_) => Err(EdgeListError::TooManyVertices { found }),
        }
    }

    /// Returns the ids 0 to `len` - 1.
    ///
    /// ```
    /// use wolfpath::edge_list::VertexIds;
    ///
    /// assert_eq!(VertexIds::first(3).iter().collect::<Vec<u64>>(), [0, 1, 2]);
    /// ```
    pub fn first(len: u32) -> VertexIds {
        VertexIds(Form::Range { first: 0, len })
    }

    /// Builds ids from a strictly ascending list. Returns `None` if the list does not ascend or is too long. Contiguous
    /// ids become a range.
    ///
    /// ```
    /// use wolfpath::edge_list::VertexIds;
    ///
    /// assert!(VertexIds::from_sorted(vec![3, 9]).is_some());
    /// assert!(VertexIds::from_sorted(vec![9, 3]).is_none());
    /// ```
    pub fn from_sorted(ids: Vec<u64>) -> Option<VertexIds> {
        if ids.len() as u64 > MAX_VERTICES || !ids.is_sorted_by(|a, b| a < b) {
            return None;
        }
        let (first, last) = (ids.first().copied().unwrap_or(0), ids.last().copied().unwrap_or(0));
        let len = ids.len() as u32;
        let contiguous = len == 0 || last - first == u64::from(len) - 1;
        Some(VertexIds(if contiguous { Form::Range { first, len } } else { Form::Sorted(ids) }))
    }

    /// Returns these ids merged with `more`, and the new rank of each old id. `more` must be ascending and contain no
    /// old id.
    #[doc(hidden)]
    pub fn with_more(&self, more: &[u64]) -> Result<(VertexIds, Vec<u32>), EdgeListError> {
        let found = u64::from(self.len()) + more.len() as u64;
        if found > MAX_VERTICES {
            return Err(EdgeListError::TooManyVertices { found });
        }
        let (mut ids, mut ranks) =
            (Vec::with_capacity(found as usize), Vec::with_capacity(self.len() as usize));
        let mut more = more.iter().copied().peekable();
        for id in self.iter() {
            while let Some(smaller) = more.next_if(|&new| new < id) {
                ids.push(smaller);
            }
            ranks.push(ids.len() as u32);
            ids.push(id);
        }
        ids.extend(more);
        let ids = VertexIds::from_sorted(ids).ok_or(EdgeListError::TooManyVertices { found })?;
        Ok((ids, ranks))
    }

    /// Returns the number of ids.
    pub fn len(&self) -> u32 {
        match &self.0 {
            Form::Range { len, .. } => *len,
            Form::Sorted(ids) => ids.len() as u32,
        }
    }

    /// Returns `true` if there are no ids.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the id of the vertex of this rank.
    ///
    /// # Panics
    /// Panics if there is no such vertex.
    ///
    /// ```
    /// use wolfpath::edge_list::VertexIds;
    ///
    /// assert_eq!(VertexIds::range(10..13)?.id(2), 12);
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    #[inline]
    pub fn id(&self, rank: u32) -> u64 {
        match &self.0 {
            Form::Range { first, len } => {
                assert!(rank < *len, "no vertex has rank {rank}: there are {len} vertices");
                first + u64::from(rank)
            }
            Form::Sorted(ids) => ids[rank as usize],
        }
    }

    /// Returns the id of the vertex of this rank, if any.
    ///
    /// ```
    /// use wolfpath::edge_list::VertexIds;
    ///
    /// let ids = VertexIds::first(3);
    /// assert_eq!((ids.get(2), ids.get(3)), (Some(2), None));
    /// ```
    pub fn get(&self, rank: u32) -> Option<u64> {
        (rank < self.len()).then(|| self.id(rank))
    }

    /// Returns the rank of the vertex with this id, if any.
    ///
    /// ```
    /// use wolfpath::edge_list::VertexIds;
    ///
    /// let ids = VertexIds::range(10..13)?;
    /// assert_eq!((ids.rank(12), ids.rank(13)), (Some(2), None));
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    #[inline]
    pub fn rank(&self, id: u64) -> Option<u32> {
        match &self.0 {
            Form::Range { first, len } => {
                let rank = id.checked_sub(*first)?;
                (rank < u64::from(*len)).then_some(rank as u32)
            }
            Form::Sorted(ids) => ids.binary_search(&id).ok().map(|rank| rank as u32),
        }
    }

    /// Returns the first id if all ids are contiguous, so that an id is its rank plus the first id.
    pub fn contiguous_from(&self) -> Option<u64> {
        match &self.0 {
            Form::Range { first, .. } => Some(*first),
            Form::Sorted(_) => None,
        }
    }

    /// Returns the table of ids if they are not contiguous.
    pub fn table(&self) -> Option<&[u64]> {
        match &self.0 {
            Form::Range { .. } => None,
            Form::Sorted(ids) => Some(ids),
        }
    }

    /// Returns an iterator over all ids, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        (0..self.len()).map(|rank| self.id(rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguous_ids_are_a_range() {
        let ids = VertexIds::from_sorted(vec![u64::MAX - 1, u64::MAX]).unwrap();
        assert_eq!(ids.contiguous_from(), Some(u64::MAX - 1));
        assert_eq!((ids.rank(u64::MAX), ids.rank(0), ids.id(0)), (Some(1), None, u64::MAX - 1));
        assert_eq!(ids.iter().collect::<Vec<_>>(), [u64::MAX - 1, u64::MAX]);
    }

    #[test]
    fn scattered_ids_are_a_table() {
        let ids = VertexIds::from_sorted(vec![0, 2, 9]).unwrap();
        assert_eq!(ids.table(), Some(&[0, 2, 9][..]));
        assert_eq!((ids.rank(9), ids.rank(3), ids.get(3), ids.get(2)), (Some(2), None, None, Some(9)));
        assert_eq!(VertexIds::from_sorted(vec![2, 2]), None);
        assert_eq!(VertexIds::from_sorted(vec![]).unwrap().len(), 0);
    }
}
