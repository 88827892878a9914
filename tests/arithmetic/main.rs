//! Every operation of the language on edge cases, three ways: the user's own function as rustc compiles it, its
//! checked twin, and the CUDA text compiled as host C++ (where there is a C++ compiler). All must give the same
//! bits, or panic and fault with the same words. `WOLFPATH_TESTS=cxx` demands a C++ compiler and asks each program a
//! million random questions more; `WOLFPATH_TESTS=nvrtc` demands NVRTC, which then compiles the text as well.
#![allow(clippy::collapsible_match, reason = "every construct is to be translated, the clumsy ones too")]

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

use wolfpath::program::{Checked, Datum, Edge, EdgeProgram, Executable};

/// One question: which operation, on what.
struct Case<P: EdgeProgram> {
    operation: u64,
    a: P::Value,
    b: P::Weight,
}

/// The edge that asks a question.
fn edge<P: EdgeProgram>(case: &Case<P>) -> Edge<P::Value, P::Weight> {
    Edge {
        value: case.a,
        weight: case.b,
        source: case.operation,
        target: 0,
        source_index: 0,
        target_index: 0,
        out_degree: 0,
    }
}

/// A demand on the machine. The variable `WOLFPATH_TESTS` lists them, separated by commas.
#[derive(Clone, Copy, PartialEq)]
enum Demand {
    /// A C++ compiler, and a million random questions to each program.
    Cxx,
    /// NVRTC.
    Nvrtc,
}

impl Demand {
    /// Returns `true` if the variable makes this demand.
    ///
    /// # Panics
    /// If the variable holds another word: a demand that is misspelt would be passed over.
    fn is_made(self) -> bool {
        let words = std::env::var("WOLFPATH_TESTS").unwrap_or_default();
        let demands: Vec<Demand> = words.split(',').filter(|word| !word.is_empty()).map(Demand::of).collect();
        demands.contains(&self)
    }

    fn of(word: &str) -> Demand {
        match word {
            "cxx" => Demand::Cxx,
            "nvrtc" => Demand::Nvrtc,
            _ => panic!(
                "WOLFPATH_TESTS: expected cxx, nvrtc or both with a comma between them, found `{word}`"
            ),
        }
    }
}

/// Number of random questions to a program, when C++ is demanded.
const RANDOM: usize = 1_000_000;

/// All operations on all pairs, and on random numbers when C++ is demanded.
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

/// Numbers without end, the same in every run (SplitMix64).
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

    /// One of these, or any number, or one whose low bits alone are set at random.
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

/// The twin's answer.
fn twin<P: EdgeProgram>(program: &P, case: &Case<P>) -> Checked<P::Message> {
    Executable::checked_edge(program, edge(case)).map(|message| message.expect("these programs always send"))
}

thread_local! {
    /// Whether this thread is asking an original, whose panics are answers.
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Keeps the panics of originals out of the tests' output.
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

/// What the user's function gives, or says when it panics.
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
    F: Fn(&P, Edge<P::Value, P::Weight>) -> P::Message + std::panic::RefUnwindSafe,
{
    compare_within(program, cases, call, |_, a, b| a == b);
}

/// [`compare`] with a question about the bits of the twin's and the C++'s answers to an operation: whether they are
/// close enough.
fn compare_within<P, F>(program: &P, cases: &[Case<P>], call: F, close: impl Fn(u64, u64, u64) -> bool)
where
    P: EdgeProgram + std::panic::RefUnwindSafe,
    P::Value: std::panic::RefUnwindSafe,
    P::Weight: std::panic::RefUnwindSafe,
    F: Fn(&P, Edge<P::Value, P::Weight>) -> P::Message + std::panic::RefUnwindSafe,
{
    let originals: Vec<_> = cases.iter().map(|case| original(|| call(program, edge(case)))).collect();
    let twins: Vec<_> = cases.iter().map(|case| twin(program, case)).collect();
    for ((case, original), twin) in cases.iter().zip(originals).zip(&twins) {
        let at = format!("{} operation {} on {:?}, {:?}", P::MODEL.name, case.operation, case.a, case.b);
        match (original, twin) {
            (Ok(value), Ok(twin)) => assert!(value.same(*twin), "{at}: {value:?}, but the twin {twin:?}"),
            (Err(panic), Err(fault)) => {
                let said = P::MODEL.faults[fault.site as usize].message;
                // The words of `clamp` differ between versions of the standard library.
                let same = panic.starts_with(said) || panic.contains("min <= max");
                assert!(same, "{at}: `{panic}`, but the twin says `{said}`");
            }
            (original, twin) => panic!("{at}: {original:?}, but the twin {twin:?}"),
        }
    }
    host_cpp::compare(cases, &twins, close);
    nvrtc::compiles::<P>();
}
