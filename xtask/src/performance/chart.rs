//! The charts of the results. One has two bars for each line of the benchmark for which another system (the peer) was
//! timed. The other has every line, with its time, its floor and the peer's time.

use std::fmt::Display;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde_json::Value;

use super::page::{Objects, words};
use crate::Result;

/// Width of the picture, in pixels.
const WIDTH: u32 = 1000;
/// Space above the bars, for the title and the legend.
const HEAD: i32 = 76;
/// Height of one row: two bars and a gap.
const ROW: i32 = 46;
/// Height of one row with one bar.
const LOW_ROW: i32 = 24;
/// Height of one bar.
const BAR: i32 = 17;
/// Space left of the bars, for the names of graph and program: of the lines that other systems run, and of all lines.
const LEFT: i32 = 180;
const WIDE_LEFT: i32 = 270;
/// Space right of the longest bar, for its label.
const RIGHT: i32 = 230;
/// Space below the bars.
const FOOT: i32 = 14;

const INK: RGBColor = RGBColor(40, 40, 40);
/// Colour of wolfpath's bars.
const OURS: RGBColor = RGBColor(0, 114, 178);
/// Colour of the peers' bars. It also differs in brightness.
const PEERS: RGBColor = RGBColor(170, 170, 170);

/// Colour of the marks at floors.
const FLOORS: RGBColor = RGBColor(213, 94, 0);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<T = ()> = std::result::Result<T, DrawingAreaErrorKind<std::io::Error>>;

/// One line of the benchmark, as the chart shows it.
struct Row<'a> {
    name: String,
    milliseconds: f64,
    peer: &'a str,
    peer_milliseconds: f64,
}

/// Draws the lines for which a peer was timed on the same work, on a logarithmic scale. Returns the SVG.
///
/// # Errors
/// Returns an error if the chart cannot be drawn.
pub(super) fn svg(objects: &Objects<'_>, device: &str, date: &str) -> Result<String> {
    let rows: Vec<Row<'_>> = objects.of("line").filter_map(row).collect();
    let mut svg = String::new();
    draw(&mut svg, &rows, device, date).map_err(|error| format!("cannot draw the results: {error}"))?;
    Ok(svg)
}

/// Returns the line as a row of the chart, or `None` if no time can be compared.
fn row(line: &Value) -> Option<Row<'_>> {
    if line["peer_note"].is_string() {
        return None;
    }
    Some(Row {
        name: format!("{}, {}", words(line, "graph"), words(line, "program")),
        milliseconds: line["median_ms"].as_f64()?,
        peer: line["peer"].as_str()?,
        peer_milliseconds: line["peer_ms"].as_f64()?,
    })
}

fn draw(svg: &mut String, rows: &[Row<'_>], device: &str, date: &str) -> Drawn {
    let title = "Time of one run, in milliseconds (logarithmic scale; shorter is better)";
    let area = begin(svg, ROW * rows.len() as i32, title, &format!("wolfpath on one {device}, {date}"))?;
    area.draw(&Rectangle::new([(414, 46), (428, 60)], PEERS.filled()))?;
    text(&area, (434, 46), 14, "the fastest other system, on the same kind of device")?;

    let scale = Scale::over(rows.iter().flat_map(|row| [row.milliseconds, row.peer_milliseconds]), LEFT);
    for (row, top) in rows.iter().zip((HEAD..).step_by(ROW as usize)) {
        name(&area, (LEFT, top + BAR), &row.name)?;
        bar(&area, top, scale.length(row.milliseconds), OURS, milliseconds(row.milliseconds))?;
        let times = row.peer_milliseconds / row.milliseconds;
        let peer = format!("{}  {} ({times:.1} x)", milliseconds(row.peer_milliseconds), row.peer);
        bar(&area, top + BAR, scale.length(row.peer_milliseconds), PEERS, peer)?;
    }
    area.present()
}

/// One line of the benchmark, with its floor and, if one was timed on the same work, the peer's time.
struct Distance {
    name: String,
    milliseconds: f64,
    floor_milliseconds: f64,
    peer_milliseconds: Option<f64>,
}

/// Draws the time of each line, its floor, and the peer's time, on a logarithmic scale. Returns the SVG.
///
/// # Errors
/// Returns an error if the chart cannot be drawn.
pub(super) fn floors_svg(objects: &Objects<'_>, device: &str, date: &str) -> Result<String> {
    let lines: Vec<Distance> = objects.of("line").filter_map(distance).collect();
    let mut svg = String::new();
    draw_floors(&mut svg, &lines, device, date)
        .map_err(|error| format!("cannot draw the floors: {error}"))?;
    Ok(svg)
}

/// Returns the line as a row of the chart, or `None` if it was not measured.
fn distance(line: &Value) -> Option<Distance> {
    let is_same_work = line["peer_note"].is_null();
    Some(Distance {
        name: format!("{}, {}", words(line, "graph"), words(line, "program")),
        milliseconds: line["median_ms"].as_f64()?,
        floor_milliseconds: line["floor_ms"].as_f64()?,
        peer_milliseconds: line["peer_ms"].as_f64().filter(|_| is_same_work),
    })
}

fn draw_floors(svg: &mut String, lines: &[Distance], device: &str, date: &str) -> Drawn {
    let title = "Time of one run and its floor, in milliseconds (logarithmic scale)";
    let area = begin(svg, LOW_ROW * lines.len() as i32, title, &format!("wolfpath on one {device}, {date}"))?;
    mark(&area, 421, 44, FLOORS)?;
    text(&area, (434, 46), 14, "the floor: what the hardware allows")?;
    mark(&area, 707, 44, PEERS)?;
    text(&area, (720, 46), 14, "the fastest other system")?;

    let times = lines
        .iter()
        .flat_map(|line| [Some(line.milliseconds), Some(line.floor_milliseconds), line.peer_milliseconds]);
    let scale = Scale::over(times.flatten(), WIDE_LEFT);
    for (line, top) in lines.iter().zip((HEAD..).step_by(LOW_ROW as usize)) {
        let times = line.milliseconds / line.floor_milliseconds;
        name(&area, (WIDE_LEFT, top + BAR / 2), &line.name)?;
        let label = format!("{} ({times:.1} x the floor)", milliseconds(line.milliseconds));
        let peer = line.peer_milliseconds.map(|peer| scale.length(peer));
        // The label is right of everything that is drawn.
        let (length, right) = (scale.length(line.milliseconds), peer.unwrap_or(0));
        area.draw(&Rectangle::new([(WIDE_LEFT, top), (WIDE_LEFT + length, top + BAR - 1)], OURS.filled()))?;
        text(&area, (WIDE_LEFT + length.max(right) + 10, top + 1), 14, label)?;
        mark(&area, WIDE_LEFT + scale.length(line.floor_milliseconds), top - 2, FLOORS)?;
        if let Some(peer) = peer {
            mark(&area, WIDE_LEFT + peer, top - 2, PEERS)?;
        }
    }
    area.present()
}

/// Draws the times of several ways to run each program, on a logarithmic scale. Returns the SVG.
///
/// # Errors
/// Returns an error if the chart cannot be drawn.
pub(super) fn ways_svg<const N: usize>(
    rows: &[(String, [Option<f64>; N])],
    titles: &[String; N],
    engine: &str,
    date: &str,
) -> Result<String> {
    let mut svg = String::new();
    draw_ways(&mut svg, rows, titles, &format!("{engine}, {date}"))
        .map_err(|error| format!("cannot draw the ways: {error}"))?;
    Ok(svg)
}

/// Colours of the bars of the different schedules; the last one is that of wolfpath's bars. They also differ in brightness.
const WAYS: [RGBColor; 4] =
    [RGBColor(210, 210, 210), RGBColor(150, 150, 150), RGBColor(230, 159, 0), RGBColor(0, 114, 178)];

fn draw_ways<const N: usize>(
    svg: &mut String,
    rows: &[(String, [Option<f64>; N])],
    titles: &[String; N],
    where_and_when: &str,
) -> Drawn {
    let height = (BAR * N as i32 + 8) * rows.len() as i32;
    let area = SVGBackend::with_string(svg, (WIDTH, (HEAD + height + FOOT) as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    let title = format!("Time of one run, in milliseconds (logarithmic scale), {where_and_when}");
    text(&area, (14, 12), 20, title)?;
    for ((title, color), left) in titles.iter().zip(WAYS).zip((14..).step_by(250)) {
        area.draw(&Rectangle::new([(left, 46), (left + 14, 60)], color.filled()))?;
        text(&area, (left + 20, 46), 14, title)?;
    }
    let times = rows.iter().flat_map(|(_, times)| times.iter().flatten().copied());
    let scale = Scale::over(times, LEFT);
    for ((row, times), top) in rows.iter().zip((HEAD..).step_by(BAR as usize * N + 8)) {
        name(&area, (LEFT, top + BAR * N as i32 / 2), row)?;
        for ((time, color), top) in times.iter().zip(WAYS).zip((top..).step_by(BAR as usize)) {
            match time {
                Some(time) => bar(&area, top, scale.length(*time), color, milliseconds(*time))?,
                None => bar(&area, top, 0, color, "failed".to_owned())?,
            }
        }
    }
    area.present()
}

/// Begins a chart whose rows take `height` pixels: draws its title, and the legend of our bars, with the text `ours`.
fn begin<'a>(svg: &'a mut String, height: i32, title: &str, ours: &str) -> Drawn<Area<'a>> {
    let area = SVGBackend::with_string(svg, (WIDTH, (HEAD + height + FOOT) as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    text(&area, (14, 12), 20, title)?;
    area.draw(&Rectangle::new([(14, 46), (28, 60)], OURS.filled()))?;
    text(&area, (34, 46), 14, ours)?;
    Ok(area)
}

/// Draws a vertical mark, a little higher than a bar.
fn mark(area: &Area<'_>, at: i32, top: i32, color: RGBColor) -> Drawn {
    area.draw(&Rectangle::new([(at - 1, top), (at + 2, top + BAR + 2)], color.filled()))
}

/// Draws the name of a row left of its bars, which begin at `left`. The middle of the name is at height `middle`.
fn name(area: &Area<'_>, (left, middle): (i32, i32), name: &str) -> Drawn {
    let style = label(15).pos(Pos::new(HPos::Right, VPos::Center));
    area.draw(&Text::new(name.to_owned(), (left - 10, middle), style))
}

/// Draws a bar with its label to the right.
fn bar(area: &Area<'_>, top: i32, length: i32, color: RGBColor, text: String) -> Drawn {
    area.draw(&Rectangle::new([(LEFT, top), (LEFT + length, top + BAR - 1)], color.filled()))?;
    area.draw(&Text::new(text, (LEFT + length + 6, top + 1), label(14)))
}

fn text(area: &Area<'_>, at: (i32, i32), size: u32, text: impl Display) -> Drawn {
    area.draw(&Text::new(text.to_string(), at, label(size)))
}

fn label(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// Returns a time with three significant digits.
pub(super) fn milliseconds(time: f64) -> String {
    match time {
        10.0.. => format!("{time:.1}"),
        1.0.. => format!("{time:.2}"),
        _ => format!("{time:.3}"),
    }
}

/// Logarithmic scale of the bars.
struct Scale {
    /// Time at which a bar has no length.
    least: f64,
    /// Pixels per factor of ten.
    decade: f64,
}

impl Scale {
    /// Returns the scale in which the longest of these times fills the space right of `left`, and the shortest one is a tenth
    /// of a decade long.
    fn over(times: impl Iterator<Item = f64> + Clone, left: i32) -> Scale {
        let least = times.clone().fold(f64::INFINITY, f64::min) / 10f64.powf(0.1);
        let most = times.fold(least * 10.0, f64::max);
        let space = f64::from(WIDTH as i32 - left - RIGHT);
        Scale { least, decade: space / (most / least).log10() }
    }

    fn length(&self, time: f64) -> i32 {
        ((time / self.least).log10() * self.decade).round() as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_work_is_compared() {
        let line = |program: &str, note: Option<&str>| {
            serde_json::json!({"kind": "line", "graph": "G", "program": program, "median_ms": 0.5,
                "peer": "Peer", "peer_ms": 1.5, "peer_note": note})
        };
        let failed = serde_json::json!({"kind": "line", "graph": "G", "program": "bad", "error": "lost"});
        let lines = [line("bfs", None), line("pagerank", Some("its own rule")), failed];
        let svg = svg(&Objects(&lines), "H200", "2026-11-22").expect("a picture");
        assert!(
            svg.contains("G, bfs") && svg.contains("0.500") && svg.contains("1.50  Peer (3.0 x)"),
            "{svg}"
        );
        assert!(svg.contains("H200, 2026-11-22"), "{svg}");
        assert!(!svg.contains("pagerank") && !svg.contains("bad"), "{svg}");
    }

    #[test]
    fn every_measured_line_has_its_floor() {
        let line = |program: &str, peer: Option<f64>, note: Option<&str>| {
            serde_json::json!({"kind": "line", "graph": "G", "program": program, "median_ms": 0.5, "floor_ms": 0.2,
                "peer_ms": peer, "peer_note": note})
        };
        let failed = serde_json::json!({"kind": "line", "graph": "G", "program": "bad", "error": "lost"});
        let lines = [line("bfs", Some(1.5), None), line("pagerank", Some(0.4), Some("its own rule")), failed];
        let svg = floors_svg(&Objects(&lines), "H200", "2026-11-22").expect("a picture");
        assert_eq!(svg.matches("0.500 (2.5 x the floor)").count(), 2, "{svg}");
        // One mark per line and one in the legend; the peer of the other line did other work.
        assert_eq!((svg.matches("#D55E00").count(), svg.matches("#AAAAAA").count()), (3, 2), "{svg}");
        assert!(
            svg.contains("G, pagerank") && !svg.contains("bad") && svg.contains("H200, 2026-11-22"),
            "{svg}"
        );
    }

    #[test]
    fn longer_times_have_longer_bars() {
        let scale = Scale::over([0.1, 0.4, 1.0, 10.0].into_iter(), LEFT);
        let space = WIDTH as i32 - LEFT - RIGHT;
        assert_eq!(scale.length(10.0), space);
        assert!(0 < scale.length(0.1) && scale.length(0.1) < scale.length(0.4) && scale.length(1.0) < space);
    }
}
