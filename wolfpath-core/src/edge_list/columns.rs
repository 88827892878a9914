//! Builds edge lists from columns (the layout of data frames) and, internally, from known ranks and columns.

use super::{EdgeBuilder, EdgeList, EdgeListError, Symmetry, VertexIds};
use crate::weights::{Columns, WeightNumber, Weights};

impl EdgeList {
    /// Builds a list of edges without weights from a column of source ids (`u32` or `u64`) and a column of target ids.
    /// The vertices are the ids that occur; [`with_vertices`](Self::with_vertices) adds others.
    ///
    /// ```
    /// use wolfpath_core::edge_list::EdgeList;
    ///
    /// let list = EdgeList::from_columns(&[1u32, 2], &[2, 3])?;
    /// assert_eq!(list.edge(1), (2, 3));
    /// # Ok::<(), wolfpath_core::edge_list::EdgeListError>(())
    /// ```
    pub fn from_columns<I: Copy + Into<u64>>(
        sources: &[I],
        targets: &[I],
    ) -> Result<EdgeList, EdgeListError> {
        columns_of_ids(sources, targets)?.finish(None, None)
    }

    /// Builds a list of edges with weights from three columns. Weights are stored in the narrowest type that represents
    /// all of them exactly. NaN is rejected.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    ///
    /// let list = EdgeList::from_weighted_columns(&[1u32, 2], &[2, 3], &[0.5f32, 4.0])?;
    /// assert_eq!((list.edge(1), list.weights().map(|weights| weights.get(1))), ((2, 3), Some(4.0)));
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn from_weighted_columns<I: Copy + Into<u64>, W: WeightNumber>(
        sources: &[I],
        targets: &[I],
        weights: &[W],
    ) -> Result<EdgeList, EdgeListError> {
        check_lengths(sources.len(), weights.len())?;
        let builder = columns_of_ids(sources, targets)?;
        if let Some(position) = weights.iter().position(|weight| weight.is_nan()) {
            return Err(EdgeListError::NanWeight {
                position: position as u64,
                source_id: sources[position].into(),
                target_id: targets[position].into(),
            });
        }
        builder.finish(Some(W::into_weights(weights.to_vec()).narrowed()), None)
    }

    /// Builds a list from lines whose endpoints are already ranks, and the columns of the lines.
    pub(crate) fn from_ranks_and_columns(
        ids: VertexIds,
        sources: Vec<u32>,
        targets: Vec<u32>,
        (weights, columns): (Option<Weights>, Columns<Weights>),
        symmetry: Symmetry,
    ) -> EdgeList {
        EdgeList { weights, columns, ..EdgeList::from_ranks(ids, sources, targets, symmetry) }
    }
}

fn columns_of_ids<I: Copy + Into<u64>>(sources: &[I], targets: &[I]) -> Result<EdgeBuilder, EdgeListError> {
    check_lengths(sources.len(), targets.len())?;
    let mut builder = EdgeBuilder::default();
    sources.iter().zip(targets).for_each(|(&source, &target)| builder.push(source.into(), target.into()));
    Ok(builder)
}

fn check_lengths(sources: usize, other: usize) -> Result<(), EdgeListError> {
    if sources == other { Ok(()) } else { Err(EdgeListError::Columns { sources, other }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_edges() {
        let list = EdgeList::from_weighted_columns(&[7u64, 1], &[1, 1], &[2.0, 3.0]).unwrap();
        assert_eq!((list.edge(0), list.weights()), ((7, 1), Some(&Weights::U32(vec![2, 3]))));
        let pairs = EdgeList::from_columns(&[7u32, 1], &[1, 1]).unwrap();
        assert_eq!(pairs, EdgeList::from_edges([(7, 1), (1, 1)]).unwrap());
    }

    #[test]
    fn columns_have_one_length_and_no_nan() {
        let error = EdgeList::from_columns(&[1u32], &[]).unwrap_err();
        assert_eq!(error, EdgeListError::Columns { sources: 1, other: 0 });
        assert!(EdgeList::from_weighted_columns(&[1u32], &[1], &[1, 2]).is_err());
        let error = EdgeList::from_weighted_columns(&[1u32], &[2], &[f32::NAN]).unwrap_err();
        assert_eq!(error, EdgeListError::NanWeight { position: 0, source_id: 1, target_id: 2 });
    }
}
