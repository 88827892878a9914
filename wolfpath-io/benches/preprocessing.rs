//! Times every stage of building a layered graph in a file from text, and compares the total with other programs.
//!
//! `cargo bench -p wolfpath-io --features full` reads the graphs in the folder that `WOLFPATH_DATA` names and keeps
//! their plain text under `target/`. Options after `--`:
//!
//! - `--only NAME`, `--repeat N`, `--threads N`
//! - `--converter PATH` times GAP's `converter`, alternating with wolfpath.
//! - `--csr PATH` times a program that prints the seconds it takes to read a file into CSR, alternating with wolfpath.
//!   Its second argument is `-u` for undirected input.
//!
//! Without the last two options, the times of the other programs are taken from `inputs.rs`. They were measured on
//! another day, so the ratios to them are only approximate.

#[path = "preprocessing/inputs.rs"]
mod inputs;
#[path = "preprocessing/measure.rs"]
mod measure;
#[path = "preprocessing/peers.rs"]
mod peers;
#[path = "preprocessing/stored.rs"]
mod stored;

use inputs::Input;
use measure::{Arguments, Stages, median};
use std::error::Error;
use std::time::Instant;
use wolfpath_core::generate::rmat;
use wolfpath_core::graph::{LayerOptions, LayeredGraph};
use wolfpath_core::resources::Resources;
use wolfpath_io::load::load_with;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments = Arguments::of_process()?;
    if let Some(child) = &arguments.child {
        return measure::build_as_child(child);
    }
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    let folder = inputs::folder()?;
    println!(
        "{} threads, medians of {}, text in the page cache",
        rayon::current_num_threads(),
        arguments.repeat
    );
    let inputs = inputs::inputs(&folder, &arguments)?;
    to_file(&inputs, &arguments, &folder)?;
    in_memory(&inputs, &arguments)?;
    paths(&inputs, &arguments)?;
    generated(&arguments, &folder)?;
    stored::stored(&inputs, &arguments, &folder)?;
    measure::peaks(&inputs, &folder)
}

/// Times building a `.wolf` file from text, and compares it with GAP's `converter`, which writes `.sg` or `.wsg`.
fn to_file(inputs: &[Input], arguments: &Arguments, folder: &std::path::Path) -> Result<()> {
    println!("\ntext -> layered -> .wolf, against GAP's converter (must: 0.70)");
    println!(
        "{:14} {:>7} {:>9} {:>9} {:>7} {:>6}  stages",
        "graph", "MB", "Medges/s", "ours", "GAP", "ratio"
    );
    for input in inputs.iter().filter(|input| input.converter > 0.0) {
        let (mut ours, mut theirs, stages) = (Vec::new(), Vec::new(), Stages::default());
        let mut edges = 0;
        for _ in 0..arguments.repeat {
            let to = folder.join(format!("{}.wolf", input.name));
            let began = Instant::now();
            let progress = stages.watch();
            let resources = Resources::new().progress(progress.clone());
            let graph = build(input, &resources)?;
            graph.write_with(&to, &progress)?;
            ours.push(began.elapsed().as_secs_f64());
            stages.end();
            edges = graph.num_edges();
            theirs.extend(peers::converter(arguments, input, folder)?);
        }
        let ours = median(&mut ours);
        let theirs = if theirs.is_empty() { input.converter } else { median(&mut theirs) };
        println!(
            "{:14} {:>7.1} {:>9.1} {:>7.0}ms {:>5.0}ms {:>6.2}  {}",
            input.name,
            input.bytes as f64 / 1e6,
            edges as f64 / ours / 1e6,
            1e3 * ours,
            1e3 * theirs,
            ours / theirs,
            stages.medians()
        );
    }
    Ok(())
}

/// Times building a layered graph in memory from text, and compares it with a program that reads the same text into
/// CSR.
fn in_memory(inputs: &[Input], arguments: &Arguments) -> Result<()> {
    println!("\ntext -> layered graph in memory, against neo4j-labs graph's text -> CSR (must: 1.20)");
    println!("{:14} {:>9} {:>9} {:>6}", "graph", "ours", "CSR", "ratio");
    for input in inputs.iter().filter(|input| input.csr > 0.0) {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..arguments.repeat {
            let began = Instant::now();
            let graph = build(input, &Resources::default())?;
            ours.push(began.elapsed().as_secs_f64());
            drop(graph);
            theirs.extend(peers::csr(arguments, input)?);
        }
        let ours = median(&mut ours);
        let theirs = if theirs.is_empty() { input.csr } else { median(&mut theirs) };
        println!("{:14} {:>7.0}ms {:>7.0}ms {:>6.2}", input.name, 1e3 * ours, 1e3 * theirs, ours / theirs);
    }
    Ok(())
}

/// Times the decomposition of graphs into paths, and compares it with layering their edges.
fn paths(inputs: &[Input], arguments: &Arguments) -> Result<()> {
    println!("\nlayered graph -> its paths in memory, against edges -> layered graph (must: 3.00)");
    println!("{:14} {:>9} {:>9} {:>6}", "graph", "paths", "layering", "ratio");
    let read =
        |input: &Input| Ok((input.name, load_with(&input.path, &input.options(), &Resources::default())?));
    let made = arguments.only.is_none().then(|| Ok(("R-MAT", rmat(arguments.scale, 16, 1)?)));
    for graph in inputs.iter().map(read).chain(made) {
        let (name, edges) = graph.map_err(|error: Box<dyn Error>| error)?;
        let (mut layering, mut decomposing) = (Vec::new(), Vec::new());
        for _ in 0..arguments.repeat {
            let edges = edges.clone();
            let began = Instant::now();
            let graph = LayeredGraph::from_edge_list(edges, &LayerOptions::default())?;
            layering.push(began.elapsed().as_secs_f64());
            let began = Instant::now();
            graph.paths()?;
            decomposing.push(began.elapsed().as_secs_f64());
        }
        let (layering, decomposing) = (median(&mut layering), median(&mut decomposing));
        let ratio = decomposing / layering;
        println!("{name:14} {:>7.0}ms {:>7.0}ms {ratio:>6.2}", 1e3 * decomposing, 1e3 * layering);
    }
    Ok(())
}

/// Times generating, layering and writing an R-MAT graph.
fn generated(arguments: &Arguments, folder: &std::path::Path) -> Result<()> {
    let scale = arguments.scale;
    println!("\nR-MAT, generated, layered and written (must at scale 20: 5 s on 2 cores)");
    let began = Instant::now();
    let list = rmat(scale, 16, 1)?;
    let made = began.elapsed().as_secs_f64();
    let graph = LayeredGraph::from_edge_list(list, &LayerOptions::default())?;
    let layered = began.elapsed().as_secs_f64();
    graph.write(folder.join("rmat.wolf"))?;
    let all = began.elapsed().as_secs_f64();
    println!(
        "scale {scale}: {} edges; {all:.2} s: generated {made:.2}, layered {:.2}, written {:.2}",
        graph.num_edges(),
        layered - made,
        all - layered
    );
    Ok(())
}

fn build(input: &Input, resources: &Resources) -> Result<LayeredGraph> {
    let list = load_with(&input.path, &input.options(), resources)?;
    Ok(LayeredGraph::from_edge_list_with(list, &LayerOptions::default(), resources)?)
}
