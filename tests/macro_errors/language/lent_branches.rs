//! References to one of two places: as arguments and in expressions.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod program {
    use wolfpath::prelude::*;

    pub struct Program;

    struct Pair {
        first: u32,
        second: u32,
    }

    impl Pair {
        fn sum(&self) -> u32 {
            self.first + self.second
        }
    }

    fn read(place: &u32) -> u32 {
        *place
    }

    fn change(place: &mut u32) {
        *place += 1;
    }

    impl EdgeProgram for Program {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> u32 {
            0
        }

        fn edge(&self, e: Edge<u32>) -> u32 {
            let (mut a, mut b) = (e.value, 2);
            let read_one = read(if a > 1 { &a } else { &b });
            change(match read_one {
                0 => &mut a,
                _ => &mut b,
            });
            let one = Pair { first: a, second: b };
            let other = Pair { first: b, ..one };
            let sum = (if a > b { &one } else { &other }).sum();
            sum + *if a > 3 { &a } else { &b }
        }
    }
}

fn main() {}
