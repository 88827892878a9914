//! Chart of the number of vertices per degree.

use std::collections::BTreeSet;

use plotters::prelude::*;
use wolfpath::graph::{DegreeCount, DegreeProfile, Profile};

use super::page::{self, Area, BLUE, Drawn, RED};

/// Maximum number of distinct degrees that are connected by a line. More are drawn as points only.
const JOINED: usize = 40;

/// Draws both distributions, or only one if they are equal.
pub(super) fn distribution(area: &Area<'_>, profile: &Profile) -> Drawn {
    let (out, inward) = (&profile.out_histogram, &profile.in_histogram);
    let equal = out == inward;
    let out_words = words(if equal { "degree" } else { "out-degree" }, &profile.out_degrees);
    let in_words = words("in-degree", &profile.in_degrees);
    let mut legend = vec![(BLUE, out_words.as_str())];
    if !equal {
        legend.push((RED, in_words.as_str()));
    }
    page::title(area, "Degrees", &legend)?;
    let shown = |histogram: &[DegreeCount]| -> Vec<DegreeCount> {
        histogram.iter().copied().filter(|count| count.degree > 0).collect()
    };
    let (out, inward) = (shown(out), if equal { Vec::new() } else { shown(inward) });
    if out.is_empty() && inward.is_empty() {
        return page::say(area, "No vertex has an edge.");
    }
    let all = || out.iter().chain(&inward);
    let most = |value: fn(&DegreeCount) -> u64| all().map(value).max().unwrap_or(1) as f64;
    let mut chart = page::chart(area).margin_bottom(12).build_cartesian_2d(
        (0.8..right_end(most(|count| count.degree))).log_scale(),
        (0.7..most(|count| count.vertices) * 2.0).log_scale(),
    )?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(page::faint())
        .x_label_formatter(&|number| page::at_axis(*number))
        .y_label_formatter(&|number| page::at_axis(*number))
        .x_desc("degree: edges of a vertex")
        .y_desc("vertices with this degree")
        .label_style(page::letters(14))
        .axis_desc_style(page::letters(15))
        .draw()?;
    for (counts, color) in [(&out, BLUE), (&inward, RED)] {
        let few = counts.len() <= JOINED;
        if few {
            chart.draw_series(LineSeries::new(counts.iter().map(point), color.stroke_width(1)))?;
        }
        let (size, style) = if few { (4, color.filled()) } else { (2, color.mix(0.75).filled()) };
        chart.draw_series(apart(counts).into_iter().map(|at| Circle::new(at, size, style)))?;
    }
    Ok(())
}

/// Returns the right end of the degree axis, beyond the largest degree. The end is never slightly above 10, because an
/// axis of one decade would then have two overlapping marks there.
fn right_end(largest: f64) -> f64 {
    let end = (largest * 1.3).max(4.0);
    if largest < 9.5 { end.min(9.8) } else { end }
}

fn point(count: &DegreeCount) -> (f64, f64) {
    (count.degree as f64, count.vertices as f64)
}

/// Returns the points that can be distinguished: of points less than a pixel apart, only the first.
fn apart(counts: &[DegreeCount]) -> Vec<(f64, f64)> {
    let mut seen = BTreeSet::new();
    let pixel = |(x, y): (f64, f64)| ((x.log10() * 250.0) as i64, (y.log10() * 100.0) as i64);
    counts.iter().map(point).filter(|&at| seen.insert(pixel(at))).collect()
}

fn words(name: &str, degrees: &DegreeProfile) -> String {
    let DegreeProfile { mean, max, zero, .. } = degrees;
    let none = match zero {
        0 => String::new(),
        zero => format!(", 0 at {}", page::counted(*zero, "vertex", "vertices")),
    };
    format!("{name}: {mean:.2} on average, at most {}{none}", page::grouped(*max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_one_another_are_one() {
        let counts: Vec<DegreeCount> =
            (1..100_000).map(|degree| DegreeCount { degree, vertices: 1 + degree % 2 }).collect();
        let points = apart(&counts);
        assert!((1000..3000).contains(&points.len()), "{}", points.len());
        assert_eq!(points[0], (1.0, 2.0));
    }
}
