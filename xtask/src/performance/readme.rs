//! The tables in README.md repeat lines of the record. Both must change together.

use super::PAGE;
use crate::workspace::root;

/// First columns of the table of times on a GPU.
const GPU_TABLE: &str = "| graph | program | wolfpath | fastest other system |";

/// First columns of the table of times on the CPU engine.
const CPU_TABLE: &str = "| graph | program | GAP | wolfpath |";

#[test]
fn the_readme_quotes_the_record() {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).expect("a page of the repository");
    let (readme, record) = (read("README.md"), read(PAGE));
    let table =
        readme.split("\n## Results\n").nth(1).expect("the section").split("\n## ").next().unwrap_or("");
    let rows = rows(table, GPU_TABLE);
    assert_eq!(rows.len(), 8, "eight lines");
    for row in rows {
        let [graph, program, median, peer, ratio] = row[..] else { panic!("five columns: {row:?}") };
        let begin = format!("| {graph} | {program} | **{median}** |");
        let line = record.lines().find(|line| line.starts_with(&begin));
        let line = line.unwrap_or_else(|| panic!("{PAGE} has no line {begin}"));
        assert!(line.contains(&format!("| {peer} |")), "{peer} in {line}");
        let times = |text: &str| text.split(' ').next().and_then(|time| time.parse::<f64>().ok());
        let expected = times(peer).zip(times(median)).map(|(peer, median)| format!("{:.1} x", peer / median));
        assert_eq!(Some(ratio.to_owned()), expected, "{graph}, {program}");
    }
    let date = date(&record).expect("a date");
    assert!(table.contains(&date[..10]), "the table has another date than {date}");
    quoted(table, &record).unwrap_or_else(|wrong| panic!("{wrong}"));
}

/// Returns the cells of the rows of the table with these first columns. Empty if the text has no such table.
fn rows<'t>(text: &'t str, columns: &str) -> Vec<Vec<&'t str>> {
    let table = text.lines().skip_while(|line| !line.starts_with(columns));
    let rows = table.skip(2).take_while(|line| line.starts_with("| "));
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// Returns the first date of the record.
fn date(record: &str) -> Option<&str> {
    record.lines().find_map(|line| line.strip_prefix("| date (UTC) | "))
}

/// Compares a table of times on the CPU engine, if there is one, with the record's section on two cores.
fn quoted(table: &str, record: &str) -> Result<(), String> {
    let rows = rows(table, CPU_TABLE);
    if rows.is_empty() {
        return Ok(());
    }
    let section =
        record.split("\n## CPU engine\n").nth(1).ok_or("the record has no section on the CPU engine")?;
    let section = section.split("\n## ").next().unwrap_or_default();
    for row in rows {
        let [graph, program, gap, ours, ratio] = row[..] else {
            return Err(format!("five columns: {row:?}"));
        };
        let begin = format!("| {graph} | {program} | {gap} | **{ours}** | {ratio} |");
        if !section.lines().any(|line| line.starts_with(&begin)) {
            return Err(format!("{PAGE} has no line {begin}"));
        }
    }
    let date = date(section).and_then(|date| date.get(..10)).ok_or("the section has no date")?;
    if table.contains(date) { Ok(()) } else { Err(format!("the table has another date than {date}")) }
}

#[test]
fn a_table_that_differs_from_the_record_is_an_error() {
    let record = "# Performance\n\n## Times\n\n| date (UTC) | 2026-01-01 |\n\n## CPU engine\n\n\
                  | date (UTC) | 2026-11-23 |\n\n\
                  | G | bfs | 2.000 | **1.000** | 0.50 | 1.0 | met |\n\n\
                  ## CPU engine, 16 cores\n\n| G | sssp | 2.000 | **1.000** | 0.50 | 1.0 | met |\n";
    let table = |row: &str| {
        format!("On 2026-11-23:\n\n{CPU_TABLE} ratio |\n|---|---|---:|---:|---:|\n{row}\n\nText.\n")
    };
    let right = table("| G | bfs | 2.000 | 1.000 | 0.50 |");
    assert_eq!(quoted(&right, record), Ok(()));
    assert_eq!(quoted("No table.", record), Ok(()));
    for (table, part) in [
        (table("| G | bfs | 2.000 | 1.100 | 0.50 |"), "no line | G | bfs | 2.000 | **1.100** | 0.50 |"),
        (table("| G | bfs | 2.000 | 1.000 | 0.51 |"), "no line"),
        (table("| G | sssp | 2.000 | 1.000 | 0.50 |"), "no line"),
        (table("| G | bfs |"), "five columns"),
        (right.replace("11-23", "01-01"), "another date than 2026-11-23"),
    ] {
        let error = quoted(&table, record).expect_err("the table is wrong");
        assert!(error.contains(part), "{error}");
    }
    assert!(quoted(&right, "## Times\n").is_err_and(|error| error.contains("no section")));
}
