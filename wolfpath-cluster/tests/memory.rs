//! Memory of processes that load a graph and run programs over it, compared with what their plans say, and of processes that
//! shard a graph.

#[allow(dead_code, reason = "some programs are only for other tests")]
#[path = "../../tests/conformance/edge_programs.rs"]
mod edge_programs;
#[allow(dead_code, reason = "some functions are only for other tests")]
mod graphs;
#[allow(dead_code, reason = "some programs are only for other tests")]
#[path = "../../tests/conformance/neighbour_programs.rs"]
mod neighbour_programs;
mod processes;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Barrier, Mutex};

use edge_programs::{place_all, turns};
use graphs::{layered, number};
use neighbour_programs::{all, clustering, oriented, triangles};
use wolfpath::cluster::{Deal, Shards};
use wolfpath::generate;
use wolfpath::graph::{LayeredGraph, WeightChoice};
use wolfpath::load::LoadOptions;
use wolfpath::prelude::*;
use wolfpath::programs::{AccumulatingPageRank, CoreNumbers, PageRank, bfs, sssp};

/// Counts the bytes that are allocated, and the most so far.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn add(bytes: usize) {
    MOST.fetch_max(ALLOCATED.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: all calls go to the system's allocator, with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller fulfils the conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller fulfils the conditions.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller fulfils the conditions.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The system grows and shrinks large arrays in place.
        if size > layout.size() {
            add(size - layout.size());
        } else {
            ALLOCATED.fetch_sub(layout.size() - size, Relaxed);
        }
        // SAFETY: the caller fulfils the conditions.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Returns the options of all runs. Some programs would take steps without end; sums in portions take none that are counted.
fn options<P: EdgeProgram>() -> RunOptions {
    RunOptions::new().threads(1).steps_at_most((!P::ACCUMULATES).then_some(30))
}

/// Returns the largest number of bytes that two processes have allocated together, first while they load a graph and run a
/// program, then while they run it again.
fn most<P: EdgeProgram>(shards: &Shards, program: &P, weights: WeightChoice) -> [usize; 2] {
    let options = options::<P>();
    let (barrier, before) = (Barrier::new(2), ALLOCATED.load(Relaxed));
    // Returns the most bytes since the last call, which all processes make together.
    let restart = || {
        barrier.wait();
        let most = MOST.load(Relaxed);
        barrier.wait();
        MOST.store(ALLOCATED.load(Relaxed), Relaxed);
        barrier.wait();
        most - before
    };
    let found = processes::run(
        2,
        |config| config,
        |connected| {
            let shards = Shards::open(shards.folder()).expect("the shards are there");
            let cluster = connected.expect("both are there");
            restart();
            let mut graph = cluster.load(shards).expect("the shards are whole").with_weights(weights);
            graph.run_with(program, &options).expect("the run succeeds");
            let loading = restart();
            graph.run_with(program, &options).expect("the run succeeds");
            [loading, restart()]
        },
    );
    found[0]
}

/// Compares the memory of two processes with their plans, and prints the ratios.
fn is_as_planned<P: EdgeProgram>(shards: &Shards, program: &P, weights: WeightChoice) {
    let plan = shards.plan(program, number(2), weights, &options::<P>());
    let plan = plan.expect("the run can be planned");
    let planned = plan.processes().iter().map(|process| process.memory_bytes()).sum::<u64>() as f64;
    let ratios = most(shards, program, weights).map(|most| most as f64 / planned);
    println!("{}: {ratios:.3?} of {planned} bytes: {:?}", P::MODEL.name, plan.processes()[0]);
    let [loading, running] = ratios;
    assert!(loading <= 1.2 && running <= 1.2, "{}: {ratios:?}", P::MODEL.name);
}

/// Writes the shards of a graph.
fn shards_of(graph: LayeredGraph) -> (tempfile::TempDir, Shards) {
    let folder = tempfile::tempdir().expect("a folder");
    let deal = Deal::new(&graph, number(4)).expect("the graph is dealt");
    let shards = Shards::write(&graph, &deal, folder.path()).expect("the shards are written");
    (folder, shards)
}

/// Held by each test, because all of them count the same bytes.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn processes_need_what_is_planned() {
    let _alone = ALONE.lock().expect("no test panics");
    let input = WeightChoice::Input;
    let graph = layered(generate::rmat_directed(15, 16, 1).expect("a valid recipe"));
    let (_folder, shards) = shards_of(graph);
    is_as_planned(&shards, &all::Mixing { seed: 1 }, input);
    is_as_planned(&shards, &turns::Turns { from: 0 }, WeightChoice::Random { seed: 5, max: 1000 });
    let graph = layered(generate::rmat(16, 16, 1).expect("a valid recipe"));
    let root = graph.root().expect("there are vertices");
    let (_folder, shards) = shards_of(graph);
    is_as_planned(&shards, &CoreNumbers, input);
    is_as_planned(&shards, &clustering::Clustering, input);
    is_as_planned(&shards, &triangles::Triangles, input);
    is_as_planned(&shards, &oriented::Mixing { seed: 1 }, input);
    is_as_planned(&shards, &place_all::Mixing { seed: 1 }, input);
    let random = WeightChoice::Random { seed: 5, max: 1000 };
    is_as_planned(&shards, &PageRank { damping: 0.85, tolerance: 1e-6 }, WeightChoice::Input);
    is_as_planned(&shards, &AccumulatingPageRank { damping: 0.85 }, WeightChoice::Input);
    is_as_planned(&shards, &bfs::starting_at(root), WeightChoice::Input);
    is_as_planned(&shards, &sssp::starting_at(root), random);
}

#[test]
fn no_process_has_all_edges_of_a_graph_that_they_shard() {
    let _alone = ALONE.lock().expect("no test panics");
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("graph.wel");
    let line = |edge: u64| format!("{} {} {}\n", edge * edge % 997, edge % 1009, edge % 200);
    std::fs::write(&input, (0..2_000_000).map(line).collect::<String>()).expect("it is written");
    let most = |number_of_processes: usize| {
        let before = ALLOCATED.load(Relaxed);
        MOST.store(before, Relaxed);
        processes::run(
            number_of_processes,
            |config| config,
            |connected| {
                let mut cluster = connected.expect("all are there");
                let output = folder.path().join("shards");
                let built = Shards::build_on(&mut cluster, &input, &LoadOptions::new(), number(4), output);
                built.expect("it is built").num_edges()
            },
        );
        (MOST.load(Relaxed) - before) as f64
    };
    // If each of four processes had all edges, they would need about four times as much. Nearly every line has two owners,
    // and each connection its buffers.
    let (one, four) = (most(1), most(4));
    println!("1 process: {one} bytes, 4 processes: {:.2} times as many", four / one);
    assert!(four < 2.5 * one, "1 process: {one} bytes, 4 processes: {four} bytes");
}
