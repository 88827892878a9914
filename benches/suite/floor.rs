//! Lower bound of a run's time, computed from the run's own counts. It applies to one device: the one whose rates were
//! measured in the module `rates`.
//!
//! A run is charged for three things:
//!
//! - **bytes**, read or written in order, once each:
//!   - the information that a vertex has no value yet: one bit per vertex, or the value itself if every vertex starts
//!     with one;
//!   - 8 bytes of offsets and one written value for every reached vertex, or for every vertex in every step if all
//!     vertices send in every step;
//!   - 4 bytes for the vertex that the edge leads to (its end), and the weight, for every edge visited;
//! - **random reads** of the state of the vertex at the other end of every edge visited. Only edges that *jump* count:
//!   if an edge's end is in the same 32 bytes of state as the end of the previous edge, it needs no separate read. The
//!   fraction of edges that jump is counted over the whole graph, in the order of its rows. The state is one bit if the
//!   program is `uniform` (reached or not), otherwise a value. The rate of random reads depends on the size of all
//!   states. If every vertex sends in every step, the states that are read most can stay in the shared memory of every
//!   multiprocessor. The edges that read these are not charged, nor are those that do not jump; an edge may be both, so
//!   at least the difference of the two fractions is left;
//! - **barriers**, one per step.
//!
//! Bytes and random reads overlap, so only the larger of the two counts. Nothing overlaps with a barrier:
//!
//!     floor = max(bytes / rate, random reads / rate) + steps * barrier
//!
//! Atomics, queues and repeated reads are not charged, because a run could avoid them.

use wolfpath::graph::Rows;

use super::rates::{BARRIER, BYTES_A_SECOND, SHARED_BYTES, random_reads};

/// Bytes that are read from memory at a time.
const SECTOR: u64 = 32;

/// Memory that a program needs per vertex and per edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Footprint {
    /// Bytes of a value.
    pub(crate) value: u64,
    /// Bytes of a weight. 0 if no weight is read.
    pub(crate) weight: u64,
    /// `true` if only one bit of an edge's end is read.
    pub(crate) uniform: bool,
    /// `true` if every vertex has a value at the start.
    pub(crate) starts_everywhere: bool,
    /// `true` if every vertex sends in every step.
    pub(crate) all_send: bool,
}

impl Footprint {
    /// Returns the number of vertices whose states fit in one sector.
    pub(crate) fn vertices_a_sector(self) -> u64 {
        if self.uniform { SECTOR * 8 } else { SECTOR / self.value }
    }

    /// Returns the number of vertices whose states can stay in the shared memory of every multiprocessor.
    pub(crate) fn kept_vertices(self) -> u64 {
        if self.all_send { SHARED_BYTES / self.value } else { 0 }
    }

    /// Returns the size of all states in bytes.
    fn table(self, vertices: u64) -> f64 {
        if self.uniform { vertices as f64 / 8.0 } else { (vertices * self.value) as f64 }
    }
}

/// Counts of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Work {
    pub(crate) vertices: u64,
    /// Vertices with a value at the end.
    pub(crate) reached: u64,
    /// Edges visited.
    pub(crate) edges: u64,
    pub(crate) steps: u64,
    /// Fraction of the graph's edges that jump.
    pub(crate) jumps: f64,
    /// Fraction of the graph's edges that leave the vertices whose states can stay in shared memory. 0 if the program
    /// reads the states of other vertices in every step.
    pub(crate) kept: f64,
}

impl Work {
    /// Returns a lower bound of the number of rows read.
    fn rows(&self, of: Footprint) -> u64 {
        if of.all_send { self.vertices * self.steps } else { self.reached }
    }

    /// Returns the number of bytes that must be transferred.
    fn bytes(&self, of: Footprint) -> f64 {
        let start = if of.starts_everywhere { self.vertices * of.value } else { self.vertices.div_ceil(8) };
        (start + self.rows(of) * (8 + of.value) + self.edges * (4 + of.weight)) as f64
    }

    /// Returns the lower bound of the run's time.
    pub(crate) fn floor(&self, of: Footprint) -> Floor {
        let jumps = self.edges as f64 * (self.jumps - self.kept).max(0.0);
        Floor {
            bytes: self.bytes(of) / BYTES_A_SECOND * 1e3,
            random: jumps / random_reads(of.table(self.vertices)) * 1e3,
            barriers: self.steps as f64 * BARRIER * 1e3,
        }
    }
}

/// Lower bound of a run's time, by part, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Floor {
    pub(crate) bytes: f64,
    pub(crate) random: f64,
    pub(crate) barriers: f64,
}

impl Floor {
    /// Returns the whole bound.
    pub(crate) fn total(&self) -> f64 {
        self.bytes.max(self.random) + self.barriers
    }

    /// Returns the name of the largest part.
    pub(crate) fn dominant(&self) -> &'static str {
        if self.barriers >= self.bytes.max(self.random) {
            "barriers"
        } else if self.random > self.bytes {
            "random reads"
        } else {
            "bytes"
        }
    }
}

/// Returns the fraction of edges whose end is in another sector than the previous edge's end, in the order of the rows.
pub(crate) fn jumps(rows: Rows<'_>, vertices_a_sector: u64) -> f64 {
    let sector = |end: u32| u64::from(end) / vertices_a_sector;
    let jumps = rows.ends.windows(2).filter(|pair| sector(pair[0]) != sector(pair[1])).count();
    match rows.ends.len() {
        0 => 0.0,
        edges => (jumps + 1) as f64 / edges as f64,
    }
}
