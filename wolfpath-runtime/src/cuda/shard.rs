//! The part of a graph that each of several devices has. The vertices are dealt out in *units*, the blocks of vertices
//! whose values are folded together. A device has the rows of its own vertices, in its own arrays; the rows of all other
//! vertices are empty there. All arrays of vertices are complete on each device.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use wolfpath_core::graph::{DegreeClasses, Direction, LayeredGraph, Rows};

use super::staging::Elements;
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
    /// Number of edges of the device with the most edges, out-rows and in-rows apart. In-rows count only if they exist.
    most_edges: [u64; 2],
    /// The vertices of each device by the length of their rows.
    degrees: [OnceLock<Vec<DegreeClasses>>; 2],
}

impl Deal {
    /// Deals the vertices of a graph to devices. Of as many consecutive units as there are devices, each device gets one, so
    /// that all devices have a part of every layer, and that with the most edges goes to the device with the fewest.
    ///
    /// `unit` is the number of vertices of a unit, a power of two and a multiple of 32.
    pub(crate) fn of(graph: &LayeredGraph, devices: usize, unit: usize) -> Deal {
        let size = unit;
        let out = graph.out_edges();
        let inward = if graph.has_in_edges() && !graph.is_symmetric() { graph.in_edges().ok() } else { None };
        let vertices = out.num_vertices() as usize;
        let units = vertices.div_ceil(size);
        let edges_of = |rows: Rows<'_>, unit: usize| {
            rows.offsets[((unit + 1) * size).min(vertices)] - rows.offsets[unit * size]
        };
        let mut owners = vec![0; units];
        let mut edges = vec![[0u64; 2]; devices];
        for first in (0..units).step_by(devices) {
            let of_unit = |unit: usize| [edges_of(out, unit), inward.map_or(0, |rows| edges_of(rows, unit))];
            let mut round: Vec<_> =
                (first..(first + devices).min(units)).map(|unit| (of_unit(unit), unit)).collect();
            round.sort_by_key(|&(edges, unit)| (std::cmp::Reverse(edges[0] + edges[1]), unit));
            let mut order: Vec<usize> = (0..devices).collect();
            order.sort_by_key(|&device| (edges[device][0] + edges[device][1], device));
            for ((more, unit), device) in round.into_iter().zip(order) {
                owners[unit] = device as u8;
                edges[device] = [edges[device][0] + more[0], edges[device][1] + more[1]];
            }
        }
        let most = |side: usize| edges.iter().map(|edges| edges[side]).max().unwrap_or(0);
        let most_edges = match inward {
            Some(_) => [most(0), most(1)],
            None => [most(0); 2],
        };
        Deal { devices, unit, owners, most_edges, degrees: Default::default() }
    }

    pub(crate) fn devices(&self) -> usize {
        self.devices
    }

    /// Returns the largest number of edges in the rows of one device, in either direction.
    pub(crate) fn most_edges(&self) -> u64 {
        self.most_edges[0].max(self.most_edges[1])
    }

    /// Returns the largest number of vertices of one device.
    pub(crate) fn most_vertices(&self) -> u64 {
        (self.owners.len().div_ceil(self.devices.max(1)) * self.unit) as u64
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

    fn owns(&self, device: usize, unit: usize) -> bool {
        usize::from(self.owners[unit]) == device
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
    pub(crate) fn all_of(graph: &LayeredGraph, devices: usize, unit: usize) -> Arc<[Arc<Shard>]> {
        let deal = Arc::new(Deal::of(graph, devices, unit));
        (0..devices).map(|device| Arc::new(Shard::new(device, deal.clone()))).collect()
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
