//! Compares the macro's CUDA C with hand-written CUDA C. Both slots, in the same runtime, must compile to the same
//! machine code, so that writing an edge function in Rust costs nothing at run time. The test needs NVRTC, but no
//! device. It compares the section of the kernel byte by byte, which is stricter than comparing the output of
//! `cuobjdump -sass`. It also checks that a block uses no more shared memory than the smallest supported device has.

use object::{Object, ObjectSection};
use wolfpath::cuda::{self, Configuration};
use wolfpath::edge_program;
use wolfpath::program::{EdgeProgram, Model};
use wolfpath::programs::{bfs, sssp, sssp_f32, widest};
use wolfpath::{RowUse, Schedule, Shape, Techniques};

/// Returns a slot as a programmer would write it by hand.
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
    let cubin = cuda::compile(shape, configuration, 9, 0)
        .expect("this test needs NVRTC: `cargo xtask nvrtc` installs it, WOLFPATH_NVRTC names it");
    let file = object::File::parse(&*cubin.bytes).expect("a CUBIN is an ELF file");
    let kernel = file.section_by_name(".text.wolfpath_run").expect("the kernel has a section");
    kernel.data().expect("the section has data").to_vec()
}

fn compare<P: EdgeProgram>(weighted: bool, slot: String) {
    let ours = Shape::of::<P>();
    // Hand-written CUDA C does not check for overflow. So the macro's text is compiled as in a release build, without
    // these checks.
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
            uniform: P::UNIFORM,
            wide_offsets: false,
            techniques: Techniques::NONE,
        };
        let (macros, hands) = (
            instructions(&release(P::MODEL.cuda), &configuration),
            instructions(&release(slot), &configuration),
        );
        println!("{} {schedule:?}: {} bytes of instructions", P::MODEL.name, macros.len());
        assert!(
            macros == hands,
            "{} {schedule:?}: {} bytes from the macro, {} bytes by hand",
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

/// Adds the weight one by one. A program with a loop stores a counter per thread in shared memory.
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

/// Returns the bytes of shared memory that a block uses.
fn shared_bytes(shape: &Shape, configuration: &Configuration) -> u64 {
    let cubin = cuda::compile(shape, configuration, 7, 5)
        .expect("this test needs NVRTC: `cargo xtask nvrtc` installs it, WOLFPATH_NVRTC names it");
    let file = object::File::parse(&*cubin.bytes).expect("a CUBIN is an ELF file");
    let declared = file.section_by_name(".nv.shared.wolfpath_run").expect("the kernel shares memory");
    declared.size() + u64::from(configuration.shared_bytes(shape))
}

#[test]
#[ignore = "needs NVRTC: -- --ignored"]
fn a_block_fits_the_smallest_device() {
    // Compute capability 7.5: 64 KB per block.
    const ROOM: u64 = 64 << 10;
    for shape in [Shape::of::<one_by_one>(), Shape::of::<one_by_one_wide>()] {
        for schedule in [Schedule::Relax, Schedule::Bucket, Schedule::Sweep] {
            for wide_offsets in [false, true] {
                // A sweep uses the rows of one direction only.
                let both = schedule != Schedule::Sweep;
                let configuration = Configuration {
                    schedule,
                    rows: RowUse { send_out: true, send_in: both, gather_out: both, gather_in: true },
                    symmetric: false,
                    weighted: true,
                    uniform: false,
                    wide_offsets,
                    techniques: Techniques::NONE.local_rounds(true).shared_window(true),
                };
                let bytes = shared_bytes(&shape, &configuration);
                let (name, room) = (shape.model.name, ROOM);
                println!("{name} {schedule:?}, wide {wide_offsets}: {bytes} bytes of {room}");
                assert!(bytes <= room, "{name} {schedule:?}, wide {wide_offsets}: {bytes} bytes of {room}");
            }
        }
    }
}
