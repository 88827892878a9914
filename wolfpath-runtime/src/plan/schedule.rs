//! Schedules, and which of them a program can be run by.

use wolfpath_core::program::{DatumKind, Senders};

use super::GraphSize;
use crate::options::RunOptions;
use crate::shape::Shape;

/// How a run goes through the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// The frontier in place: messages are combined straight into values, which may be seen before the step ends.
    Relax,
    /// The frontier in place, nearest values first.
    Bucket,
    /// The frontier step by step: messages are combined beside the values and applied when all have come.
    Frontier,
    /// Receivers gather over their own rows, in row order.
    Pull,
    /// Combined edge lists in layered order, in place, swept until nothing changes.
    Sweep,
}

impl Schedule {
    /// The name as plans print it.
    pub const fn name(self) -> &'static str {
        match self {
            Schedule::Relax => "relax (frontier in place)",
            Schedule::Bucket => "bucket (frontier in place, nearest first)",
            Schedule::Frontier => "frontier (step by step)",
            Schedule::Pull => "pull (receivers gather)",
            Schedule::Sweep => "sweep (combined edge lists in layered order)",
        }
    }
}

impl Schedule {
    /// Whether messages are combined straight into values.
    pub(crate) const fn is_in_place(self) -> bool {
        matches!(self, Schedule::Relax | Schedule::Bucket | Schedule::Sweep)
    }
}

/// A schedule that a run is told to take, in the words of the paper and of the command (`--schedule`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScheduleChoice {
    /// Only active vertices send, pushing or (where the program allows it) pulled from.
    Frontier,
    /// The frontier in place, nearest values first: `min` and `max` over numbers.
    Bucket,
    /// Receivers gather over their own rows.
    Pull,
    /// WolfPath's layer iteration: combined edge lists in layered order, swept until nothing changes.
    Sweep,
}

impl ScheduleChoice {
    /// Every schedule that can be asked for.
    pub const ALL: [ScheduleChoice; 4] =
        [ScheduleChoice::Frontier, ScheduleChoice::Bucket, ScheduleChoice::Pull, ScheduleChoice::Sweep];

    /// The name as the command takes it.
    pub const fn name(self) -> &'static str {
        match self {
            ScheduleChoice::Frontier => "frontier",
            ScheduleChoice::Bucket => "bucket",
            ScheduleChoice::Pull => "pull",
            ScheduleChoice::Sweep => "sweep",
        }
    }
}

/// Techniques that a run may use. Answers never depend on them; benchmarks leave some out to measure what each is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Techniques {
    /// Steps that pull (receivers look for a sender) where that reads fewer edges.
    pub direction: bool,
    /// Thin frontiers are expanded several rounds by each block on its own before the device waits for all.
    pub local_rounds: bool,
}

impl Techniques {
    /// All of them: what runs use when they are told nothing.
    pub const ALL: Techniques = Techniques { direction: true, local_rounds: true };
    /// None of them.
    pub const NONE: Techniques = Techniques { direction: false, local_rounds: false };
}

impl Default for Techniques {
    fn default() -> Techniques {
        Techniques::ALL
    }
}

/// Decides the schedule of a run.
pub(crate) fn schedule(shape: &Shape, options: &RunOptions) -> (Schedule, &'static str) {
    if shape.senders == Senders::All {
        (Schedule::Pull, "every vertex sends in every step")
    } else if shape.may_be_seen_early() && options.steps.is_none() {
        if !shape.uniform && is_ordered(shape) {
            (Schedule::Bucket, "min or max over numbers: what is nearest first saves work")
        } else {
            (Schedule::Relax, "combining in any order gives the same values, so they may be seen early")
        }
    } else if shape.must_pull() {
        (Schedule::Pull, "its messages cannot be combined by atomic operations in a fixed order")
    } else {
        (Schedule::Frontier, frontier_reason(shape, options))
    }
}

/// What a run on a device uses of what it may. Blocks that go on alone reach vertices on detours, and are then improved
/// again; pulling relies on a first value being the last. So a run does one of them, by the graph's layers.
pub(crate) fn techniques(
    schedule: Schedule,
    graph: GraphSize,
    uniform: bool,
    options: &RunOptions,
    on_cpu: bool,
) -> Techniques {
    let asked = options.techniques;
    let local_rounds = asked.local_rounds && !on_cpu && schedule.is_in_place() && graph.is_thin();
    let direction = asked.direction && !on_cpu && schedule == Schedule::Relax && uniform && !local_rounds;
    Techniques { direction, local_rounds }
}

fn is_ordered(shape: &Shape) -> bool {
    use wolfpath_core::program::CombineKind::{Max, Min};
    matches!(shape.combine, Min | Max) && shape.value != DatumKind::Bool
}

fn frontier_reason(shape: &Shape, options: &RunOptions) -> &'static str {
    if shape.may_be_seen_early() && options.steps.is_some() {
        "a number of steps was asked for, so no value may be seen early"
    } else {
        "only active vertices send, and values must not be seen before the step is over"
    }
}
