//! Faults: in situations in which Rust would panic, a program stops the run and reports the source location.

use super::executable::Executable;

/// The result of a checked twin (the copy of a program's function that engines call): the value, or the fault that
/// stops the run.
#[doc(hidden)]
pub type Checked<T> = Result<T, Fault>;

/// Returns the value, or panics with the fault's message, as the user's own function would.
pub(super) fn or_panic<P: Executable, T>(checked: Checked<T>) -> T {
    match checked {
        Ok(value) => value,
        Err(fault) => {
            let site = P::MODEL.faults.get(fault.site as usize);
            panic!("{}", site.map_or("the run was stopped", |site| site.message))
        }
    }
}

/// A fault inside a program: the site in [`Model::faults`](super::Model::faults) where Rust would have panicked.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Index into the program's table of sites.
    pub site: u32,
}

impl Fault {
    /// The site number of a run that was cancelled or reached its time limit inside one of the program's loops. No
    /// location in the program has this number.
    pub const STOPPED: u32 = u32::MAX - 1;

    /// Returns `true` if the run was cancelled or reached its time limit.
    pub const fn is_stop(self) -> bool {
        self.site == Fault::STOPPED
    }
}

/// A location in a program's source text where it can fault.
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::program::Model;
///
/// #[edge_program(combine = max)]
/// fn fuel_left(left: u32, needed: u32) -> Option<u32> {
///     assert!(needed > 0, "driving is never free");
///     left.checked_sub(needed)
/// }
///
/// let site = Model::of::<fuel_left>().faults[0];
/// assert_eq!((site.function, site.message), ("fuel_left", "driving is never free"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultSite {
    /// The function of the program, as the user named it.
    pub function: &'static str,
    /// The path of the source file, as passed to the compiler.
    pub file: &'static str,
    /// The line in that file, from 1.
    pub line: u32,
    /// Rust's panic message, for example "attempt to add with overflow".
    pub message: &'static str,
}
