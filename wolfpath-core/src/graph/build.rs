//! Layering: from edges in input order to rows in layered order.

use std::num::NonZeroU8;
use std::ops::Range;

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::error::{GraphError, LayerError};
use super::forest::Forest;
use super::layered_graph::{LayeredGraph, Origin};
use super::packing::{self, packed};
use super::paths::decomposed;
use super::root::{self, Root};
use super::rows::{End, Ordered, OwnedRows, Payload, Room, Rows, ordered};
use super::search::Search;
use super::shuffled::shuffled;
use super::size::BuildSize;
use super::symmetry::{EdgeValues, symmetry_of};
use crate::edge_list::{EdgeList, Symmetry};
use crate::partition::{Partition, Records};
use crate::progress::Stage;
use crate::resources::Resources;
use crate::space::{Array, Space, SpaceError};
use crate::store::{Column, Contents, InRows, SymmetryFlags, WeightColumn};
use crate::weights::{Columns, Named, WeightBits, WeightNumber, Weights};

/// Options for layering edges.
///
/// ```
/// use wolfpath::prelude::*;
/// use wolfpath::edge_list::EdgeList;
///
/// let edges = EdgeList::from_edges([(5, 6), (17, 5)])?;
/// let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::new().root(17))?;
/// assert_eq!(graph.root(), Some(17));
/// assert_eq!(graph.ids(), [17, 5, 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LayerOptions {
    pub(crate) root: Option<u64>,
    pub(crate) in_edges: bool,
    pub(crate) packed: Option<bool>,
    pub(crate) shuffled: Option<u64>,
    pub(crate) paths: Option<NonZeroU8>,
}

impl Default for LayerOptions {
    fn default() -> LayerOptions {
        LayerOptions { root: None, in_edges: true, packed: None, shuffled: None, paths: None }
    }
}

impl LayerOptions {
    /// Returns the defaults: a fixed rule chooses the root, in-edges are stored alongside the out-edges, and rows are
    /// also stored in packed form where that saves a quarter.
    pub fn new() -> LayerOptions {
        LayerOptions::default()
    }

    /// Sets the id of the root. By default, a fixed rule chooses a vertex; [`LayeredGraph::root_reason`] returns the
    /// reason for the choice.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    /// use wolfpath::prelude::*;
    ///
    /// let list = EdgeList::from_edges([(1, 2), (2, 1), (2, 3)])?;
    /// let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().root(1))?;
    /// assert_eq!((graph.root(), graph.root_reason()), (Some(1), "requested"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn root(mut self, id: impl Into<Option<u64>>) -> LayerOptions {
        self.root = id.into();
        self
    }

    /// Sets whether the in-edges of a directed graph are stored alongside its out-edges, in memory and in files.
    /// Defaults to `true`. With `false` they are computed at first use. A symmetric graph needs no separate in-edges.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    /// use wolfpath::prelude::*;
    ///
    /// let list = EdgeList::from_edges([(1, 2), (2, 3)])?;
    /// let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().in_edges(false))?;
    /// assert!(!graph.has_in_edges());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_edges(mut self, keep: bool) -> LayerOptions {
        self.in_edges = keep;
        self
    }

    /// Sets whether rows are also stored in packed form ([`PackedRows`](super::PackedRows)), in memory and in files, for
    /// devices that are too small for the graph. With `None`, the default, the rows of a direction are packed if that
    /// saves at least a quarter of the bytes of their ends in a file. The positions of the packed rows count, and so
    /// does padding to whole pages.
    ///
    /// ```
    /// use wolfpath::edge_list::EdgeList;
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    ///
    /// let list = EdgeList::from_edges([(1, 2), (2, 3)])?;
    /// let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().packed(true))?;
    /// assert!(graph.packed_rows(Direction::Out)?.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn packed(mut self, packed: impl Into<Option<bool>>) -> LayerOptions {
        self.packed = packed.into();
        self
    }

    /// Sets whether edge-disjoint [paths](super::Paths) are stored, in memory and in files, and the largest number of their edges.
    /// If they are not stored, [`LayeredGraph::paths`] computes them. By default they are not.
    ///
    /// ```
    /// use std::num::NonZeroU8;
    /// use wolfpath::edge_list::EdgeList;
    /// use wolfpath::graph::Paths;
    /// use wolfpath::prelude::*;
    ///
    /// let list = EdgeList::from_edges([(1, 2), (2, 3), (3, 4)])?;
    /// let graph = LayeredGraph::from_edge_list(list.clone(), &LayerOptions::new().paths(Paths::USUAL_LIMIT))?;
    /// assert_eq!((graph.stores_paths(), graph.paths()?.num_paths()), (true, 1));
    /// let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().paths(NonZeroU8::new(2)))?;
    /// assert_eq!(graph.paths()?.num_paths(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn paths(mut self, longest: impl Into<Option<NonZeroU8>>) -> LayerOptions {
        self.paths = longest.into();
        self
    }

    /// Sets the seed of a random vertex order, which replaces the layered order. All vertices except the root are then
    /// in one layer. Answers are the same in any order, so this option serves to measure the benefit of layered order.
    /// Defaults to `None`, the layered order.
    #[doc(hidden)]
    #[must_use]
    pub fn shuffled(mut self, seed: impl Into<Option<u64>>) -> LayerOptions {
        self.shuffled = seed.into();
        self
    }
}

impl LayeredGraph {
    /// Builds a graph without weights from edges given as (source id, target id).
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edges([(17, 5), (5, 6)])?;
    /// assert_eq!((graph.num_vertices(), graph.num_layers()), (3, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_edges(edges: impl IntoIterator<Item = (u64, u64)>) -> Result<LayeredGraph, GraphError> {
        LayeredGraph::from_edge_list(EdgeList::from_edges(edges)?, &LayerOptions::default())
    }

    /// Builds a graph with weights from edges given as (source id, target id, weight).
    ///
    /// ```
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_weighted_edges([(17, 5, 10), (17, 6, 1)])?;
    /// assert!(graph.has_weights());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_weighted_edges<W: WeightNumber>(
        edges: impl IntoIterator<Item = (u64, u64, W)>,
    ) -> Result<LayeredGraph, GraphError> {
        LayeredGraph::from_edge_list(EdgeList::from_weighted_edges(edges)?, &LayerOptions::default())
    }

    /// Layers an edge list.
    ///
    /// ```
    /// use wolfpath::generate;
    /// use wolfpath::prelude::*;
    ///
    /// let graph = LayeredGraph::from_edge_list(generate::grid(10, 10, 1)?, &LayerOptions::new())?;
    /// assert_eq!(graph.num_vertices(), 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_edge_list(edges: EdgeList, options: &LayerOptions) -> Result<LayeredGraph, GraphError> {
        LayeredGraph::from_edge_list_with(edges, options, &Resources::default())
    }

    /// Layers an edge list within the given resources.
    ///
    /// ```
    /// use wolfpath::generate;
    /// use wolfpath::prelude::*;
    /// use wolfpath::resources::Resources;
    ///
    /// let (edges, resources) = (generate::grid(10, 10, 1)?, Resources::new().memory(1 << 30));
    /// let graph = LayeredGraph::from_edge_list_with(edges, &LayerOptions::new(), &resources)?;
    /// assert_eq!(graph.num_vertices(), 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_edge_list_with(
        edges: EdgeList,
        options: &LayerOptions,
        resources: &Resources,
    ) -> Result<LayeredGraph, GraphError> {
        let layered = layer(edges, options, resources)?;
        Ok(LayeredGraph::made(layered, Origin::Memory))
    }
}

/// A layered graph, with notes to the user about how it was built.
pub(super) struct Layered {
    pub(super) contents: Contents,
    /// The internal index of each rank.
    pub(super) by_rank: Vec<u32>,
    pub(super) notes: Vec<String>,
}

/// Layers an edge list.
pub(super) fn layer(
    mut edges: EdgeList,
    options: &LayerOptions,
    resources: &Resources,
) -> Result<Layered, LayerError> {
    let (weights, columns) = edges.take_weights();
    let (weights, columns) = (weights.map(Weights::for_graph), columns.map(Weights::for_graph));
    let carry = Carry { options, resources, column_bytes: 0 };
    if !columns.others.is_empty() {
        return layer_columns(edges, columns.all(weights), carry);
    }
    let named = |weights| (Some(weights), Columns { weight_name: columns.weight_name, others: Vec::new() });
    match weights {
        None => {
            let nothing = vec![(); edges.num_lines() as usize];
            layer_with(edges, nothing.into(), |_, _| Ok((None, Columns::default())), carry)
        }
        Some(weights) => {
            let kind = weights.kind();
            // Layering only moves weights, so their types are handled as plain bits of four widths.
            match weights.into_bits() {
                WeightBits::Byte(bits) => {
                    let typed =
                        |bits, _: &Space| Ok(named(WeightColumn::Owned(kind, WeightBits::Byte(bits))));
                    layer_with(edges, bits, typed, carry)
                }
                WeightBits::Half(bits) => {
                    let typed =
                        |bits, _: &Space| Ok(named(WeightColumn::Owned(kind, WeightBits::Half(bits))));
                    layer_with(edges, bits, typed, carry)
                }
                WeightBits::Narrow(bits) => {
                    let typed =
                        |bits, _: &Space| Ok(named(WeightColumn::Owned(kind, WeightBits::Narrow(bits))));
                    layer_with(edges, bits, typed, carry)
                }
                WeightBits::Wide(bits) => {
                    let typed =
                        |bits, _: &Space| Ok(named(WeightColumn::Owned(kind, WeightBits::Wide(bits))));
                    layer_with(edges, bits, typed, carry)
                }
            }
        }
    }
}

/// Layers edges with several columns. While the edges are ordered, each edge carries only the number of its line. The
/// columns are then gathered by these line numbers.
fn layer_columns(
    edges: EdgeList,
    columns: Vec<Named<Weights>>,
    carry: Carry<'_>,
) -> Result<Layered, LayerError> {
    let lines = edges.num_lines();
    let column_bytes = columns.iter().map(|column| column.numbers.kind().size() as u64).sum();
    let carry = Carry { column_bytes, ..carry };
    match u32::try_from(lines) {
        Ok(lines) => {
            let lines: Vec<u32> = (0..lines).into_par_iter().collect();
            layer_with(edges, lines.into(), |lines, space| fetched(columns, &lines, space), carry)
        }
        Err(_) => {
            let lines: Vec<u64> = (0..lines).into_par_iter().collect();
            layer_with(edges, lines.into(), |lines, space| fetched(columns, &lines, space), carry)
        }
    }
}

/// Returns every column, with its numbers in the order of the line numbers in `lines`.
fn fetched<L: Copy + Into<u64> + Sync>(
    columns: Vec<Named<Weights>>,
    lines: &[L],
    space: &Space,
) -> Result<EdgeData, SpaceError> {
    let mut made = Vec::with_capacity(columns.len());
    for Named { name, numbers } in columns {
        let kind = numbers.kind();
        // The input's copy of each column is freed before the next column is gathered.
        let bits = match numbers.into_bits() {
            WeightBits::Byte(bits) => WeightBits::Byte(fetched_bits(&bits, lines, space)?),
            WeightBits::Half(bits) => WeightBits::Half(fetched_bits(&bits, lines, space)?),
            WeightBits::Narrow(bits) => WeightBits::Narrow(fetched_bits(&bits, lines, space)?),
            WeightBits::Wide(bits) => WeightBits::Wide(fetched_bits(&bits, lines, space)?),
        };
        made.push(Named { name, numbers: WeightColumn::Owned(kind, bits) });
    }
    Ok(Columns::assembled(made))
}

fn fetched_bits<T: Copy + Zeroable + Send + Sync, L: Copy + Into<u64> + Sync>(
    bits: &[T],
    lines: &[L],
    space: &Space,
) -> Result<Array<T>, SpaceError> {
    let mut made: Array<T> = space.zeroed(lines.len())?;
    let places = made.par_iter_mut().zip(lines).with_min_len(1 << 12);
    places.for_each(|(place, &line)| *place = bits[line.into() as usize]);
    Ok(made)
}

/// The weights and the other columns of all edges.
type EdgeData = (Option<WeightColumn>, Columns<WeightColumn>);

/// Arguments of layering: the options, the resources, and the size of the columns that are gathered after the edges
/// have been ordered.
#[derive(Clone, Copy)]
struct Carry<'a> {
    options: &'a LayerOptions,
    resources: &'a Resources,
    /// Size of these columns per edge, in bytes.
    column_bytes: u64,
}

fn layer_with<W: Payload>(
    edges: EdgeList,
    weights: Array<W>,
    typed: impl FnOnce(Array<W>, &Space) -> Result<EdgeData, SpaceError>,
    carry: Carry<'_>,
) -> Result<Layered, LayerError> {
    let Carry { options, resources, column_bytes } = carry;
    let (vertices, number) = (edges.num_vertices(), edges.num_edges());
    let both_ways = edges.symmetry();
    let progress = &resources.progress;
    let size = BuildSize {
        lines: edges.num_lines(),
        edges: number,
        vertices: vertices.into(),
        weight_bytes: size_of::<W>() as u64,
        column_bytes,
        directed: !edges.is_symmetric(),
        packed_bytes: packing::most_bytes(options.packed),
        has_paths: options.paths.is_some(),
    };
    // The lines are already in memory, and the system's figure for available memory already excludes them. If that
    // figure is the limit, they must therefore not be counted again.
    let held = if resources.memory.is_none() { size.held() } else { 0 };
    let space =
        &resources.space_for(size.peak().saturating_sub(held), size.peak_on_disk().saturating_sub(held))?;
    let room = Room { space, progress };
    let both = if edges.is_symmetric() { number } else { 2 * number };
    progress.begin(Stage::Group, Some(both));
    let (grouped, list) = Grouped::new(edges, weights, room)?;
    progress.begin(Stage::Order, Some(vertices.into()));
    let ids = list.ids();
    let (out, into) = (grouped.out_rows(), grouped.in_rows());
    let search = Search::new(out, into, progress);
    let root = match options.root {
        Some(id) => Some(Root::requested(id, ids.rank(id))?),
        None => {
            let Ok(root) = root::choose(&search, |rank| ids.id(rank));
            root
        }
    };
    let rank = root.as_ref().map(|root| root.rank);
    let forest = match options.shuffled {
        None => Forest::grow(search, rank),
        Some(seed) => shuffled(out, rank, seed),
    };
    progress.begin(Stage::Rows, Some(both));
    let (out, transposed) = grouped.into_parts();
    let Ordered { rows: out, duplicates } =
        ordered(out, &forest.order, &forest.places, Some(forest.degrees), room)?;
    let transposed = transposed
        .map(|transposed| ordered(transposed, &forest.order, &forest.places, None, room))
        .transpose()?;
    let transposed = transposed.map(|transposed| transposed.rows);
    let (weights, columns) = typed(out.weights, space)?;
    let rows = Rows { offsets: &out.offsets, ends: &out.ends };
    let carried = EdgeValues::of(weights.as_ref(), &columns);
    let symmetry = match (both_ways, &transposed) {
        (Symmetry::Directed, Some(transposed)) if !same_degrees(rows, transposed.rows()) => {
            SymmetryFlags::default()
        }
        (Symmetry::Doubled, _) => SymmetryFlags { edges: true, weights: true, order: true },
        (Symmetry::Found, _) if carried.is_empty() || duplicates == 0 => {
            SymmetryFlags { edges: true, weights: true, order: true }
        }
        _ => symmetry_of(rows, &carried),
    };
    let paths = options.paths.map(|longest| {
        let into = transposed.as_ref().map_or(rows, OwnedRows::rows);
        decomposed(rows, into, longest, room)
    });
    let paths = paths.transpose()?;
    let packed_out_rows = packed(rows, options.packed, room)?;
    let in_rows = transposed.filter(|_| options.in_edges && !symmetry.edges).map(|transposed| {
        let packed = packed(transposed.rows(), options.packed, room)?;
        let (offsets, ends) = (Column::Owned(transposed.offsets.into()), Column::Owned(transposed.ends));
        Ok::<_, LayerError>(InRows { offsets, ends, packed })
    });
    let in_rows = in_rows.transpose()?;
    let mut notes = list.notes().to_vec();
    if list.is_of_input() && duplicates > 0 {
        notes.push(format!("{duplicates} duplicate edge{} kept", if duplicates == 1 { "" } else { "s" }));
    }
    let contents = Contents {
        vertices,
        edges: number,
        root: root.as_ref().map(|root| ids.id(root.rank)),
        root_layers: forest.root_layers,
        reason: root.map_or_else(|| "the graph is empty".to_owned(), |root| root.reason),
        symmetry,
        layers: Column::Owned(forest.layer_offsets.into()),
        ranks: Column::Owned(forest.order.into()),
        ids: ids.table().map(|table| Column::Owned(table.to_vec().into())),
        first_id: ids.contiguous_from().unwrap_or(0),
        offsets: Column::Owned(out.offsets.into()),
        ends: Column::Owned(out.ends),
        packed: packed_out_rows,
        weights,
        columns,
        in_rows,
        paths,
    };
    Ok(Layered { contents, by_rank: forest.places, notes })
}

/// Returns `true` if every vertex has as many out-edges as in-edges. This is a cheap first test for symmetry: it is
/// true for every symmetric graph and for few others.
fn same_degrees(out: Rows<'_>, into: Rows<'_>) -> bool {
    out.offsets.par_iter().zip(into.offsets).with_min_len(1 << 14).all(|(a, b)| a == b)
}

/// Rows of vertices that are identified by rank (position by ascending id). The edges of a row are in input order.
struct Grouped<W> {
    out: OwnedRows<W>,
    /// The sources of each vertex's in-edges; `None` if the graph is symmetric, because its out-rows are its in-rows.
    transposed: Option<OwnedRows>,
}

impl<W: Payload> Grouped<W> {
    /// Groups the edges of a list. Frees the list's lines as soon as they are partitioned. `weights` has one element
    /// per line; the elements are `()` if there are no weights.
    fn new(list: EdgeList, weights: Array<W>, room: Room<'_>) -> Result<(Grouped<W>, EdgeList), SpaceError> {
        let vertices = list.num_vertices();
        let parted = Partition::of(
            &EdgeRecords { list: &list, weights: &weights, transposed: false },
            vertices,
            room.space,
        )?;
        drop(weights);
        if list.is_symmetric() {
            let list = list.without_lines();
            let out = OwnedRows::from_partition(parted, vertices, room)?;
            return Ok((Grouped { out, transposed: None }, list));
        }
        let out = OwnedRows::from_partition(parted, vertices, room)?;
        let nothing = vec![(); list.sources().len()];
        let transposed = Partition::of(
            &EdgeRecords { list: &list, weights: &nothing, transposed: true },
            vertices,
            room.space,
        )?;
        let list = list.without_lines();
        let transposed = Some(OwnedRows::from_partition(transposed, vertices, room)?);
        Ok((Grouped { out, transposed }, list))
    }

    fn out_rows(&self) -> Rows<'_> {
        self.out.rows()
    }

    fn in_rows(&self) -> Rows<'_> {
        self.transposed.as_ref().map_or_else(|| self.out.rows(), OwnedRows::rows)
    }

    /// Returns the out-rows, and the in-rows if they differ.
    fn into_parts(self) -> (OwnedRows<W>, Option<OwnedRows>) {
        (self.out, self.transposed)
    }
}

/// The edges of a list as records for a partition, keyed by source or, if `transposed` is `true`, by target.
struct EdgeRecords<'a, W> {
    list: &'a EdgeList,
    weights: &'a [W],
    transposed: bool,
}

impl<W: Payload> Records for EdgeRecords<'_, W> {
    type Value = End<W>;

    fn len(&self) -> usize {
        self.list.sources().len()
    }

    #[inline]
    fn visit(&self, lines: Range<usize>, mut put: impl FnMut(u32, End<W>)) {
        let (mut sources, mut targets) =
            (&self.list.sources()[lines.clone()], &self.list.targets()[lines.clone()]);
        if self.transposed {
            std::mem::swap(&mut sources, &mut targets);
        }
        let weights = &self.weights[lines];
        let doubled = self.list.symmetry() == Symmetry::Doubled;
        for ((&source, &target), &weight) in sources.iter().zip(targets).zip(weights) {
            put(source, End { end: target, weight });
            if doubled && source != target {
                put(target, End { end: source, weight });
            }
        }
    }
}
