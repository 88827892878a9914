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

/// Asked at every turn of a loop of unknown length.
#[inline]
pub fn go_on(turns: &mut u32) -> Checked<()> {
    *turns = turns.wrapping_add(1);
    Ok(())
}
