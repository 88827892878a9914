//! The graphs that are timed. They are stored as plain text, which every program can read.

use super::{Arguments, Result};
use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use wolfpath_io::load::LoadOptions;

/// A graph, and the times of other programs for it.
pub(crate) struct Input {
    pub(crate) name: &'static str,
    /// Path of the plain text.
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) undirected: bool,
    pub(crate) weighted: bool,
    /// Time that GAP's `converter` takes, in seconds; used if the program is not available. 0 if the graph is not compared
    /// with it.
    pub(crate) converter: f64,
    /// Time that neo4j-labs `graph` (version 0.3, sorted CSR) takes, in seconds; used if the program is not available.
    /// 0 if the graph is not compared with it.
    pub(crate) csr: f64,
}

/// For each graph: its name, its compressed file, `true` if each line is an edge in both directions, and the times of
/// GAP's `converter` and of neo4j-labs `graph` in seconds, measured on 2 cores on 2026-11-20.
const GRAPHS: [(&str, &str, bool, f64, f64); 7] = [
    ("USA-road-NE", "USA-road-NE.tw.gr.xz", true, 0.29, 0.14),
    ("USA-road-FLA", "USA-road-FLA.tw.gr.xz", true, 0.21, 0.0),
    ("cnr-2000", "cnr-2000.el.zst", false, 0.41, 0.17),
    ("ego-Twitter", "ego-Twitter.el.zst", true, 0.20, 0.0),
    ("osm-moscow", "osm-moscow.wel.zst", true, 0.09, 0.0),
    ("osm-delhi", "osm-delhi.wel.zst", true, 0.055, 0.0),
    ("uk-2007", "uk-2007-05@100000.el.zst", false, 0.0, 0.0),
];

impl Input {
    pub(crate) fn options(&self) -> LoadOptions {
        LoadOptions::new().undirected(self.undirected)
    }
}

/// Returns the folder of texts and results.
pub(crate) fn folder() -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    let folder = target.join("preprocessing");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Returns the requested graphs, decompressed.
pub(crate) fn inputs(folder: &Path, arguments: &Arguments) -> Result<Vec<Input>> {
    let data = std::env::var_os("WOLFPATH_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"), PathBuf::from);
    let mut inputs = Vec::new();
    for (name, file, undirected, converter, csr) in GRAPHS {
        if arguments.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let packed = data.join(file);
        if !packed.exists() {
            println!("{name}: no {}; name the folder of the graphs in WOLFPATH_DATA", packed.display());
            continue;
        }
        let weighted = file.contains(".wel");
        let path = folder.join(format!("{name}.{}", if weighted { "wel" } else { "el" }));
        if !path.exists() {
            unpack(&packed, &path)?;
        }
        let bytes = fs::metadata(&path)?.len();
        inputs.push(Input { name, path, bytes, undirected, weighted, converter, csr });
    }
    Ok(inputs)
}

/// Decompresses a file and writes only its lines of edges, since GAP cannot read `.gr` without weights.
fn unpack(packed: &Path, path: &Path) -> Result<()> {
    let file = BufReader::new(fs::File::open(packed)?);
    let text: Box<dyn Read> = if packed.extension().is_some_and(|ending| ending == "xz") {
        Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(file))
    } else {
        Box::new(zstd::Decoder::with_buffer(file)?)
    };
    let unfinished = path.with_extension("unfinished");
    let mut to = BufWriter::new(fs::File::create(&unfinished)?);
    let mut lines = BufReader::with_capacity(1 << 20, text);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        if line.first().is_some_and(u8::is_ascii_digit) {
            to.write_all(&line)?;
        }
        line.clear();
    }
    to.flush()?;
    Ok(fs::rename(unfinished, path)?)
}
