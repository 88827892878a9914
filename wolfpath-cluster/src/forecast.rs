//! What the machines of a cluster would hold and receive, found from a deal without running anything.

use std::num::NonZeroU16;
use std::ops::Range;

use rayon::prelude::*;
use wolfpath_core::graph::{Direction, LayeredGraph, Rows};
use wolfpath_core::store::StoreError;

use crate::deal::{Deal, inward};

/// What one machine would hold, and receive in a step in which all vertices take part.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{Deal, Forecast};
/// use wolfpath::prelude::*;
///
/// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
/// let deal = Deal::new(&graph, NonZeroU16::MIN)?;
/// let alone = Forecast::new(&graph, &deal, NonZeroU16::MIN)?.machines()[0];
/// assert_eq!((alone.vertices, alone.edges, alone.cut), (3, 4, 0), "out-rows and in-rows");
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Number of its vertices.
    pub vertices: u64,
    /// Number of edges in its rows: out-rows, and also in-rows if the graph is directed.
    pub edges: u64,
    /// Number of these edges whose other end is on another machine.
    pub cut: u64,
    /// Number of vertices of other machines that send to its vertices: those whose values it would receive if its vertices
    /// gather.
    pub senders: u64,
    /// Number of vertices of other machines to which its vertices send: those for which it would send a combined message.
    pub receivers: u64,
    /// Number of pieces of rows that it has for vertices of other machines, to which it would send a part of a sum each.
    pub guests: u64,
}

/// What each machine of a cluster would hold and receive.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{Deal, Forecast};
/// use wolfpath::prelude::*;
///
/// let ring = LayeredGraph::from_edges((0..8192).map(|v| (v, (v + 1) % 8192)))?;
/// let deal = Deal::new(&ring, NonZeroU16::new(8).unwrap())?;
/// let forecast = Forecast::new(&ring, &deal, NonZeroU16::new(2).unwrap())?;
/// let first = forecast.machines()[0];
/// assert_eq!((first.vertices, first.edges, first.guests), (4096, 8192, 0));
/// assert_eq!((first.cut, first.senders, first.receivers), (2, 1, 1), "layered, a ring is one sequence of vertices");
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Forecast {
    machines: Vec<Machine>,
}

impl Forecast {
    /// Returns what each of `machines` machines would hold if they share the shards of `deal`, which must be one of `graph`.
    ///
    /// # Errors
    /// Returns an error if the in-rows of a directed graph cannot be computed, for lack of memory.
    ///
    /// # Panics
    /// May panic if `deal` is one of another graph.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Forecast};
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let deal = Deal::new(&graph, NonZeroU16::MIN)?;
    /// assert_eq!(Forecast::new(&graph, &deal, NonZeroU16::new(3).unwrap())?.machines().len(), 3);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn new(graph: &LayeredGraph, deal: &Deal, machines: NonZeroU16) -> Result<Forecast, StoreError> {
        let (out, inward) = (graph.out_edges(), inward(graph)?);
        let counted = Counted { deal, machines };
        let machine = |number: u16| {
            let mut machine = Machine { vertices: counted.vertices(number), ..Machine::default() };
            let mut ends = Ends::new(graph.num_vertices());
            counted.add(number, out, Direction::Out, &mut ends, &mut machine);
            machine.receivers = ends.take();
            match inward {
                Some(rows) => {
                    counted.add(number, rows, Direction::In, &mut ends, &mut machine);
                    machine.senders = ends.take();
                }
                None => machine.senders = machine.receivers,
            }
            machine
        };
        Ok(Forecast { machines: (0..machines.get()).into_par_iter().map(machine).collect() })
    }

    /// Returns the machines.
    pub fn machines(&self) -> &[Machine] {
        &self.machines
    }

    /// Returns the mean of a number over all machines, and the largest one.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Forecast};
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let deal = Deal::new(&graph, NonZeroU16::new(2).unwrap())?;
    /// let forecast = Forecast::new(&graph, &deal, NonZeroU16::new(2).unwrap())?;
    /// assert_eq!(forecast.mean_and_most(|machine| machine.vertices), (1.5, 3), "one machine has the only block");
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn mean_and_most(&self, number: impl Fn(&Machine) -> u64) -> (f64, u64) {
        let numbers = || self.machines.iter().map(&number);
        (numbers().sum::<u64>() as f64 / self.machines.len() as f64, numbers().max().unwrap_or(0))
    }
}

/// Vertices of other machines at the ends of a machine's edges.
struct Ends {
    bits: Vec<u64>,
}

impl Ends {
    fn new(vertices: u32) -> Ends {
        Ends { bits: vec![0; (vertices as usize).div_ceil(64)] }
    }

    fn add(&mut self, v: u32) {
        self.bits[v as usize / 64] |= 1 << (v % 64);
    }

    /// Returns the number of vertices, and forgets them.
    fn take(&mut self) -> u64 {
        self.bits.iter_mut().map(|word| u64::from(std::mem::take(word).count_ones())).sum()
    }
}

/// A deal to a number of machines.
struct Counted<'a> {
    deal: &'a Deal,
    machines: NonZeroU16,
}

impl Counted<'_> {
    fn has(&self, machine: u16, shard: u16) -> bool {
        self.deal.process_of(shard, self.machines) == machine
    }

    fn blocks(&self, machine: u16) -> impl Iterator<Item = Range<u32>> {
        let own = self.deal.owners().iter().enumerate().filter(move |&(_, &shard)| self.has(machine, shard));
        own.map(|(block, _)| self.deal.vertices_of(block))
    }

    fn vertices(&self, machine: u16) -> u64 {
        self.blocks(machine).map(|block| block.len() as u64).sum()
    }

    /// Adds the edges of a machine's rows of one direction.
    fn add(&self, machine: u16, rows: Rows<'_>, direction: Direction, ends: &mut Ends, counts: &mut Machine) {
        // Looked up for every edge.
        let is_own: Vec<bool> = self.deal.owners().iter().map(|&shard| self.has(machine, shard)).collect();
        let mut visit = |edges: Range<usize>| {
            counts.edges += edges.len() as u64;
            for &end in rows.ends[edges].iter().filter(|&&end| !is_own[end as usize / Deal::BLOCK]) {
                counts.cut += 1;
                ends.add(end);
            }
        };
        let guests = self.deal.guests(direction);
        for block in self.blocks(machine) {
            let of_block = guests.partition_point(|guest| guest.vertex < block.start)
                ..guests.partition_point(|guest| guest.vertex < block.end);
            let mut next = rows.offsets[block.start as usize] as usize;
            for guest in &guests[of_block] {
                let row = rows.range(guest.vertex).start;
                visit(next..row + guest.edges.start as usize);
                next = row + guest.edges.end as usize;
            }
            visit(next..rows.offsets[block.end as usize] as usize);
        }
        let mut strangers = 0;
        for guest in guests.iter().filter(|guest| self.has(machine, guest.shard)) {
            let row = rows.range(guest.vertex).start;
            visit(row + guest.edges.start as usize..row + guest.edges.end as usize);
            strangers += u64::from(!is_own[guest.vertex as usize / Deal::BLOCK]);
        }
        counts.guests += strangers;
    }
}
