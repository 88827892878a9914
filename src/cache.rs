//! The cache folder: layered graphs, compiled programs and figures of devices that are kept between runs.

pub use wolfpath_core::cache::*;
pub use wolfpath_core::trusted::TrustError;
