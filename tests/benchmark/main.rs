//! Tests of the benchmark itself: floors, bounds and options, and whole sessions on the CPU engine.

#[path = "../../benches/suite/mod.rs"]
mod suite;

mod bounds;
mod floors;
mod options;
mod sessions;
