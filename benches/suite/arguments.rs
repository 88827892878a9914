//! The options of a benchmark program.

use std::path::PathBuf;

use super::{GRAPHS, Judge, Result};

/// What a benchmark program was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    /// The folder of real graphs.
    pub(crate) data: PathBuf,
    /// Names of graphs; empty for all.
    pub(crate) only: Vec<String>,
    /// What answers are compared with.
    pub(crate) judge: Judge,
    /// Timed runs of each program.
    pub(crate) repeat: usize,
    /// One JSON object a line instead of a table.
    pub(crate) json: bool,
    /// The scale of the R-MAT graph; none is made without.
    pub(crate) rmat_scale: Option<u32>,
    /// Where the R-MAT graph is kept for the next run.
    pub(crate) scratch: PathBuf,
    /// Threads of the CPU engine; 0 for all.
    pub(crate) threads: usize,
    /// Print what one cold start takes, and end: how the program calls itself.
    pub(crate) startup: bool,
    /// Only compile the bundled programs, and say how long that took: what the benchmark calls itself with.
    pub(crate) compilations: bool,
}

impl Arguments {
    /// Reads the command line. `None` when it asks for help, which is printed.
    pub(crate) fn read(repeat: usize, rmat_scale: Option<u32>, judge: Judge) -> Result<Option<Arguments>> {
        let data = std::env::var_os("WOLFPATH_DATA").map(PathBuf::from);
        let mut asked = Arguments {
            data: data.unwrap_or_else(|| PathBuf::from("../shared/data")),
            only: Vec::new(),
            judge,
            repeat,
            json: false,
            rmat_scale,
            scratch: std::env::temp_dir().join("wolfpath-benches"),
            threads: 0,
            startup: false,
            compilations: false,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| format!("{word} needs a value; --help lists the options"));
            match word.as_str() {
                "--only" => asked.only.push(known(value()?)?),
                "--repeat" => {
                    asked.repeat = value()?.parse::<usize>().map_err(|_| "--repeat needs a number")?.max(1)
                }
                "--threads" => asked.threads = value()?.parse().map_err(|_| "--threads needs a number")?,
                "--rmat" | "--rmat-scale" => {
                    asked.rmat_scale = Some(value()?.parse().map_err(|_| "--rmat-scale needs a number")?);
                }
                "--no-rmat" => asked.rmat_scale = None,
                "--scratch" => asked.scratch = value()?.into(),
                "--judge" => asked.judge = judge_called(&value()?)?,
                "--json" => asked.json = true,
                "--startup" => asked.startup = true,
                "--compilations" => asked.compilations = true,
                // `cargo bench` says this to every benchmark.
                "--bench" => {}
                "--help" | "-h" => {
                    print_help(&asked);
                    return Ok(None);
                }
                _ => return Err(format!("unknown option {word}; --help lists the options").into()),
            }
        }
        Ok(Some(asked))
    }

    /// Whether a graph was asked for.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

/// The name, when there is such a graph.
fn known(name: String) -> Result<String> {
    if name == "R-MAT" || GRAPHS.iter().any(|graph| graph.name == name) {
        return Ok(name);
    }
    let names: Vec<_> = GRAPHS.iter().map(|graph| graph.name).collect();
    Err(format!("unknown graph {name}; there are {} and R-MAT", names.join(", ")).into())
}

fn judge_called(name: &str) -> Result<Judge> {
    match name {
        "cpu" => Ok(Judge::CpuEngine),
        "oracle" => Ok(Judge::Oracle),
        _ => Err(format!("unknown judge {name}; there are cpu and oracle").into()),
    }
}

fn print_help(defaults: &Arguments) {
    let rmat = defaults.rmat_scale.map_or("none".to_owned(), |scale| scale.to_string());
    println!(
        "--only NAME         this graph only (may be said again)\n\
         --repeat N          timed runs of each program [{}]\n\
         --rmat-scale N      scale of the R-MAT graph [{rmat}]\n\
         --no-rmat           no R-MAT graph\n\
         --scratch FOLDER    where the R-MAT graph is kept [{}]\n\
         --threads N         threads of the CPU engine [all]\n\
         --judge cpu|oracle  what answers are compared with [{}]\n\
         --json              one JSON object a line\n\
         WOLFPATH_DATA names the folder of real graphs.",
        defaults.repeat,
        defaults.scratch.display(),
        if defaults.judge == Judge::Oracle { "oracle" } else { "cpu" }
    );
}
