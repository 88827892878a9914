//! The least that a run can take on the device of `rates`, from the run's own counts.
//!
//! A run is charged three things:
//!
//! - **bytes**, in order, each once: what says that a vertex has no value yet (a bit each; the value itself where every
//!   vertex starts with one), 8 bytes of offsets and one written value for every vertex reached (in every step, where
//!   every vertex sends in every step), and for every edge looked at the 4 bytes of its end and its weight;
//! - **random reads**: the state of the vertex at the other end of every edge looked at. Only jumps count: an edge whose
//!   end lies in the same 32 bytes of state as that of the edge before it costs no read of its own. How many edges of the
//!   graph jump is counted, in the order of its rows. The state is a bit where a program is `uniform` (reached or not),
//!   else a value; the size of all states decides how quickly they are read;
//! - **barriers**, one a step.
//!
//! Bytes and random reads overlap, so the larger counts; nothing happens during a barrier. So
//! `floor = max(bytes / rate, random reads / rate) + steps * barrier`. Atomics, queues and reading anything twice are
//! not charged: they are what a run could save.

use wolfpath::graph::Rows;

use super::rates::{BARRIER, BYTES_A_SECOND, random_reads};

/// Bytes that memory brings at a time.
const SECTOR: u64 = 32;

/// What a program keeps and reads, of one vertex and one edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Footprint {
    /// Bytes of a value.
    pub(crate) value: u64,
    /// Bytes of a weight; 0 when none is read.
    pub(crate) weight: u64,
    /// What is looked at of an edge's end is a bit.
    pub(crate) uniform: bool,
    /// Every vertex has a value at the start.
    pub(crate) starts_everywhere: bool,
    /// Every vertex sends in every step.
    pub(crate) all_send: bool,
}

impl Footprint {
    /// How many vertices' states lie in one sector.
    pub(crate) fn vertices_a_sector(self) -> u64 {
        if self.uniform { SECTOR * 8 } else { SECTOR / self.value }
    }

    /// The bytes of all states.
    fn table(self, vertices: u64) -> f64 {
        if self.uniform { vertices as f64 / 8.0 } else { (vertices * self.value) as f64 }
    }
}

/// What a run did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Work {
    pub(crate) vertices: u64,
    /// Vertices with a value at the end.
    pub(crate) reached: u64,
    /// Edges looked at.
    pub(crate) edges: u64,
    pub(crate) steps: u64,
    /// The share of the graph's edges that jump.
    pub(crate) jumps: f64,
}

impl Work {
    /// Rows looked at, each at least once.
    fn rows(&self, of: Footprint) -> u64 {
        if of.all_send { self.vertices * self.steps } else { self.reached }
    }

    /// The bytes that must move.
    fn bytes(&self, of: Footprint) -> f64 {
        let start = if of.starts_everywhere { self.vertices * of.value } else { self.vertices.div_ceil(8) };
        (start + self.rows(of) * (8 + of.value) + self.edges * (4 + of.weight)) as f64
    }

    /// The least that it takes.
    pub(crate) fn floor(&self, of: Footprint) -> Floor {
        let jumps = self.edges as f64 * self.jumps;
        Floor {
            bytes: self.bytes(of) / BYTES_A_SECOND * 1e3,
            random: jumps / random_reads(of.table(self.vertices)) * 1e3,
            barriers: self.steps as f64 * BARRIER * 1e3,
        }
    }

    /// Milliseconds that reading the edges takes, in order, and nothing else: offsets of the rows, ends and weights.
    pub(crate) fn reading(&self, of: Footprint) -> f64 {
        (self.rows(of) * 8 + self.edges * (4 + of.weight)) as f64 / BYTES_A_SECOND * 1e3
    }
}

/// What a run must take, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Floor {
    pub(crate) bytes: f64,
    pub(crate) random: f64,
    pub(crate) barriers: f64,
}

impl Floor {
    /// All of it.
    pub(crate) fn total(&self) -> f64 {
        self.bytes.max(self.random) + self.barriers
    }

    /// What most of it is.
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

/// The share of edges whose end lies in another sector than the end of the edge before, in the order of the rows.
pub(crate) fn jumps(rows: Rows<'_>, vertices_a_sector: u64) -> f64 {
    let sector = |end: u32| u64::from(end) / vertices_a_sector;
    let jumps = rows.ends.windows(2).filter(|pair| sector(pair[0]) != sector(pair[1])).count();
    match rows.ends.len() {
        0 => 0.0,
        edges => (jumps + 1) as f64 / edges as f64,
    }
}
