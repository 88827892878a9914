//! Tables of the fields of edges and vertices, of the methods of edges, and of the methods of inputs. The module `names` uses the fields' types,
//! `infer` uses the methods and the corresponding fields of `Reads`, and both emitters use the names of fields and
//! methods. A new field of `Edge` or `Vertex` needs a row here.

use super::{Int, Phase, Reads, Ty};

/// A field of `wolfpath::program::Edge` or `Vertex`.
pub(crate) struct ViewField {
    pub(crate) name: &'static str,
    pub(crate) ty: ViewType,
    /// The field of `wolfpath::program::Reads` that is true if a program reads this field; `None` if the engines always
    /// supply it.
    pub(crate) noted: Option<&'static str>,
}

/// The type of a field. Some types depend on the program.
#[derive(Clone, Copy)]
pub(crate) enum ViewType {
    Value,
    Weight,
    Aggregate,
    Before,
    Bool,
    Int(Int),
}

const fn field(name: &'static str, ty: ViewType, noted: Option<&'static str>) -> ViewField {
    ViewField { name, ty, noted }
}

/// The fields of `Edge`, in the order in which error messages list them.
pub(crate) static EDGE: [ViewField; 11] = [
    field("value", ViewType::Value, Some("edge_value")),
    field("weight", ViewType::Weight, Some("edge_weight")),
    field("source", ViewType::Int(Int::U64), Some("edge_source")),
    field("target", ViewType::Int(Int::U64), Some("edge_target")),
    field("source_index", ViewType::Int(Int::U32), Some("edge_source_index")),
    field("target_index", ViewType::Int(Int::U32), Some("edge_target_index")),
    field("out_degree", ViewType::Int(Int::U64), Some("edge_out_degree")),
    field("step", ViewType::Int(Int::U64), Some("edge_step")),
    field("aggregate", ViewType::Aggregate, Some("edge_aggregate")),
    field("forward", ViewType::Bool, Some("edge_forward")),
    field("place", ViewType::Int(Int::U64), Some("edge_place")),
];

/// The fields of `Vertex`, in the order in which types.cuh declares them.
pub(crate) static VERTEX: [ViewField; 12] = [
    field("id", ViewType::Int(Int::U64), Some("vertex_id")),
    field("index", ViewType::Int(Int::U32), Some("vertex_index")),
    field("value", ViewType::Value, None),
    field("out_degree", ViewType::Int(Int::U64), Some("vertex_out_degree")),
    field("in_degree", ViewType::Int(Int::U64), Some("vertex_in_degree")),
    field("vertices", ViewType::Int(Int::U64), None),
    field("edges", ViewType::Int(Int::U64), None),
    field("step", ViewType::Int(Int::U64), None),
    field("level", ViewType::Int(Int::U64), Some("vertex_level")),
    field("aggregate", ViewType::Aggregate, None),
    field("neighbours", ViewType::Int(Int::U64), Some("vertex_neighbours")),
    field("before", ViewType::Before, Some("vertex_before")),
];

/// The field of `wolfpath::program::Reads` that is true if `aggregate` may read the number or the level of the step.
pub(crate) const AGGREGATE_STEP: &str = "aggregate_step";

/// The methods of `Edge`, none of which takes an argument. Each returns the field of the same name, which the engines
/// load like a weight.
pub(crate) static COUNTS: [ViewField; 2] = [
    field("common_neighbours", ViewType::Int(Int::U64), Some("edge_common_neighbours")),
    field("common_edges", ViewType::Int(Int::U64), Some("edge_common_edges")),
];

/// The field of `Reads` that is true if `apply` calls `v.value_at`.
pub(crate) const VALUES_AT: &str = "vertex_values";

/// Returns the type of the counts that engines load with each edge, or `None` if a program calls no method of `Edge`.
/// Two counts are packed into one number.
pub(crate) fn counts(reads: &Reads) -> Option<Int> {
    let read = COUNTS.iter().filter(|count| count.noted.is_some_and(|noted| reads.noted.contains(noted)));
    match read.count() {
        0 => None,
        1 => Some(Int::U32),
        _ => Some(Int::U64),
    }
}

/// Returns the fields of an edge or a vertex; an empty list for any other type.
pub(crate) fn view<P: Phase>(of: &Ty<P>) -> &'static [ViewField] {
    match of {
        Ty::Edge => &EDGE,
        Ty::Vertex(..) => &VERTEX,
        _ => &[],
    }
}

/// A method that reads an input of a program.
#[derive(Debug)]
pub(crate) struct InputRead {
    pub(crate) method: &'static str,
    pub(crate) of: InputKind,
    pub(crate) at: InputPlace,
    /// The corresponding function in types.cuh.
    pub(crate) device: &'static str,
}

/// A kind of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    PerVertex,
    VertexSet,
}

/// The vertex for which an input is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputPlace {
    Vertex,
    Source,
    Target,
}

impl InputKind {
    /// Returns the kind of input that a type is, or `None` if it is not an input.
    pub(crate) fn of<P: Phase>(ty: &Ty<P>) -> Option<InputKind> {
        match ty {
            Ty::PerVertex(_) => Some(InputKind::PerVertex),
            Ty::VertexSet => Some(InputKind::VertexSet),
            _ => None,
        }
    }
}

impl InputPlace {
    /// Returns `true` if the method takes an edge, `false` if it takes a vertex.
    pub(crate) fn is_of_edge(self) -> bool {
        self != InputPlace::Vertex
    }

    /// Returns the field of `wolfpath::program::Reads` that is true if a program reads inputs for this vertex.
    pub(crate) fn noted(self) -> &'static str {
        match self {
            InputPlace::Vertex => "vertex_inputs",
            InputPlace::Source => "edge_source_inputs",
            InputPlace::Target => "edge_target_inputs",
        }
    }
}

const fn read(method: &'static str, of: InputKind, at: InputPlace, device: &'static str) -> InputRead {
    InputRead { method, of, at, device }
}

/// The methods that read inputs.
pub(crate) static INPUT_READS: [InputRead; 6] = [
    read("of", InputKind::PerVertex, InputPlace::Vertex, "of"),
    read("source", InputKind::PerVertex, InputPlace::Source, "of_source"),
    read("target", InputKind::PerVertex, InputPlace::Target, "of_target"),
    read("contains", InputKind::VertexSet, InputPlace::Vertex, "contains"),
    read("contains_source", InputKind::VertexSet, InputPlace::Source, "contains_source"),
    read("contains_target", InputKind::VertexSet, InputPlace::Target, "contains_target"),
];

/// Returns the names of all fields of `wolfpath::program::Reads`.
pub(crate) fn noted() -> impl Iterator<Item = &'static str> {
    let edge = EDGE.iter().chain(&COUNTS).filter_map(|field| field.noted);
    let vertex = VERTEX.iter().filter_map(|field| field.noted);
    let at_edge = [InputPlace::Source, InputPlace::Target].map(InputPlace::noted);
    edge.chain(at_edge).chain(vertex).chain([InputPlace::Vertex.noted(), VALUES_AT, AGGREGATE_STEP])
}
