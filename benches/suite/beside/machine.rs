//! The machine that times depend on: its processor, threads, and the instructions that the compiler could use.

use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// The machine on a day, and how this benchmark was compiled.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// Name of the processor, if the system provides one.
    cpu: Option<String>,
    cores: usize,
    /// Number of threads of both sides of a comparison.
    pub(crate) threads: usize,
    /// Instruction sets that the compiler was allowed to use.
    instructions: Vec<&'static str>,
    /// Date in UTC, as YYYY-MM-DD.
    date: String,
}

impl Machine {
    /// Returns this machine, with a number of threads, or with one thread per core if it is 0.
    pub(crate) fn here(threads: usize) -> Machine {
        let cores = available_parallelism().map_or(1, NonZero::get);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Machine {
            cpu: std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| model_name(&text)),
            cores,
            threads: if threads == 0 { cores } else { threads },
            instructions: instructions(),
            date: date(now.as_secs() / 86_400),
        }
    }

    /// Returns everything as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({
            "kind": "machine",
            "cpu": self.cpu,
            "cores": self.cores,
            "threads": self.threads,
            "instructions": self.instructions,
            "date": self.date,
        })
    }

    /// Returns everything as one line.
    pub(crate) fn words(&self) -> String {
        let Machine { cpu, cores, threads, instructions, date } = self;
        let cpu = cpu.as_deref().unwrap_or(std::env::consts::ARCH);
        format!("{cpu}, {cores} cores, {threads} threads; compiled for {}; {date}", instructions.join(", "))
    }
}

/// Returns the processor's name in the text of /proc/cpuinfo.
pub(crate) fn model_name(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Returns the instruction sets that the compiler was allowed to use, of those that matter here.
fn instructions() -> Vec<&'static str> {
    let all = [
        ("sse2", cfg!(target_feature = "sse2")),
        ("sse4.2", cfg!(target_feature = "sse4.2")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("neon", cfg!(target_feature = "neon")),
        ("sve", cfg!(target_feature = "sve")),
    ];
    all.into_iter().filter(|&(_, is_allowed)| is_allowed).map(|(name, _)| name).collect()
}

/// Returns the date that is this number of days after 1970-01-01.
///
/// A cycle of 400 years has 146,097 days. Years begin in March here, so that a leap day is the last day of its year.
pub(crate) fn date(days: u64) -> String {
    // Days since 0000-03-01.
    let days = days + 719_468;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months since March. Their lengths repeat every five months, which have 153 days.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = match month {
        0..10 => (400 * cycle + year, month + 3),
        _ => (400 * cycle + year + 1, month - 9),
    };
    format!("{year:04}-{month:02}-{day:02}")
}
