//! A work queue with items that come later, and items that come back ever more slowly.
//!
//! ```console
//! $ cargo run -p client-examples --bin rate_limits
//! ```

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use rhumb_queue::{Exponential, MaxOf, Queue, TokenBucket};
use tokio::time::Instant;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    run(&mut std::io::stdout()).await
}

/// Prints what comes out of the queue, and after how many milliseconds.
pub async fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // Each item waits 20 ms after its first failure and twice as long after each further one. All together come back at
    // 20 per second once three have. The longer of both waits holds.
    let limiter = MaxOf::new()
        .and(Exponential::new(Duration::from_millis(20), Duration::from_secs(1)))
        .and(TokenBucket::new(20.0, 3));
    let queue = Queue::builder().limiter(limiter).build();

    let began = Instant::now();
    queue.add_after("delayed", Duration::from_millis(30));
    queue.add("at once");
    // It is waiting already, so this changes nothing.
    queue.add("at once");
    queue.add_rate_limited("failing");
    while let Some(item) = queue.get().await {
        writeln!(out, "{} {}", began.elapsed().as_millis(), *item)?;
        // While we have the item nobody else gets it. Whatever we do with it gives it back.
        match queue.num_requeues(&item) {
            // It was never limited: all is well.
            0 => item.finish(),
            // It comes back when the limiter lets it.
            1..=4 => item.retry(),
            // Enough. Its failures are forgotten, and without new items the queue is empty.
            failures => {
                item.finish();
                writeln!(out, "given up after {failures} failures")?;
                queue.shut_down();
            }
        }
    }
    Ok(())
}
