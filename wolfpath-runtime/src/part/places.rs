//! The place of each edge among those along which its sender sends, in a part of a graph.
//!
//! A sender's edges are spread over the processes of its receivers, so its owner ranks them: the others tell it the ranks of
//! their receivers, and it answers with places. To bound the size of these messages, owners do this for a few vertices at a time.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::{GraphPart, Message, PartRows, PeerError, Peers, peer_error, put, put_number, unreadable};

/// Most edges that a process ranks at a time, unless a single vertex has more.
const MOST_EDGES: u64 = 1 << 17;

/// Bytes per edge of what a process that ranks edges hears, sorts, and answers.
const BYTES_PER_EDGE: u64 = 4 + size_of::<Ranked>() as u64 + 4;

/// Subject of the messages of this module, for errors.
const RANKING: &str = "ranking edges";

/// Lane of an edge, and its position there.
type Position = (usize, u64);

/// An edge as it is ranked: its sender, the rank of its receiver, the process that has told it, and its number among those of
/// that process.
type Ranked = (u32, u32, u32, usize);

/// Finds the places of edges.
pub(super) struct Ranking<'a> {
    pub(super) part: &'a GraphPart,
    pub(super) peers: &'a dyn Peers,
    /// Rows over which own vertices gather. Of edges between the same two vertices, those in the first rows come first.
    pub(super) lanes: Vec<&'a PartRows>,
}

impl Ranking<'_> {
    /// Returns the bytes that this takes for a moment in a process that ranks so many edges, if no vertex has more than
    /// [`MOST_EDGES`].
    pub(super) fn bytes(edges: u64) -> u64 {
        edges.min(MOST_EDGES) * BYTES_PER_EDGE
    }

    /// Finds the places of all edges over which own vertices gather, and keeps them with their rows. `sent` returns the number
    /// of edges along which an own vertex sends to all processes. All processes must call this together.
    pub(super) fn run(&self, sent: impl Fn(u32) -> u64) -> Result<(), PeerError> {
        if self.lanes.iter().all(|rows| rows.places.get().is_some()) {
            return Ok(());
        }
        let ends = self.ends(sent);
        let told: Vec<Vec<u32>> =
            (0..self.peers.processes()).map(|process| self.told(process, &ends)).collect();
        let asked = self.asked(&told)?;
        let rounds = asked.iter().map(Vec::len).max().unwrap_or(0);
        let mut places: Vec<Vec<u32>> = self.lanes.iter().map(|rows| vec![0; rows.ends.len()]).collect();
        for round in 0..rounds {
            self.round(round, &told, &asked, &mut places)?;
        }
        for (rows, places) in self.lanes.iter().zip(places) {
            rows.places.get_or_init(|| Arc::new(places));
        }
        Ok(())
    }

    /// Returns the ends of the ranges of own vertices whose edges are ranked at a time.
    fn ends(&self, sent: impl Fn(u32) -> u64) -> Vec<u32> {
        let (mut ends, mut first, mut edges) = (Vec::new(), 0, 0);
        for v in 0..self.part.own {
            if v > first && edges + sent(v) > MOST_EDGES {
                ends.push(v);
                (first, edges) = (v, 0);
            }
            edges += sent(v);
        }
        ends.push(self.part.own);
        ends
    }

    /// Returns where the ranges end in the list of own vertices whose receivers a process has.
    fn told(&self, process: usize, ends: &[u32]) -> Vec<u32> {
        let mirrored = &self.part.mirrored[process];
        let number = |&end: &u32| mirrored.partition_point(|&v| v < end) as u32;
        if process == self.peers.process() { ends.to_vec() } else { ends.iter().map(number).collect() }
    }

    /// Tells all processes where the ranges end. Returns where those of each process end in the list of its vertices whose
    /// receivers are here.
    fn asked(&self, told: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, PeerError> {
        let messages = told.iter().map(|ends| ends.iter().flat_map(|end| end.to_le_bytes()).collect());
        let heard = self.peers.exchange(messages.collect())?;
        let ends = heard.iter().enumerate().map(|(process, message)| {
            let ends: Vec<u32> = message.as_chunks().0.iter().map(|&end| u32::from_le_bytes(end)).collect();
            let is_own = process == self.peers.process();
            let all = if is_own { self.part.own as usize } else { self.part.mirrors[process].len() };
            let is_list = ends.is_sorted() && ends.last().is_some_and(|&end| end as usize == all);
            if is_list { Ok(ends) } else { Err(unreadable(process, RANKING)) }
        });
        ends.collect()
    }

    /// Returns the vertices of a range of a process's list: own vertices if the process is this one.
    fn listed(&self, lists: &[Vec<u32>], process: usize, ends: &[u32], round: usize) -> Vec<u32> {
        let end = |round: usize| ends.get(round).or(ends.last()).copied().unwrap_or(0);
        let range: Range<u32> = if round == 0 { 0..end(0) } else { end(round - 1)..end(round) };
        match process == self.peers.process() {
            true => range.collect(),
            false => lists[process][range.start as usize..range.end as usize].to_vec(),
        }
    }

    /// Finds the places of the edges of one range of each process's vertices.
    fn round(
        &self,
        round: usize,
        told: &[Vec<u32>],
        asked: &[Vec<u32>],
        places: &mut [Vec<u32>],
    ) -> Result<(), PeerError> {
        let (mut messages, mut positions) = (Vec::new(), Vec::new());
        for (process, ends) in asked.iter().enumerate() {
            let senders = self.listed(&self.part.mirrors, process, ends, round);
            let edges: Vec<Vec<(u32, Position)>> = senders.par_iter().map(|&v| self.edges_of(v)).collect();
            let mut message = Vec::new();
            for edges in &edges {
                put_number(&mut message, edges.len() as u64);
                edges.iter().for_each(|&(rank, _)| put(&mut message, rank));
            }
            messages.push(message);
            positions.push(edges.into_iter().flatten().map(|(_, position)| position).collect::<Vec<_>>());
        }
        let heard = self.peers.exchange(messages)?;
        let senders = |process: usize| self.listed(&self.part.mirrored, process, &told[process], round);
        let answers = self.peers.exchange(answers(&heard, senders)?)?;
        for (process, (answer, positions)) in answers.iter().zip(positions).enumerate() {
            if answer.len() != 4 * positions.len() {
                return Err(unreadable(process, RANKING));
            }
            for (&place, (lane, position)) in answer.as_chunks().0.iter().zip(positions) {
                places[lane][position as usize] = u32::from_le_bytes(place);
            }
        }
        Ok(())
    }

    /// Returns the edges from a sender to own vertices, ascending by the receiver's rank.
    fn edges_of(&self, sender: u32) -> Vec<(u32, Position)> {
        let mut edges = Vec::new();
        for (lane, rows) in self.lanes.iter().enumerate() {
            let sends = rows.sends(self.part.num_senders());
            let receivers = sends.rows().row(sender);
            let positions = &rows.positions(sends)[sends.rows().range(sender)];
            edges.extend(
                receivers.iter().zip(positions).map(|(&v, &at)| (self.part.ranks[v as usize], (lane, at))),
            );
        }
        edges.sort_unstable();
        edges
    }
}

/// Ranks the edges that processes have told, each those of its `senders`, and returns their places in the same order.
fn answers(heard: &[Vec<u8>], senders: impl Fn(usize) -> Vec<u32>) -> Result<Vec<Vec<u8>>, PeerError> {
    let (mut edges, mut answers) = (Vec::<Ranked>::new(), Vec::new());
    for (process, message) in heard.iter().enumerate() {
        let (mut message, first) = (Message(message), edges.len());
        let mut read = |sender: u32| {
            for _ in 0..message.number()? {
                edges.push((sender, message.u32()?, process as u32, edges.len() - first));
            }
            Some(())
        };
        let is_read = senders(process).into_iter().all(|sender| read(sender).is_some());
        if !is_read || !message.0.is_empty() {
            return Err(unreadable(process, RANKING));
        }
        answers.push(vec![0; 4 * (edges.len() - first)]);
    }
    edges.par_sort_unstable();
    for edges in edges.chunk_by(|one, other| one.0 == other.0) {
        if edges.len() as u64 > 1 << u32::BITS {
            let error = "a vertex has more than 4294967296 edges, so their places need more than 32 bits";
            return Err(peer_error(error.to_owned()));
        }
        for (place, &(_, _, process, number)) in (0u64..).zip(edges) {
            answers[process as usize][4 * number..][..4].copy_from_slice(&(place as u32).to_le_bytes());
        }
    }
    Ok(answers)
}
