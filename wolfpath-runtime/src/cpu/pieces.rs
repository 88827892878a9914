//! Cutting a list of vertices into tasks.

use std::ops::Range;

use wolfpath_core::program::EdgeProgram;

use super::tasks::{joined, map_tasks};
use super::view::{Halt, SendRows, View};

/// Number of edges below which a step runs on one thread, without locked instructions.
pub(crate) const SERIAL_EDGES: u64 = 8192;

/// Number of edges above which a vertex is cut into pieces, and the size of these pieces.
const PIECE_EDGES: u64 = 8192;

/// Task of a step: some vertices of the frontier, or a piece of one hub's edges.
pub(crate) enum Task {
    Vertices(Range<usize>),
    Piece(u32, Range<u64>),
}

/// Calls `visit(vertex, piece, collected)` for every vertex of a frontier on all threads. Hubs are visited in pieces.
/// Returns what the tasks collected, in order.
pub(crate) fn par_pieces<P: EdgeProgram, T: Send + Clone>(
    view: &View<'_, P>,
    frontier: &[u32],
    visit: impl Fn(u32, Option<Range<u64>>, &mut Vec<T>) -> Result<(), Halt> + Sync,
) -> Result<Vec<T>, Halt> {
    let sends = view.sends;
    let tasks = tasks_by_degree(frontier, sends);
    let parts = map_tasks(tasks.len(), |task| {
        let mut collected = Vec::new();
        match &tasks[task] {
            Task::Vertices(range) => {
                for &v in &frontier[range.clone()] {
                    if sends.degree(v) <= PIECE_EDGES {
                        visit(v, None, &mut collected)?;
                    }
                }
            }
            Task::Piece(hub, piece) => visit(*hub, Some(piece.clone()), &mut collected)?,
        }
        Ok(collected)
    });
    joined(parts)
}

/// Returns the tasks of a frontier that sends along these rows. This function has no type parameters, so it is compiled
/// only once.
fn tasks_by_degree(frontier: &[u32], sends: SendRows<'_>) -> Vec<Task> {
    tasks_of(frontier, |v| Some(sends.degree(v)).filter(|&edges| edges > PIECE_EDGES))
}

/// Returns the tasks of a frontier. `hub` returns the number of edges of a vertex that must be cut into pieces.
pub(crate) fn tasks_of(frontier: &[u32], hub: impl Fn(u32) -> Option<u64>) -> Vec<Task> {
    let size = (frontier.len() / (rayon::current_num_threads() * 8)).clamp(1, 4096);
    let ranges = (0..frontier.len()).step_by(size).map(|first| first..(first + size).min(frontier.len()));
    let mut tasks: Vec<Task> = ranges.map(Task::Vertices).collect();
    for (v, edges) in frontier.iter().filter_map(|&v| Some((v, hub(v)?))) {
        let pieces = (0..edges).step_by(PIECE_EDGES as usize);
        tasks.extend(pieces.map(|first| Task::Piece(v, first..(first + PIECE_EDGES).min(edges))));
    }
    tasks
}
