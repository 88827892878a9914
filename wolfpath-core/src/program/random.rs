//! Random numbers for programs: a counter-based generator, without state, that is the same on every engine.
//!
//! It is Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as easy as 1,
//! 2, 3", SC 2011. `kernels/include/random.cuh` contains the same generator for devices.

/// Number of rounds.
const ROUNDS: u32 = 10;

/// Factors of the first and third word of the counter.
const FACTORS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];

/// Increments of the key from one round to the next: the golden ratio and the square root of 3.
const INCREMENTS: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

/// Returns the pseudo-random number of a seed and two counters. All 64 bits are random: the number is uniformly
/// distributed from 0 to [`u64::MAX`].
///
/// The function is pure. It returns the same number for the same arguments on every engine and machine, and in every
/// future version. It never faults. Numbers of different arguments are statistically independent, even if the arguments
/// differ in a single bit.
///
/// Programs call it by its name in any of their functions, usually as `random(self.seed, v.id, v.step)`: a number for
/// each vertex and step. A program that needs several numbers per vertex and step can pass `2 * v.step` and
/// `2 * v.step + 1`, for example. An edge has two ids: use `random(random(self.seed, e.source, 0), e.target, 0)`.
///
/// These conversions use only operations of the [language of programs][EdgeProgram] that are exact on every engine:
///
/// | number | expression, with `r = random(..)` |
/// |---|---|
/// | `f64` from 0 to less than 1 | `(r >> 11) as f64 / 9007199254740992.0` (2^53) |
/// | `f32` from 0 to less than 1 | `(r >> 40) as f32 / 16777216.0` (2^24) |
/// | integer from 0 to `n - 1` | `r % n`. Each number's probability differs from 1 / `n` by less than 2^-64 |
/// | `true` with probability `p` | `((r >> 11) as f64 / 9007199254740992.0) < p` |
///
/// # Source
///
/// Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. The key consists of the low
/// and the high half of `seed`, and the counter of the low and high halves of `index` and `step`, in this order. The
/// result's low half is the first of the generator's four words, and its high half is the second. The generator passes
/// the tests of BigCrush. It is not suitable for cryptography.
///
/// # Example
///
/// ```
/// use wolfpath::program::random;
///
/// assert_eq!(random(0, 0, 0), 0xe169_c58d_6627_e8d5);
/// assert_ne!(random(7, 1, 0), random(7, 0, 1));
///
/// let dice: Vec<u64> = (0..6).map(|throw| 1 + random(2024, 17, throw) % 6).collect();
/// assert!(dice.iter().all(|number| (1..=6).contains(number)));
/// ```
///
/// [EdgeProgram]: crate::program::EdgeProgram
#[inline]
#[must_use]
pub const fn random(seed: u64, index: u64, step: u64) -> u64 {
    let ([index_low, index_high], [step_low, step_high]) = (halves(index), halves(step));
    let words = philox([index_low, index_high, step_low, step_high], halves(seed));
    words[0] as u64 | (words[1] as u64) << 32
}

/// Returns the low and the high half of a number.
const fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// Returns the four words of a counter and a key.
const fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    let mut round = 0;
    while round < ROUNDS {
        let [first_low, first_high] = halves(FACTORS[0] as u64 * counter[0] as u64);
        let [second_low, second_high] = halves(FACTORS[1] as u64 * counter[2] as u64);
        counter =
            [second_high ^ counter[1] ^ key[0], second_low, first_high ^ counter[3] ^ key[1], first_low];
        key = [key[0].wrapping_add(INCREMENTS[0]), key[1].wrapping_add(INCREMENTS[1])];
        round += 1;
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of philox4x32-10 in the file `kat_vectors` of the Random123 distribution.
    const KNOWN: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
        ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
        ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
        (
            [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
            [0xa409_3822, 0x299f_31d0],
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        ),
    ];

    #[test]
    fn known_answers() {
        for (counter, key, words) in KNOWN {
            assert_eq!(philox(counter, key), words);
        }
        assert_eq!(random(0, 0, 0), 0xe169_c58d_6627_e8d5);
        assert_eq!(random(u64::MAX, u64::MAX, u64::MAX), 0x41c8_3b0e_408f_276d);
        let (seed, index, step) = (0x299f_31d0_a409_3822, 0x85a3_08d3_243f_6a88, 0x0370_7344_1319_8a2e);
        assert_eq!(random(seed, index, step), 0x94fd_cceb_d16c_fe09);
    }

    #[test]
    fn bits_of_adjacent_counters_are_independent() {
        // Each bit of the result changes with probability 1/2: 4,096 trials, with a standard deviation of 32.
        for flipped in 0..192 {
            let mut changes = [0u32; 64];
            for index in 0..4096 {
                let mut bits = [0u64; 3];
                bits[flipped / 64] = 1 << (flipped % 64);
                let changed = random(1, index, 2) ^ random(1 ^ bits[0], index ^ bits[1], 2 ^ bits[2]);
                changes.iter_mut().enumerate().for_each(|(bit, count)| *count += (changed >> bit & 1) as u32);
            }
            assert!(changes.iter().all(|&count| count.abs_diff(2048) < 192), "{flipped}: {changes:?}");
        }
    }

    #[test]
    fn conversions_stay_in_their_ranges() {
        let largest = [u64::MAX, u64::MAX - 1];
        assert!(largest.iter().all(|r| ((r >> 11) as f64 / 9007199254740992.0) < 1.0));
        assert!(largest.iter().all(|r| ((r >> 40) as f32 / 16777216.0) < 1.0));
        let mut seen = [0u32; 8];
        (0..8000).for_each(|vertex| seen[(random(5, vertex, 3) % 8) as usize] += 1);
        assert!(seen.iter().all(|&times| (850..1150).contains(&times)), "{seen:?}");
    }
}
