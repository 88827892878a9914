//! The CUDA C kernels of wolfpath's runtime, exported as strings. `README.md` in this crate describes the order of the
//! headers, and the slot: the position in the text that a program's generated code fills.

/// Name of the kernel that measures a device.
pub const CALIBRATION_ENTRY: &str = "wolfpath_calibrate";

/// Name of the kernel that counts what the ends of edges have in common.
pub const COMMON_ENTRY: &str = "wolfpath_common";

/// Name of the kernel that copies values of an outcome to an input.
pub const TAKE_ENTRY: &str = "wolfpath_take";

/// Name of the kernel that collects the values of several devices, in the same unit.
pub const COLLECT_ENTRY: &str = "wolfpath_collect";

/// Name of the kernel that measures the barrier of several devices.
pub const MEETING_ENTRY: &str = "wolfpath_meet";

/// Maximum number of binary digits in a step's number (`bits.cuh`).
pub const MOST_DIGITS: usize = 32;

/// Threads per block, as in `tuning.cuh`.
pub const BLOCK_THREADS: u32 = 1024;

/// Largest number of items of a vertex that is not a hub, as in `tuning.cuh`.
const HUB_ITEMS: u64 = 2048;

/// Returns the maximum number of edges of one work item, as in `tuning.cuh`. It is larger for kernels that gather than
/// for kernels that send.
pub const fn segment_edges(gathers: bool) -> u64 {
    if gathers { 256 } else { 32 }
}

/// Minimum capacity for hubs (vertices with more than `HUB_ITEMS` items) on any graph. A small graph needs less, but
/// the tests use hubs with a smaller `HUB_ITEMS`.
const LEAST_HUB_ROOM: u64 = 256;

/// Returns the maximum number of hubs in a frontier of a graph with `edges` edges. Each edge is in two rows, and a
/// row's last item need not be full.
pub const fn hub_room(edges: u64, gathers: bool) -> u64 {
    let hubs = 2 * edges / ((HUB_ITEMS - 1) * segment_edges(gathers)) + 1;
    if hubs < LEAST_HUB_ROOM { LEAST_HUB_ROOM } else { hubs }
}

/// Returns the number of edges that a warp can hold in shared memory, as in `tuning.cuh`. `wide_offsets` is true if
/// edges are counted in more than 32 bits.
pub const fn hop_room(value_bytes: usize, wide_offsets: bool) -> u32 {
    if value_bytes <= 4 && !wide_offsets { 64 } else { 32 }
}

/// Longest row whose edges each warp keeps in shared memory, as in `tuning.cuh`.
const LANE_ROW: u32 = 8;

/// Returns the largest number of items per warp in a thin frontier, as in `tuning.cuh`. A larger frontier takes its step
/// without local rounds.
pub const fn thin_items(value_bytes: usize, wide_offsets: bool) -> u32 {
    hop_room(value_bytes, wide_offsets) / LANE_ROW
}

/// Maximum number of rounds that a warp does alone before it waits for the device, as in `tuning.cuh`.
pub const LOCAL_ROUNDS: u32 = 10;

/// Number of times that a warp relaxes the edges it keeps in the first step of a group, as in `tuning.cuh`, in sweeps
/// with local rounds.
pub const FIRST_ROUNDS: u32 = 4;

/// Bytes of shared memory per warp to which packed rows are copied from host memory, as in `tuning.cuh`.
pub const COPIED_ROWS: u32 = 1536;

/// Bytes of shared memory per warp to which ends and weights are copied before vertices send along their edges: the sum of
/// `COPIED_ENDS` and `COPIED_WEIGHTS` in `tuning.cuh`.
pub const COPIED_EDGES: u32 = 704 + 320;

/// Longest row that one lane gathers, as in `tuning.cuh`.
pub const LONG_ITEM: u32 = 32;

/// Number of classes of degrees per octave, as in `tuning.cuh`.
pub const EACH_DEGREE: u32 = 32;

/// Number of classes of degrees, as in `tuning.cuh`.
pub const DEGREE_CLASSES: u32 = 1920;

/// Largest number of bytes of shared memory per block for the first messages by slot, as in `tuning.cuh`.
pub const HOT_BYTES: u32 = 168 << 10;

/// Bytes of shared memory that a block needs at most besides these messages, with the largest parameters of a program.
pub const BESIDE_HOT: u32 = 27 << 10;

/// Bytes of shared memory per thread in which messages are counted, as in `tuning.cuh`.
pub const COUNTING_BYTES: u32 = 32;

/// Number of sums that a block keeps in shared memory for the vertices to which most edges lead, as in `tuning.cuh`.
const PROXY_SUMS: usize = 512;

/// Returns the number of vertices for which a block keeps sums of this number of words, from 1 to 16, as in `tuning.cuh`.
pub const fn proxy_slots(portion_words: usize) -> usize {
    PROXY_SUMS / portion_words
}

/// Largest number of blocks of a launch, as in `tuning.cuh`.
pub const MOST_BLOCKS: u32 = 511;

/// Expected share of unvisited edges that a step visits if it pulls: one in this number, as in `tuning.cuh`.
pub const PULL_SHARE: u64 = 8;

/// Cost of changing the direction, in edges, as in `tuning.cuh`.
pub const TURN_EDGES: u64 = 1_000_000;

/// Number of rounds whose chunks are in the ring at a time, as in `tuning.cuh`.
pub const ROUNDS: usize = 6;

/// Number of vertices whose values a warp folds together (`FOLD_VERTICES` in tuning.cuh).
pub const FOLD_VERTICES: u64 = 256;

/// Names and texts of the headers before the slot, in order.
const BEFORE_SLOT: [(&str, &str); 6] = [
    ("types.cuh", include_str!("../include/types.cuh")),
    ("rust.cuh", include_str!("../include/rust.cuh")),
    ("integer.cuh", include_str!("../include/integer.cuh")),
    ("float.cuh", include_str!("../include/float.cuh")),
    ("language.cuh", include_str!("../include/language.cuh")),
    ("random.cuh", include_str!("../include/random.cuh")),
];

/// Names and texts of the headers after the slot, in order.
const BEHIND_SLOT: [(&str, &str); 48] = [
    ("tuning.cuh", include_str!("../include/tuning.cuh")),
    ("run.cuh", include_str!("../include/run.cuh")),
    ("layout.cuh", include_str!("../include/layout.cuh")),
    ("warp.cuh", include_str!("../include/warp.cuh")),
    ("machine.cuh", include_str!("../include/machine.cuh")),
    ("delays.cuh", include_str!("../include/delays.cuh")),
    ("peers.cuh", include_str!("../include/peers.cuh")),
    ("grid.cuh", include_str!("../include/grid.cuh")),
    ("gate.cuh", include_str!("../include/gate.cuh")),
    ("values.cuh", include_str!("../include/values.cuh")),
    ("chunks.cuh", include_str!("../include/chunks.cuh")),
    ("copy.cuh", include_str!("../include/copy.cuh")),
    ("view.cuh", include_str!("../include/view.cuh")),
    ("rows.cuh", include_str!("../include/rows.cuh")),
    ("ends.cuh", include_str!("../include/ends.cuh")),
    ("rounds.cuh", include_str!("../include/rounds.cuh")),
    ("stage.cuh", include_str!("../include/stage.cuh")),
    ("frontier.cuh", include_str!("../include/frontier.cuh")),
    ("mail.cuh", include_str!("../include/mail.cuh")),
    ("overflow.cuh", include_str!("../include/overflow.cuh")),
    ("hubs.cuh", include_str!("../include/hubs.cuh")),
    ("queue.cuh", include_str!("../include/queue.cuh")),
    ("send.cuh", include_str!("../include/send.cuh")),
    ("lend.cuh", include_str!("../include/lend.cuh")),
    ("listen.cuh", include_str!("../include/listen.cuh")),
    ("step.cuh", include_str!("../include/step.cuh")),
    ("waits.cuh", include_str!("../include/waits.cuh")),
    ("vertex.cuh", include_str!("../include/vertex.cuh")),
    ("groups.cuh", include_str!("../include/groups.cuh")),
    ("amounts.cuh", include_str!("../include/amounts.cuh")),
    ("slots.cuh", include_str!("../include/slots.cuh")),
    ("start.cuh", include_str!("../include/start.cuh")),
    ("relax.cuh", include_str!("../include/relax.cuh")),
    ("local.cuh", include_str!("../include/local.cuh")),
    ("bucket.cuh", include_str!("../include/bucket.cuh")),
    ("direction.cuh", include_str!("../include/direction.cuh")),
    ("inplace.cuh", include_str!("../include/inplace.cuh")),
    ("sweep.cuh", include_str!("../include/sweep.cuh")),
    ("order.cuh", include_str!("../include/order.cuh")),
    ("finish.cuh", include_str!("../include/finish.cuh")),
    ("push.cuh", include_str!("../include/push.cuh")),
    ("messages.cuh", include_str!("../include/messages.cuh")),
    ("columns.cuh", include_str!("../include/columns.cuh")),
    ("pull.cuh", include_str!("../include/pull.cuh")),
    ("frequent.cuh", include_str!("../include/frequent.cuh")),
    ("union.cuh", include_str!("../include/union.cuh")),
    ("walk.cuh", include_str!("../include/walk.cuh")),
    ("launch.cuh", include_str!("../include/launch.cuh")),
];

/// Kernel of a program. A translation unit contains exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Kernel of one run.
    Run,
    /// Kernel of many runs, one bit per run.
    Bits,
    /// Kernel of several runs whose values are adjacent at each vertex.
    Abreast,
}

impl Kernel {
    /// Returns the kernel's name.
    pub const fn entry(self) -> &'static str {
        match self {
            Kernel::Run => "wolfpath_run",
            Kernel::Bits => "wolfpath_bits",
            Kernel::Abreast => "wolfpath_abreast",
        }
    }

    /// Returns the name and text of the last header, which contains the kernel.
    const fn header(self) -> (&'static str, &'static str) {
        match self {
            Kernel::Run => ("kernel.cuh", include_str!("../include/kernel.cuh")),
            Kernel::Bits => ("bits.cuh", include_str!("../include/bits.cuh")),
            Kernel::Abreast => ("abreast.cuh", include_str!("../include/abreast.cuh")),
        }
    }
}

/// Pragmas that disable some of the CUDA compiler's warnings about the slot: about unreachable statements and loops,
/// and about names that are never used or only set. rustc has already given these warnings where they matter.
const SLOT_DIAGNOSTICS: &str = "#pragma nv_diagnostic push\n#pragma nv_diag_suppress 111, 128, 177, 550\n";

/// Returns the text that must precede a program's text: numbers, `Option`, `Edge`, `Vertex`, `Context`, Rust's
/// semantics of arithmetic, and `random`. Host compilers also accept it if `WP_FN` is defined beforehand.
pub fn language() -> String {
    BEFORE_SLOT.iter().map(|(name, text)| header(name, text)).collect()
}

/// Returns a header's text with a `#line` marker, so that the compiler's messages name the header.
fn header(name: &str, text: &str) -> String {
    format!("#line 1 \"{name}\"\n{}", text.replace("#pragma once\n", "\n"))
}

/// Assembles one translation unit: the configuration's `#define`s, the headers and the slot. `#line` markers make the
/// compiler's messages name the header; the slot contains its own markers.
pub fn translation_unit(kernel: Kernel, configuration: &str, slot: &str) -> String {
    let slot = format!("{SLOT_DIAGNOSTICS}{}\n#pragma nv_diagnostic pop\n", header("slot.cuh", slot));
    let mut unit = configuration.to_owned() + &language() + &slot;
    BEHIND_SLOT.iter().chain([&kernel.header()]).for_each(|(name, text)| unit.push_str(&header(name, text)));
    unit
}

/// Assembles the translation unit that measures a device. Its kernel does not depend on any program.
pub fn calibration_unit() -> String {
    let configuration =
        format!("#define WP_HAS_LOOPS 0\n#define WP_SEVERAL 0\n#define WP_BLOCK_THREADS {BLOCK_THREADS}\n");
    let own = ("calibrate.cuh", include_str!("../include/calibrate.cuh"));
    configuration + &headers_behind_slot(&["machine.cuh", "delays.cuh", "grid.cuh"], own)
}

/// Assembles the translation unit that measures the barrier of several devices. Its kernel does not depend on any program.
pub fn meeting_unit() -> String {
    let configuration = format!(
        "#define WP_HAS_LOOPS 0\n#define WP_SEVERAL 1\n#define WP_STREAMED 0\n#define WP_WIDE_OFFSETS 0\n\
         #define WP_BLOCK_THREADS {BLOCK_THREADS}\n\
         namespace program {{ struct Params {{}}; }}\n"
    );
    let own = ("meet.cuh", include_str!("../include/meet.cuh"));
    configuration
        + &headers_behind_slot(&["machine.cuh", "delays.cuh", "run.cuh", "peers.cuh", "grid.cuh"], own)
}

/// Returns the types, then those headers from behind the slot that are named, and `own`.
fn headers_behind_slot(names: &[&str], own: (&str, &str)) -> String {
    let (types, text) = BEFORE_SLOT[0];
    let headers = BEHIND_SLOT.iter().filter(|(name, _)| names.contains(name)).chain([&own]);
    let headers: String = headers.map(|(name, text)| header(name, text)).collect();
    header(types, text) + &headers
}

/// Assembles the translation unit that counts what the ends of edges have in common. Its kernel does not depend on any
/// program. `wide_offsets` is true if edges are counted in more than 32 bits.
pub fn common_unit(wide_offsets: bool) -> String {
    let (types, text) = BEFORE_SLOT[0];
    let wide = u32::from(wide_offsets);
    format!(
        "#define WP_HAS_LOOPS 0\n#define WP_BLOCK_THREADS {BLOCK_THREADS}\n#define WP_WIDE_OFFSETS {wide}\n{}{}",
        header(types, text),
        header("common.cuh", include_str!("../include/common.cuh"))
    )
}

/// Assembles the translation unit that copies values of an outcome to an input. It does not depend on any program.
pub fn take_unit() -> String {
    let (types, text) = BEFORE_SLOT[0];
    let own = header("take.cuh", include_str!("../include/take.cuh"));
    let configuration = format!("#define WP_HAS_LOOPS 0\n#define WP_BLOCK_THREADS {BLOCK_THREADS}\n");
    configuration + &header(types, text) + &own
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the value of a `constexpr` in `tuning.cuh`.
    fn tuning(name: &str) -> u64 {
        let (_, text) = BEHIND_SLOT[0];
        let line =
            text.lines().find(|line| line.contains(&format!(" {name} = "))).expect("the constant exists");
        let number = line.split('=').nth(1).expect("the line contains a value");
        number.trim().trim_end_matches(';').parse().expect("the value is a number")
    }

    #[test]
    fn host_and_device_are_tuned_alike() {
        assert_eq!(tuning("BLOCK_THREADS"), u64::from(BLOCK_THREADS));
        assert_eq!(tuning("HUB_ITEMS"), HUB_ITEMS);
        assert_eq!(tuning("LANE_ROW"), u64::from(LANE_ROW));
        assert_eq!(tuning("LOCAL_ROUNDS"), u64::from(LOCAL_ROUNDS));
        assert_eq!(tuning("COPIED_ROWS"), u64::from(COPIED_ROWS));
        assert_eq!(tuning("COPIED_ENDS") + tuning("COPIED_WEIGHTS"), u64::from(COPIED_EDGES));
        assert_eq!(tuning("LONG_ITEM"), u64::from(LONG_ITEM));
        assert_eq!(tuning("EACH_DEGREE"), u64::from(EACH_DEGREE));
        assert_eq!(tuning("DEGREE_CLASSES"), u64::from(DEGREE_CLASSES));
        assert_eq!(tuning("HOT_BYTES"), u64::from(HOT_BYTES));
        assert_eq!(tuning("COUNTING_BYTES"), u64::from(COUNTING_BYTES));
        assert_eq!(tuning("PROXY_SUMS"), PROXY_SUMS as u64);
        assert_eq!(tuning("PULL_SHARE"), PULL_SHARE);
        assert_eq!(tuning("TURN_EDGES"), TURN_EDGES);
        assert_eq!(tuning("FOLD_VERTICES"), FOLD_VERTICES);
        assert_eq!(tuning("ROUNDS"), ROUNDS as u64);
        let (_, text) = BEHIND_SLOT[0];
        let segments = format!("WP_PULL ? {} : {};", segment_edges(true), segment_edges(false));
        assert!(text.contains(&segments), "{segments}");
        let hops = format!(
            "WP_SIZE_VALUE <= 4 && !WP_WIDE_OFFSETS ? {} : {};",
            hop_room(4, false),
            hop_room(4, true)
        );
        assert!(text.contains(&hops) && hop_room(8, false) == hop_room(4, true), "{hops}");
        assert!(text.contains("THIN_ITEMS = HOP_ROOM / LANE_ROW;"));
        let rounds = format!("FIRST_ROUNDS = WP_LOCAL_ROUNDS ? {FIRST_ROUNDS} : 1;");
        assert!(text.contains(&rounds), "{rounds}");
    }

    #[test]
    fn the_calibration_stands_on_three_headers() {
        let unit = calibration_unit();
        let at = |text: &str| unit.find(text).expect("the unit contains the text");
        assert!(
            at("typedef unsigned int u32") < at("u64 load_acquire(")
                && at("u64 load_acquire(") < at("grid_barrier(")
                && at("grid_barrier(") < at(CALIBRATION_ENTRY)
        );
    }

    #[test]
    fn the_slot_stands_between_the_headers() {
        for kernel in [Kernel::Run, Kernel::Bits, Kernel::Abreast] {
            let unit = translation_unit(kernel, "#define WP_CHECKED 1\n", "namespace program {}\n");
            slot_stands_between_the_headers(&unit, kernel);
        }
    }

    fn slot_stands_between_the_headers(unit: &str, kernel: Kernel) {
        let at = |text: &str| unit.find(text).expect("the unit contains the text");
        assert_eq!(unit.matches("__global__").count(), 1);
        assert!(at("WP_CHECKED 1") < at("struct Option") && at("struct Option") < at("namespace program {}"));
        assert!(
            at("namespace program {}") < at("struct Control") && at("struct Control") < at(kernel.entry())
        );
    }
}
