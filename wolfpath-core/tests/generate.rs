//! Generated graphs are the same on every machine and for ever: measurements refer to them.

use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::generate::{grid, random, rmat};
use wolfpath_core::random::hash;
use wolfpath_core::weights::Weights;

/// A number that changes with every edge and their order.
fn fingerprint(list: &EdgeList) -> u64 {
    list.edges().fold(0, |seed, (source, target, _)| hash(seed, u64::from(source) << 32 | u64::from(target)))
}

#[test]
fn the_same_for_ever() {
    assert_eq!(fingerprint(&rmat(12, 16, 42).unwrap()), 12_464_966_852_621_411_136);
    assert_eq!(fingerprint(&grid(40, 30, 42).unwrap()), 1_529_804_375_288_021_917);
    assert_eq!(fingerprint(&random(500, 8, 42).unwrap()), 14_403_588_876_399_035_156);
}

#[test]
fn the_same_with_any_number_of_threads() {
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let many = rayon::ThreadPoolBuilder::new().num_threads(7).build().unwrap();
    let make = || {
        let list = rmat(11, 16, 1).unwrap().with_random_weights(1, 64).unwrap();
        (list, grid(50, 50, 1).unwrap(), random(900, 4, 1).unwrap())
    };
    assert_eq!(alone.install(make), many.install(make));
}

#[test]
fn both_directions_have_one_weight() {
    let list = rmat(8, 4, 9).unwrap().with_random_weights(3, 64).unwrap();
    let Some(Weights::U32(weights)) = list.weights() else { panic!("{:?}", list.weights()) };
    assert!(weights.iter().all(|weight| (1..=64).contains(weight)));
    assert_eq!(list.num_edges(), 2 * weights.len() as u64);
    assert!(list.is_symmetric());
    assert_eq!(list.clone().undirected(), list);
}
