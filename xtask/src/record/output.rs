//! Reads the files that run.sh writes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::several::{self, Several};
use super::suite::Suite;
use crate::Result;
use crate::workspace::failed;

/// One call of the command `wolfpath`.
pub(crate) struct Show {
    pub(crate) command: String,
    pub(crate) exit: String,
    pub(crate) answer: Value,
}

/// One example: its name, its exit code, and the engine that it used.
pub(crate) type Example = [String; 3];

/// One tool of compute-sanitizer: its name, its exit code and its summary.
pub(crate) type Sanitized = [String; 3];

/// Complete output of a run.
pub(crate) struct Output {
    /// Lines of provenance.txt, as pairs of key and value.
    pub(crate) provenance: Vec<(String, String)>,
    pub(crate) suite: Option<Suite>,
    /// Results of the suite with the rows of all graphs packed, and in host memory, and with short queues.
    pub(crate) rows: Option<Suite>,
    /// The same with rows that are streamed.
    pub(crate) streamed: Option<Suite>,
    /// Results of the random programs.
    pub(crate) corpus: Option<Suite>,
    pub(crate) shows: Vec<Show>,
    pub(crate) examples: Vec<Example>,
    /// Lines of the benchmarks: from the section `bench`, or from `performance` if only that was run.
    pub(crate) benches: Vec<Value>,
    /// Lines of the section `performance`.
    pub(crate) performance: Vec<Value>,
    pub(crate) sanitized: Vec<Sanitized>,
    /// The sentence in which the soak says what it did, and whether it passed.
    pub(crate) soak: Option<(String, bool)>,
    /// Output of runs that several devices share.
    pub(crate) several: Option<Several>,
}

/// Keys that must be equal in all folders of a record.
const SAME: [&str; 4] = ["commit", "sources", "device", "driver"];

impl Output {
    /// Reads the folders. Files in later folders take precedence.
    pub(crate) fn read(folders: &[PathBuf]) -> Result<Output> {
        let provenance = provenance(folders)?;
        let text = |name: &str| {
            let mut files = folders.iter().rev().map(|folder| folder.join(name));
            files.find_map(|file| std::fs::read_to_string(file).ok())
        };
        // A suite that ran as a whole takes precedence over its parts.
        let suite = |name: &str| match text(&format!("{name}.txt")) {
            Some(text) => Ok(Some(Suite::read(&text))),
            None => parts(folders, name, &text),
        };
        let rows = |name: &str| -> Vec<Vec<String>> {
            let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
            text(name).unwrap_or_default().lines().map(cells).collect()
        };
        let object = |name: String| -> Option<Value> { serde_json::from_str(&text(&name)?).ok() };
        let shows = several::runs(rows("shows.tsv"), |name| object(format!("shows/{name}.json")));
        let several = text("several-devices.txt").map(|devices| Several {
            devices,
            found: text("several-found.txt").unwrap_or_default(),
            suite: text("several.txt").map(|text| Suite::read(&text)),
            runs: several::runs(rows("several.tsv"), |name| object(format!("several/{name}.json"))),
        });
        let examples = rows("examples.tsv").into_iter().filter_map(|row| row.try_into().ok());
        let sanitized = rows("sanitize.tsv").into_iter().filter_map(|row| row.try_into().ok());
        let soak = text("soak.txt").map(|text| {
            let said =
                text.lines().find(|line| line.contains("runs with random delays")).unwrap_or("no run ended");
            (said.to_owned(), Suite::read(&text).is_good())
        });
        let objects = |name: &str| -> Vec<Value> {
            let text = text(name).unwrap_or_default();
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
        };
        let performance = objects("performance.jsonl");
        let benches = Some(objects("bench.jsonl")).filter(|lines| !lines.is_empty());
        Ok(Output {
            provenance,
            suite: suite("tests")?,
            rows: suite("rows")?,
            streamed: suite("streamed")?,
            corpus: suite("corpus")?,
            shows,
            examples: examples.collect(),
            benches: benches.unwrap_or_else(|| performance.clone()),
            performance,
            sanitized: sanitized.collect(),
            soak,
            several,
        })
    }

    /// Returns the value of a line of provenance.txt, or an empty text if there is no such line.
    pub(crate) fn of(&self, key: &str) -> &str {
        lookup(&self.provenance, key)
    }
}

/// Returns the results of a suite that ran in parts, each in any of the folders; `None` if none ran. A part without output
/// counts as one test that did not finish.
///
/// # Errors
/// Returns an error if the parts are of different divisions.
fn parts(folders: &[PathBuf], name: &str, text: &impl Fn(&str) -> Option<String>) -> Result<Option<Suite>> {
    let mut divisions = BTreeSet::new();
    for folder in folders {
        for file in std::fs::read_dir(folder).map_err(failed("read", folder))? {
            let file = file.map_err(failed("read", folder))?.file_name();
            let part = file
                .to_str()
                .and_then(|file| file.strip_prefix(name)?.strip_prefix('-')?.strip_suffix(".txt"));
            divisions.extend(part.and_then(|part| part.split_once("of")?.1.parse::<usize>().ok()));
        }
    }
    let Some(parts) = divisions.pop_first() else { return Ok(None) };
    if let Some(other) = divisions.pop_first() {
        return Err(format!(
            "{name}: some parts are of {parts}, and some of {other}; record those of one division"
        ));
    }
    let mut suite = Suite { is_complete: true, ..Suite::default() };
    for part in 1..=parts {
        let text = text(&format!("{name}-{part}of{parts}.txt"));
        suite.add(text.map_or_else(Suite::missing, |text| Suite::read(&text)));
    }
    Ok(Some(suite))
}

fn lookup<'a>(lines: &'a [(String, String)], key: &str) -> &'a str {
    lines.iter().find(|(name, _)| name == key).map_or("", |(_, value)| value)
}

/// Returns the provenance of the last folder.
///
/// # Errors
/// Returns an error if the folders are from different sources or devices.
fn provenance(folders: &[PathBuf]) -> Result<Vec<(String, String)>> {
    let all = folders.iter().map(|folder| read_provenance(folder)).collect::<Result<Vec<_>>>()?;
    for key in SAME {
        let mut values = all.iter().map(|lines| lookup(lines, key));
        let first = values.next().unwrap_or_default();
        if let Some(other) = values.find(|value| *value != first) {
            return Err(format!(
                "these folders are from different runs: {key} is \"{first}\" in one and \"{other}\" in another"
            ));
        }
    }
    all.into_iter().last().ok_or_else(|| "no folder was given".to_owned())
}

fn read_provenance(folder: &Path) -> Result<Vec<(String, String)>> {
    let file = folder.join("provenance.txt");
    let text = std::fs::read_to_string(&file).map_err(failed("read", &file))?;
    let pairs = text.lines().filter_map(|line| line.split_once(": "));
    let lines: Vec<_> = pairs.map(|(key, value)| (key.to_owned(), value.trim().to_owned())).collect();
    match ["sources", "device"].into_iter().find(|key| lookup(&lines, key).is_empty()) {
        Some(key) => {
            Err(format!("{} has no line \"{key}: ...\", so it is not from a run on a GPU", file.display()))
        }
        None => Ok(lines),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined() {
        let folder = std::env::temp_dir().join(format!("wolfpath-parts-{}", std::process::id()));
        let folders = [folder.join("a"), folder.join("b")];
        let write = |folder: &Path, file: &str, text: &str| {
            std::fs::create_dir_all(folder).expect("a folder");
            std::fs::write(folder.join(file), text).expect("a file");
        };
        let all = "sources: 1\ndevice: D\n";
        folders.iter().for_each(|folder| write(folder, "provenance.txt", all));
        let read = || Output::read(&folders).map(|output| output.streamed);
        assert_eq!(read(), Ok(None));
        write(
            &folders[0],
            "streamed-1of2.txt",
            "running 1 test\ntest cuda::b ... ok\ntest result: ok. 1 passed",
        );
        let half = read().expect("it is readable").expect("a part ran");
        assert!((half.passed.len(), half.unfinished(), half.is_good()) == (1, 1, false), "{half:?}");
        write(
            &folders[1],
            "streamed-2of2.txt",
            "running 1 test\ntest cuda::a ... ok\ntest result: ok. 1 passed",
        );
        let whole = read().expect("it is readable").expect("both parts ran");
        assert_eq!(
            (whole.passed.as_slice(), whole.is_good()),
            (&["cuda::a".to_owned(), "cuda::b".to_owned()][..], true)
        );
        write(&folders[1], "streamed-1of3.txt", "running 0 tests\n");
        assert!(read().is_err_and(|error| error.contains("some parts are of 2, and some of 3")));
        write(&folders[0], "streamed.txt", "running 1 test\ntest cuda::b ... FAILED\ntest result: FAILED");
        assert_eq!(read().expect("it is readable").expect("the suite ran").failed, ["cuda::b"]);
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
