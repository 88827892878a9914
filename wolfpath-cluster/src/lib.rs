//! Graphs on several machines. A [`Deal`] divides a layered graph into shards, [`Shards`] are a folder that contains them, and
//! a [`Forecast`] predicts the load of each machine of a cluster, without running anything. A [`Cluster`] connects processes,
//! which exchange bytes.
//!
//! The engine that runs programs over shards is being built. Users depend on the crate `wolfpath`, whose feature
//! `cluster` re-exports this one.

mod deal;
mod error;
mod forecast;
mod net;
mod shards;

pub use deal::{Deal, Guest};
pub use error::ShardError;
pub use forecast::{Forecast, Machine};
pub use net::{Cluster, ClusterConfig, ClusterError};
pub use shards::{Shard, ShardRow, Shards};
