//! Memory and disk space that reading and layering may use, and who is told of their progress.

pub use wolfpath_core::resources::Resources;
pub use wolfpath_core::space::SpaceError;
