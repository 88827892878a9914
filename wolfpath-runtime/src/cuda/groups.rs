//! Combined edge lists: the edges of a graph in layered order, divided into groups that keep the whole device busy.
//! Consecutive thin layers are merged until a group has at least as many edges as the device has threads (the number
//! that Zhu et al., "WolfPath", 2017, call ME). A larger layer is a group by itself, so that changes in an adjacent
//! thin layer cannot cause the large layer to be swept again.

use bytemuck::{Pod, Zeroable};

/// Start of a group, which is also the end of the previous group (`Bound` in `run.cuh`).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Bound {
    pub(crate) edge: u64,
    pub(crate) vertex: u64,
}

/// Returns an upper bound of the number of groups into which `edges` edges are divided. It follows from the fact that a
/// group has fewer than `fill` edges only if it precedes a large layer or is the last group.
pub(crate) fn most_groups(edges: u64, fill: u64) -> u64 {
    2 * (edges / fill.max(1)) + 1
}

/// Divides rows of edges into groups. Returns the start of each group, then the end of the last group.
///
/// - `layers`: the index of the first vertex of each layer, then the number of vertices.
/// - `offsets`: the index of the first edge of each row, then the number of edges.
/// - `fill`: the number of threads.
pub(crate) fn combine(layers: &[u32], offsets: &[u64], fill: u64) -> Vec<Bound> {
    debug_assert!(
        !offsets.is_empty(),
        "even without vertices, the offsets contain one number, the end of the rows"
    );
    let at = |vertex: u32| Bound { edge: offsets[vertex as usize], vertex: u64::from(vertex) };
    let mut bounds = vec![at(0)];
    let mut begin = 0;
    for layer in layers.windows(2) {
        let (first, last) = (at(layer[0]), at(layer[1]));
        let is_large = last.edge - first.edge > fill;
        if is_large && first.edge > begin {
            bounds.push(first);
            begin = first.edge;
        }
        if is_large || last.edge - begin >= fill {
            bounds.push(last);
            begin = last.edge;
        }
    }
    let end = at(offsets.len() as u32 - 1);
    if bounds.len() > 1 && end.edge == begin {
        // Vertices without edges need no group.
        bounds.pop();
    }
    bounds.push(end);
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the layer offsets and row offsets of layers given as (number of vertices, edges per vertex).
    fn graph(layers: &[(u32, u64)]) -> (Vec<u32>, Vec<u64>) {
        let (mut layer_offsets, mut offsets) = (vec![0], vec![0]);
        for &(vertices, each) in layers {
            layer_offsets.push(layer_offsets[layer_offsets.len() - 1] + vertices);
            (0..vertices).for_each(|_| offsets.push(offsets[offsets.len() - 1] + each));
        }
        (layer_offsets, offsets)
    }

    /// Returns the number of edges of each group, after checking the invariants of groups.
    fn checked(layers: &[(u32, u64)], fill: u64) -> Vec<u64> {
        let (layer_offsets, offsets) = graph(layers);
        let bounds = combine(&layer_offsets, &offsets, fill);
        let edges = offsets[offsets.len() - 1];
        assert_eq!(bounds[0], Bound { edge: 0, vertex: 0 });
        assert_eq!(bounds[bounds.len() - 1], Bound { edge: edges, vertex: offsets.len() as u64 - 1 });
        assert!(bounds.len() as u64 - 1 <= most_groups(edges, fill), "{bounds:?}");
        let large = |bounds: &[Bound]| {
            let of_group = |layer: &[u32]| {
                offsets[layer[0] as usize] == bounds[0].edge && offsets[layer[1] as usize] == bounds[1].edge
            };
            bounds[1].edge - bounds[0].edge > fill && layer_offsets.windows(2).any(of_group)
        };
        for (i, pair) in bounds.windows(2).enumerate() {
            assert!(
                layer_offsets.contains(&(pair[1].vertex as u32)),
                "a group ends at the end of a layer: {bounds:?}"
            );
            assert_eq!(pair[1].edge, offsets[pair[1].vertex as usize], "{bounds:?}");
            let size = pair[1].edge - pair[0].edge;
            assert!(
                size < 2 * fill || large(pair),
                "only a group of one large layer has 2 * fill edges or more: {bounds:?}"
            );
            let is_last = i + 2 == bounds.len();
            let before_large = !is_last && large(&bounds[i + 1..i + 3]);
            assert!(size >= fill || is_last || (size > 0 && before_large), "{bounds:?}");
        }
        bounds.windows(2).map(|pair| pair[1].edge - pair[0].edge).collect()
    }

    #[test]
    fn thin_layers_are_taken_together() {
        assert_eq!(checked(&[(1, 2), (2, 2), (2, 2), (3, 2), (1, 2)], 8), [10, 8]);
        assert_eq!(checked(&[(1, 3); 10], 8), [9, 9, 9, 3]);
        assert_eq!(checked(&[(1, 8); 3], 8), [8, 8, 8]);
    }

    #[test]
    fn a_large_layer_stands_alone() {
        assert_eq!(checked(&[(1, 3), (10, 4), (2, 1), (1, 100), (1, 1)], 8), [3, 40, 2, 100, 1]);
        assert_eq!(checked(&[(1, 100), (1, 100)], 8), [100, 100]);
    }

    #[test]
    fn vertices_without_edges_need_no_group() {
        assert_eq!(checked(&[(1, 9), (5, 0), (1, 9), (7, 0), (2, 0)], 8), [9, 9]);
        assert_eq!(checked(&[(4, 0), (2, 0)], 8), [0]);
        assert_eq!(checked(&[], 8), [0]);
    }

    #[test]
    fn any_layers() {
        let mut state = 7u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..2_000 {
            let (many, fill) = (random(12), 1 + random(30));
            let layers: Vec<_> = (0..many).map(|_| (1 + random(6) as u32, random(12))).collect();
            let edges: u64 = layers.iter().map(|&(vertices, each)| u64::from(vertices) * each).sum();
            assert_eq!(checked(&layers, fill).iter().sum::<u64>(), edges);
        }
    }
}
