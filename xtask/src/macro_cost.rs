//! Measures how much `#[edge_program]` adds to the build time of a crate. Two packages under target/ contain the same
//! twenty programs, one package with the attribute and one without. They are built alternately.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::workspace::failed;
use crate::{Result, workspace};

/// Number of programs in the crate.
const PROGRAMS: usize = 20;

/// Builds both crates alternately, `repeat` times each, and prints the medians of the times.
pub(crate) fn measure(repeat: usize) -> Result<()> {
    let root = workspace::root();
    let folder = root.join("target").join("macro-cost");
    for (name, with_macro) in [("plain", false), ("programs", true)] {
        write_package(&root, &folder.join(name), name, with_macro)?;
        // The first build includes the dependencies, so it is not timed.
        build(&folder, name)?;
    }
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..repeat.max(1) {
        for (name, times) in ["plain", "programs"].into_iter().zip(&mut times) {
            touch(&folder.join(name))?;
            times.push(build(&folder, name)?);
        }
    }
    let [plain, programs] = times.map(median);
    let added = programs.saturating_sub(plain);
    println!("{PROGRAMS} programs, medians of {repeat} alternating builds (debug profile)");
    println!("without the attribute {:.3} s", plain.as_secs_f64());
    println!("with it               {:.3} s", programs.as_secs_f64());
    println!("added                 {:.3} s", added.as_secs_f64());
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn write_package(root: &Path, folder: &Path, name: &str, with_macro: bool) -> Result<()> {
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nwolfpath = {{ path = {:?} }}\n",
        root.display().to_string()
    );
    let sources = folder.join("src");
    std::fs::create_dir_all(&sources).map_err(failed("make", &sources))?;
    for (file, text) in [("Cargo.toml", manifest), ("src/lib.rs", library(with_macro))] {
        let path = folder.join(file);
        std::fs::write(&path, text).map_err(failed("write", &path))?;
    }
    // With the project's lock file, cargo does not have to resolve versions.
    let lock = folder.join("Cargo.lock");
    if !lock.exists() {
        std::fs::copy(root.join("Cargo.lock"), &lock).map_err(failed("write", &lock))?;
    }
    Ok(())
}

/// Returns the source of the crate, with or without the attribute. Its programs alternate between a function and a
/// module the size of PageRank.
fn library(with_macro: bool) -> String {
    let mut text = String::from(
        "//! Written by `cargo xtask macro-cost`.\n#![allow(dead_code, unused_imports)]\n\nuse wolfpath::prelude::*;\n",
    );
    for index in 0..PROGRAMS {
        let attribute = |arguments: &str| {
            if with_macro { format!("#[edge_program{arguments}]\n") } else { String::new() }
        };
        text += &if index % 2 == 0 {
            format!(
                "\n{}pub fn program_{index}(distance: u32, weight: u32) -> Option<u32> {{\n    if weight > {index} \
                 {{ Some(distance + weight) }} else {{ None }}\n}}\n",
                attribute("(combine = min)")
            )
        } else {
            format!("\n{}{}", attribute(""), module(index, with_macro))
        };
    }
    text
}

fn module(index: usize, with_macro: bool) -> String {
    let head = if with_macro {
        "impl EdgeProgram for Rank {\n        type Value = f32;\n        type Message = f32;\n        type Combine = Sum;\n        \
         type Aggregate = Sum<f64>;\n        const SENDERS: Senders = Senders::All;\n"
    } else {
        "impl Rank {\n"
    };
    let (vertex, aggregate) =
        if with_macro { ("Vertex<f32>", "Vertex") } else { ("Vertex<f32, f64>", "Vertex<(), f64>") };
    format!(
        "pub mod program_{index} {{
    use wolfpath::prelude::*;

    pub struct Rank {{
        pub damping: f32,
        pub tolerance: f32,
    }}

    {head}
        fn start(&self, v: {aggregate}) -> f32 {{
            1.0 / v.vertices as f32
        }}
        fn edge(&self, e: Edge<f32>) -> f32 {{
            e.value / e.out_degree as f32
        }}
        fn aggregate(&self, v: {vertex}) -> f64 {{
            if v.out_degree == 0 {{ v.value as f64 }} else {{ 0.0 }}
        }}
        fn apply(&self, v: {vertex}, incoming: f32) -> f32 {{
            let n = v.vertices as f32;
            (1.0 - self.damping) / n + self.damping * (incoming + v.aggregate as f32 / n)
        }}
        fn changed(&self, before: f32, after: f32) -> bool {{
            (after - before).abs() > self.tolerance * after
        }}
    }}
}}\n"
    )
}

/// Modifies the crate's source, so that cargo rebuilds the crate without its dependencies.
fn touch(folder: &Path) -> Result<()> {
    let path = folder.join("src/lib.rs");
    let text = std::fs::read_to_string(&path).map_err(failed("read", &path))?;
    std::fs::write(&path, text).map_err(failed("write", &path))
}

fn build(folder: &Path, name: &str) -> Result<Duration> {
    let manifest = folder.join(name).join("Cargo.toml");
    let began = Instant::now();
    let status = workspace::cargo()
        .args(["build", "--offline", "--quiet", "--manifest-path"])
        .arg(&manifest)
        .arg("--target-dir")
        .arg(folder.join("target"))
        // A build from scratch is measured, so no incremental state may be reused.
        .env("CARGO_INCREMENTAL", "0")
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() { Ok(began.elapsed()) } else { Err(format!("{} does not build", manifest.display())) }
}
