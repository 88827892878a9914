//! The part of a graph that each of several devices has. The vertices are dealt out in *units*, the blocks of vertices
//! whose values are folded together, or smaller ones for runs that do not fold values. A device has the rows of its own vertices, in its own arrays; the rows of all other
//! vertices are empty there. All arrays of vertices are complete on each device.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use wolfpath_core::graph::{DegreeClasses, Direction, LayeredGraph, PackedRows, Rows};

use super::components;
use super::staging::Elements;
use crate::deal::deal_in_rounds;
use crate::error::{PlanError, RunError};

/// Number of vertices per unit, unless tests use smaller ones.
pub(crate) const UNIT: usize = wolfpath_kernels::FOLD_VERTICES as usize;

/// Which device has each vertex.
#[derive(Debug)]
pub(crate) struct Deal {
    devices: usize,
    /// Number of vertices per unit, a power of two.
    unit: usize,
    /// The device of each unit.
    owners: Vec<u8>,
    /// Number of units of the device with the most units.
    most_units: usize,
    /// Number of edges of the device with the most edges, out-rows and in-rows apart. In-rows count only if they exist.
    most_edges: [u64; 2],
    /// The vertices of each device by the length of their rows.
    degrees: [OnceLock<Vec<DegreeClasses>>; 2],
    /// Largest number of words of the packed rows of a device.
    most_packed_words: [OnceLock<u64>; 2],
}

/// A way to deal the vertices of a graph to devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dealing {
    /// In turns, in units of so many vertices, for runs that visit layer after layer.
    InTurns(usize),
    /// Components of paths stay together, for runs in the order of paths, along edges or against them.
    ByComponent { backward: bool },
}

impl Deal {
    /// Deals the vertices of a graph to devices in turns.
    ///
    /// `unit` is the number of vertices of a unit, a power of two and a multiple of 64, the rows of a band of packed rows.
    pub(crate) fn of(graph: &LayeredGraph, devices: usize, unit: usize) -> Deal {
        let of_unit = edges_of_unit(graph, unit);
        let units = (graph.num_vertices() as usize).div_ceil(unit);
        // There are at most MOST_DEVICES.
        let owners = deal_in_rounds(units, devices as u16, |unit| of_unit(unit).iter().sum());
        Deal::with(graph, devices, unit, owners.into_iter().map(|device| device as u8).collect())
    }

    /// Returns a deal in which each unit has a given device.
    fn with(graph: &LayeredGraph, devices: usize, unit: usize, owners: Vec<u8>) -> Deal {
        let (mut edges, mut units) = (vec![[0u64; 2]; devices], vec![0; devices]);
        let of_unit = edges_of_unit(graph, unit);
        for (number, &owner) in owners.iter().enumerate() {
            let (more, owner) = (of_unit(number), usize::from(owner));
            edges[owner] = [edges[owner][0] + more[0], edges[owner][1] + more[1]];
            units[owner] += 1;
        }
        let most = |side: usize| edges.iter().map(|edges| edges[side]).max().unwrap_or(0);
        let most_edges = match inward_apart(graph) {
            Some(_) => [most(0), most(1)],
            None => [most(0); 2],
        };
        Deal {
            devices,
            unit,
            owners,
            most_units: units.into_iter().max().unwrap_or(0),
            most_edges,
            degrees: Default::default(),
            most_packed_words: Default::default(),
        }
    }

    pub(crate) fn devices(&self) -> usize {
        self.devices
    }

    /// Returns the largest number of edges in the rows of one device, in either direction.
    pub(crate) fn most_edges(&self) -> u64 {
        self.most_edges[0].max(self.most_edges[1])
    }

    /// Returns the largest number of 32-bit words in the packed rows of one device.
    pub(crate) fn most_packed_words(&self, direction: Direction, packed: PackedRows<'_>) -> u64 {
        *self.most_packed_words[direction as usize].get_or_init(|| {
            let mut bytes = vec![0; self.devices];
            for (unit, &owner) in self.owners.iter().enumerate() {
                bytes[usize::from(owner)] += bytes_of(packed, self.bands(unit, packed));
            }
            (bytes.into_iter().max().unwrap_or(0) + tail(packed)) / size_of::<u32>() as u64
        })
    }

    /// Returns the bands of packed rows that a unit consists of.
    fn bands(&self, unit: usize, packed: PackedRows<'_>) -> Range<usize> {
        let (bands, each) = (packed.bands().len() - 1, self.unit / PackedRows::BAND);
        (unit * each).min(bands)..((unit + 1) * each).min(bands)
    }

    /// Returns the largest number of vertices of one device.
    pub(crate) fn most_vertices(&self) -> u64 {
        (self.most_units * self.unit) as u64
    }

    /// Returns the number of vertices per unit.
    pub(crate) fn unit(&self) -> usize {
        self.unit
    }

    /// Returns the device of each unit.
    pub(crate) fn owners(&self) -> &[u8] {
        &self.owners
    }

    /// Returns the vertices of each device by the length of their rows.
    pub(crate) fn degree_classes(
        &self,
        graph: &LayeredGraph,
        direction: Direction,
    ) -> Result<&[DegreeClasses], PlanError> {
        let rows = match direction {
            Direction::Out => graph.out_edges(),
            Direction::In => graph.in_edges()?,
        };
        let vertices = rows.num_vertices() as usize;
        let of_device = |device: usize| {
            let units = (0..self.owners.len()).into_par_iter().with_min_len(1 << 6);
            let own = units.filter(|&unit| self.owns(device, unit));
            let lengths = own.flat_map_iter(|unit| {
                let vertices = unit * self.unit..((unit + 1) * self.unit).min(vertices);
                vertices.map(move |v| rows.offsets[v + 1] - rows.offsets[v])
            });
            DegreeClasses::of_degrees(lengths)
        };
        let classes = &self.degrees[direction as usize];
        Ok(classes.get_or_init(|| (0..self.devices).map(of_device).collect()))
    }

    /// Returns the device of a vertex.
    pub(crate) fn owner_of(&self, v: u32) -> usize {
        self.owners[v as usize / self.unit].into()
    }

    fn owns(&self, device: usize, unit: usize) -> bool {
        usize::from(self.owners[unit]) == device
    }
}

/// Returns the in-rows of a graph if it has some of its own.
fn inward_apart(graph: &LayeredGraph) -> Option<Rows<'_>> {
    if graph.has_in_edges() && !graph.is_symmetric() { graph.in_edges().ok() } else { None }
}

/// Returns a function from the number of a unit to the numbers of its out-edges and of its in-edges. In-edges count only if the
/// graph has in-rows of its own.
fn edges_of_unit(graph: &LayeredGraph, size: usize) -> impl Fn(usize) -> [u64; 2] + '_ {
    let (out, inward) = (graph.out_edges(), inward_apart(graph));
    let vertices = out.num_vertices() as usize;
    move |unit| {
        let of = |rows: Rows<'_>| rows.offsets[((unit + 1) * size).min(vertices)] - rows.offsets[unit * size];
        [of(out), inward.map_or(0, of)]
    }
}

/// The part of a graph that one device has.
#[derive(Debug)]
pub(crate) struct Shard {
    pub(crate) device: usize,
    pub(crate) deal: Arc<Deal>,
    /// For the out-rows and the in-rows, the position of the first edge of each unit in this device's arrays, and then the
    /// number of edges.
    starts: [OnceLock<Vec<u64>>; 2],
}

impl Shard {
    pub(crate) fn new(device: usize, deal: Arc<Deal>) -> Shard {
        Shard { device, deal, starts: Default::default() }
    }

    /// Deals a graph to devices, and returns the part of each.
    ///
    /// # Errors
    /// Returns an error if the paths of the graph cannot be computed, and are needed.
    pub(crate) fn all_of(
        graph: &LayeredGraph,
        devices: usize,
        dealing: Dealing,
    ) -> Result<Arc<[Arc<Shard>]>, PlanError> {
        Ok(match dealing {
            Dealing::InTurns(unit) => Shard::in_turns(graph, devices, unit),
            Dealing::ByComponent { backward } => {
                let unit = PackedRows::BAND;
                let owners = components::owners(graph, devices, unit, backward)?;
                let mut deal = Deal::with(graph, devices, unit, owners);
                // Such runs visit no other edges.
                deal.most_edges = [deal.most_edges[usize::from(backward)]; 2];
                Shard::of_deal(deal)
            }
        })
    }

    /// Deals a graph to devices in turns, and returns the part of each.
    pub(crate) fn in_turns(graph: &LayeredGraph, devices: usize, unit: usize) -> Arc<[Arc<Shard>]> {
        Shard::of_deal(Deal::of(graph, devices, unit))
    }

    fn of_deal(deal: Deal) -> Arc<[Arc<Shard>]> {
        let deal = Arc::new(deal);
        (0..deal.devices).map(|device| Arc::new(Shard::new(device, deal.clone()))).collect()
    }

    /// Returns the units of this device, in ascending order.
    pub(crate) fn own_units(&self) -> Vec<u32> {
        let units = 0..self.deal.owners.len();
        units.filter(|&unit| self.deal.owns(self.device, unit)).map(|unit| unit as u32).collect()
    }

    fn starts(&self, direction: Direction, rows: Rows<'_>) -> &[u64] {
        self.starts[direction as usize].get_or_init(|| {
            let vertices = rows.num_vertices() as usize;
            let mut sum = 0;
            let mut starts = Vec::with_capacity(self.deal.owners.len() + 1);
            for unit in 0..self.deal.owners.len() {
                starts.push(sum);
                if self.deal.owns(self.device, unit) {
                    sum += rows.offsets[((unit + 1) * self.deal.unit).min(vertices)]
                        - rows.offsets[unit * self.deal.unit];
                }
            }
            starts.push(sum);
            starts
        })
    }

    /// Returns the number of edges in this device's rows.
    pub(crate) fn edges(&self, direction: Direction, rows: Rows<'_>) -> u64 {
        self.starts(direction, rows).last().copied().unwrap_or(0)
    }

    /// Returns the offsets of this device's rows: a function from 0 and the number of each vertex plus 1.
    pub(crate) fn offsets<'a>(
        &'a self,
        direction: Direction,
        rows: Rows<'a>,
    ) -> impl Fn(usize) -> u64 + Sync + 'a {
        let (starts, size) = (self.starts(direction, rows), self.deal.unit);
        move |at: usize| {
            let unit = at / size;
            if unit == self.deal.owners.len() || !self.deal.owns(self.device, unit) {
                return starts[unit];
            }
            starts[unit] + rows.offsets[at] - rows.offsets[unit * size]
        }
    }

    /// Calls `each` with the parts of a range of edges of this device's arrays: the edges of the graph, and the position of
    /// the part in the range.
    ///
    /// # Errors
    /// The first error of `each`.
    pub(crate) fn parts<E>(
        &self,
        direction: Direction,
        rows: Rows<'_>,
        range: Range<u64>,
        mut each: impl FnMut(Range<u64>, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let starts = self.starts(direction, rows);
        let mut unit = starts.partition_point(|&start| start <= range.start) - 1;
        let mut at = range.start;
        while at < range.end {
            let end = starts[unit + 1].min(range.end);
            if end > at {
                let first = rows.offsets[unit * self.deal.unit] + (at - starts[unit]);
                each(first..first + (end - at), (at - range.start) as usize)?;
                at = end;
            }
            unit += 1;
        }
        Ok(())
    }
}

/// An array of this device's edges, which consists of parts of an array of all edges.
pub(super) struct EdgeParts<'a> {
    shard: &'a Shard,
    direction: Direction,
    rows: Rows<'a>,
    /// Size of an element in bytes.
    each: usize,
}

impl<'a> EdgeParts<'a> {
    pub(super) fn new(
        shard: &'a Shard,
        graph: &'a LayeredGraph,
        direction: Direction,
        each: usize,
    ) -> Result<EdgeParts<'a>, RunError> {
        let rows = match direction {
            Direction::Out => graph.out_edges(),
            Direction::In => graph.in_edges().map_err(PlanError::from)?,
        };
        Ok(EdgeParts { shard, direction, rows, each })
    }

    pub(super) fn elements(&self) -> Elements {
        let length = self.shard.edges(self.direction, self.rows) as usize * self.each;
        Elements { length, each: self.each, computed: false }
    }

    /// Fills a range of bytes of the array by `copy(bytes, to)`, which copies bytes of the array of all edges.
    pub(super) fn fill<E>(
        &self,
        range: Range<usize>,
        to: &mut [u8],
        copy: impl Fn(Range<usize>, &mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let each = self.each;
        let edges = (range.start / each) as u64..(range.end / each) as u64;
        self.shard.parts(self.direction, self.rows, edges, |part, at| {
            let bytes = part.start as usize * each..part.end as usize * each;
            let to = &mut to[at * each..at * each + bytes.len()];
            copy(bytes, to)
        })
    }
}

/// Returns the size in bytes of some bands of packed rows.
fn bytes_of(packed: PackedRows<'_>, bands: Range<usize>) -> u64 {
    packed.bands()[bands.end] - packed.bands()[bands.start]
}

/// Returns the number of bytes behind the last band, which kernels may read.
fn tail(packed: PackedRows<'_>) -> u64 {
    size_of_val(packed.words()) as u64 - packed.bands()[packed.bands().len() - 1]
}

/// The packed rows of this device's vertices: their bands, without gaps. The positions in the places and indexes of long rows
/// are those in this array.
pub(super) struct PackedParts<'a> {
    deal: &'a Deal,
    packed: PackedRows<'a>,
    /// The position of each unit in the array, in bytes, and then the end of the last one. Units of other devices are empty.
    starts: Vec<u64>,
}

impl<'a> PackedParts<'a> {
    pub(super) fn new(shard: &'a Shard, packed: PackedRows<'a>) -> PackedParts<'a> {
        let deal = &*shard.deal;
        let mut sum = 0;
        let mut starts = Vec::with_capacity(deal.owners.len() + 1);
        for unit in 0..deal.owners.len() {
            starts.push(sum);
            if deal.owns(shard.device, unit) {
                sum += bytes_of(packed, deal.bands(unit, packed));
            }
        }
        starts.push(sum);
        PackedParts { deal, packed, starts }
    }

    /// Returns the size of the array. Positions are its elements: no piece ends within one.
    pub(super) fn elements(&self) -> Elements {
        let length = self.starts[self.starts.len() - 1] + tail(self.packed);
        Elements { length: length as usize, each: size_of::<u64>(), computed: false }
    }

    /// Returns the positions of bands in the array: a function from 0 and the number of each band plus 1.
    pub(super) fn bands(&self) -> impl Fn(usize) -> u64 + Sync + '_ {
        let each = self.deal.unit / PackedRows::BAND;
        move |band: usize| {
            let unit = band / each;
            if unit >= self.deal.owners.len() || self.starts[unit] == self.starts[unit + 1] {
                return self.starts[unit.min(self.deal.owners.len())];
            }
            let bands = self.packed.bands();
            self.starts[unit] + bands[band] - bands[unit * each]
        }
    }

    /// Fills a range of bytes of the array.
    pub(super) fn fill(&self, range: Range<usize>, to: &mut [u8]) {
        let (words, bands): (&[u8], _) = (bytemuck::cast_slice(self.packed.words()), self.packed.bands());
        let range = range.start as u64..range.end as u64;
        to.fill(0);
        let mut unit = self.starts.partition_point(|&start| start <= range.start) - 1;
        while unit < self.deal.owners.len() && self.starts[unit] < range.end {
            let own = self.starts[unit].max(range.start)..self.starts[unit + 1].min(range.end);
            if own.start < own.end {
                let first = bands[self.deal.bands(unit, self.packed).start];
                let from = first + (own.start - self.starts[unit]);
                let length = (own.end - own.start) as usize;
                let at = (own.start - range.start) as usize;
                let to = &mut to[at..at + length];
                to.copy_from_slice(&words[from as usize..from as usize + length]);
                self.move_long_rows(unit, from, to);
            }
            unit += 1;
        }
    }

    /// Changes the positions of long rows of a unit, in its bytes from position `from` of all packed rows on, to those in this
    /// array.
    fn move_long_rows(&self, unit: usize, from: u64, to: &mut [u8]) {
        let (bands, offsets) = (self.packed.bands(), self.packed.offsets());
        let moved = bands[self.deal.bands(unit, self.packed).start] - self.starts[unit];
        let end = from + to.len() as u64;
        let mut change = |at: u64| {
            if (from..end).contains(&at) {
                let bytes = &mut to[(at - from) as usize..(at - from) as usize + size_of::<u64>()];
                let position: u64 = bytemuck::pod_read_unaligned(bytes);
                bytes.copy_from_slice(&(position - moved).to_ne_bytes());
            }
        };
        for band in self.deal.bands(unit, self.packed) {
            if bands[band] >= end || bands[band + 1] <= from {
                continue;
            }
            let vertices = self.packed.starts().len();
            for v in band * PackedRows::BAND..((band + 1) * PackedRows::BAND).min(vertices) {
                let degree = offsets[v + 1] - offsets[v];
                if degree <= PackedRows::SEGMENT as u64 {
                    continue;
                }
                let place = bands[band] + u64::from(self.packed.starts()[v]);
                let words = self.packed.words();
                let index: u64 = bytemuck::pod_read_unaligned(bytemuck::cast_slice(
                    &words[place as usize / 4..place as usize / 4 + 2],
                ));
                change(place);
                for segment in 0..degree.div_ceil(PackedRows::SEGMENT as u64) {
                    change(index + segment * size_of::<u64>() as u64);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph with 1,500 vertices: a hub with an edge to each, and a ring.
    fn graph() -> LayeredGraph {
        let ring = (0..1500u64).map(|v| (v, (v + 1) % 1500));
        LayeredGraph::from_edges(ring.chain((1..1500).map(|v| (0, v)))).expect("the edges form a graph")
    }

    #[test]
    fn every_unit_has_an_owner_and_rounds_are_shared() {
        let graph = graph();
        for devices in [1, 2, 3, 4] {
            let deal = Deal::of(&graph, devices, UNIT);
            assert_eq!((deal.owners.len(), deal.devices()), (6, devices));
            for round in deal.owners.chunks(devices) {
                let mut owners = round.to_vec();
                owners.sort_unstable();
                owners.dedup();
                assert_eq!(owners.len(), round.len(), "each device has one unit of a round");
            }
        }
        // The device with the hub gets the units with the fewest edges.
        assert!(Deal::of(&graph, 2, UNIT).most_edges() < 2400);
    }

    #[test]
    fn packed_rows_of_shards_are_the_rows() {
        let graph = graph();
        let rows = graph.out_edges();
        let packed = graph.pack(Direction::Out).expect("the rows can be packed");
        let deal = Arc::new(Deal::of(&graph, 3, 64));
        let mut found = 0;
        for device in 0..3 {
            let shard = Shard::new(device, deal.clone());
            let parts = PackedParts::new(&shard, packed);
            let length = parts.elements().length;
            assert!(length as u64 / 4 <= deal.most_packed_words(Direction::Out, packed));
            let mut bytes = vec![0xff; length];
            for begin in (0..length).step_by(40) {
                let range = begin..(begin + 40).min(length);
                parts.fill(range.clone(), &mut bytes[range]);
            }
            let (offsets, words) = (shard.offsets(Direction::Out, rows), bytemuck::cast_slice(&bytes));
            let offsets: Vec<u64> = (0..=1500).map(&offsets).collect();
            let bands: Vec<u64> = (0..packed.bands().len()).map(parts.bands()).collect();
            let own = PackedRows::of_device(&offsets, &bands, packed.starts(), words);
            for v in 0..1500u32 {
                assert!(own.degree(v) == 0 || own.row(v).eq(rows.row(v).iter().copied()), "{device} {v}");
                found += own.degree(v);
            }
        }
        assert_eq!(found, graph.num_edges());
    }

    #[test]
    fn shards_have_all_rows_once() {
        let graph = graph();
        let rows = graph.out_edges();
        let deal = Arc::new(Deal::of(&graph, 4, UNIT));
        let mut found = 0;
        for device in 0..4 {
            let shard = Shard::new(device, deal.clone());
            let offsets = shard.offsets(Direction::Out, rows);
            let all = shard.edges(Direction::Out, rows);
            assert_eq!((offsets(0), offsets(1500)), (0, all));
            let mut ends = vec![u32::MAX; all as usize];
            for begin in (0..all).step_by(100) {
                let range = begin..(begin + 100).min(all);
                let to = &mut ends[range.start as usize..range.end as usize];
                let parts = shard.parts(Direction::Out, rows, range, |part, at| {
                    let part = part.start as usize..part.end as usize;
                    to[at..at + part.len()].copy_from_slice(&rows.ends[part]);
                    Ok::<_, std::convert::Infallible>(())
                });
                assert!(parts.is_ok());
            }
            for v in 0..1500usize {
                let row = &ends[offsets(v) as usize..offsets(v + 1) as usize];
                let is_own = deal.owns(device, v / UNIT);
                assert_eq!(row, if is_own { rows.row(v as u32) } else { &[] }, "{device} {v}");
                found += row.len();
            }
            let classes = &deal.degree_classes(&graph, Direction::Out).expect("the rows exist")[device];
            assert_eq!(
                classes.vertices().sum::<u64>(),
                shard
                    .own_units()
                    .iter()
                    .map(|&unit| { (1500 - u64::from(unit) * UNIT as u64).min(UNIT as u64) })
                    .sum::<u64>()
            );
        }
        assert_eq!(found, rows.ends.len());
    }
}
