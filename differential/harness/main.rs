// This file is appended to the modules of a batch. `emit FILE` writes the CUDA text of the batch's programs. `compare
// INPUTS ANSWERS` calls the user's functions and their twins, and compares both with the answers of the C++.

use std::cell::RefCell;

use wolfpath::program::FaultSite;

struct Program {
    index: usize,
    cuda: &'static str,
    faults: &'static [FaultSite],
    /// Names of macros for `questions.cpp`, and their values.
    macros: Vec<(&'static str, usize)>,
    questions: Vec<Question>,
}

macro_rules! programs {
    ($($index:literal $module:ident)*) => {
        fn programs() -> Vec<Program> {
            vec![$(program($index, $module::Random)),*]
        }
    };
}

fn program<P: Asked>(index: usize, p: P) -> Program {
    let model = &P::MODEL;
    let combine = combiner::<P>();
    let fieldwise = [CombineKind::Sum, CombineKind::Or, CombineKind::And, CombineKind::Fields].contains(&combine);
    let macros = vec![
        ("WP_SIZE_MESSAGE", P::Message::KIND.size()),
        ("WP_SIZE_AGGREGATE", <AggregateOf<P> as Datum>::KIND.size()),
        ("PROGRAM_COMBINE", number(combine)),
        ("PROGRAM_BY_FIELD", usize::from(fieldwise && P::Message::KIND.is_struct())),
        ("PROGRAM_HAS_FOLDS", usize::from(P::Aggregate::KIND.is_some())),
        ("PROGRAM_FOLDS", P::Aggregate::KIND.map_or(0, number)),
        ("PROGRAM_READS_FOLD", usize::from(model.reads.edge_aggregate)),
        ("PROGRAM_READS_BEFORE", usize::from(model.reads.vertex_before)),
        ("PROGRAM_MAY_HAVE_NO_VALUE", usize::from(may_have_no_value::<P>())),
        ("PROGRAM_COMPUTES_WITHOUT_MESSAGE", usize::from(computes_without_message::<P>())),
        ("PROGRAM_HAS_APPLY", usize::from(model.has_apply)),
        ("PROGRAM_HAS_CHANGED", usize::from(model.has_changed)),
        ("PROGRAM_HAS_SENDS", usize::from(model.has_sends)),
        ("PROGRAM_HAS_HALTS", usize::from(model.has_halts)),
        ("PROGRAM_HAS_PRIORITY", usize::from(model.has_priority)),
        ("PROGRAM_HAS_FINISHED", usize::from(model.has_finished)),
    ];
    Program { index, cuda: model.cuda, faults: model.faults, macros, questions: questions(p) }
}

/// Returns the number of a combiner in `types.cuh`.
fn number(kind: CombineKind) -> usize {
    match kind {
        CombineKind::Min => 0,
        CombineKind::Max => 1,
        CombineKind::Sum => 2,
        CombineKind::Or => 3,
        CombineKind::And => 4,
        CombineKind::Any => 5,
        CombineKind::Custom => 6,
        CombineKind::Fields => 7,
        CombineKind::MostFrequent => 8,
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

fn original(question: &Question, input: Input) -> Result<Answer, Panic> {
    let ask = || (question.ask)(Form::Original, input);
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(ask)) {
        Ok(answer) => Ok(answer.expect("the user's functions panic instead")),
        Err(_) => Err(PANIC.take()),
    }
}

impl Question {
    fn agrees(&self, a: &Answer, b: &Answer) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => (self.same)(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    fn shown(&self, answer: &Answer) -> Option<String> {
        answer.as_ref().map(|bytes| (self.show)(bytes))
    }
}

/// Returns a description of the difference between the user's function and its twin, if any.
fn twin_differs(
    question: &Question,
    sites: &[FaultSite],
    original: &Result<Answer, Panic>,
    twin: &Checked<Answer>,
) -> Option<String> {
    match (original, twin) {
        (Ok(a), Ok(b)) if question.agrees(a, b) => None,
        (Ok(a), Ok(b)) => {
            Some(format!("the function returns {:?}, the twin {:?}", question.shown(a), question.shown(b)))
        }
        (Err((said, line)), Err(fault)) => {
            let site = &sites[fault.site as usize];
            let same = is_said(said, site.message) && line.is_none_or(|line| line == site.line);
            (!same).then(|| format!("panic `{said}` at line {line:?}, but the twin's fault is {site:?}"))
        }
        (Ok(a), Err(fault)) => {
            let site = &sites[fault.site as usize];
            Some(format!("the function returns {:?}, the twin {site:?}", question.shown(a)))
        }
        (Err(panic), Ok(b)) => Some(format!("the function panics {panic:?}, the twin {:?}", question.shown(b))),
    }
}

fn cxx_differs(question: &Question, twin: &Checked<Answer>, cxx: &[u64]) -> Option<String> {
    let (fault, some) = (cxx[0] >> 1, cxx[0] & 1 == 1);
    let bytes: Vec<u8> = cxx[1..].iter().flat_map(|word| word.to_le_bytes()).take(question.size).collect();
    let found = some.then_some(bytes);
    let same = match twin {
        Ok(answer) => fault == 0 && question.agrees(answer, &found),
        Err(twin) => fault == u64::from(twin.site) + 1,
    };
    let twin = twin.as_ref().map(|answer| question.shown(answer));
    let found = question.shown(&found);
    (!same).then(|| format!("the twin returns {twin:?}, the C++ fault {fault} (site + 1) or {found:?}"))
}

fn numbers(path: &str) -> Vec<u64> {
    let bytes = std::fs::read(path).expect("the file can be read");
    bytes.as_chunks::<8>().0.iter().map(|number| u64::from_le_bytes(*number)).collect()
}

fn emit(programs: &[Program], path: &str) {
    let (mut text, mut asks) = (String::new(), Vec::new());
    for Program { index, cuda, macros, questions, .. } in programs {
        for (name, value) in macros {
            text += &format!("#undef {name}\n#define {name} {value}\n");
        }
        let questions = questions.iter().map(|question| question.function);
        asks.extend(questions.map(|function| format!("ask<program_{index}::ask_{function}>")));
        text += &format!("#define program program_{index}\n{cuda}\n#include \"questions.cpp\"\n#undef program\n");
    }
    text += &format!("#line 1 \"table\"\nstatic const Ask asks[] = {{{}}};\n", asks.join(", "));
    std::fs::write(path, text).expect("the file can be written");
}

/// Numbers of answers, and of those that were faults.
#[derive(Default)]
struct Counts {
    answers: usize,
    faults: usize,
}

/// Prints one line for each program whose forms disagree, about the first input for which they do. Also prints the
/// numbers of answers and of faults.
fn compare(programs: &[Program], inputs: &str, answers: &str) {
    listen();
    let (inputs, answers) = (numbers(inputs), numbers(answers));
    let (inputs, mut rest) = (inputs.as_chunks::<3>().0, &answers[..]);
    let mut counts = Counts::default();
    for program in programs {
        let mut found = None;
        for question in &program.questions {
            let (answers, others) = rest.split_at(question.words() * inputs.len());
            rest = others;
            if found.is_none() {
                found = differs(question, program.faults, inputs, answers, &mut counts);
            }
        }
        if let Some((kind, what)) = found {
            println!("{}\t{kind}\t{}", program.index, what.replace(['\n', '\t'], " "));
        }
    }
    println!("answers\t{}\nfaults\t{}", counts.answers, counts.faults);
}

/// Returns the kind and a description of the first difference between the answers to a question, if any.
fn differs(
    question: &Question,
    sites: &[FaultSite],
    inputs: &[Input],
    answers: &[u64],
    counts: &mut Counts,
) -> Option<(&'static str, String)> {
    inputs.iter().zip(answers.chunks(question.words())).find_map(|(&input, cxx)| {
        let (original, twin) = (original(question, input), (question.ask)(Form::Twin, input));
        counts.answers += 1;
        counts.faults += usize::from(twin.is_err());
        let found = twin_differs(question, sites, &original, &twin).map(|what| ("rust", what));
        let found = found.or_else(|| cxx_differs(question, &twin, cxx).map(|what| ("cxx", what)));
        found.map(|(kind, what)| (kind, format!("{} of {input:?}: {what}", question.function)))
    })
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["emit", path] => emit(&programs(), path),
        ["compare", inputs, answers] => compare(&programs(), inputs, answers),
        _ => panic!("expected `emit FILE` or `compare INPUTS ANSWERS`"),
    }
}
