//! The weights of shards, as far as the choice of a number type depends on them.

use wolfpath::PlanError;
use wolfpath::cluster::{ClusterGraph, Shards};
use wolfpath::graph::WeightChoice;
use wolfpath::program::DatumKind;

use crate::error::Error;
use crate::number::WeightFacts;

/// Returns the type of the weights as they are stored; `None` if all are 1.
fn kind(shards: &Shards, weights: WeightChoice) -> Option<DatumKind> {
    match weights {
        WeightChoice::Random { .. } => Some(DatumKind::U32),
        // If none of several columns is the weight, runs say so.
        WeightChoice::Input => {
            let weight = shards.weight_column()?;
            shards.columns().find(|&(_, name)| name == weight).map(|(kind, _)| kind)
        }
        _ => None,
    }
}

/// The weights of a graph that processes share. All of them must ask the same questions.
pub(super) struct SharedWeights<'a>(pub(super) &'a mut ClusterGraph, pub(super) WeightChoice);

impl WeightFacts for SharedWeights<'_> {
    fn kind(&self) -> Option<DatumKind> {
        kind(self.0.shards(), self.1)
    }

    fn negative(&mut self) -> Result<Option<PlanError>, Error> {
        Ok(self.0.negative_weight()?.map(negative))
    }

    fn sums_fit(&mut self, most: u64) -> Result<bool, Error> {
        Ok(self.0.length_bound(0, most)?.is_some())
    }
}

/// The weights of a graph whose shards are all on this machine.
pub(super) struct FileWeights<'a>(pub(super) &'a Shards, pub(super) WeightChoice);

impl WeightFacts for FileWeights<'_> {
    fn kind(&self) -> Option<DatumKind> {
        kind(self.0, self.1)
    }

    fn negative(&mut self) -> Result<Option<PlanError>, Error> {
        match self.1 {
            WeightChoice::Input => Ok(self.0.negative_weight()?.map(negative)),
            _ => Ok(None),
        }
    }

    fn sums_fit(&mut self, most: u64) -> Result<bool, Error> {
        Ok(self.0.length_bound(self.1, 0, most)?.is_some())
    }
}

/// Returns the error for an edge with a negative weight.
fn negative((source_id, target_id, weight): (u64, u64, String)) -> PlanError {
    PlanError::NegativeWeight { program: "sssp", source_id, target_id, weight }
}
