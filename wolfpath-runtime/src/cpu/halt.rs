//! Faults, and where they happened.

use wolfpath_core::program::{Fault, FaultSite};

use crate::error::{FaultPlace, RunError};

/// Fault, and the edge or vertex where it happened, as internal indices. They are converted to ids when the run has
/// ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halt {
    pub(super) fault: Fault,
    pub(super) place: Place,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Edge(u32, u32),
    Vertex(u32),
    Step(u64),
}

/// A request to stop outside of the program's functions, which has no place.
impl From<Fault> for Halt {
    fn from(fault: Fault) -> Halt {
        debug_assert!(fault.is_stop(), "a fault of the program has a place");
        Halt { fault, place: Place::Vertex(0) }
    }
}

impl Halt {
    pub(crate) fn new(fault: Fault, place: Place) -> Halt {
        Halt { fault, place }
    }

    /// Returns a halt at a vertex, for tests.
    #[cfg(test)]
    pub(crate) fn at_test(v: u32) -> Halt {
        Halt { fault: Fault { site: 0 }, place: Place::Vertex(v) }
    }

    /// Returns the vertex of a halt at a vertex, for tests.
    #[cfg(test)]
    pub(crate) fn vertex(self) -> Option<u32> {
        match self.place {
            Place::Vertex(v) => Some(v),
            Place::Edge(..) | Place::Step(_) => None,
        }
    }

    /// Returns `true` if the run was requested to stop, rather than failing because of the program.
    pub(crate) fn is_stop(self) -> bool {
        self.fault.is_stop()
    }
}

/// Returns the error of a fault at `site`.
///
/// # Panics
///
/// Panics if the program has no such site.
pub(crate) fn fault_error(model: &wolfpath_core::program::Model, site: u32, place: FaultPlace) -> RunError {
    let sites = model.faults;
    assert!((site as usize) < sites.len(), "{} faulted at site {site} of {}", model.name, sites.len());
    let FaultSite { function, file, line, message } = sites[site as usize];
    RunError::Fault { program: model.name, place, message, function, file, line }
}
