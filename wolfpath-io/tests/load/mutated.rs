//! Tests that no input makes the loader panic: valid files with a few bytes changed, cut or duplicated, in every format
//! and compression. Also tests that a valid list survives writing and reading.

use super::packed;
use super::{edges, load_text};
use proptest::prelude::*;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_io::load::{Duplicates, Format, LoadOptions, Policy, load, read};
use wolfpath_io::save::write_edge_list;

const GOOD: [&str; 6] = [
    "# SNAP\n1\t2\n3\t4\n4\t18446744073709551615\n",
    "from,to,weight\n1,2,0.5\n3,4,-7\n4,1,1e3\n",
    "%%MatrixMarket matrix coordinate real symmetric\n% c\n4 4 3\n2 1 0.25\n3 1 -4\n4 4 9007199254740992\n",
    "%%MatrixMarket matrix coordinate pattern general\n4 4 2\n2 1\n3 1\n",
    "c roads\np sp 4 3\na 1 2 5\na 2 1 5\na 3 4 4294967296\n",
    "c pace\np tw 4 3\n1 2\n2 3\n3 3\n",
];

/// Change to a file.
#[derive(Clone, Debug)]
enum Change {
    Set(prop::sample::Index, u8),
    Insert(prop::sample::Index, Vec<u8>),
    Cut(prop::sample::Index),
    Repeat(prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "-",
            "1e999",
            "nan",
            " ",
            "\n",
            ",",
            ";",
            "%",
            "#",
            "p ",
            "a ",
            "99999999999999999999"
        ])
        .prop_map(|piece| piece.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 1..4),
    ];
    prop_oneof![
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (any::<prop::sample::Index>(), piece).prop_map(|(at, piece)| Change::Insert(at, piece)),
        any::<prop::sample::Index>().prop_map(Change::Cut),
        any::<prop::sample::Index>().prop_map(Change::Repeat),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    if bytes.is_empty() {
        return;
    }
    let len = bytes.len();
    match change {
        Change::Set(at, byte) => bytes[at.index(len)] = *byte,
        Change::Insert(at, piece) => {
            let at = at.index(len);
            bytes.splice(at..at, piece.iter().copied());
        }
        Change::Cut(at) => bytes.truncate(at.index(len)),
        Change::Repeat(at) => bytes.extend_from_within(at.index(len)..),
    }
}

/// The options with which a test case reads its file.
#[derive(Clone, Copy, Debug)]
struct Asked {
    format: Option<Format>,
    undirected: bool,
    duplicates: Duplicates,
    self_loops: Policy,
}

impl Asked {
    fn options(self) -> LoadOptions {
        let options = LoadOptions::new().format(self.format).undirected(self.undirected);
        options.duplicates(self.duplicates).self_loops(self.self_loops)
    }
}

fn asked() -> impl Strategy<Value = Asked> {
    let format = prop::option::of(prop::sample::select(Format::ALL.to_vec()));
    let duplicates = [Duplicates::Keep, Duplicates::Drop, Duplicates::Min, Duplicates::Max, Duplicates::Sum];
    let self_loops = prop::sample::select(vec![Policy::Keep, Policy::Drop]);
    (format, any::<bool>(), prop::sample::select(duplicates.to_vec()), self_loops).prop_map(
        |(format, undirected, duplicates, self_loops)| Asked { format, undirected, duplicates, self_loops },
    )
}

/// Checks that the result of reading is a valid edge list, or that the error is a single line.
fn check(name: &str, bytes: &[u8], asked: Asked) {
    match read(bytes, name, &asked.options()) {
        Ok(list) => {
            let lines = list.num_lines() as usize;
            assert_eq!((list.targets().len(), list.edges().count() as u64), (lines, list.num_edges()));
            assert!(list.weights().is_none_or(|weights| weights.len() == lines));
            assert!(list.sources().iter().chain(list.targets()).all(|&rank| rank < list.num_vertices()));
            assert!(asked.duplicates == Duplicates::Keep || list.counts().unwrap().duplicates == 0);
            assert!(asked.self_loops == Policy::Keep || list.counts().unwrap().self_loops == 0);
        }
        Err(error) => {
            let line = error.to_string();
            assert!(line.starts_with(name) && !line.contains('\n') && line.len() < 1000, "{line:?}");
        }
    }
}

/// Returns each edge as its source id, its target id and the bits of its weight, in order.
fn triples(list: &EdgeList) -> Vec<(u64, u64, u64)> {
    let weights = list.weights().unwrap();
    let ends = edges(list).into_iter().zip(list.edges());
    ends.map(|((u, v), (_, _, line))| (u, v, weights.get(line).to_bits())).collect()
}

proptest! {
    #[test]
    fn mutated_text_never_panics(
        good in prop::sample::select(GOOD.to_vec()),
        changes in prop::collection::vec(change(), 0..5),
        asked in asked(),
    ) {
        let mut bytes = good.as_bytes().to_vec();
        changes.iter().for_each(|change| apply(&mut bytes, change));
        for name in ["g", "g.el", "g.mtx", "g.gr"] {
            check(name, &bytes, asked);
        }
    }

    #[test]
    fn mutated_archives_never_panic(
        good in prop::sample::select(GOOD.to_vec()),
        codec in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..4),
        asked in asked(),
    ) {
        if !packed::ALL.is_empty() {
            let (_, pack) = packed::ALL[codec.index(packed::ALL.len())];
            let mut bytes = pack(good.as_bytes());
            changes.iter().for_each(|change| apply(&mut bytes, change));
            check("g", &bytes, asked);
        }
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), asked in asked()) {
        check("g", &bytes, asked);
    }

    #[test]
    fn written_lists_read_back(
        written in prop::collection::vec((any::<u64>(), 0..9u64, any::<f64>()), 1..30),
        undirected in any::<bool>(),
    ) {
        let written = written.into_iter().map(|(u, v, w)| (u, v, if w.is_nan() { 0.0 } else { w }));
        let list = EdgeList::from_weighted_edges(written).unwrap();
        let list = if undirected { list.undirected() } else { list };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.wel");
        write_edge_list(&path, &list).unwrap();
        let back = load(&path, &LoadOptions::new().undirected(undirected)).unwrap();
        prop_assert_eq!(triples(&back), triples(&list));
    }

    #[test]
    fn undirected_lists_equal_themselves_turned_round(lines in prop::collection::vec((0..6u64, 0..6u64, 1..4u32), 0..30)) {
        let list = EdgeList::from_weighted_edges(lines).unwrap().undirected();
        for list in [list.clone(), list.clone().without_duplicates().unwrap(), list.without_duplicates().unwrap().without_self_loops()] {
            let mut there = triples(&list);
            let mut back: Vec<_> = there.iter().map(|&(u, v, w)| (v, u, w)).collect();
            there.sort_unstable();
            back.sort_unstable();
            prop_assert_eq!(there, back);
        }
    }
}

#[test]
fn the_good_files_are_good() {
    for good in GOOD {
        load_text("g", good).unwrap_or_else(|error| panic!("{good}: {error}"));
    }
}
