//! Answers to compare with. Each is computed once per graph and program, and used for all timings.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use wolfpath::graph::{Direction, LayeredGraph};
use wolfpath::program::{Datum, EdgeProgram};
use wolfpath::{Engine, OutcomeValues, RunOptions};

use super::Result;

/// Source of the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judge {
    /// CPU engine.
    CpuEngine,
    /// Serial oracles.
    Oracle,
}

/// Values of all vertices, in ascending order of ids.
pub(crate) type Answer<T> = Rc<Vec<Option<T>>>;

/// Answers over one graph, by name. They do not depend on the order of its vertices.
#[derive(Default)]
pub(crate) struct Answers(RefCell<HashMap<&'static str, Rc<dyn Any>>>);

impl Answers {
    /// Returns the answer with this name, which is computed when it is first requested.
    pub(crate) fn of<T: 'static>(
        &self,
        name: &'static str,
        make: impl FnOnce() -> Result<Vec<Option<T>>>,
    ) -> Result<Answer<T>> {
        let kept = self.0.borrow().get(name).cloned();
        if let Some(answer) = kept.and_then(|kept| kept.downcast::<Vec<Option<T>>>().ok()) {
            return Ok(answer);
        }
        let answer = Rc::new(make()?);
        self.0.borrow_mut().insert(name, answer.clone());
        Ok(answer)
    }
}

/// Computes the answer with the CPU engine, on all cores.
pub(crate) fn of_cpu<P: EdgeProgram>(
    graph: &LayeredGraph,
    program: &P,
    steps: Option<u64>,
) -> Result<Vec<Option<P::Value>>> {
    let options = RunOptions::new().steps_at_most(steps);
    let outcome = Engine::cpu().run_with(graph, program, &options)?;
    Ok(outcome.read()?.iter().map(|(_, value)| value).collect())
}

/// Counts the vertices with a wrong value.
pub(crate) fn wrong<V: Datum>(
    outcome: &OutcomeValues<V>,
    expected: &[Option<V>],
    is_right: impl Fn(V, V) -> bool,
) -> usize {
    let right = |ours, expected: Option<V>| match (ours, expected) {
        (Some(ours), Some(expected)) => is_right(ours, expected),
        (ours, expected) => ours.is_none() && expected.is_none(),
    };
    outcome.iter().zip(expected).filter(|((_, ours), expected)| !right(*ours, **expected)).count()
}

/// Reorders an answer from internal indices to ascending ids.
pub(crate) fn by_rank<T: Copy>(graph: &LayeredGraph, answer: &[T]) -> Vec<T> {
    graph.by_rank().iter().map(|&v| answer[v as usize]).collect()
}

/// Returns the graph's weights in the type that the programs here use.
pub(crate) fn weights(graph: &LayeredGraph) -> Result<std::borrow::Cow<'_, [u32]>> {
    Ok(graph.weights_as::<u32>(Direction::Out, false)?)
}

/// Returns `true` if two values are equal bit for bit.
pub(crate) fn same<T: Datum>(ours: T, expected: T) -> bool {
    ours.same(expected)
}
