//! The benefit of each technique: the same line with the technique and without, as in figure 9 of the paper.

use serde_json::{Value, json};
use wolfpath::{RunOptions, ScheduleChoice, Techniques};

use super::line::rounded;
use super::schedules::{FEW, PATIENCE};
use super::timer::{Ran, Task, Timer};
use super::{Program, Result, Table};

/// Way to run without a technique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Without {
    /// The same graph, with its vertices in random order.
    Order,
    /// A run with these techniques only.
    Technique(Techniques),
    /// A schedule that uses the technique, compared with one that does not.
    Schedule { with: ScheduleChoice, without: ScheduleChoice },
}

/// A technique, and the programs that demonstrate it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ablation {
    pub(crate) technique: &'static str,
    programs: &'static [Program],
    without: Without,
}

/// All techniques.
pub(crate) const ABLATIONS: [Ablation; 6] = [
    Ablation {
        technique: "layered order",
        programs: &[Program::Bfs, Program::BfsPush, Program::Sssp, Program::Components, Program::PageRank],
        without: Without::Order,
    },
    Ablation {
        technique: "direction",
        programs: &[Program::Bfs, Program::Reach],
        without: Without::Technique(Techniques::ALL.direction(false)),
    },
    Ablation {
        technique: "local rounds",
        programs: &[Program::Bfs, Program::Sssp, Program::Own],
        without: Without::Technique(Techniques::ALL.local_rounds(false)),
    },
    Ablation {
        technique: "shared memory",
        programs: &[Program::Bfs, Program::Reach],
        without: Without::Technique(Techniques::ALL.shared_window(false)),
    },
    Ablation {
        technique: "buckets",
        programs: &[Program::Sssp, Program::Widest, Program::Own],
        without: Without::Schedule { with: ScheduleChoice::Bucket, without: ScheduleChoice::Frontier },
    },
    Ablation {
        technique: "sweeping combined edge lists",
        programs: &[Program::BfsFromRoot, Program::Components],
        without: Without::Schedule { with: ScheduleChoice::Sweep, without: ScheduleChoice::Frontier },
    },
];

/// One side of a comparison: a time in milliseconds, or the reason why there is no time.
type Side = std::result::Result<f64, String>;

/// A graph, and the number of runs over it.
pub(crate) struct Bench<'a, 'b> {
    pub(crate) timer: &'b Timer<'a>,
    /// The same graph in random order, created when it is first needed.
    pub(crate) shuffled: Option<Timer<'a>>,
    pub(crate) repeat: usize,
}

impl Ablation {
    /// Returns `true` if a program demonstrates the technique.
    pub(crate) fn concerns(&self, program: Program) -> bool {
        self.programs.contains(&program)
    }

    /// Times a line with the technique and without it.
    pub(crate) fn measure(
        &self,
        bench: &mut Bench<'_, '_>,
        program: Program,
        table: &mut Table<'_>,
    ) -> Result<()> {
        let graph = bench.timer.prepared.of.name();
        let (with, without) = match self.without {
            Without::Schedule { with, without } => (
                bench.side(program, program.options().schedule(with), table)?,
                bench.side(program, program.options().schedule(without), table)?,
            ),
            Without::Technique(techniques) => {
                let options = program.options().techniques(techniques);
                (bench.whole(program, table)?, bench.side(program, options, table)?)
            }
            Without::Order => (bench.whole(program, table)?, bench.in_random_order(program, table)?),
        };
        self.print(&graph, program, &with, &without, table)
    }

    fn print(
        &self,
        graph: &str,
        program: Program,
        with: &Side,
        without: &Side,
        table: &mut Table<'_>,
    ) -> Result<()> {
        let ratio = with.as_ref().ok().zip(without.as_ref().ok()).map(|(with, without)| without / with);
        let object = json!({
            "kind": "ablation",
            "technique": self.technique,
            "graph": graph,
            "program": program.name(),
            "with_ms": data(with),
            "without_ms": data(without),
            "ratio": ratio.map(rounded),
        });
        let cell = |side: &Side| match side {
            Ok(time) => format!("{time:.3} ms"),
            Err(reason) => reason.clone(),
        };
        let words = format!(
            "{:<28} {graph:<12} {:<18} with {:>12}, without {:>12}{}",
            self.technique,
            program.name(),
            cell(with),
            cell(without),
            ratio.map_or_else(String::new, |ratio| format!(", {ratio:.2} x"))
        );
        table.say(&object, &words)
    }
}

/// Converts a side to JSON: a number, or a text.
fn data(side: &Side) -> Value {
    match side {
        Ok(time) => json!(rounded(*time)),
        Err(reason) => json!(reason),
    }
}

impl Bench<'_, '_> {
    /// Returns the time of the line with all techniques, from the table if it was measured before.
    fn whole(&self, program: Program, table: &mut Table<'_>) -> Result<Side> {
        match table.median(&self.timer.prepared.of.name(), program.name()) {
            Some(median) => Ok(Ok(median)),
            None => self.side(program, program.options(), table),
        }
    }

    fn side(&self, program: Program, options: RunOptions, table: &mut Table<'_>) -> Result<Side> {
        timed(self.timer, program, options, self.repeat, table)
    }

    fn in_random_order(&mut self, program: Program, table: &mut Table<'_>) -> Result<Side> {
        let timer = match self.shuffled.take() {
            Some(timer) => timer,
            None => self.timer.shuffled()?,
        };
        let side = timed(&timer, program, program.options(), self.repeat, table);
        self.shuffled = Some(timer);
        side
    }
}

fn timed(
    timer: &Timer<'_>,
    program: Program,
    options: RunOptions,
    repeat: usize,
    table: &mut Table<'_>,
) -> Result<Side> {
    let options = options.time_limit(PATIENCE);
    match timer.run(&Task { program, options, repeat: repeat.min(FEW) })? {
        Ran::Refused(reason) | Ran::Stopped(reason) => Ok(Err(reason)),
        Ran::Timed(timing) if timing.wrong > 0 => {
            table.count(&timing);
            Ok(Err(format!("{} WRONG", timing.wrong)))
        }
        Ran::Timed(timing) => Ok(Ok(timing.median())),
    }
}
