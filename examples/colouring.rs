//! Two programs of the reader's own in which every vertex waits for others and sends once it is decided: a greedy
//! colouring, and a maximal independent set. Each is compared with the usual serial loop.
//!
//!     cargo run --release --example colouring               a generated social network of 16,384 vertices
//!     cargo run --release --example colouring -- GRAPH      your own graph, without directions, loops and parallel edges

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use wolfpath::generate;
use wolfpath::graph::LayerOptions;
use wolfpath::load::{LoadOptions, load};
use wolfpath::prelude::*;

use colouring::Colouring;
use independent::{Independent, MEMBER};

#[edge_program]
mod colouring {
    use wolfpath::prelude::*;

    pub(crate) const NONE: u32 = 64;

    pub(crate) struct State {
        /// Colours of the neighbours that come before the vertex, one bit each.
        pub(crate) used: u64,
        /// Number of these neighbours that have no colour yet.
        pub(crate) waits_for: u32,
        pub(crate) colour: u32,
    }

    /// Colours of senders, and by how much the number of those without one changes.
    pub(crate) struct News {
        pub(crate) used: u64,
        pub(crate) change: i64,
    }

    /// Gives each vertex the first colour that no neighbour before it has (Jones and Plassmann 1993). Vertices with
    /// fewer neighbours come first; those that wait for nobody are coloured in the same step.
    pub(crate) struct Colouring;

    impl EdgeProgram for Colouring {
        type Value = State;
        type Message = News;
        type Combine = Fields<(Or, Sum)>;
        const ALONG: Along = Along::Neighbours;
        const ORIENTED: bool = true;

        fn start(&self, _: Vertex) -> State {
            State { used: 0, waits_for: 0, colour: NONE }
        }
        /// In the first step, the vertices after the sender learn that they wait for it; later, its colour.
        fn edge(&self, e: Edge<State>) -> News {
            match e.value.colour {
                NONE => News { used: 0, change: 1 },
                colour => News { used: 1 << colour, change: -1 },
            }
        }
        fn apply(&self, v: Vertex<State>, news: News) -> State {
            let waits_for = (v.value.waits_for as i64 + news.change) as u32;
            let used = v.value.used | news.used;
            assert!(used != u64::MAX, "more than 64 colours are needed");
            State { used, waits_for, colour: if waits_for == 0 { used.trailing_ones() } else { NONE } }
        }
        /// Every vertex sends in the first step, and again when it has a colour.
        fn sends(&self, v: Vertex<State>) -> bool {
            v.step == 0 || v.value.colour != NONE
        }
        /// After the first step, in which those that wait for nobody get their colour, only messages change anything.
        fn halts(&self, v: Vertex<State>) -> bool {
            v.step > 0
        }
    }
}

#[edge_program]
mod independent {
    use wolfpath::prelude::*;

    pub(crate) const LEFT_OUT: u32 = 0;
    pub(crate) const UNDECIDED: u32 = 1;
    pub(crate) const MEMBER: u32 = 2;

    /// A maximal independent set: no two of its vertices are adjacent, and every other vertex has a neighbour in it. A
    /// vertex joins if all neighbours before it are left out. Vertices with fewer neighbours come first.
    pub(crate) struct Independent;

    impl EdgeProgram for Independent {
        type Value = u32;
        type Message = u32;
        type Combine = Or;
        const ALONG: Along = Along::Neighbours;
        const ORIENTED: bool = true;

        fn start(&self, _: Vertex) -> u32 {
            UNDECIDED
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            e.value
        }
        fn apply(&self, v: Vertex<u32>, before: u32) -> u32 {
            match v.value {
                UNDECIDED if before & MEMBER != 0 => LEFT_OUT,
                UNDECIDED if before == 0 => MEMBER,
                decided => decided,
            }
        }
        fn sends(&self, v: Vertex<u32>) -> bool {
            v.value != LEFT_OUT
        }
        fn halts(&self, v: Vertex<u32>) -> bool {
            v.value != UNDECIDED
        }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("colouring: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let edges = match std::env::args().nth(1) {
        Some(path) => load(path, &LoadOptions::default())?,
        None => generate::rmat(14, 4, 42)?,
    };
    let edges = edges.without_self_loops().undirected().without_duplicates()?;
    let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::default())?;
    println!("graph        {} vertices, {} edges", graph.num_vertices(), graph.num_edges());
    let engine = Engine::auto();
    let loaded = engine.load(&graph);
    println!("engine       {}", engine.name());

    let outcome = loaded.run(&Colouring)?; // derives the rows of neighbours
    let times = median(|| Ok(loaded.run(&Colouring)?.stats().times.run))?;
    let colours: Vec<u32> = outcome.read()?.iter().filter_map(|(_, state)| state).map(|s| s.colour).collect();
    println!("colouring    {times:.2?} in {} steps, {} colours", outcome.stats().steps, number_of(&colours));
    let times = median(|| Ok(timed(|| serial_colouring(&graph))))?;
    println!("  serial     {times:.2?}, {} colours", number_of(&serial_colouring(&graph)));

    let outcome = loaded.run(&Independent)?;
    let times = median(|| Ok(loaded.run(&Independent)?.stats().times.run))?;
    let members: Vec<bool> = outcome.read()?.iter().map(|(_, state)| state == Some(MEMBER)).collect();
    println!("independent  {times:.2?} in {} steps, {} members", outcome.stats().steps, count(&members));
    let times = median(|| Ok(timed(|| serial_set(&graph))))?;
    println!("  serial     {times:.2?}, {} members", count(&serial_set(&graph)));
    verify(&graph, &colours, &members)
}

/// Returns the median of seven times.
fn median(time: impl Fn() -> wolfpath::Result<Duration>) -> wolfpath::Result<Duration> {
    let mut times = (0..7).map(|_| time()).collect::<wolfpath::Result<Vec<_>>>()?;
    times.sort_unstable();
    Ok(times[3])
}

fn timed<T>(work: impl Fn() -> T) -> Duration {
    let began = Instant::now();
    std::hint::black_box(work());
    began.elapsed()
}

fn number_of(colours: &[u32]) -> u32 {
    colours.iter().max().map_or(0, |most| most + 1)
}

fn count(members: &[bool]) -> usize {
    members.iter().filter(|&&member| member).count()
}

/// Colours the vertices one after the other, in the order in which they are stored.
fn serial_colouring(graph: &LayeredGraph) -> Vec<u32> {
    let (rows, n) = (graph.out_edges(), graph.num_vertices());
    let mut colours = vec![u32::MAX; n as usize];
    let mut taken_by = vec![u32::MAX; n as usize + 1];
    for v in 0..n {
        for &neighbour in rows.row(v) {
            if let Some(taken) = taken_by.get_mut(colours[neighbour as usize] as usize) {
                *taken = v;
            }
        }
        let free = taken_by.iter().position(|&by| by != v);
        colours[v as usize] = free.map_or(0, |colour| colour as u32);
    }
    colours
}

/// Adds every vertex of which no neighbour was added before.
fn serial_set(graph: &LayeredGraph) -> Vec<bool> {
    let (rows, n) = (graph.out_edges(), graph.num_vertices());
    let (mut members, mut left_out) = (vec![false; n as usize], vec![false; n as usize]);
    for v in 0..n {
        if !left_out[v as usize] {
            members[v as usize] = true;
            rows.row(v).iter().for_each(|&neighbour| left_out[neighbour as usize] = true);
        }
    }
    members
}

/// Checks the colours and the members, which are in ascending order of ids.
fn verify(graph: &LayeredGraph, colours: &[u32], members: &[bool]) -> Result<(), Box<dyn Error>> {
    let (rows, n) = (graph.out_edges(), graph.num_vertices());
    let mut by_id: Vec<u32> = (0..n).collect();
    by_id.sort_unstable_by_key(|&v| graph.id_of(v));
    let mut place = vec![0; n as usize];
    (0..).zip(&by_id).for_each(|(at, &v)| place[v as usize] = at);
    for v in 0..n {
        let (at, row) = (place[v as usize], rows.row(v));
        let neighbours = || row.iter().map(|&neighbour| place[neighbour as usize]);
        if neighbours().any(|other| colours[at] == colours[other]) {
            return Err(format!("vertex {} has the colour of a neighbour", graph.id_of(v)).into());
        }
        if members[at] == neighbours().any(|other| members[other]) {
            return Err(format!("vertex {} should be the other way round", graph.id_of(v)).into());
        }
    }
    println!("verified     no two neighbours share a colour, and the set is independent and maximal");
    Ok(())
}
