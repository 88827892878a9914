//! Divided rows in steps in which every vertex sends: processes gather pieces of them for each other.

use wolfpath_core::program::{AccumulatorOf, EdgeProgram};

use super::super::gather::{Gathered, Messages, Receiver, put_gathered, read_gathered};
use super::super::halt::Halt;
use super::super::mirrors::Mirrors;
use super::super::stepwise::BLOCK;
use super::super::tasks::{joined, map_ranges};
use super::super::view::View;
use crate::part::{Message, PartPieces};

/// Smallest number of pieces in a task. Most are short.
const LEAST_PIECES: usize = 16;

/// The pieces that a process gathers, and the divided vertices whose pieces are gathered for it.
pub(super) struct Divided<'d> {
    pieces: &'d PartPieces,
    mirrors: &'d Mirrors<'d>,
    /// Blocks that have divided vertices, in ascending order.
    blocks: Vec<usize>,
}

impl<'d> Divided<'d> {
    /// Returns `None` if the graph has no divided rows.
    pub(super) fn of<P: EdgeProgram>(view: &'d View<'_, P>) -> Option<Divided<'d>> {
        let mirrors = view.mirrors.as_ref()?;
        let pieces = mirrors.part.pieces.as_ref()?;
        let mut blocks: Vec<usize> = pieces.divided.iter().map(|(v, _)| *v as usize / BLOCK).collect();
        blocks.dedup();
        Some(Divided { pieces, mirrors, blocks })
    }

    /// Returns the blocks that have divided vertices, in ascending order.
    pub(super) fn blocks(&self) -> &[usize] {
        &self.blocks
    }

    /// Gathers the messages over the pieces that this process has.
    pub(super) fn gather<P: EdgeProgram, M: Messages<P>>(
        &self,
        view: &View<'_, P>,
        messages: &M,
        first_suffices: bool,
    ) -> Result<Vec<Gathered<AccumulatorOf<P>>>, Halt> {
        let (own, receivers) = (view.num_vertices() as usize, &self.pieces.receivers);
        let ranges = map_ranges(receivers.len(), LEAST_PIECES, |range| {
            let gather = |piece: usize| {
                let v = receivers[piece];
                Receiver { view, messages, v, first_suffices }.gather_row((own + piece) as u32)
            };
            range.map(gather).collect::<Result<Vec<_>, Halt>>()
        });
        joined(ranges)
    }

    /// Tells the other processes what was gathered for their vertices. Calls `joined` for each divided vertex of this process
    /// with the results of its pieces, in the order of edges.
    pub(super) fn exchange<P: EdgeProgram>(
        &self,
        mut gathered: &[Gathered<AccumulatorOf<P>>],
        mut joined: impl FnMut(u32, &[Gathered<AccumulatorOf<P>>]) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let outgoing = self.pieces.held_for.iter().map(|&held| {
            let (own, others) = gathered.split_at(held);
            gathered = others;
            let mut message = Vec::new();
            own.iter().for_each(|&part| put_gathered::<P>(&mut message, part));
            message
        });
        let heard = self.mirrors.exchange(outgoing.collect())?;
        let mut expected = vec![0; heard.len()];
        self.pieces.places.iter().for_each(|&(process, _)| expected[process as usize] += 1);
        let mut results = Vec::with_capacity(heard.len());
        for ((process, message), expected) in heard.iter().enumerate().zip(expected) {
            let mut message = Message(message);
            let of_process =
                (0..expected).map(|_| read_gathered::<P>(&mut message)).collect::<Option<Vec<_>>>();
            let of_process = of_process.filter(|_| message.0.is_empty());
            results.push(of_process.ok_or_else(|| self.mirrors.unreadable(process))?);
        }
        let mut parts = Vec::new();
        for (v, places) in &self.pieces.divided {
            parts.clear();
            let places = &self.pieces.places[places.clone()];
            parts.extend(
                places.iter().map(|&(process, position)| results[process as usize][position as usize]),
            );
            joined(*v, &parts)?;
        }
        Ok(())
    }
}
