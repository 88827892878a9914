//! The program that is translated to `everything.cu`.

use wolfpath::edge_program;

/// Uses every construct once: nested structs, constants, helpers, options, shadowing, assignment, every kind of branch.
#[edge_program]
pub(crate) mod everything {
    use wolfpath::prelude::*;

    pub(crate) struct Everything {
        pub(crate) limit: u64,
        pub(crate) bias: Pair,
    }

    pub(crate) struct State {
        cost: f32,
        pair: Pair,
        hops: u32,
        last: i64,
    }

    pub(crate) struct Pair {
        low: u32,
        open: bool,
        spare: [bool; 3],
    }

    const SCALE: f32 = 0.1 * TWO;
    const TWO: f32 = 2.0;
    const DEEP: i64 = i64::MIN;

    fn weigh(register: u32, by: f32) -> f32 {
        let register = register as f32 * by;
        let register = if register > 1e9 { f32::INFINITY } else { register };
        register.min(SCALE)
    }

    fn pick(first: bool, a: State, b: State) -> State {
        if first { a } else { b }
    }

    fn grade(n: i32) -> u8 {
        match n {
            0 => 1,
            1..=9 | -1 => 2,
            _ => 255 - (n as u8 >> 3),
        }
    }

    impl EdgeProgram for Everything {
        type Value = State;
        type Message = State;
        type Weight = f32;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> Option<State> {
            if v.id > self.limit {
                return None;
            }
            let pair = Pair { open: v.in_degree != 0, low: v.index, spare: [false; 3] };
            Some(State { cost: 0.0, pair, hops: 0, last: DEEP })
        }

        fn edge(&self, e: Edge<State, f32>) -> Option<State> {
            let mut state = e.value;
            let before = state.cost + {
                state.cost *= 0.5;
                state.cost
            };
            if state.pair.open && !(before < e.weight) || grade(state.last as i32) == 2 {
                state.pair.low += self.bias.low << 3_u8;
                state.last = -state.last % 7;
            } else if before.is_nan() {
                return None;
            }
            let checked = state.pair.low.checked_add(1);
            if let Some(low) = checked {
                state.pair.low = low;
            }
            let cost = before + weigh(state.pair.low, e.weight);
            Some(State { last: state.last, cost, ..state })
        }

        fn combine(&self, a: State, b: State) -> State {
            if a.cost <= b.cost { a } else { b }
        }

        fn apply(&self, v: Vertex<Option<State>>, incoming: Option<State>) -> State {
            let best = match v.value {
                Some(old) => match incoming {
                    None => old,
                    Some(new) => pick(self.bias.open, old, new),
                },
                None => return incoming.unwrap(),
            };
            best
        }
    }
}
