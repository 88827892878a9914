//! The part of the record about several devices.

use serde_json::Value;

use super::output::Show;
use super::page::{NOT_RUN, line, without_folders};
use super::suite::Suite;

/// Heading of the section.
const HEADING: &str = "## Several devices\n\n";

/// Output of the section `several`.
pub(crate) struct Several {
    /// The devices, one per line, as `nvidia-smi -L` names them.
    pub(crate) devices: String,
    /// Output of `wolfpath devices`.
    pub(crate) found: String,
    pub(crate) suite: Option<Suite>,
    pub(crate) runs: Vec<Show>,
}

/// Returns the section of the page; `several` is `None` if several devices were not used.
pub(crate) fn section(several: Option<&Several>) -> String {
    let mut text = String::from(HEADING);
    let Some(several) = several else { return text + NOT_RUN };
    // The names end with identifiers of the devices, which mean nothing to readers.
    let names = several.devices.lines().filter_map(|line| line.split(" (UUID").next());
    line(&mut text, &format!("Devices: {}.\n", names.collect::<Vec<_>>().join(", ")));
    let is_measured = |line: &&str| line.starts_with("link ") || line.starts_with("barrier ");
    let measured: Vec<_> = several.found.lines().filter(is_measured).collect();
    if !measured.is_empty() {
        line(&mut text, &format!("```text\n{}\n```\n", measured.join("\n")));
    }
    match &several.suite {
        Some(suite) if suite.is_good() => {
            let passed: Vec<_> = suite.passed.iter().map(|name| format!("`{name}`")).collect();
            line(&mut text, &format!("Passed on all of them: {}.\n", passed.join(", ")));
        }
        Some(suite) => line(
            &mut text,
            &format!(
                "**{} tests failed on all of them, and {} did not finish.**\n",
                suite.failed.len(),
                suite.unfinished()
            ),
        ),
        None => line(&mut text, "No tests were run.\n"),
    }
    line(
        &mut text,
        "| command | exit code | launches | run, ms | speedup over one device |\n|---|---:|---:|---:|---:|",
    );
    let mut alone = (String::new(), None);
    for show in &several.runs {
        let answer = &show.answer;
        let median = answer["runs"]["median"].as_f64().or(answer["seconds"]["run"].as_f64());
        // The first run of a program, with the same options, is on one device.
        let program = show.command.split(" --engine").next().unwrap_or_default();
        if alone.0 != program {
            alone = (program.to_owned(), median);
        }
        let time = median.map_or_else(String::new, |time| format!("{:.3}", 1e3 * time));
        let speedup = alone.1.zip(median.filter(|&time| time > 0.0));
        let speedup = speedup.map(|(alone, time): (f64, f64)| format!("{:.2}", alone / time));
        let launches = answer["launches"].as_u64().map_or_else(String::new, |count| count.to_string());
        let command = without_folders(&show.command);
        line(
            &mut text,
            &format!(
                "| `{command}` | {} | {launches} | {time} | {} |",
                show.exit,
                speedup.unwrap_or_default()
            ),
        );
    }
    text
}

/// Beginning of a section that an earlier page had.
const KEPT: &str = "Recorded earlier: ";

/// Returns the section of an earlier page, with the commit, the sources and the date of that page, if it was recorded.
pub(crate) fn kept(earlier: &str) -> Option<String> {
    let (_, rest) = earlier.split_once(HEADING)?;
    let body = rest.split("\n## ").next().unwrap_or(rest).trim();
    if body == NOT_RUN.trim() {
        return None;
    }
    if body.starts_with(KEPT) {
        return Some(format!("{HEADING}{body}\n"));
    }
    let row = |key: &str| {
        let value = earlier.lines().find_map(|line| line.strip_prefix(&format!("| {key} | ")))?;
        Some(value.trim_end_matches(" |").split(", a hash").next().unwrap_or(value).to_owned())
    };
    let (commit, sources, date) = (row("commit")?, row("sources")?, row("date (UTC)")?);
    Some(format!("{HEADING}{KEPT}commit {commit}, sources {sources}, {date}.\n\n{body}\n"))
}

/// Returns the runs that a table of `run.sh` lists. `answer` reads the object of a name.
pub(crate) fn runs(rows: Vec<Vec<String>>, answer: impl Fn(&str) -> Option<Value>) -> Vec<Show> {
    let run = |row: Vec<String>| {
        let [name, exit, _, command] = <[String; 4]>::try_from(row).ok()?;
        Some(Show { answer: answer(&name).unwrap_or_default(), command, exit })
    };
    rows.into_iter().filter_map(run).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn speedups_are_over_the_first_run_of_a_program() {
        let run = |command: &str, median: f64| Show {
            command: command.to_owned(),
            exit: "0".to_owned(),
            answer: json!({"launches": 1, "runs": {"median": median}}),
        };
        let several = Several {
            devices: "GPU 0: H (UUID: GPU-1)\nGPU 1: H (UUID: GPU-2)\n".to_owned(),
            found: "cpu 1\nbarrier    cuda:0,1 wait for each other in 3.00 us\n".to_owned(),
            suite: Some(Suite::read("running 1 test\ntest cuda::x ... ok\ntest result: ok. 1 passed")),
            runs: vec![
                run("wolfpath run bfs /tmp/g.wolf --engine cuda:0", 0.004),
                run("wolfpath run bfs /tmp/g.wolf --engine cuda:0,1", 0.002),
                run("wolfpath run sssp /tmp/g.wolf --engine cuda:0", 0.003),
            ],
        };
        let text = section(Some(&several));
        assert!(text.contains("Devices: GPU 0: H, GPU 1: H.\n"), "{text}");
        assert!(text.contains("in 3.00 us") && text.contains("Passed on all of them: `cuda::x`."), "{text}");
        assert!(
            text.contains("| `wolfpath run bfs g.wolf --engine cuda:0,1` | 0 | 1 | 2.000 | 2.00 |"),
            "{text}"
        );
        assert!(text.contains("cuda:0` | 0 | 1 | 3.000 | 1.00 |"), "{text}");
        assert!(section(None).ends_with("Not run.\n"));
    }

    #[test]
    fn an_earlier_section_is_kept_with_its_sources() {
        let head = "# x\n\n| commit | `a1` |\n| sources | `b2`, a hash of the kernels |\n| date (UTC) | 2026-11-27 |\n\n";
        let page = format!("{head}{HEADING}Devices: two.\n\n| x |\n\n## Benchmarks\n\nNone.\n");
        let once = kept(&page).expect("the page has the section");
        let expected = "Recorded earlier: commit `a1`, sources `b2`, 2026-11-27.\n\nDevices: two.\n\n| x |\n";
        assert_eq!(once, format!("{HEADING}{expected}"));
        let again = format!("{head}{once}\n## Benchmarks\n")
            .replace("a1", "c3")
            .replace("commit `c3`, s", "commit `a1`, s");
        assert_eq!(kept(&again), Some(once));
        assert_eq!(kept(&format!("{head}{HEADING}{NOT_RUN}\n## Benchmarks\n")), None);
        assert_eq!(kept(""), None);
    }
}
