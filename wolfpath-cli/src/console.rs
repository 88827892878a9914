//! What the command says: answers on standard output, everything else on standard error; and what it hears: Ctrl-C.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::OnceLock;

use wolfpath::{CancelHandle, RunOptions};

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

/// Returns the options of a run that Ctrl-C stops.
pub(crate) fn stoppable(options: RunOptions) -> RunOptions {
    options.cancel(cancel_handle())
}
