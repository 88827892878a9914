//! Shards that the processes of a cluster build together are those of one machine, byte for byte.

#[allow(dead_code, reason = "some functions are only for other tests")]
mod graphs;
mod processes;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use graphs::number;
use wolfpath::cluster::{BuildError, Deal, Shards};
use wolfpath::graph::{LayerOptions, LayeredGraph};
use wolfpath::load::{Duplicates, LoadOptions, Policy, load};

/// Numbers of processes, and of shards.
const SIZES: [(usize, u16); 5] = [(1, 3), (2, 1), (2, 5), (3, 4), (4, 4)];

/// Returns the names and bytes of all files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("it is read"));
    let name = |path: &PathBuf| path.file_name().expect("it has a name").to_string_lossy().into_owned();
    entries.map(|entry| (name(&entry.path()), fs::read(entry.path()).expect("it is read"))).collect()
}

/// Builds shards on a cluster. Returns the error of each process, as text, or its number of edges.
fn build(
    (input, output): (&Path, &Path),
    options: &LoadOptions,
    (processes, shards): (usize, u16),
) -> Vec<Result<u64, String>> {
    processes::run(
        processes,
        |config| config,
        |connected| {
            let mut cluster = connected.expect("all are there");
            let built = Shards::build_on(&mut cluster, input, options, number(shards), output);
            built.map(|shards| shards.num_edges()).map_err(|error| error.to_string())
        },
    )
}

/// Checks that clusters of all sizes build the shards of one machine.
fn agrees(what: &str, text: &str, options: &LoadOptions) {
    agrees_of("graph.txt", what, text.as_bytes(), options);
}

/// Checks the same for the bytes of a file.
fn agrees_of(name: &str, what: &str, bytes: &[u8], options: &LoadOptions) {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join(name);
    fs::write(&input, bytes).expect("it is written");
    let list = load(&input, options).unwrap_or_else(|error| panic!("{what}: {error}"));
    let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new()).expect("the edges form a graph");
    for (processes, shards) in SIZES {
        let [alone, together] = ["alone", "together"].map(|name| folder.path().join(name));
        let deal = Deal::new(&graph, number(shards)).expect("there is memory");
        Shards::write(&graph, &deal, &alone).expect("it is written");
        let what = format!("{what}, {processes} processes, {shards} shards");
        for built in build((&input, &together), options, (processes, shards)) {
            assert_eq!(built, Ok(graph.num_edges()), "{what}");
        }
        let (expected, found) = (files(&alone), files(&together));
        assert!(expected.keys().eq(found.keys()), "{what}: {:?}", found.keys());
        for (name, bytes) in &expected {
            let differs = found[name].iter().zip(bytes).position(|(found, expected)| found != expected);
            let at = differs.unwrap_or(bytes.len().min(found[name].len()));
            assert!(found[name] == *bytes, "{what}: {name} differs from byte {at} on");
        }
        // The next size replaces the shards of this one, so that surplus ones must go.
    }
}

/// Returns text of pseudo-random edges, without or with some columns.
fn edges(number: u64, vertices: u64, columns: impl Fn(u64) -> String) -> String {
    let mix = |n: u64| (n ^ n >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 17;
    let line = |n: u64| {
        let (source, target) = (mix(n + 1) % vertices, mix(mix(n + 7) + n) % vertices);
        format!("{source} {}{}\n", target * target % vertices, columns(n))
    };
    (0..number).map(line).collect()
}

fn none(_: u64) -> String {
    String::new()
}

#[test]
fn directed_and_undirected_edges() {
    for options in [LoadOptions::new(), LoadOptions::new().undirected(true)] {
        agrees("nothing", "", &options);
        agrees("comments only", "# nothing\n\n", &options);
        agrees("a loop", "7 7\n", &options);
        agrees("a line without its end", "# two\n1 2\n\n  % middle\n2 3", &options);
        agrees("random edges", &edges(30_000, 5000, none), &options);
        agrees("parallel edges", &edges(20_000, 90, none), &options);
        let star: String = (1..40_000).map(|leaf| format!("0 {leaf}\n")).collect();
        agrees("a star, whose row is cut", &star, &options);
        let path: String = (0..3000).map(|vertex| format!("{} {}\n", vertex + 1, vertex)).collect();
        agrees("a long path", &path, &options);
        let large: String = (0..500).map(|n| format!("{} {}\n", u64::MAX - n * n, n * (1 << 40))).collect();
        agrees("large ids", &large, &options);
        let rings: String = (0..9000u64).map(|v| format!("{v} {}\n", v / 30 * 30 + (v + 7) % 30)).collect();
        agrees("many components without a first vertex", &rings, &options);
        // Each ring leads to the previous one, so that each round reaches only one of them.
        let chain: String = (0..40u64)
            .map(|ring| {
                let [a, b, next] = [2 * ring, 2 * ring + 1, 2 * ring + 2];
                format!("{a} {b}\n{b} {a}\n{next} {b}\n")
            })
            .collect();
        agrees("a chain of rings", &chain, &options);
    }
}

#[test]
fn columns_of_all_types() {
    let both = [LoadOptions::new(), LoadOptions::new().undirected(true)];
    for options in &both {
        let weighted = |what, column: &dyn Fn(u64) -> String| {
            agrees(what, &edges(6000, 700, |n| format!(" {}", column(n))), options);
        };
        weighted("8 bits", &|n| (n % 256).to_string());
        weighted("16 bits in the last part", &|n| (n / 20).to_string());
        weighted("negative weights", &|n| (n as i64 % 9 - 4).to_string());
        weighted("64 bits in one line", &|n| if n == 4000 { u64::MAX } else { n }.to_string());
        weighted("negative weights and 64 bits", &|n| if n < 3000 { -1 } else { 1i64 << 40 }.to_string());
        weighted("fractions", &|n| (n as f64 / 4.0).to_string());
        weighted("64-bit fractions", &|n| (n as f64 / 10.0).to_string());
        weighted("one fraction", &|n| if n == 5999 { "0.5".to_owned() } else { n.to_string() });
        let table = edges(6000, 60, |n| format!(" {} {} {}", n % 7, n as f64 / 3.0, -(n as i64)));
        agrees("named columns", &format!("source target length speed gain\n{table}"), options);
        agrees(
            "a named weight",
            &format!("# made today\nfrom to toll\n{}", edges(900, 60, |n| format!(" {n}"))),
            options,
        );
    }
    let lossy = LoadOptions::new().lossy_weights(true);
    let inexact =
        |n: u64| if n == 2500 { " 9007199254740993".to_owned() } else { format!(" {}", n as f64 / 2.0) };
    agrees("rounded weights", &edges(5000, 700, inexact), &lossy);
    let asked = LoadOptions::new().columns(["toll"]).ignore_extra_columns(true);
    agrees("columns that the user names", &edges(900, 60, |n| format!(" {n}")), &asked);
}

#[test]
fn symmetric_edges() {
    let there: Vec<(u64, u64, u64)> =
        (0..6000).map(|edge| (edge % 97, 100 + edge % 89, edge % 300)).collect();
    let text = |edges: &mut dyn Iterator<Item = (u64, u64, u64)>| -> String {
        edges.map(|(a, b, weight)| format!("{a} {b} {weight}\n")).collect()
    };
    let back = there.iter().map(|&(a, b, weight)| (b, a, weight));
    let in_order = text(&mut there.iter().copied().chain(back.clone()));
    let reversed = text(&mut there.iter().copied().chain(back.clone().rev()));
    let other_weights = text(&mut there.iter().copied().chain(back.map(|(a, b, weight)| (a, b, weight + 1))));
    for options in [LoadOptions::new(), LoadOptions::new().undirected(true)] {
        agrees("both directions", &in_order, &options);
        agrees("parallel edges in another order", &reversed, &options);
        agrees("other weights in the other direction", &other_weights, &options);
        let unweighted: String =
            in_order.lines().map(|line| line.rsplit_once(' ').expect("fields").0.to_owned() + "\n").collect();
        agrees("both directions, without weights", &unweighted, &options);
    }
}

#[test]
fn options_for_reading() {
    let text = edges(20_000, 200, |n| format!(" {}", n % 50));
    for undirected in [false, true] {
        let options = LoadOptions::new().undirected(undirected);
        for duplicates in [Duplicates::Drop, Duplicates::Min, Duplicates::Max, Duplicates::Sum] {
            agrees("merged duplicates", &text, &options.clone().duplicates(duplicates));
        }
        agrees("no self-loops", &text, &options.clone().self_loops(Policy::Drop));
        agrees("more vertices", &text, &options.clone().vertices([5, 1000, 1 << 50, 1000]));
    }
    let both = format!(
        "{text}{}",
        text.lines()
            .map(|line| {
                let fields: Vec<&str> = line.split(' ').collect();
                format!("{} {} {}\n", fields[1], fields[0], fields[2])
            })
            .collect::<String>()
    );
    for duplicates in [Duplicates::Max, Duplicates::Sum] {
        let options = LoadOptions::new().undirected(true).duplicates(duplicates);
        agrees("duplicates of both directions", &both, &options);
    }
}

#[test]
fn sums_of_duplicates() {
    for undirected in [false, true] {
        let options = LoadOptions::new().undirected(undirected).duplicates(Duplicates::Sum);
        let sums = |what, options: &LoadOptions, weight: &dyn Fn(u64) -> String| {
            agrees(what, &edges(9000, 60, |n| format!(" {}", weight(n))), options);
        };
        agrees("numbers of lines", &edges(9000, 60, none), &options);
        agrees("no edges", "# none\n", &options);
        // Sums of these depend on the order in which they are added.
        sums("fractions", &options, &|n| format!("{:?}", 0.1 + n as f64 * 1e13_f64.powi((n % 3) as i32 - 1)));
        sums("sums beyond 32 bits", &options, &|n| (n << 22).to_string());
        sums("negative weights", &options, &|n| (-(n as i64)).to_string());
        let without_loops = options.clone().self_loops(Policy::Drop);
        sums("no self-loops", &without_loops, &|n| (n % 5).to_string());
        // No integer type holds the sum and the negative number, and no float the sum, which is not in the first part.
        let (ones, large) = (edges(3000, 60, |_| " 1".to_owned()), (1u64 << 62) + 1);
        let text =
            format!("{ones}100 101 {large}\n{ones}101 100 {large}\n100 101 {large}\n102 103 -1\n{ones}");
        agrees("rounded sums", &text, &without_loops.clone().lossy_weights(true));
        let expected = load_error(&text, "sum.el", &without_loops);
        assert!(expected.contains("sums of weights"), "{expected}");
        refuses("sum.el", &text, &without_loops, &expected);
    }
    let options = LoadOptions::new().duplicates(Duplicates::Sum);
    refuses(
        "most.el",
        "1 2 1e308\n3 4 1\n1 2 1e308\n",
        &options,
        "the sum of the weights of the edges 1 -> 2",
    );
    refuses("a.el", "source target a b\n1 2 3 4\n", &options, "the edges have the columns a, b;");
}

#[test]
fn unusual_lines() {
    let text = edges(3000, 300, |n| format!(" {}", n % 50));
    for options in [LoadOptions::new(), LoadOptions::new().undirected(true)] {
        agrees("a byte order mark", &format!("\u{feff}{text}"), &options);
        agrees("a byte order mark before a comment", &format!("\u{feff}# {text}"), &options);
        agrees("a byte order mark only", "\u{feff}", &options);
        let carriage_returns = text.replace('\n', "\r\n");
        agrees("carriage returns", &carriage_returns, &options);
        agrees(
            "a mark and carriage returns",
            &format!("\u{feff}from to toll\r\n{carriage_returns}"),
            &options,
        );
        for few in ["1 2", "1 2\n", "\n1 2", "1 2\n2 1", "1 2 3\n4 5 6\n", "\n\n\n", "1 1\n\n\n\n"] {
            agrees("fewer lines than processes", few, &options);
        }
    }
    // Comments of 1 MB, of which some begin in one part and end in another.
    let long = |many: usize, length: usize| -> String {
        let lines = text.lines().enumerate().map(|(at, line)| match at % (3000 / many) {
            7 => format!("#{}\n{line}\n", "x".repeat(length)),
            _ => format!("{line}\n"),
        });
        lines.collect()
    };
    for (many, length) in [(2, 1_000_000), (5, 1_040_000), (9, 300_000)] {
        agrees("long comments", &long(many, length), &LoadOptions::new());
    }
    let options = LoadOptions::new();
    let too_long = long(5, 2_000_000);
    refuses("long.el", &too_long, &options, &load_error(&too_long, "long.el", &options));
}

#[test]
fn compressed_input() {
    let text = edges(60_000, 700, |n| format!(" {}", n % 50));
    let options = LoadOptions::new();
    let comment = format!("# {}\n", "x".repeat(900_000));
    for text in [text.clone(), format!("{comment}{text}{comment}{text}"), "1 2".to_owned(), String::new()] {
        agrees_of("graph.el.gz", "compressed", &gzipped(&text), &options);
    }
    // Bytes decide, not names.
    agrees_of("graph.el.gz", "only named so", text.as_bytes(), &options);
    let mut cut = gzipped(&text);
    cut.truncate(cut.len() - 9);
    refuses_bytes("cut.el.gz", &cut, &options, "cut.el.gz");
    let bad = gzipped(&format!("{text}1 x 2\n"));
    refuses_bytes("bad.el.gz", &bad, &options, "bad.el.gz, line 60001: ");
}

/// Returns compressed text.
fn gzipped(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).expect("it is written to memory");
    encoder.finish().expect("it is written to memory")
}

#[test]
fn processes_with_different_inputs() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = edges(20_000, 200, none);
    // Another digit at a position.
    let changed = |at: usize| {
        let digit = if &good[at..=at] == "7" { "8" } else { "7" };
        format!("{}{digit}{}", &good[..at], &good[at + 1..])
    };
    let (other_start, other_end) = (changed(0), changed(good.len() - 2));
    let longer = format!("{good}1 2\n");
    let other_columns = format!("source target\n{good}");
    let lines_of =
        |column: &str| format!("source target {column}\n{}", edges(9000, 200, |n| format!(" {n}")));
    for (what, texts) in [
        ("start or end", [good.clone(), other_end]),
        ("start or end", [good.clone(), other_start]),
        ("length", [good.clone(), longer]),
        ("length", [good, other_columns]),
        ("list of columns", [lines_of("toll"), lines_of("time")]),
    ] {
        let paths = [0, 1].map(|at| folder.path().join(format!("{at}.el")));
        paths.iter().zip(texts).for_each(|(path, text)| fs::write(path, text).expect("it is written"));
        let output = folder.path().join("shards");
        let errors = processes::run(
            3,
            |config| config,
            |connected| {
                let mut cluster = connected.expect("all are there");
                let input = &paths[usize::from(cluster.process() == 1)];
                let built = Shards::build_on(&mut cluster, input, &LoadOptions::new(), number(2), &output);
                built.expect_err("the inputs differ").to_string()
            },
        );
        for error in errors {
            assert!(error.contains(&format!("has another {what}")), "{error}");
        }
        assert!(!output.exists());
    }
}

/// Checks that all processes refuse an input, that those which did not find the error name the one that did, and that nothing
/// is left.
fn refuses(name: &str, text: &str, options: &LoadOptions, expected: &str) {
    refuses_bytes(name, text.as_bytes(), options, expected);
}

fn refuses_bytes(name: &str, bytes: &[u8], options: &LoadOptions, expected: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, output) = (folder.path().join(name), folder.path().join("shards"));
    fs::write(&input, bytes).expect("it is written");
    for processes in [1, 2, 4] {
        for built in build((&input, &output), options, (processes, 4)) {
            let error = built.expect_err("it is refused");
            assert!(error.contains(expected), "{processes} processes: {error}");
        }
        assert!(!output.exists(), "{expected}");
    }
}

#[test]
fn bad_input() {
    let options = LoadOptions::new();
    let good = edges(4000, 500, |n| format!(" {n}"));
    for line in [1, 2, 777, 2000, 3999, 4000] {
        let mut lines: Vec<&str> = good.lines().collect();
        lines[line - 1] = "5 x 1";
        let text = format!("# a comment\n\n{}\n", lines.join("\n"));
        refuses("bad.el", &text, &options, &format!("bad.el, line {}: `x` is not a vertex id", line + 2));
        refuses("bad.el", &text, &options, &load_error(&text, "bad.el", &options));
    }
    refuses("two.el", &format!("{good}1 2\n{good}1 y 3\n"), &options, "two.el, line 4001: ");
    refuses("a.el", "1 2 0.5\n1 3 9007199254740993\n", &options, "(number 1, counted from 0)");
    refuses("a.gr", "p sp 2 1\na 1 2 7\n", &options, "not an edge list; several processes");
    refuses("a.wolf", "", &options, "a layered graph; several processes");
    refuses("a.el", "1 2\n", &options.columns(["a", "a"]), "a.el");
}

/// Returns the end of the error of one machine.
fn load_error(text: &str, name: &str, options: &LoadOptions) -> String {
    let error = wolfpath::load::read(text.as_bytes(), name, options).expect_err("it is refused");
    error.to_string()
}

#[test]
fn the_cluster_can_be_used_after_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let [good, bad, output] = ["good.el", "bad.el", "shards"].map(|name| folder.path().join(name));
    fs::write(&good, "1 2\n2 3\n").expect("it is written");
    fs::write(&bad, "1 2\n2 z\n").expect("it is written");
    fs::create_dir(&output).expect("it is made");
    fs::write(output.join("notes.txt"), "mine").expect("it is written");
    let built = processes::run(
        3,
        |config| config,
        |connected| {
            let mut cluster = connected.expect("all are there");
            let mut build = |input: &Path, output: &Path, shards: u16| {
                Shards::build_on(&mut cluster, input, &LoadOptions::new(), number(shards), output)
            };
            assert!(matches!(
                build(&bad, &output.join("new"), 2),
                Err(BuildError::Load(_) | BuildError::Elsewhere { .. })
            ));
            let other = build(&good, &output, 2).expect_err("the folder has other files").to_string();
            assert!(other.contains("notes.txt"), "{other}");
            let shards = build(&good, &output.join("new"), 2).expect("it is built");
            let processes_differ = cluster.process() as u16 + 1;
            let error =
                Shards::build_on(&mut cluster, &good, &LoadOptions::new(), number(processes_differ), &output);
            assert!(error.expect_err("they differ").to_string().contains("number of shards"));
            shards.num_vertices()
        },
    );
    assert_eq!(built, [3, 3, 3]);
    assert!(output.join("notes.txt").exists());
}
