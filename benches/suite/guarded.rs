//! Cost of checks for faults if no fault occurs: the same program with every kind of check, and without any.

use wolfpath::edge_program;

/// Defines shortest paths with tolls. The two programs differ only in how they compute messages.
macro_rules! with_tolls {
    ($(#[$about:meta])* $module:ident, $program:ident, |$edge:ident| { $($message:tt)* }) => {
        $(#[$about])*
        #[edge_program]
        pub(crate) mod $module {
            use wolfpath::prelude::*;

            pub(crate) struct $program {
                pub(crate) from: u64,
            }

            const TOLL: [u32; 4] = [0, 0, 0, 0];

            impl EdgeProgram for $program {
                type Value = u32;
                type Message = u32;
                type Weight = u32;
                type Combine = Min;

                fn start(&self, v: Vertex) -> Option<u32> {
                    (v.id == self.from).then_some(0)
                }
                fn edge(&self, $edge: Edge<u32, u32>) -> u32 {
                    $($message)*
                }
            }
        }
    };
}

with_tolls! {
    /// Checks everything: an assertion, a checked addition, an index into an array.
    guarded, Guarded, |e| {
        assert!(e.weight < 1 << 30, "a weight that no road has");
        let toll = TOLL[(e.weight / (1 << 28)) as usize];
        e.value.checked_add(e.weight).expect("a distance of 32 bits") + toll
    }
}

with_tolls! {
    /// Does the same without checks: the index is always in range, and the sum wraps.
    unguarded, Unguarded, |e| {
        let toll = TOLL[(e.weight / (1 << 28)) as usize & 3];
        e.value.wrapping_add(e.weight).wrapping_add(toll)
    }
}
