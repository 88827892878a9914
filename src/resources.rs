//! Memory limit, scratch folder and progress observer of reading and layering, and the error if space runs out.

pub use wolfpath_core::resources::Resources;
pub use wolfpath_core::space::SpaceError;
