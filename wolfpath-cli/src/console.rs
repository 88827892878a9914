//! Output of the command, and handling of Ctrl-C. Results go to standard output, everything else to standard error.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use wolfpath::{CancelHandle, RunOptions};

use crate::error::Error;

/// Exit code after a second Ctrl-C: the code that shells use for a program that the signal ended.
const INTERRUPTED: i32 = 130;

/// Writes text to standard output. If the reader has closed the pipe (`| head`), that is not an error.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    stdout(|out| out.write_all(text.as_bytes()))
}

/// Writes to standard output through a buffer. If the reader has closed the pipe (`| head`), that is not an error.
pub(crate) fn stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // Discards the rest of the buffer: without a reader, a second attempt to write it would fail too.
            drop(out.into_parts());
            Ok(())
        }
        written => written.map_err(Error::Stdout),
    }
}

/// `true` if nothing is written to standard error.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// Writes nothing to standard error from now on: another process reports what this one does.
#[cfg(feature = "cluster")]
pub(crate) fn be_silent() {
    IS_SILENT.store(true, Relaxed);
}

/// Writes a line to standard error. Errors are ignored, because there is nowhere left to report them.
pub(crate) fn tell(text: impl Display) {
    if !IS_SILENT.load(Relaxed) {
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// Prints a note.
pub(crate) fn note(text: impl Display) {
    tell(format_args!("note: {text}"));
}

/// Prints the reason why the command failed.
pub(crate) fn error(error: &Error) {
    tell(format_args!("error: {error}"));
}

/// Returns the handle that Ctrl-C and SIGTERM cancel.
pub(crate) fn cancel_handle() -> &'static CancelHandle {
    static HANDLE: OnceLock<CancelHandle> = OnceLock::new();
    HANDLE.get_or_init(CancelHandle::new)
}

/// Installs the handler of Ctrl-C and SIGTERM. The first signal ends the command at the next point where no file is
/// half-written, the second ends it at once.
pub(crate) fn watch_signals() {
    let handler = || {
        if cancel_handle().is_cancelled() {
            std::process::exit(INTERRUPTED);
        }
        cancel_handle().cancel();
        tell("stopping at the next safe point; press Ctrl-C again to stop at once");
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        note(format_args!("Ctrl-C cannot be handled and will end the command at once: {error}"));
    }
}

/// Returns an error if the command was cancelled. Called between two stages.
pub(crate) fn go_on() -> Result<(), Error> {
    if cancel_handle().is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
}

/// Returns the options of a run, extended so that Ctrl-C stops it.
pub(crate) fn stoppable(options: RunOptions) -> RunOptions {
    options.cancel(cancel_handle())
}
