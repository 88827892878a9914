//! Plans of runs on clusters, compared with what the processes have and send.

#[allow(dead_code, reason = "some functions are only for other tests")]
mod graphs;
#[allow(dead_code, reason = "some programs are only for other tests")]
#[path = "../../tests/conformance/neighbour_programs.rs"]
mod neighbour_programs;
mod processes;

use graphs::{graphs, layered, number};
use neighbour_programs::{clustering, triangles};
use wolfpath::cluster::{ClusterError, ClusterPlanError, Deal, ProcessPlan, ShardOutcome, Shards};
use wolfpath::generate;
use wolfpath::graph::{LayeredGraph, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::programs::{AccumulatingPageRank, Components, CoreNumbers, PageRank, bfs, sssp};
use wolfpath::{PlanError, ScheduleChoice};

const RANDOM: WeightChoice = WeightChoice::Random { seed: 5, max: 1000 };

/// Writes the shards of a graph.
fn shards_of(graph: &LayeredGraph, shards: u16) -> (tempfile::TempDir, Shards) {
    let folder = tempfile::tempdir().expect("a folder");
    let deal = Deal::new(graph, number(shards)).expect("the graph is dealt");
    let shards = Shards::write(graph, &deal, folder.path()).expect("the shards are written");
    (folder, shards)
}

/// Runs a program on a cluster, and returns what `look` sees in the outcome of each process, with the bytes that the process
/// sent in the run.
fn run<P: EdgeProgram, T: Send>(
    shards: &Shards,
    program: &P,
    (size, weights): (u16, WeightChoice),
    options: &RunOptions,
    look: impl Fn(&ShardOutcome<P>) -> T + Sync,
) -> Vec<(T, u64)> {
    processes::run(
        size.into(),
        |config| config,
        |connected| {
            let shards = Shards::open(shards.folder()).expect("the shards are there");
            let graph = connected.expect("all are there").load(shards).expect("the shards are whole");
            let mut graph = graph.with_weights(weights);
            // The first run also builds the part.
            graph.run_with(program, options).expect("the run succeeds");
            let before = graph.cluster().bytes_sent();
            let outcome = graph.run_with(program, options).expect("the run succeeds");
            (look(&outcome), graph.cluster().bytes_sent() - before)
        },
    )
}

fn plan<P: EdgeProgram>(
    shards: &Shards,
    program: &P,
    (size, weights): (u16, WeightChoice),
) -> Vec<ProcessPlan> {
    let plan = shards.plan(program, number(size), weights, &RunOptions::new());
    plan.expect("the run can be planned").processes().to_vec()
}

/// Compares the counts of a plan with the parts that processes have.
fn counts_agree<P: EdgeProgram>(name: &str, shards: &Shards, program: &P, weights: WeightChoice) {
    for size in [1, 2, 3] {
        let found = run(shards, program, (size, weights), &RunOptions::new().steps_at_most(1), |outcome| {
            let part = outcome.part();
            let neighbours = || part.neighbours.iter();
            let rows = || {
                let rows = part.gather_out.iter().chain(&part.gather_in);
                rows.chain(neighbours().map(|neighbours| &neighbours.rows))
            };
            let edges = rows().map(|rows| rows.ends.len() as u64).sum::<u64>();
            let listed = |lists: &[Vec<u32>]| lists.iter().map(|list| list.len() as u64).sum::<u64>();
            // Vectors have no more room than planned.
            let of_vertices = 8 * part.ids.capacity() + 4 * part.ranks.capacity();
            let of_neighbours = neighbours().map(|neighbours| neighbours.degrees.capacity()).sum::<usize>();
            let degrees = 8 * (part.out_degrees.capacity() + part.in_degrees.capacity() + of_neighbours);
            let lists = part.mirrored.iter().chain(&part.mirrors).map(Vec::capacity).sum::<usize>();
            let names = of_vertices + degrees + 4 * lists;
            let room = |rows: &wolfpath_runtime::part::PartRows| {
                let columns = rows.columns.iter().map(|column| column.slice().bytes().len());
                8 * rows.offsets.capacity() + 4 * rows.ends.capacity() + columns.sum::<usize>()
            };
            let rows = rows().map(room).sum::<usize>();
            let counts = [part.own.into(), edges, listed(&part.mirrors), listed(&part.mirrored)];
            (counts, [rows as u64, names as u64])
        });
        for (process, ((counts, [rows, names]), _)) in found.into_iter().enumerate() {
            let planned = plan(shards, program, (size, weights))[process];
            let ProcessPlan { vertices, edges, mirrors, mirrored, row_bytes, name_bytes, .. } = planned;
            let what = format!("{} over {name}, process {process} of {size}", P::MODEL.name);
            assert_eq!(counts, [vertices, edges, mirrors, mirrored], "{what}");
            assert!(rows <= row_bytes && names <= name_bytes, "{what}: {rows}, {names}, {planned:?}");
        }
    }
}

#[test]
fn counts_are_those_of_the_parts() {
    for (name, graph) in graphs() {
        let Some(root) = graph.root() else { continue };
        let (_folder, shards) = shards_of(&graph, 7);
        counts_agree(name, &shards, &bfs::starting_at(root), WeightChoice::Input);
        counts_agree(name, &shards, &Components, WeightChoice::Input);
        counts_agree(name, &shards, &sssp::starting_at(root), RANDOM);
        counts_agree(name, &shards, &ranks(), WeightChoice::Input);
        counts_agree(name, &shards, &CoreNumbers, WeightChoice::Input);
        counts_agree(name, &shards, &clustering::Clustering, WeightChoice::Input);
        let edges = |plan: Vec<ProcessPlan>| plan.iter().map(|process| process.edges).sum::<u64>();
        let input = (3, WeightChoice::Input);
        let (all, oriented) =
            (plan(&shards, &clustering::Clustering, input), plan(&shards, &triangles::Triangles, input));
        assert_eq!(edges(all), 2 * edges(oriented), "each pair of neighbours of {name} has one edge");
    }
    let weighted = (1..70_000u64).map(|leaf| (0, leaf, leaf % 99));
    let star = LayeredGraph::from_weighted_edges(weighted).expect("a star is a graph");
    let (_folder, shards) = shards_of(&star, 5);
    counts_agree("weighted star", &shards, &sssp::starting_at(0), WeightChoice::Input);
}

fn ranks() -> PageRank {
    PageRank { damping: 0.85, tolerance: 1e-9 }
}

/// Programs that take as many steps as they may, and in each of which all vertices take part.
mod everybody {
    use wolfpath::edge_program;

    /// Every vertex receives, and all of them send again. Processes exchange values, and the folds of small blocks.
    #[edge_program]
    mod waves {
        use wolfpath::prelude::*;

        pub(crate) struct Waves {}

        impl EdgeProgram for Waves {
            type Value = u32;
            type Message = u32;
            type Aggregate = Max<u32>;
            type Combine = Max;

            fn start(&self, _: Vertex) -> u32 {
                0
            }
            fn edge(&self, e: Edge<u32>) -> u32 {
                e.value + 1
            }
            fn apply(&self, _: Vertex<u32>, incoming: u32) -> u32 {
                incoming
            }
            fn sends(&self, _: Vertex<u32>) -> bool {
                true
            }
            fn aggregate(&self, v: Vertex<u32>) -> u32 {
                v.value
            }
        }
    }

    /// Messages differ from edge to edge, so that values are exchanged.
    #[edge_program]
    mod tolls {
        use wolfpath::prelude::*;

        pub(crate) struct Tolls {}

        impl EdgeProgram for Tolls {
            type Value = f64;
            type Message = f64;
            type Weight = u32;
            type Aggregate = Sum<f64>;
            type Combine = Sum;
            const ALONG: Along = Along::Both;
            const SENDERS: Senders = Senders::All;

            fn start(&self, v: Vertex) -> f64 {
                v.id as f64
            }
            fn edge(&self, e: Edge<f64, u32>) -> f64 {
                e.value * e.weight as f64
            }
            fn apply(&self, v: Vertex<f64>, incoming: f64) -> f64 {
                v.value / 3.0 + incoming
            }
            fn aggregate(&self, v: Vertex<f64>) -> f64 {
                v.value
            }
            fn finished(&self, _before: f64, _now: f64, _step: u64) -> bool {
                false
            }
        }
    }

    /// A step is told before it begins, because of the loop. Processes exchange all values besides.
    #[edge_program]
    mod loops {
        use wolfpath::prelude::*;

        pub(crate) struct Loops {}

        impl EdgeProgram for Loops {
            type Value = u32;
            type Message = u32;
            type Aggregate = Max<u32>;
            type Combine = Max;
            const SENDERS: Senders = Senders::All;

            fn start(&self, _: Vertex) -> u32 {
                1
            }
            fn edge(&self, e: Edge<u32>) -> u32 {
                let mut sum = e.value & 7;
                for at in 0..3 {
                    sum += at;
                }
                sum
            }
            fn apply(&self, v: Vertex<u32>, incoming: Option<u32>) -> u32 {
                v.value_at(0).wrapping_add(incoming.unwrap_or(1)).wrapping_add(v.step as u32)
            }
            fn aggregate(&self, v: Vertex<u32>) -> u32 {
                v.value
            }
            fn finished(&self, _before: u32, _now: u32, _step: u64) -> bool {
                false
            }
        }
    }

    /// Messages travel between neighbours.
    #[edge_program]
    mod adjacent {
        use wolfpath::prelude::*;

        pub(crate) struct Adjacent {}

        impl EdgeProgram for Adjacent {
            type Value = u32;
            type Message = u32;
            type Combine = Sum;
            const ALONG: Along = Along::Neighbours;
            const SENDERS: Senders = Senders::All;

            fn start(&self, v: Vertex) -> u32 {
                v.neighbours as u32
            }
            fn edge(&self, e: Edge<u32>) -> u32 {
                e.value & 7
            }
            fn apply(&self, v: Vertex<u32>, incoming: u32) -> u32 {
                v.value.wrapping_mul(31).wrapping_add(incoming)
            }
        }
    }

    pub(super) use self::adjacent::Adjacent;
    pub(super) use self::loops::Loops;
    pub(super) use self::tolls::Tolls;
    pub(super) use self::waves::Waves;
}

/// Compares the bytes of a step with those that processes send. Returns them, with the number of mirrors for which they are.
fn bytes_agree<P: EdgeProgram>(shards: &Shards, program: &P, weights: WeightChoice) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    for size in [2, 3] {
        let sent = |steps: u64| {
            let options = RunOptions::new().steps_at_most(steps);
            run(shards, program, (size, weights), &options, |outcome| assert_eq!(outcome.steps(), steps))
        };
        let planned = plan(shards, program, (size, weights));
        for ((planned, (_, before)), (_, after)) in planned.iter().zip(sent(3)).zip(sent(4)) {
            assert_eq!(after - before, planned.sent_bytes, "{} on {size}: {planned:?}", P::MODEL.name);
            all.push((planned.sent_bytes, planned.mirrored));
        }
        let sum = |bytes: fn(&ProcessPlan) -> u64| planned.iter().map(bytes).sum::<u64>();
        assert_eq!(sum(|process| process.sent_bytes), sum(|process| process.received_bytes));
        assert_eq!(sum(|process| process.mirrored), sum(|process| process.mirrors));
    }
    all
}

#[test]
fn bytes_are_those_of_a_step_in_which_all_take_part() {
    // Many rows of the smaller graph are divided, so that what was gathered over pieces is told besides.
    let larger = layered(generate::rmat(15, 12, 1).expect("a valid recipe"));
    let (_folder, shards) = shards_of(&larger, 7);
    for (sent, mirrored) in bytes_agree(&shards, &ranks(), WeightChoice::Input) {
        assert!(10 * sent <= 11 * 4 * mirrored, "{sent} bytes for {mirrored} mirrors");
    }
    let graph = layered(generate::rmat(13, 12, 1).expect("a valid recipe"));
    let (_folder, shards) = shards_of(&graph, 7);
    bytes_agree(&shards, &ranks(), WeightChoice::Input);
    bytes_agree(&shards, &everybody::Tolls {}, RANDOM);
    bytes_agree(&shards, &everybody::Loops {}, WeightChoice::Input);
    bytes_agree(&shards, &everybody::Adjacent {}, WeightChoice::Input);
    bytes_agree(&shards, &neighbour_programs::all::Mixing { seed: 1 }, WeightChoice::Input);
    // Every vertex receives messages here.
    let graph = layered(generate::grid(90, 111, 3).expect("a valid recipe"));
    let (_folder, shards) = shards_of(&graph, 3);
    bytes_agree(&shards, &everybody::Waves {}, WeightChoice::Input);
    let graph = layered(generate::rmat_directed(13, 12, 2).expect("a valid recipe"));
    let (_folder, shards) = shards_of(&graph, 5);
    bytes_agree(&shards, &ranks(), WeightChoice::Input);
    bytes_agree(&shards, &everybody::Tolls {}, RANDOM);
    bytes_agree(&shards, &everybody::Adjacent {}, WeightChoice::Input);
}

/// In a run of an accumulating program, the bytes of each step that is needed for a smaller tolerance.
#[test]
fn bytes_are_those_of_steps_in_which_all_take_portions() {
    let graph = layered(generate::grid(90, 111, 3).expect("a valid recipe"));
    let (_folder, shards) = shards_of(&graph, 3);
    let program = AccumulatingPageRank { damping: 0.85 };
    for size in [2, 3] {
        let sent = |tolerance: f64| {
            let options = RunOptions::new().tolerance(tolerance);
            run(&shards, &program, (size, WeightChoice::Input), &options, |outcome| outcome.steps())
        };
        let planned = plan(&shards, &program, (size, WeightChoice::Input));
        // Processes also compare the tolerances, as texts of the same length.
        for ((planned, (few, before)), (many, after)) in planned.iter().zip(sent(0.0123)).zip(sent(0.0001)) {
            assert!(many > few, "{few} and {many} steps");
            assert_eq!(after - before, (many - few) * planned.sent_bytes, "on {size}: {planned:?}");
        }
    }
}

/// Two fifths of the vertices send in each step. Values count steps.
#[edge_program]
mod some {
    use wolfpath::prelude::*;

    pub(crate) struct Some {}

    impl EdgeProgram for Some {
        type Value = u32;
        type Message = u32;
        type Combine = Max;

        fn start(&self, _: Vertex) -> u32 {
            0
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value + 1
        }
        fn apply(&self, _: Vertex<u32>, incoming: u32) -> u32 {
            incoming
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            v.id % 5 < 2
        }
    }
}

/// If a third of the vertices with mirrors or more take part, what tells which of them do is a tenth of their values at most.
#[test]
fn lists_of_senders_are_short() {
    let graph = layered(generate::rmat(13, 12, 1).expect("a valid recipe"));
    let (_folder, shards) = shards_of(&graph, 7);
    for size in [2, 3] {
        let sent = |steps: u64| {
            let options = RunOptions::new().steps_at_most(steps);
            run(&shards, &some::Some {}, (size, WeightChoice::Input), &options, |outcome| {
                let part = outcome.part();
                // Those that received in the last step, and send in the next one.
                let sends = |id: u64| {
                    let value = outcome.value(id).expect("an own vertex");
                    id % 5 < 2 && value.is_some_and(|value| u64::from(value) == steps)
                };
                let listed = || part.mirrored.iter().flatten();
                let told = listed().filter(|&&v| sends(part.ids[v as usize])).count() as u64;
                (told, listed().count() as u64)
            })
        };
        for ((_, before), ((told, listed), after)) in sent(2).into_iter().zip(sent(3)) {
            let bytes = after - before;
            assert!(3 * told >= listed && 2 * told <= listed, "{told} of {listed} send");
            assert!(bytes >= 4 * told && 10 * bytes <= 11 * 4 * told, "{bytes} bytes for {told} values");
        }
    }
}

#[test]
fn what_cannot_run_cannot_be_planned() {
    let graph = layered(generate::rmat(11, 8, 1).expect("a valid recipe"));
    let root = graph.root().expect("there are vertices");
    let (folder, shards) = shards_of(&graph, 2);
    fn refused<P: EdgeProgram>(
        shards: &Shards,
        program: &P,
        size: u16,
        options: &RunOptions,
    ) -> ClusterPlanError {
        let planned = shards.plan(program, number(size), WeightChoice::Input, options);
        planned.expect_err("the run is refused")
    }
    let options = RunOptions::new();
    let column = RunOptions::new().weight_column("toll");
    let error = refused(&shards, &sssp::starting_at(root), 2, &column);
    assert!(matches!(error, ClusterPlanError::Program(PlanError::Weights(_))), "{error}");
    let error = refused(&shards, &bfs::starting_at(1 << 40), 2, &options);
    assert!(
        matches!(error, ClusterPlanError::Program(PlanError::UnknownSource { id }) if id == 1 << 40),
        "{error}"
    );
    let sweeps = RunOptions::new().schedule(ScheduleChoice::Sweep);
    let error = refused(&shards, &bfs::starting_at(root), 2, &sweeps);
    assert!(error.to_string().contains("step by step"), "{error}");
    let error = refused(&shards, &bfs::starting_at(root), 3, &options);
    let few =
        matches!(error, ClusterPlanError::Cluster(ClusterError::TooFewShards { shards: 2, processes: 3 }));
    assert!(few, "{error}");
    std::fs::remove_file(folder.path().join("0001.shard")).expect("the shard is there");
    let error = refused(&shards, &bfs::starting_at(root), 2, &options);
    assert!(error.to_string().contains("0001.shard"), "{error}");
}

#[test]
fn columns_that_are_missing() {
    let list = wolfpath::edge_list::EdgeList::from_edges([(1, 2), (2, 3)]).expect("the edges are valid");
    let list = list.with_column("length", &[1u32, 2]).and_then(|list| list.with_column("toll", &[3u32, 4]));
    let (_folder, shards) = shards_of(&layered(list.expect("the columns are valid")), 1);
    let plan = |weights| shards.plan(&sssp::starting_at(1), number(1), weights, &RunOptions::new());
    let error = plan(WeightChoice::Input).expect_err("it is unknown which is the weight").to_string();
    assert!(error.contains("length") && error.contains("toll"), "{error}");
    assert!(plan(WeightChoice::Unit).is_ok());
}
