//! Every operation of the language on edge cases, in three implementations: the user's own function as compiled by
//! rustc, its checked twin (the copy that returns a fault where the original panics), and the CUDA text compiled as
//! host C++ (if there is a C++ compiler). All must give the same bits, or panic and fault with the same message.
//! `WOLFPATH_TESTS=cxx` requires a C++ compiler and adds a million random cases per program. `WOLFPATH_TESTS=nvrtc`
//! requires NVRTC, which then also compiles the text.
#![allow(clippy::collapsible_match, reason = "every construct must be translated, including clumsy ones")]

mod control_program;
mod floats;
mod host_cpp;
mod integer_methods;
mod integers;
mod language;
mod nvrtc;
mod options;
mod overflowing;
mod transcendental;
mod value_program;

use std::cell::Cell;
use std::sync::Once;

use wolfpath::program::{AggregateOf, Aggregator, Checked, Datum, Edge, EdgeProgram, Executable};

/// One case: an operation and its operands.
struct Case<P: EdgeProgram> {
    operation: u64,
    a: P::Value,
    b: P::Weight,
}

/// Returns an edge whose message is the result of the case.
fn edge<P: EdgeProgram>(case: &Case<P>) -> Edge<P::Value, P::Weight, AggregateOf<P>> {
    Edge {
        value: case.a,
        weight: case.b,
        source: case.operation,
        target: 0,
        source_index: 0,
        target_index: 0,
        out_degree: 0,
        step: 0,
        aggregate: P::Aggregate::identity(),
        forward: true,
        place: 0,
        common_neighbours: 0,
        common_edges: 0,
    }
}

/// Requirement on the machine. The variable `WOLFPATH_TESTS` lists requirements, separated by commas.
#[derive(Clone, Copy, PartialEq)]
enum Demand {
    /// A C++ compiler. Also adds a million random cases per program.
    Cxx,
    /// NVRTC.
    Nvrtc,
}

impl Demand {
    /// Returns `true` if the variable lists this requirement.
    ///
    /// # Panics
    /// Panics if the variable contains any other word, because a misspelt requirement would otherwise be ignored.
    fn is_made(self) -> bool {
        let words = std::env::var("WOLFPATH_TESTS").unwrap_or_default();
        let demands: Vec<Demand> = words.split(',').filter(|word| !word.is_empty()).map(Demand::of).collect();
        demands.contains(&self)
    }

    fn of(word: &str) -> Demand {
        match word {
            "cxx" => Demand::Cxx,
            "nvrtc" => Demand::Nvrtc,
            _ => panic!("WOLFPATH_TESTS: expected cxx, nvrtc, or both separated by a comma; found `{word}`"),
        }
    }
}

/// Number of random cases per program if C++ is required.
const RANDOM: usize = 1_000_000;

/// Returns all operations on all pairs of numbers, and on random numbers if C++ is required.
fn cases<P: EdgeProgram>(operations: u64, values: &[P::Value], weights: &[P::Weight]) -> Vec<Case<P>> {
    let mut cases = Vec::new();
    for operation in 0..operations {
        for &a in values {
            for &b in weights {
                cases.push(Case { operation, a, b });
            }
        }
    }
    if Demand::Cxx.is_made() {
        let mut random = Random(operations);
        cases.extend((0..RANDOM).map(|_| Case {
            operation: random.below(operations),
            a: random.datum(values),
            b: random.datum(weights),
        }));
    }
    cases
}

/// Endless pseudo-random numbers, the same in every run (SplitMix64).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// Returns one of `known`, any number, or a number in which only the low bits are random.
    fn datum<D: Datum>(&mut self, known: &[D]) -> D {
        let bits = self.bits();
        match self.below(4) {
            0 => known[self.below(known.len() as u64) as usize],
            1 => D::from_bits(bits >> self.below(64)),
            2 => D::from_bits((bits as i64 >> self.below(64)) as u64),
            _ => D::from_bits(bits),
        }
    }
}

/// Returns the twin's answer.
fn twin<P: EdgeProgram>(program: &P, case: &Case<P>) -> Checked<P::Message> {
    Executable::checked_edge(program, edge(case)).map(|message| message.expect("these programs always send"))
}

thread_local! {
    /// `true` while this thread calls an original, whose panics are answers.
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Suppresses the panic messages of originals in the tests' output.
fn hush() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !ASKING.get() {
                loud(panic);
            }
        }));
    });
}

/// Returns the result of the user's function, or its message if it panics.
fn original<R>(run: impl FnOnce() -> R + std::panic::UnwindSafe) -> Result<R, String> {
    hush();
    ASKING.set(true);
    let result = std::panic::catch_unwind(run);
    ASKING.set(false);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
    })
}

/// Compares the twin with the user's function, and the C++ with the twin, bit for bit.
fn compare<P, F>(program: &P, cases: &[Case<P>], call: F)
where
    P: EdgeProgram + std::panic::RefUnwindSafe,
    P::Value: std::panic::RefUnwindSafe,
    P::Weight: std::panic::RefUnwindSafe,
    F: Fn(&P, Edge<P::Value, P::Weight, AggregateOf<P>>) -> P::Message + std::panic::RefUnwindSafe,
{
    compare_within(program, cases, call, |_, a, b| a == b);
}

/// Does the same as [`compare`], but accepts results of the twin and the C++ program whose bits are close enough
/// according to `close`.
fn compare_within<P, F>(program: &P, cases: &[Case<P>], call: F, close: impl Fn(u64, u64, u64) -> bool)
where
    P: EdgeProgram + std::panic::RefUnwindSafe,
    P::Value: std::panic::RefUnwindSafe,
    P::Weight: std::panic::RefUnwindSafe,
    F: Fn(&P, Edge<P::Value, P::Weight, AggregateOf<P>>) -> P::Message + std::panic::RefUnwindSafe,
{
    let originals: Vec<_> = cases.iter().map(|case| original(|| call(program, edge(case)))).collect();
    let twins: Vec<_> = cases.iter().map(|case| twin(program, case)).collect();
    for ((case, original), twin) in cases.iter().zip(originals).zip(&twins) {
        let at = format!("{} operation {} on {:?}, {:?}", P::MODEL.name, case.operation, case.a, case.b);
        match (original, twin) {
            (Ok(value), Ok(twin)) => assert!(value.same(*twin), "{at}: {value:?}, but the twin {twin:?}"),
            (Err(panic), Err(fault)) => {
                let said = P::MODEL.faults[fault.site as usize].message;
                // The message of `clamp` differs between versions of the standard library.
                let same = panic.starts_with(said) || panic.contains("min <= max");
                assert!(same, "{at}: `{panic}`, but the twin reports `{said}`");
            }
            (original, twin) => panic!("{at}: {original:?}, but the twin {twin:?}"),
        }
    }
    host_cpp::compare(cases, &twins, close);
    nvrtc::compiles::<P>();
}
