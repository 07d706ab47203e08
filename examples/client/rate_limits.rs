//! A work queue with delayed and rate-limited items.
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

/// Prints the items of the queue with their times in milliseconds.
pub async fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // Each item waits 20 ms after its first failure and twice as long after each further one. In total, 20 items per
    // second return after a burst of three. The longer delay counts.
    let limiter = MaxOf::new()
        .and(Exponential::new(Duration::from_millis(20), Duration::from_secs(1)))
        .and(TokenBucket::new(20.0, 3));
    let queue = Queue::builder().limiter(limiter).build();

    let began = Instant::now();
    queue.add_after("delayed", Duration::from_millis(30));
    queue.add("at once");
    // It is waiting already, so this has no effect.
    queue.add("at once");
    queue.add_rate_limited("failing");
    while let Some(item) = queue.get().await {
        writeln!(out, "{} {}", began.elapsed().as_millis(), *item)?;
        // No other worker gets the item while we have it. Each of these gives it back.
        match queue.num_requeues(&item) {
            // It was not rate-limited.
            0 => item.finish(),
            // It returns after the rate limiter's delay.
            1..=4 => item.retry(),
            // Give up: forget its failures. Without new items the queue is empty.
            failures => {
                item.finish();
                writeln!(out, "given up after {failures} failures")?;
                queue.shut_down();
            }
        }
    }
    Ok(())
}
