//! Plot of a run over time: the number of active vertices, the kind of each step, and the edges visited per second.

use plotters::prelude::*;
use wolfpath::{StepKind, Trace};

use super::page::{self, Area, BLUE, Drawn, GREEN, GREY, HEAD, ORANGE, RED};
use super::timeline::{TimeBin, Timeline};
use crate::bars::scaled;
use crate::error::Error;

/// Height of the page in pixels.
const HEIGHT: u32 = 920;
/// Height in pixels of the chart of the frontier.
const FRONTIER: u32 = 430;

/// Lowest count drawn: half a vertex.
const FLOOR: f64 = 0.5;

/// Returns the plot as the text of an SVG file. `name` names the program and the graph.
pub(crate) fn picture(name: &str, trace: &Trace) -> Result<String, Error> {
    let mut svg = String::new();
    draw(&mut svg, name, trace).map_err(|error| Error::Picture { message: error.to_string() })?;
    Ok(svg)
}

fn draw(svg: &mut String, name: &str, trace: &Trace) -> Drawn {
    let page = page::empty(svg, HEIGHT)?;
    let (head, rest) = page.split_vertically(HEAD);
    page::head(&head, name, &facts(trace))?;
    let Some(timeline) = Timeline::of(&trace.steps) else {
        page::say(&rest, "The run took no steps: nothing to draw.")?;
        return page.present();
    };
    let (top, bottom) = rest.split_vertically(FRONTIER);
    frontier(&top, &timeline)?;
    rate(&bottom, &timeline)?;
    page.present()
}

/// Returns the lines below the name.
fn facts(trace: &Trace) -> Vec<String> {
    let steps = || trace.steps.iter().filter(|step| step.kind != StepKind::Advance);
    let count = page::counted(steps().count() as u64, "step", "steps");
    let edges = page::counted(steps().map(|step| step.edges).sum(), "edge", "edges");
    let most = page::counted(steps().map(|step| step.active).max().unwrap_or(0), "vertex", "vertices");
    let began = steps().map(|step| step.began).min().unwrap_or_default();
    let took = steps().map(|step| step.began + step.took).max().unwrap_or_default().saturating_sub(began);
    let lost = match trace.lost {
        0 => String::new(),
        lost => format!("; {} were not recorded", page::counted(lost, "more step", "more steps")),
    };
    vec![
        format!("{count} in {took:.1?}, {edges} visited, at most {most} active{lost}"),
        format!("{}; {}", trace.engine, trace.schedule.name()),
    ]
}

fn color(kind: StepKind) -> RGBColor {
    match kind {
        StepKind::Push => BLUE,
        StepKind::Local => GREEN,
        StepKind::Pull => ORANGE,
        StepKind::Sweep => RED,
        _ => GREY,
    }
}

/// Draws the active vertices, coloured by the kind of step.
fn frontier(area: &Area<'_>, timeline: &Timeline) -> Drawn {
    let legend: Vec<_> = timeline.kinds.iter().map(|&kind| (color(kind), kind.name())).collect();
    page::title(area, "Active vertices (means over a pixel's time)", &legend)?;
    let most = timeline.columns.iter().map(|column| column.active).fold(1.0, f64::max);
    let top = most * 2.0;
    let mut chart = page::chart(area).build_cartesian_2d(0.0..timeline.length, (FLOOR..top).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(page::faint())
        .x_label_formatter(&time)
        .y_label_formatter(&|number| page::at_axis(*number))
        .x_desc(format!("time since the first step, {}", timeline.unit))
        .y_desc("vertices")
        .label_style(page::letters(14))
        .axis_desc_style(page::letters(15))
        .draw()?;
    chart.draw_series(bars(&timeline.columns, FLOOR, |column| column.active.max(FLOOR)))?;
    let tick = |&at: &f64| PathElement::new([(at, most * 1.4), (at, top)], GREY.stroke_width(1));
    chart.draw_series(timeline.advances.iter().map(tick))?;
    Ok(())
}

/// Draws the edges visited per second.
fn rate(area: &Area<'_>, timeline: &Timeline) -> Drawn {
    page::title(area, "Edges visited per second", &[])?;
    let most = timeline.columns.iter().map(|column| column.rate).fold(1.0, f64::max);
    let mut chart = page::chart(area).build_cartesian_2d(0.0..timeline.length, 0.0..most * 1.1)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(page::faint())
        .x_label_formatter(&time)
        .y_label_formatter(&speed)
        .y_labels(8)
        .x_desc(format!("time since the first step, {}", timeline.unit))
        .y_desc("edges per second")
        .label_style(page::letters(14))
        .axis_desc_style(page::letters(15))
        .draw()?;
    chart.draw_series(bars(&timeline.columns, 0.0, |column| column.rate))?;
    Ok(())
}

/// Returns one bar per column, from the axis upwards.
fn bars(
    columns: &[TimeBin],
    floor: f64,
    height: impl Fn(&TimeBin) -> f64,
) -> impl Iterator<Item = Rectangle<(f64, f64)>> {
    columns.iter().map(move |column| {
        let corners = [(column.begin, floor), (column.end, height(column))];
        Rectangle::new(corners, color(column.kind).filled())
    })
}

/// Formats a time at the axis, without the rounding noise of floats.
fn time(time: &f64) -> String {
    let text = format!("{time:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a rate at the axis.
fn speed(speed: &f64) -> String {
    if *speed == 0.0 {
        return "0".to_owned();
    }
    let (number, prefix) = scaled(*speed);
    format!("{number} {prefix}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use wolfpath::prelude::*;
    use wolfpath::programs;

    use super::*;

    /// Returns the trace of an `sssp` run over a path, with the schedule `bucket`.
    fn trace(edges: u64) -> Trace {
        let path = (0..edges).map(|id| (id, id + 1, 1 + (id % 3) as u32));
        let graph = LayeredGraph::from_weighted_edges(path).expect("the graph is valid");
        let program = programs::sssp::from_source(0, 0);
        let outcome = Engine::cpu().run_with(&graph, &program, &RunOptions::new().trace(true));
        outcome.expect("the run succeeds").trace().expect("a trace was requested").clone()
    }

    #[test]
    fn a_picture_says_what_it_shows() {
        let svg = picture("sssp over <a> path", &trace(200)).expect("the plot is drawn");
        for part in [
            "&lt;a&gt;",
            "cpu, ",
            "push",
            "next bucket",
            "Active vertices",
            "since the first step",
            "per second",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert!(svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn one_step_none_and_lost_ones() {
        let mut trace = trace(1);
        let svg = picture("p", &trace).expect("the plot is drawn");
        assert!(svg.contains("at most 1 vertex active"), "{svg}");
        (trace.steps, trace.lost) = (Vec::new(), 12);
        let svg = picture("p", &trace).expect("the plot is drawn");
        assert!(svg.contains("nothing to draw") && svg.contains("12 more steps were not recorded"), "{svg}");
    }

    #[test]
    fn a_million_steps_make_a_small_picture() {
        let mut trace = trace(10);
        let first = trace.steps[0];
        let step = |at: u64| wolfpath::StepTrace {
            began: std::time::Duration::from_nanos(1500 * at),
            took: std::time::Duration::from_nanos(1000 + at % 400),
            active: 1 + at % 1000,
            ..first
        };
        trace.steps = (0..1_000_000).map(step).collect();
        let svg = picture("p", &trace).expect("the plot is drawn");
        assert!(svg.len() < 500_000, "{}", svg.len());
    }

    #[test]
    fn numbers_at_the_axes() {
        assert_eq!([0.1 + 0.2, 2.0, 0.0].map(|at| time(&at)), ["0.3", "2", "0"]);
        assert_eq!([0.0, 12.0, 2.5e9].map(|at| speed(&at)), ["0", "12.0", "2.50 G"]);
    }
}
