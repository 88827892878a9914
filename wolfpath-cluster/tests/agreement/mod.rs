//! Runs on clusters of several sizes, compared with runs of the CPU engine.

use wolfpath::cluster::{Cluster, Deal, Shards};
use wolfpath::graph::LayeredGraph;
use wolfpath::prelude::*;
use wolfpath::program::Datum;

use crate::graphs::{graphs, number};
use crate::processes;

/// Numbers of processes, and of threads of each.
const SIZES: [(usize, usize); 4] = [(1, 2), (2, 1), (2, 2), (3, 1)];

/// Values of all vertices, or the error, as text.
type Values = Result<String, String>;

/// Runs a program on clusters of all sizes, and compares values and fold with those of the CPU engine.
pub(crate) fn agrees<P: EdgeProgram>(
    (name, graph, shards): (&str, &LayeredGraph, &Shards),
    program: &P,
    options: &RunOptions,
) {
    let show = |values: &mut dyn Iterator<Item = (u64, Option<P::Value>)>| {
        values.map(|(id, value)| format!("{id} {:?}\n", value.map(bits))).collect::<String>()
    };
    let outcome = Engine::cpu().run_with(graph, program, options);
    let expected: Values = outcome
        .as_ref()
        .map(|outcome| show(&mut outcome.read().expect("values in memory").iter()))
        .map(|values| format!("{:?}\n{values}", bits(outcome.as_ref().expect("a result").aggregate())))
        .map_err(|error| error.to_string());
    for (processes, threads) in SIZES {
        let options = options.clone().threads(threads);
        let found = processes::run(
            processes,
            |config| config,
            |connected| -> Values {
                let text = |error: &dyn std::fmt::Display| error.to_string();
                let cluster: Cluster = connected.map_err(|error| text(&error))?;
                let shards = Shards::open(shards.folder()).map_err(|error| text(&error))?;
                let mut graph =
                    cluster.load(shards).map_err(|error| text(&error))?.with_weights(graph.weight_choice());
                let shard = graph.run_with(program, &options).map_err(|error| text(&error))?;
                let all = graph.gather(&shard).map_err(|error| text(&error))?;
                let values = all.map_or(String::new(), |all| show(&mut all.into_iter()));
                Ok(format!("{:?}\n{values}", bits(shard.aggregate())))
            },
        );
        let what = format!("{} over {name} on {processes} processes of {threads} threads", P::MODEL.name);
        match (&expected, &found[0]) {
            (Ok(expected), Ok(found)) => {
                assert!(expected == found, "{what}: {}", first_difference(expected, found));
            }
            (Err(expected), _) => {
                let told = found.iter().filter_map(|found| found.as_ref().err());
                assert!(told.clone().count() == processes, "{what}: some processes did not fail: {found:?}");
                assert!(told.clone().any(|told| told == expected), "{what}: {found:?}, expected {expected}");
            }
            (Ok(_), Err(error)) => panic!("{what}: {error}"),
        }
    }
}

pub(crate) fn bits<V: Datum>(value: V) -> Vec<u8> {
    let mut bytes = vec![0; V::KIND.size()];
    value.write(&mut bytes);
    bytes
}

fn first_difference(expected: &str, found: &str) -> String {
    let lines = expected.lines().zip(found.lines());
    let differing = lines.filter(|(expected, found)| expected != found);
    let count = differing.clone().count();
    format!("{count} of {} lines differ, first {:?}", expected.lines().count(), differing.clone().next())
}

/// Calls `check` for graphs of several kinds, and their shards.
pub(crate) fn on_graphs(check: impl Fn((&str, &LayeredGraph, &Shards), u64)) {
    let folder = tempfile::tempdir().expect("a folder");
    for (at, (name, graph)) in graphs().into_iter().enumerate() {
        let path = folder.path().join(at.to_string());
        let deal = Deal::new(&graph, number(7)).expect("the graph is dealt");
        let shards = Shards::write(&graph, &deal, path).expect("the shards are written");
        if let Some(root) = graph.root() {
            check((name, &graph, &shards), root);
        }
    }
}
