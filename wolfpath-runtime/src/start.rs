//! First values: the sources of a program, validated and combined in the form that all engines use.

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{
    Aggregator, Along, Binding, Datum, DatumKind, EdgeProgram, Fault, IndexUse, LaidOut, Model, Starts,
    UnknownVertex, Vertex, VertexOrder,
};

use crate::error::PlanError;

/// Sources of a program by internal index, in ascending order without duplicates, and their first values.
pub(crate) struct Sources<V> {
    pub(crate) vertices: Vec<u32>,
    pub(crate) values: Vec<V>,
}

impl<V: Datum> Sources<V> {
    /// Looks up every source, and combines the values of sources that are listed more than once.
    pub(crate) fn resolve<P: EdgeProgram<Value = V>>(
        graph: &LayeredGraph,
        program: &P,
    ) -> Result<Sources<V>, PlanError> {
        let named = program.sources();
        let mut found = Vec::with_capacity(named.len());
        for (place, &(id, _)) in named.iter().enumerate() {
            found.push((graph.vertex_of(id).ok_or(PlanError::UnknownSource { id })?, place));
        }
        // Sorting by position as well keeps the values of one vertex in the order of the list.
        found.sort_unstable();
        let mut sources = Sources { vertices: Vec::new(), values: Vec::new() };
        for (vertex, place) in found {
            let value = named[place].1;
            match (sources.vertices.last(), sources.values.last_mut()) {
                (Some(&last), Some(held)) if last == vertex => *held = combine_values(program, *held, value),
                _ => {
                    sources.vertices.push(vertex);
                    sources.values.push(value);
                }
            }
        }
        Ok(sources)
    }

    /// Returns `true` if all first values are equal. Only then does a `uniform` program send equal messages.
    pub(crate) fn are_alike(&self) -> bool {
        self.values.windows(2).all(|pair| pair[0].same(pair[1]))
    }
}

/// Combines two first values of one vertex. Only programs that `from_sources` created can have several, and their
/// values and messages have the same type. If combining faults, returns the first value. The same fault then
/// occurs in the run, which reports it.
fn combine_values<P: EdgeProgram>(program: &P, a: P::Value, b: P::Value) -> P::Value {
    let message = recast::<P::Value, P::Message>;
    program.checked_combine(message(a), message(b)).map_or(a, recast)
}

/// Converts between two types that are the same, which generic code does not know.
fn recast<A: Datum, B: Datum>(value: A) -> B {
    let mut bytes = vec![0; A::KIND.size()];
    value.write(&mut bytes);
    B::read(&bytes)
}

/// Returns `true` if every vertex that has a first value starts with the same one.
pub(crate) fn starts_alike<P: EdgeProgram>(sources: &Sources<P::Value>) -> bool {
    P::MODEL.starts == Starts::Sources && sources.are_alike()
}

/// Returns the graph whose rows a program runs over: the graph itself, or the one derived from it. `None` stands for
/// the graph itself.
pub(crate) fn derived<P: EdgeProgram>(graph: &LayeredGraph) -> Result<Option<LayeredGraph>, PlanError> {
    match P::ALONG {
        Along::Neighbours => Ok(Some(graph.neighbour_graph(P::ORIENTED)?)),
        Along::Out | Along::In | Along::Both => Ok(None),
    }
}

/// Returns the vertex's first value. `start` sees the vertex without a value.
#[inline]
pub(crate) fn start_at<P: EdgeProgram>(
    graph: &LayeredGraph,
    program: &P,
    v: u32,
    degrees: Degrees,
) -> Result<Option<P::Value>, Fault> {
    program.checked_start(Vertex {
        id: graph.id_of(v),
        index: index_of(graph, v, P::MODEL.reads.vertex_index()),
        value: (),
        out_degree: degrees.out_degree,
        in_degree: degrees.in_degree,
        vertices: u64::from(graph.num_vertices()),
        edges: graph.num_input_edges(),
        step: 0,
        level: 0,
        aggregate: <P::Aggregate as Aggregator>::identity(),
        neighbours: degrees.neighbours,
    })
}

/// Returns the `index` field of a vertex or an edge.
#[inline]
pub(crate) fn index_of(graph: &LayeredGraph, v: u32, index: IndexUse) -> u32 {
    match index {
        IndexUse::Unread => 0,
        IndexUse::Number => v,
        IndexUse::Rank => graph.rank_of(v),
    }
}

/// Returns the program with its inputs laid out for a graph, or `None` if it has no inputs. `laid_out` contains the
/// inputs that earlier runs laid out, and is updated.
pub(crate) fn bind<P: EdgeProgram>(
    graph: &LayeredGraph,
    program: &P,
    laid_out: &mut LaidOut,
) -> Result<Option<P>, PlanError> {
    if P::MODEL.inputs.is_empty() {
        return Ok(None);
    }
    let mut binding = Binding::new(VertexOrder::new(graph, &P::MODEL.reads), laid_out);
    let bound =
        program.bind(&mut binding).map_err(|(input, unknown)| unknown_input(&P::MODEL, input, unknown))?;
    *laid_out = binding.laid_out();
    Ok(Some(bound))
}

/// Returns the error of a program's input that names an unknown vertex.
pub(crate) fn unknown_input(model: &Model, input: &'static str, unknown: UnknownVertex) -> PlanError {
    PlanError::UnknownInput { program: model.name, input, id: unknown.id }
}

/// Degrees of a vertex; 0 if the program does not read them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Degrees {
    pub(crate) out_degree: u64,
    pub(crate) in_degree: u64,
    pub(crate) neighbours: u64,
}

/// Returns the number 1 in a program's weight type, which is the weight of every edge of an unweighted graph.
pub(crate) fn one<W: Datum>() -> W {
    W::from_bits(match W::KIND {
        DatumKind::F32 => u64::from(1f32.to_bits()),
        DatumKind::F64 => 1f64.to_bits(),
        _ => 1,
    })
}

/// Returns the datum whose bytes are all 0. It fills the slots of vertices without a value, which a separate bitmap
/// marks.
pub(crate) fn zero<D: Datum>() -> D {
    D::read(&[0; MAX_DATUM][..D::KIND.size().min(MAX_DATUM)])
}

/// Maximum size in bytes of a datum that [`zero`] supports. Structs of a program contain a handful of numbers.
const MAX_DATUM: usize = 1024;
