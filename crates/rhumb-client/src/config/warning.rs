//! Handlers of warnings that servers send in responses.

use std::collections::HashSet;
use std::fmt;
use std::io::Write;

use parking_lot::Mutex;

/// Handles warnings of a server (`Warning` headers).
pub trait WarningHandler: Send + Sync {
    /// Handles a warning: its code (Kubernetes sends 299), agent and text.
    fn warning(&self, code: u16, agent: &str, text: &str);

    /// Returns the number of warnings handled, if the handler counts them.
    fn count(&self) -> usize {
        0
    }
}

/// Ignores all warnings.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWarnings;

impl WarningHandler for NoWarnings {
    fn warning(&self, _code: u16, _agent: &str, _text: &str) {}
}

/// Writes warnings of code 299 to a stream, one per line.
pub struct WarningWriter<W> {
    color: bool,
    state: Mutex<State<W>>,
}

struct State<W> {
    out: W,
    written: Option<HashSet<String>>,
    count: usize,
}

impl<W: Write + Send> WarningWriter<W> {
    /// Creates a writer of all warnings.
    pub fn new(out: W) -> Self {
        WarningWriter { color: false, state: Mutex::new(State { out, written: None, count: 0 }) }
    }

    /// Writes each text only once. All texts are remembered.
    pub fn deduplicated(mut self) -> Self {
        self.state.get_mut().written = Some(HashSet::new());
        self
    }

    /// Writes the word "Warning" in yellow.
    pub fn colored(mut self) -> Self {
        self.color = true;
        self
    }

    /// Returns the number of warnings written.
    pub fn count(&self) -> usize {
        self.state.lock().count
    }
}

impl<W: Write + Send> WarningHandler for WarningWriter<W> {
    fn warning(&self, code: u16, _agent: &str, text: &str) {
        if code != 299 || text.is_empty() {
            return;
        }
        let mut state = self.state.lock();
        if let Some(written) = &mut state.written
            && !written.insert(text.to_owned())
        {
            return;
        }
        state.count += 1;
        // There is nobody to tell that a warning could not be written.
        let _ = if self.color {
            writeln!(state.out, "\x1b[33;1mWarning:\x1b[0m {text}")
        } else {
            writeln!(state.out, "Warning: {text}")
        };
    }

    fn count(&self) -> usize {
        WarningWriter::count(self)
    }
}

impl<W> fmt::Debug for WarningWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WarningWriter").field("color", &self.color).finish_non_exhaustive()
    }
}
