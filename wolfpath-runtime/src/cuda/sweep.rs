//! What a sweep needs on the device beside values: the source of each edge, where the groups begin, and which are dirty.

use wolfpath_core::graph::Direction;

use super::buffers::{Buffers, Name};
use super::groups::{Bound, most_groups};
use super::resident::Resident;
use super::state::Run;
use crate::error::RunError;
use crate::plan::{Budget, Schedule};

/// Bits of the dirty groups, by their name in the plan.
pub(crate) const DIRTY: &str = "groups to sweep";

/// The rows that a sweep walks.
#[derive(Clone, Copy)]
pub(crate) struct Swept {
    direction: Direction,
    edges: u64,
    /// Threads of the device, which a group is to keep busy.
    threads: u64,
}

impl Swept {
    /// The rows of a run that sweeps.
    pub(crate) fn of(budget: &Budget<'_>) -> Option<Swept> {
        let direction = if budget.rows.send_in { Direction::In } else { Direction::Out };
        let (edges, threads) = (budget.graph.edges, budget.warps * 32);
        (budget.schedule == Schedule::Sweep).then_some(Swept { direction, edges, threads })
    }

    /// The arrays by their names in the plan, with elements and the bytes of each.
    pub(crate) fn arrays(self) -> [(&'static str, u64, u64); 3] {
        let (sources, groups) = match self.direction {
            Direction::Out => ("out-edge sources", "out-edge groups"),
            Direction::In => ("in-edge sources", "in-edge groups"),
        };
        let most = most_groups(self.edges, self.threads);
        [
            (sources, self.edges, 4),
            (groups, most + 1, size_of::<Bound>() as u64),
            (DIRTY, most.div_ceil(32), 4),
        ]
    }

    fn rows(self) -> &'static str {
        match self.direction {
            Direction::Out => "out",
            Direction::In => "in",
        }
    }

    /// Notes where everything lies. The groups are cut and uploaded once a resident graph; the first launch of all makes
    /// the sources of edges.
    pub(crate) fn prepare(
        self,
        resident: &Resident,
        buffers: &mut Buffers,
        run: &mut Run,
    ) -> Result<(), RunError> {
        let device = &resident.device;
        let (sources, groups) = (Name::of(self.rows(), "sources"), Name::of(self.rows(), "groups"));
        let bounds = resident.groups(self.direction, self.threads)?;
        if !buffers.contains(groups) {
            buffers.upload(device, groups, bounds)?;
        }
        run.groups = buffers.address(device, groups);
        run.group_count = bounds.len() as u32 - 1;
        run.edge_sources = buffers.room(device, sources, self.edges * 4)?;
        run.derives = u32::from(!buffers.is_derived(sources));
        Ok(())
    }

    /// A run that has ended has made the sources of edges.
    pub(crate) fn note_sources(self, buffers: &mut Buffers) {
        buffers.note_derived(Name::of(self.rows(), "sources"));
    }
}
