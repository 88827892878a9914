//! Times every line with its rows packed, with its rows in host memory, which kernels read in place, and with its rows
//! streamed. The graphs are in memory, from which they are streamed as from a file in the page cache.

use serde_json::json;
use wolfpath::Home;

use super::line::{merge, timing_json};
use super::rates::LINK_BYTES_A_SECOND;
use super::schedules::FEW;
use super::table::answer;
use super::timer::{Ran, Task, Timer};
use super::{Program, Result, Table};

/// Homes of the rows, each with `true` for packed rows.
const WAYS: [(Home, bool); 5] = [
    (Home::Device, false),
    (Home::Device, true),
    (Home::Host, true),
    (Home::Host, false),
    (Home::File, false),
];

/// Largest number of layers of a graph whose rows are streamed. A step takes as long as an exchange with the host, so that
/// a path of a million vertices would take a minute per run.
const MOST_LAYERS: u32 = 20_000;

/// Times a line with its rows in every home.
pub(crate) fn in_all(
    timer: &Timer<'_>,
    program: Program,
    repeat: usize,
    table: &mut Table<'_>,
) -> Result<()> {
    let graph = timer.prepared.of.name();
    let mut resident = None;
    let is_thin = timer.prepared.graph.num_layers() > MOST_LAYERS;
    for (home, packed) in WAYS.into_iter().filter(|&(home, _)| home != Home::File || !is_thin) {
        let options = program.options().rows(home).packed_rows(packed);
        let ran = timer.run(&Task { program, options, repeat: repeat.min(FEW) })?;
        let form = if packed { "packed" } else { "plain" };
        let mut object = json!({
            "kind": "rows", "graph": graph, "program": program.name(), "home": home.name(), "packed": packed,
        });
        let head = format!("{graph:<12} {:<24} {form:<6} {:<6}", program.name(), home.name());
        let timing = match ran {
            Ran::Timed(timing) => timing,
            Ran::Refused(reason) | Ran::Stopped(reason) => {
                merge(&mut object, json!({"stopped": reason}));
                table.say(&object, &format!("{head} {reason}"))?;
                continue;
            }
        };
        table.count(&timing);
        let times = timing.median() / *resident.get_or_insert(timing.median());
        // What was streamed has crossed the link; arrays in host memory do once per pass.
        let bytes = if home == Home::File { timing.streamed_bytes } else { timing.host_bytes };
        let pass_ms = 1e3 * bytes as f64 / LINK_BYTES_A_SECOND;
        merge(&mut object, timing_json(&timing));
        merge(&mut object, json!({"times_resident": times, "host_bytes": bytes, "pass_ms": pass_ms}));
        let words = format!(
            "{head} {:>10.3} ms {times:>7.2} x {:>7} steps {:>12} edges {:>12} bytes over the link in {pass_ms:>7.2} ms  {}",
            timing.median(),
            timing.steps,
            timing.edges,
            bytes,
            answer(&timing)
        );
        table.say(&object, &words)?;
    }
    Ok(())
}
