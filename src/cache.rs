//! The cache folder, which keeps layered graphs, compiled programs and measured costs of devices between runs.

pub use wolfpath_core::cache::*;
pub use wolfpath_core::trusted::TrustError;
