//! Every construct of the language, on edge cases.

use wolfpath::program::EdgeProgram;

use super::control_program::{self, control};
use super::value_program::{self, values};
use super::{cases, compare};

const NUMBERS: [i64; 26] = [
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

#[test]
fn every_construct_of_control_flow() {
    let all = cases::<control::Control>(control_program::OPERATIONS, &NUMBERS, &NUMBERS);
    compare(&control::Control, &all, |program, edge| program.edge(edge));
}

#[test]
fn every_construct_on_values() {
    let all = cases::<values::Values>(value_program::OPERATIONS, &NUMBERS, &NUMBERS);
    compare(&values::Values, &all, |program, edge| program.edge(edge));
}
