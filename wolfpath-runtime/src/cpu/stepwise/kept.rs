//! The state of a step-by-step run, as a run over a part of a graph keeps it between two steps, and continues from it. Those
//! of accumulating programs (`portions/kept.rs`) have the same form.

use wolfpath_core::program::{AggregateOf, Datum, EdgeProgram};

use super::super::folds::Folds;
use super::super::frontier::Frontier;
use super::super::halt::Halt;
use super::super::mirrors::{Mirrors, each};
use super::super::tasks::map_tasks;
use super::super::words::{Bits, marked};
use super::{BLOCK, Computes, Shape, Stepwise};
use crate::part::{KeptState, Message, put};

/// Facts about a state that are the same in all processes.
pub(crate) struct Head<P: EdgeProgram> {
    /// Number of steps that were taken.
    pub(crate) steps: u64,
    level: u64,
    /// `true` if a vertex of any part makes another step necessary, even if no vertex sends in it.
    goes_on: bool,
    /// The fold that the program's `finished` has seen last.
    pub(crate) folded: Option<AggregateOf<P>>,
}

impl<P: EdgeProgram> Head<P> {
    /// Returns the head of a state that consists of a number of steps alone.
    pub(crate) fn after(steps: u64) -> Head<P> {
        Head { steps, level: 0, goes_on: false, folded: None }
    }

    /// Returns a state with these facts, and the records of the blocks of so many own vertices.
    pub(crate) fn state(&self, own: usize, record: impl Fn(usize) -> Vec<u8> + Sync) -> KeptState {
        let records = map_tasks(own.div_ceil(BLOCK), record);
        let mut state = KeptState { head: self.bytes(), ..KeptState::default() };
        state.records.reserve_exact(records.iter().map(Vec::len).sum());
        records.iter().for_each(|record| state.push(record));
        state
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, self.steps);
        put(&mut bytes, self.level);
        bytes.extend([u8::from(self.goes_on), u8::from(self.folded.is_some())]);
        if let Some(folded) = self.folded {
            put(&mut bytes, folded);
        }
        bytes
    }

    /// Reads what a run has kept. Returns `None` if it was one of another program.
    pub(crate) fn read(kept: &KeptState) -> Option<Head<P>> {
        let mut bytes = Message(&kept.head);
        let (steps, level) = (bytes.u64()?, bytes.u64()?);
        let (goes_on, has_folded) = (bytes.byte()? != 0, bytes.byte()? != 0);
        let folded = match has_folded {
            true => Some(AggregateOf::<P>::read(bytes.take(AggregateOf::<P>::KIND.size())?)),
            false => None,
        };
        Some(Head { steps, level, goes_on, folded })
    }
}

impl<P: EdgeProgram> Stepwise<'_, P> {
    /// Returns the state after some steps. `sends` are the vertices that send in the next
    /// step, unless all do. `folded` is the fold that the program's `finished` has seen last, and `folds` are those of the
    /// blocks, if they cannot be computed again.
    pub(crate) fn keep(
        &self,
        steps: u64,
        sends: Option<&Bits>,
        folded: Option<AggregateOf<P>>,
        folds: Option<&(dyn Fn(usize) -> AggregateOf<P> + Sync)>,
    ) -> KeptState {
        let own = self.view.num_vertices() as usize;
        let head = Head::<P> { steps, level: self.order.level(), goes_on: self.everywhere.goes_on, folded };
        head.state(own, |block| {
            let mut record = self.record(block, sends);
            if let Some(folds) = folds {
                put(&mut record, folds(block));
            }
            record
        })
    }

    /// Like [`keep`](Self::keep), for a run in which the frontier sends in the next step.
    pub(crate) fn keep_frontier(&self, steps: u64, frontier: &mut Frontier) -> KeptState {
        self.keep(steps, Some(frontier.marks(self.view.num_senders())), self.folded, None)
    }

    /// Returns the record of a block.
    fn record(&self, block: usize, sends: Option<&Bits>) -> Vec<u8> {
        let vertices = block * BLOCK..((block + 1) * BLOCK).min(self.view.num_vertices() as usize);
        let words = vertices.start / 64..vertices.end.div_ceil(64);
        let awake = (Self::COMPUTES == Computes::Awake).then_some(&self.awake);
        let mut record = Vec::with_capacity(vertices.len() * (P::Value::KIND.size() + 1));
        for bits in [Some(&self.present), sends, awake].into_iter().flatten() {
            words.clone().for_each(|word| put(&mut record, bits.word(word)));
        }
        let first = record.len();
        let size = P::Value::KIND.size();
        record.resize(first + size * vertices.len(), 0);
        let slots = record[first..].chunks_exact_mut(size.max(1));
        slots.zip(&self.values[vertices.clone()]).for_each(|(slot, value)| value.write(slot));
        if P::MODEL.has_priority {
            vertices.for_each(|v| put(&mut record, self.order.key(v as u32)));
        }
        self.folds.put_before(block, &mut record);
        record
    }

    /// Continues from a state. Returns the vertices that send in the next step, and those that wait to send.
    pub(super) fn resume(&mut self, kept: &KeptState) -> Result<Vec<u32>, Halt> {
        let read = self.read(kept);
        read.ok_or_else(|| self.view.mirrors.as_ref().expect("the run is one over a part").cannot_resume())
    }

    fn read(&mut self, kept: &KeptState) -> Option<Vec<u32>> {
        let head = Head::<P>::read(kept)?;
        self.order.raise(head.level);
        (self.goes_on, self.folded) = (head.goes_on, head.folded);
        let own = self.view.num_vertices() as usize;
        let mut first = Vec::new();
        for block in 0..own.div_ceil(BLOCK) {
            self.read_record(block, &mut Message(kept.record(block)), &mut first)?;
        }
        if Self::COMPUTES == Computes::Awake {
            self.goes_on = self.awake.marked(0..self.awake.words()).next().is_some();
        }
        self.folds.resume(head.steps);
        Some(first)
    }

    fn read_record(&mut self, block: usize, record: &mut Message<'_>, first: &mut Vec<u32>) -> Option<()> {
        let vertices = block * BLOCK..((block + 1) * BLOCK).min(self.view.num_vertices() as usize);
        let words = vertices.start / 64..vertices.end.div_ceil(64);
        for word in words.clone() {
            self.present.put_word(word, record.u64()?);
        }
        if const { !Shape::of::<P>().everyone_sends() } {
            for word in words.clone() {
                first.extend(marked(word, record.u64()?));
            }
        }
        if Self::COMPUTES == Computes::Awake {
            for word in words {
                self.awake.put_word(word, record.u64()?);
            }
        }
        let values = record.take(P::Value::KIND.size() * vertices.len())?;
        let places = &mut self.values[vertices.clone()];
        places.iter_mut().zip(each(values, vertices.len())).for_each(|(place, value)| *place = value);
        if P::MODEL.has_priority {
            for v in vertices {
                let key = record.u64()?;
                self.order.set(v as u32, key);
                if key != 0 {
                    first.push(v as u32);
                }
            }
        }
        self.folds.read_before(block, record)
    }
}

/// Returns the numbers of steps, visited edges and updates before a run, which are 0 unless it continues from a state.
pub(crate) fn counts_before<P: EdgeProgram>(mirrors: Option<&Mirrors<'_>>) -> (u64, u64, u64) {
    let Some(kept) = mirrors.and_then(Mirrors::resumed) else { return (0, 0, 0) };
    (Head::<P>::read(&kept).map_or(0, |head| head.steps), kept.edges, kept.updates)
}

/// Returns the number of bytes of the records of so many own vertices, as [`Stepwise::keep`] returns them.
pub(crate) fn record_bytes<P: EdgeProgram>(own: u64) -> u64 {
    let shape = const { Shape::of::<P>() };
    let bitmaps = [true, !shape.everyone_sends(), shape.computes() == Computes::Awake];
    let bitmaps = bitmaps.into_iter().filter(|&is_kept| is_kept).count() as u64;
    let key = if P::MODEL.has_priority { 8 } else { 0 };
    let folds = match (shape.everyone_sends(), P::MODEL.reads.vertex_before) {
        (true, true) => own.div_ceil(BLOCK as u64) * AggregateOf::<P>::KIND.size() as u64,
        (true, false) => 0,
        (false, _) => Folds::<P>::before_bytes(own),
    };
    bitmaps * own.div_ceil(64) * 8 + (P::Value::KIND.size() as u64 + key) * own + folds
}

/// Returns the folds of the blocks, which a run has kept after their records.
pub(crate) fn kept_folds<P: EdgeProgram>(kept: &KeptState) -> impl Iterator<Item = Option<AggregateOf<P>>> {
    let size = AggregateOf::<P>::KIND.size();
    (0..kept.ends.len()).map(move |block| {
        let record = kept.record(block);
        Some(AggregateOf::<P>::read(record.get(record.len().checked_sub(size)?..)?))
    })
}
