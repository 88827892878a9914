//! Estimated time that a run spends because its rows live in host memory, behind a link, or are packed.

use super::cost::interpolated;
use super::{ArrayName, Home, Plan};

/// Gigabytes per second at which kernels read host memory in place, measured on an H200 (PCI Express 5, 16 lanes).
const LINK_GB_S: f64 = 50.8;

/// Sizes in bytes of the regions of host memory whose random requests were measured.
const REGION_BYTES: [u64; 2] = [512 << 20, 2 << 30];

/// Random requests per nanosecond to regions of these sizes, measured on an H200. Up to 512 MiB, requests of 128 bytes
/// reach the rate of the link. Beyond, the translation of addresses is the limit. It allowed 0.105 at 1 GB; the
/// interpolated rate is 0.14.
const REQUESTS_PER_NS: [f64; 2] = [LINK_GB_S / REQUEST_BYTES, 0.05];

/// Bytes of a request over the link.
const REQUEST_BYTES: f64 = 128.0;

/// Nanoseconds per edge that a sweep takes to unpack rows. A thread of a sweep has an edge, whose row it must find first.
/// On an H200, a sweep over the 128 million edges of R-MAT 22 took 4.0 ms with packed rows on the device and 0.84 ms
/// with plain rows. A queue has whole rows: `widest` took 2.5 ms with packed rows and 2.1 ms with plain rows.
const SWEPT_UNPACK_NS: f64 = 0.025;

/// The storage of the rows of a run on a device, as far as it determines the time of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowStorage {
    /// Bytes of rows and their weights that are in host memory only.
    pub(crate) row_bytes: u64,
    /// Bytes of all these arrays, which are the region of random requests.
    pub(crate) region_bytes: u64,
    /// Number of arrays that are read for each row.
    pub(crate) arrays: u64,
    /// `true` if the rows are packed.
    pub(crate) packed: bool,
}

impl RowStorage {
    /// Plain rows on the device, or rows that are streamed, for which the ring accounts.
    pub(crate) const RESIDENT: RowStorage =
        RowStorage { row_bytes: 0, region_bytes: 0, arrays: 0, packed: false };

    /// Returns how a plan stores the rows of the run.
    pub(crate) fn of(plan: &Plan) -> RowStorage {
        let on_host = plan.arrays.iter().filter(|array| {
            // The sources of edges are read by sweeps alone.
            let is_read = array.name.is_of_edges() && !matches!(array.name, ArrayName::EdgeSources(_));
            plan.rows_on_host() && array.home == Home::Host && is_read
        });
        let resident = |name: ArrayName| name.resident().map_or(0, |name| plan.planned_bytes(name));
        RowStorage {
            row_bytes: on_host.clone().map(|array| array.bytes - resident(array.name)).sum(),
            region_bytes: on_host.clone().map(|array| array.bytes).sum(),
            arrays: on_host.count() as u64,
            packed: plan.packed,
        }
    }

    /// Returns the nanoseconds in which `rows` rows cross the link, each by requests of its own, if they are `share` of
    /// all bytes. In addition to its bytes, a row takes part of another request in each array.
    pub(super) fn random_ns(&self, share: f64, rows: f64) -> f64 {
        let requests = share * self.row_bytes as f64 / REQUEST_BYTES + self.arrays as f64 * rows;
        requests / interpolated(REGION_BYTES, REQUESTS_PER_NS, self.region_bytes)
    }

    /// Returns the nanoseconds in which a sweep reads all rows, the sources of the `edges` edges, too.
    pub(super) fn sweep_ns(&self, edges: u64) -> f64 {
        let sources = if self.row_bytes > 0 { 4.0 * edges as f64 } else { 0.0 };
        let unpack = if self.packed { SWEPT_UNPACK_NS * edges as f64 } else { 0.0 };
        (self.row_bytes as f64 + sources) / LINK_GB_S + unpack
    }
}
