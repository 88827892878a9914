use wolfpath::prelude::*;

#[edge_program]
mod contagion {
    use wolfpath::prelude::*;

    /// `true` once at least two in-neighbours are infected.
    pub struct Contagion;

    impl EdgeProgram for Contagion {
        type Value = bool;
        type Message = u32; // number of infected in-neighbours
        type Combine = Sum;
        const SENDERS: Senders = Senders::All;

        fn start(&self, v: Vertex) -> bool {
            v.id < 2
        }
        fn edge(&self, e: Edge<bool>) -> Option<u32> {
            e.value.then_some(1)
        }
        fn apply(&self, v: Vertex<bool>, infected: u32) -> bool {
            v.value || infected >= 2
        }
    }
}

fn main() {
    let healthy = Vertex { value: false, ..Vertex::default() };
    assert!(!contagion::Contagion.apply(healthy, 1) && contagion::Contagion.apply(healthy, 2));
}
