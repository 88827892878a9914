//! Checks of indices, step widths and loops.

use wolfpath_core::program::{Checked, Fault};

/// Returns an index, or a fault if it is not below the length of the array.
#[inline]
pub fn index(at: usize, length: usize, site: u32) -> Checked<usize> {
    if at < length { Ok(at) } else { Err(Fault { site }) }
}

/// Returns the step width of a range, or a fault if it is zero.
#[inline]
pub fn step(width: usize, site: u32) -> Checked<usize> {
    if width != 0 { Ok(width) } else { Err(Fault { site }) }
}

/// Iterations of a loop between two checks whether the run has to stop.
const TURNS: u32 = 4096;

/// Returns [`Fault::STOPPED`] if the run has to stop. Called in every iteration of a loop of unknown length, so that
/// endless loops can be stopped. `turns` counts the iterations within one call of the program's function.
#[inline]
pub fn go_on(turns: &mut u32) -> Checked<()> {
    *turns = turns.wrapping_add(1);
    if turns.is_multiple_of(TURNS) { wolfpath_runtime::stop::look() } else { Ok(()) }
}
