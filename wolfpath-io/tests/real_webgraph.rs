//! Tests that write real graphs in the WebGraph format and read them again.

#[path = "../../tests/support/on_real_graphs.rs"]
mod on_real_graphs;

use std::path::Path;
use std::process::ExitCode;

use on_real_graphs::tests;
use wolfpath_core::edge_list::{EdgeList, Symmetry};
use wolfpath_io::load::{Duplicates, Format, LoadOptions, load};
use wolfpath_io::save::{SaveOptions, save};

fn main() -> ExitCode {
    on_real_graphs::run(&tests!(there_and_back))
}

/// Writes complete real graphs and reads them again.
fn there_and_back(data: &Path) {
    let directed_edges = |list: &EdgeList| {
        let implied = list.symmetry() == Symmetry::Doubled;
        let edges = list.sources().iter().zip(list.targets());
        let both = edges.flat_map(|(&u, &v)| [Some((u, v)), (implied && u != v).then_some((v, u))]);
        let mut edges: Vec<(u32, u32)> = both.flatten().collect();
        edges.sort_unstable();
        edges
    };
    for name in ["cnr-2000.el.zst", "email-Enron.txt.zst"] {
        let options = LoadOptions::new().duplicates(Duplicates::Drop);
        let list = load(data.join(name), &options).unwrap();
        let out = tempfile::tempdir().unwrap();
        let path = out.path().join("g.graph");
        let format = Some(Format::WebGraph);
        save(&list, &path, &SaveOptions::new().format(format).renumber(true)).unwrap();
        let again = load(&path, &LoadOptions::default()).unwrap();
        assert!(directed_edges(&again) == directed_edges(&list), "{name}");
    }
}
