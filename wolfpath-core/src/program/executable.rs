//! A program as the engines use it: its model, its checked functions and its parameters.

use super::combine::{Aggregator, Combiner};
use super::datum::Datum;
use super::edge_program::EdgeProgram;
use super::fault::Checked;
use super::input::{Binding, Input, InputError};
use super::model::Model;
use super::view::{Among, Edge, Vertex};

/// An [`EdgeProgram`] as engines call it. `#[edge_program]` generates the implementation from the user's program.
///
/// The `checked_` functions are the *checked twins* of the user's functions: they return a [`Fault`](super::Fault)
/// where the originals panic. [`MODEL`](Self::MODEL) contains the same functions in CUDA C. Only the macro implements
/// this trait, so [`EdgeProgram`] cannot be implemented without the macro.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a program that engines can run",
    note = "`#[edge_program]` on the module around `impl EdgeProgram for {Self}` makes it one"
)]
pub trait Executable: Sized {
    /// The macro's description of the program, except for the types, which the trait itself contains.
    const MODEL: Model;

    /// The type of what engines load with each edge: the weight, or the counts that [`Reads::common`](super::Reads)
    /// selects, as `u32` or, if there are two, as `u64`.
    type Load: Datum;

    /// Stores a load in the fields of an edge.
    fn put_load(
        edge: &mut Edge<<Self as EdgeProgram>::Value, <Self as EdgeProgram>::Weight, AggregateOf<Self>>,
        load: Self::Load,
    ) where
        Self: EdgeProgram;

    /// The type of `v.before` in the program's `aggregate`: [`Before`](EdgeProgram::Before) if it reads that, otherwise
    /// `()`.
    type Earlier: Copy;

    /// Returns a copy of the program with the same parameters. A run's outcome stores this copy.
    fn duplicate(&self) -> Self;

    /// Returns the parameters in the layout of the device's `program::Params`; empty for a program without parameters.
    /// The addresses of inputs (at [`InputField::offset`](super::InputField::offset)) are zero; the engine fills them
    /// in.
    fn parameters(&self) -> Vec<u8>;

    /// Returns the sources of a program built by `from_sources`: the user's ids of the vertices that start with a
    /// value, and these values. If an id occurs more than once, its values are combined.
    fn sources(&self) -> &[(u64, <Self as EdgeProgram>::Value)]
    where
        Self: EdgeProgram,
    {
        &[]
    }

    /// Returns the program's inputs, in the order of [`Model::inputs`].
    fn inputs(&self) -> Vec<&dyn Input> {
        Vec::new()
    }

    /// Returns a copy of the program whose inputs are arrays in the order of a graph's vertices. The copy reads its
    /// inputs at the `index` fields of edges and vertices, which the engine fills in according to
    /// [`Reads`](super::Reads).
    ///
    /// # Errors
    /// Returns the field's name and [`InputError`] if the graph lacks an id of an input, or an outcome a value.
    fn bind(&self, binding: &mut Binding<'_>) -> Result<Self, (&'static str, InputError)> {
        // A program without inputs needs no arrays, so the default ignores `binding`. The parameter is not called `_`
        // because the documentation shows its name.
        let _ = binding;
        Ok(self.duplicate())
    }

    /// Returns the first value of a vertex. Engines do not call this for programs built by `from_sources`; they read
    /// [`sources`](Self::sources).
    fn checked_start(
        &self,
        vertex: Vertex<(), AggregateOf<Self>>,
    ) -> Checked<Option<<Self as EdgeProgram>::Value>>
    where
        Self: EdgeProgram;

    /// Returns the message along one edge.
    fn checked_edge(
        &self,
        edge: Edge<<Self as EdgeProgram>::Value, <Self as EdgeProgram>::Weight, AggregateOf<Self>>,
    ) -> Checked<Option<<Self as EdgeProgram>::Message>>
    where
        Self: EdgeProgram;

    /// Combines two messages.
    fn checked_combine(
        &self,
        a: <Self as EdgeProgram>::Message,
        b: <Self as EdgeProgram>::Message,
    ) -> Checked<<Self as EdgeProgram>::Message>
    where
        Self: EdgeProgram,
    {
        Ok(<Self as EdgeProgram>::Combine::combine(a, b))
    }

    /// Returns the new value of a vertex. `incoming` is `None` only if no message arrived. Engines call this without a
    /// message only under [`Senders::All`](super::Senders::All) or if the program has its own `halts`, and only if it
    /// has its own `apply`.
    fn checked_apply(
        &self,
        vertex: Vertex<Option<<Self as EdgeProgram>::Value>, AggregateOf<Self>>,
        incoming: Option<<Self as EdgeProgram>::Message>,
    ) -> Checked<<Self as EdgeProgram>::Value>
    where
        Self: EdgeProgram;

    /// Returns the new value of a vertex like [`checked_apply`](Self::checked_apply). Engines call this for programs that
    /// read [`vertex_values`](super::Reads::vertex_values), with the values before the step.
    fn checked_apply_among(
        &self,
        vertex: Vertex<Option<<Self as EdgeProgram>::Value>, AggregateOf<Self>>,
        incoming: Option<<Self as EdgeProgram>::Message>,
        among: Among<'_, <Self as EdgeProgram>::Value>,
    ) -> Checked<<Self as EdgeProgram>::Value>
    where
        Self: EdgeProgram,
    {
        let _ = among;
        self.checked_apply(vertex, incoming)
    }

    /// Returns `true` if the vertex counts as changed. Engines call this only for programs with their own `changed`.
    fn checked_changed(
        &self,
        before: <Self as EdgeProgram>::Value,
        after: <Self as EdgeProgram>::Value,
    ) -> Checked<bool>
    where
        Self: EdgeProgram,
    {
        Ok(!before.same(after))
    }

    /// Returns `true` if the vertex, which has just computed, sends in the next step. Engines call this only for
    /// programs with their own `sends`.
    fn checked_sends(&self, vertex: Vertex<<Self as EdgeProgram>::Value, AggregateOf<Self>>) -> Checked<bool>
    where
        Self: EdgeProgram,
    {
        let _ = vertex;
        Ok(true)
    }

    /// Returns `true` if the vertex, which has just computed, computes again only if it receives a message. Engines
    /// call this only for programs with their own `halts`.
    fn checked_halts(&self, vertex: Vertex<<Self as EdgeProgram>::Value, AggregateOf<Self>>) -> Checked<bool>
    where
        Self: EdgeProgram,
    {
        let _ = vertex;
        Ok(true)
    }

    /// Returns the priority of a vertex that waits to send. Engines call this only for programs with their own
    /// `priority`.
    fn checked_priority(
        &self,
        vertex: Vertex<<Self as EdgeProgram>::Value, AggregateOf<Self>>,
    ) -> Checked<u64>
    where
        Self: EdgeProgram,
    {
        let _ = vertex;
        Ok(0)
    }

    /// Returns the contribution of one vertex to the aggregate. Engines call this only for programs with an aggregate,
    /// and only for vertices with a value. `before` is the value before the last step, and the value itself in the fold
    /// of first values; it is ignored if the program does not read it ([`Reads::vertex_before`](super::Reads)).
    fn checked_aggregate(
        &self,
        vertex: Vertex<<Self as EdgeProgram>::Value, AggregateOf<Self>>,
        before: Option<<Self as EdgeProgram>::Value>,
    ) -> Checked<AggregateOf<Self>>
    where
        Self: EdgeProgram,
    {
        // The parameters are not called `_` because the documentation shows their names.
        let _ = (vertex, before);
        Ok(<Self as EdgeProgram>::Aggregate::identity())
    }

    /// Returns `true` if the run ends after `step`, given the folds before and after it. Engines call this only for
    /// programs with their own `finished`.
    fn checked_finished(&self, before: AggregateOf<Self>, now: AggregateOf<Self>, step: u64) -> Checked<bool>
    where
        Self: EdgeProgram,
    {
        let _ = (before, now, step);
        Ok(false)
    }
}

/// The type in which the messages to a vertex of a program are accumulated.
#[doc(hidden)]
pub type AccumulatorOf<P> =
    <<P as EdgeProgram>::Combine as Combiner<<P as EdgeProgram>::Message>>::Accumulator;

/// The type of a program's aggregate; `()` if it has none.
///
/// ```
/// use wolfpath::program::AggregateOf;
/// use wolfpath::programs::{PageRank, bfs};
///
/// let dangling: AggregateOf<PageRank> = 0.25f64;
/// let nothing: AggregateOf<bfs> = ();
/// # let _ = (dangling, nothing);
/// ```
pub type AggregateOf<P> = <<P as EdgeProgram>::Aggregate as Aggregator>::Value;
