//! The `#[edge_program]` attribute of wolfpath.
