//! `wolfpath info`: describes a graph.

use std::fmt::Write;

use wolfpath::graph::{DegreeProfile, FileSections, LayeredGraph, Profile};
use wolfpath::weights::WEIGHT;

use crate::arguments::InfoArguments;
use crate::bars::Bars;
use crate::chart::chart;
use crate::console;
use crate::error::Error;
use crate::open::{open, origin};
use crate::plot::{self, Subject};

pub(crate) fn info(arguments: &InfoArguments) -> Result<(), Error> {
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

fn file(sections: &FileSections) -> String {
    let FileSections { total, out_rows, in_rows, weights, order, ids, .. } = sections;
    let rest = sections.rest();
    format!(
        "{total} bytes: out-rows {out_rows}, in-rows {in_rows}, weights {weights}, order {order}, ids {ids}, \
         header and padding {rest}"
    )
}

fn degrees(degrees: &DegreeProfile) -> String {
    let DegreeProfile { mean, max, max_id, zero, .. } = degrees;
    match max_id {
        Some(id) => format!("{mean:.2} on average, at most {max} (vertex {id}), 0 at {zero} vertices"),
        None => "no vertices".to_owned(),
    }
}
