//! Tests of converting ids of all kinds to ranks.

use super::*;

fn list(edges: &[(u64, u64)]) -> EdgeList {
    let mut builder = EdgeBuilder::default();
    for &(source, target) in edges {
        builder.push(source, target);
    }
    builder.finish(None, None).unwrap()
}

#[test]
fn wide_ids_appear_late() {
    let list = list(&[(3, 1), (1, 1 << 40), (3, 3)]);
    assert_eq!(list.ids().table(), Some(&[1, 3, 1 << 40][..]));
    assert_eq!((list.sources(), list.targets()), (&[1, 0, 1][..], &[0, 2, 1][..]));
}

#[test]
fn declared_ids_bind() {
    let mut builder = EdgeBuilder::default();
    builder.push(1, 4);
    let refused = builder.finish(None, Some(1..4)).unwrap_err();
    assert_eq!(refused, EdgeListError::OutsideRange { id: 4, first: 1, end: 4 });
}

#[test]
fn spread_ids_keep_their_order() {
    let spread = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let edges: Vec<(u64, u64)> = (0..5000).map(|n| (spread(n % 700), spread(n * n % 900))).collect();
    let list = list(&edges);
    let table = list.ids().table().unwrap();
    assert!(table.is_sorted_by(|a, b| a < b));
    for (line, &edge) in edges.iter().enumerate() {
        assert_eq!(list.edge(line), edge);
    }
}

fn piece(edges: &[(u64, u64)]) -> Vec<Piece> {
    let mut piece = Piece::default();
    edges.iter().for_each(|&(source, target)| piece.push(source, target));
    vec![piece]
}

#[test]
fn both_forms_agree() {
    let edges: Vec<(u64, u64)> = (0..500).map(|i| (i * 7919 % 1000, i * 31 % 977)).collect();
    let pieces = piece(&edges);
    let dense = IdSet::Dense(Dense::of(&pieces, 999).unwrap());
    assert_eq!(marked_apart(&pieces, 16, 1), marked_together(&pieces, 16));
    let spread = IdSet::Spread(Spread::of(&pieces).unwrap());
    assert_eq!(dense.ids(), spread.ids());
    assert_eq!(dense.contiguous(), spread.contiguous());
    assert!((0..1100).all(|id| dense.rank(id) == spread.rank(id)));
    assert!(dense.ids().unwrap().iter().enumerate().all(|(rank, id)| dense.rank(id) == Some(rank as u32)));
}

#[test]
fn ids_that_follow_each_other() {
    let pieces = piece(&[(70, 71), (72, 70)]);
    assert_eq!(IdSet::of(&pieces, 72, 2).unwrap().contiguous(), Some(70..73));
    let pieces = piece(&[(u64::MAX, u64::MAX - 1)]);
    assert_eq!(IdSet::of(&pieces, u64::MAX, 1).unwrap().contiguous(), None);
}
