//! Floors, compared with numbers computed by hand.

use wolfpath::graph::LayeredGraph;

use crate::suite::Program;
use crate::suite::floor::{Floor, Work, jumps};
use crate::suite::rates::{BARRIER, BYTES_A_SECOND, random_reads};

const MIB: f64 = (1 << 20) as f64;

fn near(ours: f64, right: f64) -> bool {
    (ours - right).abs() <= 1e-9 * right.abs()
}

#[test]
fn rates_between_what_was_measured() {
    assert!(near(random_reads(16.0 * MIB), 159e9) && near(random_reads(256.0 * MIB), 45e9));
    // Halfway between 16 and 256 on a logarithmic scale.
    assert!(near(random_reads(64.0 * MIB), 102e9));
    // Sizes outside the measured range.
    assert!(near(random_reads(0.0), 159e9) && near(random_reads(9e9), 45e9));
    let rates: Vec<f64> = (0..40).map(|n| random_reads(MIB * 1.3f64.powi(n))).collect();
    assert!(rates.is_sorted_by(|a, b| a >= b));
}

#[test]
fn a_push_over_an_rmat_graph() {
    let work =
        Work { vertices: 1 << 22, reached: 2_400_000, edges: 128_000_000, steps: 6, jumps: 0.9, kept: 0.0 };
    let floor = work.floor(Program::Bfs.footprint());
    // One bit per vertex, offsets and a value for each reached vertex, and the ends of all edges.
    let bytes = f64::from((1 << 19) + 2_400_000 * 12 + 512_000_000);
    assert!(near(floor.bytes, bytes / BYTES_A_SECOND * 1e3));
    assert!(near(floor.random, 0.9 * 128e6 / 159e9 * 1e3));
    assert!(near(floor.barriers, 6.0 * BARRIER * 1e3));
    assert!(near(floor.total(), floor.random + floor.barriers));
    assert_eq!(floor.dominant(), "random reads");
}

#[test]
fn weights_and_values_count() {
    let work = Work { vertices: 1 << 22, reached: 100, edges: 1_000, steps: 1, jumps: 1.0, kept: 0.0 };
    let (bfs, sssp) = (work.floor(Program::Bfs.footprint()), work.floor(Program::Sssp.footprint()));
    assert!(near(sssp.bytes - bfs.bytes, 4_000.0 / BYTES_A_SECOND * 1e3));
    // 16 MB of distances are read at the same rate as the bits.
    assert!(near(sssp.random, bfs.random));
    let ranks = Work { reached: 1 << 22, steps: 20, ..work }.floor(Program::PageRank.footprint());
    let bytes = f64::from((1 << 22) * 4 + 20 * (1 << 22) * 12 + 4_000);
    assert!(near(ranks.bytes, bytes / BYTES_A_SECOND * 1e3));
}

#[test]
fn states_in_shared_memory_are_not_charged() {
    let work =
        Work { vertices: 1 << 22, reached: 1 << 22, edges: 1_000_000, steps: 1, jumps: 0.9, kept: 0.6 };
    let footprint = Program::PageRank.footprint();
    assert!(near(work.floor(footprint).random, 0.3 * 1e6 / 159e9 * 1e3));
    assert_eq!(Work { kept: 1.0, ..work }.floor(footprint).random, 0.0);
    // Ranks of four bytes, in 227 KiB; other programs send from other vertices in each step.
    assert_eq!((footprint.kept_vertices(), Program::Bfs.footprint().kept_vertices()), (58_112, 0));
}

#[test]
fn a_road_network_waits() {
    let work = Work {
        vertices: 1_500_000,
        reached: 1_500_000,
        edges: 3_900_000,
        steps: 1_087,
        jumps: 0.3,
        kept: 0.0,
    };
    let floor = work.floor(Program::Bfs.footprint());
    assert_eq!(floor.dominant(), "barriers");
    assert!(floor.total() > 1.1 && floor.total() < 1.2, "{floor:?}");
}

#[test]
fn a_star_is_read_in_order() {
    let work = Work {
        vertices: 10_000_001,
        reached: 10_000_001,
        edges: 10_000_000,
        steps: 2,
        jumps: 0.004,
        kept: 0.0,
    };
    let footprint = Program::Bfs.footprint();
    assert_eq!(work.floor(footprint).dominant(), "bytes");
}

#[test]
fn the_largest_part_dominates() {
    let floor = Floor { bytes: 1.0, random: 2.0, barriers: 2.5 };
    assert_eq!((floor.total(), floor.dominant()), (4.5, "barriers"));
}

#[test]
fn jumps_of_a_star_and_of_a_spread_row() {
    let star = LayeredGraph::from_edges((1..=80u64).map(|leaf| (0, leaf))).expect("the graph is valid");
    let rows = star.out_edges();
    // Leaves 1 to 80 are in eleven sectors of eight values. Value 0 belongs to the hub.
    assert!(near(jumps(rows, 8), 11.0 / 80.0));
    assert!(near(jumps(rows, 256), 1.0 / 80.0));
    assert!(near(jumps(rows, 1), 1.0));
    let none = LayeredGraph::from_edges([]).expect("the graph is valid");
    assert!(jumps(none.out_edges(), 8) == 0.0);
}
