//! Graphs on several machines. A [`Deal`] divides a layered graph into shards, [`Shards`] are a folder that contains them, and
//! a [`Forecast`] predicts the load of each machine of a cluster, without running anything. A [`Cluster`] connects processes,
//! which exchange bytes. A [`ClusterGraph`] is a graph whose shards they have loaded, and runs programs over it. A
//! [`ClusterPlan`] tells what memory such a run needs, and how much it sends, and [`Checkpoints`] let it continue after a
//! failure.
//!
//! Users depend on the crate `wolfpath`, whose feature `cluster` re-exports this one.

mod checkpoints;
mod deal;
mod engine;
mod error;
mod forecast;
mod gather;
mod graph;
mod net;
mod outcome;
mod part;
mod plan;
mod predecessors;
mod shards;

pub use checkpoints::{CheckpointError, Checkpoints};
pub use deal::{Deal, Guest};
pub use engine::ClusterEngine;
pub use error::{BuildError, ShardError};
pub use forecast::{Forecast, Machine};
pub use graph::ClusterGraph;
pub use net::{Cluster, ClusterConfig, ClusterError};
pub use outcome::ShardOutcome;
pub use plan::{ClusterPlan, ClusterPlanError, ProcessPlan};
pub use predecessors::ShardPredecessors;
pub use shards::{Shard, ShardRow, Shards};
