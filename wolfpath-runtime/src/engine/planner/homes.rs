//! Decides where the arrays of edges of a run on a device live, and describes it.

use wolfpath_core::graph::{Direction, PackedRows};
use wolfpath_core::program::CombineKind;

use crate::plan::{ArrayName, HEAD_SLACK, Home, Plan, PlannedArray, Schedule};
use crate::shape::Shape;

/// If rows must live in host memory, the beginnings of their arrays take at most this share of their bytes on the device:
/// one in this number.
pub(super) const RESIDENT_SHARE: u64 = 8;

/// Returns the arrays of the widths of blocks, which kernels read if packed rows live in host memory.
pub(super) fn copies_of_widths(plan: &Plan) -> Vec<PlannedArray> {
    let slots = PackedRows::width_slots(plan.graph.vertices, plan.own_graph().edges);
    let of = |direction| {
        let array = PlannedArray::new(ArrayName::PackedWidths(direction), slots, 1);
        let is_read = plan.planned_bytes(ArrayName::PackedEnds(direction)) > 0;
        is_read.then_some(PlannedArray { home: Home::Device, ..array })
    };
    [Direction::Out, Direction::In].into_iter().filter_map(of).collect()
}

/// Returns the arrays of the first ends of rows in host memory, if the run reads them alone and they fit in `left` bytes on
/// the device: union-find links them first, and a vertex that searches for one sender looks at them first. Several devices
/// have those of all vertices, also if rows are on the devices, so that they need not tell each other what they have linked
/// first.
fn first_ends(plan: &Plan, shape: &Shape, left: u64) -> Vec<PlannedArray> {
    let first_is_enough = plan.uniform || shape.combine == CombineKind::Any;
    let rows = match plan.schedule {
        Schedule::Union => [plan.rows.send_out, plan.rows.send_in],
        _ if plan.techniques.direction && first_is_enough => [plan.rows.gather_out, plan.rows.gather_in],
        _ => [false, false],
    };
    let is_on_host = |direction| {
        [ArrayName::EdgeEnds(direction), ArrayName::PackedEnds(direction)]
            .into_iter()
            .any(|name| plan.planned_bytes(name) > 0 && plan.home_of(name) == Home::Host)
    };
    let is_known_to_all = plan.share.is_some() && plan.schedule == Schedule::Union;
    let of = |(direction, reads): (Direction, bool)| {
        let array = PlannedArray::new(ArrayName::FirstEnds(direction), plan.graph.vertices, 4);
        (reads && (is_known_to_all || is_on_host(direction)))
            .then_some(PlannedArray { home: Home::Device, ..array })
    };
    let all = [Direction::Out, Direction::In].into_iter().zip(rows);
    let arrays: Vec<_> = all.clone().filter_map(of).collect();
    // All rows that are read need one.
    let is_complete = arrays.len() == rows.iter().filter(|&&reads| reads).count();
    let fits = arrays.iter().map(|array| array.bytes).sum::<u64>() <= left;
    if is_complete && fits { arrays } else { Vec::new() }
}

/// Adds the first ends of all rows to the arrays of each of several devices, if union-find reads them and they fit in `room`
/// bytes.
pub(super) fn tell_first_ends(plan: &mut Plan, shape: &Shape, room: Option<u64>) {
    if plan.share.is_some() && plan.schedule == Schedule::Union {
        let left = room.map_or(u64::MAX, |room| room.saturating_sub(plan.bytes_in(Home::Device)));
        let first_ends = first_ends(plan, shape, left);
        plan.arrays.extend(first_ends);
    }
}

/// Returns the beginnings of arrays in host memory that are also on the device, in `left` bytes. Those of weights come
/// first: a row's weights take fewer bytes than its ends, and as many requests over the link. In layered order the first
/// rows are those nearest the root.
fn heads(plan: &Plan, mut left: u64, weights: bool) -> Vec<PlannedArray> {
    let on_host = plan.arrays.iter().filter(|array| array.home == Home::Host);
    let is_weights = |array: &&PlannedArray| matches!(array.name, ArrayName::EdgeWeights(_));
    let (first, others): (Vec<_>, Vec<_>) = on_host.partition(is_weights);
    let first = if weights { first } else { Vec::new() };
    let head = |array: &PlannedArray| {
        let name = array.name.resident()?;
        let each = array.bytes / array.elements.max(1);
        let mut elements = left.min(array.bytes) / each.max(1);
        if is_weights(&array) {
            // Kernels copy 16 bytes at a time (`copy.cuh`).
            elements -= elements % 16;
        }
        let slack = if is_weights(&array) { 0 } else { HEAD_SLACK };
        if !plan.rows_on_host() || elements * each <= slack {
            return None;
        }
        left -= elements * each;
        Some(PlannedArray { home: Home::Device, ..PlannedArray::new(name, elements, each) })
    };
    first.into_iter().chain(others).filter_map(head).collect()
}

/// Adds copies on the device of parts of the rows in host memory: their first ends, and the beginnings of arrays. The copies
/// take at most `share` bytes, and at most 15/16 of the unplanned bytes of `room`, since other processes need memory too.
pub(super) fn keep_beginnings(plan: &mut Plan, shape: &Shape, room: Option<u64>, share: Option<u64>) {
    let left = room.map(|room| room.saturating_sub(plan.bytes_in(Home::Device)) / 16 * 15);
    let mut left = [left, share].into_iter().flatten().min().unwrap_or(0);
    let first_ends = first_ends(plan, shape, left);
    left -= first_ends.iter().map(|array| array.bytes).sum::<u64>();
    plan.arrays.extend(first_ends);
    let counts = shape.model.reads.common().is_some();
    plan.arrays.extend(heads(plan, left, !counts));
}

/// Arrays that may move to host memory so that a run fits on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Moves {
    Nothing,
    /// Rows are packed, or stay in host memory with the other data of edges, and queues are short.
    Rows,
    /// The rows to gather may stay in host memory, too. Kernels read them in order.
    Queue,
}

/// Number of items that a queue has room for if plain rows do not fit on the device, or live elsewhere. In a larger frontier,
/// the vertices that find no room send in the order of their rows. A pass over their bitmap takes 0.1 ms on R-MAT 26, and
/// visiting this many items takes 1 ms (both estimated).
pub(super) const SHORT_QUEUE: u64 = 1 << 18;

impl Moves {
    /// Returns what a plan has moved.
    pub(in crate::engine) fn of(plan: &Plan) -> Moves {
        let is_on_host = |name| plan.warps > 0 && plan.home_of(name) == Home::Host;
        match is_on_host(ArrayName::RowsToGather) {
            true => Moves::Queue,
            false if plan.packed || plan.rows_on_host() || plan.queue_room.is_some() => Moves::Rows,
            false => Moves::Nothing,
        }
    }
}

/// Returns the size in bytes of the arrays of a plan that have an element per edge.
pub(super) fn bytes_of_edges(plan: &Plan) -> u64 {
    plan.arrays.iter().filter(|array| array.name.is_of_edges()).map(|array| array.bytes).sum()
}

/// Moves arrays of edges to host memory: as few bytes as possible so that the others fit in `room` bytes on the device,
/// or all of them.
pub(super) fn move_to_host(arrays: &mut [PlannedArray], room: Option<u64>) {
    let on_device: u64 = arrays.iter().map(|array| array.bytes).sum();
    let excess = room.map_or(u64::MAX, |room| on_device.saturating_sub(room));
    let mut movable: Vec<_> = arrays.iter_mut().filter(|array| array.name.is_of_edges()).collect();
    // There are at most eight such arrays, so that all choices can be compared.
    let moved = |choice: u32| -> u64 {
        movable.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1).map(|(_, array)| array.bytes).sum()
    };
    let all = (1 << movable.len()) - 1;
    let best = (0..=all).filter(|&choice| moved(choice) >= excess).min_by_key(|&choice| moved(choice));
    let best = best.unwrap_or(all);
    for (at, array) in movable.iter_mut().enumerate() {
        array.home = if best >> at & 1 == 1 { Home::Host } else { Home::Device };
    }
}

/// Leaves the arrays of edges of a plan in the file, and those that no file contains in host memory.
pub(super) fn move_to_file(plan: &mut Plan) {
    for array in &mut plan.arrays {
        array.home = match array.name {
            name if name.is_streamed() => Home::File,
            name if name.is_of_edges() => Home::Host,
            _ => Home::Device,
        };
    }
}

/// Moves the rows to gather to host memory if the arrays do not fit in `room` bytes on the device.
pub(super) fn move_queue(plan: &mut Plan, room: u64) {
    if plan.bytes_in(Home::Device) > room {
        let queue = plan.arrays.iter_mut().find(|array| array.name == ArrayName::RowsToGather);
        queue.into_iter().for_each(|queue| queue.home = Home::Host);
    }
}

/// Describes where the rows of a plan live, and why. `plain` is the size in bytes of the arrays of edges if they are not
/// packed, and `requested` says whether options decided.
pub(super) fn describe_rows(plan: &Plan, plain: u64, requested: bool) -> String {
    let bytes = bytes_of_edges(plan);
    let form = match plan.packed {
        true => format!("packed ({bytes} bytes with the data of edges, instead of {plain})"),
        false => format!("plain ({plain} bytes with the data of edges)"),
    };
    let of_edges_on_host = |array: &&PlannedArray| array.home == Home::Host && array.name.is_of_edges();
    let on_host: u64 = plan.arrays.iter().filter(of_edges_on_host).map(|array| array.bytes).sum();
    let resident = resident_bytes(plan);
    let in_place = match resident {
        0 => "which kernels read in place".to_owned(),
        _ => format!("which kernels read in place (the first {resident} bytes are on the device as well)"),
    };
    let home = match on_host {
        0 => "on the device".to_owned(),
        _ if on_host == bytes => format!("in host memory, {in_place}"),
        _ => format!("partly in host memory ({on_host} bytes), {in_place}"),
    };
    let reason = match (plan.packed || on_host > 0, requested) {
        (_, true) => ", as requested",
        (true, false) => ", because plain rows do not fit on the device",
        (false, false) => "",
    };
    let queues = match plan.bytes_in(Home::Host) - on_host {
        0 => String::new(),
        bytes => format!("; rows to gather, of {bytes} bytes, are in host memory, too"),
    };
    let pass = match on_host {
        0 => String::new(),
        _ => format!("; a pass over all rows reads {} bytes over the link", on_host - resident),
    };
    format!("{form}, {home}{reason}{queues}{pass}{}", describe_overflow(plan))
}

/// Describes what happens to frontiers that are larger than their queues.
fn describe_overflow(plan: &Plan) -> String {
    match plan.queue_room.filter(|_| plan.planned_bytes(ArrayName::OverflowBits) > 0) {
        Some(room) => {
            format!("; a queue holds {room} items, and vertices that find no room are marked in a bitmap")
        }
        None => String::new(),
    }
}

/// Returns the size in bytes of the beginnings of arrays in host memory that are also on the device.
fn resident_bytes(plan: &Plan) -> u64 {
    let on_host = plan.arrays.iter().filter(|array| array.home == Home::Host);
    on_host.filter_map(|array| array.name.resident()).map(|name| plan.planned_bytes(name)).sum()
}

/// Describes how the rows of a plan are streamed, and what a pass over all of them copies.
pub(super) fn describe_stream(plan: &Plan, unlockable: bool) -> String {
    let bytes = bytes_of_edges(plan);
    let Some(ring) = plan.ring else { return "none are needed".to_owned() };
    let chunks = ring.all_chunks();
    let reason = if unlockable { "because host memory cannot be page-locked" } else { "as requested" };
    format!(
        "plain ({bytes} bytes with the data of edges), streamed in {chunks} chunks of {} edges, {reason}, through a ring \
         of {}; a pass over all rows copies {} bytes{}",
        ring.chunk_edges,
        ring.slots,
        chunks * ring.slot_bytes,
        describe_overflow(plan)
    )
}
