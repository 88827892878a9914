//! Limits on the memory and disk space that reading and layering may use, and the receiver of their progress.

pub use wolfpath_core::resources::Resources;
pub use wolfpath_core::space::SpaceError;
