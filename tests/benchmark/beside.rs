//! Comparisons with other programs: their output, the lines, and the numbers in the tables.

use std::path::Path;
use std::time::Duration;

use wolfpath::graph::LayeredGraph;

use crate::bounds::timing;
use crate::suite::beside::contest::Contest;
use crate::suite::beside::gap::{same_size, trial_times};
use crate::suite::beside::lines::{LINES, wanted};
use crate::suite::beside::machine::{Machine, date, model_name};
use crate::suite::beside::scaling::{Scaled, thread_counts};
use crate::suite::beside::scipy::{Scipy, step_time};
use crate::suite::line::Verdict;
use crate::suite::timer::Timing;
use crate::suite::{Arguments, Graph, Judge, Program};

/// Output of GAP's `bfs -n 3`.
const OUTPUT: &str = "\
Read Time:           0.06230
Graph has 3 nodes and 2 undirected edges for degree: 0
Trial Time:          0.01602
Trial Time:          0.01552
Trial Time:          1.50000
Average Time:        0.01570
";

fn milliseconds(times: &[f64]) -> Vec<Duration> {
    times.iter().map(|time| Duration::from_secs_f64(time / 1e3)).collect()
}

#[test]
fn times_of_trials_are_read() {
    assert_eq!(trial_times(OUTPUT), Ok(milliseconds(&[16.02, 15.52, 1500.0])));
    for (from, to, part) in [
        ("Trial Time:          0.01602\n", "", "expected 3 lines \"Trial Time: SECONDS\", found 2"),
        ("0.01602", "soon", "\"soon\" is not a time"),
        ("0.01602", "-0.1", "-0.1 seconds"),
    ] {
        let error = trial_times(&OUTPUT.replace(from, to)).expect_err("the output is invalid");
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn another_graph_is_noticed() {
    let graph = |edges: &[(u64, u64)]| LayeredGraph::from_edges(edges.to_vec()).expect("the graph is valid");
    let both = graph(&[(1, 2), (2, 1), (2, 3), (3, 2)]);
    assert_eq!(same_size(OUTPUT, &both), Ok(()));
    let one_way = OUTPUT.replace("undirected", "directed");
    assert_eq!(same_size(&one_way, &graph(&[(1, 2), (3, 2)])), Ok(()));
    for (text, graph) in [(&one_way[..], &both), (OUTPUT, &graph(&[(1, 2), (2, 1)]))] {
        let error = same_size(text, graph).expect_err("the sizes differ");
        let expected = format!("expected a graph with {} vertices", graph.num_vertices());
        assert!(error.contains(&expected), "{error}");
    }
    assert!(same_size("", &both).is_err_and(|error| error.contains("does not state the size")));
}

fn contest(ours: f64, peer: &[f64], must: f64, parts: u64) -> Contest {
    Contest {
        graph: "R-MAT 20".to_owned(),
        program: Program::PageRank,
        timing: timing(ours),
        threads: 2,
        parts,
        peer: "GAP",
        peer_times: milliseconds(peer),
        must,
    }
}

#[test]
fn medians_are_compared() {
    let of = |ours| contest(ours, &[10.0, 20.0, 90.0], 1.2, 1);
    assert_eq!([of(10.0), of(24.0), of(24.1)].map(|contest| contest.verdict()), {
        use Verdict::{Met, Missed};
        [Met, Met, Missed]
    });
    let data = of(10.0).json();
    let numbers = ["peer_ms", "peer_min_ms", "peer_max_ms", "median_ms", "times", "must"];
    assert_eq!(numbers.map(|key| data[key].as_f64().unwrap_or(-1.0)), [20.0, 10.0, 90.0, 10.0, 0.5, 1.2]);
    assert_eq!((&data["program"], &data["verdict"]), (&"pagerank, 20 steps".into(), &"met".into()));
    assert!(of(24.1).row().contains(" MISSED "), "{}", of(24.1).row());
}

#[test]
fn a_run_is_divided_into_steps() {
    let steps = contest(30.0, &[1.0], 1.0, 20);
    assert_eq!((steps.times(), steps.verdict()), (Some(1.5), Verdict::Missed));
    let data = steps.json();
    assert_eq!(["median_ms", "min_ms", "max_ms"].map(|key| data[key].as_f64()), [Some(1.5); 3]);
    assert_eq!(data["program"], "pagerank, per step");
}

#[test]
fn too_short_to_compare() {
    let short = contest(0.1, &[0.0], 1.0, 1);
    assert_eq!((short.times(), short.verdict(), &short.json()["times"]), (None, Verdict::Open, &().into()));
    assert!(!short.row().contains("inf"), "{}", short.row());
}

#[test]
fn lines_beside_gap() {
    let lines = |scale| {
        let arguments = Arguments { rmat_scale: Some(scale), ..Arguments::new(7, Judge::Oracle) };
        let musts = wanted(&arguments).into_iter().flat_map(|(graph, lines)| {
            lines.into_iter().map(move |line| (graph.name(), line.peer(), line.must(&graph)))
        });
        musts.collect::<Vec<_>>()
    };
    let expected = |line: (&str, &'static str, f64)| (line.0.to_owned(), line.1, line.2);
    let rest = [
        ("cnr-2000", "bfs", 1.0),
        ("cnr-2000", "pr_spmv", 1.0),
        ("cnr-2000", "cc", 1.2),
        ("USA-road-NE", "bfs", 1.0),
        ("USA-road-NE", "pr_spmv", 1.0),
        ("USA-road-NE", "cc", 1.2),
        ("osm-moscow", "sssp", 1.0),
    ];
    let first = [("bfs", 1.0), ("sssp", 0.6), ("pr_spmv", 1.0), ("cc", 1.2)];
    let two_cores = first.map(|(peer, must)| ("R-MAT 20", peer, must)).into_iter().chain(rest);
    assert_eq!(lines(20), two_cores.map(expected).collect::<Vec<_>>());
    let first = [("bfs", 1.2), ("sssp", 1.0), ("pr_spmv", 1.2), ("cc", 1.2)];
    let many_cores = first.map(|(peer, must)| ("R-MAT 22", peer, must)).into_iter().chain(rest);
    assert_eq!(lines(22), many_cores.map(expected).collect::<Vec<_>>());
    assert_eq!(lines(20).len(), LINES.len());
}

#[test]
fn chosen_lines_beside_gap() {
    let words = ["--gap", "D", "--only", "osm-moscow", "--only", "/components", "--no-rmat"];
    let arguments = Arguments::new(7, Judge::Oracle).read(words.map(str::to_owned).into_iter());
    let arguments = arguments.expect("the options are valid").expect("help was not requested");
    let chosen: Vec<(String, usize)> =
        wanted(&arguments).iter().map(|(graph, lines)| (graph.name(), lines.len())).collect();
    assert_eq!(
        chosen,
        [("cnr-2000", 1), ("USA-road-NE", 1), ("osm-moscow", 1)].map(|(g, n)| (g.to_owned(), n))
    );
    assert_eq!(Graph::Grid(700).name(), "grid 700 x 700");
}

#[test]
fn powers_of_two_up_to_the_threads() {
    assert_eq!(thread_counts(1), [1]);
    assert_eq!(thread_counts(6), [1, 2, 4]);
    assert_eq!(thread_counts(64), [1, 2, 4, 8, 16]);
}

#[test]
fn speedups_are_over_one_thread() {
    let scaled = |threads, ours, peer: &[f64]| Scaled {
        graph: "R-MAT 20".to_owned(),
        program: Program::Bfs,
        threads,
        timing: Timing { schedule: "frontier", ..timing(ours) },
        peer_times: milliseconds(peer),
    };
    let (one, four) = (scaled(1, 12.0, &[10.0]), scaled(4, 4.0, &[5.0]));
    let data = four.json(&one);
    assert_eq!((&data["speedup"], &data["peer_speedup"]), (&3.0.into(), &2.0.into()));
    assert_eq!((&data["threads"], &data["schedule"]), (&4.into(), &"frontier".into()));
    assert_eq!(one.json(&one)["speedup"], 1.0);
    let alone = scaled(4, 4.0, &[]).json(&scaled(1, 12.0, &[]));
    assert!(
        alone["peer"].is_null() && alone["peer_ms"].is_null() && alone["peer_speedup"].is_null(),
        "{alone}"
    );
}

#[test]
fn dates() {
    let days = [0, 59, 11_016, 11_017, 19_782, 20_780, 47_540, 47_541];
    let expected = [
        "1970-01-01",
        "1970-03-01",
        "2000-02-29",
        "2000-03-01",
        "2024-02-29",
        "2026-11-23",
        "2100-02-28",
        "2100-03-01",
    ];
    assert_eq!(days.map(date), expected);
}

#[test]
fn machines_are_named() {
    let text = "processor\t: 0\nmodel name\t: AMD EPYC: 9005\nmodel\t: 2\n";
    assert_eq!(model_name(text).as_deref(), Some("AMD EPYC: 9005"));
    assert_eq!(model_name("processor : 0\n"), None);
    let machine = Machine::here(3);
    assert_eq!((machine.threads, &machine.json()["threads"]), (3, &3.into()));
    assert_eq!(Some(Machine::here(0).threads as u64), machine.json()["cores"].as_u64());
    let has_sse2 = machine.json()["instructions"].as_array().is_some_and(|all| all.contains(&"sse2".into()));
    assert_eq!(has_sse2, cfg!(target_feature = "sse2"));
}

#[test]
fn steps_of_scipy() {
    assert_eq!(step_time("ms per step: 0.7512\n"), Some(Duration::from_nanos(751_200)));
    assert_eq!([step_time(""), step_time("ms per step: nan"), step_time("ms per step: -1")], [None; 3]);
    let error = Scipy::open("no-such-python", Path::new("/nowhere")).err().expect("an unknown program fails");
    assert!(error.to_string().starts_with("no-such-python with numpy and scipy is needed"), "{error}");
}
