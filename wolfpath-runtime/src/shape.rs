//! A program's constants as plain data, so that planning and code generation need not be generic.

use wolfpath_core::program::{
    Aggregator, Along, CombineKind, Combiner, Datum, DatumKind, EdgeProgram, Model, Senders,
};

/// Constants of a program that the engines need, apart from its functions.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The program's model, which the macro writes.
    pub model: &'static Model,
    /// Type of the values.
    pub value: DatumKind,
    /// Type of the messages.
    pub message: DatumKind,
    /// Type of the weights; [`DatumKind::Unit`] when the program reads none.
    pub weight: DatumKind,
    /// Type of the aggregate; [`DatumKind::Unit`] when there is none.
    pub aggregate: DatumKind,
    /// Kind of the aggregate's fold.
    pub fold: Option<CombineKind>,
    /// Kind of the combiner.
    pub combine: CombineKind,
    /// Which vertices send.
    pub senders: Senders,
    /// Which way messages travel.
    pub along: Along,
    /// All messages of one step are equal.
    pub uniform: bool,
    /// Only weights of at least zero are accepted.
    pub non_negative: bool,
}

/// Gives every program's model an address that lives for ever.
struct ModelOf<P>(std::marker::PhantomData<P>);

impl<P: EdgeProgram> ModelOf<P> {
    const MODEL: &'static Model = &P::MODEL;
}

impl Shape {
    /// The shape of program `P`.
    pub const fn of<P: EdgeProgram>() -> Shape {
        Shape {
            model: ModelOf::<P>::MODEL,
            value: P::Value::KIND,
            message: P::Message::KIND,
            weight: P::Weight::KIND,
            aggregate: <P::Aggregate as Aggregator>::Value::KIND,
            fold: P::Aggregate::KIND,
            combine: <P::Combine as Combiner<P::Message>>::KIND,
            senders: P::SENDERS,
            along: P::ALONG,
            uniform: P::UNIFORM,
            non_negative: P::NON_NEGATIVE_WEIGHTS,
        }
    }

    /// Returns `true` if values may be seen before a step is over: combining in any order and more than once changes
    /// nothing, and nothing looks at a vertex in between.
    pub const fn may_be_seen_early(&self) -> bool {
        self.combine.is_idempotent()
            && matches!(self.senders, Senders::Active)
            && self.fold.is_none()
            && !self.model.has_apply
            && !self.model.has_changed
    }

    /// Returns `true` if atomic operations can combine this program's messages and give the same answer in any order.
    pub const fn combines_atomically(&self) -> bool {
        let sums_floats = matches!(self.combine, CombineKind::Sum) && self.message.is_float();
        !matches!(self.combine, CombineKind::Custom) && !self.message.is_struct() && !sums_floats
    }

    /// Returns `true` if every vertex sends in every step, and the same over all its edges. Each message can then be made
    /// once per step, over any of the vertex's edges, instead of once per edge. For PageRank that saves a division and two
    /// reads per edge.
    pub const fn message_depends_on_sender_alone(&self) -> bool {
        let reads = &self.model.reads;
        matches!(self.senders, Senders::All)
            && !(reads.edge_weight
                || reads.edge_target
                || reads.edge_target_index
                || reads.edge_target_inputs)
    }

    /// Returns `true` if every vertex's message can be made so without looking for an edge, as a device does: a vertex without
    /// edges has its message made, too, and a loop that ends along every edge need not end there.
    pub const fn sends_alike(&self) -> bool {
        self.message_depends_on_sender_alone() && !self.model.has_loops
    }

    /// Returns `true` if receivers must gather: every vertex sends, or atomics cannot combine the messages.
    pub const fn must_pull(&self) -> bool {
        matches!(self.senders, Senders::All) || !self.combines_atomically()
    }

    /// Returns `true` if a vertex's value is one of the messages it received, so that it came along a path of edges.
    pub fn values_come_along_edges(&self) -> bool {
        let selects = match self.combine {
            CombineKind::Min | CombineKind::Max | CombineKind::Any => true,
            CombineKind::Or | CombineKind::And => self.message == DatumKind::Bool,
            CombineKind::Sum | CombineKind::Custom => false,
        };
        selects && !self.model.has_apply && !self.value.is_struct()
    }
}
