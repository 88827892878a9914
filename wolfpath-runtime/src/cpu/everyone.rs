//! Steps in which every vertex sends ([`Senders::All`](wolfpath_core::program::Senders::All) without a `sends`): every
//! vertex gathers and computes its new value.
//!
//! A step is one pass over blocks of vertices. While a vertex's new value is at hand, the pass also computes what the
//! next step needs of it: its part of the fold and, if messages depend on their sender alone, its message. Long rows
//! are gathered before the pass, in pieces.
//!
//! In a run over a part of a graph, other processes may have pieces of rows. Everything is gathered first then, and what was
//! gathered over pieces is exchanged. Only the blocks with divided vertices are computed after the exchange.

mod divided;
mod pass;

use std::sync::Arc;

use wolfpath_core::program::{AggregateOf, Aggregator, CombineKind, Combiner, EdgeProgram};

use self::divided::Divided;
use self::pass::{Marks, Pass};
use super::gather::{Gathered, Messages, Receiver};
use super::halt::Halt;
use super::long_rows::{look_at_rows, vertices_of, words_of};
use super::mirrors::put_values;
use super::outcome::Values;
use super::shelf::KnownRows;
use super::stepwise::{BLOCK, Head, StepContext, Stepwise, hear_folds, kept_folds, of_all_blocks, part_of};
use super::tasks::{Blocks, map_tasks, try_each_task};
use super::together::{Incoming, MANY, Together, WordDegrees};
use super::view::{LoadOf, Loaded, View};
use super::words::Bits;
use crate::part::{KeptState, Message};
use crate::shape::Shape;

/// State of a run in which every vertex computes.
pub(crate) struct Everyone<'a, P: EdgeProgram> {
    pub(crate) stepwise: Stepwise<'a, P>,
    /// Values that a step writes, if receivers read values meanwhile; otherwise empty.
    fresh: Vec<P::Value>,
    /// Vertices that have a value after the step, likewise. A vertex that gets its first value does not send it before
    /// the next step.
    fresh_present: Bits,
    /// Messages of this step and of the next one, if they depend on their sender alone.
    sent: Sent<P::Message>,
    next: Sent<P::Message>,
    /// Values of an earlier outcome, which the first step reads instead of `stepwise.values`.
    earlier: Option<Arc<Values<P::Value>>>,
    blocks: Vec<Block<P>>,
    /// Folds of the blocks of all parts of the graph, in a run over a part.
    folds_of_all: Vec<AggregateOf<P>>,
    rows: Arc<KnownRows>,
    /// `true` if the first message to a vertex suffices.
    first_suffices: bool,
    /// `true` if `blocks` and `sent` are those of the next step.
    is_ahead: bool,
    /// `true` if at least the folds of `blocks` are.
    has_folds: bool,
    /// The step for which they were computed.
    ahead_of: u64,
    /// `true` if the run continues an earlier one. It then leaves `blocks` and `sent` to the run that continues it.
    is_chained: bool,
    /// Fold of the values before the next step, if it has already been computed for `finished`.
    folded: Option<AggregateOf<P>>,
}

/// What a run computed for the first step of a run that continues it with the same program.
struct Ahead<P: EdgeProgram> {
    /// Parameters of the program, and the numbers that identify its inputs.
    program: (Vec<u8>, Vec<u64>),
    sent: Sent<P::Message>,
    blocks: Vec<Block<P>>,
}

/// Returns what identifies a program among those of its type.
fn identity_of<P: EdgeProgram>(program: &P) -> (Vec<u8>, Vec<u64>) {
    (program.parameters(), program.inputs().iter().map(|input| input.number()).collect())
}

/// Messages by sender.
struct Sent<M> {
    messages: Vec<M>,
    /// Vertices that send, if not all of those with edges do.
    marks: Bits,
    all_send: bool,
}

/// Result of a pass over one block, for the next step.
struct Block<P: EdgeProgram> {
    /// Fold of the block's values.
    fold: AggregateOf<P>,
    /// First fault in computing the fold.
    fold_fault: Option<Halt>,
    /// First fault in computing the block's messages.
    message_fault: Option<Halt>,
    /// `true` if a vertex with edges sends no message.
    is_silent: bool,
    /// `true` if a vertex changed.
    changed: bool,
}

impl<P: EdgeProgram> Block<P> {
    fn new() -> Block<P> {
        Block {
            fold: P::Aggregate::identity(),
            fold_fault: None,
            message_fault: None,
            is_silent: false,
            changed: false,
        }
    }

    /// Adds a vertex to the fold before `step`. `before` is its value before the last step. A fault is kept until the
    /// step begins, which may never happen.
    #[inline(always)]
    fn add(
        &mut self,
        view: &View<'_, P>,
        program: &P,
        v: u32,
        (value, before): (Option<P::Value>, Option<P::Value>),
        step: u64,
    ) {
        if let (Some(_), Some(value)) = (P::Aggregate::KIND, value) {
            match part_of(view, program, v, view.degrees(v), value, before, (step, 0)) {
                Ok(part) => self.fold = P::Aggregate::combine(self.fold, part),
                Err(halt) => self.fold_fault = self.fold_fault.or(Some(halt)),
            }
        }
    }

    /// Computes the message of a vertex in `slot`, if messages depend on their sender alone. Returns `true` if there is a
    /// message. A fault is kept until the next step begins.
    #[inline(always)]
    fn send(
        &mut self,
        view: &View<'_, P>,
        program: &P,
        v: u32,
        value: Option<P::Value>,
        slot: Option<&mut P::Message>,
    ) -> bool {
        let Some(slot) = slot else { return false };
        // A vertex without edges sends nothing, so its message must not be computed and cannot fault.
        if !view.has_receivers(v) {
            return false;
        }
        let out_degree = view.sender_out_degree(v);
        match value
            .map_or(Ok(None), |value| view.message_from(program, value, Loaded::of_any(), v, v, out_degree))
        {
            Ok(Some(message)) => {
                *slot = message;
                return true;
            }
            Ok(None) => self.is_silent = true,
            Err(halt) => {
                let halt = view.along_first_edge(halt, v);
                self.message_fault = self.message_fault.or(Some(halt));
            }
        }
        false
    }
}

/// The messages that receivers gather in a step.
struct OfAll<'s, P: EdgeProgram> {
    values: &'s [P::Value],
    present: &'s Bits,
    sent: &'s Sent<P::Message>,
    /// Messages by sender, if all vertices with edges send.
    all: Option<&'s [P::Message]>,
    context: &'s StepContext<P>,
}

impl<P: EdgeProgram> Messages<P> for OfAll<'_, P> {
    #[inline]
    fn along(
        &self,
        view: &View<'_, P>,
        sender: u32,
        weight: LoadOf<P>,
        receiver: u32,
    ) -> Result<Option<P::Message>, Halt> {
        if const { alone::<P>() } {
            let sends = self.sent.all_send || self.sent.marks.get(sender);
            return Ok(sends.then(|| self.sent.messages[sender as usize]));
        }
        if !self.present.get(sender) {
            return Ok(None);
        }
        view.message_in(self.context, self.values[sender as usize], weight, sender, receiver)
    }

    #[inline(always)]
    fn all(&self) -> Option<&[P::Message]> {
        self.all
    }
}

/// Returns `true` if the program reads values before the last step. They are only known while a step is taken, so each
/// step folds the values that it writes, also the last one.
const fn reads_before<P: EdgeProgram>() -> bool {
    P::MODEL.reads.vertex_before
}

/// Returns `true` if messages depend on their sender alone.
const fn alone<P: EdgeProgram>() -> bool {
    Shape::of::<P>().message_depends_on_sender_alone()
}

impl<'a, P: EdgeProgram> Everyone<'a, P> {
    /// Returns the state before the first step. `earlier` are the first values, unless `stepwise` has them.
    pub(crate) fn new(
        stepwise: Stepwise<'a, P>,
        earlier: Option<Arc<Values<P::Value>>>,
        uniform: bool,
    ) -> Everyone<'a, P> {
        let (n, receivers) = (stepwise.values.len(), stepwise.view.num_vertices() as usize);
        let (messages, values) = if alone::<P>() { (n, 0) } else { (0, n) };
        let (view, shelf) = (stepwise.view, &stepwise.view.shelf);
        let ahead = earlier.as_ref().and_then(|earlier| shelf.take_ahead::<Ahead<P>>(earlier.number));
        let ahead = ahead.filter(|ahead| ahead.program == identity_of(view.program));
        let is_ahead = ahead.is_some();
        let sent =
            || Sent { messages: shelf.take(messages), marks: Bits::new(messages as u32), all_send: false };
        let any = <P::Combine as Combiner<P::Message>>::KIND == CombineKind::Any;
        let next = sent();
        let known = || look_at_rows::<P>(view, Receiver::<P, OfAll<'_, P>>::AT_ONCE);
        let (sent, blocks) = match ahead {
            Some(ahead) => (ahead.sent, ahead.blocks),
            None => (sent(), (0..receivers.div_ceil(BLOCK)).map(|_| Block::new()).collect()),
        };
        Everyone {
            fresh: shelf.take(values),
            fresh_present: Bits::new(values as u32),
            sent,
            next,
            // In the next run, the values before the first step would be others.
            is_chained: earlier.is_some() && !reads_before::<P>(),
            earlier,
            blocks,
            folds_of_all: view.mirrors.as_ref().map_or_else(Vec::new, of_all_blocks::<P>),
            rows: if Receiver::<P, OfAll<'_, P>>::AT_ONCE {
                Arc::new(known())
            } else {
                shelf.rows(view.rows, known)
            },
            first_suffices: uniform || any,
            is_ahead,
            has_folds: is_ahead,
            ahead_of: 1,
            folded: None,
            stepwise,
        }
    }

    /// Returns the state after some steps.
    pub(crate) fn keep(&self, steps: u64) -> KeptState {
        let Everyone { stepwise, blocks, folded, .. } = self;
        // Other folds are computed again from the values.
        let folds = |block: usize| blocks[block].fold;
        stepwise.keep(steps, None, *folded, const { reads_before::<P>() }.then_some(&folds))
    }

    /// Continues from the state of an earlier run, if there is one.
    pub(crate) fn resume(&mut self) -> Result<(), Halt> {
        let Some(mirrors) = &self.stepwise.view.mirrors else { return Ok(()) };
        let Some(kept) = mirrors.resumed() else { return Ok(()) };
        let head = Head::<P>::read(&kept).ok_or_else(|| mirrors.cannot_resume())?;
        self.folded = head.folded;
        if const { !reads_before::<P>() } {
            return Ok(());
        }
        for (block, fold) in self.blocks.iter_mut().zip(kept_folds::<P>(&kept)) {
            block.fold = fold.ok_or_else(|| mirrors.cannot_resume())?;
        }
        (self.has_folds, self.ahead_of) = (true, head.steps + 1);
        self.tell(false, true, false).map(drop)
    }

    /// Takes one step. Returns `true` if a vertex changed. `is_last` is `true` if no step can follow.
    pub(crate) fn step(&mut self, step: u64, is_last: bool) -> Result<bool, Halt> {
        if !self.is_ahead {
            self.prepare(step)?;
        }
        let context = self.context(step)?;
        // A program with loops may not end them for a step that is never taken.
        self.is_ahead = (!is_last || self.is_chained) && !P::MODEL.has_loops;
        // Steps of the next run are counted from 1 again.
        self.ahead_of = if is_last && !reads_before::<P>() { 1 } else { step + 1 };
        self.has_folds = self.is_ahead || reads_before::<P>();
        self.pass(&context)?;
        std::mem::swap(&mut self.sent, &mut self.next);
        if !alone::<P>() {
            std::mem::swap(&mut self.stepwise.values, &mut self.fresh);
            std::mem::swap(&mut self.stepwise.present, &mut self.fresh_present);
        }
        let changed = self.blocks.iter().any(|block| block.changed);
        self.tell(changed, self.has_folds, self.is_ahead)
    }

    /// Tells the other processes of a run over parts whether a vertex `changed`, and what they need to know for the next step:
    /// the folds of the blocks, and what the vertices send. Returns `true` if a vertex changed in any part.
    fn tell(&mut self, changed: bool, folds: bool, sends: bool) -> Result<bool, Halt> {
        let Everyone { stepwise, sent, blocks, folds_of_all, .. } = self;
        let Stepwise { view, values, present, .. } = stepwise;
        let Some(mirrors) = &view.mirrors else { return Ok(changed) };
        let folds = folds && P::Aggregate::KIND.is_some();
        let mut head = vec![u8::from(changed), u8::from(sent.all_send)];
        if folds {
            // A fold without the vertices after a fault would look right to the others.
            if let Some(fault) = blocks.iter().find_map(|block| block.fold_fault) {
                return Err(fault);
            }
            put_values(&mut head, blocks.len(), blocks.iter().map(|block| block.fold));
        }
        let mut messages = vec![head; mirrors.processes()];
        if sends && alone::<P>() {
            let marks = (!sent.all_send).then_some(&sent.marks);
            mirrors.add_values(&mut messages, marks, |v| sent.messages[v as usize]);
        } else if sends {
            mirrors.add_values(&mut messages, Some(present), |v| values[v as usize]);
        }
        let heard = mirrors.exchange(messages)?;
        let mut changed_anywhere = false;
        let mut heard: Vec<Message<'_>> = heard.iter().map(|message| Message(message)).collect();
        for (process, message) in heard.iter_mut().enumerate() {
            let head = message.byte().zip(message.byte());
            let (changed, all_send) = head.ok_or_else(|| mirrors.unreadable(process))?;
            changed_anywhere |= changed != 0;
            // How values are folded depends on it, so it is a property of the whole graph.
            sent.all_send &= all_send != 0;
            if folds {
                hear_folds::<P>(mirrors, process, message, folds_of_all)?;
            }
        }
        if sends && alone::<P>() {
            sent.marks.clear_from(view.num_vertices());
            // The marks are unused if all vertices send.
            let marks = (!sent.all_send).then_some(&sent.marks);
            for (process, message) in heard.iter_mut().enumerate() {
                mirrors.hear_into(process, message, &mut sent.messages, marks)?;
            }
        } else if sends {
            for (process, message) in heard.iter_mut().enumerate() {
                mirrors.hear_into(process, message, values, Some(present))?;
            }
        }
        Ok(changed_anywhere)
    }

    /// Returns the fold of all values before `step`.
    pub(crate) fn fold(&self, step: u64) -> Result<AggregateOf<P>, Halt> {
        if self.has_folds && (self.ahead_of == step || !P::MODEL.reads.aggregate_step) {
            return self.folds();
        }
        // Messages of a step that may never be taken are not computed here.
        let values = self.earlier.as_ref().map_or(&self.stepwise.values, |earlier| &earlier.values);
        self.stepwise.fold_of(values, step)
    }

    /// Returns `true` if the program's `finished` ends the run after `step`, which is 0 before the first step.
    pub(crate) fn is_finished(&mut self, step: u64) -> Result<bool, Halt> {
        let now = self.fold(step + 1)?;
        match self.folded.replace(now) {
            Some(before) => self.stepwise.view.finished(before, now, step),
            None => Ok(false),
        }
    }

    /// Computes the fold, unless the last step has, and the messages of a step from the values before it.
    fn prepare(&mut self, step: u64) -> Result<(), Halt> {
        let has_folds = self.has_folds;
        if alone::<P>() || !has_folds && P::Aggregate::KIND.is_some() {
            self.prepare_blocks(step)?;
        }
        self.tell(false, !has_folds, true).map(drop)
    }

    fn prepare_blocks(&mut self, step: u64) -> Result<(), Halt> {
        let has_folds = self.has_folds;
        let Everyone { stepwise, earlier, sent, blocks, rows, .. } = self;
        let Stepwise { view, values, present, .. } = &*stepwise;
        let values = earlier.as_ref().map_or(values, |earlier| &earlier.values);
        let values = &values[..view.num_vertices() as usize];
        let results = Blocks::new(blocks, 1);
        let messages = Blocks::new(&mut sent.messages, BLOCK);
        let marks = &sent.marks;
        try_each_task(results.len(), &|at| {
            let mut block = Block::new();
            if has_folds {
                let Block { fold, fold_fault, .. } = results.take(at)[0];
                block = Block { fold, fold_fault, ..block };
            }
            let mut messages = alone::<P>().then(|| messages.take(at));
            let mut degrees = WordDegrees::new();
            for word in words_of(at, values.len()) {
                let mut sends = 0;
                if const { alone::<P>() && Together::<P>::APPLIES }
                    && present.word(word) == u64::MAX
                    && let Some(values) = values[MANY * word..].first_chunk()
                    && let Some(messages) = &mut messages
                    && let Some(slots) = messages[MANY * word % BLOCK..].first_chunk_mut()
                    && let Some(together) =
                        Together::without_messages(view, view.program, (MANY * word) as u32, &mut degrees)
                {
                    if !has_folds {
                        together.add(values, None, step, &mut block)?;
                    }
                    let sends = together.look_ahead(values, slots, &rows.with_edges, &mut block)?;
                    marks.put_word(word, sends);
                    continue;
                }
                for v in vertices_of(word, values.len()) {
                    let value = present.get(v).then(|| values[v as usize]);
                    let slot = messages.as_mut().map(|messages| &mut messages[v as usize % BLOCK]);
                    if !has_folds {
                        block.add(view, view.program, v, (value, value), step);
                    }
                    sends |= u64::from(block.send(view, view.program, v, value, slot)) << (v % 64);
                }
                if alone::<P>() {
                    marks.put_word(word, sends);
                }
            }
            results.take(at)[0] = block;
            Ok(())
        })?;
        drop((results, messages));
        sent.all_send = !blocks.iter().any(|block| block.is_silent);
        Ok(())
    }

    /// Returns the step, with the fold of all values before it. Returns the first fault in computing the fold or else
    /// the messages.
    fn context(&self, step: u64) -> Result<StepContext<P>, Halt> {
        let aggregate = self.folds()?;
        match self.blocks.iter().find_map(|block| block.message_fault) {
            Some(fault) => Err(fault),
            None => Ok(StepContext { step, level: 0, aggregate }),
        }
    }

    /// Returns the fold of all blocks, or the first fault in computing it.
    fn folds(&self) -> Result<AggregateOf<P>, Halt> {
        let mut aggregate = P::Aggregate::identity();
        for block in &self.blocks {
            if let Some(fault) = block.fold_fault {
                return Err(fault);
            }
            aggregate = P::Aggregate::combine(aggregate, block.fold);
        }
        if self.stepwise.view.mirrors.is_some() {
            let folds = self.folds_of_all.iter().copied();
            return Ok(folds.fold(P::Aggregate::identity(), P::Aggregate::combine));
        }
        Ok(aggregate)
    }

    /// Gathers the messages to all vertices, and computes and writes their new values.
    fn pass(&mut self, context: &StepContext<P>) -> Result<(), Halt> {
        let mut among = std::mem::take(&mut self.stepwise.among);
        let before = self.earlier.as_ref().map_or(&self.stepwise.values, |earlier| &earlier.values);
        self.stepwise.copy_before(before, &mut among)?;
        let Everyone {
            stepwise,
            fresh,
            fresh_present,
            sent,
            next,
            earlier,
            blocks,
            rows,
            first_suffices,
            is_ahead,
            has_folds,
            ahead_of,
            ..
        } = self;
        let next_step = *ahead_of;
        let KnownRows { with_edges, hubs, hub_pieces } = &**rows;
        let (first_suffices, is_ahead, folds) = (*first_suffices, *is_ahead, *has_folds);
        let Stepwise { view, values, present, .. } = stepwise;
        let (view, present) = (*view, &*present);
        let written_present = if alone::<P>() { present } else { &*fresh_present };
        // Either values or messages are read while the values are written.
        let first_values = earlier.as_ref().map(|earlier| earlier.values.as_slice());
        let (read, written) = if alone::<P>() {
            (&[][..], values.as_mut_slice())
        } else {
            (first_values.unwrap_or(values), fresh.as_mut_slice())
        };
        let written = &mut written[..view.num_vertices() as usize];
        let sent = &*sent;
        let all = (alone::<P>() && sent.all_send).then_some(sent.messages.as_slice());
        let messages = OfAll { values: read, present, sent, all, context };
        let of_hubs: Vec<_> = map_tasks(hub_pieces.len(), |task| {
            let (v, lane, piece) = &hub_pieces[task];
            let lane = view.gather_lanes().nth(*lane).expect("a hub's lane is gathered over");
            Receiver { view, messages: &messages, v: *v, first_suffices }.gather_piece(lane, piece.clone())
        });
        let of_hubs = of_hubs.into_iter().collect::<Result<Vec<Gathered<_>>, Halt>>()?;
        let (results, values) = (Blocks::new(blocks, 1), Blocks::new(written, BLOCK));
        let (next_messages, next_marks) = (Blocks::new(&mut next.messages, BLOCK), &next.marks);
        let pass = |at: usize| Pass {
            messages: &messages,
            hubs,
            of_hubs: &of_hubs,
            gathered: None,
            context,
            next_step,
            first_suffices,
            among: &among,
            first: (at * BLOCK) as u32,
            is_ahead,
            folds,
            with_edges,
        };
        let compute = |at: usize, gathered: Option<&[Incoming<P::Message>]>| {
            let mut slots = alone::<P>().then(|| next_messages.take(at));
            let pass = Pass { gathered, ..pass(at) };
            let slots = slots.as_mut().map_or(&mut [][..], |slots| slots);
            let marks = Marks { present: written_present, sends: next_marks };
            let mut cells = values.take(at);
            if let Some(first_values) = first_values.filter(|_| alone::<P>()) {
                let length = cells.len();
                cells.copy_from_slice(&first_values[at * BLOCK..][..length]);
            }
            results.take(at)[0] = pass.block(view, view.program, &mut cells, slots, marks)?;
            Ok(())
        };
        match Divided::of(view) {
            None => try_each_task(results.len(), &|at| compute(at, None))?,
            Some(divided) => {
                let later = divided.blocks();
                let parts = divided.gather(view, &messages, first_suffices)?;
                let gathered = map_tasks(later.len(), |task| {
                    let vertices = BLOCK.min(view.num_vertices() as usize - later[task] * BLOCK);
                    pass(later[task]).gather_words(view, vertices)
                });
                let mut gathered = gathered.into_iter().collect::<Result<Vec<_>, Halt>>()?;
                // The results of other processes are only waited for when there is nothing else to gather.
                try_each_task(results.len(), &|at| match later.binary_search(&at) {
                    Ok(_) => Ok(()),
                    Err(_) => compute(at, None),
                })?;
                divided.exchange::<P>(&parts, |v, parts| {
                    let message = Receiver { view, messages: &messages, v, first_suffices }.join(parts)?;
                    let (block, offset) = (v as usize / BLOCK, v as usize % BLOCK);
                    let at = later.binary_search(&block).expect("blocks of divided vertices come later");
                    gathered[at][offset / MANY].put(offset % MANY, message);
                    Ok(())
                })?;
                try_each_task(later.len(), &|task| compute(later[task], Some(&gathered[task])))?;
            }
        }
        drop((results, next_messages));
        *earlier = None;
        stepwise.among = among;
        next.all_send = !blocks.iter().any(|block| block.is_silent);
        Ok(())
    }

    /// Returns the values of the run.
    pub(crate) fn finish(self) -> Values<P::Value> {
        let Everyone { mut stepwise, fresh, earlier, sent, next, blocks, is_ahead, ahead_of, .. } = self;
        let view = stepwise.view;
        if let Some(earlier) = earlier {
            // The run took no step, so its values are still those of the earlier outcome.
            stepwise.values.copy_from_slice(&earlier.values);
        }
        let values = stepwise.finish();
        view.shelf.give(next.messages);
        view.shelf.give(fresh);
        if is_ahead && ahead_of == 1 {
            let program = identity_of(view.program);
            view.shelf.leave_ahead(values.number, Ahead { program, sent, blocks });
        } else {
            view.shelf.give(sent.messages);
        }
        values
    }
}
