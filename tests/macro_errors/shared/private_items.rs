//! Items that the programs in other modules could not use, and functions that take an edge.
use wolfpath::prelude::*;

#[edge_types]
mod shared {
    use wolfpath::prelude::*;

    pub struct Label {
        cost: u32,
    }

    struct Hidden {
        pub cost: u32,
    }

    const LIMIT: u32 = 7;

    pub fn cost_along(e: Edge<u32>) -> u32 {
        e.value
    }

    pub fn text(number: u32) -> String {
        number.to_string()
    }
}

fn main() {}
