//! Sizes of graphs in memory, on the device and in the file, and times of opening and verifying files.

use super::{Arguments, Input, Result, median};
use std::path::{Path, PathBuf};
use std::time::Instant;
use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::progress::Progress;

/// Returns the size in bytes of a graph's rows, weights, order and layers.
pub(crate) fn finished(graph: &LayeredGraph) -> Result<u64> {
    let rows = graph.out_edges();
    let mut bytes = size_of_val(rows.offsets) + size_of_val(rows.ends) + size_of_val(graph.ranks());
    bytes += graph.weights().map_or(0, |weights| weights.bytes().len()) + size_of_val(graph.layer_offsets());
    if graph.has_in_edges() && !graph.is_symmetric() {
        let rows = graph.in_edges()?;
        bytes += size_of_val(rows.offsets) + size_of_val(rows.ends);
    }
    Ok(bytes as u64)
}

/// Times opening each file and, on one core, verifying each of its parts. Prints the times and the sizes.
pub(crate) fn stored(inputs: &[Input], arguments: &Arguments, folder: &Path) -> Result<()> {
    println!(
        "\na .wolf file (must: R-MAT 22 opened, which verifies it, in 150 ms on 2 cores, 25 ms on 16; device 1.02 x CSR)"
    );
    println!(
        "{:14} {:>9} {:>11} {:>10} {:>7}  verification on one core, GB/s",
        "graph", "open", "device/CSR", "file", "of CSR"
    );
    let mut files: Vec<(&str, PathBuf)> = Vec::new();
    files.extend(inputs.iter().map(|input| (input.name, folder.join(format!("{}.wolf", input.name)))));
    files.push(("R-MAT", folder.join("rmat.wolf")));
    for (name, path) in files.iter().filter(|(_, path)| path.exists()) {
        let mut opened = Vec::new();
        let mut passes: Vec<(String, Vec<f64>)> = Vec::new();
        for _ in 0..arguments.repeat {
            let began = Instant::now();
            let graph = LayeredGraph::open_wolf(path)?;
            opened.push(began.elapsed().as_secs_f64());
            first_pass(&graph, &mut passes)?;
        }
        let profile = LayeredGraph::open_wolf(path)?.profile();
        let length = std::fs::metadata(path)?.len();
        println!(
            "{name:14} {:>7.2}ms {:>11.4} {:>7.1} MB {:>7.2}  {}",
            1e3 * median(&mut opened),
            profile.layered_bytes as f64 / profile.csr_bytes as f64,
            length as f64 / 1e6,
            length as f64 / profile.csr_bytes as f64,
            passes
                .iter_mut()
                .map(|(part, rates)| format!("{part} {:.1}  ", median(rates)))
                .collect::<String>()
        );
    }
    Ok(())
}

/// Adds the rate of verifying each part, for parts that are large enough to be timed.
fn first_pass(graph: &LayeredGraph, passes: &mut Vec<(String, Vec<f64>)>) -> Result<()> {
    const PARTS: [&str; 4] = ["out-rows", "in-rows", "ids", "weights"];
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let examination = alone.install(|| graph.examine(&Progress::NONE));
    for part in examination.parts.iter().filter(|part| part.bytes > 1 << 20) {
        let name = part.what.split(':').next().unwrap_or_default();
        // Several parts may have the same name (in-rows are checked in two ways); the rates of all of them are
        // recorded.
        let Some(name) = PARTS.iter().find(|known| **known == name) else { continue };
        let rate = part.bytes as f64 / part.took.as_secs_f64() / 1e9;
        match passes.iter_mut().find(|pass| pass.0 == *name) {
            Some(pass) => pass.1.push(rate),
            None => passes.push(((*name).to_owned(), vec![rate])),
        }
    }
    Ok(())
}
