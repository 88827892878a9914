//! Faults: where Rust would panic, a program stops the run and says where.

/// The result of a program's checked twin: the value, or the fault that stops the run.
pub type Checked<T> = Result<T, Fault>;

/// A fault inside a program: the place in [`Model::faults`](super::Model::faults) where Rust would have panicked.
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
