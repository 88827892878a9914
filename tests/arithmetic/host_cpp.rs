//! Compiles the CUDA text of a program as host C++, which its headers also support. If there is no C++ compiler, the
//! comparison is skipped with a message, or the test fails if `WOLFPATH_TESTS` requires a compiler.

use std::path::Path;
use std::process::Command;

use wolfpath::program::{AggregateOf, Checked, Datum, DatumKind, EdgeProgram};

use super::{Case, Demand};

/// C++ program that reads cases from one file and writes the answers to another. A case is an operation and the bits of
/// two numbers. An answer is the fault plus one (0 for none) and the bits of the message. Each number has eight bytes.
const MAIN: &str = r#"
#include <stdio.h>
template <typename T> static T number(unsigned long long bits) { T x; memcpy(&x, &bits, sizeof(x)); return x; }
int main(int, char** files) {
    FILE* cases = fopen(files[1], "rb");
    FILE* answers = fopen(files[2], "wb");
    unsigned long long asked[3];
    while (fread(asked, sizeof(asked), 1, cases) == 1) {
        wp::Context cx{0};
        program::Params params{};
        wp::Edge<program::Value, program::Weight> edge{};
        edge.source = asked[0];
        edge.value = number<program::Value>(asked[1]);
        edge.weight = number<program::Weight>(asked[2]);
        wp::Option<program::Message> message = program::edge(params, edge, cx);
        unsigned long long answer[2] = {cx.fault, 0};
        memcpy(&answer[1], &message.value, sizeof(message.value));
        fwrite(answer, sizeof(answer), 1, answers);
    }
    return fclose(answers);
}
"#;

/// Compares the answers of the C++ program with those of the twin.
pub(super) fn compare<P: EdgeProgram>(
    cases: &[Case<P>],
    twins: &[Checked<P::Message>],
    close: impl Fn(u64, u64, u64) -> bool,
) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let binary = folder.path().join("program");
    if !compile::<P>(folder.path(), &binary) {
        let found = "no C++ compiler was found (set CXX to name one; c++ is the default)";
        if Demand::Cxx.is_made() {
            panic!("{found}, and WOLFPATH_TESTS requires one");
        }
        eprintln!("{found}: the CUDA text was not compared");
        return;
    }
    let answers = run(folder.path(), &binary, cases);
    assert_eq!(answers.len(), cases.len(), "the C++ program answers every case");
    for ((case, twin), answer) in cases.iter().zip(twins).zip(answers) {
        let agrees = match twin {
            Ok(message) => answer.0 == 0 && close(case.operation, message.to_bits(), answer.1),
            Err(fault) => answer.0 == u64::from(fault.site) + 1,
        };
        let at = format!("{} operation {} on {:?}, {:?}", P::MODEL.name, case.operation, case.a, case.b);
        assert!(agrees, "{at}: {twin:?}, but in C++ (fault plus one, bits) {answer:?}");
    }
}

fn compile<P: EdgeProgram>(folder: &Path, binary: &Path) -> bool {
    let source = folder.join("program.cpp");
    let text = [&configuration::<P>(), &*wolfpath_kernels::language(), P::MODEL.cuda, MAIN].join("\n");
    std::fs::write(&source, text).expect("the source file is writable");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let options =
        ["-std=c++17", "-O1", "-ffp-contract=off", "-fsanitize=undefined", "-fno-sanitize-recover=all"];
    let output = Command::new(compiler).args(options).arg("-w").arg(&source).arg("-o").arg(binary).output();
    let Ok(output) = output else { return false };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

/// Returns the definitions that the runtime puts before the headers.
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

fn run<P: EdgeProgram>(folder: &Path, binary: &Path, cases: &[Case<P>]) -> Vec<(u64, u64)> {
    let asked = cases.iter().flat_map(|case| [case.operation, case.a.to_bits(), case.b.to_bits()]);
    let (question, answer) = (folder.join("cases"), folder.join("answers"));
    std::fs::write(&question, asked.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
        .expect("the file of cases is writable");
    let output = Command::new(binary).args([&question, &answer]).output().expect("the C++ program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the C++ program ended with {}: {said}", output.status);
    let answers = std::fs::read(&answer).expect("the C++ program writes answers");
    let (numbers, _) = answers.as_chunks::<8>();
    let (pairs, _) = numbers.as_chunks::<2>();
    pairs.iter().map(|[fault, bits]| (u64::from_le_bytes(*fault), u64::from_le_bytes(*bits))).collect()
}
