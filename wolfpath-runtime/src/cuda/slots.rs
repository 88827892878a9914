//! Slots of messages (`slots.cuh`): whether a run uses them, and their arrays.

use wolfpath_core::graph::{DegreeClasses, Direction, LayeredGraph};

use super::buffers::Buffers;
use std::sync::Arc;

use super::launch::UntypedLaunch;
use super::resident::Resident;
use super::shard::Shard;
use super::source::{Configuration, sent_size};
use super::state::DeviceRun;
use crate::error::{PlanError, RunError};
use crate::plan::{ArrayName, Budget, Plan};
use crate::shape::Shape;
use crate::start::Carried;

const _: () = assert!(
    DegreeClasses::EACH == wolfpath_kernels::EACH_DEGREE as u64
        && DegreeClasses::CLASSES == wolfpath_kernels::DEGREE_CLASSES as usize
        && 2 * DegreeClasses::EACH > wolfpath_kernels::LONG_ITEM as u64,
    "the kernels sort by the same classes, and short rows of each length have one"
);

/// Slots are used if the vertices whose messages each block copies have at least one in this number of the edges.
const SHARE: u64 = 8;

/// Bytes of the same shared memory in which a block sorts vertices: two counts of each class of degrees.
const SORTING_BYTES: u32 = 2 * 4 * wolfpath_kernels::DEGREE_CLASSES;

/// Number of lengths that a short row can have, 0 included. A single lane gathers a short row.
const LENGTHS: usize = wolfpath_kernels::LONG_ITEM as usize + 1;

/// Rows per slice.
const SLICE: u64 = 32;

/// Number of slots that belong to no vertex (`NO_SLOT` in `slots.cuh`). They are before all others.
pub(crate) const OTHER_SLOTS: u64 = 1;

/// Number of vertices at most. The slots that belong to no vertex, and places of slices that belong to no row, also have a
/// number of 32 bits.
const MOST_VERTICES: u64 = (1 << 32) - OTHER_SLOTS - SLICE * LENGTHS as u64;

/// Numbers that a run with slots needs to know of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotPlan {
    /// Number of slots whose messages each block copies to shared memory.
    pub(crate) hot: u64,
    /// Bytes of these messages.
    pub(crate) hot_bytes: u32,
    /// Number of slices of short rows.
    slices: u64,
    /// Number of ends in the slices.
    columns: u64,
    /// Number of long rows, and of blocks of their ends.
    pub(crate) long_rows: u64,
    blocks: u64,
}

impl SlotPlan {
    /// Returns whether and how a run with plain rows on the device uses slots. A block has `shared` bytes of shared memory.
    /// `most` limits the number of messages that each block copies in tests, where any number is worth it.
    pub(crate) fn of(
        plan: &Plan,
        shape: &Shape,
        graph: &LayeredGraph,
        shards: &[Arc<Shard>],
        carried: Option<Carried>,
        shared: u32,
        most: Option<u64>,
    ) -> Option<SlotPlan> {
        let has_numbers = plan.graph.vertices <= MOST_VERTICES;
        if most == Some(0) || !has_numbers || !Configuration::of(plan).can_have_slots(shape) {
            return None;
        }
        let room = shared.checked_sub(wolfpath_kernels::BESIDE_HOT)?.min(wolfpath_kernels::HOT_BYTES);
        if room < SORTING_BYTES {
            return None;
        }
        // A message has a flag if some vertices may have none.
        let each = sent_size(shape, carried).max(1) as u32;
        let hot = u64::from(room / each).min(plan.graph.vertices + OTHER_SLOTS).min(most.unwrap_or(u64::MAX));
        let senders = graph.degree_classes(Direction::Out).ok()?;
        if most.is_none()
            && senders.edges_of_largest(hot.saturating_sub(OTHER_SLOTS)) < plan.graph.edges.div_ceil(SHARE)
        {
            return None;
        }
        let none = SlotPlan { hot, hot_bytes: room, slices: 0, columns: 0, long_rows: 0, blocks: 0 };
        let of = |rows: &DegreeClasses| none.for_rows(rows);
        let gathered = direction(plan.rows.gather_in);
        if plan.share.is_none() {
            return Some(of(graph.degree_classes(gathered).ok()?));
        }
        // Arrays have room for the rows of any device.
        let shares = shards.first()?.deal.degree_classes(graph, gathered).ok()?;
        let most = shares.iter().map(of).fold(none, |most, own| SlotPlan {
            slices: most.slices.max(own.slices),
            columns: most.columns.max(own.columns),
            long_rows: most.long_rows.max(own.long_rows),
            blocks: most.blocks.max(own.blocks),
            ..most
        });
        Some(most)
    }

    /// Returns the plan with the numbers of these rows.
    fn for_rows(self, rows: &DegreeClasses) -> SlotPlan {
        let slices = |vertices: u64| vertices.div_ceil(SLICE);
        let short = || rows.vertices().take(LENGTHS).map(slices).zip(0..).skip(1);
        SlotPlan {
            slices: short().map(|(slices, _)| slices).sum(),
            columns: short().map(|(slices, length)| slices * SLICE * length).sum(),
            long_rows: rows.vertices().skip(LENGTHS).sum(),
            blocks: rows.blocks().skip(LENGTHS).sum(),
            ..self
        }
    }

    /// Returns the maximum number of items that long rows produce.
    pub(crate) fn items(&self, edges: u64) -> u64 {
        self.long_rows + edges / wolfpath_kernels::segment_edges(true) + 1
    }
}

fn direction(inward: bool) -> Direction {
    if inward { Direction::In } else { Direction::Out }
}

/// The arrays of a run with slots.
#[derive(Clone, Copy)]
pub(crate) struct Slots {
    plan: SlotPlan,
    direction: Direction,
}

/// Number of words before the places of short rows in [`ArrayName::DegreeOrder`], before the slices, and before the number of
/// the next free block, and before the ranges of slots of a device.
const PARTS: [usize; 4] = [
    DegreeClasses::CLASSES,
    DegreeClasses::CLASSES + LENGTHS,
    DegreeClasses::CLASSES + 2 * LENGTHS,
    DegreeClasses::CLASSES + 2 * LENGTHS + 1,
];

/// Number of words of [`ArrayName::DegreeOrder`].
const WORDS: usize = PARTS[3] + 2 * DegreeClasses::CLASSES;

/// Returns the words of [`ArrayName::DegreeOrder`]: the first slot of each class of senders, of which those of largest degree
/// come first; the first place of the short rows of each length, in ascending order of lengths; and their first slice, in
/// descending order. The device takes slots, places and blocks one after the other.
///
/// `senders` are those of each device. Of each class, each device has a range of slots. For device number `device`, the last
/// words are the number of its slots before each class, and then the first slot of its range, in descending order of degrees.
fn degree_order(senders: &[DegreeClasses], device: usize, rows: &DegreeClasses) -> Vec<u32> {
    let mut order = vec![0; WORDS];
    let (mut slot, mut own) = (OTHER_SLOTS as u32, 0);
    let of_devices: Vec<Vec<u64>> = senders.iter().map(|classes| classes.vertices().collect()).collect();
    for class in (0..DegreeClasses::CLASSES).rev() {
        let counts: Vec<u32> = of_devices.iter().map(|vertices| vertices[class] as u32).collect();
        let first = slot + counts[..device].iter().sum::<u32>();
        order[class] = first;
        let range = PARTS[3] + DegreeClasses::CLASSES - 1 - class;
        (order[range], order[range + DegreeClasses::CLASSES]) = (own, first);
        own += counts[device];
        slot += counts.iter().sum::<u32>();
    }
    let short: Vec<u64> = rows.vertices().take(LENGTHS).collect();
    let mut slice = 0;
    for (i, length) in (0..LENGTHS).rev().enumerate() {
        order[PARTS[1] + i] = slice;
        order[PARTS[0] + length] = slice * SLICE as u32;
        slice += short[length].div_ceil(SLICE) as u32;
    }
    order
}

impl Slots {
    /// Returns the arrays of a run, if it uses slots.
    pub(crate) fn of(budget: &Budget<'_>) -> Option<Slots> {
        budget.slots.map(|plan| Slots { plan, direction: direction(budget.rows.gather_in) })
    }

    /// Returns the arrays by name, with the number of elements and the bytes of each element.
    pub(crate) fn arrays(self, budget: &Budget<'_>) -> [(ArrayName, u64, u64); 6] {
        let [slots, blocks, ends, columns, rows] = self.derived();
        let plan = self.plan;
        [
            (slots, budget.graph.vertices, 4),
            (blocks, plan.items(budget.graph.edges), 8),
            (ends, plan.blocks * DegreeClasses::BLOCK, 4),
            (columns, plan.columns, 4),
            (rows, plan.slices * SLICE, 4),
            (ArrayName::DegreeOrder(self.direction), WORDS as u64, 4),
        ]
    }

    /// Returns the arrays that the device derives.
    fn derived(self) -> [ArrayName; 5] {
        let of = self.direction;
        [
            ArrayName::Slots,
            ArrayName::ItemBlocks,
            ArrayName::BlockEnds(of),
            ArrayName::Columns(of),
            ArrayName::ShortRows(of),
        ]
    }

    /// Stores the address of each array in `run`. The first launch derives their contents.
    pub(crate) fn prepare(
        self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        run: &mut DeviceRun,
    ) -> Result<(), RunError> {
        let device = &launch.resident.device;
        run.derives = u32::from(
            !self
                .derived()
                .iter()
                .all(|&name| launch.plan.planned_bytes(name) == 0 || buffers.is_derived(name)),
        );
        let [slots, blocks, ends, columns, rows] = self.derived();
        (run.message_slots, run.item_ends) = (launch.room(buffers, slots)?, launch.room(buffers, ends)?);
        run.item_blocks = launch.room(buffers, blocks)?;
        (run.columns, run.short_rows) = (launch.room(buffers, columns)?, launch.room(buffers, rows)?);
        let name = ArrayName::DegreeOrder(self.direction);
        if run.derives > 0 || !buffers.contains(name) {
            // The device takes places from the order as it derives the other arrays, so it must be complete again.
            run.derives = 1;
            let rows = self.rows(launch)?;
            let order = match &launch.resident.shard {
                Some(shard) => {
                    let senders = shard.deal.degree_classes(launch.graph, Direction::Out)?;
                    degree_order(senders, shard.device, rows)
                }
                None => {
                    let senders = launch.graph.degree_classes(Direction::Out).map_err(PlanError::from)?;
                    degree_order(std::slice::from_ref(senders), 0, rows)
                }
            };
            buffers.upload(device, name, &order)?;
        }
        let order = buffers.address(device, name);
        run.next_slots = order;
        run.next_rows = order + 4 * PARTS[0] as u64;
        run.first_slices = order + 4 * PARTS[1] as u64;
        run.next_block = order + 4 * PARTS[2] as u64;
        run.own_slots = order + 4 * PARTS[3] as u64;
        run.hot_count = self.plan.hot as u32;
        run.slice_count = self.plan.for_rows(self.rows(launch)?).slices as u32;
        Ok(())
    }

    /// Returns the rows over which the device gathers, by their length.
    fn rows<'a>(self, launch: &UntypedLaunch<'a>) -> Result<&'a DegreeClasses, RunError> {
        let resident: &'a Resident = launch.resident;
        let classes = match &resident.shard {
            Some(shard) => {
                let shard: &'a Shard = shard;
                &shard.deal.degree_classes(launch.graph, self.direction)?[shard.device]
            }
            None => launch.graph.degree_classes(self.direction).map_err(PlanError::from)?,
        };
        Ok(classes)
    }

    /// Records that the arrays have been derived. Called after a run has ended.
    pub(crate) fn note_derived(self, buffers: &mut Buffers) {
        self.derived().into_iter().for_each(|name| buffers.note_derived(name));
    }
}
