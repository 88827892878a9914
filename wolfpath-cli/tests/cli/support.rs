//! Runs the command in a separate temporary folder for each test.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use serde_json::Value;

/// Time after which a command counts as hung.
const PATIENCE: Duration = Duration::from_secs(120);

/// Temporary folder, with a separate cache folder: tests must not use the user's cache. Both are deleted after the
/// test.
pub(crate) struct Folder(tempfile::TempDir, tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        let folder = || tempfile::tempdir().expect("a temporary folder");
        Folder(folder(), folder())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the files of kept graphs in the cache folder, sorted.
    pub(crate) fn kept_graphs(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.cache().join("graphs")) else { return Vec::new() };
        let paths = entries.map(|entry| entry.expect("a folder entry").path());
        let mut graphs: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|it| it == "wolf")).collect();
        graphs.sort();
        graphs
    }

    /// Returns the cache folder.
    pub(crate) fn cache(&self) -> &Path {
        self.1.path()
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("the file is writable");
        path
    }

    /// Returns the text of a file.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file exists")
    }

    /// Returns the names of the files in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder exists");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("a folder entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Returns the command, to be run in this folder with its separate cache.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wolfpath"));
        command.current_dir(self.0.path()).env("WOLFPATH_CACHE_DIR", self.cache());
        command.env_remove("WOLFPATH_NVRTC").stdin(Stdio::null());
        command
    }

    /// Runs the command with arguments that are separated by blanks.
    #[track_caller]
    pub(crate) fn wolfpath(&self, arguments: &str) -> Done {
        self.wolfpath_with(arguments.split_whitespace())
    }

    #[track_caller]
    pub(crate) fn wolfpath_with<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Done {
        let mut command = assert_cmd::Command::from_std(self.command());
        let assert = command.args(arguments).timeout(PATIENCE).assert();
        Done::of(assert.get_output().clone())
    }
}

/// Writes a hostfile with a free port of this machine for each of some processes.
///
/// Ports from 32768 on are given to other connections, perhaps before the processes listen.
pub(crate) fn hosts(folder: &Folder, processes: usize) -> PathBuf {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 10_000 + (std::process::id() % 100) as u16 * 200;
    let ports = std::iter::repeat_with(|| first + NEXT.fetch_add(1, Ordering::Relaxed) % 200);
    let free = ports.filter(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok()).take(processes);
    folder.file("hosts.txt", free.map(|port| format!("127.0.0.1:{port}\n")).collect::<String>())
}

/// A started command, which is killed when it is dropped.
pub(crate) struct Started(pub(crate) Child);

impl Started {
    /// Waits for the end of the command.
    pub(crate) fn ended(mut self) -> Done {
        let read = |from: Option<Box<dyn Read>>| {
            let mut bytes = Vec::new();
            from.map(|mut from| from.read_to_end(&mut bytes)).transpose().expect("the output is readable");
            bytes
        };
        let err = self.0.stderr.take().map(|err| Box::new(err) as Box<dyn Read>);
        let out = self.0.stdout.take().map(|out| Box::new(out) as Box<dyn Read>);
        let (stderr, stdout) = (read(err), read(out));
        Done::of(Output { status: self.0.wait().expect("it ends"), stdout, stderr })
    }

    /// Sends a signal to the command.
    pub(crate) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.0.id().to_string()]).status();
        assert!(sent.expect("the command `kill` exists").success());
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // If it cannot be killed or waited for, it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Result of a finished command.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Done {
    #[track_caller]
    pub(crate) fn of(output: Output) -> Done {
        let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
        let done = Done { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
        assert!(!done.err.contains("panicked"), "{done:?}");
        done
    }

    /// Checks that the command succeeded.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Done {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Checks that the command failed with exit code 1 and, apart from notes, one line on standard error that contains
    /// all of `parts`.
    #[track_caller]
    pub(crate) fn failed(self, parts: &[&str]) -> Done {
        assert_eq!(self.code, Some(1), "{self:?}");
        let lines: Vec<&str> = self.err.lines().filter(|line| !line.starts_with("note: ")).collect();
        let [line] = lines[..] else { panic!("not one line: {self:?}") };
        assert!(line.starts_with("error: "), "{line:?}");
        for part in parts {
            assert!(line.contains(part), "{line:?} does not contain {part:?}");
        }
        self
    }

    /// Checks that the command line was rejected: exit code 2, `parts` on standard error, nothing on standard output.
    #[track_caller]
    pub(crate) fn misused(self, parts: &[&str]) -> Done {
        assert_eq!((self.code, self.out.as_str()), (Some(2), ""), "{self:?}");
        for part in parts {
            assert!(self.err.contains(part), "{:?} does not contain {part:?}", self.err);
        }
        self
    }

    /// Parses standard output, which must be one JSON object.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let value: Value =
            serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        assert!(value.is_object(), "{value}");
        value
    }
}

/// Returns the duration events (phase `X`) of a trace in one category.
pub(crate) fn events(folder: &Folder, name: &str, category: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(&folder.text(name)).expect("the file is valid JSON");
    let events = file["traceEvents"].as_array().expect("the field is a list").clone();
    assert!(events.iter().all(|event| event["ph"].is_string() && event["pid"].is_u64()), "{events:?}");
    events.into_iter().filter(|event| event["ph"] == "X" && event["cat"] == category).collect()
}
