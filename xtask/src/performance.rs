//! Writes two files from the output of the section `performance` of a bundle's run.sh, and from nothing else:
//!
//! - docs/performance.md: for each line of the benchmark on a GPU, its time, its target and its distance from the
//!   floor. It also contains the times with every schedule, and without each optimization.
//! - docs/images/results.svg: a chart that compares the times with those of other systems.

mod chart;
mod page;
mod steps;
mod variants;

use std::path::PathBuf;

use crate::Result;
use crate::record::{read, write_page};

const PAGE: &str = "docs/performance.md";
const CHART: &str = "docs/images/results.svg";

/// Writes the page and the chart from the folders that run.sh wrote. If the section was run more than once, the last
/// folder is used.
pub(crate) fn write(folders: Vec<PathBuf>) -> Result<()> {
    let output = read(folders)?;
    if !output.performance.iter().any(|object| object["kind"] == "line") {
        return Err(
            "no folder has a performance.jsonl with lines in it; the section `performance` of the bundle's \
                    run.sh writes it"
                .to_owned(),
        );
    }
    write_page(CHART, &page::chart(&output)?)?;
    write_page(PAGE, &page::text(&output))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::root;

    /// The table in README.md repeats lines of the record. Both must change together.
    #[test]
    fn the_readme_quotes_the_record() {
        let read = |name: &str| std::fs::read_to_string(root().join(name)).expect("a page of the repository");
        let (readme, record) = (read("README.md"), read(PAGE));
        let table =
            readme.split("\n## Results\n").nth(1).expect("the section").split("\n## ").next().unwrap_or("");
        let rows: Vec<Vec<&str>> = table
            .lines()
            .filter(|line| line.starts_with("| ") && !line.starts_with("| graph"))
            .map(|line| line.split('|').map(str::trim).collect())
            .collect();
        assert_eq!(rows.len(), 8, "eight lines");
        for row in rows {
            let [_, graph, program, median, peer, ratio, _] = row[..] else { panic!("six columns: {row:?}") };
            let begin = format!("| {graph} | {program} | **{median}** |");
            let line = record.lines().find(|line| line.starts_with(&begin));
            let line = line.unwrap_or_else(|| panic!("{PAGE} has no line {begin}"));
            assert!(line.contains(&format!("| {peer} |")), "{peer} in {line}");
            let times = |text: &str| text.split(' ').next().and_then(|time| time.parse::<f64>().ok());
            let expected =
                times(peer).zip(times(median)).map(|(peer, median)| format!("{:.1} x", peer / median));
            assert_eq!(Some(ratio.to_owned()), expected, "{graph}, {program}");
        }
        let date = record.lines().find_map(|line| line.strip_prefix("| date (UTC) | ")).expect("a date");
        assert!(table.contains(&date[..10]), "the table has another date than {date}");
    }
}
