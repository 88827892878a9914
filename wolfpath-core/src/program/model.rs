//! What the macro knows about a program, as plain data.

use super::datum::DatumKind;
use super::edge_program::EdgeProgram;
use super::fault::FaultSite;
use super::input::InputField;

/// Which vertices send in a step.
///
/// ```
/// use wolfpath::prelude::*;
///
/// #[edge_program]
/// mod degrees {
///     use wolfpath::prelude::*;
///
///     /// How many edges arrive at a vertex: all vertices send, and one step is enough.
///     pub struct InDegree;
///
///     impl EdgeProgram for InDegree {
///         type Value = u64;
///         type Message = u64;
///         type Combine = Sum;
///         const SENDERS: Senders = Senders::All;
///
///         fn start(&self, _: Vertex) -> u64 {
///             0
///         }
///         fn edge(&self, _: Edge<u64>) -> u64 {
///             1
///         }
///         fn apply(&self, _: Vertex<u64>, arriving: u64) -> u64 {
///             arriving
///         }
///     }
/// }
///
/// let graph = LayeredGraph::from_edges([(1, 3), (2, 3), (3, 4)])?;
/// assert_eq!(Engine::cpu().run(&graph, &degrees::InDegree)?.value(3)?, Some(2));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Senders {
    /// Those whose value changed in the step before (in the first step: those that `start` gave a value).
    #[default]
    Active,
    /// Every vertex that has a value, in every step, until a step changes nothing.
    All,
}

/// The direction in which messages travel.
///
/// ```
/// use wolfpath::prelude::*;
///
/// /// Hops between friends, in either direction of each friendship.
/// #[edge_program(combine = min, first = 0, along = both)]
/// fn apart(edges: u32) -> u32 {
///     edges + 1
/// }
///
/// assert_eq!(apart::ALONG, Along::Both);
/// let friends = LayeredGraph::from_edges([(1, 2), (3, 2)])?;
/// assert_eq!(Engine::cpu().run(&friends, &apart::starting_at(1))?.value(3)?, Some(2));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Along {
    /// From an edge's source to its target.
    #[default]
    Out,
    /// From an edge's target to its source.
    In,
    /// Both ways. A symmetric graph counts each edge once.
    Both,
}

/// How a program's vertices get their first values.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Starts {
    /// From `from_source`/`from_sources`: the program itself lists them ([`Executable::sources`](super::Executable::sources)).
    Sources,
    /// `start` returns a value for every vertex.
    Every,
    /// `start` returns an `Option`.
    Some,
}

/// Which fields of [`Edge`](super::Edge) and [`Vertex`](super::Vertex) a program's functions read. Arrays that no
/// program reads are neither uploaded nor touched. Where the macro cannot tell, it says that a field is read.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Reads {
    /// `edge` reads the sender's value.
    pub edge_value: bool,
    /// `edge` reads the weight.
    pub edge_weight: bool,
    /// `edge` reads the sender's id.
    pub edge_source: bool,
    /// `edge` reads the receiver's id.
    pub edge_target: bool,
    /// `edge` reads the sender's index.
    pub edge_source_index: bool,
    /// `edge` reads the receiver's index.
    pub edge_target_index: bool,
    /// `edge` reads the sender's out-degree.
    pub edge_out_degree: bool,
    /// A vertex function reads the id.
    pub vertex_id: bool,
    /// A vertex function reads the index.
    pub vertex_index: bool,
    /// A vertex function reads the out-degree.
    pub vertex_out_degree: bool,
    /// A vertex function reads the in-degree.
    pub vertex_in_degree: bool,
    /// `edge` reads an input at the sender.
    pub edge_source_inputs: bool,
    /// `edge` reads an input at the receiver.
    pub edge_target_inputs: bool,
    /// A vertex function reads an input.
    pub vertex_inputs: bool,
}

/// What an engine puts into an `index` field.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexUse {
    /// Nothing: neither the program nor one of its inputs reads it.
    Unread,
    /// The number by which the engine knows the vertex: only inputs read it, laid out in that order.
    Number,
    /// The rank: the program reads an index, and its inputs are laid out by rank.
    Rank,
}

impl Reads {
    /// Whether the program reads the rank of a vertex.
    pub const fn ranks(&self) -> bool {
        self.edge_source_index || self.edge_target_index || self.vertex_index
    }

    /// Whether the program reads the id of a vertex.
    pub const fn ids(&self) -> bool {
        self.edge_source || self.edge_target || self.vertex_id
    }

    /// What stands in [`Edge::source_index`](super::Edge::source_index) during a run.
    pub const fn source_index(&self) -> IndexUse {
        self.index_use(self.edge_source_index, self.edge_source_inputs)
    }

    /// What stands in [`Edge::target_index`](super::Edge::target_index) during a run.
    pub const fn target_index(&self) -> IndexUse {
        self.index_use(self.edge_target_index, self.edge_target_inputs)
    }

    /// What stands in [`Vertex::index`](super::Vertex::index) during a run.
    pub const fn vertex_index(&self) -> IndexUse {
        self.index_use(self.vertex_index, self.vertex_inputs)
    }

    const fn index_use(&self, read: bool, by_inputs: bool) -> IndexUse {
        match (read || by_inputs, self.ranks()) {
            (false, _) => IndexUse::Unread,
            (true, false) => IndexUse::Number,
            (true, true) => IndexUse::Rank,
        }
    }
}

/// One field of a struct of weights. It is read from the column of its name.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WeightField {
    /// The field's name, and the column's.
    pub name: &'static str,
    /// The field's type: one of the six numbers, or `bool`.
    pub kind: DatumKind,
    /// Where it begins in the struct, in bytes.
    pub offset: usize,
}

/// The macro's knowledge of a program beyond its types.
///
/// ```
/// use wolfpath::program::Model;
/// use wolfpath::programs::sssp;
///
/// let model = Model::of::<sssp>();
/// assert_eq!(model.name, "sssp");
/// assert!(model.cuda.contains("edge("), "the functions in CUDA C");
/// assert_eq!(model.readings().to_string(), "edge.value (values), edge.weight (weights)");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// The program's name: the function's, or the struct's.
    pub name: &'static str,
    /// How vertices get their first values.
    #[doc(hidden)]
    pub starts: Starts,
    /// `edge` returns a message for every edge, not an `Option`.
    #[doc(hidden)]
    pub always_sends: bool,
    /// `edge` can fault, or a function that it may call.
    #[doc(hidden)]
    pub edge_can_fault: bool,
    /// The program has an `apply` of its own; otherwise incoming messages are combined into the value.
    #[doc(hidden)]
    pub has_apply: bool,
    /// The program has a `changed` of its own; otherwise a value changed when it differs.
    #[doc(hidden)]
    pub has_changed: bool,
    /// What its functions read.
    #[doc(hidden)]
    pub reads: Reads,
    /// The columns that `Weight` is made of, when it is a struct; empty when it is a plain number or `()`.
    #[doc(hidden)]
    pub weight_columns: &'static [WeightField],
    /// Bytes of the parameters as the device lays them out; 0 when there are none.
    #[doc(hidden)]
    pub parameters: usize,
    /// Its inputs: the fields that hold something for each vertex.
    #[doc(hidden)]
    pub inputs: &'static [InputField],
    /// Whether its functions hold loops of their own, which poll the word that stops a run.
    #[doc(hidden)]
    pub has_loops: bool,
    /// Whether arithmetic overflow is a fault: the user crate's `debug_assertions`.
    pub checked: bool,
    /// The program's types and functions in CUDA C, as `kernels/README.md` describes the slot.
    pub cuda: &'static str,
    /// Every place at which the program can fault.
    pub faults: &'static [FaultSite],
}

impl Model {
    /// Returns what the macro knows about the program `P`.
    ///
    /// ```
    /// use wolfpath::program::Model;
    /// use wolfpath::programs::{PageRank, bfs};
    ///
    /// assert_eq!(Model::of::<bfs>().name, "bfs");
    /// assert!(Model::of::<PageRank>().cuda.contains("damping"), "parameters keep their names");
    /// ```
    pub const fn of<P: EdgeProgram>() -> Model {
        P::MODEL
    }
}
