//! Tests that our `.sg` and `.wsg` files have the same bytes as those that the GAP Benchmark Suite's `converter`
//! writes.
//!
//! The rules of the converter (`SquishCSR` in its `builder.h`, `NodeWeight` in `graph.h`) are:
//!
//! 1. The neighbours of each vertex are sorted, and equal neighbours are sorted by weight.
//! 2. Of equal neighbours, only the first is kept, which is the one with the smallest weight.
//! 3. Self-loops are removed.
//!
//! This module implements these rules again, as plainly as possible, without sharing code with the writer.

use proptest::prelude::*;
use wolfpath_io::load::{Duplicates, LoadOptions, Policy, read};
use wolfpath_io::save::{SaveOptions, write};

type Edge = (i32, i32, i32);

/// Returns the rows of all vertices as GAP builds them.
fn rows(edges: impl Iterator<Item = Edge>, vertices: i32) -> Vec<Vec<(i32, i32)>> {
    let mut rows = vec![Vec::new(); vertices as usize];
    edges.for_each(|(source, target, weight)| rows[source as usize].push((target, weight)));
    for (vertex, row) in (0..).zip(&mut rows) {
        row.sort();
        row.dedup_by_key(|&mut (target, _)| target);
        row.retain(|&(target, _)| target != vertex);
    }
    rows
}

fn put_rows(rows: &[Vec<(i32, i32)>], weighted: bool, file: &mut Vec<u8>) {
    let mut offset = 0i64;
    file.extend(offset.to_le_bytes());
    for row in rows {
        offset += row.len() as i64;
        file.extend(offset.to_le_bytes());
    }
    for (target, weight) in rows.iter().flatten() {
        file.extend(target.to_le_bytes());
        if weighted {
            file.extend(weight.to_le_bytes());
        }
    }
}

/// Returns the file that GAP's converter writes for these edges. `symmetrize` stands for its option `-s`.
fn gap(edges: &[Edge], symmetrize: bool, weighted: bool) -> Vec<u8> {
    let vertices = 1 + edges.iter().map(|&(source, target, _)| source.max(target)).max().unwrap();
    let forth = edges.iter().copied();
    let back = || edges.iter().map(|&(source, target, weight)| (target, source, weight));
    let out = if symmetrize { rows(forth.chain(back()), vertices) } else { rows(forth, vertices) };
    let mut file = vec![u8::from(!symmetrize)];
    file.extend(out.iter().map(|row| row.len() as i64).sum::<i64>().to_le_bytes());
    file.extend(i64::from(vertices).to_le_bytes());
    put_rows(&out, weighted, &mut file);
    if !symmetrize {
        put_rows(&rows(back(), vertices), weighted, &mut file);
    }
    file
}

/// Returns the file that wolfpath writes for these edges with `--duplicates min --self-loops drop`.
fn ours(edges: &[Edge], undirected: bool, weighted: bool) -> Vec<u8> {
    let line = |&(source, target, weight): &Edge| match weighted {
        true => format!("{source} {target} {weight}\n"),
        false => format!("{source} {target}\n"),
    };
    let text: String = edges.iter().map(line).collect();
    let last = edges.iter().map(|&(source, target, _)| source.max(target)).max().unwrap();
    let options = LoadOptions::new()
        .undirected(undirected)
        .duplicates(Duplicates::Min)
        .self_loops(Policy::Drop)
        .vertices((0..=last as u64).collect::<Vec<u64>>());
    let list = read(text.as_bytes(), "g.txt", &options).unwrap();
    let mut file = Vec::new();
    let name = if weighted { "g.wsg" } else { "g.sg" };
    write(&list, &mut file, name, &SaveOptions::default()).unwrap();
    file
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_smallest_weight_of_duplicates_stays(
        mut edges in prop::collection::vec((0..7i32, 0..9i32, -3..4i32), 1..60),
        mirrored in any::<bool>(),
    ) {
        if mirrored {
            let back: Vec<Edge> = edges.iter().map(|&(source, target, weight)| (target, source, weight)).collect();
            edges.extend(back);
        }
        for undirected in [false, true] {
            for weighted in [false, true] {
                prop_assert_eq!(ours(&edges, undirected, weighted), gap(&edges, undirected, weighted));
            }
        }
    }
}

#[test]
fn the_first_of_duplicates_is_not_what_gap_keeps() {
    let edges = [(0, 1, 9), (0, 1, 3), (1, 0, 5), (1, 1, 1)];
    let file = gap(&edges, true, true);
    assert_eq!(ours(&edges, true, true), file);
    let smallest = 3i32.to_le_bytes();
    assert!(file.ends_with(&[&0i32.to_le_bytes()[..], &smallest].concat()), "{file:?}");
}
