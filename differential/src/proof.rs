//! The whole comparison: runs batches on all cores, and collects their results.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::{Batch, Choices, Disagreement, Error, Toolchain, choices, inputs, program};

/// Number, size and location of the comparisons.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Number of programs.
    pub programs: usize,
    /// Seed that determines the programs and their inputs.
    pub seed: u64,
    /// Number of programs that are compiled together.
    pub batch: usize,
    /// Number of inputs for each program.
    pub inputs: usize,
    /// Maximum number of choices of a program.
    pub longest: usize,
    /// Number of batches that run at the same time.
    pub threads: usize,
    /// Folder in which batches are compiled.
    pub folder: PathBuf,
}

impl Proof {
    /// Creates a comparison of `programs` programs of ordinary size, which uses all cores.
    pub fn new(programs: usize, seed: u64, folder: PathBuf) -> Proof {
        let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        Proof { programs, seed, batch: 100, inputs: 512, longest: 160, threads, folder }
    }
}

/// A program that failed, with everything that is needed to reproduce the failure.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Position among the programs of the seed.
    pub index: usize,
    /// `true` if the program was compiled as a debug build.
    pub checked: bool,
    /// Choices that determine the program.
    pub choices: Choices,
    /// Difference that was found.
    pub disagreement: Disagreement,
}

impl Failure {
    /// Returns the program's text.
    pub fn text(&self) -> String {
        program(&self.choices, "failing")
    }
}

/// Result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Number of programs that were compiled and compared.
    pub programs: usize,
    /// Number of answers that were compared: of each function of each program, one for each input. Each of the three
    /// forms gives an answer.
    pub answers: usize,
    /// Number of answers that were faults.
    pub faults: usize,
    /// Programs that failed.
    pub failures: Vec<Failure>,
}

/// Returns the programs of a batch. They depend only on the arguments: the seed, the batch's number, the number of
/// programs, and the maximum number of choices.
pub fn draw(seed: u64, batch: usize, count: usize, longest: usize) -> Vec<Choices> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&(batch as u64).to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = choices(longest);
    let tree = |_| strategy.new_tree(&mut runner).map_or_else(|_| Choices::new(), |tree| tree.current());
    (0..count).map(tree).collect()
}

impl Proof {
    /// Compares all programs. Calls `done` with the results so far after each batch.
    ///
    /// # Errors
    ///
    /// Returns an error if a batch cannot be compiled or run, and no single program causes this. If several batches
    /// fail, returns one of their errors.
    pub fn run(&self, toolchain: &Toolchain, done: impl Fn(&Report) + Sync) -> Result<Report, Error> {
        let batches = self.programs.div_ceil(self.batch.max(1));
        let (next, report) = (AtomicUsize::new(0), Mutex::new(Report::default()));
        let work = |worker: usize| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= batches {
                    return Ok(());
                }
                let count = self.batch.min(self.programs - number * self.batch);
                let part = self.batch(number, count, worker, toolchain)?;
                if let Ok(mut report) = report.lock() {
                    report.add(part);
                    done(&report);
                }
            }
        };
        let ended: Result<(), Error> = std::thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> =
                (0..self.threads.max(1)).map(|worker| scope.spawn(move || work(worker))).collect();
            let results = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            results.collect::<Vec<_>>().into_iter().collect()
        });
        ended?;
        Ok(report.into_inner().unwrap_or_default())
    }

    fn batch(
        &self,
        number: usize,
        count: usize,
        worker: usize,
        toolchain: &Toolchain,
    ) -> Result<Report, Error> {
        let programs = draw(self.seed, number, count, self.longest);
        let inputs = inputs(self.seed.wrapping_add(number as u64), self.inputs);
        // Every fourth batch is a release build.
        let checked = number % 4 != 3;
        let folder = self.folder.join(format!("worker{worker}"));
        let outcome = Batch { programs: &programs, checked, inputs: &inputs, folder }.run(toolchain)?;
        let failure = |disagreement: Disagreement| Failure {
            index: number * self.batch + disagreement.program,
            checked,
            choices: programs[disagreement.program].clone(),
            disagreement,
        };
        let failures: Vec<Failure> = outcome.disagreements.into_iter().map(failure).collect();
        Ok(Report { programs: count, answers: outcome.answers, faults: outcome.faults, failures })
    }
}

impl Report {
    fn add(&mut self, part: Report) {
        self.programs += part.programs;
        self.answers += part.answers;
        self.faults += part.faults;
        self.failures.extend(part.failures);
    }
}
