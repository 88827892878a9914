//! Work that spreads from vertex to vertex: searches, and taking vertices when all before them are done.

use rayon::prelude::*;

/// Number of items from which on all threads take part. With fewer, starting them takes longer than the items.
const WIDE: usize = 1 << 11;

/// Calls `visit` for each of `items`, and for each item that `visit` adds, in any order, until none is left.
///
/// A thousand layers of three items each take one thread, which is not slowed down by waiting for others; wide layers take all
/// threads.
pub(super) fn spread(mut items: Vec<u32>, visit: &(dyn Fn(u32, &mut Vec<u32>) + Sync)) {
    while !items.is_empty() {
        if items.len() < WIDE {
            while items.len() < WIDE
                && let Some(item) = items.pop()
            {
                visit(item, &mut items);
            }
            continue;
        }
        let added = items.par_chunks(WIDE / 16).map(|chunk| {
            let mut added = Vec::new();
            chunk.iter().for_each(|&item| visit(item, &mut added));
            added
        });
        items = added.collect::<Vec<_>>().concat();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn every_item_is_visited_once() {
        for (branches, items) in [(1, 30_000), (2, 1 << 16), (5000, 40_000)] {
            let visits: Vec<AtomicU32> = (0..items).map(|_| AtomicU32::new(0)).collect();
            spread(vec![0], &|item, added| {
                visits[item as usize].fetch_add(1, Ordering::Relaxed);
                let children = u64::from(item) * branches + 1..=u64::from(item) * branches + branches;
                added.extend(children.filter(|&child| child < items).map(|child| child as u32));
            });
            assert!(visits.iter().all(|count| count.load(Ordering::Relaxed) == 1), "{branches}");
        }
    }
}
