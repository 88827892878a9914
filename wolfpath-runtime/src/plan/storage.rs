//! Estimated time that a run spends because its rows live in host memory, behind a link, or are packed.

use wolfpath_core::graph::Direction;

use super::cost::interpolated;
use super::{ArrayName, Home, Plan};

/// Gigabytes per second at which kernels read host memory in place, measured on an H200 (PCI Express 5, 16 lanes).
const LINK_GB_S: f64 = 50.8;

/// Sizes in bytes of the regions of host memory whose random requests were measured.
const REGION_BYTES: [u64; 2] = [512 << 20, 2 << 30];

/// Random requests per nanosecond to regions of these sizes, measured on an H200. Up to 512 MiB, requests of 128 bytes
/// reach the rate of the link. Beyond that size, the translation of addresses is the limit. At 1 GB, 0.105 was measured;
/// interpolation gives 0.14.
const REQUESTS_PER_NS: [f64; 2] = [LINK_GB_S / REQUEST_BYTES, 0.05];

/// Bytes of a request over the link.
const REQUEST_BYTES: f64 = 128.0;

/// Nanoseconds per edge that a sweep takes to unpack rows. Each thread has an edge, and must first find the edge's row. On an
/// H200, a sweep over the 128 million edges of R-MAT 22 took 4.0 ms with packed rows on the device and 0.84 ms
/// with plain rows. A queue has whole rows: `widest` took 2.5 ms with packed rows and 2.1 ms with plain rows.
const SWEPT_UNPACK_NS: f64 = 0.025;

/// The storage of the rows of a run on a device, as far as it determines the time of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowStorage {
    /// Bytes of the ends, weights and places of the rows along which vertices send, as far as they are in host memory only.
    pub(crate) row_bytes: u64,
    /// Bytes of the same arrays with the parts that are on the device as well. This is the region of random requests.
    pub(crate) region_bytes: u64,
    /// Number of these arrays, each of which is read for every row.
    pub(crate) arrays: u64,
    /// Bytes of the sources of edges, which only a sweep reads, if they are in host memory.
    pub(crate) source_bytes: u64,
    /// `true` if the rows are packed.
    pub(crate) packed: bool,
}

impl RowStorage {
    /// Plain rows on the device, or rows that are streamed, for which the ring accounts.
    pub(crate) const RESIDENT: RowStorage =
        RowStorage { row_bytes: 0, region_bytes: 0, arrays: 0, source_bytes: 0, packed: false };

    /// Returns how a plan stores the rows of the run.
    pub(crate) fn of(plan: &Plan) -> RowStorage {
        if plan.warps == 0 || plan.ring.is_some() {
            return RowStorage::RESIDENT;
        }
        let sent = [Direction::Out, Direction::In]
            .into_iter()
            .zip([plan.rows.send_out, plan.rows.send_in])
            .filter_map(|(direction, is_read)| is_read.then_some(direction));
        let on_host =
            |name: ArrayName| if plan.home_of(name) == Home::Host { plan.planned_bytes(name) } else { 0 };
        let mut storage = RowStorage { packed: plan.packed, ..RowStorage::RESIDENT };
        for direction in sent {
            use ArrayName::{EdgeEnds, EdgePlaces, EdgeSources, EdgeWeights, PackedEnds};
            let read =
                [EdgeEnds(direction), PackedEnds(direction), EdgeWeights(direction), EdgePlaces(direction)];
            for name in read.into_iter().filter(|&name| on_host(name) > 0) {
                storage.row_bytes +=
                    on_host(name) - name.resident().map_or(0, |name| plan.planned_bytes(name));
                storage.region_bytes += on_host(name);
                storage.arrays += 1;
            }
            // A plan without a sweep has no sources. They would be where the ends are.
            let sources = EdgeSources(direction);
            storage.source_bytes += match plan.planned_bytes(sources) {
                0 if on_host(EdgeEnds(direction)) + on_host(PackedEnds(direction)) > 0 => {
                    4 * plan.graph.edges
                }
                _ => on_host(sources),
            };
        }
        storage
    }

    /// Returns the nanoseconds to read `rows` rows in no order over the link, which have `share` of all bytes. Each row costs
    /// one more request per array, because it rarely begins where a request does.
    pub(super) fn random_ns(&self, share: f64, rows: f64) -> f64 {
        let requests = share * self.row_bytes as f64 / REQUEST_BYTES + self.arrays as f64 * rows;
        requests / interpolated(REGION_BYTES, REQUESTS_PER_NS, self.region_bytes)
    }

    /// Returns the nanoseconds in which a sweep reads all rows and the sources of the `edges` edges.
    pub(super) fn sweep_ns(&self, edges: u64) -> f64 {
        let unpack = if self.packed { SWEPT_UNPACK_NS * edges as f64 } else { 0.0 };
        (self.row_bytes + self.source_bytes) as f64 / LINK_GB_S + unpack
    }
}
