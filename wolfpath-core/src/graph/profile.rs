//! The figures that `wolfpath info` shows about a graph.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::layered_graph::LayeredGraph;
use super::rows::Rows;

/// Figures about a layered graph.
///
/// ```
/// use wolfpath::prelude::*;
///
/// let profile = LayeredGraph::from_edges([(17, 5), (17, 6), (6, 6)])?.profile();
/// assert_eq!((profile.vertices, profile.edges, profile.self_loops), (3, 3, 1));
/// assert_eq!(profile.layers.len(), 2);
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// Number of vertices.
    pub vertices: u64,
    /// Number of edges.
    pub edges: u64,
    /// All layers, in order.
    pub layers: Vec<LayerProfile>,
    /// Figures about the number of edges that leave a vertex.
    pub out_degrees: DegreeProfile,
    /// Figures about the number of edges that arrive at a vertex.
    pub in_degrees: DegreeProfile,
    /// Number of vertices of each out-degree.
    pub out_histogram: Vec<DegreeCount>,
    /// Number of vertices of each in-degree.
    pub in_histogram: Vec<DegreeCount>,
    /// Number of vertices without any edge.
    pub isolated: u64,
    /// Number of edges from a vertex to itself.
    pub self_loops: u64,
    /// Number of edges that have the same source and target as an earlier edge.
    pub duplicates: u64,
    /// Size in bytes of the layered graph: row offsets, edge endpoints, weights and layer offsets.
    pub layered_bytes: u64,
    /// Size in bytes of the same edges and weights in plain compressed sparse rows (CSR).
    pub csr_bytes: u64,
}

/// Figures about one layer.
///
/// ```
/// use wolfpath::prelude::*;
///
/// let profile = LayeredGraph::from_edges([(17, 5), (5, 6), (6, 5)])?.profile();
/// let last = profile.layers.last().expect("there are three layers");
/// assert_eq!((last.vertices, last.backward, last.edges()), (1, 1, 1));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerProfile {
    /// Number of vertices.
    pub vertices: u32,
    /// Number of edges to earlier layers.
    pub backward: u64,
    /// Number of edges within the layer.
    pub lateral: u64,
    /// Number of edges to the next layer.
    pub forward: u64,
}

impl LayerProfile {
    /// Returns the number of edges that leave the layer's vertices.
    pub fn edges(&self) -> u64 {
        self.backward + self.lateral + self.forward
    }
}

/// Figures about degrees.
///
/// ```
/// use wolfpath::prelude::*;
///
/// let profile = LayeredGraph::from_edges([(17, 5), (17, 6)])?.profile();
/// assert_eq!((profile.out_degrees.max, profile.out_degrees.zero), (2, 2));
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DegreeProfile {
    /// Mean degree over all vertices.
    pub mean: f64,
    /// Largest degree.
    pub max: u64,
    /// Id of the first vertex in layered order that has the largest degree; `None` in an empty graph.
    pub max_id: Option<u64>,
    /// Number of vertices of degree 0.
    pub zero: u64,
}

/// The number of vertices of one degree. A histogram lists the degrees that occur, ascending. The list is short: a
/// graph of m edges has at most about √(2m) different degrees.
///
/// ```
/// use wolfpath::graph::DegreeCount;
/// use wolfpath::prelude::*;
///
/// let profile = LayeredGraph::from_edges([(17, 5), (17, 6)])?.profile();
/// assert_eq!(
///     profile.out_histogram,
///     [DegreeCount { degree: 0, vertices: 2 }, DegreeCount { degree: 2, vertices: 1 }],
/// );
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DegreeCount {
    /// The degree.
    pub degree: u64,
    /// Number of vertices of this degree.
    pub vertices: u64,
}

impl LayeredGraph {
    /// Counts the layers, degrees, self-loops and duplicates of the graph. Reads every edge.
    pub fn profile(&self) -> Profile {
        let rows = self.out_edges();
        let weight_bytes = self.bytes_of_weights();
        let csr_bytes = (size_of_val(rows.offsets) + size_of_val(rows.ends)) as u64 + weight_bytes;
        let arriving = if self.is_symmetric() { None } else { Some(in_degrees(rows)) };
        let in_degree = |vertex| match &arriving {
            Some(degrees) => degrees[vertex as usize].load(Ordering::Relaxed),
            None => rows.degree(vertex),
        };
        let (self_loops, duplicates) = self.count_repeated(rows);
        let out_histogram = self.histogram(|vertex| rows.degree(vertex));
        let in_histogram = if arriving.is_some() { self.histogram(in_degree) } else { out_histogram.clone() };
        Profile {
            vertices: self.num_vertices().into(),
            edges: self.num_edges(),
            layers: self.layer_profiles(rows),
            isolated: self.count(|vertex| rows.degree(vertex) == 0 && in_degree(vertex) == 0),
            out_degrees: self.degree_profile(&out_histogram, |vertex| rows.degree(vertex)),
            in_degrees: self.degree_profile(&in_histogram, in_degree),
            out_histogram,
            in_histogram,
            self_loops,
            duplicates,
            layered_bytes: csr_bytes + size_of_val(self.layer_offsets()) as u64,
            csr_bytes,
        }
    }

    fn count(&self, wanted: impl Fn(u32) -> bool + Sync) -> u64 {
        (0..self.num_vertices()).into_par_iter().filter(|&vertex| wanted(vertex)).count() as u64
    }

    /// Returns the number of self-loops and of duplicates.
    fn count_repeated(&self, rows: Rows<'_>) -> (u64, u64) {
        let in_row = |vertex| {
            let row = rows.row(vertex);
            let loops = row.iter().filter(|&&end| end == vertex).count();
            let duplicates = row.windows(2).filter(|pair| pair[0] == pair[1]).count();
            (loops as u64, duplicates as u64)
        };
        let vertices = (0..self.num_vertices()).into_par_iter();
        vertices.map(in_row).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    }

    fn degree_profile(&self, histogram: &[DegreeCount], degree: impl Fn(u32) -> u64 + Sync) -> DegreeProfile {
        let Some(largest) = histogram.last() else { return DegreeProfile::default() };
        let vertices = (0..self.num_vertices()).into_par_iter();
        DegreeProfile {
            mean: self.num_edges() as f64 / f64::from(self.num_vertices()),
            max: largest.degree,
            max_id: vertices
                .find_first(|&vertex| degree(vertex) == largest.degree)
                .map(|vertex| self.id_of(vertex)),
            zero: histogram.first().filter(|least| least.degree == 0).map_or(0, |least| least.vertices),
        }
    }

    fn histogram(&self, degree: impl Fn(u32) -> u64 + Sync) -> Vec<DegreeCount> {
        let vertices = (0..self.num_vertices()).into_par_iter().with_min_len(1 << 14);
        let counted = vertices.fold(Histogram::default, |mut histogram, vertex| {
            histogram.add(degree(vertex));
            histogram
        });
        counted.reduce(Histogram::default, Histogram::plus).into_counts()
    }

    fn layer_profiles(&self, rows: Rows<'_>) -> Vec<LayerProfile> {
        let layer = |pair: &[u32]| {
            let vertices = (pair[0]..pair[1]).into_par_iter().with_min_len(1024);
            let edges = vertices.map(|vertex| split_row(rows.row(vertex), pair[0], pair[1]));
            let sum = |a: [u64; 3], b: [u64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
            let [backward, lateral, forward] = edges.reduce(|| [0; 3], sum);
            LayerProfile { vertices: pair[1] - pair[0], backward, lateral, forward }
        };
        self.layer_offsets().par_windows(2).map(layer).collect()
    }
}

/// Counts the targets in a row that are before, in and after the layer of the vertices `first..after`.
fn split_row(row: &[u32], first: u32, after: u32) -> [u64; 3] {
    let lateral = row.partition_point(|&end| end < first);
    let forward = row.partition_point(|&end| end < after);
    [lateral as u64, (forward - lateral) as u64, (row.len() - forward) as u64]
}

/// Returns the in-degree of each vertex.
fn in_degrees(rows: Rows<'_>) -> Vec<AtomicU64> {
    let degrees: Vec<AtomicU64> =
        (0..rows.num_vertices()).into_par_iter().map(|_| AtomicU64::new(0)).collect();
    rows.ends.par_iter().for_each(|&end| {
        degrees[end as usize].fetch_add(1, Ordering::Relaxed);
    });
    degrees
}

/// Degrees below this have their counts in an array, larger degrees in a map. Few vertices have a larger degree.
const SMALL: u64 = 1024;

/// The number of vertices of each degree.
#[derive(Default)]
struct Histogram {
    small: Vec<u64>,
    large: BTreeMap<u64, u64>,
}

impl Histogram {
    fn add(&mut self, degree: u64) {
        if degree >= SMALL {
            *self.large.entry(degree).or_default() += 1;
            return;
        }
        if self.small.len() <= degree as usize {
            self.small.resize(degree as usize + 1, 0);
        }
        self.small[degree as usize] += 1;
    }

    fn plus(mut self, other: Histogram) -> Histogram {
        if self.small.len() < other.small.len() {
            self.small.resize(other.small.len(), 0);
        }
        self.small.iter_mut().zip(other.small).for_each(|(sum, vertices)| *sum += vertices);
        for (degree, vertices) in other.large {
            *self.large.entry(degree).or_default() += vertices;
        }
        self
    }

    fn into_counts(self) -> Vec<DegreeCount> {
        let counts = (0..).zip(self.small).chain(self.large);
        counts
            .filter(|&(_, vertices)| vertices > 0)
            .map(|(degree, vertices)| DegreeCount { degree, vertices })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(histogram: &[DegreeCount]) -> Vec<(u64, u64)> {
        histogram.iter().map(|count| (count.degree, count.vertices)).collect()
    }

    #[test]
    fn histograms_count_every_vertex_once() {
        // A hub with 2000 spokes, and a path of two edges that starts at one of the spokes.
        let spokes = (1..=2000).map(|id| (0, id));
        let profile = LayeredGraph::from_edges(spokes.chain([(1, 3000), (3000, 3001)])).unwrap().profile();
        assert_eq!(counts(&profile.out_histogram), [(0, 2000), (1, 2), (2000, 1)]);
        assert_eq!(counts(&profile.in_histogram), [(0, 1), (1, 2002)]);
        assert_eq!((profile.out_degrees.max, profile.out_degrees.max_id), (2000, Some(0)));
        assert_eq!((profile.in_degrees.max, profile.in_degrees.max_id), (1, Some(1)));
        assert_eq!((profile.out_degrees.zero, profile.in_degrees.zero), (2000, 1));
        assert_eq!(profile.isolated, 0);
    }

    #[test]
    fn symmetric_graphs_have_one_histogram() {
        let graph = LayeredGraph::from_edges([(1, 2), (2, 1), (2, 3), (3, 2)]).unwrap();
        let profile = graph.profile();
        assert_eq!(counts(&profile.out_histogram), [(1, 2), (2, 1)]);
        assert_eq!(profile.in_histogram, profile.out_histogram);
    }

    #[test]
    fn an_empty_graph_has_an_empty_histogram() {
        let profile = LayeredGraph::from_edges([]).unwrap().profile();
        assert_eq!((profile.out_histogram.len(), profile.out_degrees), (0, DegreeProfile::default()));
    }

    #[cfg(unix)]
    #[test]
    fn more_edges_than_32_bits_count() {
        use super::super::build::Layered;
        use crate::graph::Origin;
        use crate::store::many_edges_tests::{EDGES, MANY, write_holes};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("many.wolf");
        write_holes(&path);
        let contents = crate::store::map(&path).unwrap().contents;
        // The graph is used without verification, like one that was just layered, because verifying a sparse file of 96
        // GiB would take minutes.
        let layered = Layered { contents, by_rank: vec![0, 1, 2], notes: Vec::new() };
        let graph = LayeredGraph::made(layered, Origin::File(path));
        let rows = graph.out_edges();
        let layers = graph.layer_profiles(rows);
        assert_eq!(layers.iter().map(LayerProfile::edges).collect::<Vec<_>>(), [2, MANY + 3]);
        assert_eq!((layers[0].forward, layers[1].backward), (2, MANY + 3));
        let histogram = graph.histogram(|vertex| rows.degree(vertex));
        assert_eq!(counts(&histogram), [(2, 1), (3, 1), (MANY, 1)]);
        let degrees = graph.degree_profile(&histogram, |vertex| rows.degree(vertex));
        assert_eq!((degrees.max, degrees.max_id, degrees.zero), (MANY, Some(11), 0));
        assert_eq!((degrees.mean, graph.num_edges()), (EDGES as f64 / 3.0, EDGES));
    }

    #[test]
    fn histograms_add_up() {
        let of = |degrees: &[u64]| {
            let mut histogram = Histogram::default();
            degrees.iter().for_each(|&degree| histogram.add(degree));
            histogram
        };
        let sum = of(&[1, 5000, 0]).plus(of(&[7, 1, 5000, 1024, 1023])).into_counts();
        assert_eq!(counts(&sum), [(0, 1), (1, 2), (7, 1), (1023, 1), (1024, 1), (5000, 2)]);
    }
}
