//! Compiles every program with NVRTC for sm_80 and sm_90, with every schedule that a plan can choose for it. This needs
//! no GPU. The compiler must print nothing.
//!
//! The tests run on request (`-- --ignored`) and fail if NVRTC is missing. `cargo xtask nvrtc` installs it and prints
//! its path for `WOLFPATH_NVRTC`.

#[path = "conformance/programs.rs"]
mod own;

#[allow(dead_code, reason = "only compiled here")]
#[path = "arithmetic/control_program.rs"]
mod control_program;

#[allow(dead_code, reason = "only compiled here")]
#[path = "arithmetic/value_program.rs"]
mod value_program;

#[allow(dead_code, reason = "only compiled here")]
#[path = "conformance/own_faults.rs"]
mod own_faults;

#[path = "conformance/input_programs.rs"]
mod input_programs;

#[path = "conformance/column_programs.rs"]
mod columns;

#[path = "conformance/combiner_programs.rs"]
mod combiners;

#[path = "conformance/neighbour_programs.rs"]
mod neighbours;

#[path = "conformance/edge_programs.rs"]
mod edges;

#[path = "conformance/value_at_programs.rs"]
mod values_at;

#[path = "conformance/sender_programs.rs"]
mod senders;

#[path = "conformance/order_programs.rs"]
mod orders;

#[path = "conformance/end_programs.rs"]
mod ends;

#[path = "conformance/fold_programs.rs"]
mod folds;

#[allow(dead_code, reason = "only compiled here")]
#[path = "../benches/suite/guarded.rs"]
mod guarded;
#[allow(dead_code, reason = "only compiled here")]
#[path = "../benches/suite/own.rs"]
mod timed;

use std::sync::atomic::{AtomicUsize, Ordering};

use wolfpath::cuda::{
    Carried, Configuration, Kernel, NvrtcLibrary, calibration_log, common_log, compile_kernel_log,
    meeting_log, take_log,
};
use wolfpath::program::{Along, CombineKind, DatumKind, EdgeProgram};
use wolfpath::programs as bundled;
use wolfpath::{RowUse, Schedule, Shape, Techniques};

/// Shared memory for the first messages by slot.
const HOT_BYTES: u32 = 64 << 10;

/// Number of compilations at the same time.
const THREADS: usize = 2;

/// A compilation.
#[derive(Clone, Debug)]
struct Job {
    shape: Shape,
    configuration: Configuration,
    kernel: Kernel,
    architecture: (i32, i32),
}

/// Returns the schedules that a plan can choose on a device, with their techniques.
fn schedules(shape: &Shape, symmetric: bool) -> Vec<(Schedule, Techniques)> {
    let step_by_step = (Schedule::Frontier, Techniques::NONE.direction(symmetric));
    if shape.accumulates {
        // Blocks may have proxies of the vertices to which most edges lead.
        let proxies = Techniques::NONE.shared_window(true);
        return vec![(Schedule::Paths, proxies), (Schedule::Accumulate, Techniques::NONE)];
    }
    if shape.must_pull() {
        return vec![(Schedule::Pull, Techniques::NONE)];
    }
    if !shape.may_be_seen_early() {
        return vec![step_by_step];
    }
    let local = Techniques::NONE.local_rounds(true);
    let fat = Techniques::NONE.direction(shape.uniform).shared_window(shape.uniform);
    let is_ordered =
        matches!(shape.combine, CombineKind::Min | CombineKind::Max) && shape.value != DatumKind::Bool;
    let in_place = if is_ordered && !shape.uniform { Schedule::Bucket } else { Schedule::Relax };
    let mut schedules =
        vec![(in_place, local), (in_place, fat), (Schedule::Relax, Techniques::NONE), step_by_step];
    if shape.combine == CombineKind::Max {
        schedules.push((Schedule::Relax, local));
    }
    if symmetric || shape.along != Along::Both {
        let swept = Techniques::NONE.shared_window(shape.uniform);
        schedules.extend([(Schedule::Sweep, local), (Schedule::Sweep, swept)]);
    }
    if shape.propagates_labels() {
        schedules.push((Schedule::Union, Techniques::NONE));
    }
    schedules
}

/// Returns the compilation for one kind of run.
fn job(
    shape: Shape,
    (schedule, techniques): (Schedule, Techniques),
    symmetric: bool,
    architecture: (i32, i32),
) -> Job {
    let (rows, uniform) = (RowUse::new(shape.along, symmetric), shape.uniform);
    let (weighted, wide_offsets, settles) = (true, false, false);
    // Weights of symmetric graphs are stored in 8 bits here, those of others in the program's type.
    let is_number = shape.weight.is_number() && shape.model.reads.common().is_none();
    let narrow_weights = (symmetric && is_number).then_some(DatumKind::U8);
    // Shortest paths over symmetric graphs drop messages if sums might overflow.
    let bounded = symmetric && shape.finds_shortest_paths();
    // Rows of directed graphs are packed here, those of others plain.
    let packed = !symmetric && shape.model.reads.common().is_none();
    let mut configuration = Configuration {
        schedule,
        rows,
        symmetric,
        weighted,
        narrow_weights,
        uniform,
        wide_offsets,
        techniques,
        packed,
        rows_on_host: packed,
        overflows: packed,
        first_ends: packed,
        streamed: false,
        hot_bytes: 0,
        settles,
        bounded,
        several: false,
        // Delays are compiled for one kind of graph.
        delays: !symmetric,
    };
    // Runs over symmetric graphs have slots if they can.
    configuration.hot_bytes = if configuration.can_have_slots(&shape) { HOT_BYTES } else { 0 };
    Job { shape, configuration, kernel: Kernel::Run, architecture }
}

/// Returns the compilation for several devices that share a run, unless only one device can take it.
fn shared_job(shape: Shape, (schedule, techniques): (Schedule, Techniques), symmetric: bool) -> Option<Job> {
    let techniques = if schedule == Schedule::Relax { techniques } else { techniques.direction(false) };
    let techniques = techniques.lending(shape.accumulates);
    let mut job = job(shape, (schedule, techniques), symmetric, (9, 0));
    job.configuration.several = true;
    job.shape.model.reads.common().is_none().then_some(job)
}

/// Adds a program for both kinds of graph: symmetric graphs for sm_80, directed graphs for sm_90. Also adds it for several
/// devices.
fn bundled<P: EdgeProgram>(jobs: &mut Vec<Job>) {
    let shape = Shape::of::<P>();
    jobs.extend(schedules(&shape, true).into_iter().filter_map(|schedule| shared_job(shape, schedule, true)));
    let directed = schedules(&shape, false).into_iter().step_by(2);
    jobs.extend(directed.filter_map(|schedule| shared_job(shape, schedule, false)));
    jobs.extend(schedules(&shape, true).into_iter().map(|schedule| job(shape, schedule, true, (8, 0))));
    jobs.extend(schedules(&shape, false).into_iter().map(|schedule| job(shape, schedule, false, (9, 0))));
}

/// Adds a bundled program with another value type. Only its words and weights differ, and every schedule reads these in
/// the same way. So each schedule is compiled for one kind of graph, alternating between the two.
fn other_type<P: EdgeProgram>(jobs: &mut Vec<Job>) {
    let shape = Shape::of::<P>();
    for (i, is_symmetric) in [true, false].into_iter().enumerate() {
        let schedules = schedules(&shape, is_symmetric).into_iter().skip(i).step_by(2);
        let architecture = if is_symmetric { (8, 0) } else { (9, 0) };
        jobs.extend(schedules.map(|schedule| job(shape, schedule, is_symmetric, architecture)));
    }
}

/// Adds one compilation per schedule, for programs that test the translation of their own text.
fn once<P: EdgeProgram>(jobs: &mut Vec<Job>) {
    let shape = Shape::of::<P>();
    jobs.extend(schedules(&shape, false).into_iter().map(|schedule| job(shape, schedule, false, (9, 0))));
}

/// Adds the schedules that a run uses only on request: pulling, paths, buckets that end when named vertices are settled, and
/// buckets for `uniform` programs.
fn forced<P: EdgeProgram>(jobs: &mut Vec<Job>) {
    let shape = Shape::of::<P>();
    jobs.push(job(shape, (Schedule::Pull, Techniques::NONE), true, (9, 0)));
    jobs.push(job(shape, (Schedule::Pull, Techniques::NONE), false, (9, 0)));
    if shape.may_be_seen_early() {
        jobs.push(job(shape, (Schedule::Paths, Techniques::NONE), true, (8, 0)));
        jobs.extend(shared_job(shape, (Schedule::Paths, Techniques::NONE), false));
    }
    let is_ordered = matches!(shape.combine, CombineKind::Min | CombineKind::Max);
    if is_ordered && shape.may_be_seen_early() && shape.value != DatumKind::Bool {
        let techniques = Techniques::NONE.local_rounds(true);
        let mut job = job(shape, (Schedule::Bucket, techniques), false, (9, 0));
        (job.configuration.uniform, job.configuration.settles) = (false, true);
        jobs.push(job);
    }
    // Rows that are streamed. The code depends little on the direction of the edges.
    for (i, (schedule, techniques)) in schedules(&shape, false).into_iter().enumerate() {
        if !techniques.uses_direction()
            && !techniques.uses_local_rounds()
            && shape.model.reads.common().is_none()
        {
            let mut job = job(shape, (schedule, techniques), i % 2 == 0, (9, 0));
            let configuration = &mut job.configuration;
            (configuration.packed, configuration.rows_on_host) = (false, false);
            configuration.first_ends = false;
            configuration.overflows = i % 2 == 0;
            configuration.streamed = true;
            // Every third one is for several devices.
            configuration.several = i % 3 == 0;
            jobs.push(job);
        }
    }
    if shape.uniform && is_ordered && shape.may_be_seen_early() {
        for local_rounds in [false, true] {
            let techniques = Techniques::NONE.local_rounds(local_rounds);
            let mut job = job(shape, (Schedule::Bucket, techniques), false, (9, 0));
            job.configuration.uniform = false;
            jobs.push(job);
        }
    }
}

/// Adds bits batches that may pull, and bits batches that only push.
fn bits<P: EdgeProgram>(jobs: &mut Vec<Job>) {
    for (direction, symmetric, architecture) in
        [(true, true, (8, 0)), (true, false, (9, 0)), (false, false, (9, 0))]
    {
        let techniques = Techniques::NONE.direction(direction);
        let job = job(Shape::of::<P>(), (Schedule::Relax, techniques), symmetric, architecture);
        let configuration = Configuration { uniform: true, ..job.configuration };
        jobs.push(Job { kernel: Kernel::Bits, configuration, ..job });
    }
}

/// Adds runs that start with the values of an earlier outcome: plain values, and words of every combiner.
fn carried<P: EdgeProgram>(jobs: &mut Vec<Job>) {
    let shape = Shape::of::<P>();
    let words = [CombineKind::Min, CombineKind::Max, CombineKind::Or, CombineKind::And, CombineKind::Any];
    let words = words.into_iter().filter(|_| !shape.value.is_struct()).map(Some);
    let words = words.filter(|&words| {
        let has_keys = matches!(words, Some(CombineKind::Min | CombineKind::Max));
        !(has_keys && shape.value == DatumKind::Bool)
    });
    let schedules = schedules(&shape, false).into_iter().filter(|(schedule, _)| *schedule != Schedule::Union);
    for (schedule, words) in schedules.cycle().zip(words.chain([None, None, None])) {
        let kernel = Kernel::RunFrom(Carried { all: words.is_none(), words, on_host: false });
        jobs.push(Job { kernel, ..job(shape, schedule, false, (9, 0)) });
    }
}

/// Adds batches of runs abreast, of the maximum size and smaller. Adds the schedule by buckets if values have an order.
fn abreast<P: EdgeProgram>(jobs: &mut Vec<Job>) {
    let shape = Shape::of::<P>();
    let is_ordered = matches!(shape.combine, CombineKind::Min | CombineKind::Max);
    let most = if shape.value.size() <= 4 { 16 } else { 8 };
    let mut schedules = vec![Schedule::Relax];
    if is_ordered && shape.value != DatumKind::Bool {
        schedules.push(Schedule::Bucket);
    }
    for schedule in schedules {
        for (runs, symmetric, architecture) in
            [(most, true, (8, 0)), (most / 2, false, (9, 0)), (4, true, (9, 0))]
        {
            let job = job(shape, (schedule, Techniques::NONE), symmetric, architecture);
            let configuration = Configuration { uniform: false, ..job.configuration };
            jobs.push(Job { kernel: Kernel::Abreast { runs }, configuration, ..job });
        }
    }
}

/// Adds every schedule and kernel for graphs with at least 2^32 edges.
fn wide<P: EdgeProgram>(jobs: &mut Vec<Job>) {
    let first = jobs.len();
    once::<P>(jobs);
    let shape = Shape::of::<P>();
    if shape.may_be_seen_early() {
        abreast::<P>(jobs);
    }
    if shape.uniform {
        bits::<P>(jobs);
    }
    jobs[first..].iter_mut().for_each(|job| job.configuration.wide_offsets = true);
}

/// Adds runs over graphs without weights, in which the first values differ.
fn variants<P: EdgeProgram>(jobs: &mut Vec<Job>) {
    let shape = Shape::of::<P>();
    for schedule in schedules(&shape, true) {
        let mut job = job(shape, schedule, true, (9, 0));
        job.configuration.weighted = false;
        job.configuration.uniform = false;
        job.configuration.techniques = job.configuration.techniques.direction(false);
        jobs.push(job);
    }
}

macro_rules! all {
    ($jobs:ident, $how:ident: $($program:ty),* $(,)?) => {
        $($how::<$program>(&mut $jobs);)*
    };
}

/// Compiles all jobs. Returns a message for each job that fails or for which the compiler prints anything.
fn failures(jobs: &[Job]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failures = Vec::new();
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (major, minor) = job.architecture;
            let said = match compile_kernel_log(job.kernel, &job.shape, &job.configuration, (major, minor)) {
                Ok(log) if log.trim().is_empty() => continue,
                Ok(log) => log,
                Err(error) => error.to_string(),
            };
            let name = job.shape.model.name;
            failures.push(format!(
                "{name}, {:?}, sm_{major}{minor}, {:?}:\n{said}\n",
                job.kernel, job.configuration
            ));
        }
        failures
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("compiling does not panic")).collect()
    })
}

fn all_compile(jobs: &[Job]) {
    NvrtcLibrary::find().expect(
        "this test needs NVRTC: install it with `cargo xtask nvrtc`, and set WOLFPATH_NVRTC to its path",
    );
    let failures = failures(jobs);
    assert!(failures.is_empty(), "{} of {}:\n\n{}", failures.len(), jobs.len(), failures.join("\n"));
    println!("{} compilations", jobs.len());
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn bundled_programs_compile() {
    let mut jobs = Vec::new();
    all!(jobs, bundled: bundled::bfs, bundled::sssp, bundled::widest);
    all!(jobs, bundled: bundled::reach, bundled::Components, bundled::CoreNumbers, bundled::PageRank, bundled::PageRankF64);
    all!(jobs, bundled: bundled::Adsorption, bundled::AccumulatingPageRank, bundled::AccumulatingAdsorption);
    all!(jobs, other_type: bundled::AccumulatingPageRankF64);
    all!(jobs, other_type: bundled::bfs_u64, bundled::bfs_f32, bundled::bfs_f64);
    all!(jobs, other_type: bundled::sssp_u64, bundled::sssp_f32, bundled::sssp_f64);
    all!(jobs, other_type: bundled::widest_u64, bundled::widest_f32, bundled::widest_f64);
    all!(jobs, variants: bundled::bfs, bundled::sssp, bundled::widest_f32, bundled::reach);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn forced_schedules_compile() {
    let mut jobs = Vec::new();
    all!(jobs, forced: bundled::bfs, bundled::bfs_u64, bundled::bfs_f32, bundled::sssp, bundled::sssp_f64);
    all!(jobs, forced: bundled::widest, bundled::reach, bundled::Components, own::any_depth, own::spread_and);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn the_kernels_that_measure_devices_compile() {
    for (major, minor) in [(7, 5), (8, 0), (9, 0)] {
        for log in [calibration_log, meeting_log] {
            let said = log(major, minor).unwrap_or_else(|error| error.to_string());
            assert_eq!(said.trim(), "", "sm_{major}{minor}");
        }
    }
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn runs_in_sequence_compile() {
    for (major, minor) in [(7, 5), (8, 0), (9, 0)] {
        let said = take_log(major, minor).unwrap_or_else(|error| error.to_string());
        assert_eq!(said.trim(), "", "sm_{major}{minor}");
    }
    let mut jobs = Vec::new();
    all!(jobs, carried: bundled::bfs, bundled::sssp_f64, bundled::widest, bundled::reach, bundled::PageRank);
    all!(jobs, carried: own::signed_depth, own::spread_and, own::both_ways, senders::pushed::Mixing);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn batches_of_runs_compile() {
    let mut jobs = Vec::new();
    all!(jobs, bits: bundled::bfs, bundled::bfs_u64, bundled::bfs_f32, bundled::reach);
    all!(jobs, bits: own::backwards, own::both_ways, own::spread_and, own::signed_depth);
    all!(jobs, abreast: bundled::sssp, bundled::sssp_f64, bundled::widest, bundled::bfs, bundled::reach);
    all!(jobs, abreast: own::both_ways, own::spread_and, own::signed_depth);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn edges_and_values_compile() {
    let mut jobs = Vec::new();
    all!(jobs, once: edges::step_pushed::Mixing, edges::step_gathered::Mixing, edges::fold_pushed::Mixing);
    all!(jobs, once: edges::fold_all::Mixing, edges::place_in::Mixing, edges::place_frequent::Mixing);
    all!(jobs, once: edges::place_neighbours::Mixing, edges::place_oriented::Mixing, edges::reached::Reached);
    all!(jobs, once: edges::both_all::Mixing, edges::direction_gathered::Mixing, edges::against::Against);
    all!(jobs, bundled: edges::both_pushed::Mixing, edges::turns::Turns);
    all!(jobs, once: values_at::pushed::Jumping, values_at::gathered::Jumping, values_at::all::Jumping);
    all!(jobs, once: values_at::awake::Jumping, values_at::ordered::Jumping, values_at::roots::Roots);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn neighbours_compile() {
    let mut jobs = Vec::new();
    all!(jobs, other_type: neighbours::clustering::Clustering, neighbours::triangles::Triangles);
    all!(jobs, once: neighbours::pushed::Mixing, neighbours::pushed_edges::Mixing, neighbours::gathered::Mixing);
    all!(jobs, once: neighbours::all::Mixing, neighbours::all_plain::Mixing, neighbours::oriented::Mixing);
    all!(jobs, once: neighbours::oriented_all::Mixing, neighbours::least_later::Least, neighbours::parts::Parts);
    all!(jobs, bundled: neighbours::least_neighbours::Least, neighbours::least_edges::Least);
    for (wide, (major, minor)) in [(false, (8, 0)), (false, (9, 0)), (true, (9, 0))] {
        let said = common_log(wide, major, minor).unwrap_or_else(|error| error.to_string());
        assert_eq!(said.trim(), "", "sm_{major}{minor}");
    }
    all!(jobs, bits: neighbours::hops);
    all!(jobs, abreast: neighbours::hops);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn large_graphs_compile() {
    let mut jobs = Vec::new();
    all!(jobs, wide: bundled::bfs, bundled::sssp, bundled::sssp_f64, bundled::PageRank);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn the_whole_language_compiles() {
    let mut jobs = Vec::new();
    all!(jobs, once: control_program::control::Control, value_program::values::Values);
    all!(jobs, once: own_faults::stops::Stopping);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn programs_with_inputs_compile() {
    let mut jobs = Vec::new();
    all!(jobs, bundled: input_programs::climb::Climb, input_programs::personal::Personal);
    all!(jobs, bundled: input_programs::all_types::AllTypes, input_programs::turning::Turning);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn programs_that_decide_who_sends_compile() {
    use senders::{all_gathered, all_pushed, awake_gathered, awake_pushed, gathered, pushed};
    use senders::{eager, failing, late_senders, odd_senders, talkative};
    let mut jobs = Vec::new();
    all!(jobs, bundled: pushed::Mixing, awake_pushed::Mixing, all_pushed::Mixing);
    all!(jobs, forced: pushed::Mixing, awake_pushed::Mixing, all_pushed::Mixing);
    all!(jobs, once: gathered::Mixing, awake_gathered::Mixing, all_gathered::Mixing, failing::Failing);
    all!(jobs, once: eager::Eager, odd_senders::OddSenders, talkative::Talkative, late_senders::LateSenders);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn programs_with_priorities_compile() {
    let mut jobs = Vec::new();
    all!(jobs, bundled: orders::cores::Core, orders::pushed::Ordered);
    all!(jobs, forced: orders::pushed::Ordered, orders::both_ways::Ordered);
    all!(jobs, once: orders::gathered::Ordered, orders::stepping::Stepping, orders::failing::Failing);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn programs_that_end_runs_compile() {
    let mut jobs = Vec::new();
    all!(jobs, bundled: ends::pushed::Ending, ends::everyone::Ending);
    all!(jobs, once: ends::ordered::Ending, ends::gathered::Ending, ends::weighed::Ending, ends::floats::Floats);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn programs_with_several_folds_compile() {
    let mut jobs = Vec::new();
    all!(jobs, once: folds::pushed::Folding, folds::gathered::Folding, folds::totals::Spreading);
    all!(jobs, once: folds::nearing::Changing, folds::queueing::Changing, folds::waking::Changing);
    all!(jobs, once: folds::collecting::Changing, folds::alike::Changing, folds::weighed::Changing, folds::thin::Thin);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn combiners_of_fields_and_counts_compile() {
    use combiners::{all_votes, averages, cdlp, commons, extremes, marked, origins, summary, sums};
    use combiners::{votes, weighed_votes};
    let mut jobs = Vec::new();
    all!(jobs, once: sums::Sums, summary::Summaries, extremes::Extreme, origins::Origins, commons::Commons);
    all!(jobs, once: averages::Averages, marked, all_votes::Voting);
    all!(jobs, bundled: cdlp::Communities, votes::Voting, weighed_votes::Voting);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn structs_of_weights_compile() {
    let mut jobs = Vec::new();
    all!(jobs, bundled: columns::earliest::Earliest, columns::tolls::Tolls, columns::wide::Widest);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn timed_programs_compile() {
    let mut jobs = Vec::new();
    all!(jobs, bundled: timed::arrivals);
    all!(jobs, once: guarded::guarded::Guarded, guarded::unguarded::Unguarded);
    all_compile(&jobs);
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn programs_of_ones_own_compile() {
    let mut jobs = Vec::new();
    all!(jobs, bundled: own::nearest::Nearest);
    all!(jobs, once: own::any_depth, own::signed_depth, own::signed_gain, own::over_wide_edges);
    all!(jobs, once: own::backwards, own::both_ways, own::spread_and, own::intersected, own::zeros_max);
    all!(jobs, once: own::ways::Ways, own::calm::Calm, own::coarse::Coarse, own::everything::Everything);
    all!(jobs, once: own::gossip::Gossip, own::patient::Patient);
    all!(jobs, once: own::fold_sum::FoldSum, own::fold_min::FoldMin, own::fold_or::FoldOr);
    all!(jobs, once: own::division::Division, own::vertex_division::VertexDivision, own::endless::Endless);
    all_compile(&jobs);
}
