//! Edges by id as one thread reads them: a piece of a list, in the order of the input. Ids are kept in 32 bits until
//! one does not fit, so that the largest inputs, whose ids nearly always fit, are never held twice as wide as needed.

use crate::weights::WeightColumn;

/// Edges by id, in order, with a weight each or with none.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(super) ends: Ends,
    /// One an edge, or none at all.
    pub(crate) weights: WeightColumn,
}

/// Source and target of each edge.
#[derive(Debug)]
pub(super) enum Ends {
    Narrow(Vec<[u32; 2]>),
    Wide(Vec<[u64; 2]>),
}

impl Default for Ends {
    fn default() -> Ends {
        Ends::Narrow(Vec::new())
    }
}

impl Piece {
    /// A piece with room for the edges of so many bytes of text.
    pub(crate) fn with_room_for_text(bytes: usize) -> Piece {
        // Lines of real graphs have 8 to 20 bytes.
        Piece { ends: Ends::Narrow(Vec::with_capacity(bytes / 12)), ..Piece::default() }
    }

    #[inline]
    pub(crate) fn push(&mut self, source: u64, target: u64) {
        if let Ends::Narrow(ends) = &mut self.ends
            && (source | target) >> 32 == 0
        {
            ends.push([source as u32, target as u32]);
            return;
        }
        self.push_wide(source, target);
    }

    #[cold]
    fn push_wide(&mut self, source: u64, target: u64) {
        if let Ends::Narrow(ends) = &self.ends {
            self.ends = Ends::Wide(ends.iter().map(|edge| edge.map(u64::from)).collect());
        }
        if let Ends::Wide(ends) = &mut self.ends {
            ends.push([source, target]);
        }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.ends {
            Ends::Narrow(ends) => ends.len(),
            Ends::Wide(ends) => ends.len(),
        }
    }
}
