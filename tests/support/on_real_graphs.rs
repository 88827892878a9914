//! Harness for tests over real graphs. Whether the graphs exist is known only at run time, and tests without graphs
//! must be reported as ignored. The standard harness cannot do that, so targets with such tests set `harness = false`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// Name of a test, and its function, which receives the folder of real graphs.
pub(crate) type Test = (&'static str, fn(&Path));

/// Lists tests by the names of their functions.
macro_rules! tests {
    ($($test:ident)*) => {
        [$((stringify!($test), $test as fn(&::std::path::Path))),*]
    };
}
pub(crate) use tests;

/// Runs the tests that the command line selects. Without a folder of real graphs they are ignored. They fail instead if
/// `--ignored` or `--include-ignored` requests them, or if they run in CI.
pub(crate) fn run(tests: &[Test]) -> ExitCode {
    let folder = folder();
    let are_there = folder.is_dir();
    let is_ignored = !are_there && std::env::var_os("CI").is_none();
    let trial = |&(name, test): &Test| {
        let folder = folder.clone();
        let work = move || {
            if !are_there {
                let missing =
                    format!("no real graphs in {}; WOLFPATH_DATA names their folder", folder.display());
                return Err(Failed::from(missing));
            }
            test(&folder);
            Ok(())
        };
        Trial::test(name, work).with_ignored_flag(is_ignored)
    };
    libtest_mimic::run(&Arguments::from_args(), tests.iter().map(trial).collect()).exit_code()
}

/// Returns the folder that `WOLFPATH_DATA` names, or `../shared/data` beside the repository.
pub(crate) fn folder() -> PathBuf {
    std::env::var_os("WOLFPATH_DATA").map_or_else(|| repository().join("../shared/data"), PathBuf::from)
}

/// Returns the root of the repository: the nearest folder with a lock file.
fn repository() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).unwrap_or(own)
}
