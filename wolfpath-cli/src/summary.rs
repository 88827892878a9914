//! The last line of a long command: its time, its rate and its peak memory.

use std::path::Path;
use std::time::Instant;

use crate::bars::scaled;
use crate::console;

/// Known facts about a finished command.
pub(crate) struct Summary {
    began: Instant,
    edges: Option<u64>,
    read: Option<u64>,
    written: Option<u64>,
}

impl Summary {
    /// Starts the clock.
    pub(crate) fn begin() -> Summary {
        Summary { began: Instant::now(), edges: None, read: None, written: None }
    }

    /// Records the number of edges that were read, layered or generated.
    pub(crate) fn edges(&mut self, edges: u64) {
        self.edges = Some(edges);
    }

    /// Records that all of this input was read.
    pub(crate) fn read(&mut self, path: &Path) {
        self.read = size(path);
    }

    /// Records that this file was written.
    pub(crate) fn written(&mut self, path: &Path) {
        self.written = size(path);
    }

    /// Prints the line to standard error.
    pub(crate) fn tell(&self, command: &str) {
        console::tell(self.line(command, self.began.elapsed().as_secs_f64(), peak_memory()));
    }

    fn line(&self, command: &str, seconds: f64, memory: Option<u64>) -> String {
        let bytes = |bytes: u64| {
            let (number, prefix) = scaled(bytes as f64);
            format!("{number} {prefix}B")
        };
        let rate = |amount: u64| scaled(amount as f64 / seconds.max(1e-9));
        let mut parts = vec![format!("{command}: {seconds:.2} s")];
        if let Some(edges) = self.edges {
            let (number, prefix) = rate(edges);
            let blank = if prefix.is_empty() { "" } else { " " };
            parts.push(format!("{number} {prefix}{blank}edges/s"));
        }
        if let Some(read) = self.read {
            let (number, prefix) = rate(read);
            parts.push(format!("{} read at {number} {prefix}B/s", bytes(read)));
        }
        parts.extend(self.written.map(|written| format!("{} written", bytes(written))));
        parts.extend(memory.map(|memory| format!("at most {} of memory", bytes(memory))));
        parts.join(", ")
    }
}

fn size(path: &Path) -> Option<u64> {
    path.metadata().ok().map(|metadata| metadata.len())
}

/// Returns the peak memory of the process, if the system reports it.
#[cfg(target_os = "linux")]
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = peak.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(not(target_os = "linux"))]
fn peak_memory() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_known() {
        let mut summary = Summary::begin();
        assert_eq!(summary.line("build", 0.5, None), "build: 0.50 s");
        summary.edges(1_000_000);
        (summary.read, summary.written) = (Some(50_000_000), Some(4096));
        assert_eq!(
            summary.line("build", 0.5, Some(123_456_789)),
            "build: 0.50 s, 2.00 M edges/s, 50.0 MB read at 100 MB/s, 4.10 kB written, at most 123 MB of memory"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_peak_is_known() {
        assert!(peak_memory().is_some_and(|bytes| bytes > 100_000));
    }
}
