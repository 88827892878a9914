//! One shard of a graph, from its file.

use std::collections::HashSet;
use std::ops::Range;
use std::path::PathBuf;

use rayon::prelude::*;
use wolfpath_core::graph::Direction;
use wolfpath_core::store::StoreError;
use wolfpath_core::store::container::{Column, Container, WeightColumn};
use wolfpath_core::store::graph_header::SYMMETRIC_ORDER;
use wolfpath_core::weights::WeightSlice;

use super::Shards;
use super::format::{self, Piece, SHARD, ShardFields, ShardSection};
use wolfpath_runtime::SUMMED_PIECE;

use crate::deal::{Deal, vertices_of};
use crate::error::ShardError;

/// A shard of a graph, mapped from its file and verified: its own vertices, and the rows that it has.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{Deal, Shards};
/// use wolfpath::graph::Direction;
/// use wolfpath::prelude::*;
///
/// let folder = tempfile::tempdir()?;
/// let star = LayeredGraph::from_weighted_edges((1..50_000u64).map(|leaf| (0, leaf, leaf)))?;
/// let deal = Deal::new(&star, NonZeroU16::new(2).unwrap())?;
/// let shards = Shards::write(&star, &deal, folder.path())?;
/// let shard = shards.open_shard(0)?;
/// for row in shard.rows(Direction::Out) {
///     assert_eq!(row.vertex, 0, "pieces of the row of the hub");
///     assert_eq!(shard.ends(Direction::Out)[row.edges].len() as u64 % 16_384, 0);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Shard {
    number: u16,
    path: PathBuf,
    /// The shard's blocks of vertices, in ascending order, and the number of vertices of the graph.
    blocks: Vec<u32>,
    all_vertices: u32,
    ranks: Column<u32>,
    /// `None` if ids are consecutive from `first_id` on.
    ids: Option<Column<u64>>,
    first_id: u64,
    out: Side,
    /// `None` if the out-rows serve as in-rows.
    inward: Option<Side>,
    /// Columns in the order of in-rows, unless those of the out-rows serve.
    in_columns: Option<Vec<WeightColumn>>,
}

/// The rows of one direction.
#[derive(Debug)]
struct Side {
    /// The start of each own vertex's row, then of each guest, then the number of edges.
    offsets: Column<u64>,
    ends: Column<u32>,
    guests: Column<Piece>,
    lent: Column<Piece>,
    columns: Vec<WeightColumn>,
}

/// A row, or the part of a row that a shard has.
///
/// ```
/// use std::num::NonZeroU16;
/// use wolfpath::cluster::{Deal, Shards};
/// use wolfpath::graph::Direction;
/// use wolfpath::prelude::*;
///
/// let folder = tempfile::tempdir()?;
/// let roads = LayeredGraph::from_edges([(17, 5), (17, 6)])?;
/// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
/// let shard = shards.open_shard(0)?;
/// let row = shard.rows(Direction::Out).next().expect("vertex 0 has two edges");
/// assert_eq!((row.vertex, row.first, row.edges), (0, 0, 0..2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardRow {
    /// Vertex that has the row, as an internal index of the whole graph. It may belong to another shard.
    pub vertex: u32,
    /// Position of the first edge in the vertex's row.
    pub first: u64,
    /// Positions of the edges in [`Shard::ends`] and [`Shard::column`].
    pub edges: Range<usize>,
}

impl Shard {
    pub(super) fn open(shards: &Shards, number: u16) -> Result<Shard, ShardError> {
        let path = shards.path_of(number);
        let file = match Container::open(&path, &SHARD) {
            Err(StoreError::Io { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(ShardError::Missing { path, shard: number, shards: shards.num_shards() });
            }
            opened => opened?,
        };
        let fields: ShardFields = file.fields();
        let listed = shards.listed.values()[usize::from(number)];
        let other = |found: String, expected: String| {
            Err(ShardError::OtherBuild { path: path.clone(), shard: number, found, expected })
        };
        if (fields.shard, fields.shards) != (number.into(), shards.num_shards().into()) {
            let found = format!("shard {} of {}", { fields.shard }, { fields.shards });
            return other(found, format!("shard {number} of {}", shards.num_shards()));
        }
        if file.table_checksum() != listed.table {
            let found = format!("a table with checksum {:016x}", file.table_checksum());
            return other(found, format!("{:016x}", listed.table));
        }
        let expected = (listed.vertices, [listed.out_edges, listed.in_edges]);
        if (u64::from(fields.vertices), fields.edges) != expected {
            let found = format!("{} vertices and {:?} edges", { fields.vertices }, { fields.edges });
            return other(found, format!("{} and {:?}", expected.0, expected.1));
        }
        if file.length() != listed.bytes {
            return other(format!("a file of {} bytes", file.length()), listed.bytes.to_string());
        }
        let side = |direction| Side::open(&file, shards, direction);
        let out = side(Direction::Out)?;
        let inward = if shards.has_in_rows() { Some(side(Direction::In)?) } else { None };
        let serves = shards.header.has(SYMMETRIC_ORDER);
        let in_columns = (inward.is_none() && !serves)
            .then(|| columns(&file, shards, Direction::In, fields.edges[0]))
            .transpose()?;
        let vertices = u64::from(fields.vertices);
        let ids = shards.header.has(format::IDS);
        let shard = Shard {
            number,
            blocks: shards.blocks[usize::from(number)].clone(),
            all_vertices: shards.num_vertices(),
            ranks: file.column(ShardSection::RANKS, vertices)?,
            ids: if ids { Some(file.column(ShardSection::IDS, vertices)?) } else { None },
            first_id: shards.header.first_id,
            out,
            inward,
            in_columns,
            path: path.clone(),
        };
        file.refuse_others(|kind| match ShardSection::part_of(kind) {
            Some((Direction::Out, column)) => column.is_none_or(|at| at < shards.columns.len()),
            Some((Direction::In, None)) => shard.inward.is_some(),
            Some((Direction::In, Some(at))) => {
                (shard.inward.is_some() || shard.in_columns.is_some()) && at < shards.columns.len()
            }
            None => kind != ShardSection::IDS || ids,
        })?;
        file.passed_over().iter().try_for_each(|section| section.verify())?;
        shard.verify(shards)?;
        file.check_unchanged()?;
        Ok(shard)
    }

    /// Verifies checksums, and that the numbers are in range and in order.
    fn verify(&self, shards: &Shards) -> Result<(), StoreError> {
        self.ranks.verify()?;
        self.ids.as_ref().map_or(Ok(()), Column::verify)?;
        let ranks = self.ranks.values();
        if let Some(at) = ranks.par_iter().position_first(|&rank| rank >= self.all_vertices) {
            let (found, expected) =
                (format!("rank {}", ranks[at]), format!("one below {}", self.all_vertices));
            return Err(self.ranks.broken(at, found, expected));
        }
        self.in_columns.iter().flatten().try_for_each(WeightColumn::verify)?;
        let own: Vec<u32> = self.vertices().collect();
        self.out.verify(shards, self.number.into(), &own)?;
        self.inward.as_ref().map_or(Ok(()), |side| side.verify(shards, self.number.into(), &own))
    }

    /// Returns the error for a fault in the rank at a position.
    pub(super) fn broken_rank(&self, position: usize, found: String, expected: &str) -> StoreError {
        self.ranks.broken(position, found, expected)
    }

    /// Returns the guests, and the lent pieces of rows.
    pub(crate) fn pieces(&self, direction: Direction) -> [&[Piece]; 2] {
        let side = self.side(direction);
        [side.guests.values(), side.lent.values()]
    }

    /// Returns the number of the shard, from 0.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Returns the number of its own vertices.
    pub fn num_vertices(&self) -> u32 {
        self.ranks.values().len() as u32
    }

    /// Returns its own vertices, as internal indices of the whole graph, in ascending order.
    pub fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        self.blocks.iter().flat_map(|&block| vertices_of(block as usize, self.all_vertices))
    }

    /// Returns the rank of each of its own vertices: their positions among all vertices by ascending id.
    pub fn ranks(&self) -> &[u32] {
        self.ranks.values()
    }

    /// Returns the id of its own vertex at this position among [`vertices`](Self::vertices).
    ///
    /// # Panics
    /// Panics if there are not as many vertices.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (17, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// assert_eq!(shards.open_shard(0)?.id_of(0), 17);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn id_of(&self, position: u32) -> u64 {
        match &self.ids {
            Some(ids) => ids.values()[position as usize],
            None => self.first_id + u64::from(self.ranks()[position as usize]),
        }
    }

    /// Returns the ends of the edges in the rows of a direction, as internal indices of the whole graph.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (17, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// assert_eq!(shards.open_shard(0)?.ends(Direction::Out), [1, 2], "17 comes first");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ends(&self, direction: Direction) -> &[u32] {
        self.side(direction).ends.values()
    }

    /// Returns the column of this number (see [`Shards::columns`]) in the order of [`ends`](Self::ends).
    ///
    /// # Panics
    /// Panics if `at` is not below the number of columns.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_weighted_edges([(17, 5, 30u32), (17, 6, 10)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// assert_eq!(shards.open_shard(0)?.column(Direction::In, 0).len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn column(&self, direction: Direction, at: usize) -> WeightSlice<'_> {
        let columns = match (&self.in_columns, direction) {
            (Some(columns), Direction::In) => columns,
            _ => &self.side(direction).columns,
        };
        columns[at].slice()
    }

    /// Returns the rows that the shard has: those of its own vertices, without the lent pieces, and the pieces
    /// of other shards' rows that are its guests. Rows without edges are left out.
    ///
    /// ```
    /// use std::num::NonZeroU16;
    /// use wolfpath::cluster::{Deal, Shards};
    /// use wolfpath::graph::Direction;
    /// use wolfpath::prelude::*;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let roads = LayeredGraph::from_edges([(17, 5), (17, 6)])?;
    /// let shards = Shards::write(&roads, &Deal::new(&roads, NonZeroU16::MIN)?, folder.path())?;
    /// let in_rows: Vec<u32> = shards.open_shard(0)?.rows(Direction::In).map(|row| row.vertex).collect();
    /// assert_eq!(in_rows, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rows(&self, direction: Direction) -> impl Iterator<Item = ShardRow> + '_ {
        self.own_rows(direction).chain(self.guest_rows(direction))
    }

    /// Returns the rows of its own vertices, without the lent pieces, and without rows that have no edges.
    pub(crate) fn own_rows(&self, direction: Direction) -> impl Iterator<Item = ShardRow> + '_ {
        let side = self.side(direction);
        let offsets = side.offsets.values();
        let mut lent = side.lent.values().iter().peekable();
        let of_own = self.vertices().zip(offsets.windows(2)).flat_map(move |(vertex, row)| {
            let (mut next, end, mut first) = (row[0] as usize, row[1] as usize, 0);
            let mut parts = Vec::new();
            while let Some(piece) = lent.next_if(|piece| piece.vertex == vertex) {
                let before = (piece.first - first) as usize;
                parts.push(ShardRow { vertex, first, edges: next..next + before });
                next += before;
                first = piece.first + piece.length;
            }
            parts.push(ShardRow { vertex, first, edges: next..end });
            parts
        });
        of_own.filter(|row| !row.edges.is_empty())
    }

    /// Returns the pieces of other shards' rows that are its guests.
    pub(crate) fn guest_rows(&self, direction: Direction) -> impl Iterator<Item = ShardRow> + '_ {
        let side = self.side(direction);
        let (offsets, own) = (side.offsets.values(), self.num_vertices() as usize);
        let guests = side.guests.values().iter().zip(offsets[own..].windows(2));
        guests.map(|(piece, row)| ShardRow {
            vertex: piece.vertex,
            first: piece.first,
            edges: row[0] as usize..row[1] as usize,
        })
    }

    fn side(&self, direction: Direction) -> &Side {
        match direction {
            Direction::In => self.inward.as_ref().unwrap_or(&self.out),
            Direction::Out => &self.out,
        }
    }
}

/// Returns those of these ids that are ids of vertices of these shards.
pub(crate) fn ids_in(shards: &[Shard], ids: &[u64]) -> HashSet<u64> {
    if ids.is_empty() {
        return HashSet::new();
    }
    let wanted: HashSet<u64> = ids.iter().copied().collect();
    let ids = shards.par_iter().flat_map_iter(|shard| (0..shard.num_vertices()).map(|at| shard.id_of(at)));
    ids.filter(|id| wanted.contains(id)).collect()
}

/// Returns the columns of a shard's edges in the order of the rows of a direction.
fn columns(
    file: &Container,
    shards: &Shards,
    direction: Direction,
    edges: u64,
) -> Result<Vec<WeightColumn>, StoreError> {
    let columns = shards.columns.iter().enumerate();
    columns
        .map(|(at, (kind, _))| file.weight_column(ShardSection::column(direction, at), *kind, edges))
        .collect()
}

impl Side {
    fn open(file: &Container, shards: &Shards, direction: Direction) -> Result<Side, StoreError> {
        let fields: ShardFields = file.fields();
        let at = usize::from(direction == Direction::In);
        let (edges, guests) = (fields.edges[at], u64::from(fields.guests[at]));
        let [offsets, ends, guest_pieces, lent] = ShardSection::rows(direction);
        Ok(Side {
            offsets: file.column(offsets, u64::from(fields.vertices) + guests + 1)?,
            ends: file.column(ends, edges)?,
            guests: file.column(guest_pieces, guests)?,
            lent: file.any_column(lent)?,
            columns: columns(file, shards, direction, edges)?,
        })
    }

    /// Verifies checksums, and that rows and pieces are in range and in order. `own` are the shard's vertices.
    fn verify(&self, shards: &Shards, number: u32, own: &[u32]) -> Result<(), StoreError> {
        self.offsets.verify()?;
        self.ends.verify()?;
        self.guests.verify()?;
        self.lent.verify()?;
        self.columns.iter().try_for_each(WeightColumn::verify)?;
        self.verify_pieces(shards, number, own)?;
        let (offsets, ends, vertices) = (self.offsets.values(), self.ends.values(), shards.num_vertices());
        let last = offsets.len() - 1;
        if offsets[0] != 0 || offsets[last] != ends.len() as u64 {
            let found = format!("rows from {} to {}", offsets[0], offsets[last]);
            return Err(self.offsets.broken(0, found, format!("0 to {}", ends.len())));
        }
        if let Some(row) = (1..offsets.len()).find(|&row| offsets[row - 1] > offsets[row]) {
            let found = format!("offset {} after {}", offsets[row], offsets[row - 1]);
            return Err(self.offsets.broken(row, found, "no smaller offset"));
        }
        let is_wrong = |row: &[u64]| {
            let row = row[0] as usize..row[1] as usize;
            let unsorted = ends[row.clone()].windows(2).any(|pair| pair[0] > pair[1]);
            unsorted || ends[row].last().is_some_and(|&end| end >= vertices)
        };
        if let Some(row) = offsets.par_windows(2).position_first(is_wrong) {
            let found = format!("a row {row} whose ends do not ascend or are not below {vertices}");
            return Err(self.ends.broken(offsets[row] as usize, found, "ascending vertices of the graph"));
        }
        Ok(())
    }

    /// Verifies that guests and lent pieces are in order, of the right vertices, and as long as their rows.
    fn verify_pieces(&self, shards: &Shards, number: u32, own: &[u32]) -> Result<(), StoreError> {
        let (guests, lent, offsets) = (self.guests.values(), self.lent.values(), self.offsets.values());
        let ascends = |pieces: &[Piece], at: usize| {
            let is_after = |before: &Piece, piece: &Piece| {
                let end = before.first.checked_add(before.length);
                before.vertex < piece.vertex
                    || before.vertex == piece.vertex && end.is_some_and(|end| end <= piece.first)
            };
            at == 0 || is_after(&pieces[at - 1], &pieces[at])
        };
        let is_within = |piece: &Piece| {
            let end = piece.first.checked_add(piece.length);
            let (border, most) = (piece.first.is_multiple_of(SUMMED_PIECE as u64), SUMMED_PIECE as u64);
            border && (1..=most).contains(&piece.length) && end.is_some_and(|end| end <= shards.num_edges())
        };
        let owner = |piece: &Piece| shards.owners().get(piece.vertex as usize / Deal::BLOCK).copied();
        let of_others = &offsets[own.len()..];
        let is_guest = |&at: &usize| {
            let piece = &guests[at];
            let is_owned = owner(piece).is_some_and(|owner| u32::from(owner) == piece.shard);
            let is_elsewhere = piece.shard != number && piece.vertex < shards.num_vertices();
            let length = of_others[at + 1].checked_sub(of_others[at]);
            is_within(piece)
                && ascends(guests, at)
                && is_owned
                && is_elsewhere
                && length == Some(piece.length)
        };
        if let Some(at) = (0..guests.len()).find(|at| !is_guest(at)) {
            let expected = format!(
                "ascending pieces of rows of other shards, as long as the rows here, of at most {SUMMED_PIECE} edges from a \
                 multiple of this number on"
            );
            return Err(self.guests.broken(at, format!("{:?}", guests[at]), expected));
        }
        let is_lent = |&at: &usize| {
            let piece = &lent[at];
            let goes = piece.shard != number && piece.shard < u32::from(shards.num_shards());
            is_within(piece) && ascends(lent, at) && goes && own.binary_search(&piece.vertex).is_ok()
        };
        if let Some(at) = (0..lent.len()).find(|at| !is_lent(at)) {
            let expected = "ascending pieces of rows of this shard, on other ones";
            return Err(self.lent.broken(at, format!("{:?}", lent[at]), expected));
        }
        // Between two lent pieces, and before the first, the row here must have the edges.
        let mut pieces = lent.iter().peekable();
        while let Some(piece) = pieces.next() {
            let mut here = piece.first;
            let mut last = piece;
            while let Some(next) = pieces.next_if(|next| next.vertex == piece.vertex) {
                here += next.first - (last.first + last.length);
                last = next;
            }
            let row = own.partition_point(|&v| v < piece.vertex);
            if offsets[row + 1].checked_sub(offsets[row]).is_none_or(|length| length < here) {
                let found = format!("a row {row} shorter than {here} edges");
                let expected = "the edges before the lent pieces";
                return Err(self.offsets.broken(row, found, expected));
            }
        }
        Ok(())
    }
}
