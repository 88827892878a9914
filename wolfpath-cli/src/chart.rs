//! A small text chart of the layers: the number of vertices and edges by distance from the root.

use std::fmt::Write;

use wolfpath::graph::LayerProfile;

/// Maximum number of lines in a chart. If there are more layers, several share a line.
const ROWS: usize = 24;
/// Characters in the longest bar.
const WIDTH: usize = 32;

/// Line of a chart: one layer, or several consecutive layers.
struct Row {
    first: usize,
    last: usize,
    vertices: u64,
    edges: u64,
    backward: u64,
    lateral: u64,
    forward: u64,
}

impl Row {
    fn of(first: usize, layers: &[LayerProfile]) -> Row {
        let sum = |count: fn(&LayerProfile) -> u64| layers.iter().map(count).sum();
        Row {
            first,
            last: first + layers.len() - 1,
            vertices: sum(|layer| layer.vertices.into()),
            edges: sum(LayerProfile::edges),
            backward: sum(|layer| layer.backward),
            lateral: sum(|layer| layer.lateral),
            forward: sum(|layer| layer.forward),
        }
    }

    fn name(&self) -> String {
        if self.first == self.last { self.first.to_string() } else { format!("{}-{}", self.first, self.last) }
    }
}

/// Returns a chart of the layers. Layers that share a line are added up.
pub(crate) fn chart(layers: &[LayerProfile]) -> String {
    let each = layers.len().div_ceil(ROWS).max(1);
    let rows: Vec<Row> =
        layers.chunks(each).enumerate().map(|(index, layers)| Row::of(index * each, layers)).collect();
    let most = rows.iter().map(|row| row.edges).max().unwrap_or(0);
    let titles = ["layers", "vertices", "edges", "backward", "lateral", "forward"];
    let [name, vertices, edges, backward, lateral, forward] = titles;
    let mut text =
        format!("{name:>13} {vertices:>11} {edges:>12} {backward:>12} {lateral:>12} {forward:>12}\n");
    for row in &rows {
        let Row { vertices, edges, backward, lateral, forward, .. } = row;
        let bar = "#".repeat(bar_length(*edges, most));
        let line = format!(
            "{:>13} {vertices:>11} {edges:>12} {backward:>12} {lateral:>12} {forward:>12} {bar}",
            row.name()
        );
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Returns the length of a bar, which is at least 1 unless the count is 0.
fn bar_length(count: u64, most: u64) -> usize {
    if count == 0 {
        return 0;
    }
    // The result is at most WIDTH, because `count <= most`.
    ((u128::from(count) * WIDTH as u128) / u128::from(most.max(1))).max(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(count: usize) -> Vec<LayerProfile> {
        (0..count).map(|_| LayerProfile { vertices: 2, backward: 1, lateral: 0, forward: 3 }).collect()
    }

    #[test]
    fn few_layers_have_a_line_each() {
        let chart = chart(&layers(3));
        assert_eq!(chart.lines().count(), 4);
        assert!(chart.lines().nth(1).is_some_and(|line| line.trim_start().starts_with("0 ")));
    }

    #[test]
    fn many_layers_share_lines_and_none_is_lost() {
        for count in [24, 25, 100, 677] {
            let chart = chart(&layers(count));
            assert!(chart.lines().count() <= ROWS + 1);
            let vertices =
                chart.lines().skip(1).filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
            assert_eq!(vertices.sum::<u64>(), 2 * count as u64);
            assert!(chart.trim_end().contains(&format!("{} ", count - 1)));
        }
    }

    #[test]
    fn bars() {
        assert_eq!([bar_length(0, 9), bar_length(1, 1 << 60), bar_length(9, 9)], [0, 1, WIDTH]);
        assert_eq!(bar_length(u64::MAX, u64::MAX), WIDTH);
    }
}
