//! Every construct of the language, on edge cases.

use super::language_program::{OPERATIONS, language};
use super::{cases, compare};

#[test]
fn every_construct() {
    let numbers = [
        i64::MIN,
        -100,
        -5,
        -2,
        -1,
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        12,
        17,
        24,
        31,
        63,
        64,
        100,
        255,
        1 << 40,
        i64::MAX,
    ];
    let all = cases::<language::Language>(OPERATIONS, &numbers, &numbers);
    compare(&language::Language, &all, |program, edge| program.edge(edge));
}
