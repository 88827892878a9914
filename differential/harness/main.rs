// This file is appended to the modules of a batch. `emit FILE` writes the CUDA text of the batch's programs. `compare
// INPUTS ANSWERS` calls the user's functions and their twins, and compares both with the answers of the C++.

use std::cell::RefCell;

use wolfpath::program::{Checked, Edge, EdgeProgram, Executable, FaultSite};

/// A message as a bool and a number: `true` if there is a message, and its bits.
trait Answer {
    fn bits(self) -> (bool, u64);
}

impl Answer for u64 {
    fn bits(self) -> (bool, u64) {
        (true, self)
    }
}

impl Answer for Option<u64> {
    fn bits(self) -> (bool, u64) {
        (self.is_some(), self.unwrap_or(0))
    }
}

struct Program {
    index: usize,
    cuda: &'static str,
    faults: &'static [FaultSite],
    original: fn([u64; 3]) -> (bool, u64),
    twin: fn([u64; 3]) -> Checked<(bool, u64)>,
}

macro_rules! programs {
    ($($index:literal $module:ident)*) => {
        &[$(Program {
            index: $index,
            cuda: <$module::Random as Executable>::MODEL.cuda,
            faults: <$module::Random as Executable>::MODEL.faults,
            original: |input| Answer::bits($module::Random.edge(edge(input))),
            twin: |input| Executable::checked_edge(&$module::Random, edge(input)).map(Answer::bits),
        }),*]
    };
}

fn edge([value, weight, source]: [u64; 3]) -> Edge<u64, u64> {
    Edge {
        value,
        weight,
        source,
        target: 0,
        source_index: 0,
        target_index: 0,
        out_degree: 0,
        step: 0,
        aggregate: (),
        forward: true,
        place: 0,
        common_neighbours: 0,
        common_edges: 0,
    }
}

/// Message of a panic, and its line if the panic is in the batch's file.
type Panic = (String, Option<u32>);

thread_local! {
    static PANIC: RefCell<Panic> = const { RefCell::new((String::new(), None)) };
}

fn listen() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.payload().downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.payload().downcast_ref::<String>().cloned()).unwrap_or_default();
        let here = panic.location().filter(|place| place.file() == file!());
        PANIC.replace((text, here.map(|place| place.line())));
    }));
}

fn original(program: &Program, input: [u64; 3]) -> Result<(bool, u64), Panic> {
    std::panic::catch_unwind(|| (program.original)(input)).map_err(|_| PANIC.take())
}

/// Returns a description of the difference between the user's function and its twin, if any.
fn twin_differs(program: &Program, original: &Result<(bool, u64), Panic>, twin: &Checked<(bool, u64)>) -> Option<String> {
    match (original, twin) {
        (Ok(a), Ok(b)) if a == b => None,
        (Err((said, line)), Err(fault)) => {
            let site = &program.faults[fault.site as usize];
            if is_said(said, site.message) && line.is_none_or(|line| line == site.line) {
                None
            } else {
                Some(format!("panic `{said}` at line {line:?}, but the twin's fault is {site:?}"))
            }
        }
        (original, Ok(twin)) => Some(format!("the function returns {original:?}, the twin {twin:?}")),
        (original, Err(fault)) => {
            let site = &program.faults[fault.site as usize];
            Some(format!("the function returns {original:?}, the twin {site:?}"))
        }
    }
}

fn cxx_differs(twin: &Checked<(bool, u64)>, cxx: [u64; 2]) -> Option<String> {
    let same = match twin {
        Ok((some, bits)) => cxx == [u64::from(*some), *bits],
        Err(fault) => cxx[0] >> 1 == u64::from(fault.site) + 1,
    };
    let (fault, some, bits) = (cxx[0] >> 1, cxx[0] & 1 == 1, cxx[1]);
    (!same).then(|| format!("the twin returns {twin:?}, the C++ fault {fault} (site + 1) or {:?}", (some, bits)))
}

fn numbers(path: &str) -> Vec<u64> {
    let bytes = std::fs::read(path).expect("the file can be read");
    bytes.as_chunks::<8>().0.iter().map(|number| u64::from_le_bytes(*number)).collect()
}

fn emit(programs: &[Program], path: &str) {
    let mut text = String::new();
    for program in programs {
        let (index, cuda) = (program.index, program.cuda);
        text += &format!("#define program program_{index}\n{cuda}\n#undef program\n");
        text += &format!("#line 1 \"table\"\nWOLFPATH_ASK({index})\n");
    }
    let asks: Vec<String> = programs.iter().map(|program| format!("ask_{}", program.index)).collect();
    text += &format!("static const Ask asks[] = {{{}}};\n", asks.join(", "));
    std::fs::write(path, text).expect("the file can be written");
}

/// Prints one line for each program whose forms disagree, about the first input for which they do. Also prints the
/// number of faults.
fn compare(programs: &[Program], inputs: &str, answers: &str) {
    listen();
    let (inputs, answers) = (numbers(inputs), numbers(answers));
    let inputs = inputs.as_chunks::<3>().0;
    let mut faults = 0;
    for (program, answers) in programs.iter().zip(answers.as_chunks::<2>().0.chunks(inputs.len().max(1))) {
        for (&input, &cxx) in inputs.iter().zip(answers) {
            let (original, twin) = (original(program, input), (program.twin)(input));
            faults += usize::from(twin.is_err());
            let found = twin_differs(program, &original, &twin).map(|what| ("rust", what));
            if let Some((kind, what)) = found.or_else(|| cxx_differs(&twin, cxx).map(|what| ("cxx", what))) {
                println!("{}\t{kind}\t{input:?}: {}", program.index, what.replace(['\n', '\t'], " "));
                break;
            }
        }
    }
    println!("faults\t{faults}");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["emit", path] => emit(PROGRAMS, path),
        ["compare", inputs, answers] => compare(PROGRAMS, inputs, answers),
        _ => panic!("expected `emit FILE` or `compare INPUTS ANSWERS`"),
    }
}
