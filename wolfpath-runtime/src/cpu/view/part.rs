//! Views of parts of a graph, and the names of vertices, which are those of the whole graph.

use std::sync::Arc;

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{EdgeProgram, IndexUse};

use super::super::mirrors::Mirrors;
use super::{DegreeOffsets, Lane, Lanes, View};
use crate::error::PlanError;
use crate::part::{GraphPart, PartLanes, PartUse, Peers};

/// Ids and ranks of vertices.
#[derive(Clone, Copy)]
pub(super) enum Names<'a> {
    Whole(&'a LayeredGraph),
    Part(&'a GraphPart),
}

impl<'a, P: EdgeProgram> View<'a, P> {
    /// Returns the view of a part of a graph in a run in which messages beyond `largest` are dropped.
    pub(crate) fn of_part(
        part: &'a GraphPart,
        peers: &'a dyn Peers,
        program: &'a P,
        run: PartUse,
        largest: u64,
    ) -> Result<View<'a, P>, PlanError> {
        let PartLanes { send, gather } = part.lanes::<P>(run)?;
        let lanes = |[out, inward]: [Option<Lane<'a, P>>; 2]| Lanes { out, inward };
        let (send, gather) = (lanes(send), lanes(gather));
        let reads_neighbours = const { P::MODEL.reads.vertex_neighbours };
        let neighbours = reads_neighbours.then(|| &*part.all_neighbours().degrees);
        let degrees = DegreeOffsets { out: &part.out_degrees, inward: Some(&part.in_degrees), neighbours };
        Ok(View {
            names: Names::Part(part),
            program,
            rows: run.rows,
            sends: send.rows(),
            mirrors: Some(Mirrors::new(part, peers)),
            shelf: Arc::default(),
            path_order: None,
            send,
            gather,
            degrees,
            receivers: part.own,
            senders: part.num_senders(),
            vertices: part.whole.vertices.into(),
            edges: part.whole.edges,
            largest,
        })
    }

    /// Returns the whole graph; `None` if the view is one of a part.
    pub(crate) fn whole(&self) -> Option<&'a LayeredGraph> {
        match self.names {
            Names::Whole(graph) => Some(graph),
            Names::Part(_) => None,
        }
    }

    /// Returns the user's id of a vertex.
    #[inline(always)]
    pub(crate) fn id_of(&self, v: u32) -> u64 {
        match self.names {
            Names::Whole(graph) => graph.id_of(v),
            Names::Part(part) => part.ids[v as usize],
        }
    }

    /// Returns the rank of a vertex in the whole graph.
    #[inline(always)]
    pub(crate) fn rank_of(&self, v: u32) -> u32 {
        match self.names {
            Names::Whole(graph) => graph.rank_of(v),
            Names::Part(part) => part.ranks[v as usize],
        }
    }

    /// Returns the `index` field of a vertex or an edge.
    #[inline(always)]
    pub(super) fn index_of(&self, v: u32, index: IndexUse) -> u32 {
        match index {
            IndexUse::Unread => 0,
            IndexUse::Number => v,
            IndexUse::Rank => self.rank_of(v),
        }
    }
}
