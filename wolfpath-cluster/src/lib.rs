//! Graphs on several machines. A [`Deal`] divides a layered graph into shards, and a [`Forecast`] predicts the load of each
//! machine of a cluster, without running anything.
//!
//! The engine that runs programs over shards is being built. Users depend on the crate `wolfpath`, whose feature
//! `cluster` re-exports this one.

mod deal;
mod forecast;

pub use deal::{Deal, Guest};
pub use forecast::{Forecast, Machine};
