//! Generated graphs must be the same on every machine and in every version, because measurements refer to them.

use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::generate::{Recipe, grid, random, rmat, rmat_directed, road, small_world};
use wolfpath_core::progress::{Observer, Progress, Stage};
use wolfpath_core::random::hash;
use wolfpath_core::weights::Weights;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns a hash that depends on all edges and their order.
fn fingerprint(list: &EdgeList) -> u64 {
    list.edges().fold(0, |seed, (source, target, _)| hash(seed, u64::from(source) << 32 | u64::from(target)))
}

#[test]
fn the_same_for_ever() {
    assert_eq!(fingerprint(&rmat(12, 16, 42).unwrap()), 12_464_966_852_621_411_136);
    assert_eq!(fingerprint(&rmat_directed(12, 16, 42).unwrap()), 735_822_904_136_679_716);
    assert_eq!(fingerprint(&grid(40, 30, 42).unwrap()), 1_529_804_375_288_021_917);
    assert_eq!(fingerprint(&random(500, 8, 42).unwrap()), 14_403_588_876_399_035_156);
    assert_eq!(fingerprint(&road(40, 30, false, 42).unwrap()), 9_185_979_238_446_329_246);
    assert_eq!(fingerprint(&small_world(500, 8, 0.1, 42).unwrap()), 8_198_653_304_828_187_386);
    let lengths = road(40, 30, true, 42).unwrap();
    let Some(Weights::U32(lengths)) = lengths.weights() else { panic!("{:?}", lengths.weights()) };
    assert_eq!(lengths.iter().fold(0, |seed, &length| hash(seed, length.into())), 9_063_154_342_854_165_632);
}

/// Generates one undirected graph of each kind, large enough for several buckets.
fn one_of_each() -> Vec<EdgeList> {
    vec![
        rmat(14, 16, 1).unwrap().with_random_weights(1, 64),
        grid(300, 300, 1).unwrap(),
        road(90, 110, true, 1).unwrap(),
        random(30_000, 8, 1).unwrap(),
        small_world(30_000, 12, 0.2, 1).unwrap(),
    ]
}

#[test]
fn the_same_with_any_number_of_threads() {
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let make = || (one_of_each(), rmat_directed(14, 16, 1).unwrap());
    let expected = alone.install(make);
    for threads in [2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(make), expected, "{threads} threads");
    }
}

#[test]
fn edges_ascend_and_are_listed_once() {
    for list in one_of_each() {
        let edges: Vec<(u32, u32)> =
            list.sources().iter().copied().zip(list.targets().iter().copied()).collect();
        assert!(edges.is_sorted_by(|a, b| a < b) && edges.iter().all(|(u, v)| u < v));
        assert!(edges.iter().all(|&(_, v)| v < list.num_vertices()));
        assert!(list.is_symmetric());
        assert_eq!(list.num_edges(), 2 * edges.len() as u64);
        assert_eq!(list.clone().undirected(), list);
    }
}

#[test]
fn weights_fill_their_range() {
    let list = rmat(8, 4, 9).unwrap().with_random_weights(3, 64);
    let Some(Weights::U32(weights)) = list.weights() else { panic!("{:?}", list.weights()) };
    assert_eq!(weights.len(), list.sources().len());
    assert!(weights.iter().all(|weight| (1..=64).contains(weight)));
}

/// Observer that adds up the announced total and the reported progress.
#[derive(Default)]
struct Told {
    total: AtomicU64,
    done: AtomicU64,
    calls: AtomicU64,
}

struct To(Arc<Told>);

impl Observer for To {
    fn begin(&self, stage: Stage, total: Option<u64>) {
        assert_eq!(stage, Stage::Generate);
        self.0
            .total
            .fetch_add(total.expect("generating reports its total amount of work"), Ordering::Relaxed);
    }

    fn advance(&self, amount: u64) {
        self.0.done.fetch_add(amount, Ordering::Relaxed);
        self.0.calls.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn progress_comes_to_its_end() {
    let recipes = [
        Recipe::Rmat { scale: 13, edge_factor: 20, directed: false },
        Recipe::Rmat { scale: 13, edge_factor: 20, directed: true },
        Recipe::Grid { width: 200, height: 100 },
        Recipe::Road { width: 200, height: 100, lengths: false },
        Recipe::Random { vertices: 10_000, edge_factor: 20 },
        Recipe::SmallWorld { vertices: 10_000, neighbours: 20, rewired: 0.5 },
    ];
    for recipe in recipes {
        let told = Arc::new(Told::default());
        recipe.make(1, &Progress::to(To(told.clone()))).unwrap();
        let [total, done, calls] = [&told.total, &told.done, &told.calls].map(|n| n.load(Ordering::Relaxed));
        assert!(total > 0 && total == done && calls < 5000, "{recipe:?}: {total}, {done}, {calls}");
    }
}
