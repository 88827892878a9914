//! Progress of a long operation, shown as one line on a terminal: a bar for each stage of loading, or counts of a run.
//! If standard error is not a terminal, nothing is shown.

use std::fmt::{self, Display};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use wolfpath::progress::{Observer, Progress, RunProgress, Stage};

/// Line that shows the current operation until it is dropped.
pub(crate) struct Bars(Option<ProgressBar>);

impl Bars {
    /// Starts with an operation of unknown length.
    pub(crate) fn begin(what: impl Display) -> Bars {
        if !io::stderr().is_terminal() {
            return Bars(None);
        }
        let bar = ProgressBar::no_length().with_message(what.to_string());
        bar.set_style(spinner());
        bar.enable_steady_tick(Duration::from_millis(100));
        Bars(Some(bar))
    }

    /// Returns the handle through which stages and runs report their progress.
    pub(crate) fn progress(&self) -> Progress {
        self.0.as_ref().map_or(Progress::NONE, |bar| Progress::to(Shown::new(bar)))
    }

    /// Switches to another operation of unknown length.
    pub(crate) fn say(&self, what: impl Display) {
        if let Some(bar) = &self.0 {
            bar.reset();
            bar.set_style(spinner());
            bar.set_message(what.to_string());
        }
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Observer that shows stages as bars. It shows the counts of a run after the bar's initial text.
struct Shown {
    bar: ProgressBar,
    what: String,
    /// `true` while the bar shows a stage.
    shows_stage: AtomicBool,
}

impl Shown {
    fn new(bar: &ProgressBar) -> Shown {
        Shown { bar: bar.clone(), what: bar.message(), shows_stage: AtomicBool::new(false) }
    }
}

impl Observer for Shown {
    fn begin(&self, stage: Stage, total: Option<u64>) {
        let bar = &self.bar;
        self.shows_stage.store(true, Relaxed);
        bar.reset();
        match total {
            Some(total) => bar.set_length(total),
            None => bar.unset_length(),
        }
        bar.set_style(style(unit(stage), total.is_some()));
        bar.set_message(name(stage));
    }

    fn advance(&self, amount: u64) {
        self.bar.inc(amount);
    }

    fn run_advanced(&self, run: &RunProgress) {
        // A graph is loaded before its first run.
        if self.shows_stage.swap(false, Relaxed) {
            self.bar.reset();
            self.bar.set_style(spinner());
        }
        self.bar.set_message(format!("{}: {}", self.what, headway(run)));
    }
}

/// Returns a short text for the progress of a run.
fn headway(run: &RunProgress) -> String {
    let count = |count: u64| {
        let (number, prefix) = scaled(count as f64);
        if prefix.is_empty() { count.to_string() } else { format!("{number} {prefix}") }
    };
    let (edges, active) = (count(run.edges), count(run.active));
    let share = run.present.map_or_else(String::new, |present| {
        format!(", {:.0} % of vertices reached", 100.0 * present as f64 / run.vertices.max(1) as f64)
    });
    format!("step {}, {edges} edges, frontier of {active}{share}", run.step)
}

/// Unit in which a stage counts its progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Bytes,
    Edges,
    Vertices,
}

fn unit(stage: Stage) -> Unit {
    match stage {
        Stage::Read | Stage::Write | Stage::Verify | Stage::Hash | Stage::Load => Unit::Bytes,
        Stage::Order => Unit::Vertices,
        _ => Unit::Edges,
    }
}

fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Read => "reading",
        Stage::Generate => "generating edges",
        Stage::Number => "numbering vertices",
        Stage::Group => "grouping edges",
        Stage::Order => "breadth-first order",
        Stage::Rows => "ordering rows",
        Stage::Pack => "packing rows",
        Stage::Paths => "finding paths",
        Stage::Write => "writing",
        Stage::Verify => "verifying",
        Stage::Hash => "hashing the input",
        Stage::Load => "copying to the device",
        _ => "working",
    }
}

fn spinner() -> ProgressStyle {
    styled("{spinner} {msg} [{elapsed}]")
}

/// Returns the style of a bar if the end is known, otherwise of a count. Both include the rate.
fn style(unit: Unit, has_end: bool) -> ProgressStyle {
    let text = match (unit, has_end) {
        (Unit::Bytes, true) => "{msg:20} {wide_bar} {bytes:>11} of {total_bytes}, {rate}, {eta} left",
        (Unit::Bytes, false) => "{spinner} {msg} {bytes}, {rate} [{elapsed}]",
        (_, true) => "{msg:20} {wide_bar} {percent:>3} %, {rate}, {eta} left",
        (_, false) => "{spinner} {msg} {human_pos}, {rate} [{elapsed}]",
    };
    styled(text).with_key("rate", move |state: &ProgressState, out: &mut dyn fmt::Write| {
        // Errors can be ignored: at worst, the rate is missing from a progress line.
        let _ = out.write_str(&rate(unit, state.per_sec()));
    })
}

fn styled(template: &str) -> ProgressStyle {
    // A test parses all templates above, so the fallback to the crate's own style is never used.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Formats a rate per second.
fn rate(unit: Unit, a_second: f64) -> String {
    let unit = match unit {
        Unit::Bytes => "B/s",
        Unit::Edges => "edges/s",
        Unit::Vertices => "vertices/s",
    };
    let (number, prefix) = scaled(a_second);
    // A prefix is attached to a symbol (MB/s), but separated from a word (M edges/s).
    let blank = if unit == "B/s" || prefix.is_empty() { "" } else { " " };
    format!("{number} {prefix}{blank}{unit}")
}

/// Returns a number with three digits, and its SI prefix.
pub(crate) fn scaled(number: f64) -> (String, &'static str) {
    let (scaled, prefix) = match number {
        1e9.. => (number / 1e9, "G"),
        1e6.. => (number / 1e6, "M"),
        1e3.. => (number / 1e3, "k"),
        _ => (number, ""),
    };
    let digits = match scaled {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    (format!("{scaled:.digits$}"), prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates() {
        assert_eq!(rate(Unit::Bytes, 123_456_789.0), "123 MB/s");
        assert_eq!(rate(Unit::Edges, 12_345_678.0), "12.3 M edges/s");
        assert_eq!(rate(Unit::Vertices, 7.0), "7.00 vertices/s");
        assert_eq!(rate(Unit::Edges, 2_500_000_000.0), "2.50 G edges/s");
        assert_eq!(rate(Unit::Bytes, 0.0), "0.00 B/s");
    }

    #[test]
    fn every_stage_has_a_line() {
        let stages = [Stage::Read, Stage::Generate, Stage::Number, Stage::Group, Stage::Order, Stage::Rows];
        for stage in stages.into_iter().chain([
            Stage::Pack,
            Stage::Paths,
            Stage::Write,
            Stage::Verify,
            Stage::Hash,
            Stage::Load,
        ]) {
            assert_ne!(name(stage), "working");
        }
        for unit in [Unit::Bytes, Unit::Edges, Unit::Vertices] {
            for has_end in [true, false] {
                style(unit, has_end);
            }
        }
    }

    #[test]
    fn a_hidden_bar_counts_what_it_is_told() {
        let bar = ProgressBar::hidden();
        let progress = Progress::to(Shown::new(&bar));
        progress.begin(Stage::Read, Some(100));
        progress.advance(30);
        assert_eq!((bar.position(), bar.length(), bar.message()), (30, Some(100), "reading".to_owned()));
        progress.begin(Stage::Number, None);
        assert_eq!((bar.position(), bar.length()), (0, None));
    }

    #[test]
    fn a_run_is_told_behind_what_the_bar_began_with() {
        let bar = ProgressBar::hidden().with_message("bfs");
        let mut run = RunProgress::default();
        (run.step, run.edges, run.active) = (3, 12_345_678, 90);
        (run.present, run.vertices) = (Some(1), 4);
        let progress = Progress::to(Shown::new(&bar));
        for _ in 0..2 {
            progress.run_advanced(&run);
            assert_eq!(bar.message(), "bfs: step 3, 12.3 M edges, frontier of 90, 25 % of vertices reached");
        }
    }
}
