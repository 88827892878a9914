//! Long rows, which are gathered in pieces before a step in which everyone sends, and the vertices of blocks and words.

use std::ops::Range;

use wolfpath_core::program::EdgeProgram;

use super::gather::{Gathered, PIECE, pieces};
use super::shelf::KnownRows;
use super::stepwise::BLOCK;
use super::tasks::map_tasks;
use super::view::View;
use super::words::Bits;

/// Number of edges above which a row is gathered in pieces before the pass.
pub(super) const HUB_EDGES: u64 = 4 * PIECE as u64;

/// Finds the vertices with long rows, unless all messages to a vertex are combined `at_once`, and those with edges.
pub(super) fn look_at_rows<P: EdgeProgram>(view: &View<'_, P>, at_once: bool) -> KnownRows {
    let n = view.num_vertices() as usize;
    let with_edges = Bits::new(n as u32);
    let found = map_tasks(n.div_ceil(BLOCK), |block| {
        let mut hubs = Vec::new();
        for word in words_of(block, n) {
            let mut bits = 0;
            for v in vertices_of(word, n) {
                bits |= u64::from(view.has_receivers(v)) << (v % 64);
                if !at_once && view.gather_degree(v) > HUB_EDGES {
                    hubs.push(v);
                }
            }
            with_edges.put_word(word, bits);
        }
        hubs
    });
    let (mut hubs, mut hub_pieces) = (Vec::new(), Vec::new());
    for v in found.into_iter().flatten() {
        let before = hub_pieces.len();
        for (at, lane) in view.gather_lanes().enumerate() {
            hub_pieces.extend(pieces(lane.range(v)).map(|piece| (v, at, piece)));
        }
        hubs.push((v, before..hub_pieces.len()));
    }
    KnownRows { with_edges, hubs, hub_pieces }
}

/// Returns the words of a bitmap that belong to a block.
#[inline]
pub(super) fn words_of(block: usize, vertices: usize) -> Range<usize> {
    block * BLOCK / 64..((block + 1) * BLOCK).min(vertices).div_ceil(64)
}

/// Returns the vertices of a word of a bitmap.
#[inline]
pub(super) fn vertices_of(word: usize, vertices: usize) -> Range<u32> {
    word as u32 * 64..((word + 1) * 64).min(vertices) as u32
}

/// Returns the results of the pieces of a hub.
pub(super) fn hub_parts<'p, A>(
    hubs: &[(u32, Range<usize>)],
    parts: &'p [Gathered<A>],
    v: u32,
) -> &'p [Gathered<A>] {
    let hub = hubs.binary_search_by_key(&v, |&(hub, _)| hub).expect("every long row was gathered");
    &parts[hubs[hub].1.clone()]
}
