//! The pseudorandom order in which threads run, derived from a seed.

/// Random number generator (xorshift64*), and the frequencies of thread switches in a launch.
#[derive(Debug)]
pub(crate) struct Chance {
    state: u64,
    /// Average number of accesses that a thread makes before a switch, counting only accesses to memory that other
    /// threads see.
    touches: u32,
    /// On average, one in this number of choices leaves the warp although the warp could continue.
    leave_warp: u32,
    /// On average, one in this number of choices leaves the block although the block could continue.
    leave_block: u32,
}

impl Chance {
    /// Creates the generator for a launch. Some launches switch threads constantly, others almost never.
    pub(crate) fn of(seed: u64) -> Chance {
        let mut chance = Chance {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            touches: 0,
            leave_warp: 0,
            leave_block: 0,
        };
        for _ in 0..4 {
            chance.next();
        }
        chance.touches = chance.one_of([3, 16, 64, 1 << 20]);
        chance.leave_warp = chance.one_of([2, 16, 256, 1 << 20]);
        chance.leave_block = chance.one_of([16, 256, 1 << 20]);
        chance
    }

    fn next(&mut self) -> u32 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.next()) * u64::from(end)) >> 32) as u32
    }

    fn one_of<const N: usize>(&mut self, choices: [u32; N]) -> u32 {
        choices[self.below(N as u32) as usize]
    }

    /// Returns the number of accesses that the next thread may make before a switch.
    pub(crate) fn touches(&mut self) -> i32 {
        self.below(2 * self.touches) as i32
    }

    pub(crate) fn leaves_warp(&mut self) -> bool {
        self.below(self.leave_warp) == 0
    }

    pub(crate) fn leaves_block(&mut self) -> bool {
        self.below(self.leave_block) == 0
    }

    /// Returns one of the set bits of `mask`, which must not be 0.
    pub(crate) fn bit_of(&mut self, mask: u64) -> u32 {
        first_from(mask, self.below(64))
    }
}

/// Returns the first set bit of `mask` at or after `start`, wrapping around. `mask` must not be 0.
pub(crate) fn first_from(mask: u64, start: u32) -> u32 {
    (mask.rotate_right(start).trailing_zeros() + start) % 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_an_order() {
        let numbers = |seed| {
            let mut chance = Chance::of(seed);
            (0..20).map(|_| chance.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(3), numbers(3));
        assert_ne!(numbers(3), numbers(4));
        assert!(numbers(0).iter().all(|&number| number < 1000));
    }

    #[test]
    fn bits_are_found_round_the_end() {
        assert_eq!(first_from(0b1001, 0), 0);
        assert_eq!(first_from(0b1001, 1), 3);
        assert_eq!(first_from(0b1001, 4), 0);
        let mut chance = Chance::of(5);
        assert!((0..100).all(|_| [0, 7, 63].contains(&chance.bit_of(1 << 63 | 1 << 7 | 1))));
    }
}
