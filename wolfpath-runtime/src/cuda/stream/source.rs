//! Sources of the chunks of streamed rows.

use std::ops::Range;
use std::sync::Arc;

use wolfpath_core::graph::{Direction, LayeredGraph, WeightPieces};
use wolfpath_core::store::StoredBytes;

use super::UntypedLaunch;
use crate::cuda::launch::ProgramBytes;
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

/// Arrays of one direction's edges, with the size of an element in bytes.
#[derive(Default)]
struct Direct<'a> {
    ends: Option<Stored<'a>>,
    weights: Option<(Stored<'a>, u64)>,
    places: Option<Stored<'a>>,
}

/// The arrays that are streamed.
pub(crate) struct Sources<'a> {
    /// Of the out-rows and of the in-rows.
    directions: [Direct<'a>; 2],
    edges: u64,
}

impl<'a> Sources<'a> {
    /// Returns the arrays that the plan of `launch` has in the file.
    pub(crate) fn new(
        launch: &'a UntypedLaunch<'_>,
        program: &dyn ProgramBytes,
    ) -> Result<Sources<'a>, RunError> {
        let (graph, plan): (&'a LayeredGraph, _) = (launch.graph, launch.plan);
        let streams = |name: ArrayName| plan.home_of(name) == Home::File;
        let mut directions = [Direct::default(), Direct::default()];
        for (to, direction) in directions.iter_mut().zip([Direction::Out, Direction::In]) {
            if streams(ArrayName::EdgeEnds(direction)) {
                let rows = match direction {
                    Direction::Out => graph.out_edges(),
                    Direction::In => graph.in_edges().map_err(PlanError::from)?,
                };
                to.ends = Some(Stored::Bytes(graph.stored_bytes(bytemuck::cast_slice(rows.ends))));
            }
            // In a symmetric graph, weights along the out-rows can be in the order of in-rows.
            let order =
                if direction == Direction::Out { launch.budget.order_of_out_weights() } else { direction };
            if to.ends.is_some() && streams(ArrayName::EdgeWeights(order)) {
                let lossy = launch.options.lossy_weights;
                let weights = program.weights(graph, order, lossy).map_err(PlanError::from)?;
                let each = weights.each() as u64;
                to.weights = Some((Stored::Weights(weights), each));
            }
            if streams(ArrayName::EdgePlaces(direction)) {
                let (along, gathers) = (launch.shape().along, launch.budget.schedule == Schedule::Pull);
                let places = graph.edge_places(along, direction, gathers).map_err(PlanError::from)?;
                to.places = Some(Stored::Places(places));
            }
        }
        Ok(Sources { directions, edges: plan.graph.edges })
    }

    /// Returns the mean of the weights, if any are streamed.
    pub(crate) fn mean_weight(&self) -> Option<f64> {
        self.directions.iter().find_map(|direction| match &direction.weights {
            Some((Stored::Weights(weights), _)) => Some(weights.mean()),
            _ => None,
        })
    }

    /// Reads the chunk that begins with the edge at `first` of the out-rows, or of the in-rows if `is_in`, to its slot.
    pub(super) fn read(&self, is_in: bool, first: u64, ring: &Ring, slot: &mut [u8]) -> Result<(), RunError> {
        let Direct { ends, weights, places } = &self.directions[usize::from(is_in)];
        let last = (first + ring.chunk_edges + Ring::SLACK).min(self.edges);
        let mut read = |stored: &Stored<'_>, each: u64, part: u64| {
            let bytes = (first * each) as usize..(last * each) as usize;
            let part = part as usize..part as usize + bytes.len();
            stored.read(bytes, &mut slot[part])
        };
        if let Some(ends) = ends {
            read(ends, 4, 0)?;
        }
        if let Some((weights, each)) = weights {
            read(weights, *each, ring.weights_part)?;
        }
        if let Some(places) = places {
            read(places, 4, ring.places_part)?;
        }
        Ok(())
    }
}
