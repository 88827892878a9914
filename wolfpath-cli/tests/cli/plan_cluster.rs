//! `plan-cluster`: what the machines of a cluster would hold and receive.

use crate::support::Folder;

/// A ring of 8,192 vertices, which is one sequence of eight blocks.
fn ring(folder: &Folder) {
    let edges: String = (0..8192).map(|v| format!("{v} {}\n", (v + 1) % 8192)).collect();
    folder.file("ring.el", edges);
}

#[test]
fn machines_are_listed() {
    let folder = Folder::new();
    ring(&folder);
    let text = folder.wolfpath("plan-cluster ring.el --machines 3 --shards 8").succeeded().out;
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(lines.iter().any(|line| line[..] == ["shards", "8"]), "{text}");
    let of = |machines: &str| lines.iter().find(|line| line.first() == Some(&machines)).expect(&text);
    // Each of two machines has four of the eight blocks.
    let two = of("2");
    assert_eq!((two[1], two[2], two[3]), ("4096", "8192", "1.000"), "{text}");
    assert_eq!(of("3").len(), two.len(), "{text}");
    assert!(lines.iter().all(|line| line.first() != Some(&"4")), "{text}");
}

#[test]
fn json_has_the_same_numbers() {
    let folder = Folder::new();
    ring(&folder);
    let plan = folder.wolfpath("plan-cluster ring.el --machines 8 --json").succeeded().json();
    assert_eq!(plan["shards"], 8);
    let forecasts = plan["forecasts"].as_array().expect("there are forecasts");
    let machines: Vec<_> = forecasts.iter().map(|forecast| forecast["machines"].as_u64()).collect();
    assert_eq!(machines, [Some(2), Some(4), Some(8)]);
    let eight = &forecasts[2];
    assert_eq!((&eight["vertices"]["mean"], &eight["edges"]["most"]), (&1024.0.into(), &2048.into()));
    // Each block has one vertex of another machine before it, and one after it.
    assert_eq!((&eight["senders"]["most"], &eight["receivers"]["most"]), (&1.into(), &1.into()));
    assert_eq!((&eight["cut"]["mean"], &eight["received_bytes"]["most"]), (&2.0.into(), &4.into()));
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
