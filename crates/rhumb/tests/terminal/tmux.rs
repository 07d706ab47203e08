//! A terminal to type into and to read from: a server of tmux of one's own with one window.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::replay::Place;

/// Longer than anything takes that is waited for.
const LONG: Duration = Duration::from_secs(30);

/// How often the screen is looked at.
const TICK: Duration = Duration::from_millis(50);

/// A window of 100 columns and 30 rows with a shell in it. Dropping it ends all that runs there.
pub(crate) struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    /// Opens one with bash in a directory of a session.
    pub(crate) fn open(place: &Place) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // Paths of sockets must be short.
        let name = format!("rhumb-tmux-{}-{number}", std::process::id());
        let terminal = Terminal { socket: std::env::temp_dir().join(name) };
        let mut command = place.command("tmux");
        command.env("TERM", "xterm-256color").env("SHELL", "/bin/bash").env("PS1", "$ ").arg("-S");
        command.arg(&terminal.socket).args(["-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30"]);
        command.args(["bash", "--noprofile", "--norc"]);
        let status = command.status().expect("tmux, which `cargo xtask setup` installs");
        assert!(status.success(), "tmux doesn't start");
        terminal.wait("the prompt", |screen| screen.trim_end() == "$");
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").arg("-S").arg(&self.socket).args(arguments);
        command.output().expect("tmux")
    }

    /// Types a text as it is.
    pub(crate) fn type_in(&self, text: &str) {
        assert!(self.tmux(&["send-keys", "-l", "--", text]).status.success(), "the terminal is gone");
    }

    /// Presses keys, by their names in tmux.
    pub(crate) fn press(&self, keys: &[&str]) {
        assert!(self.tmux(&[&["send-keys", "--"], keys].concat()).status.success(), "the terminal is gone");
    }

    /// Types a line on an empty screen.
    pub(crate) fn enter(&self, line: &str) {
        self.clear();
        self.type_in(line);
        // Otherwise the prompt before the line may be taken for the one behind it.
        self.wait("what was typed", |screen| screen.trim_end() != "$");
        self.press(&["Enter"]);
    }

    /// Makes the screen empty but for a prompt.
    pub(crate) fn clear(&self) {
        self.type_in("clear");
        self.press(&["Enter"]);
        self.wait("an empty screen", |screen| screen.trim_end() == "$");
    }

    /// What is on the screen.
    pub(crate) fn screen(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p"]).stdout).into_owned()
    }

    /// What is on the screen, with the sequences for colours.
    pub(crate) fn coloured(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p", "-e"]).stdout).into_owned()
    }

    /// Writes all that goes to the screen from now on into a file as well.
    pub(crate) fn record(&self, file: &Path) {
        let command = format!("exec cat >'{}'", file.display());
        assert!(self.tmux(&["pipe-pane", &command]).status.success(), "nothing is recorded");
    }

    /// Makes the window another size.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        assert!(
            self.tmux(&["resize-window", "-x", &columns, "-y", &rows]).status.success(),
            "the size stays"
        );
    }

    /// Waits until the screen is as it should be.
    #[allow(
        clippy::disallowed_methods,
        reason = "another program is waited for, which has a clock of its own"
    )]
    pub(crate) fn wait(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            assert!(begun.elapsed() < LONG, "{what} does not come:\n{screen}");
            sleep(TICK);
        }
    }

    /// Waits for a text.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Waits until the shell asks for the next command, on the last line that is not empty.
    pub(crate) fn wait_for_prompt(&self) -> String {
        self.wait("the prompt", |screen| {
            screen.trim_end().lines().next_back().is_some_and(|line| line == "$")
        })
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
        let _ = std::fs::remove_file(&self.socket);
    }
}
