//! What answers are compared with: made once a graph and program, whatever is timed afterwards.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use wolfpath::graph::{Direction, LayeredGraph};
use wolfpath::program::{Datum, EdgeProgram};
use wolfpath::{Engine, Outcome, RunOptions};

use super::Result;

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judge {
    /// The CPU engine.
    CpuEngine,
    /// The serial oracles.
    Oracle,
}

/// Every value by ascending id.
pub(crate) type Answer<T> = Rc<Vec<Option<T>>>;

/// The answers over one graph, in whatever order its vertices stand.
#[derive(Default)]
pub(crate) struct Answers(RefCell<HashMap<&'static str, Rc<dyn Any>>>);

impl Answers {
    /// The answer of this name, made when it is first asked for.
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

/// The answer of the CPU engine, on every core.
pub(crate) fn of_cpu<P: EdgeProgram>(
    graph: &LayeredGraph,
    program: &P,
    steps: Option<u64>,
) -> Result<Vec<Option<P::Value>>> {
    let options = RunOptions::new().steps(steps);
    let outcome = Engine::cpu().run_with(graph, program, &options)?;
    Ok(outcome.iter().map(|(_, value)| value).collect())
}

/// How many vertices have another value than they should have.
pub(crate) fn wrong<P: EdgeProgram>(
    outcome: &Outcome<P>,
    expected: &[Option<P::Value>],
    is_right: impl Fn(P::Value, P::Value) -> bool,
) -> usize {
    let right = |ours, expected: Option<P::Value>| match (ours, expected) {
        (Some(ours), Some(expected)) => is_right(ours, expected),
        (ours, expected) => ours.is_none() && expected.is_none(),
    };
    outcome.iter().zip(expected).filter(|((_, ours), expected)| !right(*ours, **expected)).count()
}

/// An answer by internal index, by ascending id.
pub(crate) fn by_rank<T: Copy>(graph: &LayeredGraph, answer: &[T]) -> Vec<T> {
    graph.by_rank().iter().map(|&v| answer[v as usize]).collect()
}

/// The graph's weights as the programs here read them.
pub(crate) fn weights(graph: &LayeredGraph) -> Result<std::borrow::Cow<'_, [u32]>> {
    Ok(graph.weights_as::<u32>(Direction::Out, false)?)
}

/// Bit for bit.
pub(crate) fn same<T: Datum>(ours: T, expected: T) -> bool {
    ours.same(expected)
}
