//! Memory that nobody needs any more, given back to the system.
//!
//! The allocator looks for that now and then while it is used, which a server at rest does not do; but it also looks
//! when a thread that used it ends.

use bytes::Bytes;
use std::time::Duration;

/// After how long the allocator takes what was dropped for memory that nobody needs.
const SETTLED: Duration = Duration::from_millis(1500);

/// Lets the allocator return what was dropped up to now, once it has settled.
pub(crate) async fn give_back() {
    tokio::time::sleep(SETTLED).await;
    let thread = std::thread::Builder::new().name("memory".to_owned());
    // Without another thread the memory stays for what comes next.
    drop(thread.spawn(|| drop(std::hint::black_box(Vec::<u8>::with_capacity(1)))));
}

/// Bytes that may be kept for long, so they take no more room than they need. Allocators leave what shrinks by less
/// than half where it is, so they are copied.
pub(crate) fn snug(bytes: Vec<u8>) -> Bytes {
    if bytes.len() == bytes.capacity() { bytes.into() } else { Bytes::copy_from_slice(&bytes) }
}
