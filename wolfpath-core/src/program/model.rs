//! The macro's description of a program, as plain data.

use super::datum::DatumKind;
use super::edge_program::EdgeProgram;
use super::fault::FaultSite;
use super::input::InputField;

/// The vertices that send in a step.
///
/// ```
/// use wolfpath::prelude::*;
///
/// #[edge_program]
/// mod degrees {
///     use wolfpath::prelude::*;
///
///     /// The number of edges that arrive at a vertex: all vertices send, and one step is enough.
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
    /// Vertices whose value changed in the previous step. In the first step, the vertices that `start` gave a value. If
    /// the program has [`sends`](super::EdgeProgram::sends), that function decides instead.
    #[default]
    Active,
    /// Every vertex that has a value, in every step, until a step changes nothing; if the program has
    /// [`sends`](super::EdgeProgram::sends), only those for which it holds. Every vertex computes in every step.
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
    /// In both directions. In a symmetric graph, which already contains both directions of every edge, each edge is
    /// used only once.
    Both,
    /// From each vertex to its distinct neighbours: the vertices that are adjacent to it in either direction, except
    /// the vertex itself. Several edges may connect two neighbours, so such programs read no weights. `v.neighbours`,
    /// [`Edge::common_neighbours`](super::Edge::common_neighbours) and
    /// [`Edge::common_edges`](super::Edge::common_edges) require this direction.
    Neighbours,
}

/// The way in which a program's vertices get their first values.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Starts {
    /// The vertices in a list, which was passed to `from_source` or `from_sources` and is stored in the program
    /// ([`Executable::sources`](super::Executable::sources)).
    Sources,
    /// `start` returns a value for every vertex.
    Every,
    /// `start` returns an `Option`.
    Some,
}

/// The fields of [`Edge`](super::Edge) and [`Vertex`](super::Vertex) that a program's functions read. Arrays that the
/// program does not read are neither uploaded nor accessed. If the macro cannot determine whether a field is read, its
/// flag is `true`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Reads {
    /// `true` if `edge` reads the sender's value.
    pub edge_value: bool,
    /// `true` if `edge` reads the weight.
    pub edge_weight: bool,
    /// `true` if `edge` reads the number of vertices adjacent to both ends.
    pub edge_common_neighbours: bool,
    /// `true` if `edge` reads the number of the sender's targets that are neighbours of the receiver.
    pub edge_common_edges: bool,
    /// `true` if `edge` reads the sender's id.
    pub edge_source: bool,
    /// `true` if `edge` reads the receiver's id.
    pub edge_target: bool,
    /// `true` if `edge` reads the sender's index.
    pub edge_source_index: bool,
    /// `true` if `edge` reads the receiver's index.
    pub edge_target_index: bool,
    /// `true` if `edge` reads the sender's out-degree.
    pub edge_out_degree: bool,
    /// `true` if `edge` reads the number of the step.
    pub edge_step: bool,
    /// `true` if `edge` reads the fold before the step.
    pub edge_aggregate: bool,
    /// `true` if `edge` reads whether the message travels in the edge's direction.
    pub edge_forward: bool,
    /// `true` if `edge` reads the edge's place among those of the sender.
    pub edge_place: bool,
    /// `true` if a vertex function reads the id.
    pub vertex_id: bool,
    /// `true` if a vertex function reads the index.
    pub vertex_index: bool,
    /// `true` if a vertex function reads the out-degree.
    pub vertex_out_degree: bool,
    /// `true` if a vertex function reads the in-degree.
    pub vertex_in_degree: bool,
    /// `true` if a vertex function reads the level.
    pub vertex_level: bool,
    /// `true` if `edge` reads an input at the sender.
    pub edge_source_inputs: bool,
    /// `true` if `edge` reads an input at the receiver.
    pub edge_target_inputs: bool,
    /// `true` if a vertex function reads the number of distinct neighbours.
    pub vertex_neighbours: bool,
    /// `true` if a vertex function reads an input.
    pub vertex_inputs: bool,
    /// `true` if `aggregate` reads the value before the last step.
    pub vertex_before: bool,
    /// `true` if `aggregate` may read the number or the level of the step, so that it may return something else for a
    /// vertex whose value stayed the same.
    pub aggregate_step: bool,
    /// `true` if `apply` reads the values of other vertices before the step.
    pub vertex_values: bool,
}

/// The kind of number that an engine stores in an `index` field of an edge or a vertex.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexUse {
    /// No number: neither the program nor any of its inputs reads the field.
    Unread,
    /// The number by which the engine itself identifies the vertex. Only inputs read the field, and their arrays are in
    /// the order of these numbers.
    Number,
    /// The rank of the vertex, because the program itself reads an index. The arrays of its inputs are then also in the
    /// order of ranks.
    Rank,
}

/// Properties of all messages that `edge` returns, if no operation overflows. A property that the macro cannot derive is
/// `false`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Messages {
    /// `true` if no message is below the sender's value.
    pub at_least: bool,
    /// `true` if no message is above the sender's value.
    pub at_most: bool,
    /// `true` if every message is the sum of the sender's value and the weight.
    pub adds_weight: bool,
    /// `true` if every message is NaN if the sender's value is. The facts about order only hold for other values.
    pub keeps_nan: bool,
}

/// The counts that a program reads at edges. They are loaded like weights.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Common {
    /// The number of vertices adjacent to both ends; in an oriented program, of those later than both.
    Neighbours,
    /// The number of distinct targets of the sender, itself excluded, that are neighbours of the receiver.
    Edges,
    /// Both: the former in the lower 32 bits, the latter in the upper ones.
    Both,
}

impl Reads {
    /// Returns the counts that the program reads at edges, if any.
    pub const fn common(&self) -> Option<Common> {
        match (self.edge_common_neighbours, self.edge_common_edges) {
            (true, false) => Some(Common::Neighbours),
            (false, true) => Some(Common::Edges),
            (true, true) => Some(Common::Both),
            (false, false) => None,
        }
    }

    /// Returns `true` if the program reads something that engines load with each edge: a weight, or counts.
    pub const fn edge_load(&self) -> bool {
        self.edge_weight || self.common().is_some()
    }

    /// Returns `true` if messages depend on the step in which they are sent.
    pub const fn edge_moment(&self) -> bool {
        self.edge_step || self.edge_aggregate
    }

    /// Returns `true` if messages depend on the row that contains the edge, and on the edge's position in it.
    pub const fn edge_position(&self) -> bool {
        self.edge_forward || self.edge_place
    }

    /// Returns `true` if the program reads the rank of a vertex.
    pub const fn ranks(&self) -> bool {
        self.edge_source_index || self.edge_target_index || self.vertex_index || self.vertex_values
    }

    /// Returns `true` if the program reads the id of a vertex.
    pub const fn ids(&self) -> bool {
        self.edge_source || self.edge_target || self.vertex_id
    }

    /// Returns the contents of [`Edge::source_index`](super::Edge::source_index) during a run.
    pub const fn source_index(&self) -> IndexUse {
        self.index_use(self.edge_source_index, self.edge_source_inputs)
    }

    /// Returns the contents of [`Edge::target_index`](super::Edge::target_index) during a run.
    pub const fn target_index(&self) -> IndexUse {
        self.index_use(self.edge_target_index, self.edge_target_inputs)
    }

    /// Returns the contents of [`Vertex::index`](super::Vertex::index) during a run.
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

/// One field of a weight struct. It is read from the column of the same name.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WeightField {
    /// The name of the field and of the column.
    pub name: &'static str,
    /// The field's type: one of the six number types, or `bool`.
    pub kind: DatumKind,
    /// Offset of the field in the struct, in bytes.
    pub offset: usize,
}

/// The macro's description of a program, except for the types, which are those of its `EdgeProgram`.
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
    /// The program's name: the name of the function or of the struct.
    pub name: &'static str,
    /// The way in which vertices get their first values.
    #[doc(hidden)]
    pub starts: Starts,
    /// `true` if `edge` returns a message for every edge, not an `Option`.
    #[doc(hidden)]
    pub always_sends: bool,
    /// `true` if `edge`, or a function that it may call, can fault.
    #[doc(hidden)]
    pub edge_can_fault: bool,
    /// `true` if `edge` returns the sender's value unchanged for every edge. The macro recognizes this only if the text
    /// of `edge` consists of names, blocks, `Some`, `return` and calls.
    #[doc(hidden)]
    pub forwards: bool,
    /// Properties of the messages of all runs.
    #[doc(hidden)]
    pub messages: Messages,
    /// Properties of the messages of runs in which no weight is negative.
    #[doc(hidden)]
    pub messages_if_non_negative: Messages,
    /// `true` if the program has its own `apply`. Otherwise incoming messages are combined into the value.
    #[doc(hidden)]
    pub has_apply: bool,
    /// `true` if the program has its own `changed`. Otherwise a value changed if its bits differ.
    #[doc(hidden)]
    pub has_changed: bool,
    /// `true` if the program has its own `sends`. Otherwise a vertex that changed sends, or every vertex under
    /// [`Senders::All`].
    #[doc(hidden)]
    pub has_sends: bool,
    /// `true` if the program has its own `halts`. Otherwise vertices without a message do not compute, except under
    /// [`Senders::All`].
    #[doc(hidden)]
    pub has_halts: bool,
    /// `true` if the program has a `priority`. Otherwise all vertices that wait to send do so in the next step.
    #[doc(hidden)]
    pub has_priority: bool,
    /// `true` if the program has a `finished`. Otherwise only a fixpoint or a number of steps ends a run.
    #[doc(hidden)]
    pub has_finished: bool,
    /// The fields that the program's functions read.
    #[doc(hidden)]
    pub reads: Reads,
    /// If `Weight` is a struct, the columns that its fields are read from; otherwise empty.
    #[doc(hidden)]
    pub weight_columns: &'static [WeightField],
    /// Size of the parameters in bytes, in the device's layout; 0 if there are none.
    #[doc(hidden)]
    pub parameters: usize,
    /// The program's inputs: the fields that have data for each vertex.
    #[doc(hidden)]
    pub inputs: &'static [InputField],
    /// `true` if the program's functions contain loops. In that case, each loop polls the word that is set to stop a
    /// run.
    #[doc(hidden)]
    pub has_loops: bool,
    /// `true` if arithmetic overflow is a fault. Follows `debug_assertions` of the user's crate.
    pub checked: bool,
    /// The program's types and functions in CUDA C. The kernels have a slot for this text, which `kernels/README.md`
    /// describes.
    pub cuda: &'static str,
    /// All sites where the program can fault.
    pub faults: &'static [FaultSite],
}

impl Model {
    /// Returns the macro's description of the program `P`.
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
