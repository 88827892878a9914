//! `plan-cluster`: the predicted load of the machines of a cluster.

use crate::support::Folder;

/// A ring of 8,192 vertices, which is one sequence of eight blocks.
fn ring(folder: &Folder) {
    let edges: String = (0..8192).map(|v| format!("{v} {}\n", (v + 1) % 8192)).collect();
    folder.file("ring.el", edges);
}

/// Returns the words of the line of this number of machines.
fn line<'t>(text: &'t str, machines: &str) -> Vec<&'t str> {
    let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.find(|line| line.first() == Some(&machines)).unwrap_or_else(|| panic!("{machines}: {text}"))
}

#[test]
fn machines_are_listed() {
    let folder = Folder::new();
    ring(&folder);
    let text = folder.wolfpath("plan-cluster ring.el --machines 3 --shards 8").succeeded().out;
    // Each of two machines has four of the eight blocks.
    assert_eq!(line(&text, "2")[..5], ["2", "8", "4096", "8192", "1.000"], "{text}");
    // One of three machines has only two of the eight shards, and two have three.
    assert_eq!(line(&text, "3")[..5], ["3", "8", "2731", "5461", "1.125"], "{text}");
    assert!(text.lines().all(|line| !line.trim_start().starts_with("4 ")), "{text}");
    let text = folder.wolfpath("plan-cluster ring.el --machines 4").succeeded().out;
    assert_eq!(line(&text, "2")[..5], ["2", "2", "4096", "8192", "1.000"], "{text}");
    assert_eq!(line(&text, "4")[..5], ["4", "4", "2048", "4096", "1.000"], "{text}");
}

#[test]
fn json_has_means_and_largest_numbers() {
    let folder = Folder::new();
    ring(&folder);
    let plan = folder.wolfpath("plan-cluster ring.el --machines 8 --json").succeeded().json();
    let forecasts = plan["forecasts"].as_array().expect("there are forecasts");
    let machines: Vec<_> = forecasts.iter().map(|forecast| forecast["machines"].as_u64()).collect();
    assert_eq!(machines, [Some(2), Some(4), Some(8)]);
    let eight = &forecasts[2];
    assert_eq!((&eight["shards"], &eight["vertices"]["mean"]), (&8.into(), &1024.0.into()));
    assert_eq!(eight["edges"]["most"], 2048);
    // Each block has one vertex of another machine before it, and one after it.
    assert_eq!((&eight["mirrors"]["most"], &eight["receivers"]["most"]), (&1.into(), &1.into()));
    assert_eq!((&eight["cut"]["mean"], &eight["received_bytes"]["most"]), (&2.0.into(), &4.into()));
}

/// The hub of a star has all in-edges. It receives a message per mirror, and a part of its sum per guest.
#[test]
fn the_owner_of_a_guest_receives_its_part() {
    let folder = Folder::new();
    let edges: String = (1..=50_000).map(|leaf| format!("{leaf} 0\n")).collect();
    folder.file("star.el", edges);
    let plan = folder.wolfpath("plan-cluster star.el --machines 2 --json").succeeded().json();
    let two = &plan["forecasts"][0];
    let most = |name: &str| two[name]["most"].as_u64().unwrap_or_else(|| panic!("{name}: {two}"));
    assert!(most("parts") >= 1 && most("parts") == most("guests"), "{two}");
    assert!(most("received_bytes") <= 4 * most("mirrors") + 8 * most("parts"), "{two}");
    assert!(most("received_bytes") >= 8 * most("parts"), "{two}");
}

/// A machine may have less than one edge on average.
#[test]
fn shares_are_those_of_few_edges() {
    let folder = Folder::new();
    folder.file("one.el", "1 2\n");
    let text = folder.wolfpath("plan-cluster one.el --machines 8").succeeded().out;
    // Its only block is on one machine, with an out-row and an in-row.
    assert_eq!(line(&text, "8")[4..7], ["8.000", "0.0", "%"], "{text}");
}

#[test]
fn one_machine_and_an_empty_graph() {
    let folder = Folder::new();
    folder.file("none.el", "# no edges\n");
    folder.file("one.el", "1 2\n");
    let empty = folder.wolfpath("plan-cluster none.el --machines 2 --json").succeeded().json();
    assert_eq!(empty["forecasts"][0]["edges"]["mean"], 0.0);
    let alone = folder.wolfpath("plan-cluster one.el --machines 1 --json").succeeded().json();
    assert_eq!(
        (&alone["forecasts"][0]["machines"], &alone["forecasts"][0]["cut"]["most"]),
        (&1.into(), &0.into())
    );
}

#[test]
fn what_is_refused() {
    let folder = Folder::new();
    folder.file("g.el", "1 2\n");
    for options in ["--machines 0", "--machines 65536", "--machines many", "--machines 2 --shards 0"] {
        let named = if options.contains("--shards") { "--shards" } else { "--machines" };
        folder
            .wolfpath(&format!("plan-cluster g.el {options}"))
            .misused(&[named, "expected a number from 1 to 65535"]);
    }
    folder.wolfpath("plan-cluster g.el").misused(&["--machines <N>"]);
    folder.wolfpath("plan-cluster none.el --machines 2").failed(&["none.el"]);
}
