//! The list of the data that a program reads in addition to the edges. Of this data, engines upload only the arrays in
//! the list.

use std::fmt;

use super::input::InputField;
use super::model::{Model, Reads};

/// A field that a program reads, and the array that an engine needs for it.
///
/// ```
/// use wolfpath::program::{Model, Reading};
/// use wolfpath::programs::PageRank;
///
/// let readings = Model::of::<PageRank>().readings();
/// assert_eq!(readings.iter().next(), Some(Reading { what: "edge.value", array: "values" }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reading {
    /// The field as written in a program: `edge.weight`, `vertex.id`, or the name of an input field.
    pub what: &'static str,
    /// The array that the field is read from: `values`, `weights`, `counts` (what the ends of an
    /// edge have in common), `places`, `ids`, `indices`, `degrees`, or an input's array.
    pub array: &'static str,
}

/// All fields that a program reads, in addition to the edges. [`Display`](fmt::Display) writes them on one line.
///
/// ```
/// use wolfpath::program::Model;
/// use wolfpath::programs::{bfs, reach};
///
/// assert_eq!(Model::of::<bfs>().readings().to_string(), "edge.value (values)");
/// assert_eq!(Model::of::<reach>().readings().iter().len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readings(Vec<Reading>);

impl Readings {
    /// Returns an iterator over the fields: edges first, then vertices, then inputs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Reading> + '_ {
        self.0.iter().copied()
    }

    /// Returns `true` if a field is read from this array.
    ///
    /// ```
    /// use wolfpath::program::Model;
    /// use wolfpath::programs::{bfs, sssp};
    ///
    /// assert!(Model::of::<sssp>().readings().need("weights"));
    /// assert!(!Model::of::<bfs>().readings().need("weights"));
    /// ```
    pub fn need(&self, array: &str) -> bool {
        self.0.iter().any(|reading| reading.array == array)
    }
}

impl fmt::Display for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return write!(f, "nothing but edges");
        }
        for (index, Reading { what, array }) in self.iter().enumerate() {
            write!(f, "{}{what} ({array})", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Model {
    /// Returns the fields that the program reads, with the array that each one needs.
    pub fn readings(&self) -> Readings {
        let fields = fields(&self.reads).into_iter().filter(|&(read, ..)| read);
        let fields = fields.map(|(_, what, array)| Reading { what, array });
        let inputs = self.inputs.iter().map(|&InputField { name, array, .. }| Reading { what: name, array });
        Readings(fields.chain(inputs).collect())
    }
}

/// Returns, for every field that needs an array: `true` if the program reads the field, the field's name, and the
/// array's name.
const fn fields(reads: &Reads) -> [(bool, &'static str, &'static str); 17] {
    [
        (reads.edge_value, "edge.value", "values"),
        (reads.edge_weight, "edge.weight", "weights"),
        (reads.edge_common_neighbours, "edge.common_neighbours", "counts"),
        (reads.edge_common_edges, "edge.common_edges", "counts"),
        (reads.edge_source, "edge.source", "ids"),
        (reads.edge_target, "edge.target", "ids"),
        (reads.edge_source_index, "edge.source_index", "indices"),
        (reads.edge_target_index, "edge.target_index", "indices"),
        (reads.edge_out_degree, "edge.out_degree", "degrees"),
        (reads.edge_place, "edge.place", "places"),
        (reads.vertex_id, "vertex.id", "ids"),
        (reads.vertex_index, "vertex.index", "indices"),
        (reads.vertex_out_degree, "vertex.out_degree", "degrees"),
        (reads.vertex_in_degree, "vertex.in_degree", "degrees"),
        (reads.vertex_neighbours, "vertex.neighbours", "degrees"),
        (reads.vertex_before, "vertex.before", "values"),
        (reads.vertex_values, "vertex.value_at", "values"),
    ]
}
