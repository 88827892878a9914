//! Tests of files with changed bytes. Each file is either rejected or read as some valid graph; the reader never
//! panics.

use proptest::prelude::*;
use wolfpath_core::edge_list::EdgeList;
use wolfpath_io::load::{LoadOptions, read};
use wolfpath_io::save::{SaveOptions, write};

/// Returns a file of each format, with a file name for it.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let plain = EdgeList::from_edges([(0, 1), (1, 2), (2, 2), (0, 1)]).unwrap();
    let weighted = EdgeList::from_weighted_edges([(0, 1, 5), (1, 2, 6), (2, 2, 7), (0, 1, 8)]).unwrap();
    let mut names = vec![
        ("g.sg", &plain, false),
        ("g.wsg", &weighted, true),
        ("g.sg", &plain, true),
        ("g.graph", &plain, true),
        ("g.graph", &weighted, true),
        ("g.bin32", &plain, false),
        ("g.bin64f64", &weighted, false),
    ];
    if cfg!(feature = "parquet") {
        names.push(("g.parquet", &weighted, false));
    }
    let file = |(name, list, undirected): (&'static str, &EdgeList, bool)| {
        let list = if undirected { list.clone().undirected() } else { list.clone() };
        let mut bytes = Vec::new();
        let options = SaveOptions::new().renumber(true);
        write(&list, &mut bytes, name, &options).unwrap();
        (name, bytes)
    };
    names.into_iter().map(file).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_are_refused_or_read(
        file in prop::sample::select(files()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let (name, mut bytes) = file;
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Err(error) = read(bytes.as_slice(), name, &LoadOptions::default()) {
            prop_assert!(error.to_string().starts_with(name), "{}", error);
        }
    }

    #[test]
    fn bytes_that_are_no_file(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for name in ["g.sg", "g.wsg", "g.graph", "g.bin32", "g.bin64i32", "g.parquet"] {
            if let Err(error) = read(bytes.as_slice(), name, &LoadOptions::default()) {
                prop_assert!(error.to_string().starts_with(name), "{}", error);
            }
        }
    }
}
