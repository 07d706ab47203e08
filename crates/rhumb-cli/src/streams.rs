//! Standard streams of a command.

use std::io::{self, IsTerminal, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Standard input, output and error, or their replacements in tests.
pub struct Streams {
    /// Input.
    pub input: Box<dyn Read + Send>,
    /// Output.
    pub out: Box<dyn Write + Send>,
    /// Messages.
    pub err: Box<dyn Write + Send>,
    /// Whether a person types the input.
    pub input_is_terminal: bool,
    /// Whether a person reads the results.
    pub out_is_terminal: bool,
    /// Whether a person reads the messages.
    pub err_is_terminal: bool,
}

impl Streams {
    /// Returns the streams of the process.
    pub fn process() -> Self {
        Streams {
            input: Box::new(io::stdin()),
            out: Box::new(io::stdout()),
            err: Box::new(io::stderr()),
            input_is_terminal: io::stdin().is_terminal(),
            out_is_terminal: io::stdout().is_terminal(),
            err_is_terminal: io::stderr().is_terminal(),
        }
    }

    /// Streams for work beside other work: there is no input, results are dropped, and messages are kept for later.
    pub fn beside() -> (Self, Kept) {
        let kept = Kept::default();
        let streams = Streams {
            input: Box::new(io::empty()),
            out: Box::new(io::sink()),
            err: Box::new(kept.clone()),
            input_is_terminal: false,
            out_is_terminal: false,
            err_is_terminal: false,
        };
        (streams, kept)
    }

    /// Takes standard input for another reader.
    pub fn take_input(&mut self) -> Box<dyn Read + Send> {
        std::mem::replace(&mut self.input, Box::new(io::empty()))
    }

    /// Reports whether results may be coloured: a person reads them and did not ask for none (`NO_COLOR`,
    /// `TERM=dumb`).
    pub fn is_coloured(&self) -> bool {
        self.out_is_terminal
            && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }
}

/// Buffer for output; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    /// Returns the buffered output and clears it.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
