//! A piece of an edge list: the edges that one thread reads, in input order, with ids as endpoints. A piece stores its
//! ids in 32 bits until an
//! id does not fit. The ids of nearly all large inputs fit, so this usually halves the memory. If pieces do not fit in
//! memory, their endpoints are written to a working file.

use crate::resources::Resources;
use crate::space::SpaceError;
use crate::weights::WeightBuilder;
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Edges in input order, with ids as endpoints, with or without weights.
#[derive(Debug, Default)]
pub struct Piece {
    pub(super) ends: Ends,
    /// The bitwise or of all ids, which is an upper bound on the ids.
    pub(super) bits: u64,
    /// One weight per edge; empty if edges have no weights.
    pub weights: WeightBuilder,
    /// The named columns, if there are any besides `weights`; empty in a piece without edges.
    pub columns: Vec<WeightBuilder>,
}

/// The source and the target of each edge.
#[derive(Debug)]
pub(super) enum Ends {
    Narrow(Vec<[u32; 2]>),
    Wide(Vec<[u64; 2]>),
    /// Endpoints in a working file. They can be read once the file is complete.
    Spilled(Spilled),
}

/// Endpoints in a working file.
#[derive(Debug)]
pub(super) struct Spilled {
    offset: u64,
    len: usize,
    wide: bool,
    file: Option<Arc<Mmap>>,
}

/// A borrowed slice with the source and target of each edge.
#[derive(Clone, Copy, Debug)]
pub(super) enum EndsSlice<'a> {
    Narrow(&'a [[u32; 2]]),
    Wide(&'a [[u64; 2]]),
}

impl Ends {
    pub(super) fn len(&self) -> usize {
        match self {
            Ends::Narrow(ends) => ends.len(),
            Ends::Wide(ends) => ends.len(),
            Ends::Spilled(spilled) => spilled.len,
        }
    }

    /// Returns the endpoints.
    ///
    /// # Panics
    /// Panics if they are in a working file that is not complete.
    pub(super) fn as_slice(&self) -> EndsSlice<'_> {
        match self {
            Ends::Narrow(ends) => EndsSlice::Narrow(ends),
            Ends::Wide(ends) => EndsSlice::Wide(ends),
            Ends::Spilled(spilled) => spilled.as_slice(),
        }
    }
}

impl Spilled {
    fn as_slice(&self) -> EndsSlice<'_> {
        let length = self.len * if self.wide { 16 } else { 8 };
        // Returning an empty slice instead would silently lose edges.
        let Some(file) = &self.file else {
            panic!("edges in a working file were read before the file was complete")
        };
        let begin = self.offset as usize;
        let bytes = &file[begin..begin + length];
        // The size of every piece is a multiple of 8 bytes, so every piece is aligned.
        if self.wide {
            EndsSlice::Wide(bytemuck::cast_slice(bytes))
        } else {
            EndsSlice::Narrow(bytemuck::cast_slice(bytes))
        }
    }
}

impl Default for Ends {
    fn default() -> Ends {
        Ends::Narrow(Vec::new())
    }
}

impl Piece {
    /// Returns a piece with capacity for the edges in `bytes` bytes of text.
    pub fn with_room_for_text(bytes: usize) -> Piece {
        // A line of a real graph is 8 to 20 bytes long.
        Piece { ends: Ends::Narrow(Vec::with_capacity(bytes / 12)), ..Piece::default() }
    }

    /// Appends an edge.
    #[inline]
    pub fn push(&mut self, source: u64, target: u64) {
        self.bits |= source | target;
        if let Ends::Narrow(ends) = &mut self.ends
            && (source | target) >> 32 == 0
        {
            ends.push([source as u32, target as u32]);
            return;
        }
        self.push_wide(source, target);
    }

    #[cold]
    fn push_wide(&mut self, source: u64, target: u64) {
        if let Ends::Narrow(ends) = &self.ends {
            self.ends = Ends::Wide(ends.iter().map(|edge| edge.map(u64::from)).collect());
        }
        if let Ends::Wide(ends) = &mut self.ends {
            ends.push([source, target]);
        }
    }

    /// Returns the number of edges.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns `true` if the piece is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `visit` with the ids of each edge's source and target, in order.
    ///
    /// # Panics
    /// Panics if they are in a working file that is not complete.
    pub fn visit(&self, mut visit: impl FnMut(u64, u64)) {
        match self.ends.as_slice() {
            EndsSlice::Narrow(ends) => {
                ends.iter().for_each(|&[source, target]| visit(source.into(), target.into()))
            }
            EndsSlice::Wide(ends) => ends.iter().for_each(|&[source, target]| visit(source, target)),
        }
    }

    /// Returns the endpoints as bytes, for a working file.
    fn end_bytes(&self) -> &[u8] {
        match self.ends.as_slice() {
            EndsSlice::Narrow(ends) => bytemuck::cast_slice(ends),
            EndsSlice::Wide(ends) => bytemuck::cast_slice(ends),
        }
    }

    /// Records that the endpoints were written to a working file at this offset, and frees their memory.
    fn spilled_to(&mut self, offset: u64) {
        let (len, wide) = (self.ends.len(), matches!(self.ends, Ends::Wide(_)));
        self.ends = Ends::Spilled(Spilled { offset, len, wide, file: None });
    }

    /// Attaches the complete working file, so that the endpoints can be read.
    fn found_in(&mut self, file: &Arc<Mmap>) {
        if let Ends::Spilled(spilled) = &mut self.ends {
            spilled.file = Some(Arc::clone(file));
        }
    }
}

/// Store for pieces. It keeps their endpoints in memory up to a limit, and writes the rest to a working file.
#[derive(Debug)]
pub struct Spill {
    folder: PathBuf,
    /// Maximum size of endpoints in memory, in bytes.
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
    /// Returns an empty `Spill`.
    pub fn new(resources: &Resources) -> Spill {
        // A third of the memory is for endpoints, a third for converting ids to ranks, and a third for the vertices.
        let limit = resources.budget() / 3;
        let folder = resources.scratch.clone().unwrap_or_else(std::env::temp_dir);
        Spill { folder, limit, state: Mutex::default() }
    }

    /// Keeps a piece in memory, or writes its endpoints to the file if the limit is reached.
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

    /// Makes the endpoints in the working file readable. Must be called after all pieces were kept. Returns `true` if
    /// any endpoints were written to the file.
    pub fn finish(self, pieces: &mut [Piece]) -> Result<bool, SpaceError> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = &state.file else { return Ok(false) };
        // SAFETY: the file has no name, so no other process can open it, and it is not written to after this point.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "before the file was complete")]
    fn ends_in_an_incomplete_file_are_not_read_as_none() {
        let mut piece = Piece::default();
        piece.push(1, 2);
        piece.spilled_to(0);
        piece.ends.as_slice();
    }
}
