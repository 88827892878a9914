//! Columns by name, from the edge list to the result.

use crate::support::Folder;

const ROADS: &str = "source,target,length,toll\n1,2,4,50\n2,3,5,6.5\n1,3,20,7\n";

#[test]
fn a_column_is_chosen_as_the_weight() {
    let folder = Folder::new();
    folder.file("roads.csv", ROADS);
    folder.wolfpath("run sssp roads.csv --source 1").failed(&[
        "no column was chosen as the weight",
        "length, toll",
        "--weight-column NAME",
    ]);
    for (column, distance) in [("length", 9), ("toll", 7)] {
        let run =
            format!("run sssp roads.csv --source 1 --verify --json --weight-column {column} --output d");
        let json = folder.wolfpath(&run).succeeded().json();
        assert_eq!(json["graph"]["weight_column"], column);
        assert_eq!(json["graph"]["columns"], serde_json::json!(["length", "toll"]));
        let last = folder.text("d").lines().last().map(str::to_owned);
        assert_eq!(
            last.and_then(|line| line.split(' ').nth(1)?.parse::<f64>().ok()),
            Some(f64::from(distance))
        );
    }
    folder.wolfpath("run bfs roads.csv --source 1 --verify").succeeded();
    folder
        .wolfpath("run sssp roads.csv --weight-column width")
        .failed(&["no column `width`", "the columns length, toll"]);
    folder
        .wolfpath("run sssp roads.csv --weight-column toll --weights unit")
        .misused(&["--weight-column names a column of the input"]);
}

#[test]
fn columns_are_named_listed_and_checked() {
    let folder = Folder::new();
    folder.file("roads.txt", "1 2 4 50\n2 3 5 6.5\n");
    folder
        .wolfpath("info roads.txt")
        .failed(&["4 fields on the line", "--columns a,b,c or --ignore-extra-columns"]);
    let done = folder.wolfpath("info roads.txt --columns length,toll").succeeded();
    assert!(done.out.contains("columns    length u8 (2 bytes), toll f32 (8 bytes)\n"), "{done:?}");
    assert!(done.err.contains("note: columns: length, toll"), "{done:?}");
    folder.wolfpath("build roads.txt --columns length,toll --output roads.wolf").succeeded();
    let done = folder.wolfpath("check roads.wolf").succeeded();
    assert!(done.out.contains("column toll"), "{done:?}");
    let done = folder.wolfpath("info roads.wolf").succeeded();
    assert!(done.out.contains("weights 10, "), "{done:?}");
    folder.wolfpath("info roads.txt --columns length,Length").failed(&["two columns are called `Length`"]);
    folder.file("roads.gr", "p sp 2 1\na 1 2 3\n");
    folder.wolfpath("info roads.gr --columns length").failed(&["has no named columns"]);
}

#[test]
fn columns_go_from_format_to_format() {
    let folder = Folder::new();
    folder.file("a.csv", ROADS);
    for pair in ["a.csv", "b.wolf", "c.tsv.gz", "d.txt", "e.csv"].windows(2) {
        folder.wolfpath(&format!("convert {} {}", pair[0], pair[1])).succeeded();
    }
    let sorted = |name: &str| {
        let text = folder.text(name);
        let mut lines: Vec<String> = text.lines().map(|line| line.replace(".0", "")).collect();
        lines[1..].sort();
        lines
    };
    assert_eq!(sorted("a.csv"), sorted("e.csv"));
    assert!(folder.text("d.txt").contains("\n# source target length toll\n"), "{}", folder.text("d.txt"));
    folder.wolfpath("convert a.csv g.gr").failed(&[
        "the columns length, toll",
        "the format gr",
        "--weight-column NAME, --drop-weights",
    ]);
    let done = folder.wolfpath("convert b.wolf g.gr --weight-column length").succeeded();
    assert!(done.err.contains("note: the column length is written as the weight"), "{done:?}");
    assert!(folder.text("g.gr").contains("a 1 2 4\n"), "{}", folder.text("g.gr"));
    folder.wolfpath("convert a.csv g.gr --weight-column width").failed(&["no column `width`"]);
    folder.wolfpath("convert a.csv g.el --drop-weights").succeeded();
}
