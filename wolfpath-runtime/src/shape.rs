//! A program's constants as plain data, so that planning and code generation need no generics.

use std::alloc::Layout;

use wolfpath_core::program::{
    AccumulatorOf, Aggregator, Along, CombineKind, Combiner, Datum, DatumKind, EdgeProgram, Model, Senders,
    Starts,
};

use crate::plan::Schedule;

/// Constants of a program that the engines need, apart from its functions.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Model of the program, which the macro writes.
    pub model: &'static Model,
    /// Type of the values.
    pub value: DatumKind,
    /// Type of the messages.
    pub message: DatumKind,
    /// Type of the weights, or of the counts that are loaded like weights; [`DatumKind::Unit`] if the program reads
    /// neither.
    pub weight: DatumKind,
    /// Type of the aggregate; [`DatumKind::Unit`] if the program has no aggregate.
    pub aggregate: DatumKind,
    /// Kind of the aggregate's fold.
    pub fold: Option<CombineKind>,
    /// Kind of the combiner.
    pub combine: CombineKind,
    /// Size and alignment of the type in which messages are accumulated.
    pub accumulator: Layout,
    /// Vertices that send.
    pub senders: Senders,
    /// Direction in which messages travel.
    pub along: Along,
    /// `true` if each pair of neighbours is visited once.
    pub oriented: bool,
    /// `true` if all messages of one step are equal.
    pub uniform: bool,
    /// `true` if the program rejects negative weights.
    pub non_negative: bool,
    /// `true` if messages may be added up in portions.
    pub accumulates: bool,
    /// Number of words in which messages are added up in portions; 0 if the combiner does not add.
    pub portion_words: usize,
    /// `true` if no bit of a combined message depends on the order in which messages are combined.
    pub any_order: bool,
}

/// Vertices that compute a new value in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computes {
    /// Those that received a message.
    Receivers,
    /// Those that received a message, and those that have a value and have not halted.
    Awake,
    /// All vertices.
    All,
}

/// Owner of a program's model, which gives it a `'static` address.
struct ModelOf<P>(std::marker::PhantomData<P>);

impl<P: EdgeProgram> ModelOf<P> {
    const MODEL: &'static Model = &P::MODEL;
}

impl Shape {
    /// Returns the shape of program `P`.
    pub const fn of<P: EdgeProgram>() -> Shape {
        Shape {
            model: ModelOf::<P>::MODEL,
            value: P::Value::KIND,
            message: P::Message::KIND,
            weight: P::Load::KIND,
            aggregate: <P::Aggregate as Aggregator>::Value::KIND,
            fold: P::Aggregate::KIND,
            combine: <P::Combine as Combiner<P::Message>>::KIND,
            accumulator: Layout::new::<AccumulatorOf<P>>(),
            senders: P::SENDERS,
            along: P::ALONG,
            oriented: P::ORIENTED,
            uniform: P::UNIFORM,
            non_negative: P::NON_NEGATIVE_WEIGHTS,
            accumulates: P::ACCUMULATES,
            portion_words: <P::Combine as Combiner<P::Message>>::PORTION_WORDS,
            any_order: <P::Combine as Combiner<P::Message>>::ANY_ORDER,
        }
    }

    /// Returns `true` if the program reads the weight of an edge as one number, not as a struct or a count.
    pub(crate) fn reads_one_weight(&self) -> bool {
        self.weight.is_number() && self.model.reads.common().is_none()
    }

    /// Returns `true` if values may be seen before a step is over. This requires that combining is independent of order
    /// and repetition, and that no code of the program runs on a vertex between messages.
    pub const fn may_be_seen_early(&self) -> bool {
        self.combine.is_idempotent()
            && !self.message.is_struct()
            && matches!(self.computes(), Computes::Receivers)
            && self.fold.is_none()
            && !self.model.has_apply
            && !self.model.has_changed
            && !self.model.has_sends
            && !self.model.has_priority
            && !self.model.reads.edge_moment()
    }

    /// Returns `true` if a step folds only vertices near those whose values it wrote. Otherwise it folds all, because all
    /// are written, or because what a vertex contributes to the fold depends on the step.
    pub const fn folds_written(&self) -> bool {
        self.fold.is_some() && !matches!(self.computes(), Computes::All) && !self.model.reads.aggregate_step
    }

    /// Returns the vertices that compute in a step.
    pub const fn computes(&self) -> Computes {
        match self.senders {
            Senders::All => Computes::All,
            Senders::Active if self.model.has_halts => Computes::Awake,
            Senders::Active => Computes::Receivers,
        }
    }

    /// Returns `true` if every vertex that has a value sends in every step.
    pub const fn everyone_sends(&self) -> bool {
        matches!(self.senders, Senders::All) && !self.model.has_sends
    }

    /// Returns `true` if every message is the sum of the sender's value and the weight, which are unsigned integers,
    /// and every value is the least of the sums along paths from sources. `LayeredGraph::length_bound` then bounds the
    /// values.
    pub const fn finds_shortest_paths(&self) -> bool {
        let model = self.model;
        let kinds = (self.value, self.message);
        matches!(kinds, (DatumKind::U32, DatumKind::U32) | (DatumKind::U64, DatumKind::U64))
            && matches!(self.combine, CombineKind::Min)
            && model.messages.adds_weight
            && model.always_sends
            && matches!(model.starts, Starts::Sources)
            && !matches!(self.along, Along::Neighbours)
            && self.may_be_seen_early()
    }

    /// Returns `true` if messages are sums of the sender's value and the weight, and values may improve without end.
    pub(crate) const fn may_have_endless_cycles(&self) -> bool {
        let messages =
            if self.non_negative { &self.model.messages_if_non_negative } else { &self.model.messages };
        let improves = match self.combine {
            CombineKind::Min => !messages.at_least,
            CombineKind::Max => !messages.at_most,
            _ => false,
        };
        messages.adds_weight && improves && self.may_be_seen_early()
    }

    /// Returns `true` if some steps may push and others pull. Places of edges are at hand only for one of the two.
    pub(crate) const fn may_turn(&self) -> bool {
        !self.model.reads.edge_position()
    }

    /// Returns `true` if a vertex that gathers may stop at a message that no other can improve. `uniform` is `true` if all
    /// messages of a step are equal.
    pub(crate) const fn gathering_stops_early(&self, uniform: bool) -> bool {
        let model = self.model;
        let combine = matches!(self.combine, CombineKind::Or | CombineKind::And | CombineKind::Any);
        let decides_itself = model.has_apply || model.has_changed || model.has_sends || model.has_halts;
        (uniform || combine) && !decides_itself
    }

    /// Returns the reason why it is unknown which values of a run are final before its end, if there is one.
    /// `has_numbers` is `true` if the first values are known to contain no NaN.
    pub fn against_settling(&self, has_numbers: bool) -> Option<&'static str> {
        let model = self.model;
        let messages = if self.non_negative { &model.messages_if_non_negative } else { &model.messages };
        let (is_shown, unshown) = match self.combine {
            CombineKind::Min => (
                messages.at_least,
                "its `edge` is not known to return messages of at least the sender's value. That is known for sums with \
                 unsigned numbers, and with weights if the program is `non_negative`; run it to the fixpoint instead",
            ),
            CombineKind::Max => (
                messages.at_most,
                "its `edge` is not known to return messages of at most the sender's value. That is known for \
                 `value.min(..)`, and for differences with unsigned numbers; run it to the fixpoint instead",
            ),
            _ => (false, "that requires `min` or `max` over numbers; run it to the fixpoint instead"),
        };
        if !self.may_be_seen_early() || self.value == DatumKind::Bool {
            Some(
                "that requires `min` or `max` over numbers, no `apply`, `changed`, `sends`, `halts`, `priority` or \
                 `aggregate`, and an `edge` that does not read the step; run it to the fixpoint, or end it by a \
                 `finished`",
            )
        } else if !is_shown {
            Some(unshown)
        } else if self.value.is_float() && !messages.keeps_nan && !has_numbers {
            Some(
                "its first values may be NaN, and its `edge` may turn NaN into a better value; run it to the fixpoint \
                 instead",
            )
        } else {
            None
        }
    }

    /// Returns `true` if messages are the senders' values, unchanged, so that every vertex gets the least or greatest
    /// first value among the vertices from which it can be reached.
    pub const fn propagates_labels(&self) -> bool {
        self.may_be_seen_early()
            && self.model.forwards
            && matches!(self.combine, CombineKind::Min | CombineKind::Max)
    }

    /// Returns `true` if atomic operations can combine this program's messages with the same result in any order.
    pub const fn combines_atomically(&self) -> bool {
        let sums_floats = matches!(self.combine, CombineKind::Sum) && self.message.is_float();
        let in_pairs = !matches!(self.combine, CombineKind::Custom | CombineKind::MostFrequent);
        in_pairs && !self.message.is_struct() && !sums_floats
    }

    /// Returns `true` if a device stores values as words that atomics combine, rather than in the program's type.
    pub(crate) const fn combines_words(&self, schedule: Schedule) -> bool {
        (schedule.is_in_place() || matches!(schedule, Schedule::Union)) && !self.accumulates
    }

    /// Returns `true` if the program accumulates floats, so that its sums depend on the order of messages.
    pub(crate) const fn accumulates_floats(&self) -> bool {
        self.accumulates && !self.any_order
    }

    /// Returns `true` if messages are combined field by field, in an accumulator that the program's text defines.
    pub const fn combines_fields(&self) -> bool {
        let own_way = matches!(self.combine, CombineKind::Custom | CombineKind::Any);
        self.message.is_struct() && !own_way
    }

    /// Returns `true` if a vertex needs all its messages at once.
    pub const fn combines_at_once(&self) -> bool {
        matches!(self.combine, CombineKind::MostFrequent)
    }

    /// Returns `true` if every vertex sends in every step, and sends the same message along all its edges. Each message
    /// can then be computed once per step instead of once per edge, using any one of the vertex's edges. For PageRank
    /// that saves a division and two reads per edge.
    pub const fn message_depends_on_sender_alone(&self) -> bool {
        self.everyone_sends() && self.sends_one_message() && !self.model.reads.edge_moment()
    }

    /// Returns `true` if a vertex that sends sends the same message along all its edges.
    pub const fn sends_one_message(&self) -> bool {
        let reads = &self.model.reads;
        !(reads.edge_load()
            || reads.edge_position()
            || reads.edge_target
            || reads.edge_target_index
            || reads.edge_target_inputs)
    }

    /// Returns `true` if every vertex's message can be computed once per step without an edge, as a device does. The
    /// device then also computes messages of vertices without edges. Programs with loops are excluded: a loop that ends
    /// for every real edge need not end in such a computation.
    pub const fn sends_alike(&self) -> bool {
        self.message_depends_on_sender_alone() && !self.model.has_loops
    }

    /// Returns `true` if receivers must gather, because every vertex sends or because atomics cannot combine the
    /// messages.
    pub const fn must_pull(&self) -> bool {
        self.everyone_sends() || !self.combines_atomically()
    }

    /// Returns `true` if processes that share a run may gather pieces of a row and combine the results: in each step every
    /// vertex gathers, two results are combined into one of the same form, and nothing is found about edges or paths that needs
    /// whole rows.
    pub(crate) fn gathers_in_pieces(&self) -> bool {
        let reads = &self.model.reads;
        let needs_whole_rows = reads.edge_place || reads.common().is_some() || self.values_come_along_edges();
        let has_own_form = self.combines_at_once() || self.combines_fields();
        self.everyone_sends() && !(self.accumulates || needs_whole_rows || has_own_form)
    }

    /// Returns `true` if a vertex's value is always one of the messages that it received, so that it came along a path
    /// of edges.
    pub fn values_come_along_edges(&self) -> bool {
        let selects = match self.combine {
            CombineKind::Min | CombineKind::Max | CombineKind::Any => true,
            CombineKind::Or | CombineKind::And => self.message == DatumKind::Bool,
            CombineKind::Sum | CombineKind::Fields | CombineKind::MostFrequent | CombineKind::Custom => false,
        };
        let model = self.model;
        let is_repeatable = !model.has_apply && !model.has_sends && !model.reads.edge_moment();
        selects && is_repeatable && !self.value.is_struct()
    }
}
