//! Heap growth in large steps before many objects are decoded.

/// Size of a step, below the size for which allocators map separate regions.
const STEP: usize = 112 << 10;

/// Approximate bytes of memory per encoded byte.
const GROWTH: usize = 4;

/// Makes the allocator grow the heap in a few large steps.
///
/// glibc has a heap for each thread, which grows by what is asked for: page by page, with a call of the system for
/// each, because an object is made of many small things. What is asked for here and given back at once leaves the heap
/// as large as it has become, and what comes next finds room. Other allocators take large steps by themselves.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Bytes used of the current step.
    taken: usize,
}

impl Room {
    /// Prepares memory for an object of this encoded size.
    pub(super) fn make(&mut self, bytes: usize) {
        self.taken = self.taken.saturating_add(bytes.saturating_mul(GROWTH));
        if self.taken >= STEP {
            self.taken = 0;
            drop(std::hint::black_box(Vec::<u8>::with_capacity(STEP)));
        }
    }
}
