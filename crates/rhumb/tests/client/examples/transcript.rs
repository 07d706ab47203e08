//! What a program has printed so far, readable while it runs.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks again and again until there is an answer.
pub(crate) async fn until<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Printed lines; clones are of the same ones.
#[derive(Clone, Default)]
pub(crate) struct Transcript(Arc<Mutex<Vec<u8>>>);

impl Transcript {
    pub(crate) fn lines(&self) -> Vec<String> {
        let bytes = self.0.lock().expect("nobody panics while writing").clone();
        String::from_utf8(bytes).expect("text").lines().map(str::to_owned).collect()
    }

    pub(crate) fn has(&self, line: &str) -> bool {
        self.lines().iter().any(|printed| printed == line)
    }

    pub(crate) async fn wait_for(&self, line: &str) {
        until(line, async || self.has(line).then_some(())).await;
    }
}

impl Write for Transcript {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panics while writing").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
