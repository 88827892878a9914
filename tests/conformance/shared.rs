//! Types, constants and helpers that several programs share.

use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::program::{Model, PerVertex};
use wolfpath::{Engine, RunOptions};

use crate::checks::compare;
use crate::reference;
use crate::shared_programs::shared::{Kind, Reach, Road, Total, reach};
use crate::shared_programs::{alone, find, tolls, total};

fn path() -> LayeredGraph {
    LayeredGraph::from_edges((0..10).map(|v| (v, v + 1)).chain([(0, 5)])).expect("the edges are valid")
}

/// The values of one program are an input of another, whose type is the same.
pub(crate) fn shared_types_are_the_same(engine: &Engine) {
    let graph = path();
    let loaded = engine.load(&graph);
    let found = loaded.run(&find::Find { from: 0 }).expect("the run succeeds");
    let value: Option<Reach> = found.value(9).expect("the id is known");
    assert_eq!(value, Some(Reach { kind: Kind::Far, ..reach(5, 7) }));
    let (expected, _) = reference::run(&graph, &find::Find { from: 0 }, 100).expect("nothing faults");
    compare(&found, &expected, "find");

    let totals = total::Totals { reach: PerVertex::from_outcome(&found) };
    let outcome = loaded.run_with(&totals, &RunOptions::new().steps_at_most(1)).expect("the run succeeds");
    let marks = u64::from(reach(4, 7).mark + reach(0, 0).mark);
    let value: Option<Total> = outcome.value(5).expect("the id is known");
    assert_eq!(value, Some(Total { marks, near: 1 }));
}

/// Shared types have the layout and the text of a program's own, and are weights of edges in memory.
pub(crate) fn shared_types_are_data(engine: &Engine) {
    // The texts differ only in the lines of the items.
    let lines =
        |text: &'static str| text.lines().filter(|line| !line.starts_with("#line")).collect::<Vec<_>>();
    assert_eq!(lines(Model::of::<find::Find>().cuda), lines(Model::of::<alone::Find>().cuda));
    let rows = [(1, 2, Road { length: 5, toll: 1 }), (3, 2, Road { length: 7, toll: 2 })];
    let list = EdgeList::from_rows(["length", "toll"], rows).expect("the rows are valid");
    let graph = LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("layering succeeds");
    let outcome = engine.run(&graph, &tolls::Tolls).expect("the run succeeds");
    assert_eq!(outcome.value(2).expect("the id is known"), Some(Total { marks: 12, near: 3 }));
}
