//! Compares the machine code of the macro's CUDA C with that of CUDA C written by hand. Both fill the same slot of the
//! same runtime, and must compile to the same instructions, so an edge function written in Rust costs nothing extra.
//! The kernel's section is compared byte by byte, which is stricter than comparing the output of `cuobjdump -sass`.
//!
//! Another test checks that a block's shared memory fits on the smallest device. The tests need NVRTC but no device.

use object::{Object, ObjectSection};
use wolfpath::cuda::{self, Configuration};
use wolfpath::edge_program;
use wolfpath::program::{DatumKind, EdgeProgram, Model};
use wolfpath::programs::{AccumulatingAdsorption, bfs, sssp, sssp_f32, widest};
use wolfpath::{RowUse, Schedule, Shape, Techniques};

/// Returns the text of a slot as written by an engineer who knows the runtime but not the macro.
fn by_hand(value: &str, weight: &str, edge: &str) -> String {
    format!(
        "namespace program {{
             typedef wp::{value} Value;
             typedef wp::{value} Message;
             typedef wp::{weight} Weight;
             typedef wp::Unit Aggregate;
             struct Params {{ wp::u8 unused; }};
             WP_FN wp::Option<Message> edge(const Params&, const wp::Edge<Value, Weight>& e, wp::Context&) {{
                 return {{true, {edge}}};
             }}
         }}\n"
    )
}

/// Returns the instructions of the kernel.
fn instructions(shape: &Shape, configuration: &Configuration) -> Vec<u8> {
    let cubin = cuda::compile(shape, configuration, 9, 0).expect(
        "this test needs NVRTC: install it with `cargo xtask nvrtc`, and set WOLFPATH_NVRTC to its path",
    );
    let file = object::File::parse(&*cubin.bytes).expect("a CUBIN is an ELF file");
    let kernel = file.section_by_name(".text.wolfpath_run").expect("the kernel has a section");
    kernel.data().expect("the section contains instructions").to_vec()
}

fn compare<P: EdgeProgram>(weighted: bool, slot: String) {
    let ours = Shape::of::<P>();
    // CUDA C written by hand does not check for overflow, and neither does a release build of the macro's.
    let release = |cuda: &'static str| Shape {
        model: Box::leak(Box::new(Model { cuda, checked: false, ..P::MODEL })),
        ..ours
    };
    let slot: &'static str = slot.leak();
    for schedule in [Schedule::Frontier, Schedule::Relax, Schedule::Bucket] {
        let configuration = Configuration {
            schedule,
            rows: RowUse { send_out: true, send_in: false, gather_out: false, gather_in: false },
            symmetric: true,
            weighted,
            narrow_weights: None,
            uniform: P::UNIFORM,
            wide_offsets: false,
            techniques: Techniques::NONE,
            packed: false,
            rows_on_host: false,
            overflows: false,
            first_ends: false,
            streamed: false,
            hot_bytes: 0,
            settles: false,
            bounded: false,
            several: false,
            delays: false,
        };
        let (macros, hands) = (
            instructions(&release(P::MODEL.cuda), &configuration),
            instructions(&release(slot), &configuration),
        );
        println!("{} {schedule:?}: {} bytes of instructions", P::MODEL.name, macros.len());
        assert!(
            macros == hands,
            "{} {schedule:?}: the macro's code has {} bytes, the code by hand {}",
            P::MODEL.name,
            macros.len(),
            hands.len()
        );
    }
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn the_macro_costs_no_instruction() {
    compare::<sssp>(true, by_hand("u32", "u32", "e.value + e.weight"));
    compare::<bfs>(false, by_hand("u32", "Unit", "e.value + 1"));
    compare::<sssp_f32>(true, by_hand("f32", "f32", "e.value + e.weight"));
    compare::<widest>(true, by_hand("u32", "u32", "e.weight < e.value ? e.weight : e.value"));
}

/// Adds the weight in a loop, 1 at a time. For a program with a loop, the kernel counts the iterations of each thread
/// in shared memory.
macro_rules! one_by_one {
    ($name:ident, $number:ident) => {
        #[edge_program(combine = min)]
        fn $name(length: $number, weight: u32) -> $number {
            let mut sum = length;
            let mut left = weight;
            while left > 0 {
                sum += 1;
                left -= 1;
            }
            sum
        }
    };
}

one_by_one!(one_by_one, u32);
one_by_one!(one_by_one_wide, u64);

/// Passes on portions one by one. Programs with loops need more shared memory.
#[edge_program(combine = sum, accumulates)]
fn in_portions(portion: u64, weight: u32) -> u64 {
    let mut sum = 0;
    for _ in 0..weight {
        sum += portion;
    }
    sum
}

/// Returns the number of bytes of shared memory per block.
fn shared_bytes(shape: &Shape, configuration: &Configuration) -> u64 {
    let cubin = cuda::compile(shape, configuration, 7, 5).expect(
        "this test needs NVRTC: install it with `cargo xtask nvrtc`, and set WOLFPATH_NVRTC to its path",
    );
    let file = object::File::parse(&*cubin.bytes).expect("a CUBIN is an ELF file");
    let declared =
        file.section_by_name(".nv.shared.wolfpath_run").expect("the kernel declares shared memory");
    declared.size() + u64::from(configuration.shared_bytes(shape))
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn a_block_fits_the_smallest_device() {
    // The limit of compute capability 7.5 is 64 KiB per block.
    const ROOM: u64 = 64 << 10;
    let counting = [(Shape::of::<counting::Counting>(), Schedule::Pull)];
    let relaxing =
        [Shape::of::<one_by_one>(), Shape::of::<one_by_one_wide>()].into_iter().flat_map(|shape| {
            [Schedule::Relax, Schedule::Bucket, Schedule::Sweep].map(|schedule| (shape, schedule))
        });
    let accumulating = [Shape::of::<in_portions>(), Shape::of::<AccumulatingAdsorption>()];
    let by_turns = accumulating.map(|shape| (shape, Schedule::Paths));
    for (shape, schedule) in relaxing.chain(counting).chain(by_turns) {
        let techniques = match schedule {
            Schedule::Pull => Techniques::NONE,
            Schedule::Paths => Techniques::NONE.shared_window(true),
            _ => Techniques::NONE.local_rounds(true).shared_window(true),
        };
        // If packed rows in host memory are copied, narrow weights are, too.
        for (wide_offsets, copies) in [(false, false), (true, false), (false, true), (true, true)] {
            if schedule == Schedule::Paths && !copies {
                // It needs less.
                continue;
            }
            // A sweep traverses the rows of one direction only.
            let both = schedule != Schedule::Sweep;
            let configuration = Configuration {
                schedule,
                rows: RowUse { send_out: true, send_in: both, gather_out: both, gather_in: true },
                symmetric: false,
                weighted: true,
                narrow_weights: copies.then_some(DatumKind::U8),
                uniform: false,
                wide_offsets,
                techniques,
                packed: copies,
                rows_on_host: copies,
                overflows: copies && matches!(schedule, Schedule::Relax | Schedule::Bucket | Schedule::Paths),
                first_ends: false,
                streamed: false,
                hot_bytes: 0,
                settles: false,
                bounded: false,
                several: false,
                delays: false,
            };
            let bytes = shared_bytes(&shape, &configuration);
            let (name, room) = (shape.model.name, ROOM);
            println!("{name} {schedule:?}, wide {wide_offsets}: {bytes} bytes of {room}");
            assert!(bytes <= room, "{name} {schedule:?}, wide {wide_offsets}: {bytes} bytes of {room}");
        }
    }
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn hot_messages_leave_room() {
    // Parameters have at most 1024 bytes.
    const ROOM: u64 = wolfpath_kernels::BESIDE_HOT as u64 - 1024;
    let shape = Shape::of::<ranking::Ranking>();
    for wide_offsets in [false, true] {
        let configuration = Configuration {
            schedule: Schedule::Pull,
            rows: RowUse { send_out: false, send_in: false, gather_out: false, gather_in: true },
            symmetric: false,
            weighted: true,
            narrow_weights: None,
            uniform: false,
            wide_offsets,
            techniques: Techniques::NONE,
            packed: false,
            rows_on_host: false,
            overflows: false,
            first_ends: false,
            streamed: false,
            hot_bytes: 32 << 10,
            settles: false,
            bounded: false,
            several: false,
            delays: false,
        };
        assert!(configuration.can_have_slots(&shape));
        let bytes = shared_bytes(&shape, &configuration) - u64::from(configuration.hot_bytes);
        println!("wide {wide_offsets}: {bytes} bytes of {ROOM}");
        assert!(bytes <= ROOM, "wide {wide_offsets}: {bytes} bytes of {ROOM}");
    }
}

/// Ranks, with several folds.
#[edge_program]
mod ranking {
    use wolfpath::prelude::*;

    pub(super) struct Ranking;

    impl EdgeProgram for Ranking {
        type Value = f64;
        type Message = f64;
        type Combine = Sum;
        type Aggregate = (Sum<f64>, Min<f64>, Max<f64>);
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> f64 {
            v.id as f64
        }
        fn edge(&self, e: Edge<f64>) -> f64 {
            e.value / e.out_degree as f64
        }
        fn aggregate(&self, v: Vertex<f64>) -> (f64, f64, f64) {
            (v.value, v.value, v.value)
        }
        fn apply(&self, v: Vertex<f64>, sum: f64) -> f64 {
            sum + v.value
        }
    }
}

/// The most frequent label, with a loop and several folds: no other program needs more shared memory.
#[edge_program]
mod counting {
    use wolfpath::prelude::*;

    pub(super) struct Counting;

    impl EdgeProgram for Counting {
        type Value = u64;
        type Message = u64;
        type Combine = MostFrequent<u64>;
        type Aggregate = (Sum<f64>, Min<u64>, Max<u64>);
        const SENDERS: Senders = Senders::All;
        const ALONG: Along = Along::Both;

        fn start(&self, v: Vertex) -> u64 {
            v.id
        }
        fn edge(&self, e: Edge<u64>) -> u64 {
            let mut label = e.value;
            while label > 0 && label & 1 == 0 {
                label /= 2;
            }
            label
        }
        fn aggregate(&self, v: Vertex<u64>) -> (f64, u64, u64) {
            (1.0, v.value, v.value)
        }
        fn apply(&self, v: Vertex<u64>, label: Option<u64>) -> u64 {
            label.unwrap_or(v.value)
        }
    }
}
