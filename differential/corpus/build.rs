//! Writes the programs, which depend only on the seed.

use std::path::Path;

use wolfpath_differential::{combined, draw};

/// Number of modules.
const MODULES: usize = 8;
/// Number of random programs in each module.
const PROGRAMS: usize = 25;
const SEED: u64 = 4;
/// Maximum number of choices of a program.
const LONGEST: usize = 160;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let modules = (0..MODULES)
        .map(|module| combined(&draw(SEED, module, PROGRAMS, LONGEST), &format!("corpus{module}")));
    let text: String = modules.collect();
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&folder).join("corpus.rs"), text).expect("the programs can be written");
}
