//! `.wolf` files, with the checksums put right so that the checks behind them are met. A file that is accepted is used
//! in every way that a graph can be used.
//!
//! The first byte says whether checksums are put right. A file whose sections are spread over pages of zeros is mostly
//! nothing; in an input each page is shortened to its length (u16) and as many bytes.
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
    fs::write(path, &bytes).expect("a temporary file can be written");
    let opened = LayeredGraph::open_wolf(path);
    let Ok(examination) = LayeredGraph::examine_file(path, &Progress::NONE) else {
        assert!(opened.is_err(), "opened, though its header is damaged");
        return;
    };
    match opened {
        Ok(graph) => use_all(&graph, &examination),
        // What opening refuses must not pass an examination.
        Err(error) => assert!(!examination.problems.is_empty(), "{error}"),
    }
});

/// The file that inputs are written to: one a process, in memory where the system has such a folder.
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
    let _ = graph.first_negative_weight();
    graph.column_names().iter().for_each(|name| assert!(graph.column(name).is_some()));
    let _ = graph.profile();
    for rows in [graph.out_edges(), graph.in_edges().expect("small rows fit the memory")] {
        let edges: usize =
            (0..vertices).map(|v| rows.row(v).iter().filter(|&&end| end < vertices).count()).sum();
        assert_eq!(edges as u64, graph.num_edges());
    }
    if examination.problems.is_empty() {
        let again = path().with_extension("again.wolf");
        graph.write(&again).expect("a temporary file can be written");
        let written = LayeredGraph::open_wolf(&again).expect("what was just written");
        assert!(written.examine(&Progress::NONE).problems.is_empty());
        assert_eq!(written.ids(), graph.ids());
    }
}
