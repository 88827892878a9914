//! Weights between distinct neighbours.

#[wolfpath::edge_program(combine = min, along = neighbours)]
fn cheapest(cost: u32, weight: u32) -> u32 {
    cost + weight
}

fn main() {}
