//! The order of paths on a device, for runs in which vertices take turns in it (`kernels/include/walk.cuh`).

use super::buffers::Buffers;
use super::launch::UntypedLaunch;
use super::shard::Shard;
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
    /// Smallest number of places of a group.
    least: u32,
    /// Number of slots of proxies.
    slots: usize,
    /// Number of places of this device, and of all devices.
    own: u32,
    places: u32,
    groups: u32,
}

/// Place of a vertex that has none, and vertex of a slot that has none.
const NONE: u32 = u32::MAX;

/// Returns the smallest number of places of a group of layers: one for each thread of the devices. A round over fewer would
/// take as long, and the next group would have to wait for it. Short queues, for tests, have short groups.
fn least_places(budget: &Budget<'_>) -> u64 {
    let devices = budget.share.map_or(1, |share| share.devices);
    budget.queue_room.unwrap_or(32 * budget.warps * devices).clamp(1, 1 << 31)
}

/// Returns the number of slots of a block's proxies (`wp::Proxies`), 0 if the run has none.
fn slots(budget: &Budget<'_>) -> usize {
    let has_proxies = budget.shape.accumulates && budget.techniques.shared_window;
    if has_proxies { wolfpath_kernels::proxy_slots(budget.shape.portion_words) } else { 0 }
}

/// Returns the number of words of the order of paths, 0 if the run does not take it: the vertex at each place, the place of
/// each vertex, the first places and the ends of groups, and the vertices of proxies.
pub(super) fn order_words(budget: &Budget<'_>) -> u64 {
    if budget.schedule != Schedule::Paths {
        return 0;
    }
    let vertices = budget.graph.vertices;
    let own = budget.share.map_or(vertices, |share| share.vertices);
    let most_groups = vertices / least_places(budget) + 1;
    own + vertices + 2 * most_groups + 1 + slots(budget) as u64
}

/// The order of paths of one device, which has only its own vertices in it. (Alone, a device has all vertices.)
struct OwnOrder {
    vertices: Vec<u32>,
    /// The place of each vertex of any device in the order of its own device.
    places: Vec<u32>,
    /// First places of the groups, and the number of places.
    firsts: Vec<u32>,
    /// Number of places of all devices up to the end of each group.
    ends: Vec<u32>,
}

impl OwnOrder {
    fn new(order: &PathOrder, least: u32, shard: Option<&Shard>) -> OwnOrder {
        let all = order.groups_of(least);
        let ends = all[1..].to_vec();
        let Some(shard) = shard else {
            let (vertices, places) = (order.vertices().to_vec(), order.places().to_vec());
            return OwnOrder { vertices, places, firsts: all, ends };
        };
        let (mut places, mut firsts) = (vec![NONE; order.places().len()], vec![0]);
        let mut vertices = Vec::new();
        let mut counts = vec![0; shard.deal.devices()];
        for group in all.windows(2) {
            for &v in &order.vertices()[group[0] as usize..group[1] as usize] {
                let owner = shard.deal.owner_of(v);
                places[v as usize] = counts[owner];
                counts[owner] += 1;
                if owner == shard.device {
                    vertices.push(v);
                }
            }
            firsts.push(vertices.len() as u32);
        }
        OwnOrder { vertices, places, firsts, ends }
    }
}

/// Returns the vertex of each slot of proxies. Of the vertices with the same slot, the first of `receivers` has it.
fn proxies(receivers: &[u32], slots: usize) -> Vec<u32> {
    let mut vertices = vec![NONE; slots];
    for &v in receivers.iter().filter(|_| slots > 0) {
        let vertex = &mut vertices[v as usize % slots];
        if *vertex == NONE {
            *vertex = v;
        }
    }
    vertices
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
    let (least, slots) = (least_places(launch.budget) as u32, slots(launch.budget));
    let mut held = lock(&resident.path_order);
    let is_same = |held: &ResidentOrder| {
        (held.rows, held.is_ordered, held.least, held.slots) == (rows, is_ordered, least, slots)
    };
    let had = buffers.contains(name);
    // The array has the planned size, even if not all vertices have a place.
    run.path_vertices = launch.room(buffers, name)?;
    if !had || !held.as_ref().is_some_and(is_same) {
        let own = OwnOrder::new(order, least, resident.shard.as_deref());
        let receivers = if slots > 0 { order.receivers(launch.graph) } else { &[] };
        let proxies = proxies(receivers, slots);
        let all = [&own.vertices[..], &own.places, &own.firsts, &own.ends, &proxies].concat();
        run.path_vertices = buffers.upload(&resident.device, name, &all)?;
        let (groups, places) = (own.ends.len() as u32, order.num_places());
        let own = own.vertices.len() as u32;
        *held = Some(ResidentOrder { rows, is_ordered, least, slots, own, places, groups });
    }
    let held = held.as_ref().expect("the order is on the device");
    let after = |address: u64, words: u32| address + 4 * u64::from(words);
    run.place_count = held.places.into();
    run.group_count = held.groups;
    run.places = after(run.path_vertices, held.own);
    run.path_groups = after(run.places, launch.plan.graph.vertices as u32);
    run.path_ends = after(run.path_groups, held.groups + 1);
    run.proxies = after(run.path_ends, held.groups);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use wolfpath_core::graph::LayeredGraph;

    use super::*;
    use crate::cuda::shard::Deal;

    #[test]
    fn each_device_has_its_own_vertices_in_order() {
        let edges = (0..3000u64).flat_map(|v| [(v, (7 * v + 1) % 3001), (v, (11 * v + 5) % 3001)]);
        let graph = LayeredGraph::from_edges(edges).expect("the edges form a graph");
        let rows = RowUse { send_out: true, send_in: false, gather_out: false, gather_in: true };
        let order = PathOrder::new(&graph, rows, true).expect("the graph has paths");
        let alone = OwnOrder::new(&order, 100, None);
        let deal = Arc::new(Deal::of(&graph, 3, 64));
        let of_devices: Vec<OwnOrder> = (0..3)
            .map(|device| OwnOrder::new(&order, 100, Some(&Shard::new(device, deal.clone()))))
            .collect();
        let mut all = 0;
        for (device, own) in of_devices.iter().enumerate() {
            let expected: Vec<u32> =
                order.vertices().iter().copied().filter(|&v| deal.owner_of(v) == device).collect();
            assert_eq!(own.vertices, expected);
            assert_eq!((&own.ends, &own.places), (&alone.ends, &of_devices[0].places));
            for (place, &v) in own.vertices.iter().enumerate() {
                assert_eq!(own.places[v as usize], place as u32);
            }
            let group_of = |firsts: &[u32], place: u32| firsts.partition_point(|&first| first <= place);
            for &v in &own.vertices {
                let group = group_of(&alone.firsts, alone.places[v as usize]);
                assert_eq!(group_of(&own.firsts, own.places[v as usize]), group, "{v}");
            }
            all += own.vertices.len();
        }
        assert_eq!(all, order.vertices().len());
        assert_eq!(*alone.ends.last().expect("there is a group"), order.num_places());
    }

    #[test]
    fn slots_belong_to_the_first_receivers() {
        assert_eq!(proxies(&[9, 4, 1, 6], 4), [4, 9, 6, NONE]);
        assert!(proxies(&[9], 0).is_empty());
    }
}
