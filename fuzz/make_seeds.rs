//! Writes the seeds of all targets into `fuzz/seeds`: `cargo run --bin make_seeds` in `fuzz/`. The seeds are small and
//! committed, so that fuzzing does not start from nothing. Write them again when the `.wolf` format changes.

use std::fs;
use std::path::Path;

use wolfpath_core::edge_list::EdgeList;
use wolfpath_core::graph::{LayerOptions, LayeredGraph};
use wolfpath_io::load::Format;
use wolfpath_fuzz::packed::packed;

const EDGE_LISTS: &[&str] = &[
    "1 2\n2 3\n3 1\n",
    "# SNAP\r\n0\t1\t0.5\r\n1\t2\t1e-3\r\n",
    "source,target,weight\n1,2,-7\n18446744073709551615,2,4294967296\n",
    "\u{feff}1 1 3\n1 2 4\n1 2 4",
];
const GR: &[&str] = &["c roads\np sp 3 2\na 1 2 5\na 2 3 7\n", "p tw 4 3\n1 2\n2 3\n3 4\n"];
const MTX: &[&str] = &[
    "%%MatrixMarket matrix coordinate pattern symmetric\n% x\n3 3 2\n2 1\n3 2\n",
    "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 4 0.5\n3 2 -1e2\n",
    "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 5\n",
];

fn main() -> std::io::Result<()> {
    let texts = [
        ("edge_list", Format::EdgeList, EDGE_LISTS),
        ("gr", Format::Gr, GR),
        ("mtx", Format::MatrixMarket, MTX),
    ];
    for (target, format, texts) in texts {
        let place = Format::ALL.iter().position(|&other| other == format).unwrap_or(0) as u8;
        for (index, text) in texts.iter().enumerate() {
            let options = index as u8;
            seed(target, &format!("{index}"), &[&[options], text.as_bytes()].concat())?;
            seed("read_any", &format!("{target}-{index}"), &[&[place, options], text.as_bytes()].concat())?;
        }
    }
    for (name, graph) in graphs() {
        let file = std::env::temp_dir().join("wolfpath-seed.wolf");
        graph.write(&file).map_err(std::io::Error::other)?;
        let packed = packed(&fs::read(&file)?);
        fs::remove_file(file)?;
        for choice in [0, 1] {
            seed("wolf", &format!("{name}-{choice}"), &[&[choice], &packed[..]].concat())?;
        }
    }
    Ok(())
}

fn seed(target: &str, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(name), bytes)
}

/// Returns graphs that together cover every section, every type of weights, every flag and every kind of round.
fn graphs() -> Vec<(&'static str, LayeredGraph)> {
    let plain = |edges: &[(u64, u64)]| EdgeList::from_edges(edges.iter().copied()).expect("the edge list is valid");
    let layered =
        |edges: EdgeList| LayeredGraph::from_edge_list(edges, &LayerOptions::default()).expect("the graph is valid");
    let packed = |edges: EdgeList| {
        LayeredGraph::from_edge_list(edges, &LayerOptions::new().packed(true)).expect("the graph is valid")
    };
    // One out-row and one in-row of more than 256 ends, which have an index when they are packed.
    let hubs = (0..600).map(|edge| if edge < 300 { (0, 1 + edge % 70) } else { (1 + edge % 67, 71) });
    let weighted =
        |edges: &[(u64, u64, f64)]| EdgeList::from_weighted_edges(edges.iter().copied()).expect("weights");
    vec![
        ("empty", layered(plain(&[]))),
        ("directed", layered(plain(&[(0, 1), (1, 2), (2, 0), (3, 1), (5, 6), (6, 5), (7, 7), (0, 1)]))),
        ("symmetric", layered(plain(&[(10, 20), (20, 10), (20, 30), (30, 20)]))),
        ("isolated", layered(plain(&[(0, 1), (4, 5)]).with_vertices(0..9).expect("there are few vertices"))),
        ("floats", layered(weighted(&[(3, 900, 1.5), (900, 17, 0.1), (17, 3, 2.0), (50, 50, 7.0)]))),
        ("doubled", layered(weighted(&[(1, 2, 0.3), (2, 1, 0.3), (1, 2, 0.1), (2, 1, 0.1)]))),
        ("packed", packed(plain(&[(0, 1), (1, 2), (2, 0), (3, 1), (5, 6), (6, 5), (7, 7), (0, 1)]))),
        ("hubs", packed(EdgeList::from_edges(hubs).expect("the edge list is valid"))),
        ("signed", LayeredGraph::from_weighted_edges([(u64::MAX, 1, -5i64), (1, 0, 5)]).expect("the graph is valid")),
    ]
}
