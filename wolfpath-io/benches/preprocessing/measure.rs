//! Measurements: medians, the times of stages, and the memory of a process that builds one graph and nothing else.

use super::{Input, Result, build};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::progress::{Observer, Progress, Stage};
use wolfpath_core::resources::Resources;

/// Options of the benchmark.
pub(crate) struct Arguments {
    pub(crate) only: Option<String>,
    pub(crate) repeat: usize,
    pub(crate) threads: Option<usize>,
    pub(crate) scale: u32,
    pub(crate) converter: Option<PathBuf>,
    pub(crate) csr: Option<PathBuf>,
    /// If set, this process is a child that builds one graph, prints the memory that it took, and exits. These are its
    /// arguments.
    pub(crate) child: Option<Vec<String>>,
}

impl Arguments {
    pub(crate) fn of_process() -> Result<Arguments> {
        let mut arguments = Arguments {
            only: None,
            repeat: 5,
            threads: None,
            scale: 20,
            converter: None,
            csr: None,
            child: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--bench" => {}
                "--only" => arguments.only = Some(value()?),
                "--repeat" => arguments.repeat = value()?.parse()?,
                "--threads" => arguments.threads = Some(value()?.parse()?),
                "--scale" => arguments.scale = value()?.parse()?,
                "--converter" => arguments.converter = Some(value()?.into()),
                "--csr" => arguments.csr = Some(value()?.into()),
                "--child" => {
                    arguments.child = Some(words.collect());
                    break;
                }
                _ => {
                    let known = "--only --repeat --threads --scale --converter --csr";
                    return Err(format!("{word} is not known; expected some of {known}").into());
                }
            }
        }
        Ok(arguments)
    }
}

pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The time of each stage in every run.
#[derive(Default)]
pub(crate) struct Stages(Arc<Mutex<Clock>>);

#[derive(Default)]
struct Clock {
    running: Option<(Stage, Instant)>,
    times: Vec<(Stage, Vec<f64>)>,
}

impl Clock {
    fn turn(&mut self, next: Option<Stage>) {
        if let Some((stage, since)) = self.running.take() {
            let seconds = since.elapsed().as_secs_f64();
            match self.times.iter_mut().find(|times| times.0 == stage) {
                Some(times) => times.1.push(seconds),
                None => self.times.push((stage, vec![seconds])),
            }
        }
        self.running = next.map(|stage| (stage, Instant::now()));
    }
}

struct Watch(Arc<Mutex<Clock>>);

impl Observer for Watch {
    fn begin(&self, stage: Stage, _: Option<u64>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).turn(Some(stage));
    }
    fn advance(&self, _: u64) {}
}

impl Stages {
    pub(crate) fn watch(&self) -> Progress {
        Progress::to(Watch(Arc::clone(&self.0)))
    }

    pub(crate) fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).turn(None);
    }

    pub(crate) fn medians(&self) -> String {
        let mut clock = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let times = clock.times.iter_mut();
        times.map(|(stage, times)| format!("{stage:?} {:.0} ", 1e3 * median(times))).collect()
    }
}

/// Prints the memory that building each graph takes, measured in separate processes.
pub(crate) fn peaks(inputs: &[Input], folder: &Path) -> Result<()> {
    println!(
        "\npeak memory of a build, beyond that of a process that does nothing (must: 2.50 x the finished arrays)"
    );
    println!("{:14} {:>12} {:>12} {:>6}", "graph", "peak", "finished", "ratio");
    let program = std::env::current_exe()?;
    for input in inputs {
        let undirected = if input.undirected { "-u" } else { "-d" };
        let arguments =
            ["--child", undirected].map(Into::into).into_iter().chain([input.path.clone().into_os_string()]);
        told(input.name, Command::new(&program).args(arguments))?;
    }
    if folder.join("rmat.wolf").exists() {
        for scale in [20, 22] {
            told(
                &format!("R-MAT {scale}"),
                Command::new(&program).args(["--child", "-r", &scale.to_string()]),
            )?;
        }
    }
    Ok(())
}

fn told(name: &str, command: &mut Command) -> Result<()> {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [peak, finished] = numbers[..] else {
        return Err(format!("{name}: {text}{}", String::from_utf8_lossy(&output.stderr)).into());
    };
    println!("{name:14} {:>9.1} MB {:>9.1} MB {:>6.2}", peak / 1e6, finished / 1e6, peak / finished);
    Ok(())
}

/// Builds one graph, and prints the peak memory and the size of the result.
pub(crate) fn build_as_child(words: &[String]) -> Result<()> {
    // Start the threads first, so that their stacks are not counted.
    rayon::broadcast(|_| ());
    let before = high_water_mark();
    let graph = match words {
        [kind, scale] if kind == "-r" => {
            let list = wolfpath_core::generate::rmat(scale.parse()?, 16, 1)?;
            LayeredGraph::from_edge_list(list, &Default::default())?
        }
        [kind, path] => {
            let (path, undirected) = (path.into(), kind == "-u");
            let (bytes, converter, csr) = (0, 0.0, 0.0);
            let input = Input { name: "", path, bytes, undirected, weighted: false, converter, csr };
            build(&input, &Resources::default())?
        }
        _ => return Err("expected -u FILE, -d FILE or -r SCALE".into()),
    };
    let after = high_water_mark();
    println!("{} {}", after.saturating_sub(before), super::stored::finished(&graph)?);
    Ok(())
}

/// Returns the peak memory of this process in bytes; 0 if it is unknown.
fn high_water_mark() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    1024 * line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or(0)
}
