//! Device arrays that a sweep needs besides the values: the source of each edge, the bounds of the groups, and the
//! bitmap of dirty groups.

use wolfpath_core::graph::Direction;

use super::buffers::Buffers;
use super::groups::{Bound, most_groups};
use super::launch::UntypedLaunch;
use super::state::DeviceRun;
use crate::error::RunError;
use crate::plan::{ArrayName, Budget, Schedule};

/// Rows that a sweep traverses.
#[derive(Clone, Copy)]
pub(crate) struct Swept {
    direction: Direction,
    edges: u64,
    /// Number of threads of the device. A group should keep all of them busy.
    threads: u64,
}

impl Swept {
    /// Returns the rows that a run traverses, if it sweeps.
    pub(crate) fn of(budget: &Budget<'_>) -> Option<Swept> {
        let direction = if budget.rows.send_in { Direction::In } else { Direction::Out };
        let (edges, threads) = (budget.graph.edges, budget.warps * 32);
        (budget.schedule == Schedule::Sweep).then_some(Swept { direction, edges, threads })
    }

    /// Returns the arrays by name, with the number of elements and the bytes of each element.
    pub(crate) fn arrays(self) -> [(ArrayName, u64, u64); 3] {
        let most = most_groups(self.edges, self.threads);
        [
            (self.sources(), self.edges, 4),
            (self.groups(), most + 1, size_of::<Bound>() as u64),
            (ArrayName::DirtyGroups, most.div_ceil(32), 4),
        ]
    }

    fn sources(self) -> ArrayName {
        ArrayName::EdgeSources(self.direction)
    }

    fn groups(self) -> ArrayName {
        ArrayName::EdgeGroups(self.direction)
    }

    /// Stores the address of each array in `run`. The groups are computed and uploaded once per resident graph. The
    /// first launch computes the sources of the edges.
    pub(crate) fn prepare(
        self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        run: &mut DeviceRun,
    ) -> Result<(), RunError> {
        let resident = launch.resident;
        let device = &resident.device;
        let (sources, groups) = (self.sources(), self.groups());
        let bounds = resident.groups(self.direction, self.threads)?;
        if !buffers.contains(groups) {
            buffers.upload(device, groups, bounds)?;
        }
        run.groups = buffers.address(device, groups);
        run.group_count = bounds.len() as u32 - 1;
        run.edge_sources = launch.room(buffers, sources)?;
        run.derives = u32::from(!buffers.is_derived(sources));
        Ok(())
    }

    /// Records that the array of the edges' sources has been computed. Called after a sweep has ended, since every
    /// sweep computes the array if necessary.
    pub(crate) fn note_sources(self, buffers: &mut Buffers) {
        buffers.note_derived(self.sources());
    }
}
