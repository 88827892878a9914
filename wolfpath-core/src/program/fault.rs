//! Faults: where Rust would panic, a program stops the run and says where.

use super::executable::Executable;

/// The result of a program's checked twin: the value, or the fault that stops the run.
#[doc(hidden)]
pub type Checked<T> = Result<T, Fault>;

/// Returns the value; panics with the fault's message, as the user's own function would.
pub(super) fn or_panic<P: Executable, T>(checked: Checked<T>) -> T {
    match checked {
        Ok(value) => value,
        Err(fault) => {
            let site = P::MODEL.faults.get(fault.site as usize);
            panic!("{}", site.map_or("the run was told to stop", |site| site.message))
        }
    }
}

/// A fault inside a program: the place in [`Model::faults`](super::Model::faults) where Rust would have panicked.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Index into the program's table of places.
    pub site: u32,
}

impl Fault {
    /// The site of no place in the program: the run was told to stop, by a cancel or its time limit, while the program
    /// was in a loop.
    pub const STOPPED: u32 = u32::MAX - 1;

    /// Whether the run was told to stop.
    pub const fn is_stop(self) -> bool {
        self.site == Fault::STOPPED
    }
}

/// One place in a program's text at which it can fault.
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
    /// The source file, as the compiler was given it.
    pub file: &'static str,
    /// The line in that file, from 1.
    pub line: u32,
    /// What Rust would have said, for example "attempt to add with overflow".
    pub message: &'static str,
}
