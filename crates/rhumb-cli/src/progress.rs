//! Progress lines on terminals.

use std::io::Write;
use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::Streams;

/// Time before progress is shown.
const PATIENCE: Duration = Duration::from_millis(300);

/// Interval of updates.
const TICK: Duration = Duration::from_secs(1);

/// A line at the bottom of a terminal that is rewritten; nothing without a terminal. It is written to standard error
/// and must be cleared before other output.
#[derive(Debug)]
pub struct Progress {
    is_wanted: bool,
    is_there: bool,
    begun: Instant,
}

impl Progress {
    /// Creates a line that is not there yet.
    pub fn new(streams: &Streams) -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_wanted = streams.err_is_terminal && !is_dumb;
        Progress { is_wanted, is_there: false, begun: Instant::now() }
    }

    /// Disables the line for short work.
    #[must_use]
    pub fn only_if(mut self, is_long: bool) -> Self {
        self.is_wanted &= is_long;
        self
    }

    /// Reports whether anything is ever shown.
    pub fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Shows a text instead of the one before.
    pub fn show(&mut self, err: &mut dyn Write, text: &str) {
        if self.is_wanted {
            self.is_there = true;
            // Nobody needs it if it can't be written.
            let _ = write!(err, "\r\x1b[K{text}").and_then(|()| err.flush());
        }
    }

    /// Takes the line away, so that something else can be written.
    pub fn clear(&mut self, err: &mut dyn Write) {
        if std::mem::take(&mut self.is_there) {
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }

    /// Waits for something that writes nothing itself; a text and the time since the beginning are shown meanwhile.
    pub async fn during<T>(&mut self, err: &mut dyn Write, text: &str, work: impl Future<Output = T>) -> T {
        if !self.is_wanted {
            return work.await;
        }
        let mut work = pin!(work);
        let mut pause = PATIENCE;
        loop {
            if let Ok(done) = timeout(pause, work.as_mut()).await {
                self.clear(err);
                return done;
            }
            self.show(err, &format!("{text} ({}s)", self.begun.elapsed().as_secs()));
            pause = TICK;
        }
    }
}
