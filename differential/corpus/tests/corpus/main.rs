//! Runs the corpus on complete engines, and compares the results with those of the programs' checked twins, both values
//! and faults; `whole.rs` does so for programs with functions at vertices. By default the tests run on the CPU. `-- --ignored cuda::` runs them on the first GPU, and `-- --ignored
//! nvrtc::` compiles the programs with NVRTC.

#[path = "../../../../tests/conformance/adjacency.rs"]
mod adjacency;
#[path = "../../../../tests/conformance/reference.rs"]
#[allow(dead_code, reason = "the conformance suite uses more of it")]
mod reference;
mod whole;

use wolfpath::graph::LayeredGraph;
use wolfpath::program::{Edge, EdgeProgram, FaultSite, NoAggregate, Vertex};
use wolfpath::{Engine, RunError, RunOptions};
use wolfpath_corpus::{PROGRAMS, SENDERS};

/// An edge of the graph, with its expected message or fault.
struct Question {
    source: u64,
    target: u64,
    weight: u64,
    answer: Result<Option<u64>, FaultSite>,
}

/// Returns the value that a program gives a sender.
fn value<P: EdgeProgram<Value = u64, Aggregate = NoAggregate>>(program: &P, id: u64) -> u64 {
    let vertex = Vertex { id, ..Vertex::default() };
    program.checked_start(vertex).expect("`start` does not fault").expect("senders have a value")
}

/// Returns the questions: every sender sends to every program once, along an edge to a separate vertex.
fn questions<P>(program: &P) -> Vec<Question>
where
    P: EdgeProgram<Value = u64, Message = u64, Weight = u64, Aggregate = NoAggregate>,
{
    let all = (0..SENDERS).flat_map(|source| (0..PROGRAMS).map(move |kind| (source, kind)));
    all.map(|(source, kind)| {
        let target = (SENDERS + source + 1) * PROGRAMS + kind;
        let weight = target.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) >> (source % 64);
        let value = value(program, source);
        let edge = Edge {
            value,
            weight,
            source,
            target,
            source_index: 0,
            target_index: 0,
            out_degree: 0,
            step: 0,
            aggregate: (),
            forward: true,
            place: 0,
            common_neighbours: 0,
            common_edges: 0,
        };
        let answer = program.checked_edge(edge).map_err(|fault| P::MODEL.faults[fault.site as usize]);
        Question { source, target, weight, answer }
    })
    .collect()
}

fn graph<'a>(questions: impl IntoIterator<Item = &'a Question>) -> LayeredGraph {
    let edges = questions.into_iter().map(|question| (question.source, question.target, question.weight));
    LayeredGraph::from_weighted_edges(edges).expect("the edges form a graph")
}

/// Compares one run of all questions that do not fault, then one faulting run for each program that has a fault.
fn check<P>(program: &P, engine: &Engine)
where
    P: EdgeProgram<Value = u64, Message = u64, Weight = u64, Aggregate = NoAggregate>,
{
    let asked = questions(program);
    let one_step = RunOptions::new().steps_at_most(1);
    let sound: Vec<&Question> = asked.iter().filter(|question| question.answer.is_ok()).collect();
    let outcome = engine.run_with(&graph(sound.iter().copied()), program, &one_step).expect("no edge faults");
    for question in sound {
        let found = outcome.value(question.target).expect("the target is a vertex");
        let (name, kind) = (P::MODEL.name, question.target % PROGRAMS);
        assert_eq!(Ok(found), question.answer.map_err(|_| ()), "{name} {kind} from {}", question.source);
    }
    for kind in 0..PROGRAMS {
        let faulting =
            asked.iter().find(|question| question.target % PROGRAMS == kind && question.answer.is_err());
        let Some((question, site)) = faulting.and_then(|found| Some((found, found.answer.err()?))) else {
            continue;
        };
        match engine.run_with(&graph([question]), program, &one_step) {
            Err(RunError::Fault { function, line, message, .. }) => {
                assert_eq!((function, line, message), (site.function, site.line, site.message));
            }
            other => panic!("{} returned {other:?}, expected a fault at {site:?}", engine.name()),
        }
    }
}

macro_rules! tests {
    ($($module:ident $check:path;)*) => {
        mod cpu {
            $(
                #[test]
                fn $module() {
                    $check(&wolfpath_corpus::$module::Random, &wolfpath::Engine::cpu());
                }
            )*
        }

        mod cuda {
            $(
                #[test]
                #[ignore = "needs a GPU: -- --ignored"]
                fn $module() {
                    let engine = wolfpath::Engine::cuda(0).expect("there is a GPU");
                    $check(&wolfpath_corpus::$module::Random, &engine);
                }
            )*
        }

        mod nvrtc {
            $(
                #[test]
                #[ignore = "needs NVRTC: -- --ignored"]
                fn $module() {
                    super::compiles::<wolfpath_corpus::$module::Random>();
                }
            )*
        }
    };
}

tests! {
    corpus0 crate::check;
    corpus1 crate::check;
    corpus2 crate::check;
    corpus3 crate::check;
    corpus4 crate::check;
    corpus5 crate::check;
    corpus6 crate::check;
    corpus7 crate::check;
    whole0 crate::whole::check;
    whole1 crate::whole::check;
    whole2 crate::whole::check;
    whole3 crate::whole::check;
    whole4 crate::whole::check;
    whole5 crate::whole::check;
}

/// Compiles a module as an engine would.
fn compiles<P: EdgeProgram>() {
    use wolfpath::cuda::{Configuration, NvrtcLibrary, compile_log};
    use wolfpath::{RowUse, Schedule, Shape, Techniques};
    NvrtcLibrary::find().expect("this test needs NVRTC; set WOLFPATH_NVRTC to its path");
    let shape = Shape::of::<P>();
    let configuration = Configuration {
        schedule: if shape.must_pull() { Schedule::Pull } else { Schedule::Frontier },
        rows: RowUse::new(shape.along, false),
        symmetric: false,
        weighted: true,
        narrow_weights: None,
        uniform: false,
        wide_offsets: false,
        techniques: Techniques::NONE,
        packed: false,
        rows_on_host: false,
        overflows: false,
        first_ends: false,
        streamed: false,
        hot_bytes: 0,
        settles: false,
        bounded: false,
        several: false,
        delays: false,
    };
    // Warnings are ignored: the compiler warns about comparisons whose result is constant.
    if let Err(error) = compile_log(&shape, &configuration, 9, 0) {
        panic!("{}: {error}", P::MODEL.name);
    }
}
