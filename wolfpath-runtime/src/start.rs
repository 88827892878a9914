//! First values: the sources of a program, validated and combined in the form that all engines use.

use std::sync::Arc;

use wolfpath_core::graph::{LayeredGraph, WeightChoice};
use wolfpath_core::program::{
    Along, Binding, CombineKind, Datum, DatumKind, EdgeProgram, InputError, LaidOut, Model, Starts,
    VertexOrder,
};

use crate::cpu::Values;
use crate::cuda::{self, KeptArrays};
use crate::error::{DeviceError, PlanError};
use crate::held::Held;

/// Sources of a program by internal index, in ascending order without duplicates, and their first values.
pub(crate) struct Sources<V: Datum> {
    pub(crate) vertices: Vec<u32>,
    pub(crate) values: Vec<V>,
    /// The values of an earlier outcome, if the run starts with them. There are then no sources.
    pub(crate) carried: Option<Carry<V>>,
}

/// Values of an earlier outcome with which a run starts.
pub(crate) struct Carry<V: Datum> {
    held: Arc<Held<V>>,
    /// The values on the run's device, where they stay during the run; `None` if the run reads them in host memory.
    pub(crate) pinned: Option<Arc<KeptArrays>>,
}

/// Properties of the first values that a run takes from an earlier outcome.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Carried {
    /// `true` if every vertex has a value.
    pub all: bool,
    /// Combiner of the earlier run, if its values are words that atomics combined.
    pub words: Option<CombineKind>,
    /// `true` if the values are uploaded from host memory.
    pub on_host: bool,
}

impl<V: Datum> Carry<V> {
    /// Takes the values from a device if they are there, and otherwise reads them into host memory.
    pub(crate) fn new(
        held: Arc<Held<V>>,
        device: Option<&Arc<cuda::Device>>,
    ) -> Result<Carry<V>, DeviceError> {
        let kept = device.and_then(|device| held.kept()?.arrays(device));
        let carry = Carry { pinned: kept, held };
        if carry.pinned.is_none() {
            carry.held.read()?;
        }
        Ok(carry)
    }

    /// Returns the values in host memory, where [`new`](Self::new) has read them.
    pub(crate) fn host(&self) -> &Arc<Values<V>> {
        self.held.if_read().expect("values that are not on the run's device have been read")
    }

    /// Returns a copy that reads the values in host memory.
    pub(crate) fn on_host(&self) -> Result<Carry<V>, DeviceError> {
        Carry::new(self.held.clone(), None)
    }

    /// Returns the properties of the values.
    pub(crate) fn kind(&self) -> Carried {
        let all = self.held.all();
        match (&self.pinned, self.held.kept()) {
            (Some(_), Some(kept)) => Carried { all, words: kept.layout.words, on_host: false },
            _ => Carried { all, words: None, on_host: true },
        }
    }
}

impl<V: Datum> Sources<V> {
    pub(crate) fn none() -> Sources<V> {
        Sources { vertices: Vec::new(), values: Vec::new(), carried: None }
    }

    /// Returns the first values of a run that continues from an earlier outcome.
    pub(crate) fn carried(carry: Carry<V>) -> Sources<V> {
        Sources { carried: Some(carry), ..Sources::none() }
    }

    /// Returns the values of an earlier outcome, if a run on the CPU starts with them.
    pub(crate) fn earlier(&self) -> Option<&Arc<Values<V>>> {
        self.carried.as_ref().map(Carry::host)
    }

    /// Returns the same first values, for a run on the CPU. Those of an earlier outcome are read into host memory.
    pub(crate) fn on_host(&self) -> Result<Sources<V>, DeviceError> {
        let carried = self.carried.as_ref().map(Carry::on_host).transpose()?;
        Ok(Sources { vertices: self.vertices.clone(), values: self.values.clone(), carried })
    }

    /// Looks up every source, and combines the values of sources that are listed more than once.
    pub(crate) fn resolve<P: EdgeProgram<Value = V>>(
        graph: &LayeredGraph,
        program: &P,
    ) -> Result<Sources<V>, PlanError> {
        Sources::found(program, |id| match graph.vertex_of(id) {
            None => Err(PlanError::UnknownSource { id }),
            vertex => Ok(vertex),
        })
    }

    /// Combines the values of sources that are listed more than once. `find` looks up the vertex with an id, or returns
    /// `None` if the source is not a vertex of this part of the graph.
    pub(crate) fn found<P: EdgeProgram<Value = V>>(
        program: &P,
        mut find: impl FnMut(u64) -> Result<Option<u32>, PlanError>,
    ) -> Result<Sources<V>, PlanError> {
        let named = program.sources();
        let mut found = Vec::with_capacity(named.len());
        for (place, &(id, _)) in named.iter().enumerate() {
            found.extend(find(id)?.map(|vertex| (vertex, place)));
        }
        // Sorting by position as well keeps the values of one vertex in the order of the list.
        found.sort_unstable();
        let mut sources = Sources::none();
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
    P::MODEL.starts == Starts::Sources && sources.carried.is_none() && sources.are_alike()
}

/// Graphs over whose rows some programs run instead of those of the graph that they are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Derived {
    /// The graph of distinct neighbours.
    Neighbours { oriented: bool },
    /// The same graph with the weights of the input. Only these tell whether columns that a program reads by name are the
    /// same in both directions.
    Columns,
}

impl Derived {
    /// Number of derived graphs.
    pub(crate) const COUNT: usize = 3;

    /// Returns the place of this graph among those derived from one graph.
    pub(crate) fn place(self) -> usize {
        match self {
            Derived::Neighbours { oriented } => usize::from(oriented),
            Derived::Columns => 2,
        }
    }

    /// Returns the graph that a run of program `P` needs, unless it is the given one.
    pub(crate) fn needed<P: EdgeProgram>(graph: &LayeredGraph) -> Option<Derived> {
        match P::ALONG {
            Along::Neighbours => Some(Derived::Neighbours { oriented: P::ORIENTED }),
            Along::Out | Along::In | Along::Both => {
                let is_mirrored = || with_columns(graph).is_symmetric() != graph.is_symmetric();
                (!P::MODEL.weight_columns.is_empty() && is_mirrored()).then_some(Derived::Columns)
            }
        }
    }

    /// Derives the graph.
    pub(crate) fn of(self, graph: &LayeredGraph) -> Result<LayeredGraph, PlanError> {
        match self {
            Derived::Neighbours { oriented } => Ok(graph.neighbour_graph(oriented)?),
            Derived::Columns => Ok(with_columns(graph)),
        }
    }
}

fn with_columns(graph: &LayeredGraph) -> LayeredGraph {
    graph.with_weights(WeightChoice::Input)
}

/// Returns the graph whose rows a program runs over, or `None` if it is the given one.
pub(crate) fn derived<P: EdgeProgram>(graph: &LayeredGraph) -> Result<Option<LayeredGraph>, PlanError> {
    Derived::needed::<P>(graph).map(|derived| derived.of(graph)).transpose()
}

/// Returns the program with its inputs laid out in the order of a graph or a part of one, or `None` if it has no inputs.
/// `laid_out` contains the inputs that earlier runs laid out, and is updated.
pub(crate) fn bind<P: EdgeProgram>(
    order: VertexOrder<'_>,
    program: &P,
    laid_out: &mut LaidOut,
) -> Result<Option<P>, PlanError> {
    if P::MODEL.inputs.is_empty() {
        return Ok(None);
    }
    let mut binding = Binding::new(order, laid_out);
    let bound = program.bind(&mut binding).map_err(|(input, error)| input_error(&P::MODEL, input, error))?;
    *laid_out = binding.laid_out();
    Ok(Some(bound))
}

/// Returns the error of a program's input that cannot be laid out for a graph.
pub(crate) fn input_error(model: &Model, input: &'static str, error: InputError) -> PlanError {
    let program = model.name;
    match error {
        InputError::UnknownVertex { id } => PlanError::UnknownInput { program, input, id },
        InputError::NoValue { id } => PlanError::MissingInput { program, input, id },
        InputError::Unreadable { message } => PlanError::UnreadableInput { program, input, message },
    }
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
