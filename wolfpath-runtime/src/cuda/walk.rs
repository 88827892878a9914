//! The order of paths on a device, for runs in which vertices take turns in it (`kernels/include/walk.cuh`).

use super::buffers::Buffers;
use super::launch::UntypedLaunch;
use super::state::DeviceRun;
use crate::cpu::lock;
use crate::error::RunError;
use crate::plan::{ArrayName, Budget, RowUse, Schedule};

/// The order of paths that a resident graph has on its device.
pub(crate) struct ResidentOrder {
    rows: RowUse,
    /// `true` if paths are in the order of their dependencies.
    is_ordered: bool,
    /// Smallest number of places of a group.
    least: u32,
    places: u32,
    groups: u32,
}

/// Returns the smallest number of places of a group of layers: one for each thread of the device. A round over fewer would
/// take as long, and the next group would have to wait for it. Short queues, for tests, have short groups.
fn least_places(budget: &Budget<'_>) -> u64 {
    budget.queue_room.unwrap_or(32 * budget.warps).clamp(1, 1 << 31)
}

/// Returns the number of words of the order of paths, 0 if the run does not take it: the vertex at each place, the place of
/// each vertex, and the first places of groups.
pub(super) fn order_words(budget: &Budget<'_>) -> u64 {
    let vertices = budget.graph.vertices;
    let most_groups = vertices / least_places(budget) + 1;
    if budget.schedule == Schedule::Paths { 2 * vertices + most_groups + 1 } else { 0 }
}

/// Copies the order of paths to the device, unless it is there, and stores where it is in `run`.
pub(super) fn prepare(
    launch: &UntypedLaunch<'_>,
    buffers: &mut Buffers,
    run: &mut DeviceRun,
) -> Result<(), RunError> {
    // It was found before the buffers were locked, because the threads that find it may execute other runs meanwhile.
    let Some(order) = launch.order else { return Ok(()) };
    let (resident, name) = (launch.resident, ArrayName::PathOrder);
    let (rows, is_ordered) = (launch.plan.rows, launch.plan.techniques.path_order);
    let least = least_places(launch.budget) as u32;
    let mut held = lock(&resident.path_order);
    let is_same =
        |held: &ResidentOrder| (held.rows, held.is_ordered, held.least) == (rows, is_ordered, least);
    let had = buffers.contains(name);
    // The array has the planned size, even if not all vertices have a place.
    run.path_vertices = launch.room(buffers, name)?;
    if !had || !held.as_ref().is_some_and(is_same) {
        let groups = order.groups_of(least);
        let all = [order.vertices(), order.places(), &groups].concat();
        run.path_vertices = buffers.upload(&resident.device, name, &all)?;
        let groups = groups.len() as u32 - 1;
        *held = Some(ResidentOrder { rows, is_ordered, least, places: order.num_places(), groups });
    }
    let held = held.as_ref().expect("the order is on the device");
    run.place_count = u64::from(held.places);
    run.places = run.path_vertices + 4 * run.place_count;
    run.path_groups = run.places + 4 * launch.plan.graph.vertices;
    run.group_count = held.groups;
    Ok(())
}
