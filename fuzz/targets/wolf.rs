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
use wolfpath_core::graph::{Direction, LayeredGraph};
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
    let Ok(graph) = LayeredGraph::open(path) else { return };
    use_all(&graph);
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

fn use_all(graph: &LayeredGraph) {
    let examination = graph.examine(&Progress::NONE);
    let checked = graph.check();
    // What first use refuses must not pass an examination.
    assert!(checked.is_ok() || !examination.problems.is_empty(), "{checked:?}");
    let vertices = graph.num_vertices();
    assert_eq!(graph.ids().len(), vertices as usize);
    for vertex in 0..vertices {
        let id = graph.id_of(vertex);
        assert!(checked.is_err() || graph.vertex_of(id) == Some(vertex));
        assert_eq!(graph.by_rank()[graph.rank_of(vertex) as usize], vertex);
    }
    for direction in [Direction::Out, Direction::In] {
        let _ = graph.weights_as::<f64>(direction, true);
    }
    let _ = graph.first_negative_weight();
    graph.column_names().iter().for_each(|name| drop(graph.column(name)));
    let _ = graph.profile();
    if let (Ok(out), Ok(inward)) = (graph.out_edges(), graph.in_edges()) {
        for rows in [out, inward] {
            let edges: usize =
                (0..vertices).map(|v| rows.row(v).iter().filter(|&&end| end < vertices).count()).sum();
            assert_eq!(edges as u64, graph.num_edges());
        }
    }
    if examination.problems.is_empty() {
        let again = path().with_extension("again.wolf");
        graph.write(&again).expect("a temporary file can be written");
        let written = LayeredGraph::open(&again).expect("what was just written");
        assert!(written.examine(&Progress::NONE).problems.is_empty());
        assert_eq!(written.ids(), graph.ids());
    }
}
