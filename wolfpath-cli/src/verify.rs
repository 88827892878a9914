//! `--verify`: compares the result with that of a serial oracle, vertex by vertex.

use wolfpath::OutcomeValues;
use wolfpath::graph::{Direction, LayeredGraph};
use wolfpath::oracle::{self, PageRankOptions, PathNumber};
use wolfpath::prelude::*;
use wolfpath::program::Datum;
use wolfpath::programs::LABELS;

use crate::error::Error;
use crate::task::Setup;

/// Largest accepted relative error of a rank, and of a share apart from what the end of the run leaves out.
const RANK_TOLERANCE: f64 = 1e-5;

/// Largest accepted sum of the errors that rounding of ranks in f32 makes.
const ROUNDING: f64 = 1e-6;

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Verification {
    /// Name of the oracle.
    pub(crate) oracle: &'static str,
    /// Number of vertices compared, which is all of them.
    pub(crate) compared: u64,
    /// Number of vertices that differ.
    pub(crate) differences: u64,
    /// First difference, in ascending order of ids.
    pub(crate) first: Option<Difference>,
    /// Largest relative error of a rank.
    pub(crate) largest_error: Option<f64>,
}

/// Vertex with a wrong value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) id: u64,
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl Verification {
    /// Returns an error if the result is wrong.
    pub(crate) fn into_result(self, run: impl Into<String>) -> Result<(), Error> {
        let Verification { oracle, compared, differences, first, .. } = self;
        match first {
            Some(Difference { id, expected, found }) => {
                Err(Error::Differs { run: run.into(), oracle, differences, compared, id, expected, found })
            }
            None => Ok(()),
        }
    }
}

/// Formats a value as `--output` writes it.
pub(crate) fn shown<T: std::fmt::Debug>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:?}"))
}

/// Compares pairs of expected and found values.
fn compare<T: Copy + std::fmt::Debug>(
    oracle: &'static str,
    pairs: impl Iterator<Item = (u64, Option<T>, Option<T>)>,
    same: impl Fn(T, T) -> bool,
) -> Verification {
    let mut verification =
        Verification { oracle, compared: 0, differences: 0, first: None, largest_error: None };
    for (id, expected, found) in pairs {
        verification.compared += 1;
        let agree = match (expected, found) {
            (Some(expected), Some(found)) => same(expected, found),
            (expected, found) => expected.is_none() && found.is_none(),
        };
        if !agree {
            verification.differences += 1;
            let difference = || Difference { id, expected: shown(expected), found: shown(found) };
            verification.first.get_or_insert_with(difference);
        }
    }
    verification
}

/// Pairs the oracle's values (by internal index) with the outcome's, in ascending order of ids.
fn beside<'a, V: Datum, T: Copy>(
    expected: &'a [Option<T>],
    values: &'a OutcomeValues<V>,
    number: impl Fn(V) -> T + 'a,
) -> impl Iterator<Item = (u64, Option<T>, Option<T>)> + 'a {
    let by_rank = values.graph().by_rank().iter().map(|&vertex| expected[vertex as usize]);
    by_rank.zip(values.iter()).map(move |(expected, (id, found))| (id, expected, found.map(&number)))
}

fn vertices(graph: &LayeredGraph, setup: &Setup) -> Vec<u32> {
    let vertex = |&id: &u64| graph.vertex_of(id).expect("sources were looked up before the run");
    setup.sources.iter().map(vertex).collect()
}

/// Returns the number of hops to each vertex, as the oracle finds it. Vertices beyond the run's step limit have none.
fn hops_within(setup: &Setup, graph: &LayeredGraph) -> Result<Vec<Option<u64>>, Error> {
    let hops = oracle::hops(graph.out_edges(), &vertices(graph, setup));
    let limit = setup.steps.unwrap_or(u64::MAX);
    Ok(hops.into_iter().map(|hops| hops.filter(|&hops| hops <= limit)).collect())
}

pub(crate) fn hops<P: EdgeProgram<Value = u32>>(
    setup: &Setup,
    outcome: &Outcome<P>,
) -> Result<Verification, Error> {
    let expected = hops_within(setup, outcome.graph())?;
    Ok(compare("a serial breadth-first search", beside(&expected, &outcome.read()?, u64::from), |a, b| {
        a == b
    }))
}

pub(crate) fn reach<P: EdgeProgram<Value = bool>>(
    setup: &Setup,
    outcome: &Outcome<P>,
) -> Result<Verification, Error> {
    let hops = hops_within(setup, outcome.graph())?;
    let expected: Vec<Option<bool>> = hops.into_iter().map(|hops| hops.map(|_| true)).collect();
    Ok(compare(
        "a serial breadth-first search",
        beside(&expected, &outcome.read()?, |found| found),
        |a, b| a == b,
    ))
}

pub(crate) fn components<P: EdgeProgram<Value = u64>>(outcome: &Outcome<P>) -> Result<Verification, Error> {
    let expected: Vec<Option<u64>> = oracle::smallest_ids(outcome.graph()).into_iter().map(Some).collect();
    Ok(compare("union-find", beside(&expected, &outcome.read()?, |found| found), |a, b| a == b))
}

pub(crate) fn cores<P: EdgeProgram<Value = u32>>(outcome: &Outcome<P>) -> Result<Verification, Error> {
    let graph = outcome.graph();
    let cores = oracle::core_numbers_of_neighbours(graph.out_edges(), graph.in_edges()?);
    let expected: Vec<Option<u64>> = cores.into_iter().map(Some).collect();
    Ok(compare("serial peeling", beside(&expected, &outcome.read()?, u64::from), |a, b| a == b))
}

pub(crate) fn shortest<P: EdgeProgram<Value = N>, N: PathNumber + Datum>(
    setup: &Setup,
    start: N,
    outcome: &Outcome<P>,
) -> Result<Verification, Error> {
    let graph = outcome.graph();
    let weights = graph.weights_as::<N>(Direction::Out, setup.lossy_weights)?;
    let sources: Vec<(u32, N)> = vertices(graph, setup).into_iter().map(|v| (v, start)).collect();
    let expected = oracle::shortest(graph.out_edges(), &weights, &sources);
    Ok(compare("Dijkstra's algorithm", beside(&expected, &outcome.read()?, |found| found), N::same))
}

pub(crate) fn widest<P: EdgeProgram<Value = N>, N: PathNumber + Datum>(
    setup: &Setup,
    start: N,
    outcome: &Outcome<P>,
) -> Result<Verification, Error> {
    let graph = outcome.graph();
    let weights = graph.weights_as::<N>(Direction::Out, setup.lossy_weights)?;
    let sources: Vec<(u32, N)> = vertices(graph, setup).into_iter().map(|v| (v, start)).collect();
    let expected = oracle::widest(graph.out_edges(), &weights, &sources);
    Ok(compare(
        "Dijkstra's algorithm for bottlenecks",
        beside(&expected, &outcome.read()?, |found| found),
        N::same,
    ))
}

/// Compares with power iteration in f64, with the same number of steps as the run.
pub(crate) fn pagerank<P: EdgeProgram>(setup: &Setup, outcome: &Outcome<P>) -> Result<Verification, Error>
where
    P::Value: Into<f64>,
{
    let steps = Some(outcome.steps());
    let options = PageRankOptions::new().damping(setup.damping).steps(steps);
    let answer = oracle::pagerank(outcome.graph().out_edges(), &options);
    let expected: Vec<Option<f64>> = answer.ranks.into_iter().map(Some).collect();
    let values = outcome.read()?;
    let pairs = || beside(&expected, &values, P::Value::into);
    let errors = pairs().filter_map(|(_, expected, found)| Some(relative_error(expected?, found?)));
    let mut verification = compare("power iteration in f64", pairs(), |expected, found| {
        relative_error(expected, found) <= RANK_TOLERANCE
    });
    verification.largest_error = Some(errors.fold(0.0, f64::max));
    Ok(verification)
}

/// Returns the sum of all ranks.
pub(crate) fn sum_of<V: Datum + Into<f64>>(ranks: &OutcomeValues<V>) -> f64 {
    ranks.iter().filter_map(|(_, rank)| rank).map(V::into).sum()
}

/// Compares accumulated ranks, divided by their sum, with power iteration in f64. What was not passed on is missing from other
/// ranks, by 1 / (1 - damping) of it in all, and from the sum. So the sum of all errors is compared with that; if it is larger,
/// ranks with a larger relative error than the tolerance of ranks differ.
pub(crate) fn accumulated<P: EdgeProgram>(setup: &Setup, outcome: &Outcome<P>) -> Result<Verification, Error>
where
    P::Value: Into<f64>,
{
    let answer =
        oracle::pagerank(outcome.graph().out_edges(), &PageRankOptions::new().damping(setup.damping));
    let expected: Vec<Option<f64>> = answer.ranks.into_iter().map(Some).collect();
    let values = outcome.read()?;
    let sum = sum_of(&values);
    let pairs = || beside(&expected, &values, move |rank: P::Value| rank.into() / sum);
    let both = || pairs().filter_map(|(_, expected, found)| Some((expected?, found?)));
    let error: f64 = both().map(|(expected, found)| (expected - found).abs()).sum();
    let pending = outcome.stats().pending.unwrap_or(0.0);
    let is_right = error <= 2.0 * pending / (1.0 - setup.damping) + ROUNDING;
    let mut verification = compare("power iteration in f64", pairs(), |expected, found| {
        is_right || relative_error(expected, found) <= RANK_TOLERANCE
    });
    verification.largest_error =
        Some(both().map(|(expected, found)| relative_error(expected, found)).fold(0.0, f64::max));
    Ok(verification)
}

/// Compares shares of labels with those of an oracle in f64. The run ended when no share changed by more than the tolerance, and
/// changes shrink by the damping in each step.
pub(crate) fn shares<P: EdgeProgram<Value = [f32; LABELS]>>(
    setup: &Setup,
    outcome: &Outcome<P>,
) -> Result<Verification, Error> {
    let most = setup.tolerance / (1.0 - setup.damping) + ROUNDING;
    compare_shares(setup, outcome, most, most)
}

/// Compares accumulated shares. A share lacks what has not been passed on to it. Each hop would pass on at most the damping times
/// the largest pending share, which is at most the sum of all, so a share lacks at most this sum divided by 1 - damping. It is
/// never too large, apart from rounding.
pub(crate) fn accumulated_shares<P: EdgeProgram<Value = [f32; LABELS]>>(
    setup: &Setup,
    outcome: &Outcome<P>,
) -> Result<Verification, Error> {
    let all: f64 = outcome.read()?.iter().filter_map(|(_, shares)| shares).flatten().map(f64::from).sum();
    let pending = all * outcome.stats().pending.unwrap_or(0.0);
    compare_shares(setup, outcome, pending / (1.0 - setup.damping) + ROUNDING, ROUNDING)
}

/// Compares shares, which may be less than expected by `below` and more by `above`, apart from relative rounding.
fn compare_shares<P: EdgeProgram<Value = [f32; LABELS]>>(
    setup: &Setup,
    outcome: &Outcome<P>,
    below: f64,
    above: f64,
) -> Result<Verification, Error> {
    let graph = outcome.graph();
    let weights = graph.weights_as::<f64>(Direction::In, true)?;
    let label = |v: u32| {
        let place = setup.sources.iter().position(|&id| id == graph.id_of(v));
        place.map_or(LABELS as u32, |place| place as u32)
    };
    let labels: Vec<u32> = (0..graph.num_vertices()).map(label).collect();
    let expected = oracle::adsorption(graph.in_edges()?, &weights, &labels, setup.damping);
    let expected: Vec<Option<[f64; LABELS]>> = expected.into_iter().map(Some).collect();
    let values = outcome.read()?;
    let is_near = |(expected, found): (f64, f64)| {
        let rounding = RANK_TOLERANCE * expected;
        (-below - rounding..=above + rounding).contains(&(found - expected))
    };
    let same = |expected: [f64; LABELS], found: [f64; LABELS]| expected.into_iter().zip(found).all(is_near);
    let pairs = beside(&expected, &values, |shares: [f32; LABELS]| shares.map(f64::from));
    Ok(compare("repeated averages in f64", pairs, same))
}

/// Returns the error of a rank relative to the expected rank. The error of NaN is infinite.
fn relative_error(expected: f64, found: f64) -> f64 {
    if expected == found {
        return 0.0;
    }
    let error = (found - expected).abs() / expected.abs();
    if error.is_nan() { f64::INFINITY } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let pairs = [(1, None, None), (4, Some(2), Some(2)), (7, Some(3), None), (9, None, Some(1))];
        let verification = compare("an oracle", pairs.into_iter(), |a, b| a == b);
        assert_eq!((verification.compared, verification.differences), (4, 2));
        let error = verification.into_result("bfs").expect_err("the values differ").to_string();
        assert_eq!(
            error,
            "bfs differs from an oracle at 2 of 4 vertices; the first is vertex 7: found -, expected 3"
        );
    }

    #[test]
    fn agreement_is_no_error() {
        let pairs = [(1, Some(0.1), Some(0.1))];
        assert!(compare("an oracle", pairs.into_iter(), f64::same).into_result("sssp").is_ok());
    }

    #[test]
    fn errors_of_ranks() {
        assert_eq!(relative_error(0.5, 0.5), 0.0);
        assert_eq!(relative_error(0.5, 0.25), 0.5);
        assert_eq!(relative_error(0.0, 0.25), f64::INFINITY);
        assert_eq!(relative_error(0.5, f64::NAN), f64::INFINITY);
    }
}
