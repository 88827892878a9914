//! What the language does not have.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
mod language {
    use wolfpath::prelude::*;

    pub struct Language {
        pub limit: u32,
    }

    #[derive(PartialEq)]
    pub struct Pair {
        a: u32,
        b: u32,
    }

    fn loops(n: u32) -> u32 {
        let mut sum = 0;
        for i in 0..n {
            sum += i;
        }
        while sum > 3 {
            sum -= 1;
        }
        sum
    }

    fn recursive(n: u32) -> u32 {
        if n == 0 { 0 } else { recursive(n - 1) }
    }

    fn macros(n: u32) -> u32 {
        assert!(n > 0);
        let text = "text";
        let pair = (1, 2);
        let array = [1, 2];
        let reference = &n;
        let closure = |x: u32| x + 1;
        let unset;
        unset = 3u32;
        std::cmp::min(n, unset)
    }

    fn next(flag: Option<u32>) -> Option<u32> {
        Some(flag? + 1)
    }

    fn names(pair: Pair, flag: Option<u32>) -> u32 {
        let d = super::outside(pair.a);
        let g = pair.a.loga2();
        let same = flag == None;
        let equal = pair == pair;
        let next = next(flag);
        let copy = Pair { a: 1, ..pair };
        let Some(i) = flag else { return 0 };
        pair.b
    }

    impl EdgeProgram for Language {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, v: Vertex) -> u32 {
            let e = Edge { value: 1, ..Edge::default() };
            self.edge(e).unwrap_or(1)
        }
        fn edge(&self, e: Edge<u32>) -> Option<u32> {
            loop {}
        }
    }
}

fn outside(x: u32) -> u32 {
    x
}

fn main() {}
