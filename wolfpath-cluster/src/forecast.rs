//! The predicted load of the machines of a cluster, counted from a deal without running anything.

use std::num::NonZeroU16;
use std::ops::Range;

use rayon::prelude::*;
use wolfpath_core::graph::{Direction, LayeredGraph, Rows};
use wolfpath_core::store::StoreError;

use crate::deal::{Deal, Guest, grouped, inward};

/// Predicted load of one machine. What it sends and receives is that of a step in which all vertices take part.
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
#[non_exhaustive]
pub struct Machine {
    /// Number of its vertices.
    pub vertices: u64,
    /// Number of edges in the out-rows that it has, guests included, and also in the in-rows if the graph is directed.
    pub edges: u64,
    /// Number of these edges whose end is a vertex of another machine. (The vertex of a guest's row is on another machine
    /// anyway, and does not count.)
    pub cut: u64,
    /// Number of vertices of other machines at the ends of its in-rows, guests included. It receives their values to gather.
    pub mirrors: u64,
    /// Number of vertices of other machines at the ends of its out-rows, guests included. It sends a combined message to each.
    pub receivers: u64,
    /// Number of guests that it has for vertices of other machines.
    pub guests: u64,
    /// Number of guests on other machines in the in-rows of its vertices. If these gather, it receives a part of a sum for
    /// each.
    pub parts: u64,
}

/// Predicted load of every machine of a cluster.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{Deal, Forecast};
/// use wolfpath::prelude::*;
///
/// let ring = LayeredGraph::from_edges((0..8192).map(|v| (v, (v + 1) % 8192)))?;
/// let two = NonZeroU16::new(2).unwrap();
/// let forecast = Forecast::new(&ring, &Deal::new(&ring, two)?, two)?;
/// assert_eq!(forecast.mean(|machine| machine.vertices), 4096.0);
/// assert_eq!(forecast.most(|machine| machine.edges), 8192, "out-rows and in-rows");
/// assert_eq!(forecast.most(|machine| machine.guests), 0);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Forecast {
    machines: Vec<Machine>,
}

impl Forecast {
    /// Predicts the load of each of `machines` machines that share the shards of `deal`, which must be one of `graph`.
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
        let placement = Placement::new(deal, machines);
        let out = placement.side(out, Direction::Out);
        let inward = inward.map(|rows| placement.side(rows, Direction::In));
        let machine = |ends: &mut RemoteEnds, number: usize| {
            let mut machine = Machine { vertices: placement.vertices(number), ..Machine::default() };
            machine.receivers = out.count(number, ends, &mut machine);
            machine.mirrors = match &inward {
                Some(inward) => inward.count(number, ends, &mut machine),
                None => machine.receivers,
            };
            machine.parts = inward.as_ref().unwrap_or(&out).parts[number];
            machine
        };
        let numbers = (0..usize::from(machines.get())).into_par_iter();
        let ends = || RemoteEnds::new(graph.num_vertices());
        Ok(Forecast { machines: numbers.map_init(ends, machine).collect() })
    }

    /// Returns the load of each machine.
    pub fn machines(&self) -> &[Machine] {
        &self.machines
    }

    /// Returns the mean of a number over all machines.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Forecast};
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let two = NonZeroU16::new(2).unwrap();
    /// let forecast = Forecast::new(&graph, &Deal::new(&graph, two)?, two)?;
    /// assert_eq!(forecast.mean(|machine| machine.vertices), 1.5);
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn mean(&self, number: impl Fn(&Machine) -> u64) -> f64 {
        self.machines.iter().map(number).sum::<u64>() as f64 / self.machines.len() as f64
    }

    /// Returns the largest of a number over all machines.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Forecast};
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2), (2, 3)])?;
    /// let two = NonZeroU16::new(2).unwrap();
    /// let forecast = Forecast::new(&graph, &Deal::new(&graph, two)?, two)?;
    /// assert_eq!(forecast.most(|machine| machine.vertices), 3, "one machine has the only block");
    /// # Ok::<(), wolfpath::Error>(())
    /// ```
    pub fn most(&self, number: impl Fn(&Machine) -> u64) -> u64 {
        self.machines.iter().map(number).max().unwrap_or(0)
    }
}

/// A set of vertices of other machines, which are at the ends of a machine's edges.
struct RemoteEnds {
    bits: Vec<u64>,
    /// Words of `bits` that are not zero.
    words: Vec<u32>,
}

impl RemoteEnds {
    fn new(vertices: u32) -> RemoteEnds {
        RemoteEnds { bits: vec![0; (vertices as usize).div_ceil(64)], words: Vec::new() }
    }

    fn add(&mut self, v: u32) {
        let word = &mut self.bits[v as usize / 64];
        if *word == 0 {
            self.words.push(v / 64);
        }
        *word |= 1 << (v % 64);
    }

    /// Returns the number of vertices, and removes them.
    fn take(&mut self) -> u64 {
        let RemoteEnds { bits, words } = self;
        words.drain(..).map(|word| u64::from(std::mem::take(&mut bits[word as usize]).count_ones())).sum()
    }
}

/// The machines that have the shards of a deal.
struct Placement<'a> {
    deal: &'a Deal,
    machines: NonZeroU16,
    /// The machine of each block.
    homes: Vec<u16>,
    /// The blocks of each machine.
    blocks: Vec<Vec<u32>>,
}

impl<'a> Placement<'a> {
    fn new(deal: &'a Deal, machines: NonZeroU16) -> Placement<'a> {
        let homes: Vec<u16> = deal.owners().iter().map(|&shard| deal.machine_of(shard, machines)).collect();
        let blocks = grouped(&homes, machines.get().into());
        Placement { deal, machines, homes, blocks }
    }

    fn vertices(&self, machine: usize) -> u64 {
        self.blocks[machine].iter().map(|&block| self.deal.vertices_of(block as usize).len() as u64).sum()
    }

    fn home_of(&self, v: u32) -> usize {
        self.homes[v as usize / Deal::BLOCK].into()
    }

    /// Finds the guests of each machine in the rows of one direction.
    fn side(&'a self, rows: Rows<'a>, direction: Direction) -> PlacedRows<'a> {
        let all = self.deal.guests(direction);
        let (mut guests, mut parts) = (vec![Vec::new(); self.blocks.len()], vec![0; self.blocks.len()]);
        for guest in all {
            let here = usize::from(self.deal.machine_of(guest.shard, self.machines));
            let home = self.home_of(guest.vertex);
            guests[here].push(guest);
            parts[home] += u64::from(here != home);
        }
        PlacedRows { placement: self, rows, all, guests, parts }
    }
}

/// The rows of one direction, on machines.
struct PlacedRows<'a> {
    placement: &'a Placement<'a>,
    rows: Rows<'a>,
    all: &'a [Guest],
    /// The guests that each machine has.
    guests: Vec<Vec<&'a Guest>>,
    /// For each machine, the number of guests of its vertices that other machines have.
    parts: Vec<u64>,
}

impl PlacedRows<'_> {
    /// Adds the edges of a machine to its load, and returns the number of vertices of other machines at their ends.
    fn count(&self, machine: usize, ends: &mut RemoteEnds, load: &mut Machine) -> u64 {
        let PlacedRows { placement, rows, .. } = self;
        let mut visit = |edges: Range<usize>| {
            load.edges += edges.len() as u64;
            for &end in rows.ends[edges].iter().filter(|&&end| placement.home_of(end) != machine) {
                load.cut += 1;
                ends.add(end);
            }
        };
        for &block in &placement.blocks[machine] {
            let block = placement.deal.vertices_of(block as usize);
            let of_block = self.all.partition_point(|guest| guest.vertex < block.start)
                ..self.all.partition_point(|guest| guest.vertex < block.end);
            let mut next = rows.offsets[block.start as usize] as usize;
            for guest in &self.all[of_block] {
                let edges = guest.edges_in(rows.offsets);
                visit(next..edges.start);
                next = edges.end;
            }
            visit(next..rows.offsets[block.end as usize] as usize);
        }
        self.guests[machine].iter().for_each(|guest| visit(guest.edges_in(rows.offsets)));
        let foreign = self.guests[machine].iter().filter(|guest| placement.home_of(guest.vertex) != machine);
        load.guests += foreign.count() as u64;
        ends.take()
    }
}
