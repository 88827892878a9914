//! A program that stops on the edge from 10 to 20, in every possible way.

// Written as in a user's program.
#![allow(unreachable_pub, missing_docs, clippy::never_loop, reason = "written as in a user's program")]

use wolfpath::edge_program;

/// Way in which the program stops.
#[derive(Clone, Copy, Debug)]
pub enum Stops {
    Assertion,
    SaidAssertion,
    Equality,
    Panic,
    Unreachable,
    Expect,
    Unwrap,
    Index,
    IndexInLoop,
    Method,
    Step,
    Apply,
    Debug,
}

#[edge_program]
pub mod stops {
    use wolfpath::prelude::*;

    pub struct Stopping {
        pub how: u32,
    }

    pub struct Shares {
        whole: u32,
    }

    impl Shares {
        fn share(&self, parts: u32) -> u32 {
            self.whole / parts
        }
    }

    fn sum(count: u32) -> u32 {
        let numbers = [1u32, 2, 3];
        let (mut sum, mut at) = (0, 0);
        while at < count as usize {
            sum += numbers[at];
            at += 1;
        }
        sum
    }

    fn stop(how: u32, value: u32) -> u32 {
        let is_one = value == 1;
        match how {
            0 => assert!(value != 1),
            1 => assert!(!is_one, "the value is not one"),
            2 => assert_ne!(value, 1),
            3 if is_one => panic!("one is rejected"),
            4 if is_one => unreachable!("never one"),
            5 => return value + 2u32.checked_sub(2 * value).expect("a smaller number") / 2,
            6 => return if is_one { None } else { Some(value) }.unwrap(),
            7 => return value + [0u32; 3][3 * is_one as usize],
            8 => return value + sum(4 * is_one as u32),
            9 => return value + Shares { whole: 0 }.share(!is_one as u32),
            10 => {
                for _ in (0..3u32).step_by(!is_one as usize) {
                    return value;
                }
            }
            12 => debug_assert!(!is_one, "only in debug builds"),
            _ => {}
        }
        value
    }

    impl EdgeProgram for Stopping {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> Option<u32> {
            (v.id == 0).then_some(0)
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            stop(self.how, e.value) + 1
        }
        fn apply(&self, v: Vertex<Option<u32>>, incoming: u32) -> u32 {
            if self.how == 11 && v.id == 10 {
                panic!("ten is rejected");
            }
            v.value.map_or(incoming, |value| value.min(incoming))
        }
    }
}
