//! `wolfpath check`: verifies everything about a `.wolf` file that can be verified without its input.

use std::fmt::Write;
use std::time::Duration;

use wolfpath::graph::{Examination, Examined, LayeredGraph};
use wolfpath::store::is_wolf;

use crate::arguments::CheckArguments;
use crate::bars::Bars;
use crate::console;
use crate::error::Error;
use crate::open::start_threads;

pub(crate) fn check(arguments: &CheckArguments) -> Result<(), Error> {
    let path = &arguments.path;
    if !is_wolf(path) {
        return Err(Error::NotLayered { path: path.clone() });
    }
    start_threads(arguments.threads)?;
    let bars = Bars::begin(format_args!("verifying {}", path.display()));
    let examination = LayeredGraph::examine_file(path, &bars.progress())?;
    drop(bars);
    console::go_on()?;
    console::print(&report(arguments, &examination))?;
    if examination.problems.is_empty() {
        return Ok(());
    }
    Err(Error::Faulty { path: path.clone(), problems: examination.problems.len() })
}

/// Lists the verified parts, one per line, and the problems.
fn report(arguments: &CheckArguments, examination: &Examination) -> String {
    let Examination { vertices, edges, layers, parts, problems, left_out } = examination;
    let mut text = String::from("opened     header, table, reason and key are intact\n");
    let mut line = |name: &str, what: &str| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<10} {what}");
    };
    for part in parts {
        line("verified", &format!("{}; {}", part.what, part_rate(part)));
    }
    let (bytes, took) = (parts.iter().map(|part| part.bytes).sum(), parts.iter().map(|part| part.took).sum());
    line("total", &rate(bytes, took));
    for what in left_out {
        line("skipped", &format!("{what}: depends on a part that is wrong"));
    }
    for problem in problems {
        line("wrong", problem);
    }
    if problems.is_empty() {
        let path = arguments.path.display();
        line("sound", &format!("{path}: {vertices} vertices, {edges} edges, {layers} layers"));
    }
    text
}

/// Returns the number of bytes read for a part, with the rate if the part is large enough to measure it.
fn part_rate(part: &Examined) -> String {
    const ENOUGH: u64 = 1 << 20;
    match part.bytes {
        ENOUGH.. => rate(part.bytes, part.took),
        bytes => format!("{bytes} bytes in {:.1?}", part.took),
    }
}

fn rate(bytes: u64, took: Duration) -> String {
    let a_second = bytes as f64 / took.as_secs_f64().max(1e-9);
    format!("{bytes} bytes in {took:.1?}, {:.1} GB/s", a_second / 1e9)
}
