//! Conversions from and to sparse matrices of the crate sprs. The entry `(i, j)` is the edge from `i` to `j`.

use super::csr::Csr;
use super::lines::Lines;
use super::{EdgeBuilder, EdgeList, EdgeListError};
use crate::weights::WeightNumber;
use sprs::{CsMat, CsMatViewI, SpIndex};

impl EdgeList {
    /// Builds a list of edges with weights from the entries of a square matrix, including explicit zeros. Ids are
    /// indices, and every row is a vertex. The list is directed; a symmetric matrix contains both directions.
    ///
    /// ```
    /// use sprs::TriMat;
    /// use wolfpath::edge_list::EdgeList;
    ///
    /// let mut matrix = TriMat::new((3, 3));
    /// matrix.add_triplet(0, 2, 7.0);
    /// let matrix: sprs::CsMat<f64> = matrix.to_csr();
    /// let list = EdgeList::from_sprs(matrix.view())?;
    /// assert_eq!((list.num_vertices(), list.edge(0)), (3, (0, 2)));
    /// # Ok::<(), wolfpath::edge_list::EdgeListError>(())
    /// ```
    pub fn from_sprs<W: WeightNumber, I: SpIndex>(
        matrix: CsMatViewI<'_, W, I>,
    ) -> Result<EdgeList, EdgeListError> {
        let (rows, columns) = (matrix.rows() as u64, matrix.cols() as u64);
        if rows != columns {
            return Err(EdgeListError::NotSquare { rows, columns });
        }
        let mut builder = EdgeBuilder::default();
        let mut weights = Vec::with_capacity(matrix.nnz());
        for (&weight, (row, column)) in matrix.iter() {
            let (source_id, target_id) = (row.index() as u64, column.index() as u64);
            if weight.is_nan() {
                let position = weights.len() as u64;
                return Err(EdgeListError::NanWeight { position, source_id, target_id });
            }
            builder.push(source_id, target_id);
            weights.push(weight);
        }
        builder.finish(Some(W::into_weights(weights).narrowed()), Some(0..rows))
    }

    /// Converts the list to a matrix over ranks, in row-major order. An entry is the edge's weight rounded to the
    /// nearest f64, or 1 if the list has no weights. A matrix has only one entry per pair of vertices, so parallel
    /// edges are rejected.
    pub fn to_sprs(&self) -> Result<CsMat<f64>, EdgeListError> {
        let weight = |line| self.weights().map_or(1.0, |weights| weights.get(line));
        let rows = Csr::by_source(&Lines::of(self), self.num_vertices(), weight);
        for row in 0..self.num_vertices() {
            let ends = &rows.ends[rows.range(row as usize)];
            if let Some(pair) = ends.windows(2).find(|pair| pair[0] == pair[1]) {
                let (source_id, target_id) = (self.ids().id(row), self.ids().id(pair[0]));
                return Err(EdgeListError::ParallelEdges { source_id, target_id });
            }
        }
        let offsets = rows.offsets.into_iter().map(|offset| offset as usize).collect();
        let ends = rows.ends.into_iter().map(|end| end as usize).collect();
        let vertices = self.num_vertices() as usize;
        Ok(CsMat::new((vertices, vertices), offsets, ends, rows.weights))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let list = EdgeList::from_weighted_edges([(0, 1, 0.5), (0, 2, 4.0), (2, 0, 2.0)]).unwrap();
        let list = list.with_vertices(0..4).unwrap();
        let matrix = list.to_sprs().unwrap();
        assert_eq!((matrix.rows(), matrix.get(0, 2)), (4, Some(&4.0)));
        assert_eq!(EdgeList::from_sprs(matrix.view()).unwrap(), list);
        let columns = matrix.to_csc();
        let again = EdgeList::from_sprs(columns.view()).unwrap();
        assert_eq!((again.num_edges(), again.edge(0)), (3, (2, 0)));
    }

    #[test]
    fn what_is_no_matrix_and_what_is_no_graph() {
        let parallel = EdgeList::from_edges([(7, 8), (7, 8)]).unwrap();
        let refused = EdgeListError::ParallelEdges { source_id: 7, target_id: 8 };
        assert_eq!(parallel.to_sprs().unwrap_err(), refused);
        let flat = CsMat::<f64>::zero((2, 3));
        let refused = EdgeListError::NotSquare { rows: 2, columns: 3 };
        assert_eq!(EdgeList::from_sprs(flat.view()).unwrap_err(), refused);
        let undirected = EdgeList::from_edges([(7, 8)]).unwrap().undirected();
        assert_eq!(undirected.to_sprs().unwrap().nnz(), 2);
    }
}
