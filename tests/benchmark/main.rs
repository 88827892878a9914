//! Tests of the benchmark itself: floors, bounds and options, comparisons with other programs, and whole sessions on the
//! CPU engine.

#[path = "../../benches/suite/mod.rs"]
mod suite;

mod beside;
mod bounds;
mod floors;
#[cfg(unix)]
mod gap;
mod options;
mod sessions;
