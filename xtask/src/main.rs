//! Developers' commands: `cargo xtask --help` lists them.

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

/// What a command comes to: nothing, or one line that says what is wrong and what to do.
type Result<T> = std::result::Result<T, String>;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Developers' commands of wolfpath")]
enum Command {
    /// Builds the documentation as a book with search, checks its links, and prints the path of its first page
    Book,
    /// Installs NVRTC from its wheel into target/nvrtc, and prints the library's path for WOLFPATH_NVRTC
    Nvrtc,
    /// Builds the emulated CUDA device, and prints the lines that make a shell use it: eval "$(cargo xtask emulator)"
    Emulator,
    /// Lists the public types, and functions with an argument, whose documentation has no example; exit 1 if there are any
    Examples {
        /// The folders of the crates [default: all that users read]
        crates: Vec<String>,
    },
    /// Fuzzes every reader and the .wolf file, one target after the other; needs a nightly compiler and cargo-fuzz
    Fuzz {
        /// How long in all
        #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        minutes: u32,
    },
    /// Measures what the attribute adds to the build of a crate with twenty programs
    MacroCost {
        /// Builds of each kind
        #[arg(long, value_name = "N", default_value_t = 9)]
        repeat: usize,
    },
    /// Compares random programs in three forms: as rustc compiles them, their checked twins, and as host C++
    Differential {
        /// How many programs
        #[arg(long, value_name = "N", default_value_t = 2_000)]
        programs: usize,
        /// What they are made of
        #[arg(long, value_name = "SEED", default_value_t = 1)]
        seed: u64,
        /// The most choices of a program: how large it can grow
        #[arg(long, value_name = "N", default_value_t = 160)]
        longest: usize,
    },
    /// Builds the folder gpu-bundle/, which runs on a machine with a driver and NVRTC but no Rust
    GpuBundle {
        /// Take along the real graphs of this folder [default: what WOLFPATH_DATA names, else ../shared/data]
        #[arg(long, value_name = "FOLDER")]
        data: Option<PathBuf>,
    },
    /// Turns the output of a bundle's run.sh into docs/gpu-verification.md
    GpuRecord {
        /// The folders that run.sh wrote, the latest last [default: gpu-bundle/out]
        output: Vec<PathBuf>,
        /// Write nothing; exit 1 when what is recorded was not run with today's sources
        #[arg(long)]
        check: bool,
    },
    /// Turns what the section `performance` of a bundle's run.sh printed into docs/performance.md
    Performance {
        /// The folders that run.sh wrote, the latest last [default: gpu-bundle/out]
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
