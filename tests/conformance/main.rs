//! Conformance: for each program and graph, every engine gives the same values as a slow and obvious reference. Each
//! check is written once, generic over the engine. `suites!` turns it into a test for each engine.
//!
//! The CUDA suite runs only if requested (`-- --ignored cuda::`), and then fails if there is no GPU.

mod accumulating;
mod accumulating_programs;
mod adjacency;
mod bounds;
mod checks;
mod column_programs;
mod columns;
mod combiner_programs;
mod combiners;
#[path = "../arithmetic/control_program.rs"]
mod control_program;
mod crowds;
mod devices;
mod edge_programs;
mod edges;
mod end_programs;
mod ends;
mod faults;
mod fold_programs;
mod folds;
mod graphs;
mod homes;
mod input_programs;
mod inputs;
mod label_programs;
mod labels;
mod language;
mod loading;
mod loops;
mod many;
mod neighbour_programs;
mod neighbours;
mod observing;
#[allow(
    dead_code,
    unused_macros,
    unused_imports,
    reason = "only the folder of real graphs is used here; the harness serves other test targets"
)]
#[path = "../support/on_real_graphs.rs"]
mod on_real_graphs;
mod options;
mod order_programs;
mod orders;
mod own_faults;
mod paths;
mod programs;
mod real;
mod reference;
mod repeats;
mod schedules;
mod sender_programs;
mod senders;
mod sequence;
mod sequence_programs;
mod settling;
mod shared;
mod shared_programs;
mod soak;
mod unfinished;
mod value_at_programs;
#[path = "../arithmetic/value_program.rs"]
mod value_program;
mod values_at;
mod worked;
mod worked_programs;

use std::time::Duration;

use wolfpath::{Engine, RunOptions, ScheduleChoice};

/// Type of the engines that are checked. A test of clusters includes some of the modules here, with another type.
pub(crate) type Tested = Engine;

/// Largest number of random cases of a check, and number of edges of the larger samples.
pub(crate) const MOST_CASES: u32 = 1_000_000;
pub(crate) const MOST_EDGES: u64 = 100_000;

/// Schedules of accumulating programs, and numbers of threads. A device has its own threads.
pub(crate) const SCHEDULES_OF_SUMS: &[Option<ScheduleChoice>] =
    &[None, Some(ScheduleChoice::Frontier), Some(ScheduleChoice::Paths)];
pub(crate) const THREADS: &[usize] = &[1, 2, 8];

/// Requested schedules of runs that end when vertices are settled.
pub(crate) const SCHEDULES_THAT_SETTLE: &[ScheduleChoice] = &[ScheduleChoice::Bucket];

/// Returns these options twice: unchanged, and with a trace and a slice of no time, which pauses a kernel after every step.
pub(crate) fn with_pauses(options: RunOptions) -> Vec<RunOptions> {
    vec![options.clone(), options.slice(Duration::ZERO).trace(true)]
}

/// Defines a test for every check, on both engines.
macro_rules! suites {
    ($($group:ident: $($check:ident)*;)*) => {
        mod cpu {
            $($(
                #[test]
                fn $check() {
                    crate::$group::$check(&crate::cpu());
                }
            )*)*
        }
        mod cuda {
            #[test]
            #[ignore = "needs an NVIDIA GPU: -- --ignored"]
            fn bundled_on_real_graphs() {
                crate::real::bundled_on_real_graphs(&crate::cuda(), &crate::on_real_graphs::folder());
            }

            #[test]
            #[ignore = "needs an NVIDIA GPU: -- --ignored"]
            fn random_runs_with_delays() {
                crate::soak::random_runs_with_delays(&|| crate::moved(crate::delayed()));
            }

            $($(
                #[test]
                #[ignore = "needs an NVIDIA GPU: -- --ignored"]
                fn $check() {
                    crate::$group::$check(&crate::cuda());
                }
            )*)*
        }
    };
}

suites! {
    checks: bfs sssp widest reach components pagerank bundled_on_random_graphs several_sources
        counts_paths_with_any_combiner wrapping_sums bit_sets custom_structs optional_messages along_in_and_both
        senders_all_without_identity messages_made_once aggregates_of_every_kind own_apply own_changed
        identity_values zeros_and_nans every_field step_counts random_programs_graphs;
    accumulating: integers_are_exact threads_lose_nothing equal_values_are_due values_travel_along_paths
        leaving_out_saves_updates ranks_are_within_the_tolerance labels_are_adsorbed fields_are_accumulated
        both_ways sums_that_do_not_converge unfinished_sums_are_kept what_accumulating_programs_refuse
        schedules_of_sums accumulating_runs_behave;
    bounds: sums_stay_within_the_bound bounded_runs_share_their_work bounded_runs_find_paths bounds_are_planned;
    columns: earliest_arrival structs_of_every_size columns_by_direction_beside_other_weights
        columns_that_are_not_there a_column_as_the_weight;
    combiners: fields_are_combined float_fields_are_accumulated rounded_fields communities most_frequent_messages
        most_frequent_is_planned;
    crowds: crowds_agree;
    devices: devices_agree_bit_for_bit devices_share_derived_rows devices_count_common_neighbours devices_take_turns devices_take_work_from_each_other more_devices_than_vertices many_runs_on_all_devices
        rows_that_fit_all_devices_together auto_opens_devices_if_needed a_lost_device_is_named;
    faults: division_by_zero overflow_as_the_build_says endless_programs_end fault_at_a_vertex
        dishonest_uniform_is_no_crash;
    homes: rows_live_anywhere rows_come_from_the_file rows_that_do_not_fit_move sweeps_that_fit_are_kept rows_that_cannot_be_locked
        lost_while_streaming short_queues_change_nothing slots_change_nothing;
    inputs: inputs_at_both_ends inputs_of_every_type inputs_of_every_vertex_that_sends inputs_change_from_run_to_run
        unknown_ids_in_inputs nothing_unread_is_loaded;
    labels: labels_of_every_type labels_of_every_start labels_on_large_graphs labels_that_are_nan labels_along_edges
        labels_of_many_runs labels_that_fail;
    language: the_whole_language what_stops_a_program debug_assertions_as_the_build_says;
    loading: arrays_in_many_pieces random_weights_in_many_pieces weights_of_every_width weights_that_do_not_fit_are_named
        loading_is_told changed_files_are_refused;
    loops: programs_with_loops_end cancelled_in_a_loop time_limited_in_a_loop time_limited_in_short_loops;
    many: many_runs_of_any_number many_runs_on_large_graphs many_runs_on_random_graphs many_runs_abreast
        many_runs_that_cannot_share many_runs_sliced_and_traced many_runs_that_fail many_runs_that_do_not_fit
        many_runs_one_launch many_runs_are_planned;
    neighbours: neighbours_pushed_and_gathered neighbours_in_place neighbours_oriented clustering_and_triangles
        paths_between_neighbours;
    repeats: a_thousand_random_graphs the_same_graph_fifty_times;
    options: unknown_source negative_weights lossy_weights cancelled time_limited progress_is_told
        a_loaded_graph_runs_many_programs one_launch paused_after_every_step stats_count;
    paths: paths_are_paths ties_make_no_cycles unknown_ids_are_errors programs_without_paths_say_so;
    schedules: directions_agree forced_schedules_agree forced_schedules_agree_on_hard_graphs impossible_schedules_are_refused
        more_steps_than_marks_hold buckets_widen tails_join_the_next_bucket;
    senders: senders_agree senders_settle senders_fail;
    edges: moments_agree places_agree places_in_place directions_of_messages places_on_paths;
    shared: shared_types_are_the_same shared_types_are_data;
    values_at: values_before_the_step pointers_jump values_of_no_vertex;
    ends: ends_agree ends_fail folds_repeat;
    folds: several_folds_agree folds_of_changes_agree folds_of_changes_in_sequence folds_of_changes_repeat;
    unfinished: unfinished_values stopped_runs_keep_values stopped_chains_keep_values endless_cycles_are_named;
    settling: settled_values_are_final settled_runs_stop_early settled_at_the_start settling_is_refused schedules_that_do_not_settle;
    orders: orders_agree orders_settle orders_fail;
    sequence: chains_are_runs runs_between_chains stopped_runs_go_on programs_take_turns inputs_from_outcomes inputs_of_other_graphs
        outcomes_occupy_the_device outcomes_are_shared_by_threads what_runs_in_sequence_refuse;
    observing: every_schedule_is_traced stopped_runs_say_how_far_they_came progress_grows
        every_end_leaves_the_engine_usable;
    worked: worked_paths worked_nearest_sources worked_labels worked_colours worked_longest_paths worked_arrivals
        worked_personal_ranks;
}

fn cpu() -> Engine {
    Engine::cpu()
}

/// Returns the CUDA engine of the devices in `WOLFPATH_CUDA_DEVICE` (by default 0), for the rows that `WOLFPATH_TEST_ROWS`
/// asks for. Several devices, as in `0,1,2`, share all runs that they can share.
fn cuda() -> Engine {
    let ordinals = ordinals();
    moved(match *ordinals {
        [ordinal] => Engine::cuda(ordinal).expect("the CUDA suite needs a GPU"),
        _ => Engine::cuda_devices(&ordinals).expect("the suite needs these GPUs").spread(true),
    })
}

/// Returns a CUDA engine whose threads wait for random times at barriers and atomics.
fn delayed() -> Engine {
    Engine::cuda_with_delays(ordinals()[0]).expect("the CUDA suite needs a GPU")
}

fn ordinals() -> Vec<usize> {
    let named = std::env::var("WOLFPATH_CUDA_DEVICE").unwrap_or_else(|_| "0".to_owned());
    let ordinal =
        |text: &str| text.trim().parse().expect("WOLFPATH_CUDA_DEVICE has numbers of devices, as in 0,1");
    named.split(',').map(ordinal).collect()
}

/// Moves the rows of all graphs as the words in `WOLFPATH_TEST_ROWS` say: `packed` packs them, `host` leaves them in host
/// memory, and `file` streams them. With `short`, most frontiers are larger than their queues. With `mail`, the inboxes of
/// several devices have room for few vertices, and with `units`, even small graphs are dealt out to several devices,
/// which lend each other a few items of their queues.
fn moved(engine: Engine) -> Engine {
    let rows = std::env::var("WOLFPATH_TEST_ROWS").unwrap_or_default();
    rows.split(',').filter(|word| !word.is_empty()).fold(engine, |engine, word| match word {
        "packed" => engine.packed_rows(true),
        "host" => engine.rows(wolfpath::Home::Host),
        "file" => engine.rows(wolfpath::Home::File),
        "short" => engine.queue_room(40),
        "mail" => engine.inbox_room(20),
        "units" => engine.units_of(64).least_lent(4),
        other => panic!(
            "WOLFPATH_TEST_ROWS contains {other:?}, which is not `packed`, `host`, `file`, `short`, `mail` or `units`"
        ),
    })
}
