//! The programs that are timed, by the names that tables give them.

use wolfpath::{RunOptions, Techniques};

use super::floor::Footprint;

/// Steps of PageRank.
pub(crate) const RANK_STEPS: u64 = 20;

/// A program with where it starts and what it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Program {
    Bfs,
    /// Without steps that pull.
    BfsPush,
    /// From the root of the layers.
    BfsFromRoot,
    /// From 64 sources, each a run of its own, at once.
    BfsMany,
    Sssp,
    Components,
    PageRank,
    Widest,
    Reach,
    /// A `min` program of a user's own, over weights.
    Own,
    /// `sssp` with every way to fault.
    CanFault,
    /// The same with none.
    CannotFault,
}

impl Program {
    /// Every program.
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

    /// The name in tables, and for `--only`.
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

    /// Timed only when `--only` names it: no line of the table, but a measurement of its own.
    pub(crate) fn is_extra(self) -> bool {
        matches!(self, Program::CanFault | Program::CannotFault)
    }

    /// Programs of one name here have the same answer, up to where they start.
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

    /// How it is run when nothing else is asked for.
    pub(crate) fn options(self) -> RunOptions {
        match self {
            Program::BfsPush => RunOptions::new().techniques(Techniques::ALL.direction(false)),
            Program::PageRank => RunOptions::new().steps(RANK_STEPS),
            _ => RunOptions::new(),
        }
    }

    /// What it keeps and reads.
    pub(crate) fn footprint(self) -> Footprint {
        let plain =
            Footprint { value: 4, weight: 0, uniform: false, starts_everywhere: false, all_send: false };
        match self {
            Program::Bfs | Program::BfsPush | Program::BfsFromRoot => Footprint { uniform: true, ..plain },
            // A word of bits for every vertex in place of a value.
            Program::BfsMany => Footprint { value: 8, uniform: true, ..plain },
            Program::Reach => Footprint { value: 1, uniform: true, ..plain },
            Program::Components => Footprint { value: 8, starts_everywhere: true, ..plain },
            Program::PageRank => Footprint { starts_everywhere: true, all_send: true, ..plain },
            _ => Footprint { weight: 4, ..plain },
        }
    }
}
