//! Programs in which every vertex computes, over graphs with several words of 64 vertices: in a word, all vertices send
//! or only some, and all, some or none get messages. Engines may compute the vertices of a word together.

use wolfpath::edge_list::EdgeList;
use wolfpath::generate;
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::program::EdgeProgram;
use wolfpath::{Engine, RunOptions};

use crate::checks::compare;
use crate::reference;

/// Defines a program that mixes everything that a vertex computes from.
macro_rules! crowd {
    ($module:ident, $along:ident, $doc:literal) => {
        #[wolfpath::edge_program]
        pub(crate) mod $module {
            #![doc = $doc]
            use wolfpath::prelude::*;

            /// If a value is a multiple of `silence`, it is not sent.
            #[derive(Clone, Debug)]
            pub(crate) struct Crowd {
                pub(crate) silence: u32,
            }

            impl EdgeProgram for Crowd {
                type Value = u32;
                type Message = u64;
                type Combine = Sum;
                type Aggregate = Sum<u64>;
                const ALONG: Along = Along::$along;
                const SENDERS: Senders = Senders::All;

                fn start(&self, v: Vertex) -> u32 {
                    v.id.wrapping_add(1) as u32
                }
                fn edge(&self, e: Edge<u32>) -> Option<u64> {
                    if self.silence != 0 && e.value.checked_rem(self.silence) == Some(0) {
                        None
                    } else {
                        Some((e.value as u64).wrapping_mul(e.out_degree.wrapping_add(3)))
                    }
                }
                fn aggregate(&self, v: Vertex<u32>) -> u64 {
                    (v.value as u64).wrapping_mul(v.out_degree.wrapping_add(1))
                }
                fn apply(&self, v: Vertex<u32, u64>, incoming: u64) -> u32 {
                    let mixed = incoming.wrapping_mul(5)
                        ^ v.aggregate
                        ^ v.in_degree
                        ^ (v.value as u64).wrapping_mul(9);
                    (mixed ^ mixed.unbounded_shr(32)) as u32
                }
                fn changed(&self, before: u32, after: u32) -> bool {
                    before.unbounded_shr(1) != after.unbounded_shr(1)
                }
            }
        }
    };
}

crowd!(forward, Out, "Messages travel along the edges.");
crowd!(backward, In, "Messages travel against the edges.");
crowd!(around, Both, "Messages travel both ways.");

fn agrees<P: EdgeProgram>(engine: &Engine, graph: &LayeredGraph, program: &P, name: &str) {
    assert!(P::MODEL.faults.is_empty(), "a program that can fault is computed vertex by vertex");
    for (steps, threads) in [(1, 1), (3, 1), (3, 3)] {
        let (expected, taken) = reference::run(graph, program, steps).expect("the reference does not fault");
        let options = RunOptions::new().steps_at_most(steps).threads(threads);
        let outcome = engine.run_with(graph, program, &options).expect("the run succeeds");
        compare(&outcome, &expected, name);
        assert_eq!(outcome.steps(), taken, "{name}");
        assert_eq!(Ok(outcome.end()), reference::end(graph, program, steps), "{name}");
    }
}

/// Returns graphs of several words of vertices, with names.
fn graphs() -> Vec<(&'static str, LayeredGraph)> {
    let layered = |list: EdgeList| {
        LayeredGraph::from_edge_list(list, &LayerOptions::default()).expect("layering succeeds")
    };
    let edges = |edges: Vec<(u64, u64)>| EdgeList::from_edges(edges).expect("the edges are valid");
    let sparse = generate::random(500, 2, 3).expect("the random graph is valid");
    let rmat = generate::rmat(9, 4, 5).expect("the R-MAT graph is valid");
    let long = edges((1..2_500).map(|v| (v - 1, v)).collect()).with_vertices(0..2_700);
    vec![
        ("path and isolated vertices", layered(long.expect("the vertices are few"))),
        ("path", layered(edges((1..300).map(|v| (v - 1, v)).collect()))),
        ("star", layered(edges((1..300).map(|leaf| (0, leaf)).collect()))),
        ("inward star", layered(edges((1..300).map(|leaf| (leaf, 0)).collect()))),
        ("sparse", layered(sparse)),
        ("R-MAT 9", layered(rmat.undirected())),
    ]
}

pub(crate) fn crowds_agree(engine: &Engine) {
    for (name, graph) in graphs() {
        // All send; some do not from the first step on; a few do not in some step.
        for silence in [0, 3, 307, 521, 1009] {
            agrees(engine, &graph, &forward::Crowd { silence }, name);
            agrees(engine, &graph, &backward::Crowd { silence }, name);
            agrees(engine, &graph, &around::Crowd { silence }, name);
        }
    }
}
