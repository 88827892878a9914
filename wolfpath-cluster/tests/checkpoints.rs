//! Checkpoints: runs that continue have the values of runs without interruption, and what is not the state of the same run
//! is refused by all processes.

#[allow(dead_code, reason = "some functions are only for other tests")]
mod graphs;
mod processes;

use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use graphs::{layered, number};
use tempfile::TempDir;
use wolfpath::cluster::{Checkpoints, Deal, ShardOutcome, Shards};
use wolfpath::generate;
use wolfpath::graph::{LayeredGraph, WeightChoice};
use wolfpath::prelude::*;
use wolfpath::program::Datum;
use wolfpath::programs::{AccumulatingPageRank, Components, PageRank, PageRankF64, bfs, sssp};
use wolfpath::{RunError, ScheduleChoice};

/// A graph, its shards, and room for checkpoints.
struct Sample {
    graph: LayeredGraph,
    folder: TempDir,
}

/// Report of a process on a run: all values, if it is process 0, the number of steps, and where it continued.
type Told = Result<(String, u64, Option<u64>), String>;

impl Sample {
    fn new() -> Sample {
        let graph = layered(generate::rmat(12, 8, 3).expect("a valid recipe"));
        let graph = graph.with_weights(WeightChoice::Random { seed: 5, max: 200 });
        let folder = tempfile::tempdir().expect("a new folder");
        let deal = Deal::new(&graph, number(4)).expect("there is memory for the in-rows");
        Shards::write(&graph, &deal, folder.path().join("shards")).expect("the folder is writable");
        Sample { graph, folder }
    }

    fn kept(&self) -> PathBuf {
        self.folder.path().join("kept")
    }

    /// Returns the names of the files in the folder of checkpoints, in alphabetical order.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.kept()).expect("the folder exists");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("it can be read").file_name().into_string().expect("ASCII"))
            .collect();
        names.sort();
        names
    }

    /// Checks that each state has the size of the plan. Before its records, a file has a page each for the header, the numbers
    /// of the blocks, and the ends of the records; after them, an empty key.
    fn has_planned_sizes<P: EdgeProgram>(&self, processes: usize, program: &P, options: &RunOptions) {
        let shards = Shards::open(self.folder.path().join("shards")).expect("they are whole");
        let weights = self.graph.weight_choice();
        let plan = shards.plan(program, number(processes as u16), weights, options).expect("it is planned");
        for (process, planned) in plan.processes().iter().enumerate() {
            let end = format!(".{process:04}.state");
            let state = self.files().into_iter().find(|name| name.ends_with(&end)).expect("a state of each");
            let bytes = fs::metadata(self.kept().join(state)).expect("it exists").len();
            let records = planned.checkpoint_bytes - 8 * planned.vertices.div_ceil(1024);
            assert_eq!(bytes, 3 * 4096 + records.next_multiple_of(4096) + 24, "{}", P::MODEL.name);
        }
    }

    /// Runs a program on so many processes.
    fn run<P: EdgeProgram>(
        &self,
        processes: usize,
        program: &P,
        options: &RunOptions,
        checkpoints: impl Fn(usize) -> Checkpoints + Sync,
    ) -> Vec<Told> {
        let shards = self.folder.path().join("shards");
        let run = |connected: Result<wolfpath::cluster::Cluster, _>| -> Told {
            let text = |error: &dyn std::fmt::Display| error.to_string();
            let cluster = connected.map_err(|error: wolfpath::cluster::ClusterError| text(&error))?;
            let shards = Shards::open(&shards).map_err(|error| text(&error))?;
            let graph = cluster.load(shards).map_err(|error| text(&error))?;
            let mut graph = graph.with_weights(self.graph.weight_choice());
            let checkpoints = checkpoints(graph.process());
            let outcome: ShardOutcome<P> = graph
                .run_with_checkpoints(program, options, &checkpoints)
                .map_err(|error: RunError| text(&error))?;
            let all = graph.gather(&outcome).map_err(|error| text(&error))?.unwrap_or_default();
            Ok((shown(all.into_iter()), outcome.steps(), outcome.resumed_after()))
        };
        processes::run(processes, |config| config, run)
    }
}

/// Returns values as text that shows all of their bits.
fn shown<V: Datum>(values: impl Iterator<Item = (u64, Option<V>)>) -> String {
    let bits = |value: V| {
        let mut bytes = vec![0; V::KIND.size()];
        value.write(&mut bytes);
        bytes
    };
    values.map(|(id, value)| format!("{id} {:?}\n", value.map(bits))).collect()
}

fn every(steps: u64, folder: &Path) -> Checkpoints {
    Checkpoints::every(NonZeroU64::new(steps).expect("at least one step"), folder)
}

/// Runs a program for some steps on one number of processes, and lets another one continue.
fn continues<P: EdgeProgram>(sample: &Sample, program: &P, options: &RunOptions) {
    let name = P::MODEL.name;
    let outcome = Engine::cpu().run_with(&sample.graph, program, options).expect("it has a result");
    let expected = shown(outcome.read().expect("values in memory").iter());
    let whole = sample.run(2, program, options, |_| every(1000, &sample.kept()));
    let (_, whole_steps, _) = whole[0].clone().expect("it has a result");
    for (before, after) in [(1, 3), (3, 1), (2, 2), (4, 2)] {
        let _ = fs::remove_dir_all(sample.kept());
        let few = options.clone().steps_at_most(3);
        let kept = sample.run(before, program, &few, |_| every(2, &sample.kept()));
        assert!(
            kept.iter()
                .all(|told| told.as_ref().is_ok_and(|(_, steps, after)| (*steps, *after) == (3, None)))
        );
        let mut files: Vec<String> = (0..before).map(|process| format!("1-2.{process:04}.state")).collect();
        files.push("checkpoint".to_owned());
        assert_eq!(sample.files(), files, "{name}");
        sample.has_planned_sizes(before, program, &few);
        let resumed = sample.run(after, program, options, |_| Checkpoints::resume(sample.kept()));
        for (process, told) in resumed.into_iter().enumerate() {
            let (values, steps, continued) = told.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!((steps, continued), (whole_steps, Some(2)), "{name}");
            assert!(process > 0 || values == expected, "{name} on {before} processes, then {after}");
        }
    }
}

#[test]
fn another_number_of_processes_continues() {
    let sample = Sample::new();
    let source = sample.graph.root().expect("the graph has vertices");
    continues(&sample, &PageRank { damping: 0.85, tolerance: 1e-5 }, &RunOptions::new());
    continues(&sample, &PageRankF64 { damping: 0.85, tolerance: 1e-9 }, &RunOptions::new());
    let frontier = RunOptions::new().schedule(ScheduleChoice::Frontier);
    continues(&sample, &bfs::starting_at(source), &frontier);
    continues(&sample, &sssp::starting_at(source), &frontier);
    continues(&sample, &Components, &frontier);
    continues(&sample, &Components, &RunOptions::new().schedule(ScheduleChoice::Pull));
}

/// The sums of accumulating programs are within their tolerance.
#[test]
fn accumulating_programs_continue() {
    let sample = Sample::new();
    let program = AccumulatingPageRank { damping: 0.85 };
    let options = RunOptions::new().tolerance(1e-6);
    let outcome = Engine::cpu().run_with(&sample.graph, &program, &options).expect("it has a result");
    let expected: Vec<f32> = outcome.read().expect("in memory").iter().filter_map(|(_, rank)| rank).collect();
    let total: f32 = expected.iter().sum();
    for (before, after) in [(2, 3), (3, 1)] {
        let _ = fs::remove_dir_all(sample.kept());
        let few = options.clone().max_steps(5);
        let stopped = sample.run(before, &program, &few, |_| every(2, &sample.kept()));
        assert!(stopped.iter().all(|told| told.as_ref().is_err_and(|error| error.contains("after step 5"))));
        sample.has_planned_sizes(before, &program, &few);
        let resumed = sample.run(after, &program, &options, |_| Checkpoints::resume(sample.kept()));
        let (values, steps, continued) = resumed[0].clone().expect("it has a result");
        assert!(continued == Some(4) && steps > 4, "{continued:?}, {steps} steps");
        let found = values.lines().map(|line| {
            let bytes: Vec<u8> =
                line.split(['[', ',', ']', ' ']).filter_map(|part| part.parse().ok()).collect();
            f32::from_le_bytes(*bytes.last_chunk().expect("four bytes"))
        });
        let differing: f32 = found.zip(&expected).map(|(found, expected)| (found - expected).abs()).sum();
        assert!(differing < 1e-5 * total, "{differing} of {total}");
    }
}

#[test]
fn a_run_does_not_harm_the_checkpoint_of_another_one() {
    let sample = Sample::new();
    let [program, other] = [0.85, 0.5].map(|damping| PageRank { damping, tolerance: 1e-5 });
    let kept = |_| every(3, &sample.kept());
    let few = RunOptions::new().steps_at_most(4);
    assert!(sample.run(2, &program, &few, kept).iter().all(Result::is_ok));
    // The other run replaces nothing until it has a checkpoint, which process 1 prevents.
    fs::create_dir(sample.kept().join("2-3.0001.state")).expect("a new folder");
    assert!(sample.run(2, &other, &RunOptions::new(), kept).iter().all(Result::is_err));
    let resumed = sample.run(2, &program, &RunOptions::new(), |_| Checkpoints::resume(sample.kept()));
    assert!(resumed.iter().all(|told| told.as_ref().is_ok_and(|(.., continued)| *continued == Some(3))));
    // Without a limit, labels would be found by union-find, which cannot continue.
    fs::remove_dir_all(sample.kept()).expect("the folder exists");
    let limited = RunOptions::new().steps_at_most(2);
    assert!(sample.run(2, &Components, &limited, |_| every(1, &sample.kept())).iter().all(Result::is_ok));
    let resumed = sample.run(2, &Components, &RunOptions::new(), |_| Checkpoints::resume(sample.kept()));
    let expected = Engine::cpu().run(&sample.graph, &Components).expect("it has a result");
    let (values, steps, continued) = resumed[0].clone().expect("it has a result");
    assert!(continued.is_some_and(|before| before < steps), "{continued:?}, {steps} steps");
    assert!(values == shown(expected.read().expect("values in memory").iter()));
}

#[test]
fn a_run_without_a_checkpoint_starts_over() {
    let sample = Sample::new();
    let program = PageRank { damping: 0.85, tolerance: 1e-4 };
    let resuming = |_| every(5, &sample.kept()).resuming(sample.kept());
    let first = sample.run(2, &program, &RunOptions::new(), resuming);
    let (values, steps, continued) = first[0].clone().expect("it has a result");
    assert!(continued.is_none() && steps > 5, "{steps} steps");
    // The last checkpoint is one before the last step, and it alone is left.
    let last = (steps - 1) / 5 * 5;
    assert_eq!(
        sample.files(),
        [format!("1-{last}.0000.state"), format!("1-{last}.0001.state"), "checkpoint".into()]
    );
    let second = sample.run(2, &program, &RunOptions::new(), resuming);
    assert_eq!(second[0], Ok((values, steps, Some(last))));
    // Union-find has no steps.
    fs::remove_dir_all(sample.kept()).expect("the folder exists");
    let joined = sample.run(2, &Components, &RunOptions::new(), resuming);
    assert!(joined.iter().all(Result::is_ok), "{joined:?}");
    assert!(sample.files().is_empty());
}

#[test]
fn all_processes_refuse_what_is_not_of_this_run() {
    let sample = Sample::new();
    let program = PageRank { damping: 0.85, tolerance: 1e-5 };
    let options = RunOptions::new();
    let few = options.clone().steps_at_most(4);
    assert!(sample.run(3, &program, &few, |_| every(3, &sample.kept())).iter().all(Result::is_ok));
    let refused = |told: Vec<Told>, texts: &[&str]| {
        let errors: Vec<String> = told.into_iter().map(|told| told.expect_err("it is refused")).collect();
        for text in texts {
            assert!(errors.iter().any(|error| error.contains(text)), "no {text:?} in {errors:?}");
        }
    };
    let resume = |_| Checkpoints::resume(sample.kept());
    let other = PageRank { damping: 0.5, ..program };
    refused(sample.run(2, &other, &options, resume), &["checkpoint of another parameters: ", "start over"]);
    refused(sample.run(2, &bfs::starting_at(1), &options, resume), &["another program: PageRank, expected"]);
    let another = Sample::new();
    let deal = Deal::new(&another.graph, number(5)).expect("there is memory for the in-rows");
    Shards::write(&another.graph, &deal, another.folder.path().join("shards"))
        .expect("the folder is writable");
    refused(another.run(2, &program, &options, resume), &["another graph: shards of another graph or build"]);
    // Only process 0 sees the folder.
    let alone = |process| Checkpoints::resume(if process == 0 { sample.kept() } else { another.kept() });
    refused(
        sample.run(2, &program, &options, alone),
        &["no checkpoint", "name a folder that all processes share"],
    );
    // A state that is damaged, one of another checkpoint, and one that is missing.
    let path = sample.kept().join("1-3.0001.state");
    let good = fs::read(&path).expect("a state");
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 1;
    fs::write(&path, &bad).expect("the file is writable");
    refused(
        sample.run(3, &program, &options, resume),
        &["1-3.0001.state: byte ", "the checkpoint is damaged", "process 1: "],
    );
    fs::copy(sample.kept().join("1-3.0000.state"), &path).expect("the file is writable");
    refused(sample.run(2, &program, &options, resume), &["expected the state of process 1 after 3 steps"]);
    fs::remove_file(&path).expect("the file exists");
    refused(sample.run(2, &program, &options, resume), &["cannot open ", "1-3.0001.state"]);
    fs::write(&path, &good).expect("the file is writable");
    assert!(sample.run(2, &program, &options, resume).iter().all(Result::is_ok));
}

#[test]
fn a_checkpoint_that_cannot_be_written_ends_the_run() {
    let sample = Sample::new();
    let program = PageRank { damping: 0.85, tolerance: 1e-5 };
    let kept = |_| every(3, &sample.kept());
    // The state of process 1 after 6 steps cannot get its name.
    fs::create_dir_all(sample.kept().join("1-6.0001.state")).expect("a new folder");
    let told = sample.run(2, &program, &RunOptions::new(), kept);
    let errors: Vec<String> = told.into_iter().map(|told| told.expect_err("it fails")).collect();
    assert!(errors[0].starts_with("process 1") && errors[0].contains("1-6.0001.state"), "{errors:?}");
    assert!(errors[1].starts_with("cannot write "), "{errors:?}");
    fs::remove_dir(sample.kept().join("1-6.0001.state")).expect("it is empty");
    // The run continues from the checkpoint before.
    let resumed = sample.run(2, &program, &RunOptions::new(), |_| Checkpoints::resume(sample.kept()));
    let outcome = Engine::cpu().run(&sample.graph, &program).expect("it has a result");
    let (values, _, continued) = resumed[0].clone().expect("it continues");
    assert_eq!(continued, Some(3));
    assert!(values == shown(outcome.read().expect("values in memory").iter()));
    // A file is not a folder.
    fs::write(sample.folder.path().join("file"), "").expect("the folder is writable");
    let told = sample.run(2, &program, &RunOptions::new(), |_| every(1, &sample.folder.path().join("file")));
    assert!(
        told.iter().all(|told| told.as_ref().is_err_and(|error| error.contains("cannot create the folder")))
    );
}
