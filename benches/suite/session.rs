//! A whole session: the table, then every schedule, then every technique. Answers are computed once per graph and
//! program. Graphs stay loaded during the whole session.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

use serde_json::json;
use wolfpath::Engine;

use super::ablations::{ABLATIONS, Bench};
use super::answers::Answers;
use super::timer::{Ran, Task, Timer};
use super::{
    Arguments, Graph, Line, Program, Result, Table, beside, chains, end_to_end, homes, schedules, steps,
    worst,
};

/// Times everything that was requested. [`Table::bad`] counts wrong answers and failures.
pub(crate) fn run(
    engine: &Engine,
    arguments: &Arguments,
    began: Instant,
    table: &mut Table<'_>,
) -> Result<()> {
    if arguments.shapes {
        return worst::run(engine, arguments, table);
    }
    if arguments.chains {
        return chains::run(engine, arguments, table);
    }
    if arguments.end_to_end {
        return end_to_end::run(arguments, table);
    }
    if arguments.compares() {
        return beside::run(engine, arguments, began, table);
    }
    table.columns()?;
    let session = Session::new(engine, arguments, began);
    let mut timers = Vec::new();
    for graph in Graph::wanted(arguments) {
        if session.is_over(&graph.name(), table)? {
            continue;
        }
        match session.load(&graph, table) {
            Ok(timer) => {
                session.lines(&timer, table)?;
                timers.push(timer);
            }
            Err(error) => table.failed("graph", &graph.name(), "", &error.to_string())?,
        }
    }
    if arguments.only.is_empty() {
        table.not_run()?;
    }
    if arguments.schedules {
        session.part("Every schedule (x: multiple of the time of the plan's choice)", table)?;
        timers.iter().try_for_each(|timer| session.schedules(timer, table))?;
    }
    if arguments.ablations {
        session.part("Every line with and without each technique", table)?;
        timers.iter().try_for_each(|timer| session.ablations(timer, table))?;
    }
    if arguments.rows {
        session.part(
            "Rows packed, and in host memory (x: multiple of the time with plain rows on the device)",
            table,
        )?;
        timers.iter().try_for_each(|timer| session.rows(timer, table))?;
    }
    Ok(())
}

/// State that all parts of a session share.
pub(super) struct Session<'a> {
    engine: &'a Engine,
    pub(super) arguments: &'a Arguments,
    began: Instant,
    /// `true` if this part has already printed that the time limit is reached.
    said: Cell<bool>,
}

impl<'a> Session<'a> {
    pub(super) fn new(engine: &'a Engine, arguments: &'a Arguments, began: Instant) -> Session<'a> {
        Session { engine, arguments, began, said: Cell::new(false) }
    }

    /// Returns `true` if the time limit is reached. In each part, the first such call also prints a message.
    pub(super) fn is_over(&self, what: &str, table: &mut Table<'_>) -> Result<bool> {
        let is_over = self.arguments.limit.is_some_and(|limit| self.began.elapsed() >= limit);
        if is_over && !self.said.replace(true) {
            let words = format!("the time limit is reached: {what} and the rest of this part are skipped");
            table.say(&json!({"kind": "left out", "what": what}), &words)?;
        }
        Ok(is_over)
    }

    /// Begins a new part.
    pub(super) fn part(&self, title: &str, table: &mut Table<'_>) -> Result<()> {
        self.said.set(false);
        table.title(title)
    }

    /// Opens or generates a graph, and loads it on the engine.
    pub(super) fn load(&self, graph: &Graph, table: &mut Table<'_>) -> Result<Timer<'a>> {
        let prepared = graph.prepare(self.arguments)?;
        let (name, took) = (graph.name(), prepared.took.as_secs_f64());
        let object = json!({"kind": "graph", "graph": name, "ready_s": took, "note": prepared.note});
        let note = prepared.note.as_ref().map_or_else(String::new, |note| format!(", {note}"));
        table.say(&object, &format!("{name} ready after {took:.2} s{note}"))?;
        Timer::new(self.engine, prepared, Rc::new(Answers::default()), self.arguments)
    }

    /// Returns the requested programs over a graph.
    fn programs(&self, timer: &Timer<'_>) -> impl Iterator<Item = Program> {
        let graph = timer.prepared.of;
        graph.programs().iter().copied().filter(move |&program| self.arguments.wants(&graph, program))
    }

    fn lines(&self, timer: &Timer<'_>, table: &mut Table<'_>) -> Result<()> {
        let graph = timer.prepared.of.name();
        for program in self.programs(timer) {
            if self.is_over(&format!("{graph}, {}", program.name()), table)? {
                continue;
            }
            let task = Task { program, options: program.options(), repeat: self.arguments.repeat };
            match timer.run(&task) {
                Ok(Ran::Timed(timing)) => {
                    let line = Line::new(graph.clone(), program, *timing, |of| table.median(&graph, of));
                    table.line(&line)?;
                }
                Ok(Ran::Refused(reason) | Ran::Stopped(reason)) => {
                    table.failed("line", &graph, program.name(), &reason)?
                }
                Err(error) => table.failed("line", &graph, program.name(), &error.to_string())?,
            }
        }
        Ok(())
    }

    fn schedules(&self, timer: &Timer<'_>, table: &mut Table<'_>) -> Result<()> {
        let graph = timer.prepared.of.name();
        // `BfsPush` is left out because it is `Bfs` without one technique (pulling), `BfsMany` because with a requested
        // schedule it would run its searches one at a time.
        let is_line = |program: &Program| !matches!(program, Program::BfsPush | Program::BfsMany);
        for program in self.programs(timer).filter(is_line) {
            let what = format!("{graph}, {}, every schedule", program.name());
            if self.is_over(&what, table)? {
                continue;
            }
            if let Err(error) = schedules::with_all(timer, program, self.arguments.repeat, table) {
                table.failed("schedule", &graph, program.name(), &error.to_string())?;
            }
        }
        Ok(())
    }

    fn rows(&self, timer: &Timer<'_>, table: &mut Table<'_>) -> Result<()> {
        let graph = timer.prepared.of.name();
        for program in self.programs(timer) {
            if self.is_over(&format!("{graph}, {}, rows", program.name()), table)? {
                continue;
            }
            if let Err(error) = homes::in_all(timer, program, self.arguments.repeat, table) {
                table.failed("rows", &graph, program.name(), &error.to_string())?;
            }
        }
        Ok(())
    }

    fn ablations(&self, timer: &Timer<'_>, table: &mut Table<'_>) -> Result<()> {
        let graph = timer.prepared.of.name();
        if !self.is_over(&format!("{graph}, the parts of a step"), table)? && !self.arguments.on_cpu {
            steps::measure(timer, self.arguments.repeat, table)?;
        }
        let mut bench = Bench { timer, shuffled: None, repeat: self.arguments.repeat };
        for ablation in ABLATIONS {
            for program in self.programs(timer).filter(|&program| ablation.concerns(program)) {
                if self
                    .is_over(&format!("{graph}, {} without {}", program.name(), ablation.technique), table)?
                {
                    continue;
                }
                if let Err(error) = ablation.measure(&mut bench, program, table) {
                    table.failed("ablation", &graph, program.name(), &error.to_string())?;
                }
            }
        }
        Ok(())
    }
}
