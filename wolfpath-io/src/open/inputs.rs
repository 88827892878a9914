//! The files and options that the graph of an input depends on.

use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use crate::load::format::{ReaderKind, Told, WholeFormat};
use crate::load::{Duplicates, LoadOptions, Policy, webgraph_properties};

/// Returns the names of the options that were set but do not apply to a `.wolf` file. All options are destructured, so
/// that adding an option causes a compile error here.
pub(super) fn options_of_inputs(load: &LoadOptions) -> Vec<&'static str> {
    // Two options are not reported: `undirected` is checked against the graph instead, and `lossy_weights` only
    // mattered when the file was built.
    let LoadOptions {
        format,
        undirected: _,
        duplicates,
        self_loops,
        ignore_extra_columns,
        columns,
        vertices,
        lossy_weights: _,
    } = load;
    let is_set = [
        ("format", format.is_some()),
        ("duplicates", *duplicates != Duplicates::default()),
        ("self-loops", *self_loops != Policy::default()),
        ("extra columns", *ignore_extra_columns),
        ("columns", !columns.is_empty()),
        ("vertices", !vertices.is_empty()),
    ];
    is_set.into_iter().filter_map(|(name, is_set)| is_set.then_some(name)).collect()
}

/// Returns the files that are read, starting with the input.
pub(super) fn files(input: &Path, told: Told) -> Vec<PathBuf> {
    let properties = match told.decide() {
        ReaderKind::Whole(WholeFormat::WebGraph) => Some(webgraph_properties(input)),
        ReaderKind::Whole(_) | ReaderKind::Lines(_) => None,
    };
    std::iter::once(input.to_owned()).chain(properties).collect()
}

/// Returns one line of text that lists the options that change the edges and differ from the defaults. Returns an empty
/// text if there are none.
pub(super) fn words(options: &LoadOptions) -> String {
    let LoadOptions {
        format,
        undirected,
        duplicates,
        self_loops,
        ignore_extra_columns,
        columns,
        vertices,
        lossy_weights,
    } = options;
    let self_loops = match self_loops {
        Policy::Keep => None,
        Policy::Drop => Some("self-loops dropped"),
    };
    let mut words = Vec::new();
    words.extend(format.map(|format| format!("format {}", format.name())));
    words.extend(undirected.then(|| "undirected".to_owned()));
    words.extend(duplicates.words().map(str::to_owned));
    words.extend(self_loops.map(str::to_owned));
    words.extend(ignore_extra_columns.then(|| "extra columns ignored".to_owned()));
    // Names may contain any characters. They are escaped and quoted, so that different names result in different texts.
    let names: Vec<String> = columns.iter().map(|name| format!("\"{}\"", name.escape_default())).collect();
    words.extend((!names.is_empty()).then(|| format!("columns {}", names.join(" "))));
    // There may be as many ids as edges, so the text contains only their number and hash.
    let hash = || XxHash3_64::oneshot(bytemuck::cast_slice(vertices));
    words.extend(
        (!vertices.is_empty()).then(|| format!("{} further vertices {:016x}", vertices.len(), hash())),
    );
    words.extend(lossy_weights.then(|| "lossy weights".to_owned()));
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Format;
    use std::collections::HashSet;

    #[test]
    fn other_options_have_other_words() {
        let defaults = LoadOptions::default;
        let columns = |names: &[&str]| defaults().columns(names.iter().copied());
        let others = [
            defaults(),
            defaults().format(Format::Gr),
            defaults().undirected(true),
            defaults().duplicates(Duplicates::Drop),
            defaults().duplicates(Duplicates::Min),
            defaults().duplicates(Duplicates::Max),
            defaults().duplicates(Duplicates::Sum),
            defaults().lossy_weights(true),
            defaults().vertices([3, 4]),
            defaults().vertices([3, 5]),
            defaults().self_loops(Policy::Drop),
            defaults().ignore_extra_columns(true),
            columns(&["a", "b"]),
            columns(&["a b"]),
            columns(&["a\" \"b"]),
        ];
        let words: HashSet<String> = others.iter().map(words).collect();
        assert_eq!(words.len(), others.len(), "{words:?}");
        assert!(words.contains(""), "the defaults give an empty text");
    }

    #[test]
    fn the_properties_of_a_webgraph_belong_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let graph = folder.path().join("g.graph");
        let files = || super::files(&graph, Told::of_file(None, &graph));
        assert_eq!(files(), std::slice::from_ref(&graph));
        std::fs::write(folder.path().join("g.properties"), "").unwrap();
        let both = [graph.clone(), folder.path().join("g.properties")];
        assert_eq!(files(), both);
    }
}
