//! Differential test: a thousand random programs, compiled as Rust and as host C++, must give the same answers and the
//! same faults. It runs only if requested (`-- --ignored`), and then fails if there is no C++ compiler. `cargo
//! xtask differential --programs N --seed S` compares more programs, and shrinks those that fail.

use std::path::Path;

use wolfpath_differential::{Proof, Toolchain};

/// Number of programs.
const PROGRAMS: usize = 1_000;
/// Seed that the programs are generated from.
const SEED: u64 = 1;

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn random_programs_mean_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let toolchain = Toolchain::find(root).expect("rustc and a C++ compiler are installed");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let proof = Proof::new(PROGRAMS, SEED, folder.path().to_owned());
    let report = proof.run(&toolchain, |_| ()).expect("the batches compile and finish");
    println!("{} programs, {} answers, {} of them faults", report.programs, report.answers, report.faults);
    for failure in &report.failures {
        println!(
            "program {} of seed {SEED}, {}\n{}",
            failure.index,
            failure.disagreement.what,
            failure.text()
        );
    }
    assert!(report.failures.is_empty(), "{} programs differ; they are listed above", report.failures.len());
    assert_eq!(report.programs, PROGRAMS);
    assert!(report.faults > report.answers / 100, "too few faults for a meaningful comparison");
}
