//! What `wolfpath info` shows of a graph.

use rayon::prelude::*;

use super::layered_graph::LayeredGraph;
use super::rows::Rows;
use crate::store::StoreError;

/// Figures about a layered graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// How many vertices there are.
    pub vertices: u64,
    /// How many edges there are.
    pub edges: u64,
    /// Every layer, in order.
    pub layers: Vec<LayerProfile>,
    /// Edges that leave a vertex.
    pub out_degrees: DegreeProfile,
    /// Edges that arrive at a vertex.
    pub in_degrees: DegreeProfile,
    /// Vertices without any edge.
    pub isolated: u64,
    /// Edges from a vertex to itself.
    pub self_loops: u64,
    /// Edges beyond the first with the same source and target.
    pub duplicates: u64,
    /// Bytes of row offsets, ends, weights and layer offsets.
    pub layered_bytes: u64,
    /// Bytes that compressed sparse rows of the same edges and weights take.
    pub csr_bytes: u64,
}

/// Figures about one layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerProfile {
    /// How many vertices it has.
    pub vertices: u32,
    /// How many of its edges lead to earlier layers.
    pub backward: u64,
    /// How many of its edges stay in it.
    pub lateral: u64,
    /// How many of its edges lead to the next layer.
    pub forward: u64,
}

impl LayerProfile {
    /// How many edges leave its vertices.
    pub fn edges(&self) -> u64 {
        self.backward + self.lateral + self.forward
    }
}

/// Figures about degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DegreeProfile {
    /// The mean over all vertices.
    pub mean: f64,
    /// The largest.
    pub max: u64,
    /// The id of the first vertex in layered order that has it; `None` in an empty graph.
    pub max_id: Option<u64>,
    /// How many vertices have none.
    pub zero: u64,
}

impl LayeredGraph {
    /// Counts what the graph consists of. Reads every edge once.
    pub fn profile(&self) -> Result<Profile, StoreError> {
        let rows = self.out_edges()?;
        let weight_bytes = self.weights()?.map_or(0, |weights| weights.bytes().len() as u64);
        let csr_bytes = (size_of_val(rows.offsets) + size_of_val(rows.ends)) as u64 + weight_bytes;
        let in_degrees = in_degrees(rows);
        let repeated = self.count_repeated(rows);
        Ok(Profile {
            vertices: self.num_vertices().into(),
            edges: self.num_edges(),
            layers: self.layer_profiles(rows),
            isolated: self.count(|vertex| rows.degree(vertex) == 0 && in_degrees[vertex as usize] == 0),
            out_degrees: self.degree_profile(|vertex| rows.degree(vertex)),
            in_degrees: self.degree_profile(|vertex| in_degrees[vertex as usize]),
            self_loops: repeated.0,
            duplicates: repeated.1,
            layered_bytes: csr_bytes + size_of_val(self.layer_offsets()) as u64,
            csr_bytes,
        })
    }

    fn count(&self, wanted: impl Fn(u32) -> bool + Sync) -> u64 {
        (0..self.num_vertices()).into_par_iter().filter(|&vertex| wanted(vertex)).count() as u64
    }

    /// Self-loops and duplicates.
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

    fn degree_profile(&self, degree: impl Fn(u32) -> u64 + Sync) -> DegreeProfile {
        let vertices = 0..self.num_vertices();
        let largest = vertices
            .clone()
            .map(|vertex| (degree(vertex), vertex))
            .max_by_key(|&(degree, vertex)| (degree, std::cmp::Reverse(vertex)));
        let Some((max, vertex)) = largest else {
            return DegreeProfile::default();
        };
        DegreeProfile {
            mean: self.num_edges() as f64 / f64::from(self.num_vertices()),
            max,
            max_id: Some(self.id_of(vertex)),
            zero: self.count(|vertex| degree(vertex) == 0),
        }
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

/// How many ends of a row lie before, in and after the layer of these vertices.
fn split_row(row: &[u32], first: u32, after: u32) -> [u64; 3] {
    let lateral = row.partition_point(|&end| end < first);
    let forward = row.partition_point(|&end| end < after);
    [lateral as u64, (forward - lateral) as u64, (row.len() - forward) as u64]
}

/// How many edges arrive at each vertex.
fn in_degrees(rows: Rows<'_>) -> Vec<u64> {
    let mut degrees = vec![0; rows.num_vertices() as usize];
    for &end in rows.ends {
        degrees[end as usize] += 1;
    }
    degrees
}
