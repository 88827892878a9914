//! `.wolf` files, optionally with corrected checksums so that the checks after them are reached. If a file is accepted,
//! every operation on graphs is applied to it.
//!
//! The first byte selects whether checksums are corrected. A file consists mostly of zeros, because sections are
//! aligned to pages. In the input, each page is stored as its length (u16) and that number of bytes.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use wolfpath_core::graph::{Direction, Examination, LayeredGraph};
use wolfpath_core::progress::Progress;
use wolfpath_fuzz::packed::unpacked;
use wolfpath_fuzz::seal::seal;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, packed)) = data.split_first() else { return };
    let mut bytes = unpacked(packed);
    if choice & 1 != 0 {
        seal(&mut bytes);
    }
    let path = path();
    fs::write(path, &bytes).expect("the temporary file is writable");
    let opened = LayeredGraph::open_wolf(path);
    let Ok(examination) = LayeredGraph::examine_file(path, &Progress::NONE) else {
        assert!(opened.is_err(), "opened a file with a damaged header");
        return;
    };
    match opened {
        Ok(graph) => use_all(&graph, &examination),
        // If opening rejects a file, the examination must find a problem too.
        Err(error) => assert!(!examination.problems.is_empty(), "{error}"),
    }
});

/// Returns the file that inputs are written to: one per process, in memory if the system has such a folder.
fn path() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
        folder.join(format!("wolfpath-fuzz-{}.wolf", std::process::id()))
    })
}

fn use_all(graph: &LayeredGraph, examination: &Examination) {
    let vertices = graph.num_vertices();
    assert_eq!(graph.ids().len(), vertices as usize);
    for vertex in 0..vertices {
        assert_eq!(graph.vertex_of(graph.id_of(vertex)), Some(vertex));
        assert_eq!(graph.by_rank()[graph.rank_of(vertex) as usize], vertex);
    }
    for direction in [Direction::Out, Direction::In] {
        let _ = graph.weights_as::<f64>(direction, true);
    }
    for direction in [Direction::Out, Direction::In] {
        let rows = match direction {
            Direction::Out => graph.out_edges(),
            Direction::In => graph.in_edges().expect("small rows fit into memory"),
        };
        let Ok(Some(packed)) = graph.packed_rows(direction) else { continue };
        for vertex in 0..vertices {
            assert!(packed.row(vertex).eq(rows.row(vertex).iter().copied()));
            let blocks = (0..packed.blocks(vertex)).flat_map(|block| packed.block(vertex, block));
            assert!(blocks.eq(rows.row(vertex).iter().copied()));
        }
    }
    let _ = graph.first_negative_weight();
    graph.column_names().iter().for_each(|name| assert!(graph.column(name).is_some()));
    let _ = graph.profile();
    for rows in [graph.out_edges(), graph.in_edges().expect("small rows fit into memory")] {
        let edges: usize =
            (0..vertices).map(|v| rows.row(v).iter().filter(|&&end| end < vertices).count()).sum();
        assert_eq!(edges as u64, graph.num_edges());
    }
    if examination.problems.is_empty() {
        let again = path().with_extension("again.wolf");
        graph.write(&again).expect("the temporary file is writable");
        let written = LayeredGraph::open_wolf(&again).expect("the file was just written");
        assert!(written.examine(&Progress::NONE).problems.is_empty());
        assert_eq!(written.ids(), graph.ids());
    }
}
