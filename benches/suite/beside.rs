//! Compares the CPU engine with other programs: with the GAP Benchmark Suite, with scipy, and with the serial answer.
//! Both sides take turns on the same machine, over the same graph, with the same number of threads. Our answers are
//! checked as in every other session; the answers of the others are not.

pub(crate) mod contest;
pub(crate) mod gap;
pub(crate) mod lines;
pub(crate) mod machine;
pub(crate) mod scaling;
pub(crate) mod scipy;

use std::hint::black_box;
use std::time::{Duration, Instant};

use wolfpath::{Engine, oracle};

use super::answers::weights;
use super::session::Session;
use super::timer::Timer;
use super::{Arguments, Graph, Program, Result, Table};
use gap::{Files, Gap};
use lines::GapLine;
use machine::Machine;
use scipy::Scipy;

pub(crate) use contest::{Rival, TRIALS};

/// Vertices per row and column of the grid.
const SIDE: u32 = 700;

/// Vertices of the path.
const PATH: u64 = 300_000;

/// Upper limit of the time of widest paths, as a multiple of the serial answer's.
const TIMES_SERIAL: f64 = 1.5;

/// Upper limit of the time of a step of PageRank, as a multiple of scipy's.
const TIMES_SCIPY: f64 = 1.0;

/// Loaded graph, the lines over it, and the files in which GAP reads it.
pub(crate) struct Track<'a> {
    timer: Timer<'a>,
    lines: Vec<&'static GapLine>,
    files: Files,
}

/// Makes all comparisons that were requested.
pub(crate) fn run(
    engine: &Engine,
    arguments: &Arguments,
    began: Instant,
    table: &mut Table<'_>,
) -> Result<()> {
    if engine.name() != "cpu" {
        return Err("other programs are compared with the CPU engine only: use the benchmark `cpu`".into());
    }
    let machine = Machine::here(arguments.threads);
    table.say(&machine.json(), &machine.words())?;
    // Each line sets its own number of threads.
    let arguments = Arguments { threads: 0, ..arguments.clone() };
    let session = Session::new(engine, &arguments, began);
    let gap = arguments.gap.as_deref().map(|folder| Gap::open(folder, &lines::wanted(&arguments)));
    let (gap, mut tracks) = (gap.transpose()?, Vec::new());
    let scipy = arguments.scipy.then(|| Scipy::open("python3", &arguments.scratch)).transpose()?;
    contest::columns(table)?;
    if gap.is_some() || arguments.scaling {
        for (graph, lines) in lines::wanted(&arguments) {
            match session.load(&graph, table) {
                Ok(timer) => tracks.push(Track { timer, lines, files: Files::new(&arguments.scratch)? }),
                Err(error) => table.failed("graph", &graph.name(), "", &error.to_string())?,
            }
            if let (Some(gap), Some(track)) = (&gap, tracks.last().filter(|track| track.is_of(&graph))) {
                track.beside_gap(&session, gap, machine.threads, table)?;
            }
        }
    }
    if arguments.serial {
        beside_serial(&session, machine.threads, table)?;
    }
    if let Some(scipy) = &scipy {
        beside_scipy(&session, scipy, table)?;
    }
    if arguments.scaling {
        session.part(&scaling::columns(gap.is_some()), table)?;
        let counts = scaling::thread_counts(machine.threads);
        tracks
            .iter()
            .try_for_each(|track| scaling::measure(&session, track, gap.as_ref(), &counts, table))?;
    }
    Ok(())
}

impl Track<'_> {
    fn is_of(&self, graph: &Graph) -> bool {
        self.timer.prepared.of.name() == graph.name()
    }

    /// Times all lines in turns with GAP.
    fn beside_gap(
        &self,
        session: &Session<'_>,
        gap: &Gap,
        threads: usize,
        table: &mut Table<'_>,
    ) -> Result<()> {
        for line in &self.lines {
            let must = line.must(&self.timer.prepared.of);
            // The first round writes the graph's file, which the other rounds find.
            let mut time = || gap.time(&line.call(&self.timer.prepared, &self.files)?, threads);
            let rival = Rival { name: "GAP", must, threads, parts: 1, time: &mut time };
            contest::hold(session, &self.timer, line.program, rival, table)?;
        }
        Ok(())
    }
}

/// Times widest paths over a grid in turns with the serial answer. The number of threads is that of the engine.
fn beside_serial(session: &Session<'_>, threads: usize, table: &mut Table<'_>) -> Result<()> {
    let of = Graph::Grid(SIDE);
    if !session.arguments.wants(&of, Program::Widest) {
        return Ok(());
    }
    let timer = session.load(&of, table)?;
    let (graph, source) = (&timer.prepared.graph, timer.prepared.source);
    let from = graph.vertex_of(source).ok_or("the grid has no vertices")?;
    let (rows, weights) = (graph.out_edges(), weights(graph)?);
    let once = || {
        let began = Instant::now();
        black_box(oracle::widest(rows, &weights, &[(from, u32::MAX)]));
        began.elapsed()
    };
    let mut time = || -> Result<Vec<Duration>> { Ok((0..TRIALS).map(|_| once()).collect()) };
    let rival = Rival { name: "serial", must: TIMES_SERIAL, threads, parts: 1, time: &mut time };
    contest::hold(session, &timer, Program::Widest, rival, table)
}

/// Times steps of PageRank in turns with scipy's, one thread each.
fn beside_scipy(session: &Session<'_>, scipy: &Scipy, table: &mut Table<'_>) -> Result<()> {
    for of in [Graph::Path(PATH), Graph::Grid(SIDE)] {
        if !session.arguments.wants(&of, Program::PageRank) {
            continue;
        }
        let timer = session.load(&of, table)?;
        let file = scipy.file(&timer.prepared.graph)?;
        let mut time = || scipy.step(&file).map(|step| vec![step]);
        let parts = super::program::RANK_STEPS;
        let rival = Rival { name: "scipy", must: TIMES_SCIPY, threads: 1, parts, time: &mut time };
        contest::hold(session, &timer, Program::PageRank, rival, table)?;
    }
    Ok(())
}
