//! Invalid command lines: exit code 2, and a message with the expected values.

use std::path::Path;

use crate::support::Folder;

#[test]
fn an_unknown_program_lists_them() {
    let programs = ["bfs", "sssp", "widest", "reach", "components", "pagerank", "kcore", "adsorption"];
    Folder::new().wolfpath("run dijkstra g.el").misused(&programs).misused(&["dijkstra"]);
    Folder::new().wolfpath("explain dijkstra g.el").misused(&programs);
}

#[test]
fn options_are_listed_under_their_headings() {
    let folder = Folder::new();
    for (command, others) in [("run", ["--engine", "--json"]), ("check-cluster", ["--help", "--json"])] {
        let help = folder.wolfpath(&format!("{command} --help")).succeeded().out;
        let (general, cluster) = help.split_once("Processes of a cluster:").expect("a heading");
        assert!(cluster.contains("--hostfile <FILE>") && !general.contains("--hostfile <FILE>"), "{help}");
        for option in others {
            assert!(general.contains(option) && !cluster.contains(option), "{option}: {help}");
        }
    }
}

#[test]
fn missing_parts() {
    let folder = Folder::new();
    folder.wolfpath("").misused(&[
        "run",
        "build",
        "info",
        "explain",
        "convert",
        "generate",
        "devices",
        "shard",
        "plan-cluster",
        "check-cluster",
    ]);
    for part in
        ["run", "run bfs", "build", "info", "explain sssp", "generate", "generate rmat --scale 4", "fly"]
    {
        folder.wolfpath(part).misused(&["Usage"]);
    }
}

#[test]
fn values_that_are_none() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n");
    for (options, part) in [
        ("--source x", "--source"),
        ("--source 1,", "--source"),
        ("--source -1", "expected the id of a vertex, a number from 0"),
        ("--path-to +1", "expected the id of a vertex, a number from 0"),
        ("--output=", "expected the name of a file"),
        ("--trace=", "expected the name of a file"),
        ("--steps -1", "--steps"),
        ("--source 123456789012345678901234567890", "--source"),
        ("--weights heavy", "random:SEED:MAX"),
        ("--weights random:1:0", "random:SEED:MAX"),
        ("--engine gpu", "cuda:N"),
        ("--engine cuda:x", "cuda:N"),
        ("--precision f16", "f32"),
        ("--format xml", "mtx"),
        ("--repeat 0", "--repeat"),
        ("--threads 0", "--threads"),
        ("--time-limit 0", "seconds"),
        ("--steps=-1", "--steps"),
        ("--duplicates some", "keep"),
        ("--damping 2", "--damping"),
    ] {
        folder.wolfpath(&format!("run bfs g.el {options}")).misused(&[part]);
    }
    assert_eq!(folder.names(), ["g.el"]);
}

#[test]
fn options_that_do_not_go_together() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n");
    for (arguments, part) in [
        ("run components g.el --source 1", "omit --source"),
        ("run pagerank g.el --source 1", "omit --source"),
        ("run pagerank g.el --path-to 1", "--path-to"),
        ("run pagerank g.el --predecessors p.txt", "--predecessors"),
        ("run bfs g.el --damping 0.5", "pagerank"),
        ("run sssp g.el --verify --steps 3", "--steps"),
        ("run bfs g.el --output - --json", "standard output"),
        ("run bfs g.el --output - --predecessors -", "standard output"),
        ("run bfs g.el --output out.txt --predecessors out.txt", "same file"),
        ("build g.el --output g.txt", ".wolf"),
        ("generate grid --width 3 --height 3 --output g.txt", ".el, .wel or .wolf"),
        ("generate grid --width 3 --height 3 --output g.wel", "--max-weight"),
        ("generate grid --width 3 --height 3 --max-weight 5 --output g.el", ".wel"),
        ("generate grid --scale 3 --output g.el", "--width"),
        ("generate rmat --width 3 --scale 3 --output g.el", "--width"),
        ("generate rmat --scale 40 --output g.el", "--scale"),
    ] {
        folder.wolfpath(arguments).misused(&[part]);
    }
    assert_eq!(folder.names(), ["g.el"]);
}

#[test]
fn help_and_version_are_no_misuse() {
    let folder = Folder::new();
    for command in ["", "run", "build", "info", "explain", "convert", "generate", "devices"] {
        let done = folder.wolfpath(&format!("{command} --help")).succeeded();
        assert!(done.out.contains("Usage: wolfpath"), "{done:?}");
    }
    assert!(folder.wolfpath("--version").succeeded().out.starts_with("wolfpath "));
}

/// Adds to `found` the lines of the Rust files in a folder that name a long option, except in comments that are not
/// documentation. Returns the number of files.
fn lines_with_options(folder: &Path, found: &mut Vec<String>) -> usize {
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("the source folder exists") {
        let path = entry.expect("a folder entry").path();
        if path.is_dir() {
            files += lines_with_options(&path, found);
            continue;
        }
        files += 1;
        let text = std::fs::read_to_string(&path).expect("a source file is text");
        let names_option = |line: &&str| {
            let begins = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_lowercase());
            let line = line.trim_start();
            let read_by_users = !line.starts_with("//") || line.starts_with("///") || line.starts_with("//!");
            // Options of NVRTC and of benchmarks are not options of the command.
            let of_others = path.ends_with("cuda/cubin.rs") || line.contains("cargo bench");
            read_by_users && !of_others && line.split("--").skip(1).any(begins)
        };
        found.extend(text.lines().filter(names_option).map(|line| format!("{}: {line}", path.display())));
    }
    files
}

#[test]
fn the_libraries_name_no_option() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut found = Vec::new();
    for library in ["wolfpath-core/src", "wolfpath-io/src", "wolfpath-runtime/src", "src"] {
        assert!(lines_with_options(&crates.join(library), &mut found) > 10);
    }
    assert!(found.is_empty(), "{found:#?}");
}
