//! [`LayeredGraph`]: what engines and users hold.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::apart::apart;
use super::build::Layered;
use super::rows::{OwnedRows, Rows};
use super::weighting::Weighting;
use crate::progress::Progress;
use crate::store::{self, Contents, InRows, Section, StoreError, Stored};
use crate::weights::WeightSlice;

/// A graph stored layer by layer. Cloning shares everything.
///
/// A graph opened from a `.wolf` file is verified when it is first used: the functions that return a `Result` refuse
/// a damaged file. Those that return none are safe to call at any time; over a damaged file they act as if the
/// vertices' ids were their indices in one layer, and [`out_edges`](Self::out_edges), which everything that runs
/// must call, says what is wrong.
#[derive(Clone, Debug)]
pub struct LayeredGraph {
    pub(super) shape: Arc<Shape>,
    pub(super) weighting: Arc<Weighting>,
    pub(super) about: Arc<About>,
}

/// Where a graph came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Edges in memory.
    Memory,
    /// A `.wolf` file that the user named.
    File(PathBuf),
    /// A `.wolf` file kept from an earlier run over the same input.
    Cache(PathBuf),
    /// An input that was read and layered just now.
    Input {
        /// The input.
        input: PathBuf,
        /// Where the layered graph was kept for the next time, if it was.
        kept: Option<PathBuf>,
    },
}

#[derive(Debug)]
pub(super) struct About {
    notes: Vec<String>,
    origin: Origin,
    /// Sections of its file that this program does not know and need not.
    pub(super) passed_over: Vec<Section>,
}

/// The graph itself and what was derived from it on demand.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) contents: Contents,
    /// How to make the contents anew when the cache file they lie in turns out to be damaged.
    repair: Option<Repair>,
    ready: OnceLock<Result<Ready, StoreError>>,
    /// Checked weights: `None` for the stored ones, else contents made anew.
    weights: OnceLock<Result<Option<Contents>, StoreError>>,
    /// The same for each further column.
    pub(super) columns: Vec<OnceLock<Result<Option<Box<Contents>>, StoreError>>>,
    ids: OnceLock<Vec<u64>>,
    in_edges: OnceLock<Result<InEdges, StoreError>>,
    stand_in: OnceLock<StandIn>,
    late_notes: OnceLock<Vec<String>>,
}

/// Makes a graph anew from its input.
pub(super) struct Repair(pub(super) Box<dyn Fn() -> Option<Contents> + Send + Sync>);

impl fmt::Debug for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Repair")
    }
}

/// Vertices and edges that were checked.
#[derive(Debug)]
struct Ready {
    /// The internal index of each rank.
    by_rank: Vec<u32>,
    /// Used instead of the stored ones, which were damaged.
    rebuilt: Option<Contents>,
}

/// In-rows that were asked for.
#[derive(Debug)]
enum InEdges {
    /// Those of the contents, checked.
    Stored,
    /// Turned round just now.
    Made(OwnedRows),
    /// Those of contents made anew.
    Rebuilt(Box<Contents>),
}

/// What accessors without a `Result` show of a damaged file.
#[derive(Debug)]
struct StandIn {
    layers: Vec<u32>,
    ranks: Vec<u32>,
}

impl Shape {
    /// The checked vertices and edges, and the internal index of each rank.
    pub(super) fn ready(&self) -> Result<(&Contents, &[u32]), &StoreError> {
        let ready =
            self.ready.get_or_init(|| match apart(self.size(), || checked_structure(&self.contents)) {
                Ok(by_rank) => Ok(Ready { by_rank, rebuilt: None }),
                Err(error) => {
                    let rebuilt = self.rebuilt(&error)?;
                    let by_rank = apart(self.size(), || rebuilt.by_rank());
                    Ok(Ready { by_rank, rebuilt: Some(rebuilt) })
                }
            });
        let ready = ready.as_ref()?;
        Ok((ready.rebuilt.as_ref().unwrap_or(&self.contents), &ready.by_rank))
    }

    /// Vertices and edges: how much work there is to share.
    pub(super) fn size(&self) -> u64 {
        u64::from(self.contents.vertices) + self.contents.edges
    }

    /// The same graph from its input again, when this one lies in a damaged cache file; else the error. An input
    /// that has become another graph since cannot stand in: sizes were already told.
    pub(super) fn rebuilt(&self, error: &StoreError) -> Result<Contents, StoreError> {
        let rebuilt =
            self.repair.as_ref().and_then(|repair| apart(self.size(), || repair.0())).filter(|rebuilt| {
                let old = &self.contents;
                (rebuilt.vertices, rebuilt.edges, rebuilt.root) == (old.vertices, old.edges, old.root)
                    && rebuilt.column_names() == old.column_names()
            });
        rebuilt.ok_or_else(|| error.clone())
    }

    fn stand_in(&self) -> &StandIn {
        self.stand_in.get_or_init(|| {
            let vertices = self.contents.vertices;
            let layers = if vertices == 0 { vec![0] } else { vec![0, vertices] };
            StandIn { layers, ranks: (0..vertices).collect() }
        })
    }

    /// The stored weights in the order of out-rows.
    pub(super) fn checked_weights(&self) -> Result<Option<WeightSlice<'_>>, StoreError> {
        let (contents, _) = self.ready().map_err(StoreError::clone)?;
        let weights = self.weights.get_or_init(|| match apart(self.size(), || contents.check_weights()) {
            Ok(()) => Ok(None),
            Err(error) => self.rebuilt(&error).map(Some),
        });
        let contents = weights.as_ref().map_err(StoreError::clone)?.as_ref().unwrap_or(contents);
        Ok(contents.weights.as_ref().map(|weights| weights.slice()))
    }

    /// The in-rows of a graph whose out-rows do not serve: stored, checked at the first call, or made then.
    fn checked_in_edges(&self) -> Result<Rows<'_>, StoreError> {
        let (contents, _) = self.ready().map_err(StoreError::clone)?;
        let made = self.in_edges.get_or_init(|| apart(self.size(), || self.make_in_edges(contents)));
        let rows = match made.as_ref().map_err(StoreError::clone)? {
            InEdges::Made(rows) => return Ok(rows.rows()),
            InEdges::Stored => contents,
            InEdges::Rebuilt(contents) => contents,
        };
        Ok(rows.in_rows.as_ref().map_or(out_rows(rows), in_rows))
    }

    fn make_in_edges(&self, contents: &Contents) -> Result<InEdges, StoreError> {
        if contents.in_rows.is_none() {
            return Ok(InEdges::Made(transposed(contents)?));
        }
        if !contents.is_mapped() {
            return Ok(InEdges::Stored);
        }
        match contents.check_in_rows() {
            Ok(()) => Ok(InEdges::Stored),
            Err(error) => {
                let rebuilt = self.rebuilt(&error)?;
                if rebuilt.in_rows.is_none() {
                    return Ok(InEdges::Made(transposed(contents)?));
                }
                Ok(InEdges::Rebuilt(Box::new(rebuilt)))
            }
        }
    }

    /// The contents that replaced damaged ones.
    fn rebuilt_contents(&self) -> Option<&Contents> {
        let structure = self.ready.get().and_then(|ready| ready.as_ref().ok()?.rebuilt.as_ref());
        let weights = || self.weights.get().and_then(|weights| weights.as_ref().ok()?.as_ref());
        let in_rows = || match self.in_edges.get()? {
            Ok(InEdges::Rebuilt(contents)) => Some(&**contents),
            _ => None,
        };
        let columns = || {
            let mut replaced =
                self.columns.iter().filter_map(|column| column.get()?.as_ref().ok()?.as_deref());
            replaced.next()
        };
        structure.or_else(weights).or_else(in_rows).or_else(columns)
    }

    /// Whether a damaged cache file had to be replaced.
    fn was_repaired(&self) -> bool {
        self.rebuilt_contents().is_some()
    }
}

/// The out-rows of contents.
pub(super) fn out_rows(contents: &Contents) -> Rows<'_> {
    Rows { offsets: contents.offsets.values(), ends: contents.ends.values() }
}

/// The in-rows of contents, made of their out-rows.
fn transposed(contents: &Contents) -> Result<OwnedRows, StoreError> {
    let turned = out_rows(contents).transposed();
    turned.map_err(|error| StoreError::Space { reason: error.to_string() })
}

/// In-rows as rows.
pub(super) fn in_rows(rows: &InRows) -> Rows<'_> {
    Rows { offsets: rows.offsets.values(), ends: rows.ends.values() }
}

/// Checks vertices, then edges, unless they were made in this process.
fn checked_structure(contents: &Contents) -> Result<Vec<u32>, StoreError> {
    if !contents.is_mapped() {
        return Ok(contents.by_rank());
    }
    let by_rank = contents.check_vertices()?;
    contents.check_edges()?;
    Ok(by_rank)
}

impl LayeredGraph {
    /// A graph that was layered just now.
    pub(super) fn made(layered: Layered, origin: Origin) -> LayeredGraph {
        let Layered { contents, by_rank, notes } = layered;
        let graph = LayeredGraph::of(contents, About { notes, origin, passed_over: Vec::new() }, None);
        // Nobody has asked yet, so there is nothing to be replaced; and what was just made need not be checked.
        let _ = graph.shape.ready.set(Ok(Ready { by_rank, rebuilt: None }));
        let _ = graph.shape.weights.set(Ok(None));
        graph.shape.columns.iter().for_each(|column| drop(column.set(Ok(None))));
        graph
    }

    /// A graph of any contents, right or wrong.
    #[cfg(test)]
    pub(super) fn of_contents(contents: Contents) -> LayeredGraph {
        let about = About { notes: Vec::new(), origin: Origin::Memory, passed_over: Vec::new() };
        LayeredGraph::of(contents, about, None)
    }

    /// A graph in a file that was opened.
    pub(super) fn stored(
        stored: Stored,
        notes: Vec<String>,
        origin: Origin,
        repair: Option<Repair>,
    ) -> LayeredGraph {
        LayeredGraph::of(stored.contents, About { notes, origin, passed_over: stored.passed_over }, repair)
    }

    fn of(contents: Contents, about: About, repair: Option<Repair>) -> LayeredGraph {
        let others = &contents.columns.others;
        let shape = Shape {
            columns: others.iter().map(|_| OnceLock::new()).collect(),
            contents,
            repair,
            ready: OnceLock::new(),
            weights: OnceLock::new(),
            ids: OnceLock::new(),
            in_edges: OnceLock::new(),
            stand_in: OnceLock::new(),
            late_notes: OnceLock::new(),
        };
        LayeredGraph { shape: Arc::new(shape), weighting: Arc::default(), about: Arc::new(about) }
    }

    /// Writes the graph, with the weights of its input, to a `.wolf` file. The file appears whole or not at all.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), StoreError> {
        self.write_with(path, &Progress::NONE)
    }

    /// [`write`](Self::write), telling how it goes on.
    pub fn write_with(&self, path: impl AsRef<Path>, progress: &Progress) -> Result<(), StoreError> {
        self.check()?;
        let contents = self.shape.rebuilt_contents().unwrap_or(&self.shape.contents);
        store::write(contents, "", &self.about.notes, path.as_ref(), progress)
    }

    /// Reads and verifies every section of the graph's `.wolf` file, now instead of at first use: checksums, and
    /// that all numbers are in range and in order. [`examine`](Self::examine) looks for more.
    pub fn check(&self) -> Result<(), StoreError> {
        (0..self.shape.columns()).try_for_each(|at| self.shape.checked_column(at).map(drop))?;
        if self.shape.contents.in_rows.is_some() {
            self.shape.checked_in_edges()?;
        }
        Ok(())
    }

    /// What a user should know about how the graph came to be, one line each.
    pub fn notes(&self) -> &[String] {
        if !self.shape.was_repaired() {
            return &self.about.notes;
        }
        self.shape.late_notes.get_or_init(|| {
            let damaged =
                "the file kept from an earlier run was damaged: the graph was read and layered again";
            self.about.notes.iter().cloned().chain([damaged.to_owned()]).collect()
        })
    }

    /// Where the graph came from.
    pub fn opened_from(&self) -> &Origin {
        &self.about.origin
    }

    /// How many vertices there are.
    pub fn num_vertices(&self) -> u32 {
        self.shape.contents.vertices
    }

    /// How many edges there are; each direction of an undirected edge counts.
    pub fn num_edges(&self) -> u64 {
        self.shape.contents.edges
    }

    /// How many layers there are.
    pub fn num_layers(&self) -> u32 {
        self.layer_offsets().len() as u32 - 1
    }

    /// Where each layer begins among the vertices, and the number of vertices.
    pub fn layer_offsets(&self) -> &[u32] {
        match self.shape.ready() {
            Ok((contents, _)) => contents.layers.values(),
            Err(_) => &self.shape.stand_in().layers,
        }
    }

    /// The id of the root; `None` for a graph without vertices.
    pub fn root(&self) -> Option<u64> {
        self.shape.contents.root
    }

    /// Why that vertex is the root.
    pub fn root_reason(&self) -> &str {
        &self.shape.contents.reason
    }

    /// How many layers the root's own tree has: one more than the steps of an unweighted traversal from it.
    pub fn root_layers(&self) -> u32 {
        self.shape.contents.root_layers
    }

    /// The edges of every source, row after row. Within a row the targets ascend: backward edges (to earlier
    /// layers), then lateral, then forward ones.
    pub fn out_edges(&self) -> Result<Rows<'_>, StoreError> {
        let (contents, _) = self.shape.ready().map_err(StoreError::clone)?;
        Ok(out_rows(contents))
    }

    /// The edges of every target, row after row, sources ascending. A symmetric graph's are its out-rows; others are
    /// stored, or made at the first call.
    pub fn in_edges(&self) -> Result<Rows<'_>, StoreError> {
        let rows = self.out_edges()?;
        if self.shape.contents.symmetry.edges {
            return Ok(rows);
        }
        self.shape.checked_in_edges()
    }

    /// Whether [`in_edges`](Self::in_edges) costs nothing, or one pass over a file: it was called before, in-rows are
    /// stored, or the graph is symmetric.
    pub fn has_in_edges(&self) -> bool {
        let contents = &self.shape.contents;
        contents.symmetry.edges || contents.in_rows.is_some() || self.shape.in_edges.get().is_some()
    }

    /// The user's id of a vertex.
    ///
    /// # Panics
    /// When there is no such vertex.
    #[inline]
    pub fn id_of(&self, vertex: u32) -> u64 {
        match self.shape.ready() {
            Ok((contents, _)) => contents.id_of_rank(contents.ranks.values()[vertex as usize]),
            Err(_) => vertex.into(),
        }
    }

    /// The vertex with this id, if there is one.
    pub fn vertex_of(&self, id: u64) -> Option<u32> {
        let (contents, by_rank) = self.shape.ready().ok()?;
        contents.rank_of_id(id).map(|rank| by_rank[rank as usize])
    }

    /// The rank of a vertex: its place by ascending id, the `index` that programs see.
    ///
    /// # Panics
    /// When there is no such vertex.
    #[inline]
    pub fn rank_of(&self, vertex: u32) -> u32 {
        self.ranks()[vertex as usize]
    }

    /// The ranks of all vertices.
    pub fn ranks(&self) -> &[u32] {
        match self.shape.ready() {
            Ok((contents, _)) => contents.ranks.values(),
            Err(_) => &self.shape.stand_in().ranks,
        }
    }

    /// The vertices by rank, hence by ascending id.
    pub fn by_rank(&self) -> &[u32] {
        match self.shape.ready() {
            Ok((_, by_rank)) => by_rank,
            Err(_) => &self.shape.stand_in().ranks,
        }
    }

    /// The ids of all vertices, in layered order. Made at the first call.
    pub fn ids(&self) -> &[u64] {
        self.shape.ids.get_or_init(|| {
            let vertices = (0..self.num_vertices()).into_par_iter();
            apart(self.shape.size(), || vertices.map(|vertex| self.id_of(vertex)).collect())
        })
    }
}
