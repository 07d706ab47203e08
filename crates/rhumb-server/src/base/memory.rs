//! Memory that nobody needs any more, given back to the system.
//!
//! The allocator looks for that now and then while it is used, which a server at rest does not do; but it also looks
//! when a thread that used it ends.

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
