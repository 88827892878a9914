#[wolfpath::edge_program]
mod one_way {
    use wolfpath::prelude::*;

    pub struct OneWay;

    impl EdgeProgram for OneWay {
        type Value = u32;
        type Message = u32;
        type Combine = Min;

        fn start(&self, _: Vertex) -> u32 {
            0
        }
        fn edge(&self, e: Edge<u32>) -> u32 {
            if e.forward { e.value } else { 7 }
        }
    }
}

fn main() {}
