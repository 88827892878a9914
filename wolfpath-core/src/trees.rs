//! Union-find on several threads (Anderson and Woll, "Wait-free parallel algorithms for the union-find problem", 1991).
//!
//! A root is its own parent, and no parent is greater than its child, which rules out cycles. Only a root's parent
//! is changed by compare-and-swap; other vertices only exchange an ancestor for a higher one, which is smaller. So the root of a
//! complete tree is its smallest vertex, in whichever order threads join trees.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

/// Trees over vertices, which are numbered from 0.
#[derive(Debug)]
pub struct Trees {
    parents: Vec<AtomicU32>,
}

impl Trees {
    /// Returns trees of one vertex each.
    pub fn single(vertices: u32) -> Trees {
        Trees { parents: (0..vertices).into_par_iter().map(AtomicU32::new).collect() }
    }

    /// Returns a place for the parents of vertices, all of which must be [set](Self::set_parent) before anything else is called.
    pub fn unset(vertices: u32) -> Trees {
        Trees { parents: bytemuck::zeroed_vec(vertices as usize) }
    }

    /// Returns the number of vertices.
    pub fn num_vertices(&self) -> u32 {
        self.parents.len() as u32
    }

    /// Returns the parent of a vertex; of a root, the root itself.
    #[inline]
    pub fn parent(&self, v: u32) -> u32 {
        self.parents[v as usize].load(Relaxed)
    }

    /// Makes a vertex a child of another one, which must not be greater, or a root. No other thread may join its tree meanwhile.
    #[inline]
    pub fn set_parent(&self, v: u32, parent: u32) {
        self.parents[v as usize].store(parent, Relaxed);
    }

    /// Returns the root of a vertex's tree, and halves the path to it.
    #[inline]
    pub fn root(&self, v: u32) -> u32 {
        let (mut at, mut parent) = (v, self.parent(v));
        while at != parent {
            let above = self.parent(parent);
            if above != parent {
                // Another thread may have found a higher ancestor meanwhile, which a store would replace by this one.
                self.parents[at as usize].fetch_min(above, Relaxed);
            }
            (at, parent) = (parent, above);
        }
        at
    }

    /// Joins the trees of two vertices. Returns the root of the joined tree, as far as other threads do not join it
    /// further, and `true` if the trees were different.
    #[inline]
    pub fn link(&self, a: u32, b: u32) -> (u32, bool) {
        let (mut a, mut b) = (self.root(a), self.root(b));
        while a != b {
            let (low, high) = (a.min(b), a.max(b));
            if self.parents[high as usize].compare_exchange(high, low, Relaxed, Relaxed).is_ok() {
                return (low, true);
            }
            (a, b) = (self.root(low), self.root(high));
        }
        (a, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    #[test]
    fn roots_are_the_smallest_vertices() {
        let trees = Trees::single(70_000);
        assert!((0..70_000).all(|v| trees.root(v) == v));
        assert_eq!(
            [trees.link(9, 2), trees.link(2, 9), trees.link(16, 9)],
            [(2, true), (2, false), (2, true)]
        );
        // Threads join vertices whose difference is a multiple of 7: some in random order, then all.
        (0..400_000).into_par_iter().for_each(|pair| {
            let v = random::below(70_000, random::hash(1, pair));
            let other = v % 7 + 7 * random::below(70_000 / 7, random::hash(2, pair));
            trees.link(v, other);
        });
        (7..70_000).into_par_iter().for_each(|v| {
            trees.link(v, v - 7);
        });
        assert!((0..70_000).all(|v| trees.root(v) == v % 7));
    }
}
