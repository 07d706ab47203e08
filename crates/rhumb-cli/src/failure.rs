//! Errors of commands in kubectl's words, with exit codes.

use std::fmt::Write;
use std::io;

use rhumb_client::Error;
use rhumb_client::config::ConfigError;
use rhumb_meta::v1::{Status, StatusReason};
use rhumb_scheme::mapper::{ArgError, MapperError};

use crate::resource::Origin;

/// Error of a command.
#[derive(Debug)]
pub enum Failure {
    /// Something to say, behind `error: ` unless it begins so already.
    Message(String),
    /// Something to say as it is.
    Plain(String),
    /// The server refused, or could not be asked.
    Server(Error),
    /// The kubeconfig can't be used.
    Config(ConfigError),
    /// Several things.
    Many(Vec<Failure>),
    /// A specific exit code, with or without a message.
    Exit {
        /// The exit code.
        code: u8,
        /// Message, if any.
        message: Option<String>,
    },
    /// Something that went wrong with an object, and the place in a file where the object stands.
    At {
        /// The error.
        failure: Box<Failure>,
        /// Position: `web.yaml, document 2, line 12`.
        place: String,
    },
    /// Output can't be written.
    Output(io::Error),
}

impl Failure {
    /// Creates a failure with a message.
    pub fn message(text: impl Into<String>) -> Self {
        Failure::Message(text.into())
    }

    /// Creates a failure with an exit code and no message.
    pub fn exit(code: u8) -> Self {
        Failure::Exit { code, message: None }
    }

    /// Returns several failures as one; `None` of none, and one as it is.
    pub fn gather(mut failures: Vec<Failure>) -> Option<Self> {
        match failures.len() {
            0 => None,
            1 => failures.pop(),
            _ => Some(Failure::Many(failures)),
        }
    }

    /// Returns the result of a command that continued after failures.
    ///
    /// # Errors
    /// If there are any.
    pub fn all(failures: Vec<Failure>) -> Result<(), Self> {
        Failure::gather(failures).map_or(Ok(()), Err)
    }

    /// Returns the only error of a list of one. kubectl unwraps one such list before it prints an error.
    pub fn unwrapped(self) -> Self {
        match self {
            Failure::Many(mut failures) if failures.len() == 1 => failures.pop().unwrap_or(Failure::exit(1)),
            other => other,
        }
    }

    /// Returns the error of the server, if it is one.
    pub fn server_error(&self) -> Option<&Error> {
        match self {
            Failure::Server(error) => Some(error),
            Failure::At { failure, .. } => failure.server_error(),
            _ => None,
        }
    }

    /// Reports whether the server says that there is no such object.
    pub fn is_not_found(&self) -> bool {
        self.server_error().is_some_and(Error::is_not_found)
    }

    /// Says what was being done with what: `error when creating "x.yaml": …`.
    pub fn when(self, doing: &str, source: &str) -> Self {
        if source.is_empty() {
            return self;
        }
        let context = format!("error when {doing} {source:?}: ");
        match self {
            Failure::Server(Error::Status(mut status)) => {
                status.message.insert_str(0, &context);
                Failure::Server(Error::Status(status))
            }
            Failure::Output(_) | Failure::Exit { .. } => self,
            other => Failure::Message(context + &other.bare()),
        }
    }

    /// Says where the object stands that it is about. The only one of a file is found without.
    pub fn at(self, origin: &Origin) -> Self {
        let Some(document) = origin.document else { return self };
        match self {
            Failure::Output(_) | Failure::Exit { .. } | Failure::At { .. } => self,
            Failure::Many(failures) => {
                Failure::Many(failures.into_iter().map(|failure| failure.at(origin)).collect())
            }
            failure => Failure::At {
                failure: Box::new(failure),
                place: format!("{}, document {document}, line {}", origin.source, origin.line),
            },
        }
    }

    /// Says something before it, as Go's `fmt.Errorf("...: %w")` does.
    pub fn context(self, context: &str) -> Self {
        match self {
            Failure::Output(_) | Failure::Exit { .. } => self,
            other => Failure::Message(format!("{context}: {}", other.bare())),
        }
    }

    /// Returns the exit code.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Exit { code, .. } => *code,
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            _ => 1,
        }
    }

    /// Formats the text for standard error, which may be empty. The server's address is used for refused connections.
    pub fn text(&self, server: &str) -> String {
        let mut text = match self {
            Failure::Message(text) if text.starts_with("error: ") => text.clone(),
            Failure::Message(text) => format!("error: {text}"),
            Failure::Plain(text) => text.clone(),
            Failure::At { failure, place } => format!("{}({place})", failure.text(server)),
            Failure::Exit { message, .. } => message.clone().unwrap_or_default(),
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => String::new(),
            Failure::Output(error) => format!("error: {}", unwritten(error)),
            Failure::Server(Error::Status(status)) if status.known_reason() == StatusReason::Invalid => {
                invalid(status)
            }
            Failure::Server(error) => standard(server, error),
            Failure::Config(ConfigError::Invalid(problems)) if problems.len() > 1 => {
                format!("Error in configuration: \n* {}", problems.join("\n* "))
            }
            Failure::Config(error @ ConfigError::Invalid(_)) => format!("Error in configuration: {error}"),
            Failure::Config(error) => format!("error: {error}"),
            Failure::Many(failures) => {
                let mut text = String::new();
                for failure in failures {
                    let _ = writeln!(text, "{}", failure.listed(server));
                }
                text
            }
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }

    /// Formats one of several errors on a line.
    fn listed(&self, server: &str) -> String {
        match self {
            Failure::Server(error) => standard(server, error),
            Failure::At { failure, place } => {
                format!("{}\n({place})", failure.listed(server).trim_end_matches('\n'))
            }
            other => other.bare(),
        }
    }

    /// Formats the error without the prefix that it has when printed alone.
    pub fn bare(&self) -> String {
        match self {
            Failure::Message(text) | Failure::Plain(text) => text.clone(),
            Failure::Server(Error::Status(status)) => status.message.clone(),
            Failure::Server(error) => error.chain(),
            Failure::Config(error) => error.to_string(),
            Failure::At { failure, .. } => failure.bare(),
            Failure::Many(failures) => {
                let mut texts: Vec<String> = Vec::new();
                for text in failures.iter().map(Failure::bare) {
                    if !texts.contains(&text) {
                        texts.push(text);
                    }
                }
                match texts.as_slice() {
                    [text] => text.clone(),
                    texts => format!("[{}]", texts.join(", ")),
                }
            }
            Failure::Exit { message, .. } => message.clone().unwrap_or_default(),
            Failure::Output(error) => unwritten(error),
        }
    }
}

/// Returns an object that breaks rules, with the rules one by one.
fn invalid(status: &Status) -> String {
    let Some(details) = status.details.as_deref() else {
        return match status.message.as_str() {
            "" => "The request is invalid".to_owned(),
            message => format!("The request is invalid: {message}"),
        };
    };
    let mut text = if !details.kind.is_empty() || !details.name.is_empty() {
        format!("The {} {:?} is invalid", details.kind, details.name)
    } else if !status.message.is_empty() && details.causes.is_empty() {
        format!("The request is invalid: {}", status.message)
    } else {
        "The request is invalid".to_owned()
    };
    let mut causes: Vec<String> = Vec::new();
    for cause in &details.causes {
        let cause = format!("{}: {}", cause.field, cause.message);
        if !causes.contains(&cause) {
            causes.push(cause);
        }
    }
    match causes.as_slice() {
        [] => {}
        [cause] => {
            // A cause may end with the end of a line itself; kubectl writes another one behind it.
            let _ = writeln!(text, ": {cause}");
        }
        causes => {
            text.push_str(": ");
            for cause in causes {
                let _ = write!(text, "\n* {cause}");
            }
            text.push('\n');
        }
    }
    text
}

/// Formats an error of the server or the connection.
fn standard(server: &str, error: &Error) -> String {
    match error {
        Error::Status(status) if status.known_reason() == StatusReason::Unauthorized => {
            format!("error: You must be logged in to the server ({})", status.message)
        }
        Error::Status(status) if status.reason.is_empty() => format!("Error from server: {}", status.message),
        Error::Status(status) => format!("Error from server ({}): {}", status.reason, status.message),
        Error::Connection(_) if error.is_connection_refused() => format!(
            "The connection to the server {server} was refused - did you specify the right host or port?"
        ),
        Error::Connection(source) => {
            let problem = error.connection_problem().unwrap_or_else(|| chain(&**source));
            // Which address it was is known here only.
            let host = server.rsplit_once(':').map_or(server, |(host, _)| host);
            let problem = match problem.strip_prefix("dial tcp: ") {
                Some("lookup: no such host") => format!("dial tcp: lookup {host}: no such host"),
                Some(rest) => format!("dial tcp {server}: {rest}"),
                None => problem,
            };
            format!("Unable to connect to the server: {problem}")
        }
        Error::Timeout(_) => "Unable to connect to the server: context deadline exceeded \
                              (Client.Timeout exceeded while awaiting headers)"
            .to_owned(),
        Error::Credentials(source) => format!("Unable to connect to the server: {}", chain(&**source)),
        other => format!("error: {}", other.chain()),
    }
}

/// Returns an error's text with those behind it, none twice.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.contains(&more) {
            let _ = write!(text, ": {more}");
        }
        source = error.source();
    }
    text
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Failure::Message(text)
    }
}

impl From<&str> for Failure {
    fn from(text: &str) -> Self {
        Failure::Message(text.to_owned())
    }
}

/// Describes an error of standard output in Go's words.
fn unwritten(error: &io::Error) -> String {
    let text = error.to_string();
    let reason = text.split(" (os error").next().unwrap_or_default();
    format!("write /dev/stdout: {}", reason.to_lowercase())
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Failure::Config(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Server(error)
    }
}

impl From<MapperError> for Failure {
    fn from(error: MapperError) -> Self {
        match error {
            MapperError::Unavailable(source) => match source.downcast::<Error>() {
                Ok(error) => Failure::from(*error),
                Err(source) => Failure::message(chain(&*source)),
            },
            MapperError::NoResourceMatch { partial } => {
                let mut text = format!("the server doesn't have a resource type {:?}", partial.resource);
                match (partial.group.is_empty(), partial.version.is_empty()) {
                    (false, false) => {
                        let _ =
                            write!(text, " in group {:?} and version {:?}", partial.group, partial.version);
                    }
                    (false, true) => {
                        let _ = write!(text, " in group {:?}", partial.group);
                    }
                    (true, false) => {
                        let _ = write!(text, " in version {:?}", partial.version);
                    }
                    (true, true) => {}
                }
                Failure::Plain(text)
            }
            other => Failure::message(other.to_string()),
        }
    }
}

impl From<ArgError> for Failure {
    fn from(error: ArgError) -> Self {
        match error {
            ArgError::Mapper(error) if !error.is_no_match() => Failure::from(error),
            other => Failure::message(other.to_string()),
        }
    }
}
