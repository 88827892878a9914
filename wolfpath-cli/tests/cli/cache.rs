//! `wolfpath cache`: the files that are kept, used and trusted.

use std::fs;
use std::process::Stdio;

use crate::support::{Done, Folder};

const GRAPH: &str = "1 2 5\n2 3 7\n";

fn opened_from(folder: &Folder, options: &str) -> String {
    let done = folder.wolfpath(&format!("run bfs g.wel --source 1 --json {options}")).succeeded();
    done.json()["graph"]["opened_from"].as_str().expect("the field is a string").to_owned()
}

#[test]
fn list_shows_what_is_kept() {
    let folder = Folder::new();
    let empty = folder.wolfpath("cache list").succeeded();
    assert!(empty.out.contains("graphs     0, 0 B of at most 20.0 GB\n"), "{empty:?}");
    let input = folder.file("g.wel", GRAPH).canonicalize().expect("the file exists");
    folder.wolfpath("build g.wel").succeeded();
    folder.wolfpath("build g.wel --undirected --root 3 --no-in-edges").succeeded();
    folder.wolfpath("run bfs g.wel --source 1").succeeded();
    let done = folder.wolfpath("cache list").succeeded();
    for part in
        ["graphs     2, ", "programs   0, 0 B", "devices    0, 0 B", &folder.cache().display().to_string()]
    {
        assert!(done.out.contains(part), "{part:?}: {}", done.out);
    }
    let lines: Vec<&str> = done.out.lines().filter(|line| line.contains("g.wel")).collect();
    assert!(lines[0].ends_with(&format!("  {}", input.display())), "the most recently used first: {done:?}");
    assert!(lines[1].ends_with(" (undirected, root 3, no in-edges)"), "{done:?}");

    let json = folder.wolfpath("cache list --json").succeeded().json();
    let graphs = json["graphs"].as_array().expect("the field is a list");
    assert_eq!((graphs.len(), &json["limit"]), (2, &20_000_000_000_u64.into()));
    assert_eq!(graphs[0]["input"], input.to_string_lossy().as_ref());
    assert!(graphs[0]["options"].is_null() && graphs[1]["options"] == "undirected, root 3, no in-edges");
    let sizes: u64 =
        folder.kept_graphs().iter().map(|path| fs::metadata(path).expect("the file exists").len()).sum();
    assert_eq!(json["bytes"], sizes);
    assert!(graphs.iter().all(|graph| graph["used"].as_f64() >= graph["made"].as_f64()), "{json}");
    assert!(folder.kept_graphs().iter().any(|path| graphs[0]["file"] == path.to_string_lossy().as_ref()));
    // Damaged graphs are listed too.
    fs::write(&folder.kept_graphs()[0], "damaged").expect("the file is writable");
    let done = folder.wolfpath("cache list").succeeded();
    assert!(done.out.contains("is damaged or of another version"), "{done:?}");
}

#[test]
fn clear_says_what_it_removed() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    folder.wolfpath("build g.wel").succeeded();
    for (kind, name) in [("cubin", format!("{:032x}.cubin", 7)), ("devices", format!("{:016x}.json", 7))] {
        fs::create_dir(folder.cache().join(kind)).expect("the folder can be created");
        fs::write(folder.cache().join(kind).join(name), "1234").expect("the file is writable");
        fs::write(folder.cache().join(kind).join("mine.txt"), "mine").expect("the file is writable");
    }
    let done = folder.wolfpath("cache clear").succeeded();
    assert!(done.out.contains("kept graphs: 1 ("), "{done:?}");
    assert!(done.out.contains("compiled programs: 1 (4 B), measured costs of devices: 1 (4 B)"), "{done:?}");
    assert_eq!(folder.kept_graphs().len(), 0);
    assert!(
        folder.cache().join("cubin/mine.txt").exists() && folder.cache().join("devices/mine.txt").exists()
    );
    assert_eq!(opened_from(&folder, ""), "input");
    folder.wolfpath("cache clear").succeeded();
    let done = folder.wolfpath("cache clear").succeeded();
    assert!(done.out.contains("kept graphs: 0 (0 B)"), "{done:?}");
}

#[test]
fn limit_bounds_what_is_kept() {
    let folder = Folder::new();
    let done = folder.wolfpath("cache limit").succeeded();
    assert!(
        done.out.starts_with("the limit for kept graphs is 20.0 GB (20000000000 bytes); they use 0 B"),
        "{done:?}"
    );
    let done = folder.wolfpath("cache limit 50G").succeeded();
    assert!(done.out.contains("50.0 GB (50000000000 bytes), enforced when the next"), "{done:?}");
    assert!(folder.wolfpath("cache limit").succeeded().out.contains("50.0 GB"));
    folder.wolfpath("cache limit 1").succeeded();
    for name in ["a.wel", "b.wel"] {
        folder.file(name, GRAPH);
        folder.wolfpath(&format!("build {name}")).succeeded();
    }
    let [kept] = &folder.kept_graphs()[..] else { panic!("{:?}", folder.kept_graphs()) };
    assert!(kept.to_string_lossy().contains("b.wel."), "{}", kept.display());
    for wrong in ["cache limit 0", "cache limit many"] {
        folder.wolfpath(wrong).misused(&["expected a number of bytes such as"]);
    }
    for wrong in ["cache", "cache limit -1", "cache tidy"] {
        folder.wolfpath(wrong).misused(&["Usage"]);
    }
    fs::write(folder.cache().join("limit.txt"), "#\ngraphs 20G\n").expect("the file is writable");
    for command in ["cache limit", "cache list"] {
        folder.wolfpath(command).failed(&["limit.txt, line 2", "`graphs 20G`", "wolfpath cache limit SIZE"]);
    }
    folder.file("c.wel", GRAPH);
    let done = folder.wolfpath("build c.wel").succeeded();
    assert!(done.err.contains("note: ") && done.err.contains("limit.txt, line 2"), "{done:?}");
    folder.wolfpath("cache limit 20G").succeeded();
    assert!(folder.wolfpath("cache limit").succeeded().out.contains("20.0 GB"));
}

#[test]
fn beside_the_input() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    folder.wolfpath("build g.wel --cache-beside").succeeded();
    assert_eq!((folder.names().len(), folder.kept_graphs().len()), (2, 0));
    assert_eq!(opened_from(&folder, "--cache-beside"), "cache");
    folder.wolfpath("info g.wel --cache-beside").succeeded();
    assert_eq!(opened_from(&folder, ""), "input");
    folder.wolfpath("run bfs g.wel --cache-beside --no-cache").misused(&["--cache-beside", "--no-cache"]);
    folder.wolfpath("build g.wel --cache-beside --output h.wolf").misused(&["--cache-beside", "--output"]);
}

#[test]
fn without_a_cache_folder() {
    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    let homeless = |arguments: &str| {
        let mut command = folder.command();
        for name in ["WOLFPATH_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"] {
            command.env_remove(name);
        }
        Done::of(command.args(arguments.split(' ')).output().expect("the command starts"))
    };
    homeless("cache list").failed(&["no cache folder is known", "WOLFPATH_CACHE_DIR"]);
    let done = homeless("run bfs g.wel --source 1").succeeded();
    assert!(done.err.contains("note: the layered graph could not be kept"), "{done:?}");
    assert_eq!(folder.names(), ["g.wel"]);
}

#[cfg(unix)]
#[test]
fn an_input_rewritten_with_its_size_and_time_is_read_again() {
    let folder = Folder::new();
    let input = folder.file("g.wel", GRAPH);
    let distances = || folder.wolfpath("run sssp g.wel --source 1 --output -").succeeded().out;
    assert_eq!(distances(), "1 0\n2 5\n3 12\n");
    let time = fs::metadata(&input)
        .and_then(|metadata| metadata.modified())
        .expect("the file has a modification time");
    fs::write(&input, "1 2 5\n2 3 1\n").expect("the file is writable");
    let file = fs::File::options().write(true).open(&input).expect("the file exists");
    file.set_modified(time).expect("the test owns the file");
    assert_eq!(distances(), "1 0\n2 5\n3 6\n");
    // The input is touched, but its content is the same: the kept graph is used.
    file.set_modified(std::time::UNIX_EPOCH).expect("the test owns the file");
    assert_eq!(opened_from(&folder, ""), "cache");
}

#[cfg(unix)]
#[test]
fn a_kept_graph_that_others_could_have_planted_is_not_used() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    folder.file("g.wel", GRAPH);
    folder.wolfpath("build g.wel").succeeded();
    let graphs = folder.cache().join("graphs");
    fs::set_permissions(&graphs, fs::Permissions::from_mode(0o777)).expect("the test owns the file");
    let done = folder.wolfpath("run bfs g.wel --source 1 --json").succeeded();
    assert!(done.err.contains("was not used: ") && done.err.contains("chmod go-w"), "{done:?}");
    assert_eq!(done.json()["graph"]["opened_from"], "input");
    for command in ["cache list", "cache clear"] {
        folder.wolfpath(command).failed(&["can be written by others (mode 0777)", "chmod go-w"]);
    }
    assert_eq!(folder.kept_graphs().len(), 1);
    fs::set_permissions(&graphs, fs::Permissions::from_mode(0o700)).expect("the test owns the file");
    assert_eq!(opened_from(&folder, ""), "cache");
}

#[test]
fn several_commands_at_a_time() {
    let folder = Folder::new();
    let text: String = (0..500).map(|id| format!("{id} {}\n", id + 1)).collect();
    ["a.el", "b.el", "c.el"].iter().for_each(|name| drop(folder.file(name, &text)));
    folder.wolfpath("cache limit 30k").succeeded();
    for turn in 0..5 {
        let commands = [
            "run reach a.el --source 250 --output -",
            "cache clear",
            "run reach b.el --source 250 --output -",
        ];
        let more = [
            "run reach a.el --source 250 --output -",
            "cache list",
            "run reach c.el --source 250 --output -",
        ];
        let children: Vec<_> = commands
            .into_iter()
            .chain(more)
            .map(|arguments| {
                let mut command = folder.command();
                command.args(arguments.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped());
                (arguments, command.spawn().expect("the command starts"))
            })
            .collect();
        for (arguments, child) in children {
            let done = Done::of(child.wait_with_output().expect("the command ends")).succeeded();
            if arguments.starts_with("run") {
                assert_eq!(
                    done.out.lines().filter(|line| line.ends_with(" true")).count(),
                    251,
                    "{turn}: {done:?}"
                );
            }
        }
    }
}
