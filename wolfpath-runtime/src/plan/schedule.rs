//! Schedules, and which of them a program can be run by.

use wolfpath_core::program::{CombineKind, DatumKind, Senders};

use crate::error::PlanError;
use crate::shape::Shape;

/// How a run goes through the graph.
///
/// # Examples
///
/// ```
/// use wolfpath::Schedule;
///
/// assert_eq!(Schedule::Pull.name(), "pull (receivers gather)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    /// Returns the name as plans print it.
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
    /// Returns `true` if all senders of a step are equally many edges away from a source. Nearest first and layer by layer
    /// they are not.
    pub(crate) const fn keeps_depths_apart(self) -> bool {
        !matches!(self, Schedule::Bucket | Schedule::Sweep)
    }

    /// Returns `true` if messages are combined straight into values.
    pub(crate) const fn is_in_place(self) -> bool {
        matches!(self, Schedule::Relax | Schedule::Bucket | Schedule::Sweep)
    }
}

/// Schedule that a run can be told to take, named as in the paper.
///
/// # Examples
///
/// ```
/// use wolfpath::ScheduleChoice;
///
/// let named = |name: &str| ScheduleChoice::ALL.into_iter().find(|choice| choice.name() == name);
/// assert_eq!((named("sweep"), named("relax")), (Some(ScheduleChoice::Sweep), None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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

    /// Returns the schedule's name, in one word.
    pub const fn name(self) -> &'static str {
        match self {
            ScheduleChoice::Frontier => "frontier",
            ScheduleChoice::Bucket => "bucket",
            ScheduleChoice::Pull => "pull",
            ScheduleChoice::Sweep => "sweep",
        }
    }
}

/// Optional optimizations of a run. They never change answers; benchmarks leave some out to measure what each is worth.
///
/// # Examples
///
/// ```
/// use wolfpath::Techniques;
///
/// let push_only = Techniques::ALL.direction(false);
/// assert!(!push_only.uses_direction() && push_only.uses_local_rounds());
/// assert_eq!(Techniques::new(), Techniques::ALL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Techniques {
    pub(crate) direction: bool,
    pub(crate) local_rounds: bool,
    pub(crate) shared_window: bool,
}

impl Techniques {
    /// All of them, the default.
    pub const ALL: Techniques = Techniques { direction: true, local_rounds: true, shared_window: true };
    /// None of them.
    pub const NONE: Techniques = Techniques { direction: false, local_rounds: false, shared_window: false };

    /// Returns all of them, the default.
    pub const fn new() -> Techniques {
        Techniques::ALL
    }

    /// Lets steps pull: receivers search for a sender if that reads fewer edges, or for all of them if that saves more
    /// atomics than it reads edges.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::Techniques;
    ///
    /// assert!(Techniques::NONE.direction(true).uses_direction());
    /// ```
    #[must_use]
    pub const fn direction(mut self, allow: bool) -> Techniques {
        self.direction = allow;
        self
    }

    /// Lets each warp expand a thin frontier for several rounds on its own before the device waits for all warps.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::Techniques;
    ///
    /// assert!(Techniques::NONE.local_rounds(true).uses_local_rounds());
    /// ```
    #[must_use]
    pub const fn local_rounds(mut self, allow: bool) -> Techniques {
        self.local_rounds = allow;
        self
    }

    /// Lets each block remember in a window of its shared memory what it has sent to which vertex, so that a vertex with
    /// many senders in a step costs a few atomics per block instead of one per sender. It applies only if the program is
    /// `uniform`, its value has at most 4 bytes, and the graph's layers are wide.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::Techniques;
    ///
    /// assert!(Techniques::NONE.shared_window(true).uses_shared_window());
    /// ```
    #[must_use]
    pub const fn shared_window(mut self, allow: bool) -> Techniques {
        self.shared_window = allow;
        self
    }

    /// Returns `true` if steps may pull.
    pub const fn uses_direction(self) -> bool {
        self.direction
    }

    /// Returns `true` if warps may expand thin frontiers on their own.
    pub const fn uses_local_rounds(self) -> bool {
        self.local_rounds
    }

    /// Returns `true` if blocks may remember what they have sent.
    pub const fn uses_shared_window(self) -> bool {
        self.shared_window
    }
}

impl Default for Techniques {
    fn default() -> Techniques {
        Techniques::ALL
    }
}

/// Constraints on a schedule: the program, a number of steps, and the engine.
#[derive(Clone, Copy)]
pub(crate) struct ScheduleConstraints<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) steps: Option<u64>,
    pub(crate) on_cpu: bool,
    /// Senders walk their out-rows and their in-rows.
    pub(crate) walks_both_rows: bool,
}

impl ScheduleConstraints<'_> {
    /// Returns `true` if this run may see values before a step is over.
    fn sees_early(&self) -> bool {
        self.shape.may_be_seen_early() && self.steps.is_none()
    }

    /// Returns `true` if some values are nearer than others.
    fn is_ordered(&self) -> bool {
        matches!(self.shape.combine, CombineKind::Min | CombineKind::Max)
            && self.shape.value != DatumKind::Bool
    }

    /// Returns the schedule that suits the program on any graph and device, and why.
    pub(crate) fn natural(&self) -> (Schedule, &'static str) {
        let shape = self.shape;
        if shape.senders == Senders::All {
            (Schedule::Pull, "every vertex sends in every step")
        } else if self.sees_early() && !shape.uniform && self.is_ordered() {
            (Schedule::Bucket, "min or max over numbers: what is nearest first saves work")
        } else if self.sees_early() {
            (Schedule::Relax, "combining in any order gives the same values, so they may be seen early")
        } else if shape.must_pull() {
            (Schedule::Pull, "its messages cannot be combined by atomic operations in a fixed order")
        } else if shape.may_be_seen_early() {
            (Schedule::Frontier, "a number of steps was asked for, so no value may be seen early")
        } else {
            (
                Schedule::Frontier,
                "only active vertices send, and values must not be seen before the step is over",
            )
        }
    }

    /// Returns the schedule that a choice means for this program, or why there is none.
    fn named(&self, choice: ScheduleChoice) -> Result<Schedule, &'static str> {
        match choice {
            ScheduleChoice::Pull => Ok(Schedule::Pull),
            ScheduleChoice::Frontier if self.shape.senders == Senders::All => {
                Err("every vertex sends in every step, so there is no frontier")
            }
            ScheduleChoice::Frontier if self.sees_early() => Ok(Schedule::Relax),
            ScheduleChoice::Frontier if self.shape.must_pull() => Err(
                "its messages cannot be combined by atomic operations in a fixed order, so receivers must gather them",
            ),
            ScheduleChoice::Frontier => Ok(Schedule::Frontier),
            ScheduleChoice::Sweep if self.on_cpu => {
                Err("the CPU engine does not sweep: layers in order save what a GPU pays for its queues")
            }
            ScheduleChoice::Bucket | ScheduleChoice::Sweep => self.in_place(choice),
        }
    }

    /// Returns the schedule that a choice means which relies on values being seen early, or why it cannot be used.
    fn in_place(&self, choice: ScheduleChoice) -> Result<Schedule, &'static str> {
        if !self.shape.may_be_seen_early() {
            Err("its values must not be seen before a step is over")
        } else if self.steps.is_some() {
            Err("a number of steps was asked for, and only schedules that go step by step can count them")
        } else if choice == ScheduleChoice::Sweep && self.walks_both_rows {
            Err(
                "its messages travel both ways along the edges of a directed graph, whose rows do not lie in one order",
            )
        } else if choice == ScheduleChoice::Sweep {
            Ok(Schedule::Sweep)
        } else if self.is_ordered() {
            Ok(Schedule::Bucket)
        } else {
            Err("no value is nearer than another: only min and max over numbers have buckets")
        }
    }

    /// Returns the schedule that was asked for.
    pub(crate) fn asked(&self, choice: ScheduleChoice) -> Result<Schedule, PlanError> {
        self.named(choice).map_err(|reason| {
            let can = ScheduleChoice::ALL.into_iter().filter(|&other| self.named(other).is_ok());
            let names: Vec<_> = can.map(|other| format!("`{}`", other.name())).collect();
            let (program, schedule) = (self.shape.model.name, choice.name());
            PlanError::Schedule { program, schedule, reason, instead: names.join(" or ") }
        })
    }
}
