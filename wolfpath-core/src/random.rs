//! Random numbers that are functions of a seed and a counter, without state. They are the same on every machine and for
//! any number of threads. They depend on no other crate, so they will also be the same in every future version.

/// Returns the pseudo-random number of a pair (seed, counter). Applies the finalizer of SplitMix64 (Steele, Lea and
/// Flood 2014) to the seed, then to the result combined with the counter.
#[inline]
pub fn hash(seed: u64, counter: u64) -> u64 {
    mix(mix(seed.wrapping_add(GOLDEN)) ^ counter.wrapping_mul(GOLDEN))
}

/// Converts random bits to a number from 0 to `bound` - 1. The distribution is uniform up to an error of 2^-32. Returns
/// 0 if `bound` is 0.
#[inline]
pub fn below(bound: u32, random: u64) -> u32 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u32
}

/// Returns the random weight of the edge between two vertices, from 1 to `max`. It depends on the seed and the ids, and
/// is the same in both directions. Returns 1 if `max` is 0.
pub fn edge_weight(seed: u64, max: u32, id_a: u64, id_b: u64) -> u32 {
    let (low, high) = (id_a.min(id_b), id_a.max(id_b));
    1 + below(max.max(1), hash(hash(seed, low), high))
}

/// 2^64 divided by the golden ratio, rounded to an odd number.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_for_ever() {
        // Generated graphs and random weights are part of published measurements, so these numbers must never change.
        assert_eq!([hash(0, 0), hash(1, 2)], [5_197_578_548_964_807_871, 8_853_410_974_868_434_435]);
        assert_eq!([0, 1, 2].map(|id| edge_weight(1, 100, id, 7)), [8, 100, 37]);
    }

    #[test]
    fn weights_have_no_direction_and_fill_their_range() {
        let mut seen = [0u32; 8];
        for id in 0..8000 {
            let weight = edge_weight(5, 8, id, 3 * id + 1);
            assert_eq!(weight, edge_weight(5, 8, 3 * id + 1, id));
            seen[weight as usize - 1] += 1;
        }
        assert!(seen.iter().all(|&times| (850..1150).contains(&times)), "{seen:?}");
        assert_eq!(edge_weight(5, 0, 1, 2), 1);
        assert!((1..=u32::MAX).contains(&edge_weight(5, u32::MAX, 1, 2)));
    }
}
