//! The time since the process started.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

static STARTED: OnceLock<Instant> = OnceLock::new();

/// Starts the clock. `main` calls this first; loading the program before that takes about 1 ms.
pub(crate) fn start() {
    STARTED.get_or_init(Instant::now);
}

/// Returns the time since the start of the process.
pub(crate) fn elapsed() -> Duration {
    STARTED.get().map_or(Duration::ZERO, Instant::elapsed)
}
