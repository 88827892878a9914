//! Cutting a list of vertices into tasks.

use std::ops::Range;

/// Number of edges below which a step runs on one thread, without locked instructions.
pub(crate) const SERIAL_EDGES: u64 = 8192;

/// Number of edges above which a vertex is cut into pieces, and the size of these pieces.
const PIECE_EDGES: u64 = 8192;

/// Task of a step: some vertices of the frontier, or a piece of one hub's edges.
pub(crate) enum Task {
    Vertices(Range<usize>),
    Piece(u32, Range<u64>),
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
