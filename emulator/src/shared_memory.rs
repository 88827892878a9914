//! The shared memory that a launch requests. An access behind it causes a fault instead of a wrong result.

use crate::memory::{FILL, page, reserve};

/// Shared memory of the blocks of a launch. A guard page follows that of each block, whose size is rounded up to 16 bytes. An
/// access before it is not caught unless it reaches the guard page of the block before.
pub(crate) struct SharedMemory {
    pages: usize,
    /// Size of the pages of one block in bytes, including its guard page.
    of_block: usize,
    /// Size of a block's memory in bytes.
    bytes: usize,
    blocks: u32,
}

impl SharedMemory {
    /// Largest alignment that kernels rely on.
    const ALIGN: usize = 16;

    /// Reserves `bytes` bytes for each block, and fills them. Returns `None` if the process may not use that many addresses.
    pub(crate) fn new(blocks: u32, bytes: u32) -> Option<SharedMemory> {
        let bytes = (bytes as usize).next_multiple_of(SharedMemory::ALIGN);
        let of_block = bytes.next_multiple_of(page()) + page();
        let pages = reserve(blocks as usize * of_block, libc::PROT_READ | libc::PROT_WRITE)?;
        let memory = SharedMemory { pages, of_block, bytes, blocks };
        for block in 0..blocks {
            let start = memory.of(block);
            // SAFETY: the bytes and the guard page are in the new pages, which nothing else uses yet.
            let guarded = unsafe {
                std::ptr::write_bytes(start, FILL, bytes);
                libc::mprotect(start.add(bytes).cast(), page(), libc::PROT_NONE)
            };
            if guarded != 0 {
                return None;
            }
        }
        Some(memory)
    }

    /// Returns `true` if an address is in the pages of any block.
    pub(crate) fn contains(&self, address: usize) -> bool {
        (self.pages..self.pages + self.blocks as usize * self.of_block).contains(&address)
    }

    /// Returns the address of a block's memory.
    pub(crate) fn of(&self, block: u32) -> *mut u8 {
        (self.pages + (block as usize + 1) * self.of_block - page() - self.bytes) as *mut u8
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: the pages are those that `new` has reserved, and the launch that uses them has ended.
        unsafe { libc::munmap(self.pages as *mut _, self.blocks as usize * self.of_block) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_ends_at_a_guard_page() {
        let memory = SharedMemory::new(3, 100).expect("there are addresses");
        for block in 0..3 {
            let start = memory.of(block);
            assert_eq!(start as usize % 16, 0);
            assert_eq!((start as usize + 112) % page(), 0);
            // SAFETY: the block has 112 bytes, and this slice alone refers to them.
            let bytes = unsafe { std::slice::from_raw_parts_mut(start, 112) };
            assert!(bytes.iter().all(|&byte| byte == FILL));
            bytes.fill(block as u8);
        }
        drop(memory);
        SharedMemory::new(2, 0).expect("no memory is enough");
    }
}
