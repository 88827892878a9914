//! A program's data as bytes. Only this conversion depends on the program's types; the launch itself does not.

use wolfpath_core::graph::{Direction, LayeredGraph, WeightError, WeightPieces};
use wolfpath_core::program::{Datum, Input};

use crate::cuda::source::device_size;

/// First values that a run takes from an earlier outcome.
pub(crate) enum CarriedBytes {
    /// Addresses of the values and the presence bits.
    OnDevice([u64; 2]),
    /// Values of the program's type in the device's layout, and the presence bits.
    OnHost(Vec<u8>, Vec<u64>),
}

/// A program and its sources, in the byte layout that the device reads.
pub(crate) trait ProgramBytes: Sync {
    /// Returns the program's parameters as the kernels lay them out, without the addresses of inputs.
    fn parameters(&self) -> Vec<u8>;

    /// Returns the program's inputs in the order of its model.
    fn inputs(&self) -> Vec<&dyn Input>;

    /// Returns the internal indices of the sources.
    fn source_vertices(&self) -> &[u32];

    /// Returns the first values of the sources.
    fn source_values(&self) -> Vec<u8>;

    /// Returns the first values of a run that takes them from an earlier outcome.
    fn carried(&self) -> Option<CarriedBytes>;

    /// Returns the weights of `graph` in the program's type, in the order of the rows of `direction`.
    ///
    /// # Errors
    /// [`WeightError`] if the program cannot read the weights.
    fn weights<'g>(
        &self,
        graph: &'g LayeredGraph,
        direction: Direction,
        lossy: bool,
    ) -> Result<WeightPieces<'g>, WeightError>;
}

/// Returns values in the byte layout that the device reads.
pub(super) fn value_bytes<V: Datum>(values: &[V]) -> Vec<u8> {
    let size = device_size(V::KIND);
    let mut bytes = vec![0u8; values.len() * size];
    write_all(values, size, &mut bytes);
    bytes
}

fn write_all<D: Datum>(data: &[D], size: usize, bytes: &mut [u8]) {
    bytes.chunks_exact_mut(size).zip(data).for_each(|(to, datum)| datum.write(to));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_takes_a_byte_on_a_device() {
        assert_eq!(value_bytes(&[7u32, 258]), [7, 0, 0, 0, 2, 1, 0, 0]);
        assert_eq!(value_bytes(&[(), ()]), [0, 0]);
    }
}
