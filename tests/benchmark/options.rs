//! Options on the command line.

use crate::suite::{Arguments, Graph, Judge, Program, Result};

fn read(words: &[&str]) -> Result<Arguments> {
    let defaults = Arguments { rmat_scale: Some(22), ..Arguments::new(10, Judge::CpuEngine) };
    let read = defaults.read(words.iter().map(|&word| word.to_owned()))?;
    Ok(read.expect("help was not requested"))
}

#[test]
fn lines_are_chosen_by_graph_and_program() {
    let rmat = Graph::Rmat(22);
    let all = read(&[]).expect("the options are valid");
    assert!(all.wants(&rmat, Program::Bfs) && !all.wants(&rmat, Program::CanFault));
    let some =
        read(&["--only", "USA-road-NE", "--only", "R-MAT/bfs, push only"]).expect("the options are valid");
    assert!(some.wants(&rmat, Program::BfsPush) && !some.wants(&rmat, Program::Bfs));
    let names: Vec<String> = Graph::wanted(&some).iter().map(Graph::name).collect();
    assert_eq!(names, ["R-MAT 22", "USA-road-NE"]);
    let extra = read(&["--only", "/sssp that can fault"]).expect("the options are valid");
    assert!(extra.wants(&rmat, Program::CanFault) && !extra.wants(&rmat, Program::Sssp));
}

#[test]
fn what_is_wrong_is_said() {
    for (words, part) in [
        (&["--only", "nowhere"][..], "no graph nowhere; there are USA-road-NE"),
        (&["--only", "R-MAT/nothing"], "no program nothing; there are bfs; "),
        (&["--repeat", "many"], "--repeat needs a number, found many"),
        (&["--limit"], "--limit needs a value"),
        (&["--judge", "me"], "unknown judge me"),
        (&["--engine", "steam"], "unknown engine steam"),
        (&["--fast"], "unknown option --fast"),
    ] {
        let error = read(words).expect_err("the options are invalid").to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn sizes_stand_in_names() {
    assert_eq!(Graph::Path(1_000_000).name(), "path 1M");
    assert_eq!(Graph::Star(300).name(), "star 300");
    assert_eq!(read(&["--path", "0"]).expect("the options are valid").path, Some(2));
}

#[test]
fn comparisons_have_an_rmat_graph() {
    let defaults = || Arguments::new(7, Judge::Oracle);
    let scale = |words: &[&str]| {
        let read = defaults().read(words.iter().map(|&word| word.to_owned()));
        read.expect("the options are valid").expect("help was not requested").rmat_scale
    };
    assert_eq!([scale(&[]), scale(&["--scipy", "--serial"])], [None, None]);
    assert_eq!([scale(&["--gap", "D"]), scale(&["--scaling"])], [Some(20), Some(20)]);
    assert_eq!(scale(&["--gap", "D", "--rmat-scale", "22"]), Some(22));
    assert_eq!(scale(&["--no-rmat", "--gap", "D"]), None);
    let compares = |words: &[&str]| read(words).expect("the options are valid").compares();
    assert!(["--scipy", "--serial", "--scaling"].iter().all(|&option| compares(&[option])));
    assert!(compares(&["--gap", "D"]) && !compares(&["--shapes"]));
}

#[test]
fn a_record_shows_no_folder_of_the_machine() {
    let words = ["--json", "--scratch", "/tmp/x", "--limit", "270"].map(str::to_owned);
    assert_eq!(Arguments::shown(&words), "--json --limit 270");
    let words = ["--gap", "/home/me/gap", "--scaling", "--bench"].map(str::to_owned);
    assert_eq!(Arguments::shown(&words), "--gap DIR --scaling");
}
