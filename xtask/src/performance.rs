//! Writes these files from the output of benchmarks, and from nothing else:
//!
//! - docs/performance.md: for each line of the benchmark on a GPU, its time, its target and its distance from the
//!   floor. It also contains the times with every schedule, and without each optimization. Its last sections compare
//!   the CPU engine with other programs.
//! - docs/images/results.svg: a chart that compares the times on a GPU with those of other systems.
//! - docs/images/floors.svg: a chart of the times on a GPU, their floors, and the times of other systems.
//! - docs/images/paths-gpu.svg, paths-two-gpus.svg, paths-four-gpus.svg and paths-cpu.svg: charts that compare the order of paths
//!   with other schedules.
//!
//! The benchmark on a GPU is the section `performance` of a bundle's run.sh. That of the CPU engine is `cargo bench
//! --bench cpu -- --json`, with options that compare it with other programs; its output is named cpu.json, or cpu16.json
//! if it is from a machine with sixteen cores. What has no new output is kept from the last page.

mod chart;
mod cpu;
mod end_to_end;
mod page;
mod paths;
#[cfg(test)]
mod readme;
mod steps;
mod variants;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Result;
use crate::record::output::Output;
use crate::record::{or_default, write_page};
use crate::workspace::{failed, root};

const PAGE: &str = "docs/performance.md";
const CHARTS: [&str; 2] = ["docs/images/results.svg", "docs/images/floors.svg"];

/// Output of the benchmark on a GPU.
const GPU_FILE: &str = "performance.jsonl";

/// Writes the page and the charts from folders. Of each file, that in the last folder is used.
pub(crate) fn write(folders: Vec<PathBuf>) -> Result<()> {
    let folders = or_default(folders);
    let (gpu, cpu) = (gpu(&folders)?, cpu(&folders)?);
    let mut further = cpu.to_vec();
    let old = std::fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    for source in paths::SOURCES {
        let before = sections(&old).into_iter().find(|section| is_titled(section, source.heading));
        let section = |file: PathBuf| paths::section(&source, &objects(&file)?, &before.unwrap_or_default());
        let section = newest(&folders, source.file).map(section);
        let Some((text, chart)) = section.transpose()? else {
            further.push(None);
            continue;
        };
        write_page(source.chart, &chart)?;
        further.push(Some(text));
    }
    if gpu.is_none() && further.iter().all(Option::is_none) {
        let files: Vec<&str> =
            cpu::FILES.iter().map(|(file, _)| *file).chain(paths::SOURCES.map(|s| s.file)).collect();
        return Err(format!(
            "no folder has a {GPU_FILE}, {}; the sections `performance`, `cpu` and `paths` of the bundle's run.sh write them",
            files.join(" or ")
        ));
    }
    if let Some(output) = &gpu {
        for (file, chart) in CHARTS.into_iter().zip(page::charts(output)?) {
            write_page(file, &chart)?;
        }
    }
    write_page(PAGE, &whole(&old, gpu.map(|output| page::text(&output)), further))
}

/// Reads the output of the benchmark on a GPU, if there is one with lines.
fn gpu(folders: &[PathBuf]) -> Result<Option<Output>> {
    let folders: Vec<PathBuf> =
        folders.iter().filter(|folder| folder.join(GPU_FILE).is_file()).cloned().collect();
    if folders.is_empty() {
        return Ok(None);
    }
    let output = Output::read(&folders)?;
    let has_lines = output.performance.iter().any(|object| object["kind"] == "line");
    Ok(Some(output).filter(|_| has_lines))
}

/// Reads the output of the benchmark of the CPU engine, and returns the section for each file that exists.
fn cpu(folders: &[PathBuf]) -> Result<[Option<String>; cpu::FILES.len()]> {
    let mut sections = [const { None }; cpu::FILES.len()];
    for ((name, heading), section) in cpu::FILES.into_iter().zip(&mut sections) {
        if let Some(file) = newest(folders, name) {
            *section = Some(cpu::section(heading, &objects(&file)?));
        }
    }
    Ok(sections)
}

/// Returns the file with this name in the last folder that has one.
fn newest(folders: &[PathBuf], name: &str) -> Option<PathBuf> {
    folders.iter().rev().map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Returns the headings of the sections that follow those on a GPU.
fn headings() -> impl Iterator<Item = &'static str> {
    cpu::FILES.map(|(_, heading)| heading).into_iter().chain(paths::SOURCES.map(|source| source.heading))
}

/// Reads one JSON object per line.
fn objects(file: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(file).map_err(failed("read", file))?;
    let object = |(at, line): (usize, &str)| {
        let error = |error| format!("{}, line {}: expected a JSON object: {error}", file.display(), at + 1);
        serde_json::from_str(line).map_err(error)
    };
    text.lines().enumerate().map(object).collect()
}

/// Splits a page before its headings.
fn sections(page: &str) -> Vec<String> {
    page.split_inclusive('\n').fold(vec![String::new()], |mut sections, line| {
        if line.starts_with("## ") {
            sections.push(String::new());
        }
        if let Some(last) = sections.last_mut() {
            last.push_str(line);
        }
        sections
    })
}

fn is_titled(section: &str, heading: &str) -> bool {
    section.lines().next() == Some(heading)
}

/// Returns the page. Sections without new text are those of the old page. `further` are those of [`headings`].
fn whole(old: &str, gpu: Option<String>, further: Vec<Option<String>>) -> String {
    let mut sections = sections(old);
    let kept: Vec<Option<String>> = headings()
        .map(|heading| {
            let at = sections.iter().position(|section| is_titled(section, heading));
            at.map(|at| sections.remove(at))
        })
        .collect();
    let parts = [gpu.unwrap_or_else(|| sections.concat())];
    let further = further.into_iter().chain(std::iter::repeat(None));
    let further = kept.into_iter().zip(further).filter_map(|(old, new)| new.or(old));
    let parts: Vec<String> =
        parts.into_iter().chain(further).map(|part| part.trim_end().to_owned() + "\n").collect();
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_without_new_output_are_kept() {
        let old = "# Performance\n\n## Times\n\nold\n\n## CPU engine\n\ntwo\n\n## CPU engine, 16 cores\n\nsixteen\n";
        let text = |heading: &str, body: &str| Some(format!("{heading}\n\n{body}\n"));
        assert_eq!(whole(old, None, Vec::new()), old);
        let gpu = whole(old, text("# Performance", "new"), vec![None, None]);
        assert_eq!(
            gpu,
            "# Performance\n\nnew\n\n## CPU engine\n\ntwo\n\n## CPU engine, 16 cores\n\nsixteen\n"
        );
        let both = [text("## CPU engine", "2"), text("## CPU engine, 16 cores", "16")];
        assert_eq!(whole(old, None, both.to_vec()), old.replace("two", "2").replace("sixteen", "16"));
        let first = "# Performance\n\n## Times\n\nold\n";
        let sixteen = whole(first, None, vec![None, both[1].clone()]);
        assert_eq!(sixteen, format!("{first}\n## CPU engine, 16 cores\n\n16\n"));
        assert_eq!(whole(&sixteen, None, vec![both[0].clone(), None]), {
            format!("{first}\n## CPU engine\n\n2\n\n## CPU engine, 16 cores\n\n16\n")
        });
    }

    #[test]
    fn only_what_is_there_is_read() {
        let folder = std::env::temp_dir().join(format!("wolfpath-performance-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let folders = [folder.clone()];
        assert!(gpu(&folders).expect("no output").is_none());
        assert_eq!(cpu(&folders), Ok([None, None]));
        std::fs::write(folder.join("cpu16.json"), "{\"kind\":\"head\",\"command\":\"c\"}\n").expect("a file");
        let [two, sixteen] = cpu(&folders).expect("valid output");
        assert!(two.is_none() && sixteen.is_some_and(|text| text.starts_with("## CPU engine, 16 cores\n")));
        std::fs::write(folder.join("cpu.json"), "{}\nno object\n").expect("a file");
        let error = cpu(&folders).expect_err("the second line is text");
        assert!(error.contains("cpu.json, line 2: expected a JSON object"), "{error}");
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
