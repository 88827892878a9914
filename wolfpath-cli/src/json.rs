//! Parts of the JSON that several commands print.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use wolfpath::graph::{LayeredGraph, LengthBound, Origin};

/// Returns an object whose fields keep this order.
pub(crate) fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Returns a time in seconds.
pub(crate) fn seconds(time: Duration) -> Value {
    json!(time.as_secs_f64())
}

/// Describes a graph and its origin.
pub(crate) fn graph_json(graph: &LayeredGraph, path: &Path) -> Value {
    let (origin, file) = match graph.opened_from() {
        Origin::Memory => ("memory", None),
        Origin::File(file) => ("layered graph", Some(file)),
        Origin::Cache(file) => ("cache", Some(file)),
        Origin::Input { kept, .. } => ("input", kept.as_ref()),
    };
    object([
        ("path", json!(path.to_string_lossy())),
        ("vertices", json!(graph.num_vertices())),
        ("edges", json!(graph.num_edges())),
        ("layers", json!(graph.num_layers())),
        ("root", json!(graph.root())),
        ("root_layers", json!(graph.root_layers())),
        ("symmetric", json!(graph.is_symmetric())),
        ("weighted", json!(graph.has_weights())),
        ("weights", json!(graph.weight_choice().to_string())),
        ("columns", json!(graph.column_names())),
        ("weight_column", json!(graph.weight_column())),
        ("opened_from", json!(origin)),
        ("layered_file", json!(file.map(|file| file.to_string_lossy()))),
        ("notes", json!(graph.notes())),
    ])
}

/// Describes the bound on a run's values; `null` if there is none.
pub(crate) fn bound_json(bound: Option<LengthBound>) -> Value {
    bound.map_or(Value::Null, |bound| {
        let layers = match bound {
            LengthBound::SimplePaths { .. } => None,
            LengthBound::Layers { layers, .. } => Some(layers),
        };
        object([
            ("longest", json!(bound.longest())),
            ("layers", json!(layers)),
            ("drops_messages", json!(bound.drops_messages())),
            ("reason", json!(bound.to_string())),
        ])
    })
}
