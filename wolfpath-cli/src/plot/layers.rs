//! Charts of the layers: their sizes, and the directions of their edges.

use plotters::prelude::*;
use wolfpath::graph::LayerProfile;

use super::page::{self, Area, BLUE, Drawn, GREEN, GREY, ORANGE, RED};

/// Maximum number of columns in a chart, about one per pixel. If there are more layers, several share a column.
const COLUMNS: usize = 1000;

/// Lowest value drawn: half of the smallest count, so that a count of 0 is on the axis.
const FLOOR: f64 = 0.5;

/// Consecutive layers that share a column, which shows their means.
pub(super) struct LayerBin {
    /// Left end on the axis, where layer `i` extends from `i - 0.5` to `i + 0.5`.
    begin: f64,
    /// Right end on the axis.
    end: f64,
    vertices: f64,
    edges: f64,
    /// Cumulative fractions of the edges: backward edges; backward or lateral edges; all edges. The last fraction is 1,
    /// or 0 if there are no edges.
    parts: [f64; 3],
}

/// Groups the layers into columns.
pub(super) fn columns(layers: &[LayerProfile]) -> Vec<LayerBin> {
    let each = layers.len().div_ceil(COLUMNS).max(1);
    layers.chunks(each).enumerate().map(|(index, layers)| LayerBin::of(index * each, layers)).collect()
}

impl LayerBin {
    fn of(first: usize, layers: &[LayerProfile]) -> LayerBin {
        let sum = |count: fn(&LayerProfile) -> u64| layers.iter().map(count).sum::<u64>() as f64;
        let (backward, lateral, edges) =
            (sum(|layer| layer.backward), sum(|layer| layer.lateral), sum(LayerProfile::edges));
        let count = layers.len() as f64;
        LayerBin {
            begin: first as f64 - 0.5,
            end: first as f64 + count - 0.5,
            vertices: sum(|layer| layer.vertices.into()) / count,
            edges: edges / count,
            parts: [backward, backward + lateral, edges].map(|part| part / edges.max(1.0)),
        }
    }
}

/// Returns the points of a step line, with one step per column.
fn steps(columns: &[LayerBin], value: impl Fn(&LayerBin) -> f64) -> Vec<(f64, f64)> {
    columns.iter().flat_map(|column| [column.begin, column.end].map(|x| (x, value(column)))).collect()
}

/// Draws the vertices and edges per layer.
pub(super) fn counts(area: &Area<'_>, columns: &[LayerBin], root_layers: u32, layers: usize) -> Drawn {
    let each = layers.div_ceil(columns.len().max(1));
    let shared = format!("Layers (each column is the mean of {each} consecutive layers)");
    let name = if each > 1 { shared.as_str() } else { "Layers" };
    page::title(area, name, &[(ORANGE, "edges"), (BLUE, "vertices")])?;
    let most = columns.iter().map(|column| column.edges.max(column.vertices)).fold(1.0, f64::max);
    let mut chart =
        page::chart(area).build_cartesian_2d(-0.5..layers as f64 - 0.5, (FLOOR..most * 2.0).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(page::faint())
        .x_labels(layers.min(12))
        .x_label_formatter(&whole)
        .y_label_formatter(&|number| page::at_axis(*number))
        .x_desc("layer: hops from the root")
        .y_desc("per layer")
        .label_style(page::letters(14))
        .axis_desc_style(page::letters(15))
        .draw()?;
    let shown = |count: f64| count.max(FLOOR);
    let edges = steps(columns, |column| shown(column.edges));
    chart.draw_series(AreaSeries::new(edges.clone(), FLOOR, ORANGE.mix(0.35)))?;
    chart.draw_series(LineSeries::new(edges, ORANGE.stroke_width(2)))?;
    chart.draw_series(LineSeries::new(
        steps(columns, |column| shown(column.vertices)),
        BLUE.stroke_width(2),
    ))?;
    if (root_layers as usize) < layers {
        let x = f64::from(root_layers) - 0.5;
        let top = most * 2.0;
        chart.draw_series(LineSeries::new([(x, FLOOR), (x, top)], GREY.stroke_width(1)))?;
        let right_half = root_layers as usize * 2 > layers;
        let style = page::letters(13);
        let style = if right_half { page::ending_there(style) } else { style };
        let words =
            if right_half { "beyond the root's own tree → " } else { " → beyond the root's own tree" };
        chart.draw_series([Text::new(words, (x, top), style)])?;
    }
    Ok(())
}

/// Draws the directions of the edges of each layer.
pub(super) fn shares(area: &Area<'_>, columns: &[LayerBin], layers: usize) -> Drawn {
    let legend = [(RED, "backward"), (GREY, "lateral"), (GREEN, "forward")];
    page::title(area, "Directions of the edges", &legend)?;
    let mut chart = page::chart(area).build_cartesian_2d(-0.5..layers as f64 - 0.5, 0.0..100.0)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_labels(layers.min(12))
        .y_labels(5)
        .x_label_formatter(&whole)
        .y_label_formatter(&|number| format!("{number:.0} %"))
        .x_desc("layer: hops from the root")
        .y_desc("of the layer's edges")
        .label_style(page::letters(14))
        .axis_desc_style(page::letters(15))
        .draw()?;
    // Drawn from back to front: the fractions are cumulative, so each area covers part of the one before.
    for (part, color) in [(2, GREEN), (1, GREY), (0, RED)] {
        let steps = steps(columns, |column| 100.0 * column.parts[part]);
        chart.draw_series(AreaSeries::new(steps, 0.0, color.filled()))?;
    }
    Ok(())
}

/// Formats a layer's number. Positions between two layers get no label.
fn whole(number: &f64) -> String {
    if number.fract() == 0.0 { page::grouped(*number as u64) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_means_and_parts() {
        let layer =
            |vertices, backward, lateral, forward| LayerProfile { vertices, backward, lateral, forward };
        let columns = columns(&[layer(1, 0, 0, 4), layer(4, 1, 2, 1), layer(2, 0, 0, 0)]);
        assert_eq!(columns.len(), 3);
        assert_eq!((columns[1].begin, columns[1].end, columns[1].edges), (0.5, 1.5, 4.0));
        assert_eq!([columns[0].parts, columns[1].parts], [[0.0, 0.0, 1.0], [0.25, 0.75, 1.0]]);
        assert_eq!(columns[2].parts, [0.0; 3]);
        let many = super::columns(&vec![layer(3, 0, 1, 1); 2500]);
        assert_eq!((many.len(), many[0].vertices, many[833].end), (834, 3.0, 2499.5));
    }
}
