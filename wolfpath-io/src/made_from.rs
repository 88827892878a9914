//! The files and options that the edges of an input depend on; both are part of the key of a kept graph. The struct of
//! options is destructured in full, so this file does not compile until a new option is dealt with.

use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use crate::load::decide::{Reading, Told, WholeFormat};
use crate::load::{LoadOptions, Policy, webgraph_properties};

/// Returns the files that are read, the input first.
pub(crate) fn files(input: &Path, told: Told) -> Vec<PathBuf> {
    let properties = match told.decide() {
        Reading::Whole(WholeFormat::WebGraph) => Some(webgraph_properties(input)),
        Reading::Whole(_) | Reading::Lines(_) => None,
    };
    std::iter::once(input.to_owned()).chain(properties).collect()
}

/// Returns the options that differ from the defaults and change the edges, as one line; empty if none does.
pub(crate) fn words(options: &LoadOptions) -> String {
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
    // Names may hold anything; escaped in quotation marks, different names give different words.
    let names: Vec<String> = columns.iter().map(|name| format!("\"{}\"", name.escape_default())).collect();
    words.extend((!names.is_empty()).then(|| format!("columns {}", names.join(" "))));
    // The ids themselves may be as many as the edges; other ids have another hash.
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
    use crate::load::{Duplicates, Format};
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
        assert!(words.contains(""), "the defaults go without saying");
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
