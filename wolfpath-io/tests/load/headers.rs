//! Tests of columns that are identified by names, in a first line of words or in the last comment before the data.

use super::{edges, load_text, packed};
use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::weights::Weights;
use wolfpath_io::load::{LoadOptions, read};

#[track_caller]
fn good(text: &str) -> EdgeList {
    load_text("g.csv", text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

#[track_caller]
fn refused(text: &str, columns: &[&str], says: &[&str]) {
    let error = read_columns(text, columns).expect_err("unclear names must be rejected");
    for part in says.iter().chain(&["g.csv, line "]) {
        assert!(error.contains(part), "{text:?}: {error:?} does not say {part:?}");
    }
}

fn read_columns(text: &str, columns: &[&str]) -> Result<EdgeList, String> {
    let options = LoadOptions::new().columns(columns.iter().copied());
    read(text.as_bytes(), "g.csv", &options).map_err(|error| error.to_string())
}

#[test]
fn a_header_may_name_the_target_first() {
    for text in [
        "target,source\n1,2\n3,4\n",
        "\u{feff}Target;SOURCE\r\n1;2\r\n3;4\r\n",
        "dst\tsrc\n1\t2\n3\t4",
        "\"to\",\"from\"\n1,2\n3,4\n",
        "head tail\n1 2\n3 4\n",
        "v u\n1 2\n# between\n3 4\n",
        "ToNodeId FromNodeId\n1 2\n\n 3 , 4 \n",
        "# by hand\n\n# target source\n1 2\n3 4\n",
        "% dst, src\n\n1 2\n3 4\n",
        "# source target\ntarget,source\n1,2\n3,4\n",
        "target,source\n# source target\n1,2\n3,4\n",
    ] {
        let list = good(text);
        assert_eq!(edges(&list), [(2, 1), (4, 3)], "{text:?}");
        assert!(list.weights().is_none() && list.columns().next().is_none(), "{text:?}");
        let told = |note: &String| note.contains("edges lead from column 2");
        assert!(list.notes().iter().any(told), "{:?}", list.notes());
    }
}

#[test]
fn compressed_text_has_the_same_names() {
    for (_, pack) in packed::ALL {
        let packed = pack(b"target,source\n1,2\n");
        assert_eq!(edges(&load_text("g.csv.zst", packed).unwrap()), [(2, 1)]);
    }
}

#[test]
fn the_weight_may_be_anywhere() {
    for (text, name) in [
        ("weight,source,target\n5,1,2\n-6,2,3\n", "weight"),
        ("source,length,target\n1,5,2\n2,-6,3\n", "length"),
        ("target,source,weight\n2,1,5\n3,2,-6\n", "weight"),
        ("# w to from\n5 2 1\n-6 3 2\n", "w"),
        ("2019,source,target\n", ""),
    ] {
        if name.is_empty() {
            assert!(load_text("g.csv", text).is_err());
            continue;
        }
        let list = good(text);
        assert_eq!(edges(&list), [(1, 2), (2, 3)], "{text:?}");
        assert_eq!(list.weights(), Some(&Weights::I32(vec![5, -6])), "{text:?}");
        assert_eq!(list.columns().map(|(name, _)| name).collect::<Vec<_>>(), [name]);
    }
}

#[test]
fn several_columns_surround_the_ends() {
    let text = "lanes,to,length,from,open\n2,7,0.5,3,true\n1,8,4,7,false\n";
    let list = good(text);
    assert_eq!(edges(&list), [(3, 7), (7, 8)]);
    let names: Vec<&str> = list.columns().map(|(name, _)| name).collect();
    assert_eq!(names, ["lanes", "length", "open"]);
    assert_eq!(list.column("length"), Some(&Weights::F32(vec![0.5, 4.0])));
    assert_eq!(list.column("open"), Some(&Weights::U32(vec![1, 0])));
    let only = read_columns(text, &["open"]).unwrap();
    assert_eq!((edges(&only), only.weights()), (vec![(3, 7), (7, 8)], Some(&Weights::U32(vec![1, 0]))));
    refused(&format!("{text}1,2,3\n"), &[], &["line 4", "3 fields", "`lanes target length source open`"]);
    refused(&format!("{text}1,2,3,-4,5\n"), &[], &["line 4", "-4 is negative"]);
}

#[test]
fn large_swapped_files_are_read_on_all_threads() {
    let mut text = "target,source,weight\n".to_owned();
    (0..200_000u64).for_each(|edge| text.push_str(&format!("{},{edge},{}\n", edge + 1, edge % 97)));
    let list = good(&text);
    assert!((0..200_000).all(|edge| list.edge(edge) == (edge as u64, edge as u64 + 1)));
    assert!((0..200_000).all(|edge| list.weights().unwrap().get(edge) == (edge % 97) as f64));
}

#[test]
fn extra_columns_are_passed_over_by_name() {
    let text = "x,target,y,source,Weight\n9,2,8,1,5\n9,3,8,2,6\n";
    let options = LoadOptions::new().ignore_extra_columns(true);
    let list = read(text.as_bytes(), "g.csv", &options).unwrap();
    assert_eq!((edges(&list), list.weights()), (vec![(1, 2), (2, 3)], Some(&Weights::U32(vec![5, 6]))));
    let first = read(&b"s,t,x,y\n1,2,3,4\n1,2,3,4,5,6\n"[..], "g.csv", &options).unwrap();
    assert_eq!(first.weights(), Some(&Weights::U32(vec![3, 3])));
}

#[test]
fn a_weight_of_another_name_is_said() {
    for (text, note) in [
        ("id,source,target\n77,1,2\n", "the column `id` is read as the weight"),
        ("source,target,cost\n1,2,77\n", "the column `cost` is read as the weight"),
    ] {
        let list = good(text);
        assert_eq!((edges(&list), list.weights()), (vec![(1, 2)], Some(&Weights::U32(vec![77]))));
        assert!(list.notes().iter().any(|said| said == note), "{:?}", list.notes());
    }
    for text in ["source,target,Weight\n1,2,77\n", "source,target,w\n1,2,77\n", "1,2,77\n"] {
        let list = good(text);
        assert!(!list.notes().iter().any(|said| said.contains("read as the weight")), "{:?}", list.notes());
    }
}

#[test]
fn prose_is_not_a_header() {
    for text in [
        "# source target\n# made today\n1 2\n",
        "# target source\n#\n1 2\n",
        "# target source weight\n1 2\n",
        "# target: source\n1 2\n",
        "# edges to\n1 2\n",
        "# target source\na,b\n1,2\n",
        "target_id,source_id\n1,2\n",
        "\"Target Node\",\"Source Node\"\n1,2\n",
        "id,target\n1,2\n",
        "source,id\n1,2\n",
        "1 2\n",
    ] {
        assert_eq!(edges(&good(text)), [(1, 2)], "{text:?}");
    }
    assert_eq!(edges(&good("1 2\n# target source\n3 4\n")), [(1, 2), (3, 4)]);
}

#[test]
fn names_that_leave_doubt_are_refused() {
    refused("target,id\n1,2\n", &[], &["line 2", "line 1 (`target,id`)", "no column is called `source`"]);
    refused("id,source\n1,2\n", &[], &["no column is called `target`"]);
    refused("i,j,v\n1,2,3\n", &[], &["`v` names the target"]);
    refused("weight,target\n1,2\n", &[], &["no column is called `source`"]);
    refused("src,source,dst\n1,2,3\n", &[], &["both `src` and `source` name the source", "rename one"]);
    refused("from,to,v\n1,2,3\n", &[], &["both `to` and `v` name the target"]);
    refused("# u from to\n1,2,3\n", &[], &["line 2", "line 1 (`u from to`)", "both `u` and `from`"]);
    refused("source,target\n1,2,5\n", &[], &["line 2", "line 1 (`source,target`) names 2", "3 fields"]);
    refused("source,target,weight\n1,2\n", &[], &["names 3 columns", "2 fields"]);
}

#[test]
fn source_and_target_themselves_leave_no_doubt() {
    let list = good("target,u,v,source\n1,10,20,2\n");
    assert_eq!(edges(&list), [(2, 1)]);
    assert_eq!(list.columns().map(|(name, _)| name).collect::<Vec<_>>(), ["u", "v"]);
    let list = good("source,target,source,from\n1,2,3,4\n");
    assert_eq!(edges(&list), [(1, 2)]);
}

#[test]
fn columns_that_are_asked_for_are_not_ends() {
    let list = read_columns("from,to,u,v\n1,2,10,20\n", &["u", "v"]).unwrap();
    assert_eq!((edges(&list), list.column("v")), (vec![(1, 2)], Some(&Weights::U32(vec![20]))));
    let list = read_columns("i,j,v\n1,2,3\n", &["v"]).unwrap();
    assert_eq!((edges(&list), list.weights()), (vec![(1, 2)], Some(&Weights::U32(vec![3]))));
}

#[test]
fn names_that_contradict_the_options_are_refused_with_both() {
    let asked = |text: &str, columns: &[&str], says: &[&str]| refused(text, columns, says);
    asked("x,y,a,b\n1,2,3,4\n", &["c", "a"], &["no column `c`", "`c,a`", "line 1 (`x,y,a,b`)"]);
    asked("target,source,w\n1,2,3\n", &["source"], &["requested: `source`", "line 1 (`target,source,w`)"]);
    asked("source,target,w\n1,2,3\n", &["target"], &["requested: `target`", "line 1 (`source,target,w`)"]);
    asked("source,target\n1,2\n", &["weight"], &["these: none", "`weight`", "`source,target`"]);
    asked("# source target length\n1 2 7\n", &["toll"], &["no column `toll`", "`source target length`"]);
}
