//! The CUDA text of a program as host C++: the headers before it compile as either. Skipped, with a line that
//! says so, where there is no C++ compiler.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use wolfpath::program::{AggregateOf, Checked, Datum, DatumKind, EdgeProgram};

use super::Case;

/// Reads cases from standard input, as bits, and answers each with the fault and the message's bits.
const MAIN: &str = r#"
#include <stdio.h>
template <typename T> static T number(unsigned long long bits) { T x; memcpy(&x, &bits, sizeof(x)); return x; }
int main() {
    unsigned long long operation, a, b;
    while (scanf("%llu %llu %llu", &operation, &a, &b) == 3) {
        wp::Context cx{0};
        program::Params params{};
        wp::Edge<program::Value, program::Weight> edge{};
        edge.value = number<program::Value>(a);
        edge.weight = number<program::Weight>(b);
        edge.source = operation;
        wp::Option<program::Message> message = program::edge(params, edge, cx);
        unsigned long long bits = 0;
        memcpy(&bits, &message.value, sizeof(message.value));
        printf("%u %llu\n", cx.fault, bits);
    }
}
"#;

/// Compares the C++ with the twin's answers.
pub(super) fn compare<P: EdgeProgram>(
    cases: &[Case<P>],
    twins: &[Checked<P::Message>],
    close: impl Fn(u64, u64, u64) -> bool,
) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let binary = folder.path().join("program");
    if !compile::<P>(folder.path(), &binary) {
        eprintln!("no C++ compiler was found: the CUDA text was not compared");
        return;
    }
    let answers = run(&binary, cases);
    assert_eq!(answers.len(), cases.len(), "the C++ program answers every case");
    for ((case, twin), answer) in cases.iter().zip(twins).zip(answers) {
        let agrees = match twin {
            Ok(message) => answer.0 == 0 && close(case.operation, message.to_bits(), answer.1),
            Err(fault) => answer.0 == fault.site + 1,
        };
        let at = format!("{} operation {} on {:?}, {:?}", P::MODEL.name, case.operation, case.a, case.b);
        assert!(agrees, "{at}: {twin:?}, but in C++ (fault plus one, bits) {answer:?}");
    }
}

fn compile<P: EdgeProgram>(folder: &Path, binary: &Path) -> bool {
    let source = folder.join("program.cpp");
    let text = [&configuration::<P>(), &*wolfpath_kernels::language(), P::MODEL.cuda, MAIN].join("\n");
    std::fs::write(&source, text).expect("the source is written");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let options =
        ["-std=c++17", "-O1", "-ffp-contract=off", "-fsanitize=undefined", "-fno-sanitize-recover=all"];
    let output = Command::new(compiler).args(options).arg("-w").arg(&source).arg("-o").arg(binary).output();
    let Ok(output) = output else { return false };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

/// What the runtime defines before the headers.
fn configuration<P: EdgeProgram>() -> String {
    let sizes = [
        ("VALUE", P::Value::KIND),
        ("MESSAGE", P::Message::KIND),
        ("WEIGHT", P::Weight::KIND),
        ("AGGREGATE", AggregateOf::<P>::KIND),
    ];
    let size = |(name, kind): (&str, DatumKind)| format!("#define WP_SIZE_{name} {}\n", kind.size());
    let sizes: String = sizes.map(size).concat();
    format!("#define WP_FN static inline\n#define WP_CHECKED {}\n{sizes}", u8::from(P::MODEL.checked))
}

fn run<P: EdgeProgram>(binary: &Path, cases: &[Case<P>]) -> Vec<(u32, u64)> {
    let mut input = String::new();
    for case in cases {
        input.push_str(&format!("{} {} {}\n", case.operation, case.a.to_bits(), case.b.to_bits()));
    }
    let mut child = Command::new(binary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("the input is piped");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends").expect("the cases are written");
    assert!(output.status.success(), "the C++ program ended with {}", output.status);
    let lines = String::from_utf8(output.stdout).expect("numbers are text");
    lines
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(fault, bits)| (parse(fault), parse(bits)))
        .collect()
}

fn parse<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is a number"))
}
