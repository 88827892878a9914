//! Conformance of runs on clusters: the checks that the engines of one machine pass, with processes that share each run and
//! exchange bytes over the loopback interface. Threads stand for the processes.
//!
//! Vertices are dealt singly, so that processes share even the smallest graphs. Folds of floats are then combined in another
//! order, so the checks of their bits use blocks of the usual size.

#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/accumulating.rs"]
mod accumulating;
#[path = "../../../tests/conformance/accumulating_programs.rs"]
mod accumulating_programs;
#[path = "../../../tests/conformance/adjacency.rs"]
mod adjacency;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/checks.rs"]
mod checks;
#[path = "../../../tests/conformance/column_programs.rs"]
mod column_programs;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/columns.rs"]
mod columns;
#[path = "../../../tests/conformance/combiner_programs.rs"]
mod combiner_programs;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/combiners.rs"]
mod combiners;
#[path = "../../../tests/conformance/edge_programs.rs"]
mod edge_programs;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/edges.rs"]
mod edges;
#[path = "../../../tests/conformance/end_programs.rs"]
mod end_programs;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/ends.rs"]
mod ends;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/faults.rs"]
mod faults;
#[path = "../../../tests/conformance/fold_programs.rs"]
mod fold_programs;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/folds.rs"]
mod folds;
#[allow(dead_code, reason = "some graphs are only for other checks")]
#[path = "../../../tests/conformance/graphs.rs"]
mod graphs;
#[path = "../../../tests/conformance/input_programs.rs"]
mod input_programs;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/inputs.rs"]
mod inputs;
mod interrupted;
#[allow(dead_code, reason = "some programs are only for other checks")]
#[path = "../../../tests/conformance/label_programs.rs"]
mod label_programs;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/labels.rs"]
mod labels;
#[path = "../../../tests/conformance/neighbour_programs.rs"]
mod neighbour_programs;
#[path = "../../../tests/conformance/neighbours.rs"]
mod neighbours;
#[path = "../../../tests/conformance/order_programs.rs"]
mod order_programs;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/orders.rs"]
mod orders;
mod parts;
#[path = "../processes/mod.rs"]
mod processes;
#[allow(dead_code, reason = "some programs are only for other checks")]
#[path = "../../../tests/conformance/programs.rs"]
mod programs;
#[allow(dead_code, reason = "some functions are only for other checks")]
#[path = "../../../tests/conformance/reference.rs"]
mod reference;
#[path = "../../../tests/conformance/sender_programs.rs"]
mod sender_programs;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/senders.rs"]
mod senders;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/settling.rs"]
mod settling;
mod tested;
#[path = "../../../tests/conformance/value_at_programs.rs"]
mod value_at_programs;
#[allow(dead_code, reason = "some checks are only for engines of one machine")]
#[path = "../../../tests/conformance/values_at.rs"]
mod values_at;

pub(crate) use tested::Tested;
use wolfpath::{RunOptions, ScheduleChoice};

/// Largest number of random cases of a check, and number of edges of the larger samples, one of which is a path. Each step takes
/// an exchange between processes.
pub(crate) const MOST_CASES: u32 = 3;
pub(crate) const MOST_EDGES: u64 = 3_000;

/// Numbers of processes of a check, and of the threads of each. Only three processes gather pieces of rows for each other.
/// `agreement` shares runs by other numbers.
const SIZES: [(usize, usize); 3] = [(1, 2), (2, 1), (3, 2)];

/// Schedules of accumulating programs, and numbers of threads; those of a cluster are its own.
pub(crate) const SCHEDULES_OF_SUMS: &[Option<ScheduleChoice>] = &[None, Some(ScheduleChoice::Frontier)];
pub(crate) const THREADS: &[usize] = &[1];

/// Requested schedules of runs that end when vertices are settled.
pub(crate) const SCHEDULES_THAT_SETTLE: &[ScheduleChoice] = &[ScheduleChoice::Frontier, ScheduleChoice::Pull];

/// Returns these options with a trace. A run on a cluster is never paused.
pub(crate) fn with_pauses(options: RunOptions) -> Vec<RunOptions> {
    vec![options.trace(true)]
}

/// Defines a test for every check, with every number of processes.
macro_rules! suites {
    ($unit:expr; $($group:ident: $($check:ident)*;)*) => {
        $($(
            #[test]
            fn $check() {
                for (processes, threads) in crate::SIZES {
                    crate::$group::$check(&crate::Tested::new(processes, threads, $unit));
                }
            }
        )*)*
    };
}

suites! { 1;
    checks: bfs sssp widest reach components several_sources counts_paths_with_any_combiner wrapping_sums bit_sets
        custom_structs optional_messages along_in_and_both senders_all_without_identity messages_made_once
        aggregates_of_every_kind own_apply own_changed identity_values zeros_and_nans step_counts
        random_programs_graphs;
    accumulating: integers_are_exact threads_lose_nothing ranks_are_within_the_tolerance fields_are_accumulated
        both_ways sums_that_do_not_converge what_accumulating_programs_refuse accumulating_runs_behave;
    columns: earliest_arrival structs_of_every_size columns_by_direction_beside_other_weights
        columns_that_are_not_there a_column_as_the_weight;
    combiners: fields_are_combined rounded_fields communities most_frequent_messages;
    edges: moments_agree places_agree places_in_place directions_of_messages places_on_paths;
    ends: ends_agree ends_fail;
    faults: division_by_zero fault_at_a_vertex overflow_as_the_build_says;
    folds: several_folds_agree folds_of_changes_agree;
    inputs: inputs_at_both_ends inputs_of_every_type inputs_of_every_vertex_that_sends inputs_change_from_run_to_run
        unknown_ids_in_inputs;
    labels: labels_of_every_type labels_of_every_start labels_on_large_graphs labels_that_are_nan labels_along_edges
        labels_that_fail;
    neighbours: neighbours_pushed_and_gathered neighbours_in_place neighbours_oriented clustering_and_triangles
        paths_between_neighbours;
    orders: orders_agree orders_settle;
    settling: settled_values_are_final settled_runs_stop_early settled_at_the_start settling_is_refused;
    senders: senders_agree senders_settle senders_fail;
    values_at: values_before_the_step;
}

/// The values of a program that breaks its promise differ from run to run.
#[test]
fn dishonest_uniform_is_no_crash() {
    for (processes, threads) in SIZES {
        faults::dishonest_uniform_is_no_crash(&Tested::new(processes, threads, 1).for_any_values());
    }
}

/// Checks of folds of floats.
mod in_blocks {
    suites! { 1024;
        checks: pagerank;
        ends: folds_repeat;
        folds: folds_of_changes_repeat;
    }
}
