//! Selects the number type that a program computes in: a type that is exact for the weights, unless the user chooses
//! another.

use clap::ValueEnum;
use wolfpath::PlanError;
use wolfpath::graph::LayeredGraph;
use wolfpath::program::DatumKind;

use crate::arguments::{Precision, Program};
use crate::error::Error;

/// Number type of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Number {
    U32,
    U64,
    F32,
    F64,
}

impl From<Precision> for Number {
    fn from(precision: Precision) -> Number {
        match precision {
            Precision::F32 => Number::F32,
            Precision::F64 => Number::F64,
        }
    }
}

/// Number type to compute in, and a note for the user about it, if any.
pub(crate) type Choice = (Number, Option<String>);

/// The weights of a graph, as far as the choice of a number type depends on them.
pub(crate) trait WeightFacts {
    /// Returns the type in which they are stored; `None` if all are 1.
    fn kind(&self) -> Option<DatumKind>;

    /// Returns the error for a negative weight, if there is one.
    fn negative(&mut self) -> Result<Option<PlanError>, Error>;

    /// Returns `true` if no sum of weights along a shortest path exceeds `most`.
    fn sums_fit(&mut self, most: u64) -> Result<bool, Error>;
}

impl WeightFacts for &LayeredGraph {
    fn kind(&self) -> Option<DatumKind> {
        self.weights().map(|weights| weights.kind())
    }

    fn negative(&mut self) -> Result<Option<PlanError>, Error> {
        Ok(self.first_negative_weight().map(|(source_id, target_id, weight)| PlanError::NegativeWeight {
            program: "sssp",
            source_id,
            target_id,
            weight,
        }))
    }

    fn sums_fit(&mut self, most: u64) -> Result<bool, Error> {
        // All sources start with 0.
        Ok(self.length_bound(0, most).is_some())
    }
}

/// Selects the number type of a program over a graph with these weights.
pub(crate) fn choose(
    program: Program,
    precision: Option<Precision>,
    weights: impl WeightFacts,
) -> Result<Choice, Error> {
    match program {
        Program::Bfs | Program::Reach | Program::Components | Program::Kcore => {
            let name = program.name();
            let note = precision.map(|_| format!("{name} computes in integers: --precision has no effect"));
            Ok((if program == Program::Components { Number::U64 } else { Number::U32 }, note))
        }
        Program::Pagerank => Ok((precision.map_or(Number::F32, Number::from), None)),
        Program::Adsorption => {
            let note = precision.map(|_| "adsorption computes in f32: --precision has no effect".to_owned());
            Ok((Number::F32, note))
        }
        Program::Sssp => for_sums(precision, weights),
        Program::Widest => Ok(for_bottlenecks(precision, weights.kind())),
    }
}

/// Selects the number type of shortest paths: the narrowest one in which no sum of a run can overflow. The plan of the
/// run finds the same bound (`Plan::bound`), and tells whether messages beyond it are dropped.
fn for_sums(precision: Option<Precision>, mut weights: impl WeightFacts) -> Result<Choice, Error> {
    if let Some(negative) = weights.negative()? {
        return Err(negative.into());
    }
    if let Some(precision) = precision {
        return Ok((precision.into(), None));
    }
    for (number, most) in [(Number::U32, u32::MAX.into()), (Number::U64, u64::MAX)] {
        if weights.sums_fit(most)? {
            return Ok((number, None));
        }
    }
    let are_integers = weights.kind().is_none_or(|kind| !kind.is_float());
    let note = "sums of these weights may reach a number which exceeds 64 bits: they are computed in f64 and rounded";
    Ok((Number::F64, are_integers.then(|| note.to_owned())))
}

/// Selects the number type of widest paths. A value is always one of the weights, so their own type is exact.
fn for_bottlenecks(precision: Option<Precision>, kind: Option<DatumKind>) -> Choice {
    if let Some(precision) = precision {
        return (precision.into(), None);
    }
    match kind.map_or(DatumKind::U32, DatumKind::of_programs) {
        DatumKind::U32 => (Number::U32, None),
        DatumKind::U64 => (Number::U64, None),
        DatumKind::F32 => (Number::F32, None),
        DatumKind::I32 | DatumKind::I64 => {
            let note =
                "some weights are negative: widths are computed in f64, exactly (a width may be negative)";
            (Number::F64, Some(note.to_owned()))
        }
        _ => (Number::F64, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wolfpath::weights::WeightNumber;

    fn sums<W: WeightNumber>(weights: [W; 2]) -> Choice {
        let [a, b] = weights;
        let graph = LayeredGraph::from_weighted_edges([(0, 1, a), (1, 2, b)]).expect("the graph is valid");
        for_sums(None, &graph).expect("a number type is selected")
    }

    #[test]
    fn sums_never_overflow() {
        assert_eq!(sums([5u32, 6]).0, Number::U32);
        assert_eq!(sums([(1u32 << 31) - 1, 1]).0, Number::U32);
        assert_eq!(sums([1u32 << 31, 1 << 31]).0, Number::U64);
        assert_eq!(sums([1u64 << 62, 1 << 62]).0, Number::U64);
        let (number, note) = sums([1u64 << 63, 1 << 63]);
        assert!(number == Number::F64 && note.is_some());
        assert_eq!(sums([0.5, 1.0]), (Number::F64, None));
    }

    #[test]
    fn symmetric_graphs_need_fewer_bits() {
        let star = |weight: u32| {
            let edges = (1..6u64).flat_map(|leaf| [(0, leaf, weight), (leaf, 0, weight)]);
            LayeredGraph::from_weighted_edges(edges).expect("the graph is valid")
        };
        let choose = |graph: &LayeredGraph| for_sums(None, graph).expect("a number type is selected");
        // Two edges, and one more.
        assert_eq!(choose(&star(u32::MAX / 3)), (Number::U32, None));
        assert_eq!(choose(&star(u32::MAX / 3 + 1)), (Number::U64, None));
    }

    #[test]
    fn widths_have_the_type_of_the_weights() {
        for (weight, number) in [
            (1.0, Number::U32),
            (5e9, Number::U64),
            (0.5, Number::F32),
            (0.1, Number::F64),
            (-1.0, Number::F64),
        ] {
            let graph = LayeredGraph::from_weighted_edges([(0, 1, weight)]).expect("the graph is valid");
            assert_eq!(for_bottlenecks(None, (&graph).kind()).0, number, "{weight}");
        }
    }
}
