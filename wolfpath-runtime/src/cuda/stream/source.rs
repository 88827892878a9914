//! Sources of the chunks of streamed rows.

use std::ops::Range;
use std::sync::Arc;

use wolfpath_core::graph::{Direction, LayeredGraph, WeightPieces};
use wolfpath_core::store::StoredBytes;

use super::UntypedLaunch;
use crate::cuda::launch::ProgramBytes;
use crate::cuda::shard::EdgeParts;
use crate::error::{PlanError, RunError};
use crate::plan::{ArrayName, Home, Ring, Schedule};

/// Array of edges that is read in parts.
pub(crate) enum Stored<'a> {
    /// Bytes of the graph.
    Bytes(StoredBytes<'a>),
    /// Weights, which are converted if they are not stored in the type that the device needs.
    Weights(WeightPieces<'a>),
    /// Places of edges, which were computed.
    Places(Arc<Vec<u32>>),
}

impl Stored<'_> {
    /// Reads a range of bytes.
    fn read(&self, bytes: Range<usize>, to: &mut [u8]) -> Result<(), RunError> {
        match self {
            Stored::Bytes(stored) => stored.read(bytes, to).map_err(PlanError::from)?,
            Stored::Weights(weights) => weights.read(bytes, to).map_err(PlanError::from)?,
            Stored::Places(places) => to.copy_from_slice(&bytemuck::cast_slice(places)[bytes]),
        }
        Ok(())
    }
}

/// An array that is streamed.
struct Streamed<'a> {
    stored: Stored<'a>,
    /// Size of an element in bytes.
    each: u64,
    /// The elements that one of several devices has.
    parts: Option<EdgeParts<'a>>,
}

impl Streamed<'_> {
    /// Reads the data of a range of the device's edges.
    fn read(&self, edges: Range<u64>, to: &mut [u8]) -> Result<(), RunError> {
        let bytes = (edges.start * self.each) as usize..(edges.end * self.each) as usize;
        match &self.parts {
            Some(parts) => parts.fill(bytes, to, |part, to| self.stored.read(part, to)),
            None => self.stored.read(bytes, to),
        }
    }
}

/// Arrays of one direction's edges.
#[derive(Default)]
struct Direct<'a> {
    ends: Option<Streamed<'a>>,
    weights: Option<Streamed<'a>>,
    places: Option<Streamed<'a>>,
    /// Number of edges that the device has.
    edges: u64,
}

/// The arrays that are streamed.
pub(crate) struct Sources<'a> {
    /// Of the out-rows and of the in-rows.
    directions: [Direct<'a>; 2],
}

impl<'a> Sources<'a> {
    /// Returns the arrays that the plan of `launch` has in the file.
    pub(crate) fn new(
        launch: &'a UntypedLaunch<'_>,
        program: &dyn ProgramBytes,
    ) -> Result<Sources<'a>, RunError> {
        let (graph, plan): (&'a LayeredGraph, _) = (launch.graph, launch.plan);
        let streams = |name: ArrayName| plan.home_of(name) == Home::File;
        let shard = launch.resident.shard.as_deref();
        let streamed = |stored, each: usize, order| {
            // In a symmetric graph, data in the order of in-rows are those of out-rows.
            let rows = if graph.is_symmetric() { Direction::Out } else { order };
            let parts = shard.map(|shard| EdgeParts::new(shard, graph, rows, each)).transpose()?;
            Ok::<_, RunError>(Some(Streamed { stored, each: each as u64, parts }))
        };
        let mut directions = [Direct::default(), Direct::default()];
        for (to, direction) in directions.iter_mut().zip([Direction::Out, Direction::In]) {
            if streams(ArrayName::EdgeEnds(direction)) {
                let rows = match direction {
                    Direction::Out => graph.out_edges(),
                    Direction::In => graph.in_edges().map_err(PlanError::from)?,
                };
                let ends = graph.stored_bytes(bytemuck::cast_slice(rows.ends));
                to.ends = streamed(Stored::Bytes(ends), 4, direction)?;
                to.edges = shard.map_or(plan.graph.edges, |shard| shard.edges(direction, rows));
            }
            // In a symmetric graph, weights along the out-rows can be in the order of in-rows.
            let order =
                if direction == Direction::Out { launch.budget.order_of_out_weights() } else { direction };
            if to.ends.is_some() && streams(ArrayName::EdgeWeights(order)) {
                let lossy = launch.options.lossy_weights;
                let weights = program.weights(graph, order, lossy).map_err(PlanError::from)?;
                let each = weights.each();
                to.weights = streamed(Stored::Weights(weights), each, order)?;
            }
            if streams(ArrayName::EdgePlaces(direction)) {
                let (along, gathers) = (launch.shape().along, launch.budget.schedule == Schedule::Pull);
                let places = graph.edge_places(along, direction, gathers).map_err(PlanError::from)?;
                to.places = streamed(Stored::Places(places), 4, direction)?;
            }
        }
        Ok(Sources { directions })
    }

    /// Returns the mean of the weights, if any are streamed.
    pub(crate) fn mean_weight(&self) -> Option<f64> {
        self.directions.iter().find_map(|direction| match &direction.weights {
            Some(Streamed { stored: Stored::Weights(weights), .. }) => Some(weights.mean()),
            _ => None,
        })
    }

    /// Reads the chunk that begins with the edge at `first` of the out-rows, or of the in-rows if `is_in`, to its slot.
    pub(super) fn read(&self, is_in: bool, first: u64, ring: &Ring, slot: &mut [u8]) -> Result<(), RunError> {
        let Direct { ends, weights, places, edges } = &self.directions[usize::from(is_in)];
        let last = (first + ring.chunk_edges + Ring::SLACK).min(*edges);
        let parts = [(ends, 0), (weights, ring.weights_part), (places, ring.places_part)];
        for (array, part) in parts {
            let Some(array) = array else { continue };
            let part = part as usize..(part + (last - first) * array.each) as usize;
            array.read(first..last, &mut slot[part])?;
        }
        Ok(())
    }
}
