//! `wolfpath info`: describes a graph.

use std::fmt::Write;

use serde_json::{Value, json};
use wolfpath::graph::{DegreeProfile, Direction, FileSections, LayeredGraph, Profile};
use wolfpath::weights::WEIGHT;

use crate::arguments::InfoArguments;
use crate::bars::Bars;
use crate::chart::chart;
use crate::console;
use crate::destination::Destination;
use crate::error::Error;
use crate::json::{graph_json, object};
use crate::open::{open, origin};
use crate::plot::{self, Subject};

pub(crate) fn info(arguments: &InfoArguments) -> Result<(), Error> {
    #[cfg(feature = "cluster")]
    if let Some(described) = crate::shards::info(arguments) {
        return described;
    }
    let options = arguments.keeping.of(arguments.graph.options()?);
    let picture = &arguments.plot;
    picture.iter().try_for_each(|to| arguments.graph.check_beside(to))?;
    let (graph, took) = open(&arguments.graph, &options)?;
    let bars = Bars::begin("counting");
    let profile = graph.profile();
    if let Some(to) = picture {
        bars.say(format_args!("drawing {}", to.name()));
        let svg = plot::picture(&Subject::of(&graph, plot::file_name(&arguments.graph.path)), &profile)?;
        to.write(|out| out.write_all(svg.as_bytes()))?;
    }
    drop(bars);
    if arguments.json {
        return console::print(&format!("{:#}\n", info_json(&graph, &profile, arguments)?));
    }
    let mut text =
        format!("graph      {}; {} ({took:.1?})\n", arguments.graph.path.display(), origin(&graph));
    for (name, what) in lines(&graph, &profile)? {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<10} {what}");
    }
    if !profile.layers.is_empty() {
        text.push('\n');
        text.push_str(&chart(&profile.layers));
    }
    if let Some(to) = picture {
        let _ = writeln!(text, "\npicture    {}", to.name());
    }
    console::print(&text)
}

fn lines(graph: &LayeredGraph, profile: &Profile) -> Result<Vec<(&'static str, String)>, Error> {
    let kind = if graph.is_symmetric() { "each in both directions" } else { "directed" };
    let weights = graph.weights().map_or("none", |weights| weights.kind().name());
    let columns = columns(graph);
    let root = graph.root().map_or_else(|| "none".to_owned(), |root| root.to_string());
    let (layers, own) = (graph.num_layers(), graph.root_layers());
    let more = profile.layered_bytes as f64 / profile.csr_bytes.max(1) as f64;
    let mut lines = vec![
        ("vertices", format!("{}, {} of them without edges", profile.vertices, profile.isolated)),
        ("edges", format!("{}, {kind}", profile.edges)),
        ("weights", weights.to_owned()),
        ("duplicates", profile.duplicates.to_string()),
        ("self-loops", profile.self_loops.to_string()),
        ("root", format!("{root}: {}", graph.root_reason())),
        ("layers", format!("{layers}, {own} of them in the root's own tree")),
        ("out-degree", degrees(&profile.out_degrees)),
        ("in-degree", degrees(&profile.in_degrees)),
        (
            "bytes",
            format!(
                "{}; {more:.4} times the {} bytes of plain CSR",
                profile.layered_bytes, profile.csr_bytes
            ),
        ),
    ];
    if let Some(columns) = columns {
        lines.insert(3, ("columns", columns));
    }
    lines.push(("packed", packed(graph)?));
    lines.push(("paths", paths(graph)?));
    lines.extend(graph.file_sections().map(|sections| ("file", file(&sections))));
    Ok(lines)
}

/// Lists the columns by name. Returns `None` if the edges have no columns, or only a weight.
fn columns(graph: &LayeredGraph) -> Option<String> {
    let names = graph.column_names();
    let named = names.iter().zip(graph.column_sizes());
    let each: Vec<String> =
        named.map(|(name, (kind, bytes))| format!("{name} {} ({bytes} bytes)", kind.name())).collect();
    (!names.is_empty() && names != [WEIGHT]).then(|| each.join(", "))
}

/// Describes the packed rows of both directions.
fn packed(graph: &LayeredGraph) -> Result<String, Error> {
    let mut each = Vec::new();
    for (name, direction) in directions(graph) {
        let Some(rows) = graph.packed_rows(direction)? else { continue };
        let (bits, bytes, plain) = (rows.bits_per_edge(), rows.bytes(), 4 * rows.num_edges());
        let less = 100.0 * (1.0 - bytes as f64 / plain.max(1) as f64);
        each.push(format!(
            "{name} {bits:.2} bits per edge; {bytes} bytes, {less:.1} % less than {plain} bytes of ends"
        ));
    }
    Ok(if each.is_empty() { "none".to_owned() } else { each.join("; ") })
}

/// Describes the paths that the graph stores.
fn paths(graph: &LayeredGraph) -> Result<String, Error> {
    if !graph.stores_paths() {
        return Ok("none".to_owned());
    }
    let paths = graph.paths()?;
    let (number, components, layers) = (paths.num_paths(), paths.num_components(), paths.num_layers());
    Ok(format!(
        "{number} of {:.2} edges on average, at most {}; {components} components in {layers} layers, the largest with {:.1} % of \
         the paths",
        paths.average_length(),
        paths.longest(),
        100.0 * f64::from(paths.largest_component()) / f64::from(number.max(1))
    ))
}

/// Returns the directions whose rows differ, with their names.
fn directions(graph: &LayeredGraph) -> Vec<(&'static str, Direction)> {
    let mut directions = vec![("out-rows", Direction::Out)];
    directions.extend((!graph.is_input_symmetric()).then_some(("in-rows", Direction::In)));
    directions
}

fn file(sections: &FileSections) -> String {
    let FileSections { total, out_rows, in_rows, packed_rows, paths, weights, order, ids, .. } = sections;
    let rest = sections.rest();
    format!(
        "{total} bytes: out-rows {out_rows}, in-rows {in_rows}, packed rows {packed_rows}, paths {paths}, weights {weights}, \
         order {order}, ids {ids}, header and padding {rest}"
    )
}

/// Returns everything but the chart of the layers, for `--json`.
fn info_json(graph: &LayeredGraph, profile: &Profile, arguments: &InfoArguments) -> Result<Value, Error> {
    Ok(object([
        ("wolfpath", json!(env!("CARGO_PKG_VERSION"))),
        ("graph", graph_json(graph, &arguments.graph.path)),
        ("isolated", json!(profile.isolated)),
        ("duplicates", json!(profile.duplicates)),
        ("self_loops", json!(profile.self_loops)),
        ("out_degree", degrees_json(&profile.out_degrees)),
        ("in_degree", degrees_json(&profile.in_degrees)),
        ("bytes", json!(profile.layered_bytes)),
        ("csr_bytes", json!(profile.csr_bytes)),
        ("packed", packed_json(graph)?),
        ("paths", paths_json(graph)?),
        ("file", graph.file_sections().map_or(Value::Null, |sections| file_json(&sections))),
        ("plot", json!(arguments.plot.as_ref().map(Destination::name))),
    ]))
}

fn degrees_json(degrees: &DegreeProfile) -> Value {
    let DegreeProfile { mean, max, max_id, zero, .. } = degrees;
    object([("mean", json!(mean)), ("max", json!(max)), ("max_id", json!(max_id)), ("zero", json!(zero))])
}

fn packed_json(graph: &LayeredGraph) -> Result<Value, Error> {
    let packed = |direction| -> Result<Value, Error> {
        Ok(graph.packed_rows(direction)?.map_or(Value::Null, |rows| {
            object([("bytes", json!(rows.bytes())), ("bits_per_edge", json!(rows.bits_per_edge()))])
        }))
    };
    Ok(object([("out_rows", packed(Direction::Out)?), ("in_rows", packed(Direction::In)?)]))
}

fn paths_json(graph: &LayeredGraph) -> Result<Value, Error> {
    if !graph.stores_paths() {
        return Ok(Value::Null);
    }
    let paths = graph.paths()?;
    Ok(object([
        ("number", json!(paths.num_paths())),
        ("mean_length", json!(paths.average_length())),
        ("longest", json!(paths.longest())),
        ("components", json!(paths.num_components())),
        ("layers", json!(paths.num_layers())),
        ("largest_component", json!(paths.largest_component())),
    ]))
}

fn file_json(sections: &FileSections) -> Value {
    let FileSections { total, out_rows, in_rows, packed_rows, paths, weights, order, ids, .. } = sections;
    object([
        ("total", json!(total)),
        ("out_rows", json!(out_rows)),
        ("in_rows", json!(in_rows)),
        ("packed_rows", json!(packed_rows)),
        ("paths", json!(paths)),
        ("weights", json!(weights)),
        ("order", json!(order)),
        ("ids", json!(ids)),
        ("rest", json!(sections.rest())),
    ])
}

fn degrees(degrees: &DegreeProfile) -> String {
    let DegreeProfile { mean, max, max_id, zero, .. } = degrees;
    match max_id {
        Some(id) => format!("{mean:.2} on average, at most {max} (vertex {id}), 0 at {zero} vertices"),
        None => "no vertices".to_owned(),
    }
}
