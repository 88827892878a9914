//! The files and options that the graph of an input depends on; both are part of the key of a kept graph. The structs of
//! options are destructured in full, so this file does not compile until a new option is dealt with.

use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::open::OpenOptions;
use crate::load::{Duplicates, Format, LoadOptions, Policy, webgraph_properties};

/// Returns the files that are read, the input first.
pub(super) fn files(input: &Path, options: &OpenOptions) -> Vec<PathBuf> {
    let format = options.load.format.or_else(|| Format::of_file(input));
    let properties = (format == Some(Format::WebGraph)).then(|| webgraph_properties(input));
    std::iter::once(input.to_owned()).chain(properties).collect()
}

/// Returns the options that differ from the defaults and change the graph, as one line; empty if none does.
pub(super) fn words(options: &OpenOptions) -> String {
    // Ignored are the options that do not change the graph.
    let OpenOptions {
        load,
        root,
        in_edges,
        cache: _,
        cache_beside: _,
        cache_folder: _,
        rebuild: _,
        resources: _,
    } = options;
    let mut words = load_words(load);
    words.extend(root.map(|root| format!("root {root}")));
    words.extend((!in_edges).then(|| "no in-edges".to_owned()));
    words.join(", ")
}

fn load_words(load: &LoadOptions) -> Vec<String> {
    let LoadOptions {
        format,
        undirected,
        duplicates,
        self_loops,
        ignore_extra_columns,
        columns,
        vertices,
        lossy_weights,
    } = load;
    let duplicates = match duplicates {
        Duplicates::Keep => None,
        Duplicates::Drop => Some("duplicates dropped"),
        Duplicates::Min => Some("duplicates merged to the minimum"),
        Duplicates::Max => Some("duplicates merged to the maximum"),
        Duplicates::Sum => Some("duplicates merged to the sum"),
    };
    let self_loops = match self_loops {
        Policy::Keep => None,
        Policy::Drop => Some("self-loops dropped"),
    };
    let mut words = Vec::new();
    words.extend(format.map(|format| format!("format {}", format.name())));
    words.extend(undirected.then(|| "undirected".to_owned()));
    words.extend(duplicates.map(str::to_owned));
    words.extend(self_loops.map(str::to_owned));
    words.extend(ignore_extra_columns.then(|| "extra columns ignored".to_owned()));
    // Names may hold anything; escaped in quotation marks, different names give different words.
    let names: Vec<String> = columns.iter().map(|name| format!("\"{}\"", name.escape_default())).collect();
    words.extend((!names.is_empty()).then(|| format!("columns {}", names.join(" "))));
    // The ids themselves may be as many as the edges; other ids have another hash.
    let hash = || XxHash3_64::oneshot(bytemuck::cast_slice(vertices));
    words.extend(
        (!vertices.is_empty()).then(|| format!("{} further vertices {:016x}", vertices.len(), hash())),
    );
    words.extend(lossy_weights.then(|| "lossy weights".to_owned()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn other_options_have_other_words() {
        let defaults = OpenOptions::default;
        let load = |load| OpenOptions { load, ..defaults() };
        let columns = |names: &[&str]| {
            let columns = names.iter().map(|&name| name.to_owned()).collect();
            load(LoadOptions { columns, ..LoadOptions::default() })
        };
        let others = [
            defaults(),
            OpenOptions { root: Some(7), ..defaults() },
            OpenOptions { in_edges: false, ..defaults() },
            load(LoadOptions { format: Some(Format::Gr), ..LoadOptions::default() }),
            load(LoadOptions { undirected: true, ..LoadOptions::default() }),
            load(LoadOptions { duplicates: Duplicates::Drop, ..LoadOptions::default() }),
            load(LoadOptions { duplicates: Duplicates::Min, ..LoadOptions::default() }),
            load(LoadOptions { duplicates: Duplicates::Max, ..LoadOptions::default() }),
            load(LoadOptions { duplicates: Duplicates::Sum, ..LoadOptions::default() }),
            load(LoadOptions { lossy_weights: true, ..LoadOptions::default() }),
            load(LoadOptions { vertices: [3, 4].into(), ..LoadOptions::default() }),
            load(LoadOptions { vertices: [3, 5].into(), ..LoadOptions::default() }),
            load(LoadOptions { self_loops: Policy::Drop, ..LoadOptions::default() }),
            load(LoadOptions { ignore_extra_columns: true, ..LoadOptions::default() }),
            columns(&["a", "b"]),
            columns(&["a b"]),
            columns(&["a\" \"b"]),
        ];
        let words: HashSet<String> = others.iter().map(words).collect();
        assert_eq!(words.len(), others.len(), "{words:?}");
        assert!(words.contains(""), "the defaults go without saying");
        assert_eq!(self::words(&OpenOptions { cache_beside: true, rebuild: true, ..defaults() }), "");
    }

    #[test]
    fn the_properties_of_a_webgraph_belong_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let graph = folder.path().join("g.graph");
        assert_eq!(files(&graph, &OpenOptions::default()), std::slice::from_ref(&graph));
        std::fs::write(folder.path().join("g.properties"), "").unwrap();
        let both = [graph.clone(), folder.path().join("g.properties")];
        assert_eq!(files(&graph, &OpenOptions::default()), both);
    }
}
