//! Page layout shared by all charts: size, colours and fonts.

use std::io;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width of the page in pixels. SVG scales to any size.
const WIDTH: u32 = 1200;
/// Height in pixels of the header with the name.
pub(super) const HEAD: u32 = 100;
/// Pixels above a chart for its title and legend.
const TITLE: u32 = 34;
/// Pixels to the left of a chart for its axis labels.
const LEFT: u32 = 86;
/// Part of [`LEFT`] that stays empty, in pixels.
const MARGIN: u32 = 16;
/// Pixels to the right of a chart.
const RIGHT: u32 = 30;
/// Pixels below a chart for its axis labels.
const BELOW: u32 = 48;

const FONT: &str = "sans-serif";
const INK: RGBColor = RGBColor(40, 40, 40);
const FAINT: RGBColor = RGBColor(226, 226, 226);

/// Colours that people with red-green colour blindness can distinguish (Okabe and Ito).
pub(super) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(super) const ORANGE: RGBColor = RGBColor(230, 159, 0);
pub(super) const GREEN: RGBColor = RGBColor(0, 158, 115);
pub(super) const GREY: RGBColor = RGBColor(170, 170, 170);
pub(super) const RED: RGBColor = RGBColor(213, 94, 0);

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type DrawError = DrawingAreaErrorKind<io::Error>;
pub(super) type Drawn = Result<(), DrawError>;

/// Returns an empty page of this height in pixels. `svg` receives its text when the page is presented.
pub(super) fn empty(svg: &mut String, height: u32) -> Result<Area<'_>, DrawError> {
    let page = SVGBackend::with_string(svg, (WIDTH, height)).into_drawing_area();
    page.fill(&WHITE)?;
    Ok(page)
}

/// Returns a chart below its title, with space for its axes.
pub(super) fn chart<'a, 'b>(area: &'a Area<'b>) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut chart = ChartBuilder::on(area);
    chart.margin_top(TITLE).margin_right(RIGHT).margin_left(MARGIN);
    chart.x_label_area_size(BELOW).y_label_area_size(LEFT - MARGIN);
    chart
}

/// Returns a text style of this size.
pub(super) fn letters(size: u32) -> TextStyle<'static> {
    (FONT, size).into_font().color(&INK)
}

/// Returns the style of the thin lines behind a chart.
pub(super) fn faint() -> ShapeStyle {
    FAINT.stroke_width(1)
}

/// Draws the header: the name, and lines of facts below it.
pub(super) fn head(area: &Area<'_>, name: &str, facts: &[String]) -> Drawn {
    let x = LEFT as i32;
    area.draw(&Text::new(shortened(name, 80), (x, 14), letters(26)))?;
    for (line, fact) in (0..).zip(facts) {
        area.draw(&Text::new(shortened(fact, 140), (x, 50 + 21 * line), letters(15)))?;
    }
    Ok(())
}

/// Draws one sentence instead of a chart.
pub(super) fn say(area: &Area<'_>, sentence: &str) -> Drawn {
    area.draw(&Text::new(sentence.to_owned(), (LEFT as i32, TITLE as i32 + 20), letters(16)))
}

/// Draws a chart's title and its legend.
pub(super) fn title(area: &Area<'_>, title: &str, legend: &[(RGBColor, &str)]) -> Drawn {
    // Mean widths of a character in the title and in the legend. Estimates, because the viewer's font is unknown.
    const WIDE: f64 = 9.3;
    const NARROW: f64 = 7.2;
    let mut x = LEFT as i32;
    area.draw(&Text::new(title.to_owned(), (x, 8), letters(18)))?;
    x += (title.chars().count() as f64 * WIDE) as i32 + 30;
    for (color, text) in legend {
        area.draw(&Rectangle::new([(x, 11), (x + 14, 25)], color.filled()))?;
        area.draw(&Text::new((*text).to_owned(), (x + 20, 11), letters(14)))?;
        x += 20 + (text.chars().count() as f64 * NARROW) as i32 + 24;
    }
    Ok(())
}

/// Returns a style for text that ends at its point instead of starting there.
pub(super) fn ending_there(style: TextStyle<'static>) -> TextStyle<'static> {
    style.pos(Pos::new(HPos::Right, VPos::Top))
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// Returns a count with its noun, in the singular or plural.
pub(super) fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { several })
}

/// Formats an integer in groups of three digits.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats the label of a line on a logarithmic axis.
pub(super) fn at_axis(number: f64) -> String {
    match number {
        1e9.. => format!("{} G", number / 1e9),
        1e6.. => format!("{} M", number / 1e6),
        1e3.. => format!("{} k", number / 1e3),
        1.0.. => number.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!([0, 12, 1234, 1_000_000].map(grouped), ["0", "12", "1,234", "1,000,000"]);
        assert_eq!([0.5, 1.0, 100.0, 1e4, 1e6, 2e9].map(at_axis), ["", "1", "100", "10 k", "1 M", "2 G"]);
        assert_eq!([1, 2].map(|number| counted(number, "edge", "edges")), ["1 edge", "2 edges"]);
        assert_eq!(shortened("abcdef", 4), "abc…");
    }
}
