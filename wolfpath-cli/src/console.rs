//! What the command says: answers on standard output, everything else on standard error; and what it hears: Ctrl-C.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use wolfpath::{CancelHandle, Progress, RunOptions};

use crate::bars::scaled;
use crate::error::Error;

/// Exit code after a second Ctrl-C: what shells expect of a program that the signal ended.
const INTERRUPTED: i32 = 130;

/// Writes text to standard output. A reader that has had enough (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    stdout(|out| out.write_all(text.as_bytes()))
}

/// Writes to standard output through a buffer. A reader that has had enough (`| head`) is no error.
pub(crate) fn stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // What is left in the buffer is wanted by nobody, and trying to write it again would not help.
            drop(out.into_parts());
            Ok(())
        }
        written => written.map_err(Error::Stdout),
    }
}

/// Writes a line to standard error. When nobody can read that either, there is nothing left to do.
pub(crate) fn tell(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Something that the user should know.
pub(crate) fn note(text: impl Display) {
    tell(format_args!("note: {text}"));
}

/// Why the command failed.
pub(crate) fn error(error: &Error) {
    tell(format_args!("error: {error}"));
}

fn cancel_handle() -> &'static CancelHandle {
    static HANDLE: OnceLock<CancelHandle> = OnceLock::new();
    HANDLE.get_or_init(CancelHandle::new)
}

/// From now on Ctrl-C (or a polite request to end) stops the command where it can stop without leaving anything
/// half-written; a second one stops it at once.
pub(crate) fn watch_signals() {
    let handler = || {
        if cancel_handle().is_cancelled() {
            std::process::exit(INTERRUPTED);
        }
        cancel_handle().cancel();
        tell("stopping as soon as nothing is left half-written; once more stops at once");
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        note(format_args!("Ctrl-C will stop at once: {error}"));
    }
}

/// Between two stages: whether to go on.
pub(crate) fn go_on() -> Result<(), Error> {
    if cancel_handle().is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
}

/// What is going on, shown on a terminal while it lasts and nowhere else.
pub(crate) struct Stage(Option<ProgressBar>);

impl Stage {
    pub(crate) fn begin(what: impl Display) -> Stage {
        if !io::stderr().is_terminal() {
            return Stage(None);
        }
        let bar = ProgressBar::new_spinner().with_message(what.to_string());
        bar.set_style(
            ProgressStyle::with_template("{spinner} {msg} [{elapsed}]")
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        bar.enable_steady_tick(Duration::from_millis(100));
        Stage(Some(bar))
    }

    /// The options of a run that this stage shows and Ctrl-C stops.
    pub(crate) fn watched(&self, options: RunOptions) -> RunOptions {
        let options = options.cancel(cancel_handle());
        let Some(bar) = self.0.clone() else { return options };
        let what = bar.message();
        options.progress(move |progress| {
            bar.set_message(format!("{what}: {}", headway(progress)));
        })
    }
}

/// How far a run has come, in few words.
fn headway(progress: &Progress) -> String {
    let count = |count: u64| {
        let (number, prefix) = scaled(count as f64);
        if prefix.is_empty() { count.to_string() } else { format!("{number} {prefix}") }
    };
    let (edges, active) = (count(progress.edges), count(progress.active));
    let share = progress.present.map_or_else(String::new, |present| {
        format!(", {:.0} % of all reached", 100.0 * present as f64 / progress.vertices.max(1) as f64)
    });
    format!("step {}, {edges} edges, frontier of {active}{share}", progress.step)
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
