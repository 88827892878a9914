//! A batch: programs in a crate with one file, which are compiled as Rust and as C++ and compared.

use std::path::{Path, PathBuf};

use crate::toolchain::{ends, failure, finished, said};
use crate::{Choices, Error, Toolchain, program};

const HARNESS: &str = concat!(
    include_str!("../harness/said.rs"),
    "\n",
    include_str!("../harness/questions.rs"),
    "\n",
    include_str!("../harness/main.rs")
);
/// Precedes the programs. Messages and folds are combined by the functions of the kernels.
const BEFORE: &str = concat!(
    include_str!("../harness/numbers.cpp"),
    include_str!("../../kernels/include/delays.cuh"),
    include_str!("../../kernels/include/values.cuh"),
    include_str!("../harness/before.cpp")
);
/// Follows each program, which includes it by this name.
const QUESTIONS: (&str, &str) = ("questions.cpp", include_str!("../harness/questions.cpp"));
const BEHIND: &str = include_str!("../harness/behind.cpp");

/// Maximum number of attempts to compile a batch. Each attempt omits the programs that a compiler has rejected so far.
const TRIES: usize = 8;

/// Programs that are compiled together.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    /// Choices of the programs.
    pub programs: &'a [Choices],
    /// `true` for a debug build, in which overflow is a fault; `false` for a release build, in which it wraps.
    pub checked: bool,
    /// Inputs for every program: three numbers each.
    pub inputs: &'a [[u64; 3]],
    /// Folder to work in: empty, or used by an earlier batch.
    pub folder: PathBuf,
}

/// A program whose three forms (the Rust function, its twin, the C++) differ, or that a compiler rejects.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// Index of the program in the batch.
    pub program: usize,
    /// Check that failed:
    ///
    /// - `rustc` or `c++`: this compiler rejected the program.
    /// - `undefined`: the C++ had undefined behaviour when it ran.
    /// - `rust`: the function and its twin differ.
    /// - `cxx`: the twin and the C++ differ.
    pub kind: String,
    /// Description of the difference, or the compiler's message.
    pub what: String,
}

/// Result of a batch.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The programs whose forms disagree or that a compiler rejects.
    pub disagreements: Vec<Disagreement>,
    /// Number of answers that were compared.
    pub answers: usize,
    /// Number of answers that were faults.
    pub faults: usize,
}

/// A file that contains all programs of a batch, each on its own lines.
struct Source {
    text: String,
    /// Index of each program, and its first line, counted from 1. The last element is the end of the last program.
    starts: Vec<(usize, usize)>,
}

impl Batch<'_> {
    /// Compiles the batch and compares its programs.
    ///
    /// # Errors
    ///
    /// Returns an error if a compiler cannot run, or fails and no program can be blamed.
    pub fn run(&self, toolchain: &Toolchain) -> Result<Outcome, Error> {
        std::fs::create_dir_all(&self.folder).map_err(Error::file(&self.folder))?;
        let mut outcome = Outcome::default();
        let mut members: Vec<usize> = (0..self.programs.len()).collect();
        for _ in 0..TRIES {
            if members.is_empty() {
                break;
            }
            let refused = match self.compile(toolchain, &members)? {
                refused if refused.is_empty() => {
                    self.compare(&members, &mut outcome)?;
                    break;
                }
                refused => refused,
            };
            members.retain(|member| refused.iter().all(|refused| refused.program != *member));
            outcome.disagreements.extend(refused);
        }
        Ok(outcome)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Compiles these programs as Rust and as C++. Returns the programs that a compiler rejects.
    fn compile(&self, toolchain: &Toolchain, members: &[usize]) -> Result<Vec<Disagreement>, Error> {
        let source = self.source(members);
        let (file, rust) = (self.path("batch.rs"), self.path("rust"));
        std::fs::write(&file, &source.text).map_err(Error::file(&file))?;
        // Panics report the path that is given to rustc here; the harness compares it with `file!()`.
        let mut rustc = toolchain.rustc(Path::new("batch.rs"), Path::new("rust"), self.checked);
        let (compiled, _, messages) = finished(rustc.current_dir(&self.folder))?;
        if !compiled {
            let refused = source.blamed(&messages, "rustc");
            return if refused.is_empty() {
                Err(failure(&rustc, "it reported an error", &messages))
            } else {
                Ok(refused)
            };
        }
        let slots = self.path("slots.cpp");
        said(std::process::Command::new(&rust).arg("emit").arg(&slots))?;
        let slots = std::fs::read_to_string(&slots).map_err(Error::file(&slots))?;
        let questions = self.path(QUESTIONS.0);
        std::fs::write(&questions, QUESTIONS.1).map_err(Error::file(&questions))?;
        let (file, binary) = (self.path("batch.cpp"), self.path("cxx"));
        let text =
            [&configuration(self.checked), &*wolfpath_kernels::language(), BEFORE, &slots, BEHIND].join("\n");
        std::fs::write(&file, text).map_err(Error::file(&file))?;
        let mut cxx = toolchain.cxx(&file, &binary);
        let (compiled, _, messages) = finished(&mut cxx)?;
        if compiled {
            return Ok(Vec::new());
        }
        let refused = source.blamed(&messages, "c++");
        if refused.is_empty() { Err(failure(&cxx, "it reported an error", &messages)) } else { Ok(refused) }
    }

    fn source(&self, members: &[usize]) -> Source {
        let mut source = Source { text: "use wolfpath::edge_program;\n".to_owned(), starts: Vec::new() };
        for &member in members {
            source.starts.push((member, source.text.lines().count() + 1));
            source.text.push_str(&program(&self.programs[member], &format!("p{member}")));
        }
        source.starts.push((usize::MAX, source.text.lines().count() + 1));
        let table: Vec<String> = members.iter().map(|member| format!("{member} p{member}")).collect();
        source.text.push_str(HARNESS);
        source.text.push_str(&format!("programs!({});\n", table.join(" ")));
        source
    }

    /// Runs the C++ and the Rust forms on all inputs, and adds the disagreements to `outcome`.
    fn compare(&self, members: &[usize], outcome: &mut Outcome) -> Result<(), Error> {
        let (inputs, answers) = (self.path("inputs"), self.path("answers"));
        let bytes: Vec<u8> = self.inputs.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        std::fs::write(&inputs, bytes).map_err(Error::file(&inputs))?;
        let mut cxx = std::process::Command::new(self.path("cxx"));
        let undefined = ends(cxx.arg(&inputs).arg(&answers), &self.path("undefined"))?;
        if !undefined.is_empty() {
            let blamed = self.source(members).blamed(&undefined, "undefined");
            if blamed.is_empty() {
                return Err(failure(&cxx, "undefined behaviour", &undefined));
            }
            outcome.disagreements.extend(blamed);
        }
        let mut rust = std::process::Command::new(self.path("rust"));
        let found = said(rust.arg("compare").arg(&inputs).arg(&answers))?;
        for line in found.lines() {
            let mut fields = line.splitn(3, '\t');
            let (Some(first), Some(kind)) = (fields.next(), fields.next()) else { continue };
            if first == "answers" {
                outcome.answers = kind.parse().unwrap_or(0);
            } else if first == "faults" {
                outcome.faults = kind.parse().unwrap_or(0);
            } else if let Ok(program) = first.parse() {
                let what = fields.next().unwrap_or_default().to_owned();
                outcome.disagreements.push(Disagreement { program, kind: kind.to_owned(), what });
            }
        }
        Ok(())
    }
}

impl Source {
    /// Returns the programs to which a compiler's messages (`FILE:LINE:COLUMN: error ..`) refer, each with its first
    /// message.
    fn blamed(&self, messages: &str, kind: &str) -> Vec<Disagreement> {
        let mut found: Vec<Disagreement> = Vec::new();
        for message in messages.lines().filter(|line| line.contains("error")) {
            let line = message
                .split("batch.rs:")
                .nth(1)
                .and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
            let Some(line) = line else { continue };
            let Some(pair) = self.starts.windows(2).find(|pair| pair[0].1 <= line && line < pair[1].1) else {
                continue;
            };
            let program = pair[0].0;
            if found.iter().all(|known| known.program != program) {
                let text = self.text.lines().nth(line - 1).unwrap_or_default();
                let what = format!("{message}\n  {text}");
                found.push(Disagreement { program, kind: kind.to_owned(), what });
            }
        }
        found
    }
}

/// Returns the macros that the runtime defines before it includes the headers. The harness defines those that differ
/// from program to program.
fn configuration(checked: bool) -> String {
    let sizes = "#define WP_SIZE_VALUE 8\n#define WP_SIZE_WEIGHT 8\n#define WP_READS_VALUES_AT 1\n";
    format!("#define WP_FN static inline\n#define WP_CHECKED {}\n{sizes}", u8::from(checked))
}
