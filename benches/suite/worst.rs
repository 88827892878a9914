//! Compares the plan's choice with every other schedule, over [shapes](super::shapes) that are hard for some schedules.

use std::time::Duration;

use serde_json::json;
use wolfpath::program::EdgeProgram;
use wolfpath::{Engine, LoadedGraph, PlanError, RunError, RunOptions, ScheduleChoice, programs};

use super::shapes::{Number, Shape};
use super::timer::milliseconds;
use super::{Arguments, Result, Table};

/// Maximum time of the plan's choice, as a multiple of the best schedule's.
const MOST_TIMES: f64 = 1.5;

/// Time below which runs are too short to compare.
const NOISE: Duration = Duration::from_millis(5);

/// Time limit of a schedule that the plan did not choose.
const PATIENCE: Duration = Duration::from_millis(500);

/// Total time after which the timed runs of one schedule end.
const LONGEST: Duration = Duration::from_millis(150);

/// One program over one shape: the shortest time with the plan's choice (`None`), and with each schedule that finished
/// within the limit.
struct Race {
    name: String,
    times: Vec<(Option<ScheduleChoice>, Duration)>,
    wrong: bool,
}

impl Race {
    fn of(&self, choice: Option<ScheduleChoice>) -> Option<Duration> {
        self.times.iter().find(|(of, _)| *of == choice).map(|&(_, time)| time)
    }

    /// Returns the time of the plan's choice, as a multiple of the best schedule's.
    fn times_best(&self) -> f64 {
        let best = self.times.iter().map(|&(_, time)| time).min().unwrap_or_default();
        self.of(None).map_or(f64::INFINITY, |chosen| chosen.as_secs_f64() / best.as_secs_f64())
    }

    fn is_noise(&self) -> bool {
        self.of(None).is_some_and(|chosen| chosen < NOISE)
    }

    fn words(&self) -> String {
        let time =
            |choice| self.of(choice).map_or("-".to_owned(), |time| format!("{:.3}", milliseconds(time)));
        let all: Vec<String> = [None]
            .into_iter()
            .chain(ScheduleChoice::ALL.map(Some))
            .map(|choice| format!("{} {:>9}", choice.map_or("chosen", ScheduleChoice::name), time(choice)))
            .collect();
        let wrong = if self.wrong { "  WRONG" } else { "" };
        format!("{:<44} {:>6.2} x  {} ms{wrong}", self.name, self.times_best(), all.join("  "))
    }
}

/// Times the plan's choice over all shapes. Wrong answers and choices that took too long count as bad lines.
pub(crate) fn run(engine: &Engine, arguments: &Arguments, table: &mut Table<'_>) -> Result<()> {
    let mut worst: Option<Race> = None;
    let (mut races, mut offenders) = (0, 0);
    for shape in Shape::all(1) {
        let loaded = engine.load(&shape.make()?);
        for race in both(&loaded, shape, arguments)? {
            races += 1;
            let is_slow = race.times_best() > MOST_TIMES && !race.is_noise();
            offenders += usize::from(is_slow);
            let object = json!({
                "kind": "shape", "shape": race.name, "times_best": race.times_best(), "noise": race.is_noise(),
                "wrong": race.wrong,
            });
            if is_slow || race.wrong || arguments.schedules {
                table.say(&object, &race.words())?;
            }
            table.bad += usize::from(is_slow || race.wrong);
            if !race.is_noise() && worst.as_ref().is_none_or(|worst| worst.times_best() < race.times_best()) {
                worst = Some(race);
            }
        }
    }
    let worst = worst.map_or_else(
        || "all runs were too short to compare".to_owned(),
        |worst| format!("the worst: {}", worst.words()),
    );
    let object = json!({"kind": "shapes", "races": races, "offenders": offenders, "worst": worst});
    let words = format!(
        "{races} races, {offenders} in which the choice took more than {MOST_TIMES} x the best; {worst}"
    );
    table.say(&object, &words)
}

/// Times shortest and widest paths over a shape, in its number type.
fn both(loaded: &LoadedGraph, shape: Shape, arguments: &Arguments) -> Result<[Race; 2]> {
    use programs::{sssp, sssp_f32, sssp_f64, sssp_u64, widest, widest_f32, widest_f64, widest_u64};
    let name = |program: &str| format!("{} {program}", shape.name());
    let (one, other) = (name("sssp"), name("widest"));
    macro_rules! race {
        ($shortest:ident, $zero:expr, $widest:ident, $most:expr) => {
            [
                race(loaded, one, &$shortest::from_source(0, $zero), arguments)?,
                race(loaded, other, &$widest::from_source(0, $most), arguments)?,
            ]
        };
    }
    Ok(match shape.number {
        Number::U32 => race!(sssp, 0, widest, u32::MAX),
        Number::U64 => race!(sssp_u64, 0, widest_u64, u64::MAX),
        Number::F32 => race!(sssp_f32, 0.0, widest_f32, f32::INFINITY),
        Number::F64 => race!(sssp_f64, 0.0, widest_f64, f64::INFINITY),
    })
}

fn race<P: EdgeProgram>(
    loaded: &LoadedGraph,
    name: String,
    program: &P,
    arguments: &Arguments,
) -> Result<Race>
where
    P::Value: PartialEq,
{
    let threads = Some(arguments.threads).filter(|&threads| threads > 0);
    let chosen = RunOptions::new().threads(threads);
    let right = loaded.run_with(program, &chosen)?;
    let mut race = Race { name, times: Vec::new(), wrong: false };
    let timed = |choice, options| (choice, options, Duration::MAX, Duration::ZERO);
    let mut in_time = vec![timed(None, chosen.clone())];
    for choice in ScheduleChoice::ALL {
        let options = chosen.clone().schedule(choice);
        match loaded.run_with(program, &options.clone().time_limit(PATIENCE)) {
            Ok(outcome) => {
                race.wrong |= outcome.read()?.iter().ne(right.read()?.iter());
                in_time.push(timed(Some(choice), options));
            }
            Err(RunError::Plan(PlanError::Schedule { .. }) | RunError::TimeLimit { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    // Schedules take turns, so that other load on the machine slows all of them down equally.
    for _ in 0..arguments.repeat {
        for (_, options, least, sum) in &mut in_time {
            // The first of two runs finds the caches and the heap as another schedule left them, so only the better of
            // the two counts.
            for _ in 0..2 {
                if *sum < LONGEST {
                    let took = loaded.run_with(program, options)?.stats().times.run;
                    *least = took.min(*least);
                    *sum += took;
                }
            }
        }
    }
    race.times = in_time.iter().map(|&(choice, _, least, _)| (choice, least)).collect();
    Ok(race)
}
