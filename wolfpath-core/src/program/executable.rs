//! The engines' side of a program: its model, its checked functions and its parameters.

use super::combine::{Aggregator, Combiner};
use super::datum::Datum;
use super::edge_program::EdgeProgram;
use super::fault::Checked;
use super::input::{Binding, Input, UnknownVertex};
use super::model::Model;
use super::view::{Edge, Vertex};

/// An [`EdgeProgram`] as engines call it, which is what `#[edge_program]` makes of the user's.
///
/// The `checked_` functions are the *checked twins* of the user's functions: they return a [`Fault`](super::Fault) where the
/// originals panic. [`MODEL`](Self::MODEL) holds the same functions in CUDA C. Only the macro implements this trait, which
/// is why [`EdgeProgram`] cannot be implemented without it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a program that engines can run",
    note = "`#[edge_program]` on the module around `impl EdgeProgram for {Self}` makes it one"
)]
pub trait Executable: Sized {
    /// The macro's knowledge of the program beyond its types.
    const MODEL: Model;

    /// Returns a copy of the program with the same parameters, which an outcome keeps.
    fn duplicate(&self) -> Self;

    /// Returns the parameters as the device's `program::Params` lays them out, which is nothing for a program without. The
    /// places of inputs ([`InputField::offset`](super::InputField::offset)) hold zeroes, which the engine replaces by
    /// addresses.
    fn parameters(&self) -> Vec<u8>;

    /// Returns the vertices (by the user's ids) that start with a value, for programs made by `from_sources`. An id may
    /// occur more than once: its values are combined.
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

    /// Returns a copy of the program whose inputs are laid out for a graph. Its functions then read them at the `index`
    /// fields of edges and vertices, which the engine fills as [`Reads`](super::Reads) says.
    ///
    /// # Errors
    /// The field's name and the id, if an input names a vertex that the graph does not have.
    fn bind(&self, binding: &mut Binding<'_>) -> Result<Self, (&'static str, UnknownVertex)> {
        // A program without inputs has nothing to lay out; the parameter keeps its name for the documentation.
        let _ = binding;
        Ok(self.duplicate())
    }

    /// Returns the first value of a vertex. Engines do not ask programs made by `from_sources`: they read
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
        edge: Edge<<Self as EdgeProgram>::Value, <Self as EdgeProgram>::Weight>,
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

    /// Returns the new value of a vertex. `incoming` is `None` only under [`Senders::All`](super::Senders::All), if no
    /// message arrived (and a program without an `apply` of its own is then not asked).
    fn checked_apply(
        &self,
        vertex: Vertex<Option<<Self as EdgeProgram>::Value>, AggregateOf<Self>>,
        incoming: Option<<Self as EdgeProgram>::Message>,
    ) -> Checked<<Self as EdgeProgram>::Value>
    where
        Self: EdgeProgram;

    /// Returns `true` if the vertex counts as changed. Engines ask only programs that have a `changed` of their own.
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

    /// Returns what one vertex adds to the aggregate. Engines ask only programs that have one, and only about vertices
    /// with a value.
    fn checked_aggregate(
        &self,
        vertex: Vertex<<Self as EdgeProgram>::Value, AggregateOf<Self>>,
    ) -> Checked<AggregateOf<Self>>
    where
        Self: EdgeProgram,
    {
        // The parameter keeps its name for the documentation.
        let _ = vertex;
        Ok(<Self as EdgeProgram>::Aggregate::identity())
    }
}

/// The type that a program's aggregate folds to; `()` without one.
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
