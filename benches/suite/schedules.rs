//! Times every line with every schedule, to judge the plan's choice.

use std::time::Duration;

use serde_json::json;
use wolfpath::ScheduleChoice;

use super::line::{merge, timing_json};
use super::table::answer;
use super::timer::{Ran, Task, Timer};
use super::{Program, Result, Table};

/// Time limit of a run with a schedule that the plan did not choose.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

/// Number of timed runs of measurements that are not lines of the table.
pub(crate) const FEW: usize = 5;

/// Times a line with every schedule.
pub(crate) fn with_all(
    timer: &Timer<'_>,
    program: Program,
    repeat: usize,
    table: &mut Table<'_>,
) -> Result<()> {
    let graph = timer.prepared.of.name();
    for choice in ScheduleChoice::ALL {
        let options = program.options().schedule(choice).time_limit(PATIENCE);
        let ran = timer.run(&Task { program, options, repeat: repeat.min(FEW) })?;
        let mut object =
            json!({"kind": "schedule", "graph": graph, "program": program.name(), "asked": choice.name()});
        let head = format!("{graph:<12} {:<18} {:<9}", program.name(), choice.name());
        match ran {
            Ran::Refused(reason) => {
                merge(&mut object, json!({"refused": reason}));
                table.say(&object, &format!("{head} refused: {reason}"))?;
            }
            Ran::Stopped(how_far) => {
                merge(&mut object, json!({"stopped": how_far}));
                table.say(&object, &format!("{head} stopped: {how_far}"))?;
            }
            Ran::Timed(timing) => {
                table.count(&timing);
                let chosen = table.median(&graph, program.name());
                let times = chosen.map(|chosen| timing.median() / chosen);
                merge(&mut object, timing_json(&timing));
                merge(&mut object, json!({"times_chosen": times}));
                let words = format!(
                    "{head} {:>10.3} ms {:>8} {:>8} steps {:>12} edges  {:<40} {}",
                    timing.median(),
                    times.map_or_else(String::new, |times| format!("{times:.2} x")),
                    timing.steps,
                    timing.edges,
                    timing.schedule,
                    answer(&timing)
                );
                table.say(&object, &words)?;
            }
        }
    }
    Ok(())
}
