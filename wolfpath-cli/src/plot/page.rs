//! The page that all charts share: its size, its colours, its letters.

use std::io;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Pixels of the page, which scales to any size.
const WIDTH: u32 = 1200;
/// Pixels from the top for the name.
pub(super) const HEAD: u32 = 100;
/// Pixels above a chart for its title and its legend.
const TITLE: u32 = 34;
/// Pixels left of a chart for its numbers.
const LEFT: u32 = 86;
/// Pixels of those that stay empty.
const MARGIN: u32 = 16;
/// Pixels right of a chart.
const RIGHT: u32 = 30;
/// Pixels below a chart for its numbers.
const BELOW: u32 = 48;

const FONT: &str = "sans-serif";
const INK: RGBColor = RGBColor(40, 40, 40);
const FAINT: RGBColor = RGBColor(226, 226, 226);

/// Colours that people tell apart who cannot tell red from green (Okabe and Ito).
pub(super) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(super) const ORANGE: RGBColor = RGBColor(230, 159, 0);
pub(super) const GREEN: RGBColor = RGBColor(0, 158, 115);
pub(super) const GREY: RGBColor = RGBColor(170, 170, 170);
pub(super) const RED: RGBColor = RGBColor(213, 94, 0);

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type DrawError = DrawingAreaErrorKind<io::Error>;
pub(super) type Drawn = Result<(), DrawError>;

/// An empty page of so many pixels from top to bottom, whose text is `svg` once it is presented.
pub(super) fn empty(svg: &mut String, height: u32) -> Result<Area<'_>, DrawError> {
    let page = SVGBackend::with_string(svg, (WIDTH, height)).into_drawing_area();
    page.fill(&WHITE)?;
    Ok(page)
}

/// A chart below its title, with room for its axes.
pub(super) fn chart<'a, 'b>(area: &'a Area<'b>) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut chart = ChartBuilder::on(area);
    chart.margin_top(TITLE).margin_right(RIGHT).margin_left(MARGIN);
    chart.x_label_area_size(BELOW).y_label_area_size(LEFT - MARGIN);
    chart
}

/// Letters of this size.
pub(super) fn letters(size: u32) -> TextStyle<'static> {
    (FONT, size).into_font().color(&INK)
}

/// The thin lines behind a chart.
pub(super) fn faint() -> ShapeStyle {
    FAINT.stroke_width(1)
}

/// The name, and what is to be known beside it.
pub(super) fn head(area: &Area<'_>, name: &str, facts: &[String]) -> Drawn {
    let x = LEFT as i32;
    area.draw(&Text::new(shortened(name, 80), (x, 14), letters(26)))?;
    for (line, fact) in (0..).zip(facts) {
        area.draw(&Text::new(shortened(fact, 140), (x, 50 + 21 * line), letters(15)))?;
    }
    Ok(())
}

/// One sentence instead of a chart.
pub(super) fn say(area: &Area<'_>, sentence: &str) -> Drawn {
    area.draw(&Text::new(sentence.to_owned(), (LEFT as i32, TITLE as i32 + 20), letters(16)))
}

/// A chart's title, and what its colours mean.
pub(super) fn title(area: &Area<'_>, title: &str, legend: &[(RGBColor, &str)]) -> Drawn {
    // A letter's width of the title's size and of the legend's, as far as can be known without the viewer's font.
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

/// A place for words that end at a point instead of beginning there.
pub(super) fn ending_there(style: TextStyle<'static>) -> TextStyle<'static> {
    style.pos(Pos::new(HPos::Right, VPos::Top))
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// So many of something.
pub(super) fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { several })
}

/// A whole number, in groups of three digits.
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

/// The number at a line of a logarithmic axis.
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
