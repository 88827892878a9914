//! Predecessors and paths after runs over parts of a graph.

use wolfpath_core::program::EdgeProgram;

use super::run::rows_of;
use super::{GraphPart, Message, PartRan, PartRun, PartUse, PeerError, Peers, put, unreadable};
use crate::cpu::View;
use crate::error::{OutcomeError, RunError};
use crate::options::RunOptions;
use crate::predecessors::{Predecessors, check_paths};
use crate::start::Sources;

/// Predecessors of a part's own vertices.
#[derive(Debug)]
pub struct PartPredecessors(Predecessors);

/// Kind of a process's message about the path to a vertex.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// It does not have the vertex.
    Elsewhere,
    /// The vertex was not reached.
    NoPath,
    /// The ids from the vertex back to a source follow.
    ToSource,
    /// The ids from the vertex back to one of another process follow.
    ToAnother,
}

impl Told {
    const ALL: [Told; 4] = [Told::Elsewhere, Told::NoPath, Told::ToSource, Told::ToAnother];
}

fn failed(error: &dyn std::fmt::Display) -> OutcomeError {
    OutcomeError::Peer { message: error.to_string() }
}

impl<P: EdgeProgram> PartRan<P> {
    /// Finds the predecessors of own vertices, which are those in the whole graph. All processes must call this together, with
    /// what the same run returned, over their parts of the graph.
    ///
    /// # Errors
    ///
    /// Returns an error if the program has no paths, before anything is exchanged, if the runs differ, or if a process fails.
    pub fn predecessors(
        &self,
        part: &GraphPart,
        peers: &dyn Peers,
    ) -> Result<PartPredecessors, OutcomeError> {
        check_paths::<P>()?;
        let (ran, here) = (part.mirrors.len(), peers.processes());
        if ran != here {
            return Err(failed(&format!("{ran} processes shared the run, and there are {here}")));
        }
        let options = RunOptions::new().steps_at_most(self.stats.steps);
        PartRun::compare(peers, &self.program, &options, self.weights).map_err(|error| failed(&error))?;
        // If another process has failed, this changes nothing.
        let found = self.find(part, peers).inspect_err(|error| peers.abort(&error.to_string()));
        found.map_err(|error| failed(&error))
    }

    fn find(&self, part: &GraphPart, peers: &dyn Peers) -> Result<PartPredecessors, RunError> {
        let rows = rows_of::<P>(part.whole.is_symmetric_for::<P>(self.weights));
        let sources = Sources::found(&self.program, |id| Ok(part.own_vertex_of(id)))?;
        let bound = part.bind(&self.program)?;
        let program = bound.as_ref().unwrap_or(&self.program);
        part.prepare::<P>(peers, rows).map_err(|error| RunError::Peer { error })?;
        let run = PartUse { rows, weights: self.weights, gathers_only: false, lossy: true };
        let view = View::of_part(part, peers, program, run, u64::MAX)?;
        let found = Predecessors::search(&view, &sources, &self.values);
        let failure = || view.mirrors.as_ref().and_then(|mirrors| mirrors.failure());
        found.map(PartPredecessors).map_err(|halt| match failure() {
            Some(error) => RunError::Peer { error },
            None => view.error(halt),
        })
    }
}

impl PartPredecessors {
    /// Returns the predecessor of an own vertex, which may be a mirror.
    pub fn of(&self, v: u32) -> Option<u32> {
        self.0.of(v)
    }

    /// Returns the path from a source to the vertex with this id. All processes must call this together, and all get the path.
    /// In each exchange, the process that has the first vertex of the path so far tells the vertices before it, back to the
    /// first of another process.
    ///
    /// # Errors
    ///
    /// Returns an error if no process has the vertex, if the processes ask for different ones, or if a process fails.
    pub fn path_to(
        &self,
        part: &GraphPart,
        peers: &dyn Peers,
        id: u64,
    ) -> Result<Option<Vec<u64>>, OutcomeError> {
        let mut path = vec![id];
        loop {
            let (told, before) = self.next_stretch(part, peers, path[path.len() - 1])?;
            path.extend(before);
            match told {
                Told::Elsewhere => return Err(OutcomeError::UnknownVertex { id }),
                Told::NoPath => return Ok(None),
                // All processes know the path, so all find this.
                Told::ToAnother if path.len() > part.whole.vertices as usize => {
                    return Err(failed(&"their predecessors are not those of the same run"));
                }
                Told::ToAnother => {}
                Told::ToSource => {
                    path.reverse();
                    return Ok(Some(path));
                }
            }
        }
    }

    /// Exchanges a stretch of a path: the vertices before the one with this id, nearest first.
    fn next_stretch(
        &self,
        part: &GraphPart,
        peers: &dyn Peers,
        id: u64,
    ) -> Result<(Told, Vec<u64>), OutcomeError> {
        let mut message = Vec::new();
        put(&mut message, id);
        self.put_stretch(part, id, &mut message);
        let heard = peers.exchange(vec![message; peers.processes()]).map_err(|error| failed(&error))?;
        let mut stretch = (Told::Elsewhere, Vec::new());
        for (process, message) in heard.iter().enumerate() {
            let gives_up = |error: &PeerError| peers.abort(&error.to_string());
            let (theirs, told, before) =
                read_stretch(process, message).inspect_err(gives_up).map_err(|error| failed(&error))?;
            if theirs != id {
                // All processes find a difference.
                let error = format!(
                    "process {process} looks for the path to vertex {theirs}, and this one for that to {id}"
                );
                return Err(failed(&error));
            }
            if told != Told::Elsewhere {
                stretch = (told, before);
            }
        }
        Ok(stretch)
    }

    /// Appends what this process knows of the path to the vertex with this id.
    fn put_stretch(&self, part: &GraphPart, id: u64, message: &mut Vec<u8>) {
        let Some(mut v) = part.own_vertex_of(id) else { return message.push(Told::Elsewhere as u8) };
        if !self.0.is_on_a_path(v) {
            return message.push(Told::NoPath as u8);
        }
        let told = message.len();
        message.push(Told::ToSource as u8);
        while let Some(before) = self.of(v) {
            put(message, part.ids[before as usize]);
            if before >= part.own {
                message[told] = Told::ToAnother as u8;
                break;
            }
            v = before;
        }
    }
}

/// Reads what a process has told about the path to a vertex: the vertex's id, and those before it, nearest first.
fn read_stretch(process: usize, message: &[u8]) -> Result<(u64, Told, Vec<u64>), PeerError> {
    let mut message = Message(message);
    let mut read = || {
        let (id, told) = (message.u64()?, message.byte()?);
        let mut before = Vec::with_capacity(message.0.len() / 8);
        while !message.0.is_empty() {
            before.push(message.u64()?);
        }
        Some((id, *Told::ALL.get(usize::from(told))?, before))
    };
    let stretch = read().filter(|(_, told, before)| *told != Told::ToAnother || !before.is_empty());
    stretch.ok_or_else(|| unreadable(process, "a path"))
}
