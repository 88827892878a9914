//! The benchmark command's own tests: floors, bounds and options by hand, and a whole session on the CPU engine.

#[path = "../../benches/suite/mod.rs"]
mod suite;

mod bounds;
mod floors;
mod options;
mod sessions;
