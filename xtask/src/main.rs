//! Developers' commands. `cargo xtask --help` lists them.

mod book;
mod bundle;
mod differential;
mod emulator;
mod examples;
mod fuzz;
mod macro_cost;
mod nvrtc;
mod performance;
mod record;
mod sources;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Result of a command. The error is one line that describes the problem and the remedy.
type Result<T> = std::result::Result<T, String>;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Commands for wolfpath's developers")]
enum Command {
    /// Builds the documentation as a book with search, checks its links, and prints the path of its first page
    Book,
    /// Installs NVRTC from its wheel into target/nvrtc, and prints the library's path for WOLFPATH_NVRTC
    Nvrtc,
    /// Builds the emulated CUDA device, and prints the shell commands that select it: eval "$(cargo xtask emulator)"
    Emulator,
    /// Lists public types, and public functions with an argument, whose documentation has no example; exits with 1 if
    /// it finds any
    Examples {
        /// Folders of the crates [default: all crates that users see]
        crates: Vec<String>,
    },
    /// Fuzzes all readers and the .wolf file, one target after the other; needs a nightly compiler and cargo-fuzz
    Fuzz {
        /// Total time, in minutes
        #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        minutes: u32,
    },
    /// Measures how much build time `#[edge_program]` adds to a crate with twenty programs
    MacroCost {
        /// Number of builds with the attribute, and as many without it
        #[arg(long, value_name = "N", default_value_t = 9)]
        repeat: usize,
    },
    /// Compares three forms of random programs: the Rust original, the checked copy of the CPU engine, and C++
    Differential {
        /// Number of programs
        #[arg(long, value_name = "N", default_value_t = 2_000)]
        programs: usize,
        /// Seed of the programs
        #[arg(long, value_name = "SEED", default_value_t = 1)]
        seed: u64,
        /// Maximum number of random choices per program, which limits its size
        #[arg(long, value_name = "N", default_value_t = 160)]
        longest: usize,
    },
    /// Builds the folder gpu-bundle/, whose run.sh needs an NVIDIA driver and NVRTC but not Rust
    GpuBundle {
        /// Folder that contains the real graphs to include [default: the folder in WOLFPATH_DATA, otherwise
        /// ../shared/data]
        #[arg(long, value_name = "FOLDER")]
        data: Option<PathBuf>,
    },
    /// Writes docs/gpu-verification.md from the output of a bundle's run.sh
    GpuRecord {
        /// Folders that run.sh wrote, from oldest to newest [default: gpu-bundle/out]
        output: Vec<PathBuf>,
        /// Write nothing; exit with 1 if the recorded run did not use the current sources
        #[arg(long)]
        check: bool,
    },
    /// Writes docs/performance.md and its pictures from the output of the section `performance` of a bundle's
    /// run.sh, and the page's sections on the CPU engine from cpu.json and cpu16.json; what has no new output is kept
    Performance {
        /// Folders that run.sh wrote, or that contain cpu.json, from oldest to newest [default: gpu-bundle/out]
        output: Vec<PathBuf>,
    },
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Book => book::build().map(|page| println!("{}", page.display())),
        Command::Nvrtc => nvrtc::install().map(|library| println!("{}", library.display())),
        Command::Emulator => emulator::install().map(|lines| print!("{lines}")),
        Command::Examples { crates } => examples::check(&crates),
        Command::Fuzz { minutes } => fuzz::run(minutes),
        Command::MacroCost { repeat } => macro_cost::measure(repeat),
        Command::Differential { programs, seed, longest } => differential::run(programs, seed, longest),
        Command::GpuBundle { data } => bundle::make(data),
        Command::GpuRecord { check: true, .. } => record::check().map(|words| println!("{words}")),
        Command::GpuRecord { output, check: false } => record::write(output),
        Command::Performance { output } => performance::write(output),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
