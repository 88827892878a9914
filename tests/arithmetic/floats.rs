//! Operations on floats.

use wolfpath::edge_program;
use wolfpath::program::{EdgeProgram, Executable};

use super::{cases, compare};

/// Number of operations of `program!`.
const OPERATIONS: u64 = 57;

macro_rules! program {
    ($module:ident, $number:ident, $tiny:literal) => {
        #[edge_program]
        pub(crate) mod $module {
            use wolfpath::prelude::*;

            #[derive(Clone, Copy)]
            pub(crate) struct Floats;

            fn arithmetic(operation: u64, a: $number, b: $number) -> $number {
                match operation {
                    0 => a + b,
                    1 => a - b,
                    2 => a * b,
                    3 => a / b,
                    4 => a % b,
                    5 => -a,
                    6 => a.min(b),
                    7 => a.max(b),
                    8 => a.clamp(b, 100.0),
                    9 => a.abs(),
                    10 => a.sqrt(),
                    11 => a.floor(),
                    12 => a.ceil(),
                    13 => a.round(),
                    14 => a.trunc(),
                    15 => a.fract(),
                    16 => a.mul_add(b, 0.1),
                    17 => a.recip(),
                    18 => a.signum(),
                    19 => a.copysign(b),
                    20 => {
                        let mut x = a;
                        x += b;
                        x *= 0.3;
                        x /= 7.0 - $tiny;
                        x -= <$number>::EPSILON;
                        x
                    }
                    21 => (a as f32) as $number,
                    22 => a * std::f64::consts::PI as $number + <$number>::MAX,
                    23 => {
                        if a.is_nan() {
                            1e-7
                        } else {
                            16_777_217.0
                        }
                    }
                    _ => methods(operation, a, b),
                }
            }

            fn methods(operation: u64, a: $number, b: $number) -> $number {
                match operation {
                    44 => a.midpoint(b),
                    45 => a.div_euclid(b),
                    46 => a.rem_euclid(b),
                    47 => a.round_ties_even(),
                    48 => a.next_up(),
                    49 => a.next_down(),
                    50 => a.to_degrees(),
                    51 => a.to_radians(),
                    52 => <$number>::from_bits(b.to_bits()),
                    53 => {
                        if a.is_normal() {
                            <$number>::MIN_EXP as $number
                        } else {
                            <$number>::MAX_10_EXP as $number
                        }
                    }
                    54 => {
                        if a.is_subnormal() {
                            <$number>::MANTISSA_DIGITS as $number
                        } else {
                            <$number>::DIGITS as $number + <$number>::RADIX as $number
                        }
                    }
                    55 => constants(),
                    _ => 0.0,
                }
            }

            fn constants() -> $number {
                use_of(std::$number::consts::FRAC_PI_3, core::$number::consts::FRAC_1_SQRT_2)
                    + use_of(std::$number::consts::LOG2_10, std::$number::consts::FRAC_2_SQRT_PI)
                    + use_of(std::$number::consts::LOG10_E, std::$number::consts::TAU)
            }

            fn use_of(a: $number, b: $number) -> $number {
                a * b
            }

            fn questions(operation: u64, a: $number, b: $number) -> u64 {
                match operation {
                    24 => u64::from(a < b) | (a <= b) as u64 * 2 | (a == b) as u64 * 4 | (a != b) as u64 * 8,
                    25 => a.is_nan() as u64,
                    26 => a.is_finite() as u64,
                    27 => a.is_infinite() as u64,
                    28 => a.is_sign_negative() as u64,
                    29 => a.is_sign_positive() as u64,
                    30 => a as u8 as u64,
                    31 => a as i8 as u64,
                    32 => a as u16 as u64,
                    33 => a as i16 as u64,
                    34 => a as u32 as u64,
                    35 => a as i32 as u64,
                    36 => a as u64,
                    37 => a as i64 as u64,
                    38 => a as usize as u64,
                    39 => {
                        if a.is_nan() {
                            0
                        } else {
                            a.to_bits() as u64
                        }
                    }
                    40 => (a as f64).to_bits() & 0xffff,
                    41 => <$number>::INFINITY.to_bits() as u64 ^ <$number>::MIN_POSITIVE.to_bits() as u64,
                    _ => 0,
                }
            }

            impl EdgeProgram for Floats {
                type Value = $number;
                type Message = u64;
                type Weight = $number;
                type Combine = Any;

                fn start(&self, _v: Vertex) -> $number {
                    0.0
                }
                fn edge(&self, e: Edge<$number, $number>) -> Option<u64> {
                    if e.source == 43 {
                        return None;
                    }
                    if e.source >= 24 && e.source < 43 {
                        return Some(questions(e.source, e.value, e.weight));
                    }
                    let result = arithmetic(e.source, e.value, e.weight);
                    if result.is_nan() { Some(u64::MAX) } else { Some(result.to_bits() as u64) }
                }
                fn apply(&self, v: Vertex<$number>, _incoming: u64) -> $number {
                    v.value
                }
            }
        }
    };
}

program!(floats_f32, f32, 1e-3);
program!(floats_f64, f64, 1e-3);

/// Numbers at which the behaviour of an operation changes, and their neighbours.
pub(crate) const EDGES: [f64; 28] = [
    0.0,
    0.1,
    0.5,
    0.499_999_999_999_999_94,
    1.0,
    1.5,
    2.5,
    3.7,
    100.0,
    127.0,
    127.5,
    128.0,
    255.5,
    256.0,
    32_768.0,
    65_536.0,
    8_388_609.0,
    2_147_483_647.0,
    2_147_483_648.0,
    4_294_967_295.0,
    4_294_967_296.0,
    9_223_372_036_854_775_807.0,
    18_446_744_073_709_551_615.0,
    1e30,
    1e-40,
    5e-324,
    f64::INFINITY,
    f64::NAN,
];

macro_rules! test {
    ($module:ident, $number:ident) => {
        #[test]
        fn $module() {
            let edges: Vec<$number> =
                EDGES.iter().flat_map(|&edge| [edge as $number, -edge as $number]).collect();
            let cases: Vec<_> =
                cases(OPERATIONS, &edges, &edges).into_iter().filter(|case| case.operation != 43).collect();
            compare(&super::$module::Floats, &cases, |program, edge| match edge.source {
                // The standard library does not specify the sign of zero here, so the twin's answer is expected.
                6 | 7 => Executable::checked_edge(program, edge)
                    .ok()
                    .flatten()
                    .expect("these operations cannot fault"),
                _ => program.edge(edge).expect("only operation 43 sends nothing"),
            });
        }
    };
}

mod tests {
    use super::*;

    test!(floats_f32, f32);
    test!(floats_f64, f64);
}
