//! Programs that are timed, by their names in tables.

use wolfpath::{RunOptions, Techniques};

use super::floor::Footprint;

/// Number of PageRank steps.
pub(crate) const RANK_STEPS: u64 = 20;

/// A program, its sources, and the techniques that it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Program {
    Bfs,
    /// Breadth-first search without steps that pull.
    BfsPush,
    /// Breadth-first search from the root of the layers.
    BfsFromRoot,
    /// 64 breadth-first searches at once, each from its own source.
    BfsMany,
    Sssp,
    Components,
    PageRank,
    Widest,
    Reach,
    /// A user's `min` program over weights.
    Own,
    /// `sssp` with every kind of check for faults.
    CanFault,
    /// The same program without checks.
    CannotFault,
}

impl Program {
    /// All programs.
    pub(crate) const ALL: [Program; 12] = [
        Program::Bfs,
        Program::BfsPush,
        Program::BfsFromRoot,
        Program::BfsMany,
        Program::Sssp,
        Program::Components,
        Program::PageRank,
        Program::Widest,
        Program::Reach,
        Program::Own,
        Program::CanFault,
        Program::CannotFault,
    ];

    /// Returns the name in tables and for `--only`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Program::Bfs => "bfs",
            Program::BfsPush => "bfs, push only",
            Program::BfsFromRoot => "bfs from the root",
            Program::BfsMany => "bfs, 64 sources at once",
            Program::Sssp => "sssp",
            Program::Components => "components",
            Program::PageRank => "pagerank, 20 steps",
            Program::Widest => "widest",
            Program::Reach => "reach",
            Program::Own => "own min",
            Program::CanFault => "sssp that can fault",
            Program::CannotFault => "sssp that cannot",
        }
    }

    /// Returns `true` if the program is timed only when `--only` names it: it is a separate measurement, not a line of
    /// the table.
    pub(crate) fn is_extra(self) -> bool {
        matches!(self, Program::CanFault | Program::CannotFault)
    }

    /// Returns the name of the answer. Programs with the same name have the same answer if they start from the same
    /// source.
    pub(crate) fn answer(self) -> &'static str {
        match self {
            Program::Bfs | Program::BfsPush => "hops",
            Program::BfsFromRoot => "hops from the root",
            Program::BfsMany => "hops from many",
            Program::Sssp | Program::CanFault | Program::CannotFault => "distances",
            Program::Components => "smallest ids",
            Program::PageRank => "ranks",
            Program::Widest => "widths",
            Program::Reach => "reached",
            Program::Own => "arrivals",
        }
    }

    /// Returns the default options of its runs.
    pub(crate) fn options(self) -> RunOptions {
        match self {
            Program::BfsPush => RunOptions::new().techniques(Techniques::ALL.direction(false)),
            Program::PageRank => RunOptions::new().steps_at_most(RANK_STEPS),
            _ => RunOptions::new(),
        }
    }

    /// Returns the memory that it needs per vertex and edge.
    pub(crate) fn footprint(self) -> Footprint {
        let plain =
            Footprint { value: 4, weight: 0, uniform: false, starts_everywhere: false, all_send: false };
        match self {
            Program::Bfs | Program::BfsPush | Program::BfsFromRoot => Footprint { uniform: true, ..plain },
            // A word of bits per vertex instead of a value.
            Program::BfsMany => Footprint { value: 8, uniform: true, ..plain },
            Program::Reach => Footprint { value: 1, uniform: true, ..plain },
            Program::Components => Footprint { value: 8, starts_everywhere: true, ..plain },
            Program::PageRank => Footprint { starts_everywhere: true, all_send: true, ..plain },
            _ => Footprint { weight: 4, ..plain },
        }
    }
}
