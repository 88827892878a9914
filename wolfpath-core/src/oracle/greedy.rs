//! Greedy colourings and independent sets: vertices are visited one after the other, in a given order.

use crate::graph::Rows;

/// Returns, for every vertex, the colour that a greedy colouring gives it: the smallest colour, from 0, that no
/// neighbour visited before has.
///
/// Vertices are visited in ascending order of their elements of `order`, which has one element per vertex. Of equal
/// elements, the vertex with the smaller internal index comes first. The rows must contain both directions of every
/// edge, as those of an undirected graph do. Self-loops are ignored, and parallel edges make no difference.
///
/// Parallel programs compute the same colours if a vertex waits for its neighbours that come before it (Jones and
/// Plassmann 1993).
///
/// ```
/// use wolfpath::edge_list::EdgeList;
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// // A triangle with a tail, coloured in the order of the ids.
/// let edges = EdgeList::from_edges([(1, 2), (2, 3), (3, 1), (3, 4)])?.undirected();
/// let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::new())?;
/// let colours = oracle::greedy_colours(graph.out_edges(), graph.ids());
/// assert_eq!(oracle::by_id(&graph, &colours), [(1, 0), (2, 1), (3, 2), (4, 0)]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn greedy_colours<T: Ord>(rows: Rows<'_>, order: &[T]) -> Vec<u32> {
    let mut colours: Vec<Option<u32>> = vec![None; rows.num_vertices() as usize];
    for vertex in ascending(order) {
        // A vertex has no colour yet when it is visited, so its self-loops add none.
        let taken = rows.row(vertex).iter().filter_map(|&end| colours[end as usize]).collect();
        colours[vertex as usize] = Some(smallest_absent(taken));
    }
    colours.into_iter().flatten().collect()
}

/// Returns, for every vertex, `true` if it is in the greedy maximal independent set: the set without adjacent vertices
/// that each vertex joins in its turn, unless a neighbour has joined before. It is the lexicographically first maximal
/// independent set of this order.
///
/// Vertices are visited in ascending order of their elements of `order`, which has one element per vertex. Of equal
/// elements, the vertex with the smaller internal index comes first. The rows must contain both directions of every
/// edge, as those of an undirected graph do. Self-loops are ignored, and parallel edges make no difference.
///
/// A parallel program that computes the same set takes few steps if the order is random (Blelloch, Fineman and Shun
/// 2012).
///
/// ```
/// use wolfpath::edge_list::EdgeList;
/// use wolfpath::oracle;
/// use wolfpath::prelude::*;
///
/// // A path, visited in the order of the ids.
/// let edges = EdgeList::from_edges([(1, 2), (2, 3), (3, 4)])?.undirected();
/// let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::new())?;
/// let chosen = oracle::independent_set(graph.out_edges(), graph.ids());
/// assert_eq!(oracle::by_id(&graph, &chosen), [(1, true), (2, false), (3, true), (4, false)]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
pub fn independent_set<T: Ord>(rows: Rows<'_>, order: &[T]) -> Vec<bool> {
    let mut chosen = vec![false; rows.num_vertices() as usize];
    for vertex in ascending(order) {
        chosen[vertex as usize] = !rows.row(vertex).iter().any(|&end| chosen[end as usize]);
    }
    chosen
}

/// Returns all vertices in ascending order of their elements.
fn ascending<T: Ord>(order: &[T]) -> Vec<u32> {
    let mut vertices: Vec<u32> = (0..order.len() as u32).collect();
    // This sort is stable, so the vertices of equal elements stay in order.
    vertices.sort_by(|&a, &b| order[a as usize].cmp(&order[b as usize]));
    vertices
}

/// Returns the smallest number that is not in the list.
fn smallest_absent(mut numbers: Vec<u32>) -> u32 {
    numbers.sort_unstable();
    numbers.dedup();
    (0..).zip(numbers).take_while(|(expected, number)| expected == number).count() as u32
}

#[cfg(test)]
mod tests {
    use super::super::small_graphs::{Stored, both_ways, random_edges};
    use super::*;
    use crate::random::hash;

    /// Runs `check` on random undirected graphs of eight vertices, with their edges, rows, and numbers as the order.
    fn on_random_graphs(check: impl Fn(&[(u32, u32)], Rows<'_>, &[u64])) {
        for seed in 0..100 {
            let edges = both_ways(&random_edges(8, seed as usize % 25, seed));
            let order: Vec<u64> = (0..8).map(|vertex| hash(seed, 1000 + vertex)).collect();
            check(&edges, Stored::new(8, &edges).rows(), &order);
        }
    }

    #[test]
    fn the_order_decides_about_a_path() {
        let path = Stored::new(4, &both_ways(&[(0, 1), (1, 2), (2, 3)]));
        assert_eq!(greedy_colours(path.rows(), &[0, 1, 2, 3]), [0, 1, 0, 1]);
        assert_eq!(greedy_colours(path.rows(), &[0, 2, 3, 1]), [0, 1, 2, 0]);
        assert_eq!(independent_set(path.rows(), &[0, 1, 2, 3]), [true, false, true, false]);
        assert_eq!(independent_set(path.rows(), &[3, 0, 1, 2]), [false, true, false, true]);
        assert_eq!(independent_set(path.rows(), &[0, 0, 0, 0]), [true, false, true, false]);
    }

    #[test]
    fn self_loops_and_parallel_edges_make_no_difference() {
        let graph = Stored::new(3, &both_ways(&[(0, 0), (0, 1), (0, 1), (2, 2)]));
        assert_eq!(greedy_colours(graph.rows(), &[0, 1, 2]), [0, 1, 0]);
        assert_eq!(independent_set(graph.rows(), &[0, 1, 2]), [true, false, true]);
    }

    #[test]
    fn the_smallest_colour_that_no_earlier_neighbour_has() {
        on_random_graphs(|edges, rows, order| {
            let colours = greedy_colours(rows, order);
            for vertex in 0..8 {
                let earlier =
                    edges.iter().filter(|(u, v)| *u == vertex && order[*v as usize] < order[*u as usize]);
                let taken: Vec<u32> = earlier.map(|(_, v)| colours[*v as usize]).collect();
                let colour = colours[vertex as usize];
                assert!(!taken.contains(&colour), "{edges:?}");
                assert!((0..colour).all(|smaller| taken.contains(&smaller)), "{edges:?}");
            }
        });
    }

    #[test]
    fn the_first_of_all_independent_sets() {
        on_random_graphs(|edges, rows, order| {
            let independent = |set: &u32| edges.iter().all(|(u, v)| u == v || set >> u & set >> v & 1 == 0);
            // A set is first if it contains the first vertex in which it differs from another set.
            let in_turn = |set: u32| -> Vec<bool> {
                ascending(order).into_iter().map(|vertex| set >> vertex & 1 == 1).collect()
            };
            let first = (0..1 << 8).filter(independent).max_by_key(|&set| in_turn(set)).unwrap();
            let expected: Vec<bool> = (0..8).map(|vertex| first >> vertex & 1 == 1).collect();
            assert_eq!(independent_set(rows, order), expected, "{edges:?}");
        });
    }
}
