//! `cargo xtask differential`: compares any number of random programs in three forms.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use wolfpath_differential::{Failure, Proof, Report, Toolchain, inputs};

use crate::Result;
use crate::workspace::root;

/// Number of failing programs that are minimized.
const SHRUNK: usize = 3;

/// Number of programs between two lines of progress.
const NEWS: usize = 1_000;

/// Compares `programs` random programs, and prints those whose forms differ.
pub(crate) fn run(programs: usize, seed: u64, longest: usize) -> Result<()> {
    let folder = root().join("target").join("differential");
    let toolchain = Toolchain::find(&root()).map_err(|error| error.to_string())?;
    let proof = Proof { longest, ..Proof::new(programs, seed, folder.clone()) };
    let told = AtomicUsize::new(0);
    let tell = |report: &Report| {
        if report.programs / NEWS > told.swap(report.programs / NEWS, Ordering::Relaxed) {
            eprintln!("{} programs, {} differ", report.programs, report.failures.len());
        }
    };
    let report = proof.run(&toolchain, tell).map_err(|error| error.to_string())?;
    let (programs, answers, faults) = (report.programs, report.answers, report.faults);
    println!(
        "{programs} programs of seed {seed}: {answers} answers, each in three forms; {faults} of them are faults"
    );
    for failure in &report.failures {
        println!("program {}: {}", failure.index, failure.disagreement.what);
    }
    for failure in report.failures.iter().take(SHRUNK) {
        show(failure, &proof, &folder, &toolchain)?;
    }
    match report.failures.len() {
        0 => Ok(()),
        count => Err(format!("{count} of {programs} programs differ; seed {seed} reproduces them")),
    }
}

/// Minimizes a failing program and prints it.
fn show(failure: &Failure, proof: &Proof, folder: &Path, toolchain: &Toolchain) -> Result<()> {
    let batch = (failure.index / proof.batch) as u64;
    let asked = inputs(proof.seed.wrapping_add(batch), proof.inputs);
    let smaller = failure.shrunk(&asked, folder, toolchain).map_err(|error| error.to_string())?;
    let build = if smaller.checked { "debug" } else { "release" };
    println!(
        "\nprogram {}, as a {build} build: {}\n{}",
        failure.index,
        smaller.disagreement.what,
        smaller.text()
    );
    Ok(())
}
