//! The order of paths on a device, for runs in which vertices take turns in it (`kernels/include/walk.cuh`).

use std::sync::Arc;

use super::buffers::Buffers;
use super::launch::UntypedLaunch;
use super::state::DeviceRun;
use crate::cpu::lock;
use crate::error::RunError;
use crate::path_order::PathOrder;
use crate::plan::{ArrayName, Budget, RowUse, Schedule};

/// The order of paths that a resident graph has on its device.
pub(crate) struct ResidentOrder {
    rows: RowUse,
    /// `true` if paths are in the order of their dependencies.
    is_ordered: bool,
    order: Arc<PathOrder>,
    groups: u32,
}

/// Returns the smallest number of places of a group of layers: one for each thread of the device. A round over fewer would take
/// as long, and the next group would have to wait for it.
fn least_places(budget: &Budget<'_>) -> u64 {
    (32 * budget.warps).clamp(1, 1 << 31)
}

/// Returns the number of words of the order of paths, 0 if the run does not take it: the vertex at each place, the place of each vertex,
/// and the first places of groups.
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
    if launch.plan.schedule != Schedule::Paths {
        return Ok(());
    }
    let (resident, name) = (launch.resident, ArrayName::PathOrder);
    let (rows, is_ordered) = (launch.plan.rows, launch.plan.techniques.path_order);
    let is_same = |held: &ResidentOrder| (held.rows, held.is_ordered) == (rows, is_ordered);
    let mut held = lock(&resident.path_order);
    if !held.as_ref().is_some_and(is_same) || !buffers.contains(name) {
        let order = match held.take().filter(is_same) {
            Some(held) => held.order,
            None => Arc::new(PathOrder::new(launch.graph, rows, is_ordered)?),
        };
        let groups = order.groups_of(least_places(launch.budget) as u32);
        let all = [order.vertices(), order.places(), &groups].concat();
        buffers.upload(&resident.device, name, &all)?;
        *held = Some(ResidentOrder { rows, is_ordered, order, groups: groups.len() as u32 - 1 });
    }
    let held = held.as_ref().expect("the order was found");
    run.path_vertices = buffers.address(&resident.device, name);
    run.place_count = u64::from(held.order.num_places());
    run.places = run.path_vertices + 4 * run.place_count;
    run.path_groups = run.places + 4 * launch.plan.graph.vertices;
    run.group_count = held.groups;
    Ok(())
}
