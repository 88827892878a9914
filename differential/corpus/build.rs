//! Writes the programs, which depend only on the seed.

use std::path::Path;

use wolfpath_differential::{combined, draw, exact_program};

/// Number of modules.
const MODULES: usize = 8;
/// Number of random programs in each module.
const PROGRAMS: usize = 25;
const SEED: u64 = 4;
/// Maximum number of choices of a program.
const LONGEST: usize = 160;
/// Programs that are modules of their own, by their positions among those of [`WHOLE_SEED`]. They rarely fault.
const WHOLE: [usize; 6] = [41, 62, 107, 149, 156, 172];
const WHOLE_SEED: u64 = 5;
/// Number of programs from which [`WHOLE`] were selected.
const CANDIDATES: usize = 200;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let modules = (0..MODULES)
        .map(|module| combined(&draw(SEED, module, PROGRAMS, LONGEST), &format!("corpus{module}")));
    let candidates = draw(WHOLE_SEED, 0, CANDIDATES, LONGEST);
    let whole = WHOLE.iter().enumerate();
    let whole = whole.map(|(module, &index)| exact_program(&candidates[index], &format!("whole{module}")));
    let text: String = modules.chain(whole).collect();
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&folder).join("corpus.rs"), text).expect("the programs can be written");
}
