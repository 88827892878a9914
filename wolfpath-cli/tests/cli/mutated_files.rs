//! `.wolf` files with random changes: `run` and `check` reject all of them, and a damaged kept graph is built again.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::support::Folder;

/// Number of changed files.
const MUTATIONS: u64 = 300;

const PAGE: usize = 4096;

/// Random numbers that depend only on a seed (splitmix64, Steele, Lea and Flood 2014).
struct Draw(u64);

impl Draw {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound as u64) as usize
    }

    /// Returns a random position in the file. Half of the positions are in the header, the table and the key, which are
    /// a small part of the file.
    fn place(&mut self, length: usize) -> usize {
        match self.below(4) {
            0 => self.below(512),
            1 => length - 1 - self.below(256),
            _ => self.below(length),
        }
    }
}

/// Changes a file in one way (bits, bytes, cuts, insertions, deletions, pages). Returns a description and the changed
/// bytes.
fn mutated(bytes: &[u8], draw: &mut Draw) -> (String, Vec<u8>) {
    let mut bytes = bytes.to_vec();
    let at = draw.place(bytes.len());
    let said = match draw.below(8) {
        0..=2 => {
            bytes[at] ^= 1 << draw.below(8);
            format!("a bit of byte {at}")
        }
        3 => {
            bytes[at] = draw.number() as u8;
            format!("byte {at}")
        }
        4 => {
            bytes.truncate(at);
            format!("cut at byte {at}")
        }
        5 => {
            let added: Vec<u8> = (0..1 + draw.below(40)).map(|_| draw.number() as u8).collect();
            let count = added.len();
            let at = if draw.below(2) == 0 { bytes.len() } else { at };
            bytes.splice(at..at, added);
            format!("{count} bytes inserted at byte {at}")
        }
        6 => {
            let end = (at + 1 + draw.below(40)).min(bytes.len());
            bytes.drain(at..end);
            format!("bytes {at} to {end} removed")
        }
        _ => {
            let pages = bytes.len() / PAGE;
            let (from, to) = (PAGE * draw.below(pages), PAGE * draw.below(pages));
            bytes.copy_within(from..from + PAGE, to);
            format!("the page at {from} copied over the page at {to}")
        }
    };
    (said, bytes)
}

/// Creates a folder with a graph that has every section: ids, weights, additional columns and in-rows.
fn folder_with_a_graph() -> Folder {
    let folder = Folder::new();
    let lines = (0..600u64).map(|n| format!("{},{},{},{}\n", n * n % 997, n * 7 % 1009, n, n % 10));
    let table: String = std::iter::once("source,target,weight,lanes\n".to_owned()).chain(lines).collect();
    folder.file("g.csv", table);
    folder.wolfpath("build g.csv --output whole.wolf").succeeded();
    folder
}

#[test]
fn are_refused_by_check_and_by_run() {
    let folder = folder_with_a_graph();
    let whole = fs::read(folder.path("whole.wolf")).expect("the file was written");
    folder.wolfpath("check whole.wolf").succeeded();
    folder.wolfpath("run reach whole.wolf --engine cpu").succeeded();
    let (next, changed) = (AtomicU64::new(0), AtomicU64::new(0));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= MUTATIONS {
                return;
            }
            let mut draw = Draw(seed);
            // A change may have no effect, such as a byte replaced by itself. Such changes are drawn again.
            let (said, bytes) = std::iter::repeat_with(|| mutated(&whole, &mut draw))
                .find(|(_, bytes)| *bytes != whole)
                .expect("the iterator is endless");
            let name = format!("m{seed}.wolf");
            folder.file(&name, bytes);
            for command in [format!("check {name}"), format!("run reach {name} --engine cpu")] {
                let done = folder.wolfpath(&command);
                assert_eq!(done.code, Some(1), "{command}: {said}: {done:?}");
                done.failed(&[&name]);
            }
            fs::remove_file(folder.path(&name)).expect("the file exists");
            changed.fetch_add(1, Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(work)));
    });
    assert_eq!(changed.into_inner(), MUTATIONS);
}

#[test]
fn of_a_cache_are_made_anew() {
    let folder = Folder::new();
    folder.file("g.csv", "source,target,weight\n3,9,5\n9,17,2\n17,3,1\n");
    let first = folder.wolfpath("run sssp g.csv --source 3 --engine cpu --output -").succeeded();
    let [place] = &folder.kept_graphs()[..] else { panic!("one graph is kept") };
    let whole = fs::read(place).expect("the graph was kept");
    for seed in 0..20 {
        let mut draw = Draw(1000 + seed);
        let (said, bytes) = std::iter::repeat_with(|| mutated(&whole, &mut draw))
            .find(|(_, bytes)| *bytes != whole)
            .expect("the iterator is endless");
        fs::write(place, bytes).expect("the file is writable");
        let again = folder.wolfpath("run sssp g.csv --source 3 --engine cpu --output -").succeeded();
        assert_eq!(again.out, first.out, "{said}");
        assert!(fs::read(place).expect("the graph was kept again") == whole, "{said}");
    }
}
