//! Edges grouped by source: the first pass of layering, still in the input's numbering.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;

use super::rows::{offsets_of, zeros};

/// Out-rows over ranks (dense indices by ascending user id). The order within a row is open: what depends on it
/// sorts. `inputs` tells each edge's place in the input, where weights need it.
pub(super) struct Grouped {
    pub(super) offsets: Vec<u64>,
    pub(super) targets: Vec<u32>,
    pub(super) inputs: Option<Vec<u64>>,
    /// Edges that arrive at each vertex.
    pub(super) in_degrees: Vec<u64>,
}

impl Grouped {
    /// Groups edges by a counting sort on all threads.
    pub(super) fn new(vertices: u32, sources: &[u32], targets: &[u32], with_inputs: bool) -> Grouped {
        let out_degrees = zeros(vertices as usize);
        let in_degrees = zeros(vertices as usize);
        sources.par_iter().zip(targets).for_each(|(&source, &target)| {
            out_degrees[source as usize].fetch_add(1, Ordering::Relaxed);
            in_degrees[target as usize].fetch_add(1, Ordering::Relaxed);
        });
        let offsets = offsets_of(&out_degrees);
        let next: Vec<AtomicU64> =
            offsets[..vertices as usize].par_iter().map(|&offset| AtomicU64::new(offset)).collect();
        let slots: Vec<AtomicU32> = targets.par_iter().map(|_| AtomicU32::new(0)).collect();
        let inputs = with_inputs.then(|| zeros(targets.len()));
        sources.par_iter().zip(targets).enumerate().for_each(|(input, (&source, &target))| {
            let slot = next[source as usize].fetch_add(1, Ordering::Relaxed) as usize;
            slots[slot].store(target, Ordering::Relaxed);
            if let Some(inputs) = &inputs {
                inputs[slot].store(input as u64, Ordering::Relaxed);
            }
        });
        Grouped {
            offsets,
            targets: slots.into_iter().map(AtomicU32::into_inner).collect(),
            inputs: inputs.map(plain),
            in_degrees: plain(in_degrees),
        }
    }

    /// How many vertices there are.
    pub(super) fn num_vertices(&self) -> usize {
        self.in_degrees.len()
    }

    /// The targets of a vertex.
    pub(super) fn row(&self, rank: u32) -> &[u32] {
        &self.targets[self.offsets[rank as usize] as usize..self.offsets[rank as usize + 1] as usize]
    }

    /// How many edges leave a vertex.
    pub(super) fn out_degree(&self, rank: u32) -> u64 {
        self.offsets[rank as usize + 1] - self.offsets[rank as usize]
    }

    /// Whether no edge touches the vertex.
    pub(super) fn is_isolated(&self, rank: u32) -> bool {
        self.in_degrees[rank as usize] == 0 && self.out_degree(rank) == 0
    }
}

/// Atomics that nobody shares any more, as numbers.
fn plain(atomics: Vec<AtomicU64>) -> Vec<u64> {
    atomics.into_iter().map(AtomicU64::into_inner).collect()
}
