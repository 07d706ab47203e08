//! How far an apply of many objects has come, for people who watch.

use std::io::Write;

use rhumb_cli::Streams;
use rhumb_cli::resource::Info;

/// From how many objects on it is worth a line.
const MANY: usize = 10;

/// A line at the bottom of a terminal; nothing elsewhere, and nothing for a few objects.
pub(super) struct Progress {
    total: usize,
    done: usize,
    is_shown: bool,
}

impl Progress {
    /// For so many objects.
    pub(super) fn of(streams: &Streams, total: usize) -> Self {
        Progress { total, done: 0, is_shown: streams.err_is_terminal && total >= MANY }
    }

    /// Shows which object is next.
    pub(super) fn show(&mut self, streams: &mut Streams, info: &Info) {
        self.done += 1;
        if self.is_shown {
            let _ = write!(streams.err, "\r\x1b[K{} of {}: {}", self.done, self.total, info.object_name());
            let _ = streams.err.flush();
        }
    }

    /// Takes the line away, so that something else can be written.
    pub(super) fn clear(&mut self, streams: &mut Streams) {
        if self.is_shown && self.done > 0 {
            let _ = write!(streams.err, "\r\x1b[K");
            let _ = streams.err.flush();
        }
    }
}
