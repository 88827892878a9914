//! Indices, steps and loops.

use wolfpath_core::program::{Checked, Fault};

/// An index below the length of an array.
#[inline]
pub fn index(at: usize, length: usize, site: u32) -> Checked<usize> {
    if at < length { Ok(at) } else { Err(Fault { site }) }
}

/// The width of a range's steps, which is not zero.
#[inline]
pub fn step(width: usize, site: u32) -> Checked<usize> {
    if width != 0 { Ok(width) } else { Err(Fault { site }) }
}

/// Turns of a loop between two looks at what stops a run.
const TURNS: u32 = 4096;

/// Asked at every turn of a loop of unknown length: [`Fault::STOPPED`] when the run was told to stop, so that no loop is
/// endless. `turns` counts those of one call.
#[inline]
pub fn go_on(turns: &mut u32) -> Checked<()> {
    *turns = turns.wrapping_add(1);
    if turns.is_multiple_of(TURNS) { wolfpath_runtime::stop::look() } else { Ok(()) }
}
