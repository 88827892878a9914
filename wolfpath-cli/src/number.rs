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

/// Selects the number type of a program over a graph.
pub(crate) fn choose(
    program: Program,
    precision: Option<Precision>,
    graph: &LayeredGraph,
) -> Result<Choice, Error> {
    match program {
        Program::Bfs | Program::Reach | Program::Components => {
            let name = program.name();
            let note = precision.map(|_| format!("{name} computes in integers: --precision has no effect"));
            Ok((if program == Program::Components { Number::U64 } else { Number::U32 }, note))
        }
        Program::Pagerank => Ok((precision.map_or(Number::F32, Number::from), None)),
        Program::Sssp => for_sums(precision, graph),
        Program::Widest => for_bottlenecks(precision, graph),
    }
}

/// Selects the number type of shortest paths, so that no sum in a run can overflow. A value is always the length of a
/// path that visits no vertex twice, so it is at most n - 1 times the largest weight, and at most the sum of all
/// weights. A message is a value plus the weight of one more edge, and must not overflow either.
fn for_sums(precision: Option<Precision>, graph: &LayeredGraph) -> Result<Choice, Error> {
    if let Some((source_id, target_id, weight)) = graph.first_negative_weight() {
        return Err(PlanError::NegativeWeight { program: "sssp", source_id, target_id, weight }.into());
    }
    if let Some(precision) = precision {
        return Ok((precision.into(), None));
    }
    let (largest, sum) = match graph.weights() {
        None => (Some(1), Some(u128::from(graph.num_edges()))),
        Some(weights) => (weights.max_integer(), weights.sum_integer()),
    };
    let (Some(largest), Some(sum)) = (largest.map(u128::from), sum) else {
        return Ok((Number::F64, None));
    };
    let bound = longest_sum(graph.num_vertices(), largest, sum);
    Ok(if bound <= u32::MAX.into() {
        (Number::U32, None)
    } else if bound <= u64::MAX.into() {
        (Number::U64, None)
    } else {
        let note = format!(
            "sums of these weights may reach {bound}, which exceeds 64 bits: they are computed in f64 and rounded"
        );
        (Number::F64, Some(note))
    })
}

fn longest_sum(vertices: u32, largest: u128, sum: u128) -> u128 {
    let edges = u128::from(vertices.saturating_sub(1));
    edges.saturating_mul(largest).min(sum).saturating_add(largest)
}

/// Selects the number type of widest paths. A value is always one of the weights, so their own type is exact.
fn for_bottlenecks(precision: Option<Precision>, graph: &LayeredGraph) -> Result<Choice, Error> {
    if let Some(precision) = precision {
        return Ok((precision.into(), None));
    }
    let kind = graph.weights().map_or(DatumKind::U32, |weights| weights.kind());
    Ok(match kind {
        DatumKind::U32 => (Number::U32, None),
        DatumKind::U64 => (Number::U64, None),
        DatumKind::F32 => (Number::F32, None),
        DatumKind::I32 | DatumKind::I64 => {
            let note =
                "some weights are negative: widths are computed in f64, exactly (a width may be negative)";
            (Number::F64, Some(note.to_owned()))
        }
        _ => (Number::F64, None),
    })
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
    fn the_bound_is_the_smaller_of_two() {
        assert_eq!(longest_sum(3, 10, 100), 30);
        assert_eq!(longest_sum(300, 10, 100), 110);
        assert_eq!(longest_sum(0, 0, 0), 0);
        let most = u128::from(u32::MAX) * u128::from(u64::MAX);
        assert_eq!(longest_sum(u32::MAX, u64::MAX.into(), u128::MAX), most);
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
            assert_eq!(
                for_bottlenecks(None, &graph).expect("a number type is selected").0,
                number,
                "{weight}"
            );
        }
    }
}
