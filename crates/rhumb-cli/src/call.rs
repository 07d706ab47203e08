//! `Call`: one invocation of a command.

use std::io::Write;

use crate::command::{Command, Flags, help};
use crate::{Factory, Failure, Streams};

/// Result of a command.
pub type Outcome = Result<(), Failure>;

/// An invocation of a command with everything it needs.
pub struct Call {
    /// The commands that were called, from the program to the last, which is the one that runs.
    pub commands: Vec<&'static Command>,
    /// Command path: `kubectl rollout status`.
    pub path: String,
    /// Flags.
    pub flags: Flags,
    /// Arguments.
    pub args: Vec<String>,
    /// Number of arguments before `--`, if there is one.
    pub dash: Option<usize>,
    /// Standard streams.
    pub streams: Streams,
    /// Access to clients.
    pub factory: Factory,
}

impl Call {
    /// Returns the command.
    pub fn command(&self) -> &'static Command {
        static NONE: Command = Command::EMPTY;
        self.commands.last().copied().unwrap_or(&NONE)
    }

    /// Returns the name of the program: `kubectl`, or `rhumb`.
    pub fn program(&self) -> &str {
        self.path.split(' ').next().unwrap_or_default()
    }

    /// Creates a usage error, with a hint at the command's help.
    pub fn usage(&self, message: impl AsRef<str>) -> Failure {
        Failure::message(format!("{}\nSee '{} -h' for help and examples", message.as_ref(), self.path))
    }

    /// Writes the command's help to standard output.
    ///
    /// # Errors
    /// Nobody reads it any more.
    pub fn show_help(&mut self) -> Outcome {
        let text = help(self.command(), &self.path, crate::global::FLAGS);
        self.text(text)
    }

    /// Returns a mistake that is told after the command's help.
    pub fn help_and(&mut self, message: impl Into<String>) -> Failure {
        match self.show_help() {
            Ok(()) => Failure::message(message),
            Err(failure) => failure,
        }
    }

    /// Returns the words as Go prints a list of them: `[a b]`.
    pub fn listed_args(&self) -> String {
        format!("[{}]", self.args.join(" "))
    }

    /// Writes a line to standard output.
    ///
    /// # Errors
    /// Nobody reads it any more.
    pub fn line(&mut self, text: impl AsRef<str>) -> Outcome {
        Ok(writeln!(self.streams.out, "{}", text.as_ref())?)
    }

    /// Writes text to standard output as it is.
    ///
    /// # Errors
    /// Nobody reads it any more.
    pub fn text(&mut self, text: impl AsRef<str>) -> Outcome {
        Ok(self.streams.out.write_all(text.as_ref().as_bytes())?)
    }

    /// Writes a warning to standard error, coloured where a person reads it.
    pub fn warning(&mut self, text: impl AsRef<str>) {
        let word = match self.streams.err_is_terminal && self.streams.is_coloured() {
            true => "\u{1b}[33;1mWarning:\u{1b}[0m",
            false => "Warning:",
        };
        self.warn(format!("{word} {}", text.as_ref()));
    }

    /// Writes a line to standard error.
    pub fn warn(&mut self, text: impl AsRef<str>) {
        // A message that nobody reads is no reason to stop.
        let _ = writeln!(self.streams.err, "{}", text.as_ref());
    }
}
