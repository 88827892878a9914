//! Examines everything that can be verified about a layered graph without its input: all checksums and all invariants
//! of its numbers.
//!
//! Opening a file verifies checksums, order and ranges, and rejects the file at the first fault. Examination does more:
//! it also checks that the breadth-first order of the vertices, the symmetry flags and the in-rows agree with the
//! edges. It continues after a damaged section, so that it reports faults in every part.

use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::breadth_first;
use super::layered_graph::{LayeredGraph, in_rows, out_rows};
use super::rows::Rows;
use super::symmetry::{EdgeValues, symmetry_of};
use crate::progress::{Progress, Stage};
use crate::random;
use crate::store::{self, Contents, PackedColumns, Section, StoreError, WeightColumn};

/// The result of examining a graph: the examined parts, and the faults that were found.
///
/// ```
/// use wolfpath::graph::Examination;
/// use wolfpath::prelude::*;
/// use wolfpath::progress::Progress;
///
/// let examination: Examination = LayeredGraph::from_edges([(17, 5), (5, 6)])?.examine(&Progress::NONE);
/// assert_eq!((examination.vertices, examination.edges), (3, 2));
/// assert!(examination.problems.is_empty());
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Examination {
    /// Number of vertices, as stated in the header.
    pub vertices: u32,
    /// Number of edges, as stated in the header.
    pub edges: u64,
    /// Number of layers, as stated in the header.
    pub layers: u32,
    /// The examined parts, in the order of examination.
    pub parts: Vec<Examined>,
    /// The first fault of each kind; empty if the graph is sound.
    pub problems: Vec<String>,
    /// Checks that were skipped because of earlier faults.
    pub left_out: Vec<&'static str>,
}

/// One part that was examined.
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::progress::Progress;
///
/// for part in LayeredGraph::from_edges([(17, 5), (5, 6)])?.examine(&Progress::NONE).parts {
///     println!("{}: {} bytes in {:?}", part.what, part.bytes, part.took);
/// }
/// # Ok::<(), wolfpath::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Examined {
    /// Name of the part and the conditions that were checked.
    pub what: String,
    /// Number of bytes that were read.
    pub bytes: u64,
    /// Duration of the check.
    pub took: Duration,
}

impl LayeredGraph {
    /// Verifies the whole graph:
    ///
    /// - the checksum of every section;
    /// - that all numbers are in range and in order;
    /// - that the vertices are in the order of a breadth-first forest;
    /// - that the symmetry flags are correct;
    /// - that stored in-rows are the transpose of the out-rows;
    /// - that packed rows contain the ends of the rows;
    /// - that paths have each edge once, in an order that their dependencies allow.
    ///
    /// ```
    /// use wolfpath_core::{graph::LayeredGraph, progress::Progress};
    ///
    /// let graph = LayeredGraph::from_edges([(17, 42), (42, 99)])?;
    /// assert!(graph.examine(&Progress::NONE).problems.is_empty());
    /// # Ok::<(), wolfpath_core::graph::GraphError>(())
    /// ```
    pub fn examine(&self, progress: &Progress) -> Examination {
        examine(&self.data.contents, &self.about.passed_over, progress)
    }

    /// [Examines](Self::examine) a `.wolf` file that may be damaged. [`open_wolf`](Self::open_wolf) stops at the first
    /// fault, whereas this function continues and lists the first fault of each kind.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or if its header, table or key is damaged. In that case the
    /// sections cannot be found.
    ///
    /// ```
    /// use wolfpath::prelude::*;
    /// use wolfpath::progress::Progress;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.wolf");
    /// LayeredGraph::from_edges([(17, 5), (5, 6)])?.write(&path)?;
    /// let mut bytes = std::fs::read(&path)?;
    /// bytes[2 * 4096] ^= 1;
    /// std::fs::write(&path, bytes)?;
    /// assert!(!LayeredGraph::examine_file(&path, &Progress::NONE)?.problems.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn examine_file(path: impl AsRef<Path>, progress: &Progress) -> Result<Examination, StoreError> {
        let found = store::map(path.as_ref())?;
        Ok(examine(&found.contents, &found.passed_over, progress))
    }
}

/// Examines the contents of a file that may be damaged in any way.
pub(super) fn examine(contents: &Contents, passed_over: &[Section], progress: &Progress) -> Examination {
    let done = Examination {
        vertices: contents.vertices,
        edges: contents.edges,
        layers: contents.layers.values().len() as u32 - 1,
        ..Examination::default()
    };
    let mut examiner = Examiner { done, progress };
    progress.begin(Stage::Verify, Some(total_bytes(contents)));
    let vertices = examiner.vertices(contents);
    let edges = vertices && examiner.out_rows(contents);
    let weights = examiner.columns(contents);
    let inward = examiner.in_rows(contents);
    examiner.packed_rows(contents, edges, inward);
    examiner.paths(contents, edges);
    for section in passed_over {
        let what = format!(
            "section {}: checksum only, because this version does not know the section",
            section.name()
        );
        examiner.part(&what, section.bytes().len() as u64, || section.verify());
    }
    if !edges {
        examiner.done.left_out.extend(["the order of vertices", "symmetry", "in-rows against out-rows"]);
        return examiner.done;
    }
    examiner.order(contents, inward);
    examiner.symmetry(contents, weights);
    if let Some(rows) = contents.in_rows.as_ref().filter(|_| inward) {
        examiner.transpose(out_rows(contents), in_rows(rows));
    }
    examiner.done
}

struct Examiner<'a> {
    done: Examination,
    progress: &'a Progress,
}

impl Examiner<'_> {
    /// Examines one part. Returns `false` if it has a fault.
    fn part(&mut self, what: &str, bytes: u64, check: impl FnOnce() -> Result<(), StoreError>) -> bool {
        self.parts(what, bytes, || check().err().map(|error| error.to_string()).into_iter().collect())
    }

    fn parts(&mut self, what: &str, bytes: u64, check: impl FnOnce() -> Vec<String>) -> bool {
        if bytes == 0 {
            return true;
        }
        let began = Instant::now();
        let problems = check();
        self.progress.advance(bytes);
        let right = problems.is_empty();
        self.done.parts.push(Examined { what: what.to_owned(), bytes, took: began.elapsed() });
        self.done.problems.extend(problems);
        right
    }

    /// Examines layers, ids and ranks.
    fn vertices(&mut self, contents: &Contents) -> bool {
        let vertices = u64::from(contents.vertices);
        let layers = size_of_val(contents.layers.values()) as u64;
        let layers = self.part("layers: ascending, ending with the number of vertices", layers, || {
            contents.check_layers()
        });
        let ids = if contents.ids.is_some() { 8 * vertices } else { 0 };
        let ids = self.part("ids: ascending", ids, || contents.check_ids());
        let what = "ranks: each exactly once, the root's first";
        let ranks = self.part(what, 4 * vertices, || contents.check_ranks().map(drop));
        layers && ids && ranks
    }

    fn out_rows(&mut self, contents: &Contents) -> bool {
        let what = "out-rows: ascending, no edge beyond the next layer";
        self.part(what, contents.row_bytes(), || contents.check_edges())
    }

    /// Examines the weights and all other columns.
    fn columns(&mut self, contents: &Contents) -> bool {
        let weights = contents.weights.as_ref().map_or(0, WeightColumn::bytes);
        let mut right = self.part("weights: valid numbers", weights, || contents.check_weights());
        for column in &contents.columns.others {
            let what = format!("column {}: valid numbers", column.name);
            right &= self.part(&what, column.numbers.bytes(), || column.numbers.verify());
        }
        right
    }

    fn in_rows(&mut self, contents: &Contents) -> bool {
        let bytes = contents.in_rows.as_ref().map_or(0, |_| contents.row_bytes());
        self.part("in-rows: ascending, every end is a vertex", bytes, || contents.check_in_rows())
    }

    /// Examines the packed rows of those directions whose rows have no fault.
    fn packed_rows(&mut self, contents: &Contents, out: bool, inward: bool) {
        let bytes = |packed: Option<&PackedColumns>| packed.map_or(0, PackedColumns::bytes);
        let packed_in_rows = bytes(contents.in_rows.as_ref().and_then(|rows| rows.packed.as_ref()));
        if out {
            let what = "packed out-rows: the ends of the out-rows";
            self.part(what, bytes(contents.packed.as_ref()), || contents.check_packed_out_rows());
        } else if contents.packed.is_some() {
            self.done.left_out.push("packed out-rows");
        }
        if inward {
            let what = "packed in-rows: the ends of the in-rows";
            self.part(what, packed_in_rows, || contents.check_packed_in_rows());
        } else if packed_in_rows > 0 {
            self.done.left_out.push("packed in-rows");
        }
    }

    /// Examines the paths, if the out-rows have no fault.
    fn paths(&mut self, contents: &Contents, with_rows: bool) {
        if with_rows {
            let what = "paths: each edge once, in the order of their dependencies";
            self.part(what, contents.path_bytes(), || contents.check_paths());
        } else if contents.paths.is_some() {
            self.done.left_out.push("paths");
        }
    }

    fn order(&mut self, contents: &Contents, with_in_rows: bool) {
        let what = "order: layers of a breadth-first forest, sorted by smallest parent, then id";
        self.parts(what, contents.row_bytes(), || breadth_first::problems(contents, with_in_rows));
    }

    /// Examines the flags that state how symmetric the graph is.
    fn symmetry(&mut self, contents: &Contents, with_weights: bool) {
        if !with_weights {
            self.done.left_out.push("symmetry");
            return;
        }
        let bytes = contents.row_bytes() + contents.weight_bytes();
        self.parts("symmetry: as stated in the header", bytes, || {
            let (found, stated) =
                (symmetry_of(out_rows(contents), &EdgeValues::by(contents)), contents.symmetry);
            let wrong = (found != stated).then(|| {
                format!("the header states the symmetry {stated:?}, but the edges have {found:?}; build the file again")
            });
            wrong.into_iter().collect()
        });
    }

    fn transpose(&mut self, out_rows: Rows<'_>, in_rows: Rows<'_>) {
        let bytes = 2 * (size_of_val(out_rows.offsets) + size_of_val(out_rows.ends)) as u64;
        self.parts("in-rows: the transpose of the out-rows", bytes, || {
            let wrong = !are_transposes(out_rows, in_rows);
            let found = "the in-rows are not the transpose of the out-rows; build the file again";
            wrong.then(|| found.to_owned()).into_iter().collect()
        });
    }
}

/// Returns `true` if the out-rows and the in-rows contain the same edges. The two multisets of edges are compared by
/// the sums of their elements' hashes, which are keyed at random (see `symmetry`). If the multisets are equal and the
/// rows ascend, the in-rows are exactly the transpose of the out-rows.
fn are_transposes(out_rows: Rows<'_>, in_rows: Rows<'_>) -> bool {
    let key = RandomState::new().hash_one(0);
    let edge = |source: u32, target: u32| random::hash(key, u64::from(source) << 32 | u64::from(target));
    let sum = |rows: Rows<'_>, hash: &(dyn Fn(u32, u32) -> u64 + Sync)| {
        let vertices = (0..rows.num_vertices()).into_par_iter().with_min_len(256);
        let row = |v: u32| rows.row(v).iter().fold(0u64, |sum, &end| sum.wrapping_add(hash(v, end)));
        vertices.map(row).reduce(|| 0, u64::wrapping_add)
    };
    sum(out_rows, &edge) == sum(in_rows, &|target, source| edge(source, target))
}

/// Returns the total number of bytes that the checks read if the graph is sound.
fn total_bytes(contents: &Contents) -> u64 {
    let rows = if contents.in_rows.is_some() { 6 } else { 3 };
    contents.vertex_bytes()
        + rows * contents.row_bytes()
        + contents.packed_bytes()
        + contents.path_bytes()
        + 2 * contents.weight_bytes()
}
