//! Whether the log takes what it is told: a server whose lines nobody takes any more stands still as soon as it has
//! something to say.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{Check, Concern};
use crate::base::shutdown::Shutdown;

/// How often it is tried whether the log takes anything.
const INTERVAL: Duration = Duration::from_secs(60);
/// How long ago that may have been for the last time.
const LIMIT: Duration = Duration::from_secs(120);

/// Brings out what the log has and waits for whoever is writing.
fn flush() -> io::Result<()> {
    io::stderr().lock().flush()
}

/// The check `log`. It tries the log until the server ends.
pub(crate) fn check(shutdown: Shutdown) -> Check {
    tried(shutdown, flush)
}

fn tried(shutdown: Shutdown, flush: fn() -> io::Result<()>) -> Check {
    let taken = Arc::new(Mutex::new(Instant::now()));
    let last = Arc::clone(&taken);
    tokio::spawn(async move {
        tokio::select! {
            () = shutdown.requested() => {}
            () = try_again_and_again(flush, &taken) => {}
        }
    });
    Check::new("log", Concern::Everything, move || {
        let is_late = last.lock().elapsed() >= LIMIT;
        std::future::ready(if is_late { Err("logging blocked".to_owned()) } else { Ok(()) })
    })
}

async fn try_again_and_again(flush: fn() -> io::Result<()>, taken: &Mutex<Instant>) {
    loop {
        let (tell, hear) = oneshot::channel();
        // A thread of its own, because it may never come back.
        // If there is no thread to be had now, nothing is heard of it and it is tried again.
        let _ = std::thread::Builder::new().spawn(move || tell.send(flush()));
        if let Ok(Ok(())) = hear.await {
            *taken.lock() = Instant::now();
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::shutdown::ShutdownTrigger;

    fn broken() -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    #[tokio::test(start_paused = true)]
    async fn a_log_that_takes_nothing_is_told_of_after_two_minutes() {
        let (_trigger, shutdown) = ShutdownTrigger::new();
        let (good, bad) = (tried(shutdown.clone(), || Ok(())), tried(shutdown, broken));
        assert_eq!((good.run)().await, Ok(()));
        assert_eq!((bad.run)().await, Ok(()));
        tokio::time::advance(LIMIT).await;
        assert_eq!((bad.run)().await, Err("logging blocked".to_owned()));
    }
}
