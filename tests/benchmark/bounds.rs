//! Bounds of lines: every bound names existing lines, and missed bounds are reported.

use std::time::Duration;

use crate::suite::floor::Floor;
use crate::suite::line::{Line, Verdict};
use crate::suite::targets::{Bound, Measures, TARGETS, target};
use crate::suite::timer::Timing;
use crate::suite::{Arguments, Graph, Judge, Program, Table};

/// Returns a timing of one run. All other numbers are invented.
pub(crate) fn timing(milliseconds: f64) -> Timing {
    Timing {
        engine: "cuda:0".to_owned(),
        schedule: "relax",
        times: vec![Duration::from_secs_f64(milliseconds / 1e3)],
        steps: 3,
        edges: 10,
        launches: 1,
        host_bytes: 0,
        streamed_bytes: 0,
        reached: 5,
        first: Duration::ZERO,
        compile: Duration::ZERO,
        load: Duration::ZERO,
        read_back: Duration::ZERO,
        wrong: 0,
        floor: Floor { bytes: 0.1, random: 0.05, barriers: 0.02 },
        levels: Some(1_000),
        apart: None,
    }
}

fn line(graph: &str, program: Program, milliseconds: f64, other: Option<f64>) -> Line {
    Line::new(graph.to_owned(), program, timing(milliseconds), |_| other)
}

/// Every line with a bound is part of a benchmark with default options.
#[test]
fn targets_are_lines() {
    let arguments = Arguments {
        rmat_scale: Some(22),
        path: Some(1_000_000),
        star: Some(10_000_000),
        ..Arguments::new(10, Judge::CpuEngine)
    };
    let lines: Vec<(String, &str)> = Graph::wanted(&arguments)
        .iter()
        .flat_map(|graph| graph.programs().iter().map(|program| (graph.name(), program.name())))
        .collect();
    for target in TARGETS.iter().filter(|target| target.must.is_some()) {
        let is_line = |(graph, program): &(String, &str)| graph == target.graph && *program == target.program;
        assert!(lines.iter().any(is_line), "{} {}", target.graph, target.program);
        if let Some(Bound::TimesProgram(_, of)) = target.must {
            let place = |name: &str| lines.iter().position(|(g, p)| g == target.graph && *p == name);
            assert!(place(of).is_some_and(|of| of < place(target.program).unwrap_or(0)), "{of} comes before");
        }
    }
}

#[test]
fn verdicts() {
    let verdict = |milliseconds| line("R-MAT 22", Program::Bfs, milliseconds, None).verdict();
    assert_eq!([0.17, 0.179, 0.2, 0.219, 0.221].map(verdict), {
        use Verdict::{AimMet, Met, Missed};
        [AimMet, AimMet, Met, Met, Missed]
    });
    assert_eq!(line("R-MAT 14", Program::Bfs, 9.0, None).verdict(), Verdict::Free);
    assert_eq!(line("USA-road-NE from 1000", Program::Bfs, 9.0, None).verdict(), Verdict::Free);
    // The line that the bound refers to was not measured.
    assert_eq!(line("R-MAT 22", Program::Own, 9.0, None).verdict(), Verdict::Open);
    assert_eq!(line("R-MAT 22", Program::Own, 9.0, Some(9.0)).verdict(), Verdict::Met);
    assert_eq!(line("R-MAT 22", Program::Own, 10.0, Some(9.0)).verdict(), Verdict::Missed);
}

#[test]
fn a_line_that_failed_misses() {
    let mut out = Vec::new();
    Table::new(&mut out, true, true).failed("line", "R-MAT 22", "bfs", "lost").expect("the line is printed");
    let data: serde_json::Value = serde_json::from_slice(&out).expect("the output is a JSON object");
    assert_eq!(
        (&data["verdict"], &data["must"], &data["error"]),
        (&"MISSED".into(), &"0.22 ms".into(), &"lost".into())
    );
}

#[test]
fn a_miss_is_in_the_data() {
    let data = line("USA-road-NE", Program::Sssp, 3.5, None).json();
    assert_eq!(data["verdict"], "MISSED");
    assert_eq!((data["must_ms"].as_f64(), data["peer"].as_str()), (Some(3.0), Some("ADDS")));
    assert_eq!((data["floor_of"].as_str(), data["floor_ms"].as_f64()), (Some("bytes"), Some(0.12)));
}

#[test]
fn bounds_in_their_own_units() {
    let path = line("path 1M", Program::Bfs, 1.2, None);
    assert_eq!((path.must, path.shown.as_deref()), (Some(1.5), Some("1.20 us per level")));
    let star = line("star 10M", Program::Bfs, 0.14, None);
    assert_eq!((star.verdict(), star.shown), (Verdict::Missed, None), "milliseconds are shown anyway");
    let batch = |apart| {
        let timing = Timing { apart, ..timing(2.0) };
        Line::new("R-MAT 22".to_owned(), Program::BfsMany, timing, |_| None)
    };
    let [enough, less] = [17.0, 15.0].map(|apart| batch(Some(Duration::from_secs_f64(apart / 1e3))));
    assert_eq!((enough.verdict(), less.verdict()), (Verdict::Met, Verdict::Missed));
    assert_eq!(enough.shown.as_deref(), Some("8.50 x the throughput of separate runs"));
    assert!((enough.json()["apart_ms"].as_f64().unwrap_or(0.0) - 17.0).abs() < 1e-9, "{}", enough.json());
    assert_eq!(batch(None).verdict(), Verdict::Open);
    let none = Measures { levels: Some(0), apart_ms: None };
    for bound in TARGETS.iter().filter_map(|target| target.must) {
        assert!(bound.shown(1.0, &none, Some(0.0)).is_none_or(|words| !words.contains("inf")));
    }
}

#[test]
fn each_line_has_one_target() {
    for one in TARGETS {
        assert_eq!(target(one.graph, one.program), Some(&one));
    }
}
