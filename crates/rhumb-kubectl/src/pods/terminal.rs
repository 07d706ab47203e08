//! Terminal size and raw mode.

use std::io;
use std::os::fd::AsFd;

use rhumb_client::remote::TerminalSize;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

/// Raw mode of standard input, reset on drop.
pub(crate) struct RawMode {
    before: Termios,
}

impl RawMode {
    /// Switches to raw mode.
    pub(crate) fn enter() -> io::Result<Self> {
        let stdin = io::stdin();
        let before = tcgetattr(stdin.as_fd())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(stdin.as_fd(), OptionalActions::Now, &raw)?;
        Ok(RawMode { before })
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // A terminal that is gone needs no mode.
        let _ = tcsetattr(io::stdin().as_fd(), OptionalActions::Now, &self.before);
    }
}

/// Returns the size of the terminal at standard output.
pub(crate) fn size() -> Option<TerminalSize> {
    let size = tcgetwinsize(io::stdout().as_fd()).ok()?;
    Some(TerminalSize { width: size.ws_col, height: size.ws_row })
}
