//! Edges that were read but do not fit into memory: their ends are written to a working file, piece by piece.

use super::Piece;
use crate::resources::Resources;
use crate::space::SpaceError;
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps pieces in memory up to a limit, and the ends of all further ones in a file.
#[derive(Debug)]
pub struct Spill {
    folder: PathBuf,
    /// Bytes of ends that may stay in memory.
    limit: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    in_memory: u64,
    file: Option<File>,
    written: u64,
}

impl Spill {
    /// Returns an empty one.
    pub fn new(resources: &Resources) -> Spill {
        // Turning ids into ranks takes as much again at its end, and the rest is for the vertices.
        let limit = resources.budget() / 3;
        let folder = resources.scratch.clone().unwrap_or_else(std::env::temp_dir);
        Spill { folder, limit, state: Mutex::default() }
    }

    /// Keeps a piece in memory, or its ends in the file if the limit is reached.
    pub fn keep(&self, mut piece: Piece) -> Result<Piece, SpaceError> {
        let bytes = piece.end_bytes().len() as u64;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.in_memory + bytes <= self.limit {
            state.in_memory += bytes;
            return Ok(piece);
        }
        let offset = state.written;
        state
            .write(&self.folder, piece.end_bytes())
            .map_err(|error| self.disk_error(offset + bytes, error))?;
        piece.spilled_to(offset);
        Ok(piece)
    }

    /// Makes the ends in the file readable, once all pieces are kept. Returns `true` if there are any.
    pub fn finish(self, pieces: &mut [Piece]) -> Result<bool, SpaceError> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = &state.file else { return Ok(false) };
        // SAFETY: the file has no name, so that nobody else can open it, and nobody writes to it from now on.
        let map = unsafe { Mmap::map(file) }.map_err(|error| self.disk_error(state.written, error))?;
        let map = Arc::new(map);
        pieces.iter_mut().for_each(|piece| piece.found_in(&map));
        Ok(true)
    }

    fn disk_error(&self, bytes: u64, error: io::Error) -> SpaceError {
        SpaceError::Disk { folder: self.folder.clone(), bytes, error }
    }
}

impl State {
    fn write(&mut self, folder: &PathBuf, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(folder)?),
        };
        file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}
