//! Steps in columns of time: about one column per pixel, regardless of the number of steps.

use std::time::Duration;

use wolfpath::{StepKind, StepTrace};

/// Number of columns in a chart, about one per pixel.
const COLUMNS: usize = 1000;

/// Relative difference below which adjacent columns are merged.
const ALIKE: f64 = 1e-6;

/// Summary of an interval of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeBin {
    /// Begin of the interval, since the first step, in the timeline's unit.
    pub(super) begin: f64,
    /// End of the interval.
    pub(super) end: f64,
    /// Mean size of the frontier, weighted by time.
    pub(super) active: f64,
    /// Edges per second.
    pub(super) rate: f64,
    /// Kind of step that took most of the time.
    pub(super) kind: StepKind,
}

/// Steps over time.
pub(super) struct Timeline {
    /// Unit of the times: "ns", "µs", "ms" or "s".
    pub(super) unit: &'static str,
    /// End of the last step, since the first step began.
    pub(super) length: f64,
    /// Columns in order of time. Adjacent columns with nearly equal values are merged. Intervals without a step have no
    /// column.
    pub(super) columns: Vec<TimeBin>,
    /// Kinds of the run's steps, in the order of [`StepKind::ALL`].
    pub(super) kinds: Vec<StepKind>,
    /// Times at which the run advanced to another bucket, at most one per column.
    pub(super) advances: Vec<f64>,
}

/// Sums of one column.
#[derive(Clone, Default)]
struct Cell {
    /// Time of the steps, in nanoseconds.
    time: f64,
    /// Active vertices times nanoseconds, for the mean.
    active: f64,
    edges: f64,
    /// Time per kind, in the order of [`StepKind::ALL`].
    kinds: Vec<f64>,
    advances: bool,
}

/// Converts a time to nanoseconds.
fn nanoseconds(time: Duration) -> f64 {
    time.as_nanos() as f64
}

impl Timeline {
    /// Builds the timeline of a run's steps, or returns `None` if there are none.
    pub(super) fn of(steps: &[StepTrace]) -> Option<Timeline> {
        let begin = steps.iter().map(|step| step.began).min()?;
        let end = steps.iter().map(|step| step.began + step.took).max()?;
        // A step may be shorter than the resolution of the clock.
        let length = nanoseconds(end - begin).max(1.0);
        let width = length / COLUMNS as f64;
        let mut cells = vec![Cell { kinds: vec![0.0; StepKind::ALL.len()], ..Cell::default() }; COLUMNS];
        for step in steps {
            add(&mut cells, width, nanoseconds(step.began - begin), step);
        }
        let (scale, unit) = unit(length);
        let at = |cell: usize| cell as f64 * width / scale;
        let made = cells
            .iter()
            .enumerate()
            .filter_map(|(place, cell)| cell.column(at(place), at(place + 1), width / 1e9));
        let advances = cells.iter().enumerate().filter(|(_, cell)| cell.advances).map(|(place, _)| at(place));
        let kinds = StepKind::ALL.iter().copied().filter(|kind| steps.iter().any(|step| step.kind == *kind));
        Some(Timeline {
            unit,
            length: length / scale,
            columns: merged(made),
            kinds: kinds.collect(),
            advances: advances.collect(),
        })
    }
}

/// Adds a step that began at `began` to every column that it overlaps.
fn add(cells: &mut [Cell], width: f64, began: f64, step: &StepTrace) {
    let last = cells.len() - 1;
    let place = |time: f64| ((time / width) as usize).min(last);
    if step.kind == StepKind::Advance {
        cells[place(began)].advances = true;
        return;
    }
    let took = nanoseconds(step.took).max(1.0);
    let kind = StepKind::ALL.iter().position(|&kind| kind == step.kind);
    let touched = place(began)..=place(began + took);
    for (at, cell) in touched.clone().zip(&mut cells[touched]) {
        let begin = at as f64 * width;
        // A step that ends beyond the last column, because of rounding, is still part of that column.
        let end = if at == last { f64::INFINITY } else { (at + 1) as f64 * width };
        let time = (began + took).min(end) - began.max(begin);
        if time > 0.0 {
            cell.time += time;
            cell.active += time * step.active as f64;
            cell.edges += time / took * step.edges as f64;
            if let Some(kind) = kind {
                cell.kinds[kind] += time;
            }
        }
    }
}

impl Cell {
    /// Returns the column's values. `seconds` is its duration.
    fn column(&self, begin: f64, end: f64, seconds: f64) -> Option<TimeBin> {
        let longest = self.kinds.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?.0;
        (self.time > 0.0).then(|| TimeBin {
            begin,
            end,
            active: self.active / self.time,
            rate: self.edges / seconds,
            kind: StepKind::ALL[longest],
        })
    }
}

/// Merges adjacent columns with nearly equal values.
fn merged(columns: impl Iterator<Item = TimeBin>) -> Vec<TimeBin> {
    let alike = |a: f64, b: f64| (a - b).abs() <= ALIKE * a.abs().max(b.abs());
    let mut merged: Vec<TimeBin> = Vec::new();
    for column in columns {
        match merged.last_mut() {
            Some(before)
                if before.kind == column.kind
                    && alike(before.active, column.active)
                    && alike(before.rate, column.rate)
                    && alike(before.end, column.begin) =>
            {
                before.end = column.end;
            }
            _ => merged.push(column),
        }
    }
    merged
}

/// Returns the divisor and the name of the unit for times up to this many nanoseconds.
fn unit(length: f64) -> (f64, &'static str) {
    match length {
        1e9.. => (1e9, "s"),
        1e6.. => (1e6, "ms"),
        1e3.. => (1e3, "µs"),
        _ => (1.0, "ns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(began: u64, took: u64, active: u64, kind: StepKind) -> StepTrace {
        let (began, took) = (Duration::from_nanos(began), Duration::from_nanos(took));
        StepTrace { step: 1, began, took, active, edges: 10 * active, kind, bucket: None, streamed: 0 }
    }

    #[test]
    fn one_step_is_one_column() {
        let timeline = Timeline::of(&[step(500, 2_000_000, 7, StepKind::Pull)]).expect("there is a step");
        assert_eq!((timeline.unit, timeline.length), ("ms", 2.0));
        let [column] = timeline.columns[..] else { panic!("{:?}", timeline.columns) };
        assert_eq!((column.begin, column.end, column.kind), (0.0, 2.0, StepKind::Pull));
        assert!((column.active - 7.0).abs() < 1e-6 && (column.rate - 35_000.0).abs() < 1e-2, "{column:?}");
        assert_eq!(timeline.kinds, [StepKind::Pull]);
        let shortest = Timeline::of(&[step(0, 0, 1, StepKind::Push)]).expect("there is a step");
        assert_eq!((shortest.unit, shortest.length), ("ns", 1.0));
        assert!(Timeline::of(&[]).is_none());
    }

    #[test]
    fn gaps_kinds_and_buckets() {
        let steps = [
            step(0, 250, 4, StepKind::Push),
            step(250, 0, 9, StepKind::Advance),
            step(500, 500, 8, StepKind::Local),
        ];
        let timeline = Timeline::of(&steps).expect("steps");
        let [push, local] = timeline.columns[..] else { panic!("{:?}", timeline.columns) };
        assert_eq!((push.begin, push.end, push.kind), (0.0, 0.25, StepKind::Push));
        assert_eq!((local.begin, local.end, local.kind), (0.5, 1.0, StepKind::Local));
        assert_eq!((timeline.unit, timeline.advances), ("µs", vec![0.25]));
        assert_eq!(timeline.kinds, [StepKind::Push, StepKind::Local, StepKind::Advance]);
    }

    #[test]
    fn a_million_steps_are_a_thousand_columns_and_lose_no_edge() {
        let steps: Vec<_> = (0..1_000_000).map(|at| step(at * 300, 300, at % 17, StepKind::Push)).collect();
        let timeline = Timeline::of(&steps).expect("steps");
        assert!(timeline.columns.len() <= COLUMNS);
        let seconds = |column: &TimeBin| (column.end - column.begin) / 1e3;
        let edges: f64 = timeline.columns.iter().map(|column| column.rate * seconds(column)).sum();
        let expected: u64 = steps.iter().map(|step| step.edges).sum();
        assert!((edges / expected as f64 - 1.0).abs() < 1e-6, "{edges} of {expected}");
    }
}
