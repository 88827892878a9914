//! The lines of the input: each process reads a part, gives it the ids and types of all parts, and sends each line to the
//! owners of its vertices, who apply the options for duplicates and self-loops.

use rayon::prelude::*;
use wolfpath_core::assemble::{MergedLines, Named, Number, NumberError, Piece, Space, WeightBuilder, number};
use wolfpath_core::edge_list::{Duplicates, EdgeList, EdgeListError, Symmetry, VertexIds};
use wolfpath_core::progress::Stage;
use wolfpath_core::random::hash;
use wolfpath_core::weights::Weights;
use wolfpath_io::load::part::{
    BOTH_DIRECTIONS_NOTE, EdgeListInput, EdgeListPart, Finished, PartColumn, UNWEIGHTED_NOTE, added_note,
    loops_note, merged_note,
};
use wolfpath_io::load::{LoadError, Policy, rounding};
use wolfpath_runtime::part::{Message, put};

use super::{Build, rows};
use crate::error::BuildError;

/// Position of an edge in the input, and the ids of its source and target.
type PlacedEdge = (u64, (u64, u64));

/// The lines of this process, each with at least one vertex of its own, and what is known of all lines.
pub(super) struct Lines {
    pub(super) list: EdgeList,
    pub(super) notes: Vec<String>,
    /// Number of edges of all processes in the input.
    pub(super) edges: u64,
    /// The position of each line in the input. Empty unless duplicates are added up.
    positions: Vec<u64>,
}

impl Build<'_> {
    /// Reads the input, and returns the lines of this process's vertices.
    pub(super) fn lines(&self) -> Result<Lines, BuildError> {
        let team = self.team;
        let (me, processes) = (team.me(), team.processes());
        let opened = EdgeListInput::open(self.input, self.options, processes, self.progress);
        let identified = opened.and_then(|input| Ok((input.identity()?, input)));
        let (identity, input) = team.agree(identified.map_err(BuildError::from))?;
        team.compare(&identity)?;
        let read = input.read(me, processes, self.progress);
        let lines = read.as_ref().map_or(0, EdgeListPart::lines);
        let before = team.before_and_all("the number of lines", lines)?.0;
        let part = team.agree(read.map_err(|error| BuildError::Load(error.after_lines(before))))?;
        let (first, edges) = team.before_and_all("the number of edges", part.num_edges())?;
        let is_weighted = team.any("weights", part.is_weighted())?;
        let Finished { pieces, columns, mut notes } = part.finish(edges, is_weighted);
        self.progress.begin(Stage::Number, None);
        // Vertices are ranks among the ids of this process; `ranks` translates them when all ids are known.
        let own = team.agree(self.numbered(pieces))?;
        let columns = self.typed(&own, columns, first, &mut notes)?;
        let ids = self.ids(own.ids(), &mut notes)?;
        let ends = self.ranks(own, &ids)?;
        let first = (self.options.treatments().0 == Duplicates::Sum).then_some(first);
        let (list, positions) = rows::sent_to_owners(team, ids, ends, columns, first)?;
        self.treated(Lines { list, notes, edges, positions })
    }

    /// Numbers the vertices of the lines that this process has read.
    fn numbered(&self, pieces: Vec<Piece>) -> Result<EdgeList, BuildError> {
        let numbered = number(pieces, None, &Space::Memory).map_err(|error| self.refused(error))?;
        Ok(numbered.0)
    }

    fn refused(&self, error: NumberError) -> LoadError {
        let path = self.input.to_owned();
        match error {
            NumberError::Edges(source) => LoadError::Vertices { path, source },
            NumberError::Space(source) => LoadError::Space { path, source },
        }
    }

    /// Gives each column the type that all of its numbers need. `first` is the position of this process's first edge.
    fn typed(
        &self,
        own: &EdgeList,
        columns: Vec<PartColumn>,
        first: u64,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Named<Weights>>, BuildError> {
        let mut typed = Vec::with_capacity(columns.len());
        for PartColumn { name, plural, numbers } in columns {
            let inexact = WeightBuilder::first_inexact(&numbers);
            let numbers = self.joined(numbers, own.num_lines())?;
            // Integers are rounded only if a fraction, or a number beyond 64 bits, makes all of them floats.
            let inexact = inexact.filter(|_| numbers.kind().is_float());
            let told = inexact.map(|line| (first + line as u64, own.edge(line)));
            if let Some((position, ends)) = self.first_of_all(told)? {
                notes.push(rounding(self.input, self.options, &plural, position, ends)?);
            }
            typed.push(Named { name, numbers });
        }
        Ok(typed)
    }

    /// Concatenates pieces of a column with `lines` numbers, in the type that the numbers of all processes need.
    fn joined(&self, numbers: Vec<WeightBuilder>, lines: u64) -> Result<Weights, BuildError> {
        let mut extremes = WeightBuilder::default();
        numbers.iter().flat_map(WeightBuilder::extremes).for_each(|number| extremes.push(number));
        let mut told = Vec::new();
        extremes.extremes().into_iter().for_each(|number| put_extreme(&mut told, number));
        let heard = self.team.tell_all("numbers of a column", told, |_, told| {
            let mut extremes = Vec::new();
            while !told.0.is_empty() {
                extremes.push(extreme(told)?);
            }
            Some(extremes)
        })?;
        let joined = WeightBuilder::joined_among(&heard.concat(), numbers, lines as usize);
        Ok(joined.unwrap_or(Weights::U32(Vec::new())))
    }

    /// Returns the first position, with an edge, that any process has.
    fn first_of_all(&self, own: Option<PlacedEdge>) -> Result<Option<PlacedEdge>, BuildError> {
        let mut told = Vec::new();
        if let Some((position, (source, target))) = own {
            [position, source, target].into_iter().for_each(|number| put(&mut told, number));
        }
        let heard = self.team.tell_all("an edge whose number is rounded", told, |_, told| {
            Some(if told.0.is_empty() { None } else { Some((told.u64()?, (told.u64()?, told.u64()?))) })
        })?;
        Ok(heard.into_iter().flatten().min())
    }

    /// Returns the ids of all vertices, of which `own` occur in the lines of this process. Each id is first told to one
    /// process, which knows then whether others have told it.
    fn ids(&self, own: &VertexIds, notes: &mut Vec<String>) -> Result<VertexIds, BuildError> {
        let processes = self.team.processes();
        let kept = self.team.spread("ids", own.iter(), |id| self.keeper(id)..self.keeper(id) + 1)?;
        let all = distinct(self.team.spread("ids", distinct(kept), |_| 0..processes)?);
        let many = |source| LoadError::Vertices { path: self.input.to_owned(), source };
        let found = all.len() as u64;
        let ids = VertexIds::from_sorted(all);
        let ids = ids.ok_or_else(|| many(EdgeListError::TooManyVertices { found }))?;
        let added = self.options.added_vertices().iter().copied();
        let more = distinct(added.filter(|&id| ids.rank(id).is_none()).collect());
        notes.extend(added_note(more.len() as u64));
        if more.is_empty() {
            return Ok(ids);
        }
        Ok(ids.with_more(&more).map_err(many)?.0)
    }

    /// Returns the ranks of sources and targets among the ids of all vertices.
    fn ranks(&self, list: EdgeList, ids: &VertexIds) -> Result<(Vec<u32>, Vec<u32>), BuildError> {
        let rank = |own| ids.rank(list.ids().id(own)).ok_or_else(|| list.ids().id(own));
        let ranks: Result<Vec<u32>, u64> = (0..list.num_vertices()).into_par_iter().map(rank).collect();
        let ranks = ranks.map_err(|unknown| self.team.unreadable(self.keeper(unknown), "ids"))?;
        let of = |ends: &[u32]| ends.par_iter().map(|&own| ranks[own as usize]).collect();
        Ok((of(list.sources()), of(list.targets())))
    }

    /// Returns the process that tells an id to all others.
    fn keeper(&self, id: u64) -> usize {
        (hash(0, id) % self.team.processes() as u64) as usize
    }

    /// Applies the options to the lines of all processes.
    fn treated(&self, lines: Lines) -> Result<Lines, BuildError> {
        let Lines { mut list, mut notes, edges, mut positions } = lines;
        let team = self.team;
        if self.options.is_undirected() {
            list = list.undirected();
            // A line is missing its opposite if it is missing where either of its vertices is.
            let doubled = team.any("symmetry", list.symmetry() == Symmetry::Doubled)?;
            list = list.with_symmetry(if doubled { Symmetry::Doubled } else { Symmetry::Found });
            if !doubled && edges > 0 {
                notes.push(BOTH_DIRECTIONS_NOTE.to_owned());
            }
        }
        let self_loops = self.options.treatments().1;
        // Each is only on the owner of its vertex.
        let loops = team.sum("a number of self-loops", list.num_self_loops())?;
        notes.extend(loops_note(self_loops, loops));
        if self_loops == Policy::Drop {
            let is_loop: Vec<bool> =
                list.sources().iter().zip(list.targets()).map(|(source, target)| source == target).collect();
            retain(&mut positions, |line| !is_loop[line]);
            list = list.without_self_loops();
        }
        self.merged(Lines { list, notes, edges, positions })
    }

    /// Merges duplicates.
    fn merged(&self, lines: Lines) -> Result<Lines, BuildError> {
        let (team, duplicates) = (self.team, self.options.treatments().0);
        if duplicates == Duplicates::Keep {
            return Ok(lines);
        }
        let Lines { list, mut notes, edges, mut positions } = lines;
        let (before, was_weighted) = (rows::own_edges(team, &list), list.weights().is_some());
        let merged = list.merged_lines(duplicates, &Space::Memory).map_err(|error| match error {
            NumberError::Edges(source) => LoadError::Duplicates { path: self.input.to_owned(), source },
            space @ NumberError::Space(_) => self.refused(space),
        });
        let MergedLines { mut list, sums, keep } = team.agree(merged.map_err(BuildError::from))?;
        retain(&mut positions, |line| keep[line]);
        if let Some(sums) = sums {
            list = self.with_sums(list, sums, &positions, &mut notes)?;
            if !was_weighted {
                notes.push(UNWEIGHTED_NOTE.to_owned());
            }
        }
        let gone = team.sum("a number of duplicates", before - rows::own_edges(team, &list))?;
        notes.extend(merged_note(duplicates, gone));
        Ok(Lines { list, notes, edges, positions })
    }

    /// Gives the lines their sums, in the type that those of all processes need. `positions` has the positions of these lines
    /// in the input.
    fn with_sums(
        &self,
        list: EdgeList,
        sums: WeightBuilder,
        positions: &[u64],
        notes: &mut Vec<String>,
    ) -> Result<EdgeList, BuildError> {
        let sums = vec![sums];
        let inexact = WeightBuilder::first_inexact(&sums);
        let sums = self.joined(sums, list.num_lines())?;
        let inexact = inexact.filter(|_| sums.kind().is_float());
        let told = inexact.map(|line| (positions[line], list.edge(line)));
        if let Some((first, ends)) = self.first_of_all(told)? {
            // The position is told among the lines that remain, each of which counts on the owner of its source.
            let own = list.sources().iter().zip(positions);
            let before =
                own.filter(|&(&source, &position)| position < first && self.team.owns(source)).count();
            let position = self.team.sum("the number of lines", before as u64)?;
            notes.push(rounding(self.input, self.options, "sums of weights", position, ends)?);
        }
        Ok(list.with_weight_column(sums))
    }

    /// Gives each column the type in which graphs store it.
    pub(super) fn stored_columns(
        &self,
        columns: Vec<Named<Weights>>,
    ) -> Result<Vec<Named<Weights>>, BuildError> {
        let mut told = Vec::new();
        columns
            .iter()
            .for_each(|column| put(&mut told, column.numbers.slice().max_integer().unwrap_or(u64::MAX)));
        let largest = |_: usize, told: &mut Message<'_>| columns.iter().map(|_| told.u64()).collect();
        let heard: Vec<Vec<u64>> = self.team.tell_all("largest numbers", told, largest)?;
        let stored = columns.into_iter().enumerate().map(|(at, Named { name, numbers })| Named {
            name,
            numbers: numbers.for_graph_up_to(heard.iter().map(|largest| largest[at]).max()),
        });
        Ok(stored.collect())
    }
}

/// Removes the numbers whose positions are not to be kept.
fn retain(numbers: &mut Vec<u64>, keep: impl Fn(usize) -> bool) {
    let mut at = 0..numbers.len();
    numbers.retain(|_| at.next().is_some_and(&keep));
}

fn distinct(mut ids: Vec<u64>) -> Vec<u64> {
    ids.par_sort_unstable();
    ids.dedup();
    ids
}

fn put_extreme(message: &mut Vec<u8>, number: Number) {
    match number {
        Number::Integer(integer) => {
            message.push(0);
            message.extend(integer.to_le_bytes());
        }
        Number::Float(float) => {
            message.push(1);
            message.extend(i128::from(float.to_bits()).to_le_bytes());
        }
    }
}

fn extreme(message: &mut Message<'_>) -> Option<Number> {
    let kind = message.byte()?;
    let bits = i128::from_le_bytes(message.take(16)?.try_into().ok()?);
    match kind {
        0 => Some(Number::Integer(bits)),
        1 => {
            Some(f64::from_bits(u64::try_from(bits).ok()?)).filter(|float| !float.is_nan()).map(Number::Float)
        }
        _ => None,
    }
}
