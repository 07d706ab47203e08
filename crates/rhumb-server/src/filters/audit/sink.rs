//! Writes the lines of the audit log, on a thread of its own.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::file::LogFile;
use crate::base::environment::Clock;
use crate::filters::audit::Rotation;

/// So many lines may wait. Then requests do.
const LINES: usize = 4096;
/// So much is gathered before it is written, if more is waiting.
const BATCH: usize = 256 << 10;

/// Where lines go. When it is dropped, what waits is still written.
pub(super) struct Sink {
    /// None when it is about to end.
    lines: Option<SyncSender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    lost: Arc<AtomicU64>,
}

impl Sink {
    /// Begins to write to a file, or for `-` to the standard output.
    pub(super) fn start(path: &Path, rotation: &Rotation, clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        let out: Box<dyn Write + Send> = if path == Path::new("-") {
            Box::new(std::io::stdout())
        } else {
            Box::new(LogFile::open(path, *rotation, clock)?)
        };
        let (lines, waiting) = sync_channel(LINES);
        let lost = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&lost);
        let writer = std::thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || write(out, &waiting, &counter))?;
        Ok(Sink { lines: Some(lines), writer: Some(writer), lost })
    }

    /// Has a line written, and waits if too many are before it.
    pub(super) fn send(&self, line: Vec<u8>) {
        let sent = self.lines.as_ref().is_some_and(|lines| lines.send(line).is_ok());
        if !sent {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.lines = None;
        if let Some(writer) = self.writer.take() {
            // A thread that broke has nothing left to write.
            let _ = writer.join();
        }
    }
}

fn write(mut out: Box<dyn Write + Send>, waiting: &Receiver<Vec<u8>>, lost: &AtomicU64) {
    while let Ok(mut batch) = waiting.recv() {
        let mut lines = 1;
        while batch.len() < BATCH
            && let Ok(line) = waiting.try_recv()
        {
            batch.extend(line);
            lines += 1;
        }
        if out.write_all(&batch).and_then(|()| out.flush()).is_err() {
            lost.fetch_add(lines, Ordering::Relaxed);
        }
    }
}
