//! What a build may use, and whom it tells how it goes on.

use std::path::PathBuf;

use crate::memory;
use crate::progress::Progress;
use crate::space::{Space, SpaceError};

/// What reading and layering may use.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// Bytes of memory; `None` for what is available. A build that needs more keeps its large arrays on the disk.
    pub memory: Option<u64>,
    /// The folder for working files; `None` for the system's. They have no names and are gone when the build ends,
    /// however it ends.
    pub scratch: Option<PathBuf>,
    /// Who is told how it goes on.
    pub progress: Progress,
}

impl Resources {
    /// Bytes of memory that a build may use.
    pub(crate) fn budget(&self) -> u64 {
        self.memory.or_else(memory::available).unwrap_or(u64::MAX)
    }

    /// The place for large arrays on the disk.
    #[doc(hidden)]
    pub fn on_disk(&self) -> Space {
        Space::Disk(self.scratch.clone().unwrap_or_else(std::env::temp_dir))
    }

    /// Where the large arrays of a build go that needs so many bytes in memory, or so many if they lie on the disk.
    pub(crate) fn space_for(&self, bytes: u64, bytes_with_disk: u64) -> Result<Space, SpaceError> {
        let budget = self.budget();
        if bytes <= budget {
            Ok(Space::Memory)
        } else if bytes_with_disk <= budget {
            Ok(self.on_disk())
        } else {
            Err(SpaceError::Memory { needed: bytes_with_disk, available: budget })
        }
    }
}
