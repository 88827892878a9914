//! The differential proof: two thousand random programs, compiled as Rust and as host C++, must give the same answers
//! and the same faults. Run when asked for (`-- --ignored`); a missing C++ compiler is then a failure.
//! `cargo xtask differential --programs N --seed S` compares more, and makes what fails smaller.

use std::path::Path;

use wolfpath_differential::{Proof, Toolchain};

/// Programs, and the seed that they are made of.
const PROGRAMS: usize = 2_000;
const SEED: u64 = 1;

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn random_programs_mean_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let toolchain = Toolchain::find(root).expect("rustc and a C++ compiler are there");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let proof = Proof::new(PROGRAMS, SEED, folder.path().to_owned());
    let report = proof.run(&toolchain, |_| ()).expect("the batches compile and end");
    println!("{} programs, {} answers, {} of them faults", report.programs, report.answers, report.faults);
    for failure in &report.failures {
        println!(
            "program {} of seed {SEED}, {}\n{}",
            failure.index,
            failure.disagreement.what,
            failure.text()
        );
    }
    assert!(report.failures.is_empty(), "{} programs differ; they stand above", report.failures.len());
    assert_eq!(report.programs, PROGRAMS);
    assert!(report.faults > report.answers / 100, "programs that hardly ever fault prove little");
}
