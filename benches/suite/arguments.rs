//! The options of a benchmark program.

use std::path::PathBuf;
use std::time::Duration;

use super::{Graph, Judge, Program, Result};

/// What a benchmark program was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    /// The folder of real graphs.
    pub(crate) data: PathBuf,
    /// The lines to time; empty for all.
    pub(crate) only: Vec<Only>,
    /// What answers are compared with.
    pub(crate) judge: Judge,
    /// Timed runs of each line.
    pub(crate) repeat: usize,
    /// One JSON object a line instead of a table.
    pub(crate) json: bool,
    /// Every line with every schedule besides.
    pub(crate) schedules: bool,
    /// What each technique is worth besides.
    pub(crate) ablations: bool,
    /// The plan's choice over the shapes on which a schedule can go wrong, and nothing else.
    pub(crate) shapes: bool,
    /// Begin nothing after this long.
    pub(crate) limit: Option<Duration>,
    /// The scale of the R-MAT graph; none is made without.
    pub(crate) rmat_scale: Option<u32>,
    /// The vertices of the path.
    pub(crate) path: Option<u64>,
    /// The leaves of the star.
    pub(crate) star: Option<u64>,
    /// Where the R-MAT graph is kept for the next run.
    pub(crate) scratch: PathBuf,
    /// Threads of the CPU engine; 0 for all.
    pub(crate) threads: usize,
    /// Take the CPU engine, to try the program itself where there is no GPU.
    pub(crate) on_cpu: bool,
    /// Time no starts and no compilations.
    pub(crate) no_starts: bool,
    /// Print what one cold start takes, and end: how the program calls itself.
    pub(crate) startup: bool,
    /// Only compile the bundled programs, and say how long that took: what the benchmark calls itself with.
    pub(crate) compilations: bool,
}

/// Lines to time: of a graph, of a program, or of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Only {
    graph: Option<&'static str>,
    program: Option<Program>,
}

impl Arguments {
    /// What a benchmark does that is asked for nothing.
    pub(crate) fn new(repeat: usize, judge: Judge) -> Arguments {
        let data = std::env::var_os("WOLFPATH_DATA").map(PathBuf::from);
        Arguments {
            data: data.unwrap_or_else(|| PathBuf::from("../shared/data")),
            only: Vec::new(),
            judge,
            repeat,
            json: false,
            schedules: false,
            ablations: false,
            shapes: false,
            limit: None,
            rmat_scale: None,
            path: None,
            star: None,
            scratch: std::env::temp_dir().join("wolfpath-benches"),
            threads: 0,
            on_cpu: false,
            no_starts: false,
            startup: false,
            compilations: false,
        }
    }

    /// The command line as a record shows it: folders of one machine say nothing on another.
    pub(crate) fn shown(words: &[String]) -> String {
        let folder = |at: usize| words[at] == "--scratch" || (at > 0 && words[at - 1] == "--scratch");
        let kept: Vec<&str> =
            (0..words.len()).filter(|&at| !folder(at)).map(|at| words[at].as_str()).collect();
        kept.join(" ")
    }

    /// Reads the command line. `None` when it asks for help, which is printed.
    pub(crate) fn read(self, words: impl Iterator<Item = String>) -> Result<Option<Arguments>> {
        let (mut asked, mut words) = (self.clone(), words);
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| format!("{word} needs a value; --help lists the options"));
            match word.as_str() {
                "--only" => asked.only.push(Only::read(&value()?)?),
                "--repeat" => asked.repeat = number::<usize>(&word, &value()?)?.max(1),
                "--threads" => asked.threads = number(&word, &value()?)?,
                "--limit" => asked.limit = Some(Duration::from_secs(number(&word, &value()?)?)),
                "--rmat" | "--rmat-scale" => asked.rmat_scale = Some(number(&word, &value()?)?),
                "--no-rmat" => asked.rmat_scale = None,
                "--path" => asked.path = Some(number::<u64>(&word, &value()?)?.max(2)),
                "--star" => asked.star = Some(number::<u64>(&word, &value()?)?.max(1)),
                "--scratch" => asked.scratch = value()?.into(),
                "--judge" => asked.judge = judge_called(&value()?)?,
                "--engine" => asked.on_cpu = is_cpu(&value()?)?,
                "--schedules" => asked.schedules = true,
                "--ablations" => asked.ablations = true,
                "--shapes" => asked.shapes = true,
                "--no-starts" => asked.no_starts = true,
                "--json" => asked.json = true,
                "--startup" => asked.startup = true,
                "--compilations" => asked.compilations = true,
                // `cargo bench` says this to every benchmark.
                "--bench" => {}
                "--help" | "-h" => {
                    print_help(&self);
                    return Ok(None);
                }
                _ => return Err(format!("unknown option {word}; --help lists the options").into()),
            }
        }
        Ok(Some(asked))
    }

    /// Whether a line was asked for.
    pub(crate) fn wants(&self, graph: &Graph, program: Program) -> bool {
        let is_meant = |only: &Only| {
            only.graph.is_none_or(|kind| kind == graph.kind())
                && only.program.map_or(!program.is_extra(), |named| named == program)
        };
        if self.only.is_empty() { !program.is_extra() } else { self.only.iter().any(is_meant) }
    }
}

impl Only {
    /// GRAPH, GRAPH/PROGRAM or /PROGRAM.
    fn read(text: &str) -> Result<Only> {
        let (graph, program) = text.split_once('/').unwrap_or((text, ""));
        let kinds = Graph::kinds();
        let kind = kinds.iter().copied().find(|&kind| kind == graph);
        if kind.is_none() && !graph.is_empty() {
            return Err(format!("--only {text}: no graph {graph}; there are {}", kinds.join(", ")).into());
        }
        let named = Program::ALL.into_iter().find(|known| known.name() == program);
        if named.is_none() && !program.is_empty() {
            let names = Program::ALL.map(Program::name).join("; ");
            return Err(format!("--only {text}: no program {program}; there are {names}").into());
        }
        Ok(Only { graph: kind, program: named })
    }
}

fn number<N: std::str::FromStr>(option: &str, text: &str) -> Result<N> {
    text.parse().map_err(|_| format!("{option} needs a number, found {text}").into())
}

fn judge_called(name: &str) -> Result<Judge> {
    match name {
        "cpu" => Ok(Judge::CpuEngine),
        "oracle" => Ok(Judge::Oracle),
        _ => Err(format!("unknown judge {name}; there are cpu and oracle").into()),
    }
}

fn is_cpu(engine: &str) -> Result<bool> {
    match engine {
        "cpu" => Ok(true),
        "cuda" => Ok(false),
        _ => Err(format!("unknown engine {engine}; there are cpu and cuda").into()),
    }
}

fn print_help(defaults: &Arguments) {
    let size = |size: Option<u64>| size.map_or("none".to_owned(), |size| size.to_string());
    println!(
        "--only LINES        GRAPH, GRAPH/PROGRAM or /PROGRAM only (may be said again)\n\
         --repeat N          timed runs of each line [{}]\n\
         --schedules         every line with every schedule besides\n\
         --ablations         what each technique is worth besides\n\
         --shapes            the plan's choice against every schedule over 200 generated graphs; with --schedules all of\n\
                             them are printed, not just those where the choice is slow\n\
         --limit SECONDS     begin nothing later than this\n\
         --rmat-scale N      scale of the R-MAT graph [{}]; --no-rmat makes none\n\
         --path N            vertices of the path [{}]\n\
         --star N            leaves of the star [{}]\n\
         --scratch FOLDER    where the R-MAT graph is kept [{}]\n\
         --threads N         threads of the CPU engine [all]\n\
         --judge cpu|oracle  what answers are compared with [{}]\n\
         --no-starts         time no starts and no compilations\n\
         --json              one JSON object a line\n\
         WOLFPATH_DATA names the folder of real graphs.",
        defaults.repeat,
        size(defaults.rmat_scale.map(u64::from)),
        size(defaults.path),
        size(defaults.star),
        defaults.scratch.display(),
        if defaults.judge == Judge::Oracle { "oracle" } else { "cpu" }
    );
}
