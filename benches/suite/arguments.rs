//! The options of a benchmark program.

use std::path::PathBuf;
use std::time::Duration;

use super::beside::TRIALS;
use super::{Graph, Judge, Program, Result};

/// Default scale of the R-MAT graph that is compared with other programs.
const COMPARED_SCALE: u32 = 20;

/// Command line of a benchmark program.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    /// Folder of real graphs.
    pub(crate) data: PathBuf,
    /// Lines to time. Empty for all lines.
    pub(crate) only: Vec<Only>,
    /// Source of the answers to compare with.
    pub(crate) judge: Judge,
    /// Number of timed runs of each line.
    pub(crate) repeat: usize,
    /// `true` to print one JSON object per line instead of a table.
    pub(crate) json: bool,
    /// `true` to also time every line with every schedule.
    pub(crate) schedules: bool,
    /// `true` to also time lines without each technique.
    pub(crate) ablations: bool,
    /// `true` to also time every line with its rows packed, and in host memory.
    pub(crate) rows: bool,
    /// `true` to only time the plan's choice over shapes that are hard for some schedules.
    pub(crate) shapes: bool,
    /// `true` to only time chains of runs of one step.
    pub(crate) chains: bool,
    /// `true` to only time the command `wolfpath run`, from the start of its process to its end.
    pub(crate) end_to_end: bool,
    /// Folder of GAP's programs, to compare with.
    pub(crate) gap: Option<PathBuf>,
    /// `true` to compare PageRank with scipy.
    pub(crate) scipy: bool,
    /// `true` to compare widest paths with the serial answer.
    pub(crate) serial: bool,
    /// `true` to time the lines that are compared with GAP on 1, 2, 4, 8 and 16 threads.
    pub(crate) scaling: bool,
    /// Time after which nothing new is started.
    pub(crate) limit: Option<Duration>,
    /// Scale of the R-MAT graph. `None` for no R-MAT graph.
    pub(crate) rmat_scale: Option<u32>,
    /// Number of vertices of the path.
    pub(crate) path: Option<u64>,
    /// Number of leaves of the star.
    pub(crate) star: Option<u64>,
    /// Folder that keeps the R-MAT graph for the next run.
    pub(crate) scratch: PathBuf,
    /// Number of threads of the CPU engine. 0 for all.
    pub(crate) threads: usize,
    /// `true` to use the CPU engine, to test the benchmark itself without a GPU.
    pub(crate) on_cpu: bool,
    /// `true` to skip the timing of starts and compilations.
    pub(crate) no_starts: bool,
    /// `true` to only print the times of one start. The benchmark starts itself with this option.
    pub(crate) startup: bool,
    /// `true` to only compile the bundled programs and print the times. The benchmark starts itself with this option.
    pub(crate) compilations: bool,
}

/// Selection of lines: by graph, by program, or by both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Only {
    graph: Option<&'static str>,
    program: Option<Program>,
}

impl Arguments {
    /// Returns the defaults.
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
            rows: false,
            shapes: false,
            chains: false,
            end_to_end: false,
            gap: None,
            scipy: false,
            serial: false,
            scaling: false,
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

    /// Returns the command line for a record, without folders, which mean nothing on another machine, and without
    /// `--bench`, which cargo adds.
    pub(crate) fn shown(words: &[String]) -> String {
        let mut kept = Vec::new();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "--bench" => {}
                "--scratch" => drop(words.next()),
                "--gap" => {
                    words.next();
                    kept.extend(["--gap", "DIR"]);
                }
                _ => kept.push(word),
            }
        }
        kept.join(" ")
    }

    /// Parses the command line. If help is requested, prints it and returns `None`.
    pub(crate) fn read(self, words: impl Iterator<Item = String>) -> Result<Option<Arguments>> {
        let (mut asked, mut words, mut no_rmat) = (self.clone(), words, false);
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| format!("{word} needs a value; --help lists the options"));
            match word.as_str() {
                "--only" => asked.only.push(Only::read(&value()?)?),
                "--repeat" => asked.repeat = number::<usize>(&word, &value()?)?.max(1),
                "--threads" => asked.threads = number(&word, &value()?)?,
                "--limit" => asked.limit = Some(Duration::from_secs(number(&word, &value()?)?)),
                "--rmat" | "--rmat-scale" => asked.rmat_scale = Some(number(&word, &value()?)?),
                "--no-rmat" => (asked.rmat_scale, no_rmat) = (None, true),
                "--path" => asked.path = Some(number::<u64>(&word, &value()?)?.max(2)),
                "--star" => asked.star = Some(number::<u64>(&word, &value()?)?.max(1)),
                "--scratch" => asked.scratch = value()?.into(),
                "--judge" => asked.judge = judge_called(&value()?)?,
                "--engine" => asked.on_cpu = is_cpu(&value()?)?,
                "--schedules" => asked.schedules = true,
                "--ablations" => asked.ablations = true,
                "--rows" => asked.rows = true,
                "--shapes" => asked.shapes = true,
                "--chains" => asked.chains = true,
                "--end-to-end" => asked.end_to_end = true,
                "--gap" => asked.gap = Some(value()?.into()),
                "--scipy" => asked.scipy = true,
                "--serial" => asked.serial = true,
                "--scaling" => asked.scaling = true,
                "--no-starts" => asked.no_starts = true,
                "--json" => asked.json = true,
                "--startup" => asked.startup = true,
                "--compilations" => asked.compilations = true,
                // `cargo bench` passes this option to every benchmark.
                "--bench" => {}
                "--help" | "-h" => {
                    print_help(&self);
                    return Ok(None);
                }
                _ => return Err(format!("unknown option {word}; --help lists the options").into()),
            }
        }
        if (asked.gap.is_some() || asked.scaling) && asked.rmat_scale.is_none() && !no_rmat {
            asked.rmat_scale = Some(COMPARED_SCALE);
        }
        Ok(Some(asked))
    }

    /// Returns `true` if the times of other programs, or of other numbers of threads, are requested instead of the
    /// table.
    pub(crate) fn compares(&self) -> bool {
        self.gap.is_some() || self.scipy || self.serial || self.scaling
    }

    /// Returns `true` if a line is selected.
    pub(crate) fn wants(&self, graph: &Graph, program: Program) -> bool {
        let is_meant = |only: &Only| {
            only.graph.is_none_or(|kind| kind == graph.kind())
                && only.program.map_or(!program.is_extra(), |named| named == program)
        };
        if self.only.is_empty() { !program.is_extra() } else { self.only.iter().any(is_meant) }
    }
}

impl Only {
    /// Parses GRAPH, GRAPH/PROGRAM or /PROGRAM.
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
        "--only LINES        time only GRAPH, GRAPH/PROGRAM or /PROGRAM (can be repeated)\n\
         --repeat N          timed runs of each line [{}]\n\
         --schedules         also time every line with every schedule\n\
         --ablations         also time lines without each technique\n\
         --rows              also time every line with its rows packed, in host memory, and streamed\n\
         --shapes            only compare the plan's choice with every schedule, over 200 generated graphs; prints\n\
                             the graphs for which the choice is slow, or all of them with --schedules\n\
         --chains            only time chains of runs of one step over a grid of a million vertices, each run from the\n\
                             outcome of the one before, against one run of as many steps\n\
         --end-to-end        only time the command `wolfpath run`, from the start of its process to its end, by stages\n\
         --gap DIR           only compare the CPU engine with the programs bfs, sssp, pr_spmv and cc of the GAP\n\
                             Benchmark Suite, which DIR contains; --repeat is the number of rounds, of {TRIALS} runs\n\
                             each; the R-MAT graph has scale {COMPARED_SCALE} unless --rmat-scale sets another\n\
         --scipy             only compare steps of PageRank with scipy's, on one thread\n\
         --serial            only compare widest paths over a grid with the serial answer\n\
         --scaling           only time the lines of --gap on 1, 2, 4, 8 and 16 threads, up to --threads; with --gap,\n\
                             GAP too. These four options can be combined\n\
         --limit SECONDS     start nothing after this time\n\
         --rmat-scale N      scale of the R-MAT graph [{}]; --no-rmat for none\n\
         --path N            vertices of the path [{}]\n\
         --star N            leaves of the star [{}]\n\
         --scratch FOLDER    folder that keeps the R-MAT graph [{}]\n\
         --threads N         threads of the CPU engine [all]\n\
         --judge cpu|oracle  source of the answers to compare with [{}]\n\
         --no-starts         skip the timing of starts and compilations\n\
         --json              print one JSON object per line\n\
         WOLFPATH_DATA names the folder of real graphs.",
        defaults.repeat,
        size(defaults.rmat_scale.map(u64::from)),
        size(defaults.path),
        size(defaults.star),
        defaults.scratch.display(),
        if defaults.judge == Judge::Oracle { "oracle" } else { "cpu" }
    );
}
