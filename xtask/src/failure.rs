//! Error of a command, with its exit code.

use std::fmt;
use std::process::ExitCode;

/// Error of a command, with advice in its text.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The command ran and something is wrong with the tree or the machine: exit code 1.
    Failed,
    /// The command was not understood: exit code 2.
    Usage,
}

impl Failure {
    /// Something is wrong with the tree or the machine.
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), kind: Kind::Failed }
    }

    /// The command line was not understood.
    pub(crate) fn usage(message: impl fmt::Display) -> Failure {
        Failure { message: format!("{message}; see cargo xtask help"), kind: Kind::Usage }
    }

    /// The process's exit code: 1 for a failure, 2 for a command that was not understood.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self.kind {
            Kind::Failed => ExitCode::from(1),
            Kind::Usage => ExitCode::from(2),
        }
    }

    /// A function for `map_err` that says what was being done to which file.
    pub(crate) fn file<'a>(
        doing: &'a str,
        path: &'a std::path::Path,
    ) -> impl FnOnce(std::io::Error) -> Failure + 'a {
        move |error| Failure::new(format!("cannot {doing} {}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
