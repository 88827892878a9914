//! Methods of options and of `bool`.
#![allow(clippy::obfuscated_if_else, reason = "the methods are what is tested")]

use wolfpath::edge_program;
use wolfpath::program::EdgeProgram;

use super::{cases, compare};

/// Number of operations of the program.
const OPERATIONS: u64 = 14;

#[edge_program]
pub(crate) mod options {
    use wolfpath::prelude::*;

    #[derive(Clone, Copy)]
    pub(crate) struct Options;

    /// Returns an option: the lowest bit selects `Some`, the other bits are its value.
    fn option(bits: u64) -> Option<u64> {
        if bits & 1 == 0 { None } else { Some(bits >> 1) }
    }

    fn nested(bits: u64) -> Option<Option<u64>> {
        if bits & 4 == 0 { None } else { Some(option(bits)) }
    }

    fn bits(option: Option<u64>) -> u64 {
        match option {
            Some(value) => value << 1 | 1,
            None => 0,
        }
    }

    fn answer(operation: u64, a: u64, b: u64) -> u64 {
        let flag = a & 1 == 1;
        let other = b & 1 == 1;
        match operation {
            0 => bits(option(a).and(option(b))),
            1 => bits(option(a).or(option(b))),
            2 => bits(option(a).xor(option(b))),
            3 => bits(nested(a).flatten()),
            4 => option(a).unwrap_or_default(),
            5 => option(a).unwrap(),
            6 => option(a).unwrap_or(b),
            7 => option(a).is_some() as u64 + option(b).is_none() as u64 * 2,
            8 => bits(flag.then_some(b)),
            9 => flag.then_some(0.5).unwrap_or_default() as u64,
            10 => flag.min(other) as u64,
            11 => flag.max(other) as u64,
            12 => flag.clamp(other, b & 2 == 2) as u64,
            13 => option(a).and(flag.then_some(1.5_f32)).unwrap_or(2.5) as u64,
            _ => 0,
        }
    }

    impl EdgeProgram for Options {
        type Value = u64;
        type Message = u64;
        type Weight = u64;
        type Combine = Any;

        fn start(&self, _v: Vertex) -> u64 {
            0
        }
        fn edge(&self, e: Edge<u64, u64>) -> u64 {
            answer(e.source, e.value, e.weight)
        }
    }
}

#[test]
fn options_and_bool() {
    let values: Vec<u64> = (0..16).collect();
    compare(&options::Options, &cases(OPERATIONS, &values, &values), |program, edge| program.edge(edge));
}
