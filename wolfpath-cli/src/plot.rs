//! Plots as SVG: of a graph, the composition of its layers and the distribution of its degrees; of a run, its steps.

mod degrees;
mod layers;
mod page;
mod steps;
mod timeline;

use std::path::Path;

use wolfpath::graph::{LayeredGraph, Profile};

use crate::error::Error;
use page::HEAD;

pub(crate) use steps::picture as picture_of_steps;

/// Height of the page in pixels.
const HEIGHT: u32 = 1120;
/// Height in pixels of the chart of layer sizes.
const LAYERS: u32 = 380;
/// Height in pixels of the chart of edge directions.
const SHARES: u32 = 240;

/// Facts about a graph that the plot shows in addition to the profile.
pub(crate) struct Subject {
    /// Name of the graph.
    pub(crate) name: String,
    /// Root of the layers, and the reason for choosing it.
    pub(crate) root: Option<(u64, String)>,
    /// Number of layers in the root's own tree.
    pub(crate) root_layers: u32,
    /// `true` if the graph contains both directions of every edge.
    pub(crate) symmetric: bool,
}

impl Subject {
    pub(crate) fn of(graph: &LayeredGraph, name: String) -> Subject {
        Subject {
            name,
            root: graph.root().map(|root| (root, graph.root_reason().to_owned())),
            root_layers: graph.root_layers(),
            symmetric: graph.is_symmetric(),
        }
    }
}

/// Returns the name of a graph: its file name without the folder.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Returns the plot as the text of an SVG file.
pub(crate) fn picture(subject: &Subject, profile: &Profile) -> Result<String, Error> {
    let mut svg = String::new();
    draw(&mut svg, subject, profile).map_err(|error| Error::Picture { message: error.to_string() })?;
    Ok(svg)
}

fn draw(svg: &mut String, subject: &Subject, profile: &Profile) -> page::Drawn {
    let page = page::empty(svg, HEIGHT)?;
    let (head, rest) = page.split_vertically(HEAD);
    page::head(&head, &subject.name, &facts(subject, profile))?;
    if profile.vertices == 0 {
        page::say(&rest, "The graph has no vertices: nothing to draw.")?;
        return page.present();
    }
    let (top, rest) = rest.split_vertically(LAYERS);
    let (strip, bottom) = rest.split_vertically(SHARES);
    let columns = layers::columns(&profile.layers);
    layers::counts(&top, &columns, subject.root_layers, profile.layers.len())?;
    layers::shares(&strip, &columns, profile.layers.len())?;
    degrees::distribution(&bottom, profile)?;
    page.present()
}

/// Returns the lines below the name.
fn facts(subject: &Subject, profile: &Profile) -> Vec<String> {
    let kind = if subject.symmetric { "each in both directions" } else { "directed" };
    let vertices = page::counted(profile.vertices, "vertex", "vertices");
    let edges = page::counted(profile.edges, "edge", "edges");
    let layers = page::counted(profile.layers.len() as u64, "layer", "layers");
    let size = format!("{vertices}, {edges} ({kind}), {layers}");
    let root = subject.root.as_ref().map(|(root, reason)| format!("root {root}: {reason}"));
    std::iter::once(size).chain(root).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wolfpath::graph::LayeredGraph;

    fn drawn(graph: &LayeredGraph, name: &str) -> String {
        picture(&Subject::of(graph, name.to_owned()), &graph.profile()).expect("the plot is drawn")
    }

    #[test]
    fn pictures_say_what_they_show() {
        let edges = (0..40u64).flat_map(|id| [(id, id / 2), (id, (id + 1) % 40)]);
        let svg = drawn(&LayeredGraph::from_edges(edges).expect("the graph is valid"), "a<b>&c.el");
        for part in [
            "a&lt;b&gt;&amp;c.el",
            "40 vertices, 80 edges (directed)",
            "root 0",
            "Layers",
            "vertices",
            "backward",
            "lateral",
            "forward",
            "Degrees",
            "out-degree",
            "in-degree",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert!(svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn graphs_of_nothing_and_of_next_to_nothing() {
        assert!(
            drawn(&LayeredGraph::from_edges([]).expect("the graph is valid"), "none")
                .contains("nothing to draw")
        );
        let loop_at_one = drawn(&LayeredGraph::from_edges([(1, 1)]).expect("the graph is valid"), "loop");
        assert!(loop_at_one.contains("1 vertex, 1 edge"));
    }

    #[test]
    fn a_long_path_makes_a_small_picture() {
        let svg = drawn(
            &LayeredGraph::from_edges((0..100_000).map(|id| (id, id + 1))).expect("the graph is valid"),
            "p",
        );
        assert!(svg.len() < 300_000, "{}", svg.len());
        assert!(svg.contains("consecutive layers"), "the plot mentions that layers share a column");
    }
}
