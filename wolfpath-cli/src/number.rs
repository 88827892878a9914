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
        Program::Sssp => for_sums(precision, graph),
        Program::Widest => for_bottlenecks(precision, graph),
    }
}

/// Selects the number type of shortest paths: the narrowest one in which no sum of a run can overflow. The plan of the
/// run finds the same bound (`Plan::bound`), and tells whether messages beyond it are dropped.
fn for_sums(precision: Option<Precision>, graph: &LayeredGraph) -> Result<Choice, Error> {
    if let Some((source_id, target_id, weight)) = graph.first_negative_weight() {
        return Err(PlanError::NegativeWeight { program: "sssp", source_id, target_id, weight }.into());
    }
    if let Some(precision) = precision {
        return Ok((precision.into(), None));
    }
    // All sources start with 0.
    let narrowest = [(Number::U32, u32::MAX.into()), (Number::U64, u64::MAX)]
        .into_iter()
        .find(|&(_, most)| graph.length_bound(0, most).is_some());
    if let Some((number, _)) = narrowest {
        return Ok((number, None));
    }
    let are_integers = graph.weights().is_none_or(|weights| !weights.kind().is_float());
    let note = "sums of these weights may reach a number which exceeds 64 bits: they are computed in f64 and rounded";
    Ok((Number::F64, are_integers.then(|| note.to_owned())))
}

/// Selects the number type of widest paths. A value is always one of the weights, so their own type is exact.
fn for_bottlenecks(precision: Option<Precision>, graph: &LayeredGraph) -> Result<Choice, Error> {
    if let Some(precision) = precision {
        return Ok((precision.into(), None));
    }
    let kind = graph.weights().map_or(DatumKind::U32, |weights| weights.kind().of_programs());
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
            assert_eq!(
                for_bottlenecks(None, &graph).expect("a number type is selected").0,
                number,
                "{weight}"
            );
        }
    }
}
