//! The trait that engines run.

use super::combine::{Aggregator, Combiner};
use super::datum::Datum;
use super::fault::Checked;
use super::input::{Binding, Input, UnknownVertex};
use super::model::{Along, Model, Senders};
use super::view::{Edge, Vertex};

/// A program over a graph: what travels along one edge, how messages combine, what a vertex makes of them.
///
/// Written by `#[edge_program]`, never by hand: the functions here are the *checked twins* of the user's, which
/// return a [`Fault`](super::Fault) where the originals would panic, and [`MODEL`](Self::MODEL) carries the same
/// functions as CUDA C. The user's own functions stay beside them as methods of the same names and can be called
/// and tested.
///
/// The meaning, for every engine and schedule: `start` gives a vertex its first value and makes it active, or
/// returns `None`, which leaves it unreached. In a step the senders ([`SENDERS`](Self::SENDERS)) compute one
/// message an edge (`None` sends nothing) from their values before the step; messages to one vertex are combined;
/// `apply` makes a new value of the old one and the combined message; the vertex is active in the next step when
/// `changed` says so. A run ends after a step that changed nothing.
pub trait EdgeProgram: Send + Sync + Sized + 'static {
    /// What a vertex holds.
    type Value: Datum;
    /// What travels along an edge.
    type Message: Datum;
    /// What an edge carries: a number, or a struct whose fields are read from the columns of their names; `()` when the
    /// program reads no weights.
    type Weight: Datum;
    /// How messages become one.
    type Combine: Combiner<Self::Message>;
    /// How all values are folded before a step.
    type Aggregate: Aggregator;

    /// Which vertices send.
    const SENDERS: Senders = Senders::Active;
    /// Which way messages travel.
    const ALONG: Along = Along::Out;
    /// All messages of one step are equal, so a gathering vertex may stop at the first.
    const UNIFORM: bool = false;
    /// The program is right for weights of at least zero only; a graph with others is refused.
    const NON_NEGATIVE_WEIGHTS: bool = false;
    /// The rest of what the macro knows.
    const MODEL: Model;

    /// The vertices (by the user's ids) that start with a value, for programs made by `from_sources`. An id may
    /// stand here more than once: its values are combined.
    fn sources(&self) -> &[(u64, Self::Value)] {
        &[]
    }

    /// A copy of the program with the same parameters, which an outcome keeps.
    fn duplicate(&self) -> Self;

    /// The program's inputs, in the order of [`Model::inputs`].
    fn inputs(&self) -> Vec<&dyn Input> {
        Vec::new()
    }

    /// A copy of the program whose inputs are laid out for a graph. Its functions then read them at the `index` fields
    /// of edges and vertices, which the engine fills as [`Reads`](super::Reads) says.
    ///
    /// # Errors
    /// The field's name and the id, when an input speaks of a vertex that the graph does not have.
    fn bind(&self, binding: &mut Binding<'_>) -> Result<Self, (&'static str, UnknownVertex)> {
        // A program without inputs has nothing to lay out; the parameter keeps its name for the documentation.
        let _ = binding;
        Ok(self.duplicate())
    }

    /// The parameters as the device's `program::Params` lays them out; empty when there are none. The places of inputs
    /// ([`InputField::offset`](super::InputField::offset)) hold zeroes, for the engine to fill with addresses.
    fn parameters(&self) -> Vec<u8>;

    /// The first value of a vertex. Never called for programs made by `from_sources`.
    fn start(&self, vertex: Vertex<(), AggregateOf<Self>>) -> Checked<Option<Self::Value>>;

    /// The message along one edge.
    fn edge(&self, edge: Edge<Self::Value, Self::Weight>) -> Checked<Option<Self::Message>>;

    /// Combines two messages.
    fn combine(&self, a: Self::Message, b: Self::Message) -> Checked<Self::Message> {
        Ok(Self::Combine::combine(a, b))
    }

    /// The new value of a vertex. `incoming` is `None` only under [`Senders::All`], when nothing came (a program
    /// without an `apply` of its own is then not asked). The macro writes the default, which combines what came
    /// into the value, and takes it as it is where there is no value yet.
    fn apply(
        &self,
        vertex: Vertex<Option<Self::Value>, AggregateOf<Self>>,
        incoming: Option<Self::Message>,
    ) -> Checked<Self::Value>;

    /// Whether the vertex is to be seen as changed. Called only for programs that have a `changed` of their own.
    fn changed(&self, before: Self::Value, after: Self::Value) -> Checked<bool> {
        Ok(!before.same(after))
    }

    /// What one vertex adds to the aggregate. Called only for programs that have one, and for vertices with a value.
    fn aggregate(&self, vertex: Vertex<Self::Value, AggregateOf<Self>>) -> Checked<AggregateOf<Self>>;
}

/// What a program's aggregate folds to; `()` when it has none.
pub type AggregateOf<P> = <<P as EdgeProgram>::Aggregate as Aggregator>::Value;
