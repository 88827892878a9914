//! Schedules, and the rules that determine which of them can run a program.

use wolfpath_core::program::{CombineKind, DatumKind};

use crate::error::PlanError;
use crate::shape::Shape;

/// Order in which a run traverses the graph.
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
    /// The frontier in place: messages are combined directly into values, which may be seen before the step ends.
    Relax,
    /// The frontier in place, with the nearest values first.
    Bucket,
    /// The frontier step by step: messages are combined separately from the values. They are applied when all messages
    /// of the step have arrived.
    Frontier,
    /// Receivers gather over their own rows, in row order.
    Pull,
    /// Combined edge lists in layered order, in place. Sweeps are repeated until nothing changes.
    Sweep,
    /// Union-find: the components are found first, and every vertex gets its component's best first value.
    Union,
    /// Vertices in the order of [paths](wolfpath_core::graph::Paths), in place or accumulating. Layers of paths are
    /// finished one after the other. On the CPU, a new value travels along its paths at once.
    Paths,
    /// The frontier of an accumulating program: vertices send what they have received since they last sent.
    Accumulate,
}

impl Schedule {
    /// Returns the name that plans print.
    pub const fn name(self) -> &'static str {
        match self {
            Schedule::Relax => "relax (frontier in place)",
            Schedule::Bucket => "bucket (frontier in place, nearest first)",
            Schedule::Frontier => "frontier (step by step)",
            Schedule::Pull => "pull (receivers gather)",
            Schedule::Sweep => "sweep (combined edge lists in layered order)",
            Schedule::Union => "union (components by union-find)",
            Schedule::Paths => "paths (in the order of their dependencies)",
            Schedule::Accumulate => "frontier (accumulating)",
        }
    }
}

impl Schedule {
    /// Returns `true` if all senders of a step are the same number of edges away from a source. Returns `false` for
    /// buckets, sweeps, union-find, paths and accumulating programs.
    pub(crate) const fn keeps_depths_apart(self) -> bool {
        matches!(self, Schedule::Relax | Schedule::Frontier | Schedule::Pull)
    }

    /// Returns `true` if the CPU engine counts updates.
    pub(crate) const fn counts_updates(self) -> bool {
        matches!(self, Schedule::Relax | Schedule::Bucket | Schedule::Paths | Schedule::Accumulate)
    }

    /// Returns `true` if a device visits the vertices that wait in asynchronous rounds.
    pub(crate) const fn walks(self) -> bool {
        matches!(self, Schedule::Paths | Schedule::Accumulate)
    }

    /// Returns the note that the statistics of a run with this schedule contain, if any.
    pub(crate) fn note(self) -> Option<String> {
        let note = "values were found by union-find, so steps and edges are those of its passes";
        (self == Schedule::Union).then(|| note.to_owned())
    }

    /// Returns `true` if messages are combined directly into values.
    pub(crate) const fn is_in_place(self) -> bool {
        matches!(
            self,
            Schedule::Relax | Schedule::Bucket | Schedule::Sweep | Schedule::Paths | Schedule::Accumulate
        )
    }
}

/// Schedule that can be requested for a run. The names are those of the paper.
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
    /// Only active vertices send: they push or, if the program allows it, receivers pull from them.
    Frontier,
    /// The frontier in place, with the nearest values first. For `min` and `max` over numbers.
    Bucket,
    /// Receivers gather over their own rows.
    Pull,
    /// WolfPath's layer iteration: combined edge lists in layered order, swept repeatedly until nothing changes.
    Sweep,
    /// Components by union-find. For `min` and `max` programs whose messages are the senders' values, if messages
    /// travel in both directions of every edge.
    Union,
    /// Vertices in the order of edge-disjoint paths. For programs whose values may be seen early, and for accumulating
    /// programs.
    Paths,
}

impl ScheduleChoice {
    /// Schedules that can be requested.
    pub const ALL: [ScheduleChoice; 6] = [
        ScheduleChoice::Frontier,
        ScheduleChoice::Bucket,
        ScheduleChoice::Pull,
        ScheduleChoice::Sweep,
        ScheduleChoice::Union,
        ScheduleChoice::Paths,
    ];

    /// Returns the schedule's name, which is one word.
    pub const fn name(self) -> &'static str {
        match self {
            ScheduleChoice::Frontier => "frontier",
            ScheduleChoice::Bucket => "bucket",
            ScheduleChoice::Pull => "pull",
            ScheduleChoice::Sweep => "sweep",
            ScheduleChoice::Union => "union",
            ScheduleChoice::Paths => "paths",
        }
    }
}

/// Optional optimizations of a run. They never change answers. Benchmarks disable individual optimizations to measure
/// their effect.
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
    pub(crate) path_order: bool,
    pub(crate) lending: bool,
}

impl Techniques {
    /// All optimizations, the default.
    pub const ALL: Techniques = Techniques {
        direction: true,
        local_rounds: true,
        shared_window: true,
        path_order: true,
        lending: true,
    };
    /// No optimizations.
    pub const NONE: Techniques = Techniques {
        direction: false,
        local_rounds: false,
        shared_window: false,
        path_order: false,
        lending: false,
    };

    /// Returns all optimizations, the default.
    pub const fn new() -> Techniques {
        Techniques::ALL
    }

    /// Allows steps to pull. If all messages of a step are equal, each receiver searches for one sender, and a step
    /// pulls if that reads fewer edges than pushing. If messages differ, each receiver searches for all its senders,
    /// and a step pulls if that saves more atomics than it reads edges.
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

    /// Allows each warp to expand a thin frontier for several rounds on its own before the next device-wide barrier.
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

    /// Allows each block to remember, in a window in its shared memory, which message it has sent to which vertex. A
    /// vertex with many senders in a step then costs a few atomics per block instead of one per sender. This applies
    /// only if the program is `uniform`, its value has at most 4 bytes, and the graph's layers are wide.
    ///
    /// In accumulating programs in the order of paths, blocks add up in shared memory what vertices with very many in-edges
    /// receive. On the CPU, each thread keeps such sums in memory of its own, under any schedule of these programs, if the
    /// vertices receive along at least an eighth of all edges.
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

    /// Lets the schedule [`Paths`](ScheduleChoice::Paths) finish layers of paths one after the other, in the order of their
    /// dependencies. Without it, paths are visited in no particular order. This applies to the CPU engine, too.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::Techniques;
    ///
    /// assert!(Techniques::NONE.path_order(true).uses_path_order());
    /// ```
    #[must_use]
    pub const fn path_order(mut self, allow: bool) -> Techniques {
        self.path_order = allow;
        self
    }

    /// Lets devices that share a run of an [accumulating](wolfpath_core::program::EdgeProgram::ACCUMULATES) program take work
    /// from each other: in each round, those with more to send than the average lend some of it to those with less. The plan
    /// lets them if rows are on the devices, vertices take turns (the schedules [`Paths`](Schedule::Paths) and
    /// [`Accumulate`](Schedule::Accumulate)), and the graph has at least 16 edges per vertex.
    ///
    /// # Examples
    ///
    /// ```
    /// use wolfpath::Techniques;
    ///
    /// assert!(Techniques::NONE.lending(true).uses_lending());
    /// ```
    #[must_use]
    pub const fn lending(mut self, allow: bool) -> Techniques {
        self.lending = allow;
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

    /// Returns `true` if blocks may remember the messages that they have sent or, in an accumulating program, blocks or threads
    /// may keep sums of their own.
    pub const fn uses_shared_window(self) -> bool {
        self.shared_window
    }

    /// Returns `true` if paths are visited in the order of their dependencies.
    pub const fn uses_path_order(self) -> bool {
        self.path_order
    }

    /// Returns `true` if devices may take work from each other.
    pub const fn uses_lending(self) -> bool {
        self.lending
    }
}

impl Default for Techniques {
    fn default() -> Techniques {
        Techniques::ALL
    }
}

/// Conditions that limit the choice of schedule: the program, a fixed number of steps, and the engine.
#[derive(Clone, Copy)]
pub(crate) struct ScheduleConstraints<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) steps: Option<u64>,
    /// `true` if the run ends when named vertices are settled.
    pub(crate) settles: bool,
    pub(crate) on_cpu: bool,
    /// `true` if senders traverse both their out-rows and their in-rows.
    pub(crate) walks_both_rows: bool,
    /// Reason why this run cannot use union-find, even if the program propagates labels and takes no fixed number of
    /// steps.
    pub(crate) against_union: Option<&'static str>,
}

/// Reason why a schedule that does not go step by step cannot be used.
const STEPS_ARE_COUNTED: &str =
    "a fixed number of steps was requested, and only schedules that go step by step can count them";

impl ScheduleConstraints<'_> {
    /// Returns `true` if this run may see values before a step is over.
    fn sees_early(&self) -> bool {
        self.shape.may_be_seen_early() && self.steps.is_none()
    }

    /// Returns `true` if the values have an order, so that some are nearer than others.
    fn is_ordered(&self) -> bool {
        matches!(self.shape.combine, CombineKind::Min | CombineKind::Max)
            && self.shape.value != DatumKind::Bool
    }

    /// Returns the schedule that suits the program on any graph and device, and the reason.
    pub(crate) fn natural(&self) -> (Schedule, &'static str) {
        match self.union() {
            Ok(union) => {
                (union, "messages are the senders' values, so each component gets its best first value")
            }
            Err(_) => self.ordinary(),
        }
    }

    /// Returns the schedule that suits the program if messages must travel along edges, and the reason.
    pub(crate) fn ordinary(&self) -> (Schedule, &'static str) {
        let shape = self.shape;
        if shape.accumulates {
            (Schedule::Accumulate, "sums may be sent in portions, so vertices send what they have received")
        } else if shape.combines_at_once() {
            (
                Schedule::Pull,
                "`MostFrequent` needs all messages to a vertex at once, so receivers gather them",
            )
        } else if shape.everyone_sends() {
            (Schedule::Pull, "every vertex sends in every step")
        } else if self.sees_early() && self.settles && (!shape.uniform || !self.on_cpu) {
            (
                Schedule::Bucket,
                "`until_settled` was requested, and values are settled in the order in which buckets send them",
            )
        } else if self.sees_early() && !shape.uniform && self.is_ordered() {
            (Schedule::Bucket, "min or max over numbers: sending the nearest values first saves work")
        } else if self.sees_early() {
            (Schedule::Relax, "combining in any order gives the same values, so they may be seen early")
        } else if shape.must_pull() {
            (Schedule::Pull, "its messages cannot be combined by atomic operations in a fixed order")
        } else if shape.may_be_seen_early() {
            (Schedule::Frontier, "a fixed number of steps was requested, so values must not be seen early")
        } else {
            (
                Schedule::Frontier,
                "not every vertex sends, and values must not be seen before the step is over",
            )
        }
    }

    /// Returns the schedule that a choice means for this program, or the reason why the choice cannot run the program.
    fn named(&self, choice: ScheduleChoice) -> Result<Schedule, &'static str> {
        match choice {
            ScheduleChoice::Paths => self.paths(),
            ScheduleChoice::Frontier if self.shape.accumulates => Ok(Schedule::Accumulate),
            _ if self.shape.accumulates => Err(
                "it accumulates: its vertices send portions of their sums, by frontier or in the order of paths",
            ),
            ScheduleChoice::Pull if self.settles => {
                Err("it goes step by step, and `until_settled` needs values in place")
            }
            ScheduleChoice::Frontier if self.settles && !self.on_cpu => Err(
                "on a device, only buckets know the best value that is still to be sent, which `until_settled` needs",
            ),
            ScheduleChoice::Sweep if self.settles => {
                Err("it sends values in the order of layers, so `until_settled` would not end it early")
            }
            ScheduleChoice::Pull => Ok(Schedule::Pull),
            ScheduleChoice::Frontier if self.shape.everyone_sends() => {
                Err("every vertex sends in every step, so there is no frontier")
            }
            ScheduleChoice::Frontier if self.sees_early() => Ok(Schedule::Relax),
            ScheduleChoice::Frontier if self.shape.combines_at_once() => {
                Err("`MostFrequent` needs all messages to a vertex at once, so receivers must gather them")
            }
            ScheduleChoice::Frontier if self.shape.must_pull() => Err(
                "its messages cannot be combined by atomic operations in a fixed order, so receivers must gather them",
            ),
            ScheduleChoice::Frontier => Ok(Schedule::Frontier),
            ScheduleChoice::Sweep if self.on_cpu => {
                Err("the CPU engine does not sweep: sweeps only save the cost of a GPU's queues")
            }
            ScheduleChoice::Bucket | ScheduleChoice::Sweep => self.in_place(choice),
            ScheduleChoice::Union => self.union(),
        }
    }

    /// Returns the schedule for paths, or the reason why it cannot be used.
    fn paths(&self) -> Result<Schedule, &'static str> {
        if !self.shape.may_be_seen_early() && !self.shape.accumulates {
            Err("its values must not be seen before a step is over")
        } else if self.steps.is_some() {
            Err(STEPS_ARE_COUNTED)
        } else if self.settles {
            Err("it sends values in the order of paths, so `until_settled` would not end it early")
        } else {
            Ok(Schedule::Paths)
        }
    }

    /// Returns the schedule for union-find, or the reason why it cannot be used.
    fn union(&self) -> Result<Schedule, &'static str> {
        if !self.shape.propagates_labels() {
            Err(
                "union-find needs `min` or `max`, the default `apply` and `changed`, no `sends` or `halts`, and an `edge` \
                 that returns the sender's value unchanged",
            )
        } else if self.steps.is_some() {
            Err(STEPS_ARE_COUNTED)
        } else if self.settles {
            Err("`until_settled` was requested, and union-find settles all values at once")
        } else {
            self.against_union.map_or(Ok(Schedule::Union), Err)
        }
    }

    /// Returns the schedule for a choice that requires values to be seen early, or the reason why it cannot be used.
    fn in_place(&self, choice: ScheduleChoice) -> Result<Schedule, &'static str> {
        if !self.shape.may_be_seen_early() {
            Err("its values must not be seen before a step is over")
        } else if self.steps.is_some() {
            Err(STEPS_ARE_COUNTED)
        } else if choice == ScheduleChoice::Sweep && self.walks_both_rows {
            Err(
                "its messages travel both ways along the edges of a directed graph, but a sweep uses the rows of one direction",
            )
        } else if choice == ScheduleChoice::Sweep && self.shape.model.reads.edge_position() {
            Err("its messages depend on the places of edges, which a sweep does not look up")
        } else if choice == ScheduleChoice::Sweep {
            Ok(Schedule::Sweep)
        } else if self.is_ordered() {
            Ok(Schedule::Bucket)
        } else {
            Err("no value is nearer than another: only min and max over numbers have buckets")
        }
    }

    /// Returns the requested schedule for this program.
    pub(crate) fn asked(&self, choice: ScheduleChoice) -> Result<Schedule, PlanError> {
        self.named(choice).map_err(|reason| {
            let can = ScheduleChoice::ALL.into_iter().filter(|&other| self.named(other).is_ok());
            let names: Vec<_> = can.map(|other| format!("`{}`", other.name())).collect();
            let (program, schedule) = (self.shape.model.name, choice.name());
            PlanError::Schedule { program, schedule, reason, instead: names.join(" or ") }
        })
    }
}
