//! The fold of all values before a step, in step-by-step schedules other than the one in which everyone sends.
//!
//! Values are folded in a fixed tree: blocks of vertices in ascending order, groups of blocks, and all groups. Folds of
//! floats therefore have the same bits for any number of threads. Blocks keep their folds, so that a step folds only the
//! blocks in which it wrote a value.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use wolfpath_core::program::{AggregateOf, Aggregator, Datum, EdgeProgram};

use super::halt::Halt;
use super::mirrors::Mirrors;
use super::stepwise::part_of;
use super::tasks::{joined, lock, map_tasks};
use super::view::View;
use super::words::{Bits, fill};
use crate::part::{Message, put};

/// Number of vertices in a block.
pub(super) const BLOCK: usize = 256;

// Graphs are dealt to machines in blocks of the other size, which must consist of whole blocks of this one.
const _: () = assert!(super::stepwise::BLOCK.is_multiple_of(BLOCK));
const PER_DEALT: usize = super::stepwise::BLOCK / BLOCK;

/// Number of blocks in a group.
const GROUP: usize = 64;

/// Number of blocks above which threads share the work.
const ALONE: usize = 16;

/// Folds of blocks of values, and what is necessary to fold only some of them again.
pub(crate) struct Folds<P: EdgeProgram> {
    /// Of the whole graph, also in a run over a part.
    blocks: Vec<AggregateOf<P>>,
    groups: Vec<AggregateOf<P>>,
    /// Number of blocks of vertices whose values are here.
    own: usize,
    /// Step in which a value of each block was last written, and likewise of each group.
    written: Vec<AtomicU64>,
    written_groups: Vec<AtomicU64>,
    /// Values before the last step, by block, if the program reads them: those of the fold before.
    before: Vec<Mutex<Vec<Option<P::Value>>>>,
    /// The last fold, and the step before which the values had it.
    last: Option<(u64, AggregateOf<P>)>,
}

/// Values that are folded.
pub(crate) struct Folded<'f, 'a, P: EdgeProgram> {
    pub(crate) view: &'f View<'a, P>,
    pub(crate) values: &'f [P::Value],
    pub(crate) present: &'f Bits,
    /// Step before which the values are folded, and its level.
    pub(crate) step: u64,
    pub(crate) level: u64,
}

impl<P: EdgeProgram> Folds<P> {
    const FOLDS: bool = P::Aggregate::KIND.is_some();
    /// `true` if a fold depends on the step, so that all blocks must be folded again.
    const ALL: bool = P::MODEL.reads.aggregate_step;
    const READS_BEFORE: bool = P::MODEL.reads.vertex_before;

    /// Returns the state before the first fold; of no vertices unless `is_needed`.
    pub(crate) fn new(view: &View<'_, P>, is_needed: bool) -> Folds<P> {
        let blocks =
            |vertices: u32| if Self::FOLDS && is_needed { (vertices as usize).div_ceil(BLOCK) } else { 0 };
        let own = blocks(view.num_vertices());
        let all = view.mirrors.as_ref().map_or(own, |mirrors| {
            if Self::FOLDS && is_needed { PER_DEALT * mirrors.part.num_blocks() } else { 0 }
        });
        let before = if Self::READS_BEFORE { own } else { 0 };
        Folds {
            blocks: vec![P::Aggregate::identity(); all],
            groups: vec![P::Aggregate::identity(); all.div_ceil(GROUP)],
            own,
            written: fill(own as u32, 0),
            written_groups: fill(own.div_ceil(GROUP) as u32, 0),
            before: (0..before).map(|_| Mutex::new(vec![None; BLOCK])).collect(),
            last: None,
        }
    }

    /// Appends the values before the last step of the vertices of a block of the other size, if the program reads them: for
    /// each vertex whether it had one, and the value.
    pub(crate) fn put_before(&self, dealt: usize, record: &mut Vec<u8>) {
        for before in self.before.iter().skip(dealt * PER_DEALT).take(PER_DEALT) {
            for before in lock(before).iter() {
                record.push(u8::from(before.is_some()));
                put(record, before.unwrap_or_else(|| P::Value::from_bits(0)));
            }
        }
    }

    /// Returns the number of bytes that [`put_before`](Self::put_before) appends for so many vertices.
    pub(crate) const fn before_bytes(vertices: u64) -> u64 {
        match Self::FOLDS && Self::READS_BEFORE {
            true => vertices.next_multiple_of(BLOCK as u64) * (1 + P::Value::KIND.size() as u64),
            false => 0,
        }
    }

    /// Reads what [`put_before`](Self::put_before) has written.
    pub(crate) fn read_before(&mut self, dealt: usize, record: &mut Message<'_>) -> Option<()> {
        for before in self.before.iter().skip(dealt * PER_DEALT).take(PER_DEALT) {
            for before in lock(before).iter_mut() {
                let (has_value, value) = (record.byte()?, record.take(P::Value::KIND.size())?);
                *before = (has_value != 0).then(|| P::Value::read(value));
            }
        }
        Some(())
    }

    /// Continues after some steps, in the last of which every value counts as written.
    pub(crate) fn resume(&mut self, steps: u64) {
        let written = self.written.iter().chain(&self.written_groups);
        written.for_each(|written| written.store(steps, Relaxed));
        self.last = Some((steps, P::Aggregate::identity()));
    }

    /// Notes that a step writes the value of a vertex.
    #[inline(always)]
    pub(crate) fn note(&self, v: u32, step: u64) {
        if const { Self::FOLDS && !Self::ALL } {
            let block = v as usize / BLOCK;
            if self.written[block].load(Relaxed) != step {
                self.written[block].store(step, Relaxed);
                self.written_groups[block / GROUP].store(step, Relaxed);
            }
        }
    }

    /// Returns the fold of these values. Must be called before each step, in order.
    pub(crate) fn fold(&mut self, folded: &Folded<'_, '_, P>) -> Result<AggregateOf<P>, Halt> {
        if !Self::FOLDS {
            return Ok(P::Aggregate::identity());
        }
        match self.last {
            Some((step, fold)) if step == folded.step => return Ok(fold),
            _ => {}
        }
        let mut stale = self.stale(folded.step);
        let mut folds = self.fold_blocks(folded, &stale)?;
        if let Some(mirrors) = &folded.view.mirrors {
            (stale, folds) = tell_folds::<P>(mirrors, &stale, &folds)?;
        }
        stale.iter().zip(folds).for_each(|(&block, fold)| self.blocks[block] = fold);
        for group in stale.chunk_by(|a, b| a / GROUP == b / GROUP).map(|blocks| blocks[0] / GROUP) {
            let blocks = self.blocks[group * GROUP..].iter().take(GROUP);
            self.groups[group] = blocks.copied().fold(P::Aggregate::identity(), P::Aggregate::combine);
        }
        let fold = self.groups.iter().copied().fold(P::Aggregate::identity(), P::Aggregate::combine);
        self.last = Some((folded.step, fold));
        Ok(fold)
    }

    /// Returns the blocks whose folds may have changed, in ascending order: those that the last step wrote and, if the
    /// program reads the values before it, also those that the step before it wrote.
    fn stale(&self, step: u64) -> Vec<usize> {
        if Self::ALL || self.last.is_none() {
            return (0..self.own).collect();
        }
        let since = (step - 1 - u64::from(Self::READS_BEFORE)).max(1);
        let is_stale = |written: &AtomicU64| written.load(Relaxed) >= since;
        let groups = self.written_groups.iter().enumerate().filter(|(_, written)| is_stale(written));
        let blocks = groups.flat_map(|(group, _)| group * GROUP..((group + 1) * GROUP).min(self.own));
        blocks.filter(|&block| is_stale(&self.written[block])).collect()
    }

    /// Returns the folds of some blocks, or the first fault.
    fn fold_blocks(&self, folded: &Folded<'_, '_, P>, stale: &[usize]) -> Result<Vec<AggregateOf<P>>, Halt> {
        let is_first = self.last.is_none();
        let before = &self.before;
        let fold = |block: usize| {
            let mut before = before.get(block).map(lock);
            folded.block(block, before.as_mut().map(|before| before.as_mut_slice()), is_first)
        };
        if stale.len() <= ALONE {
            return stale.iter().map(|&block| fold(block)).collect();
        }
        let found = map_tasks(stale.len().div_ceil(ALONE), |task| {
            let blocks = stale[task * ALONE..].iter().take(ALONE);
            blocks.map(|&block| fold(block)).collect::<Result<Vec<_>, Halt>>()
        });
        joined(found)
    }
}

/// Tells the other processes of a run over parts the folds of own blocks. Returns those of all processes, and their places
/// among the blocks of the whole graph, in ascending order.
fn tell_folds<P: EdgeProgram>(
    mirrors: &Mirrors<'_>,
    own: &[usize],
    folds: &[AggregateOf<P>],
) -> Result<(Vec<usize>, Vec<AggregateOf<P>>), Halt> {
    let (size, blocks) = (AggregateOf::<P>::KIND.size(), &mirrors.part.blocks[mirrors.process()]);
    let mut told = Vec::with_capacity(own.len() * (4 + size));
    for (&block, fold) in own.iter().zip(folds) {
        // Graphs are dealt in larger blocks.
        let place = blocks[block / PER_DEALT] as usize * PER_DEALT + block % PER_DEALT;
        put(&mut told, place as u32);
        put(&mut told, *fold);
    }
    let mut found = Vec::new();
    let all = PER_DEALT * mirrors.part.num_blocks();
    for (process, message) in mirrors.tell_all(told)?.iter().enumerate() {
        let mut message = Message(message);
        while !message.0.is_empty() {
            let fold = message.u32().filter(|&place| (place as usize) < all).zip(message.take(size));
            let (place, fold) = fold.ok_or_else(|| mirrors.unreadable(process))?;
            found.push((place as usize, AggregateOf::<P>::read(fold)));
        }
    }
    found.sort_unstable_by_key(|&(place, _)| place);
    Ok(found.into_iter().unzip())
}

impl<P: EdgeProgram> Folded<'_, '_, P> {
    /// Returns the fold of one block. `before` are its values before the last step, unless the program does not read
    /// them, and are replaced by those of now. In the first fold, the values of now count as those before.
    fn block(
        &self,
        block: usize,
        mut before: Option<&mut [Option<P::Value>]>,
        is_first: bool,
    ) -> Result<AggregateOf<P>, Halt> {
        let Folded { view, values, present, step, level } = *self;
        let values = values[block * BLOCK..].iter().take(BLOCK);
        let mut fold = P::Aggregate::identity();
        for (offset, &value) in values.enumerate() {
            let v = (block * BLOCK + offset) as u32;
            if !present.get(v) {
                continue;
            }
            let held = before.as_mut().map(|before| before[offset].replace(value));
            let earlier = if is_first { Some(value) } else { held.flatten() };
            let part = part_of(view, view.program, v, view.degrees(v), value, earlier, (step, level))?;
            fold = P::Aggregate::combine(fold, part);
        }
        Ok(fold)
    }
}
