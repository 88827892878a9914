//! Graphs that are hard for some schedules: few vertices at a time, many waiting vertices, or values that are improved
//! again and again. There are 200 graphs, the same in every run: ten families, each in two sizes and with ten scales of
//! weights.

use wolfpath::edge_list::EdgeList;
use wolfpath::graph::{LayerOptions, LayeredGraph};

use super::Result;

/// Number of shapes.
pub(crate) const SHAPES: usize = FAMILIES.len() * SIZES.len() * SCALES.len();

/// Edges of a shape: source, target, weight.
type Edges = Vec<(u64, u64, u64)>;

/// Function that generates the edges of a shape with about the given number of vertices, all reachable from vertex 0.
/// Weights are at least 1, and at most about twice the number of vertices.
type Family = fn(u64) -> Edges;

const FAMILIES: [(&str, Family); 10] = [
    ("fan", fan),
    ("fan back", fan_back),
    ("comb", comb),
    ("chords", chords),
    ("staircase", staircase),
    ("funnel", funnel),
    ("rays", rays),
    ("long rays", long_rays),
    ("star", star),
    ("ladder", ladder),
];

const SIZES: [u64; 2] = [20_000, 200_000];

/// Type of a shape's weights and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    U32,
    U64,
    F32,
    F64,
}

/// Scales of weights: the factor of each weight, the spread (weights are multiplied by a random number from 1 to 1 +
/// spread), and the type. No weight is much larger than 2^31, and no sum overflows the type.
const SCALES: [(f64, u64, Number); 10] = [
    (1.0, 0, Number::U32),
    (1.0, 0, Number::F32),
    (1.0, 3, Number::U64),
    (10.0, 9, Number::F64),
    (7.0, 0, Number::U32),
    (1000.0, 99, Number::U64),
    (0.125, 0, Number::F64),
    (0.001, 9, Number::F32),
    (16_384.0, 0, Number::U64),
    (16_384.0, 1, Number::F64),
];

/// One of the 200 graphs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    family: (&'static str, Family),
    vertices: u64,
    scale: f64,
    spread: u64,
    /// Type of its weights.
    pub(crate) number: Number,
}

impl Shape {
    /// Returns all shapes, with sizes divided by `divisor`.
    pub(crate) fn all(divisor: u64) -> Vec<Shape> {
        let mut all = Vec::with_capacity(SHAPES);
        for family in FAMILIES {
            for vertices in SIZES.map(|vertices| vertices / divisor) {
                all.extend(SCALES.map(|(scale, spread, number)| Shape {
                    family,
                    vertices,
                    scale,
                    spread,
                    number,
                }));
            }
        }
        all
    }

    /// Returns the shape's name, which is unique.
    pub(crate) fn name(&self) -> String {
        let Shape { family, vertices, scale, spread, number } = self;
        format!("{} {vertices} x {scale}..{} {number:?}", family.0, scale * (1 + spread) as f64)
    }

    /// Builds the graph.
    pub(crate) fn make(&self) -> Result<LayeredGraph> {
        let edges = (self.family.1)(self.vertices);
        let spread = |at: usize| 1 + random(at as u64) % (1 + self.spread);
        let scaled = edges.iter().enumerate().map(|(at, &(source, target, weight))| {
            (source, target, (weight * spread(at)) as f64 * self.scale)
        });
        let list = match self.number {
            Number::U32 | Number::U64 => {
                EdgeList::from_weighted_edges(scaled.map(|(source, target, w)| (source, target, w as u64)))
            }
            Number::F32 => {
                EdgeList::from_weighted_edges(scaled.map(|(source, target, w)| (source, target, w as f32)))
            }
            Number::F64 => EdgeList::from_weighted_edges(scaled),
        }?;
        Ok(LayeredGraph::from_edge_list(list, &LayerOptions::new().root(0))?)
    }
}

/// Returns a pseudo-random number for a counter: the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
fn random(counter: u64) -> u64 {
    let mut bits = counter.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

fn path(from: u64, to: u64) -> impl Iterator<Item = (u64, u64, u64)> {
    (from..to).map(|v| (v, v + 1, 1))
}

/// Returns a path, with a worse edge from its first vertex to every other vertex. Edges to earlier vertices are worse
/// than edges to later ones.
fn fan(n: u64) -> Edges {
    path(0, n - 1).chain((2..n).map(|v| (0, v, 2 * n - v))).collect()
}

/// Returns a path, with a worse edge from its first vertex to every other vertex. Edges to later vertices are worse
/// than edges to earlier ones.
fn fan_back(n: u64) -> Edges {
    path(0, n - 1).chain((2..n).map(|v| (0, v, n + v))).collect()
}

/// Returns a path where every tenth vertex has a tooth: a long edge to a path of nine vertices.
fn comb(n: u64) -> Edges {
    let spine = n / 10;
    let tooth = |v: u64| {
        let first = spine + 9 * v;
        std::iter::once((v, first, 1 + random(v) % n)).chain(path(first, first + 8))
    };
    path(0, spine - 1).chain((0..spine).flat_map(tooth)).collect()
}

/// Returns a path with shortcuts over a hundred vertices. Each shortcut is worse than the path, by less the later it
/// starts.
fn chords(n: u64) -> Edges {
    let chord = |v: u64| (v, (v + 100).min(n - 1), 101 + (n - v) / 8);
    path(0, n - 1).chain((0..n - 1).map(chord)).collect()
}

/// Returns a path with shortcuts over 2, 4, 8, ... vertices, each a little worse than the path.
fn staircase(n: u64) -> Edges {
    let shortcuts = (0..n - 1).flat_map(move |v| {
        let lengths = (1..=v.trailing_zeros().min(12)).map(|power| 1u64 << power);
        lengths.filter(move |length| v + length < n).map(move |length| (v, v + length, length + 1))
    });
    path(0, n - 1).chain(shortcuts).collect()
}

/// Returns two paths, with an edge from every vertex of the first path to the beginning of the second. Each of these
/// edges is a little better than those before, so a frontier improves the whole second path again and again.
fn funnel(n: u64) -> Edges {
    // Every vertex of the first path improves the whole second path. The limit keeps a frontier at about a second.
    let first = (n / 2).min(6_000);
    path(0, first - 1)
        .chain((0..first).map(|v| (v, first, 3 * first - 2 * v)))
        .chain(path(first, n - 1))
        .collect()
}

/// Returns short paths from one vertex, whose first edges have random lengths.
fn rays(n: u64) -> Edges {
    rays_of(n, 10)
}

/// Returns paths of a thousand vertices from one vertex, whose first edges have random lengths.
fn long_rays(n: u64) -> Edges {
    rays_of(n, 1_000.min(n / 4))
}

fn rays_of(n: u64, length: u64) -> Edges {
    let ray = |ray: u64| {
        let first = 1 + ray * length;
        std::iter::once((0, first, 1 + random(ray) % (2 * n))).chain(path(first, first + length - 1))
    };
    (0..n / length).flat_map(ray).collect()
}

/// Returns a star whose leaves are the hubs of other stars, with edges of random lengths.
fn star(n: u64) -> Edges {
    let hubs = 1 + n / 1_000;
    let first = (1..=hubs).map(|hub| (0, hub, 1 + random(hub) % (2 * n)));
    first.chain((hubs + 1..n).map(|v| (1 + v % hubs, v, 1 + random(v) % (2 * n)))).collect()
}

/// Returns two paths with rungs in both directions: one starts near and has long edges, the other starts late and has
/// short edges.
fn ladder(n: u64) -> Edges {
    let half = n / 2;
    let near = (0..half - 1).map(|v| (v, v + 1, 1 + random(v) % 64));
    let far = path(half, 2 * half - 1);
    let rungs = (0..half).flat_map(|v| [(v, half + v, half + random(half + v) % half), (half + v, v, 1)]);
    near.chain(far).chain(rungs).collect()
}
