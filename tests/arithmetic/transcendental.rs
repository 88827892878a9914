//! Methods of floats that may differ by some ulps. `docs/methods.md` gives the numbers of ulps.

use wolfpath::edge_program;
use wolfpath::program::EdgeProgram;

use super::{cases, compare_within};

/// Methods, in the order of the operations below.
const METHODS: [&str; 26] = [
    "powi", "powf", "cbrt", "hypot", "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "sin",
    "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "sin_cos",
];

macro_rules! program {
    ($module:ident, $number:ident) => {
        #[edge_program]
        pub(crate) mod $module {
            use wolfpath::prelude::*;

            #[derive(Clone, Copy)]
            pub(crate) struct Transcendental;

            fn both(a: $number, sine: bool) -> $number {
                let (sin, cos) = a.sin_cos();
                if sine { sin } else { cos }
            }

            fn answer(operation: u64, a: $number, b: $number) -> $number {
                match operation {
                    0 => a.powi(b as i32),
                    1 => a.powf(b),
                    2 => a.cbrt(),
                    3 => a.hypot(b),
                    4 => a.exp(),
                    5 => a.exp2(),
                    6 => a.exp_m1(),
                    7 => a.ln(),
                    8 => a.ln_1p(),
                    9 => a.log(b),
                    10 => a.log2(),
                    11 => a.log10(),
                    12 => a.sin(),
                    13 => a.cos(),
                    14 => a.tan(),
                    15 => a.asin(),
                    16 => a.acos(),
                    17 => a.atan(),
                    18 => a.atan2(b),
                    19 => a.sinh(),
                    20 => a.cosh(),
                    21 => a.tanh(),
                    22 => a.asinh(),
                    23 => a.acosh(),
                    24 => a.atanh(),
                    _ => both(a, b < 1.0),
                }
            }

            impl EdgeProgram for Transcendental {
                type Value = $number;
                type Message = $number;
                type Weight = $number;
                type Combine = Any;

                fn start(&self, _v: Vertex) -> $number {
                    0.0
                }
                fn edge(&self, e: Edge<$number, $number>) -> $number {
                    answer(e.source, e.value, e.weight)
                }
            }
        }
    };
}

program!(transcendental_f32, f32);
program!(transcendental_f64, f64);

/// Returns the ulps that the documentation allows for a method. The last two columns of its row are for `f32` and
/// `f64`.
fn granted(method: &str, column: usize) -> u64 {
    let page = include_str!("../../docs/methods.md");
    let starts = [format!("| `{method}`"), format!("| `{method}(")];
    let row = page.lines().find(|line| starts.iter().any(|start| line.starts_with(start)));
    let cell = row.and_then(|row| row.split('|').nth(column)).expect("the method has a row");
    cell.trim().parse().unwrap_or_else(|_| panic!("expected a number of ulps for {method}, found `{cell}`"))
}

macro_rules! test {
    ($module:ident, $number:ident, $bits:ident, $column:expr) => {
        #[test]
        fn $module() {
            let edges: Vec<$number> = super::super::floats::EDGES
                .iter()
                .chain(&[0.7, 2.0, 3.0, 10.0, 20.3, 88.0, 1e-3, 1.0 + 1e-6])
                .flat_map(|&edge| [edge as $number, -edge as $number])
                .collect();
            let ulps: Vec<u64> = METHODS.iter().map(|method| granted(method, $column)).collect();
            let cases = cases(METHODS.len() as u64, &edges, &edges);
            compare_within(
                &super::$module::Transcendental,
                &cases,
                |program, edge| program.edge(edge),
                |operation, a, b| {
                    distance(a as $bits as i128, b as $bits as i128, $bits::BITS) <= ulps[operation as usize]
                },
            );
        }
    };
}

/// Returns the distance of two floats in ulps, given their bits: 0 for two NaNs, `u64::MAX` for NaN and a number.
fn distance(a: i128, b: i128, bits: u32) -> u64 {
    let sign = 1i128 << (bits - 1);
    let infinity =
        if bits == 32 { i128::from(f32::INFINITY.to_bits()) } else { i128::from(f64::INFINITY.to_bits()) };
    let place = |number: i128| if number >= sign { sign - number } else { number };
    match (place(a).abs() > infinity, place(b).abs() > infinity) {
        (true, true) => 0,
        (false, false) => (place(a) - place(b)).unsigned_abs() as u64,
        _ => u64::MAX,
    }
}

mod tests {
    use super::*;

    test!(transcendental_f32, f32, u32, 4);
    test!(transcendental_f64, f64, u64, 5);
}
