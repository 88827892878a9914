use std::num::NonZeroU8;

use super::*;
use crate::edge_list::EdgeList;
use crate::graph::{DegreeClasses, LayerOptions};
use crate::random;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn build(edges: impl IntoIterator<Item = (u64, u64)>, longest: u8) -> Result<LayeredGraph> {
    let options = LayerOptions::new().paths(NonZeroU8::new(longest));
    Ok(LayeredGraph::from_edge_list(EdgeList::from_edges(edges)?, &options)?)
}

/// Returns a random graph, of which some have few edges and others many.
fn random_graph(seed: u64, longest: u8) -> Result<LayeredGraph> {
    let mut drawn = 0..;
    let mut below = |bound: u64| {
        let number = drawn.next().unwrap_or_default();
        u64::from(random::below(bound as u32, random::hash(seed, number)))
    };
    let (vertices, edges) = (2 + below(30), 1 + below(70));
    build((0..edges).map(|_| (below(vertices), below(vertices))).collect::<Vec<_>>(), longest)
}

/// Returns, for all pairs of paths, whether one precedes the other, directly or by way of others.
fn precedence(paths: &[Vec<u32>]) -> Vec<Vec<bool>> {
    let directly =
        |one: &Vec<u32>, other: &Vec<u32>| one[1..].iter().any(|v| other[..other.len() - 1].contains(v));
    let mut found: Vec<Vec<bool>> =
        paths.iter().map(|one| paths.iter().map(|other| directly(one, other)).collect()).collect();
    for middle in 0..paths.len() {
        for from in 0..paths.len() {
            if found[from][middle] {
                let behind = found[middle].clone();
                found[from].iter_mut().zip(behind).for_each(|(found, behind)| *found |= behind);
            }
        }
    }
    found
}

#[test]
fn paths_are_ordered_by_their_dependencies() -> Result {
    for seed in 0..150 {
        let longest = [1, 2, 3, 16, 255][seed as usize % 5];
        let graph = random_graph(seed, longest)?;
        let paths = graph.paths()?;
        assert!(fault_of(paths).is_none() && paths.longest() <= longest, "seed {seed}");
        let all: Vec<Vec<u32>> = paths.iter().map(|path| path.vertices().collect()).collect();
        let precedes = precedence(&all);
        let mut component_of = vec![0; all.len()];
        let mut layer_of = vec![0; all.len()];
        for layer in 0..paths.num_layers() {
            for component in paths.of_layer(layer) {
                for path in paths.of_component(component) {
                    (component_of[path as usize], layer_of[path as usize]) = (component, layer);
                }
            }
        }
        for one in 0..all.len() {
            for other in 0..all.len() {
                let are_mutual = one == other || (precedes[one][other] && precedes[other][one]);
                assert_eq!(
                    component_of[one] == component_of[other],
                    are_mutual,
                    "seed {seed}: {one} and {other}"
                );
            }
            // The layer is the smallest possible.
            let before = (0..all.len()).filter(|&path| precedes[path][one] && !precedes[one][path]);
            let expected = before.map(|path| layer_of[path] + 1).max().unwrap_or(0);
            assert_eq!(layer_of[one], expected, "seed {seed}: path {one}");
        }
        let heat = |path: &[u32]| {
            let rows = [graph.out_edges(), graph.in_edges().expect("they were built")];
            let degrees = path.iter().map(|&v| rows.iter().map(|rows| rows.degree(v)).sum::<u64>());
            DegreeClasses::class_of(16 * degrees.sum::<u64>() / path.len() as u64)
        };
        for component in 0..paths.num_components() {
            let range = paths.of_component(component);
            assert!(
                all[range.start as usize..range.end as usize]
                    .is_sorted_by_key(|path| std::cmp::Reverse(heat(path)))
            );
        }
    }
    Ok(())
}

#[test]
fn as_many_edges_as_possible_are_joined() -> Result {
    for seed in 200..260 {
        let graph = random_graph(seed, 255)?;
        let (out, into) = (graph.out_edges(), graph.in_edges()?);
        let room = Room { space: &Space::Memory, progress: &Progress::NONE };
        let chains = Chains::new(out, into, 255, room)?;
        let joined = (0..out.ends.len()).filter(|&edge| chains.joined_to(edge).is_some()).count() as u64;
        let possible: u64 = (0..out.num_vertices()).map(|v| out.degree(v).min(into.degree(v))).sum();
        assert_eq!(joined, possible, "seed {seed}");
    }
    Ok(())
}

#[test]
fn paths_of_rows_on_disk_are_the_same() -> Result {
    let edges = (0..60_000u64).map(|at| (random::hash(7, at) % 2000, random::hash(8, at) % 2000));
    let graph = build(edges, 16)?;
    let folder = tempfile::tempdir()?;
    let room = Room { space: &Space::Disk(folder.path().to_owned()), progress: &Progress::NONE };
    let made = decomposed(graph.out_edges(), graph.in_edges()?, Paths::USUAL_LIMIT, room)?;
    let (one, other) = (made.paths(graph.out_edges()), graph.paths()?);
    assert_eq!((one.firsts, one.lengths, one.slots), (other.firsts, other.lengths, other.slots));
    Ok(())
}

#[test]
fn any_number_of_threads_finds_the_same_paths() -> Result {
    let edges = |seed| {
        (0..60_000u64).map(move |at| {
            let number = random::hash(seed, at);
            (number % 3000 * (number >> 40) % 3000, (number >> 20) % 3000)
        })
    };
    let cycle = (0..30_000u64).map(|v| (v, (v + 1) % 30_000));
    for edges in [edges(1).collect::<Vec<_>>(), edges(2).chain(cycle).collect()] {
        let built = [1, 2, 5].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| build(edges.clone(), 16).expect("it can be built"))
        });
        let [one, two, five] = built.each_ref().map(|graph| {
            let paths = graph.paths().expect("they are stored");
            (paths.firsts, paths.lengths, paths.slots, paths.components, paths.layers)
        });
        assert!(one == two && one == five);
    }
    Ok(())
}

#[test]
fn regular_graphs() -> Result {
    let most = |edges: u64| (edges.div_ceil(16) + edges / 100) as u32;
    // One cycle: all paths depend on each other.
    let cycle = build((0..50_000).map(|v| (v, (v + 1) % 50_000)), 16)?;
    assert_eq!((cycle.paths()?.num_components(), cycle.paths()?.num_layers()), (1, 1));
    assert!(cycle.paths()?.num_paths() <= most(50_000));
    // One path: each depends on the one before.
    let line = build((0..50_000).map(|v| (v, v + 1)), 16)?;
    let paths = line.paths()?;
    assert!(paths.num_paths() <= most(50_000));
    assert_eq!((paths.num_components(), paths.num_layers()), (paths.num_paths(), paths.num_paths()));
    assert!(paths.iter().is_sorted_by_key(|path| path.vertices().next().map(|v| line.id_of(v))));
    // A complete graph.
    let pairs = (0..40u64).flat_map(|v| (0..40).filter(move |&w| w != v).map(move |w| (v, w)));
    let complete = build(pairs, 16)?;
    assert_eq!((complete.paths()?.num_components(), complete.paths()?.num_layers()), (1, 1));
    assert!(complete.paths()?.average_length() > 4.0);
    // Trees: away from the root, and towards it.
    for towards in [false, true] {
        let edge = |v: u64| if towards { (v, (v - 1) / 3) } else { ((v - 1) / 3, v) };
        let tree = build((1..10_000).map(edge), 16)?;
        let paths = tree.paths()?;
        assert!(fault_of(paths).is_none());
        assert_eq!(paths.num_components(), paths.num_paths(), "no path precedes itself");
    }
    // Self-loops of one vertex.
    let loops = build([(7, 7), (7, 7)], 16)?;
    assert_eq!(
        (loops.paths()?.num_components(), loops.paths()?.largest_component()),
        (1, loops.paths()?.num_paths())
    );
    // Nothing.
    let empty = build([], 16)?;
    let paths = empty.paths()?;
    assert_eq!((paths.num_paths(), paths.num_components(), paths.num_layers()), (0, 0, 0));
    assert_eq!((paths.average_length(), paths.longest(), paths.largest_component()), (0.0, 0, 0));
    Ok(())
}

#[test]
fn both_directions_of_an_undirected_graph() -> Result {
    let edges = (0..2000u64).flat_map(|at| {
        let (v, w) = (random::hash(3, at) % 400, random::hash(4, at) % 400);
        [(v, w), (w, v)]
    });
    let graph = build(edges.collect::<Vec<_>>(), 16)?;
    assert!(graph.is_symmetric());
    let paths = graph.paths()?;
    assert!(fault_of(paths).is_none() && paths.num_layers() == 1 && paths.average_length() > 3.0);
    let returns = |path: &EdgePath<'_>| {
        let vertices: Vec<u32> = path.vertices().collect();
        vertices.windows(3).filter(|three| three[0] == three[2] && three[0] != three[1]).count()
    };
    let returned: usize = paths.iter().map(|path| returns(&path)).sum();
    assert!(returned < 400, "paths seldom return to where they came from: {returned}");
    Ok(())
}

#[test]
fn paths_that_are_not_stored_are_computed() -> Result {
    let edges: Vec<_> = (0..300u64).map(|at| (random::hash(5, at) % 50, random::hash(6, at) % 50)).collect();
    let (stored, plain) = (build(edges.clone(), 16)?, LayeredGraph::from_edges(edges)?);
    assert!(stored.stores_paths() && !plain.stores_paths());
    assert_eq!(stored.paths()?.slots, plain.paths()?.slots);
    Ok(())
}
