//! Random inputs for the programs. An input consists of three numbers: the arguments of one call.

/// Numbers around which the behaviour of operations changes, for example the limits of the integer types.
const EDGES: [u64; 24] = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    10,
    31,
    32,
    63,
    64,
    100,
    127,
    128,
    255,
    256,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
];

/// Returns `count` inputs, which depend only on the seed. Each number of an input is from `EDGES`, random, or random
/// with few significant bits.
pub fn inputs(seed: u64, count: usize) -> Vec<[u64; 3]> {
    let mut state = seed;
    let mut bits = move || {
        // The generator is SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    };
    let mut number = || match bits() % 8 {
        0..=2 => EDGES[(bits() % EDGES.len() as u64) as usize],
        3 => bits() % 16,
        4 => bits(),
        5 => (bits() as i64 >> (bits() % 64)) as u64,
        _ => bits() >> (bits() % 64),
    };
    (0..count).map(|_| [number(), number(), number()]).collect()
}
