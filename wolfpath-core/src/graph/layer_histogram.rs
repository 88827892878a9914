//! The layers of a graph, summarized by their size. A run takes about one step per layer, and a step costs either a
//! fixed time or the time of its edges. Neither the number of layers nor their average size says which: a graph can have
//! thousands of layers of three edges, and one of a hundred million. A histogram does, and it stays small even if the
//! graph has ten million layers.

use super::layered_graph::LayeredGraph;

/// Number of classes: one for layers without edges, and one per power of two of a 64-bit number of edges.
const CLASSES: usize = u64::BITS as usize + 1;

/// Layers with about equally many edges: all layers without edges, or all whose number of edges has the same highest
/// binary digit.
///
/// ```
/// use wolfpath::graph::LayerClass;
///
/// let class = LayerClass { layers: 10, vertices: 30, edges: 60 };
/// assert_eq!((class.mean_vertices(), class.mean_edges()), (3.0, 6.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerClass {
    /// Number of layers.
    pub layers: u64,
    /// Number of vertices of all these layers together.
    pub vertices: u64,
    /// Number of edges of all these layers together.
    pub edges: u64,
}

impl LayerClass {
    /// Returns the mean number of vertices per layer. Without layers, it is 0.
    pub fn mean_vertices(&self) -> f64 {
        self.vertices as f64 / self.layers.max(1) as f64
    }

    /// Returns the mean number of edges per layer. Without layers, it is 0.
    pub fn mean_edges(&self) -> f64 {
        self.edges as f64 / self.layers.max(1) as f64
    }
}

/// Number of layers, vertices and edges of a graph, by the size of the layers. It has at most 65 classes, however many
/// layers there are.
///
/// ```
/// use wolfpath::prelude::*;
///
/// // The root has two edges, the next layer three, and the last none.
/// let graph = LayeredGraph::from_edges([(1, 2), (1, 3), (2, 4), (2, 5), (3, 5)])?;
/// let classes = graph.layer_histogram().classes();
/// assert_eq!(classes.iter().map(|class| class.layers).collect::<Vec<_>>(), [1, 2]);
/// assert_eq!(classes.iter().map(|class| class.edges).collect::<Vec<_>>(), [0, 5]);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerHistogram {
    classes: Vec<LayerClass>,
}

impl LayerHistogram {
    /// Returns the classes that have layers, by ascending number of edges per layer.
    pub fn classes(&self) -> &[LayerClass] {
        &self.classes
    }

    /// Returns the number of layers that have edges.
    pub fn layers_with_edges(&self) -> u64 {
        self.classes.iter().filter(|class| class.edges > 0).map(|class| class.layers).sum()
    }
}

impl FromIterator<LayerClass> for LayerHistogram {
    /// Builds a histogram from groups of layers, for example single layers. The layers of a group count as equally
    /// large.
    fn from_iter<I: IntoIterator<Item = LayerClass>>(groups: I) -> LayerHistogram {
        let mut classes = [LayerClass::default(); CLASSES];
        for group in groups {
            let mean = group.edges / group.layers.max(1);
            // Rounding down must not move a group with edges to the layers without.
            let digits = u64::BITS - mean.max(u64::from(group.edges > 0)).leading_zeros();
            let class = &mut classes[digits as usize];
            class.layers += group.layers;
            class.vertices += group.vertices;
            class.edges += group.edges;
        }
        LayerHistogram { classes: classes.into_iter().filter(|class| class.layers > 0).collect() }
    }
}

impl LayeredGraph {
    /// Returns the layers by their size. The first call reads two numbers per layer, and later calls none.
    pub fn layer_histogram(&self) -> &LayerHistogram {
        let histogram = match &self.derived {
            Some(derived) => &derived.layer_histogram,
            None => &self.data.layer_histogram,
        };
        histogram.get_or_init(|| {
            let offsets = self.out_edges().offsets;
            let layer = |pair: &[u32]| LayerClass {
                layers: 1,
                vertices: u64::from(pair[1] - pair[0]),
                edges: offsets[pair[1] as usize] - offsets[pair[0] as usize],
            };
            self.layer_offsets().windows(2).map(layer).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(vertices: u64, edges: u64) -> LayerClass {
        LayerClass { layers: 1, vertices, edges }
    }

    #[test]
    fn layers_are_counted_by_their_highest_digit() {
        let layers = [(5, 0), (1, 1), (1, 2), (2, 3), (4, 4), (1, u64::MAX / 2 + 1)];
        let histogram: LayerHistogram = layers.into_iter().map(|(v, e)| single(v, e)).collect();
        let expected = [
            single(5, 0),
            single(1, 1),
            LayerClass { layers: 2, vertices: 3, edges: 5 },
            single(4, 4),
            single(1, u64::MAX / 2 + 1),
        ];
        assert_eq!(histogram.classes(), expected);
        assert_eq!(histogram.layers_with_edges(), 5);
        let again: LayerHistogram = histogram.classes().iter().copied().collect();
        assert_eq!(again, histogram, "a class stays in its class");
        assert_eq!(LayerHistogram::from_iter([]).classes(), []);
    }

    #[test]
    fn a_histogram_counts_all_of_its_graph() -> Result<(), Box<dyn std::error::Error>> {
        // A path of 1,000 layers, a hub with 5,000 leaves at its end, and a separate edge.
        let path = (0..1000u64).map(|v| (v, v + 1));
        let leaves = (0..5000).map(|leaf| (1000, 2000 + leaf));
        let graph = LayeredGraph::from_edges(path.chain(leaves).chain([(10_000, 10_001)]))?;
        let histogram = graph.layer_histogram();
        let sum = |of: fn(&LayerClass) -> u64| histogram.classes().iter().map(of).sum::<u64>();
        assert_eq!(sum(|class| class.layers), u64::from(graph.num_layers()));
        assert_eq!(sum(|class| class.vertices), u64::from(graph.num_vertices()));
        assert_eq!(sum(|class| class.edges), graph.num_edges());
        let largest = histogram.classes().last().expect("there are layers");
        assert_eq!((largest.layers, largest.edges), (1, 5000));
        assert!(histogram.classes().len() <= 4, "{histogram:?}");
        assert!(std::ptr::eq(histogram, graph.clone().layer_histogram()), "it is computed once");
        Ok(())
    }

    #[test]
    fn a_graph_without_vertices_has_no_layers() -> Result<(), Box<dyn std::error::Error>> {
        let graph = LayeredGraph::from_edges(std::iter::empty())?;
        assert_eq!(graph.layer_histogram(), &LayerHistogram::default());
        Ok(())
    }
}
