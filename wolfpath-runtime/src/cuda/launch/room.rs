//! The memory that a run needs on a device. Only this module determines the sizes of the run's arrays.

use wolfpath_core::program::Starts;

use super::UntypedLaunch;
use crate::cpu::lock;
use crate::cuda::buffers::{BufferName, Buffers};
use crate::cuda::many::is_plane;
use crate::cuda::records;
use crate::cuda::resident::weight_name;
use crate::cuda::slots::{OTHER_SLOTS, Slots};
use crate::cuda::source::{
    before_size, device_size, fold_bytes, makes_messages_once, parcel_size, partial_size, sent_size,
};
use crate::cuda::state::{Control, DeviceRun, Peer};
use crate::cuda::sweep::Swept;
use crate::cuda::walk;
use crate::error::{PlanError, RunError};
use crate::plan::{ArrayName, Budget, Home, PlannedArray, Schedule, Share, word_bytes};
use crate::shape::Computes;

/// Size of a work item (`wp::Item`) in bytes.
const ITEM_BYTES: u64 = 16;

/// Maximum number of items (parts of vertices' rows) in a queue. The kernels count items in 32 bits, and need headroom
/// because each thread's index advances beyond the last item.
const MAX_ITEMS: u64 = 1 << 31;

/// Returns the maximum number of items that the rows of all vertices produce; 0 if the schedule has no queue.
fn most_items(budget: &Budget<'_>) -> u64 {
    if budget.schedule == Schedule::Sweep {
        return 0;
    }
    let rows = budget.rows;
    let sides = |out: bool, inward: bool| u64::from(out) + u64::from(inward);
    let sides = sides(rows.send_out, rows.send_in).max(sides(rows.gather_out, rows.gather_in)).max(1);
    let segment = wolfpath_kernels::segment_edges(budget.schedule == Schedule::Pull);
    sides * (budget.graph.vertices + budget.graph.edges / segment) + hops(budget) + 1
}

/// Returns the number of edges that can remain after the local rounds of all warps (their hops). They may be in a queue
/// twice, so queues have extra space for them.
fn hops(budget: &Budget<'_>) -> u64 {
    let room = wolfpath_kernels::hop_room(budget.shape.value.size(), budget.graph.wide_offsets());
    if budget.techniques.local_rounds { budget.warps * u64::from(room) } else { 0 }
}

/// Returns the capacity of each queue in items.
pub(super) fn queue_items(budget: &Budget<'_>) -> u64 {
    let most = most_items(budget);
    budget.queue_room.filter(|_| has_frontier(budget)).map_or(most, |room| most.min(room + hops(budget)))
}

/// Returns the capacity of the queue of rows to gather.
pub(super) fn gather_items(budget: &Budget<'_>) -> u64 {
    match budget.slots {
        _ if budget.schedule != Schedule::Pull => 0,
        Some(slots) => slots.items(budget.graph.edges),
        None => most_items(budget),
    }
}

/// Returns `true` if the run has frontiers, whose vertices are queued again in each step.
fn has_frontier(budget: &Budget<'_>) -> bool {
    !budget.shape.everyone_sends() && !matches!(budget.schedule, Schedule::Sweep | Schedule::Union)
}

/// Returns the bitmaps of the vertices that find no room in the queues, if queues have room for fewer items than a
/// frontier may have.
fn overflows(budget: &Budget<'_>) -> impl Iterator<Item = PlannedArray> + use<> {
    let words = budget.graph.vertices.div_ceil(32).max(1);
    let is_short = queue_items(budget) < most_items(budget);
    let names = [ArrayName::OverflowBits, ArrayName::NextOverflowBits];
    names.into_iter().filter(move |_| is_short).map(move |name| PlannedArray::new(name, words, 4))
}

/// Returns the maximum number of hubs (vertices with very many items) that a frontier lists after its items.
pub(crate) fn hub_room(budget: &Budget<'_>) -> u64 {
    wolfpath_kernels::hub_room(budget.graph.edges, budget.schedule == Schedule::Pull)
}

/// Smallest number of vertices that an inbox has room for from each other device.
const LEAST_INBOX: u64 = 1 << 12;

/// Returns the number of vertices that an inbox has room for from each other device: half of the vertices of a device, if
/// values are combined in place. More are rarely improved in one step, and those that find no room are posted again.
/// Otherwise a vertex is posted once in a step, but in no other step, so that there is room for all of them.
pub(super) fn inbox_room(budget: &Budget<'_>) -> u64 {
    if budget.schedule.walks() {
        // What is combined for vertices of other devices is passed on without inboxes.
        return 0;
    }
    let of = |share: Share| match budget.shape.combines_words(budget.schedule) {
        true => share.inbox_room.unwrap_or((share.vertices / 2).max(LEAST_INBOX)),
        false => share.vertices,
    };
    budget.share.map_or(0, of)
}

/// Returns the array by which devices that share a run take work from each other.
pub(crate) fn lenders(share: Share) -> PlannedArray {
    PlannedArray {
        home: Home::Device,
        ..PlannedArray::new(ArrayName::Lenders, share.devices, size_of::<DeviceRun>() as u64)
    }
}

/// Returns the arrays by which one of several devices knows the others.
fn shared_arrays(budget: &Budget<'_>) -> Vec<PlannedArray> {
    let Some(share) = budget.share else { return Vec::new() };
    let units = budget.graph.vertices.div_ceil(share.unit);
    let parcels = share.devices * inbox_room(budget);
    let parcel = parcel_size(budget.shape, budget.schedule) as u64;
    let mut arrays = vec![
        PlannedArray::new(ArrayName::Owners, units, 1),
        PlannedArray::new(ArrayName::OwnUnits, share.vertices / share.unit, 4),
        PlannedArray::new(ArrayName::UnsentBits, budget.graph.vertices.div_ceil(32).max(1), 4),
        PlannedArray::new(ArrayName::Peers, share.devices, size_of::<Peer>() as u64),
    ];
    if parcels > 0 {
        arrays.push(PlannedArray::new(ArrayName::Inbox, parcels, parcel));
        arrays.push(PlannedArray::new(ArrayName::NextInbox, parcels, parcel));
    }
    arrays
}

/// Returns the arrays that the loop of every batch of runs needs.
pub(crate) fn frontier_arrays(budget: &Budget<'_>) -> Vec<PlannedArray> {
    let places = queue_items(budget) + hub_room(budget);
    let of = PlannedArray::new;
    let mut arrays = vec![
        of(ArrayName::Frontier, places, ITEM_BYTES),
        of(ArrayName::NextFrontier, places, ITEM_BYTES),
        of(ArrayName::Sources, budget.sources, 4),
        of(ArrayName::SourceValues, budget.sources, device_size(budget.shape.value) as u64),
        of(ArrayName::LoopState, 1, size_of::<Control>() as u64),
    ];
    arrays.extend(overflows(budget));
    if budget.traced {
        arrays.push(of(ArrayName::StepRecords, records::ROOM, records::BYTES as u64));
    }
    arrays
}

/// Returns the maximum number of steps of a run with these arrays, if they limit that number. The arrays of marks store
/// the number of the current or the next step in 32 bits.
pub(crate) fn most_steps(arrays: &[PlannedArray]) -> Option<u64> {
    let numbers_steps = |array: &PlannedArray| {
        use ArrayName::{ActiveSteps, Marks, NextSenderRuns, SenderRuns};
        matches!(array.name, Marks | ActiveSteps | SenderRuns | NextSenderRuns)
    };
    arrays.iter().any(numbers_steps).then_some(u64::from(u32::MAX) - 1)
}

/// Returns the arrays that a run needs on the device in addition to the graph's arrays.
pub(crate) fn arrays(budget: &Budget<'_>) -> Vec<PlannedArray> {
    let n = budget.graph.vertices;
    let shape = budget.shape;
    let (value, active) = (device_size(shape.value) as u64, !shape.everyone_sends());
    let mut arrays = Vec::new();
    let mut add = |name, elements: u64, each: u64| {
        if elements > 0 {
            arrays.push(PlannedArray::new(name, elements, each));
        }
    };
    let in_place = shape.combines_words(budget.schedule);
    let walks = budget.schedule.walks();
    let is_union = budget.schedule == Schedule::Union;
    let swept = Swept::of(budget);
    add(ArrayName::Values, n.max(1), if in_place { word_bytes(shape.value) } else { value });
    add(ArrayName::PresenceBits, n.div_ceil(32).max(1), 4);
    if active
        && swept.is_none()
        && !is_union
        && !walks
        && (!in_place || !budget.uniform || budget.techniques.local_rounds)
    {
        add(ArrayName::Marks, n, 4);
    }
    if budget.techniques.direction {
        add(ArrayName::FrontierBits, n.div_ceil(32).max(1), 4);
        add(ArrayName::NextFrontierBits, n.div_ceil(32).max(1), 4);
    }
    if shape.computes() == Computes::Awake {
        add(ArrayName::AwakeBits, n.div_ceil(32).max(1), 4);
    }
    if shape.model.reads.vertex_values {
        add(ArrayName::ValuesBefore, n.max(1), before_size(shape) as u64);
    }
    if shape.model.has_priority {
        add(ArrayName::Priorities, n.max(1), 8);
    }
    if budget.schedule == Schedule::Bucket || shape.model.has_priority || walks {
        add(ArrayName::PendingBits, n.div_ceil(32).max(1), 4);
    }
    if active && swept.is_none() {
        let places = queue_items(budget) + hub_room(budget);
        // Union-find queues the edges that it links only once.
        add(ArrayName::Frontier, if is_union { 0 } else { places }, ITEM_BYTES);
        add(ArrayName::NextFrontier, places, ITEM_BYTES);
        for array in overflows(budget) {
            add(array.name, array.elements, 4);
        }
    }
    match budget.schedule {
        Schedule::Frontier => {
            add(ArrayName::IncomingMessages, n, word_bytes(shape.message));
            add(ArrayName::Recipients, n, 4);
        }
        Schedule::Pull => {
            add(ArrayName::RowsToGather, gather_items(budget), ITEM_BYTES);
            // Short rows have results of their own.
            let rows = if budget.slots.is_some() { n } else { 0 };
            add(ArrayName::PartialResults, rows + gather_items(budget), partial_size(shape) as u64);
            if active {
                add(ArrayName::ActiveSteps, n, 4);
            }
            if makes_messages_once(shape, budget.schedule) {
                let slots = if budget.slots.is_some() { n + OTHER_SLOTS } else { n };
                add(ArrayName::SentMessages, slots, sent_size(shape, budget.carried) as u64);
            }
        }
        Schedule::Union => add(ArrayName::Parents, n, 4),
        Schedule::Relax | Schedule::Bucket | Schedule::Sweep => {}
        Schedule::Paths | Schedule::Accumulate => {
            let sums = if shape.accumulates { n } else { 0 };
            add(ArrayName::HeldSums, sums, 8 * shape.portion_words as u64);
            add(ArrayName::PendingSums, sums, 8 * shape.portion_words as u64);
        }
    }
    for (name, elements, each) in Slots::of(budget).map(|slots| slots.arrays(budget)).into_iter().flatten() {
        add(name, elements, each);
    }
    for (name, elements, each) in swept.map(Swept::arrays).into_iter().flatten() {
        add(name, elements, each);
    }
    add(ArrayName::StepRecords, if budget.traced { records::ROOM } else { 0 }, records::BYTES as u64);
    if shape.fold.is_some() {
        add(ArrayName::Aggregates, fold_bytes(shape, n), 1);
    }
    match budget.carried {
        Some(carried) if carried.on_host => {
            add(ArrayName::Sources, n.div_ceil(64), 8);
            add(ArrayName::SourceValues, n, value);
        }
        None if shape.model.starts == Starts::Sources => {
            add(ArrayName::Sources, budget.sources, 4);
            add(ArrayName::SourceValues, budget.sources, value);
        }
        _ => {}
    }
    add(ArrayName::SettledVertices, budget.settles, 4);
    add(ArrayName::PathOrder, walk::order_words(budget), 4);
    add(ArrayName::LoopState, 1, size_of::<Control>() as u64);
    arrays.extend(shared_arrays(budget));
    arrays
}

impl UntypedLaunch<'_> {
    /// Checks that the run's arrays fit in the device's free memory and within the limit in its options, before
    /// anything is allocated. If they do not, moves the values of earlier outcomes to the host, then frees arrays left by
    /// earlier runs of other programs.
    pub(super) fn check_room(&self, buffers: &mut Buffers) -> Result<(), RunError> {
        let (device, program) = (&self.resident.device, self.shape().model.name);
        let own = self.own_arrays();
        let need: u64 = own.clone().map(|array| array.bytes).sum();
        let too_large = |have| {
            let device = device.name.clone();
            Err(PlanError::DoesNotFit { program, device, need, have }.into())
        };
        if let Some(allowed) = self.options.device_memory {
            if need > allowed {
                return too_large(allowed);
            }
            device.outcomes.make_room((need + device.outcomes.bytes()).saturating_sub(allowed))?;
            // What is left is in use, for example by this run itself.
            let occupied = device.outcomes.bytes();
            if need + occupied > allowed {
                return too_large(allowed.saturating_sub(occupied));
            }
        }
        let items = most_items(self.budget);
        if items > MAX_ITEMS {
            return Err(PlanError::TooManyItems { program, items, limit: MAX_ITEMS }.into());
        }
        let weights = weight_name(self.graph, self.shape());
        let needed: Vec<(BufferName, u64)> =
            own.clone().map(|array| (BufferName::of(array.name, weights), array.bytes)).collect();
        let missing = needed.iter().filter(|&&(name, bytes)| buffers.bytes_of(name) < bytes);
        let missing: u64 = missing.map(|&(_, bytes)| bytes).sum();
        // `missing` includes all planes (bitmaps) of a batch, because buffers have none under these names. But the run
        // can reuse planes that earlier batches released.
        let planes = own.filter(|array| is_plane(array.name)).map(|array| array.bytes).sum();
        let missing = missing - buffers.spare_bytes().min(planes);
        // A run like the last one allocates nothing, so it need not ask the driver, which takes as long as a thin step.
        if missing == self.reused_bytes(buffers) {
            return Ok(());
        }
        let (free, _) = device.memory()?;
        let released = self.spare_bytes();
        if missing > free + released {
            let moved = device.outcomes.make_room(missing - free - released)?;
            lock(&self.resident.spare).clear();
            let free = free + released + moved;
            if missing > free {
                // Arrays left by earlier runs of other programs are freed, if that helps. Otherwise they stay: they may
                // be those of a plan that does fit.
                let (held, kept) =
                    (buffers.bytes(), needed.iter().map(|&(name, _)| buffers.bytes_of(name)).sum::<u64>());
                if missing > free + (held - kept) {
                    return too_large(free + held);
                }
                buffers.keep_only(&needed.iter().map(|&(name, _)| name).collect::<Vec<_>>());
            }
        } else if missing > free + self.reused_bytes(buffers) {
            // Released arrays of other sizes do not help this run.
            lock(&self.resident.spare).clear();
        }
        Ok(())
    }

    /// Returns the arrays of the plan that live on the device, without the values of earlier outcomes.
    fn own_arrays(&self) -> impl Iterator<Item = &PlannedArray> + Clone {
        self.plan
            .arrays
            .iter()
            .filter(|array| array.home == Home::Device && array.name != ArrayName::Outcomes)
    }

    /// Returns the size in bytes of the arrays that outcomes have released and the run can reuse.
    fn spare_bytes(&self) -> u64 {
        lock(&self.resident.spare).bytes()
    }

    /// Returns the size in bytes of the arrays that the run takes from those that outcomes have released.
    fn reused_bytes(&self, buffers: &Buffers) -> u64 {
        let spare = lock(&self.resident.spare);
        let bytes = Self::KEPT.map(|name| (buffers.bytes_of(name.into()), self.planned_bytes(name)));
        bytes
            .iter()
            .map(|&(held, planned)| if held < planned && spare.has(planned) { planned } else { 0 })
            .sum()
    }

    /// Returns the number of bytes that the loaded graph's arrays and all outcomes occupy on the device.
    pub(super) fn occupied(&self, buffers: &Buffers) -> u64 {
        buffers.bytes() + self.spare_bytes() + self.resident.device.outcomes.bytes()
    }
}
