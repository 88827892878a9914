//! A folder of its own for every test, and the command run in it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A command that takes longer has hung.
const PATIENCE: Duration = Duration::from_secs(120);

/// A folder that is gone after the test, and a cache folder of its own: no test may use the user's.
pub(crate) struct Folder(tempfile::TempDir, tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        let folder = || tempfile::tempdir().expect("a folder for the test");
        Folder(folder(), folder())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The files of kept graphs in the cache folder, sorted.
    pub(crate) fn kept_graphs(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.cache().join("graphs")) else { return Vec::new() };
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let mut graphs: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|it| it == "wolf")).collect();
        graphs.sort();
        graphs
    }

    /// The cache folder.
    pub(crate) fn cache(&self) -> &Path {
        self.1.path()
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("the test's file can be written");
        path
    }

    /// The text of a file.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    /// The names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder is there");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The command, run in the folder, with a cache of its own.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wolfpath"));
        command.current_dir(self.0.path()).env("WOLFPATH_CACHE_DIR", self.cache());
        command.env_remove("WOLFPATH_NVRTC").stdin(Stdio::null());
        command
    }

    /// Runs the command with arguments between blanks.
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

/// A command that has ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Done {
    #[track_caller]
    pub(crate) fn of(output: Output) -> Done {
        let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
        let done = Done { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
        assert!(!done.err.contains("panicked"), "{done:?}");
        done
    }

    /// It did what it was asked for.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Done {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// It failed: exit code 1, and one line on standard error, beside notes, that says all of `parts`.
    #[track_caller]
    pub(crate) fn failed(self, parts: &[&str]) -> Done {
        assert_eq!(self.code, Some(1), "{self:?}");
        let lines: Vec<&str> = self.err.lines().filter(|line| !line.starts_with("note: ")).collect();
        let [line] = lines[..] else { panic!("not one line: {self:?}") };
        assert!(line.starts_with("error: "), "{line:?}");
        for part in parts {
            assert!(line.contains(part), "{line:?} does not say {part:?}");
        }
        self
    }

    /// The command line could not be meant: exit code 2, nothing on standard output.
    #[track_caller]
    pub(crate) fn misused(self, parts: &[&str]) -> Done {
        assert_eq!((self.code, self.out.as_str()), (Some(2), ""), "{self:?}");
        for part in parts {
            assert!(self.err.contains(part), "{:?} does not say {part:?}", self.err);
        }
        self
    }

    /// Standard output, which is one JSON object.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let value: Value =
            serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        assert!(value.is_object(), "{value}");
        value
    }
}

/// The events of a trace of one phase and category.
pub(crate) fn events(folder: &Folder, name: &str, category: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(&folder.text(name)).expect("it is JSON");
    let events = file["traceEvents"].as_array().expect("a list").clone();
    assert!(events.iter().all(|event| event["ph"].is_string() && event["pid"].is_u64()), "{events:?}");
    events.into_iter().filter(|event| event["ph"] == "X" && event["cat"] == category).collect()
}
