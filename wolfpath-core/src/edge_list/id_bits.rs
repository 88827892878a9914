//! A set of ids as bits, with the rank of each in constant time: for ids that are not spread too far apart, which is
//! nearly always so. Searching a sorted table instead took four times as long as everything else about a file of 128
//! million edges.

/// A set of ids below some bound.
#[derive(Debug)]
pub(super) struct IdBits {
    words: Vec<u64>,
    /// How many ids there are before each word.
    before: Vec<u32>,
}

impl IdBits {
    /// An empty set for ids up to `last`.
    pub(super) fn up_to(last: u64) -> IdBits {
        IdBits { words: vec![0; (last / 64 + 1) as usize], before: Vec::new() }
    }

    #[inline]
    pub(super) fn insert(&mut self, id: u64) {
        self.words[(id / 64) as usize] |= 1 << (id % 64);
    }

    /// All ids, ascending. From here on [`rank`](Self::rank) may be asked; there must be fewer than 2^32 ids.
    pub(super) fn count(&mut self) -> Vec<u64> {
        let mut ids = Vec::with_capacity(self.words.iter().map(|word| word.count_ones() as usize).sum());
        self.before.reserve_exact(self.words.len());
        for (place, &word) in self.words.iter().enumerate() {
            self.before.push(ids.len() as u32);
            let mut left = word;
            while left != 0 {
                ids.push(64 * place as u64 + u64::from(left.trailing_zeros()));
                left &= left - 1;
            }
        }
        ids
    }

    /// How many smaller ids there are; `id` must be in the set.
    #[inline]
    pub(super) fn rank(&self, id: u64) -> u32 {
        let place = (id / 64) as usize;
        let smaller = self.words[place] & ((1 << (id % 64)) - 1);
        self.before[place] + smaller.count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_places_in_order() {
        let mut bits = IdBits::up_to(200);
        [200, 0, 63, 64, 65, 0].into_iter().for_each(|id| bits.insert(id));
        let ids = bits.count();
        assert_eq!(ids, [0, 63, 64, 65, 200]);
        assert!(ids.iter().enumerate().all(|(rank, &id)| bits.rank(id) as usize == rank));
    }
}
