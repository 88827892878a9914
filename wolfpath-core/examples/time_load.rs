//! scratch
use std::time::Instant;
use wolfpath_core::{generate, load};
fn main() {
    for arg in std::env::args().skip(1) {
        let t = Instant::now();
        if let Some(s) = arg.strip_prefix("rmat") {
            let g = generate::rmat(s.parse().unwrap(), 16, 1).unwrap();
            println!("{arg}: {} edges {:?}", g.num_edges(), t.elapsed());
            let t = Instant::now();
            generate::write_edge_list("/tmp/load-rmat.el", &g).unwrap();
            println!("  written {:?}", t.elapsed());
        } else if arg == "grid" {
            let g = generate::grid(1000, 1000, 1).unwrap();
            println!("{arg}: {} edges {:?}", g.num_edges(), t.elapsed());
        } else {
            for undirected in [false, true] {
            let t = Instant::now();
            match load::load(&arg, &load::LoadOptions { undirected, ..Default::default() }) {
                Ok(g) => println!("{arg}: {} {} {:?} {:?} {:?} {:?} {:?}", g.num_vertices(), g.num_edges(), t.elapsed(), g.symmetry(), g.weights().map(|w| w.kind()), g.report(), g.notes()),
                Err(e) => println!("{e}"),
            }}
        }
    }
}
