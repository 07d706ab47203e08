//! Why a request came to nothing.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use rhumb_codec::CodecError;
use rhumb_meta::v1::{Status, StatusReason};

/// Why a request came to nothing: the server refused it, or there was no answer that could be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The server answered with a Status. The reason in it decides what can be done about it.
    Status(Box<Status>),
    /// The request can't be sent as it is: a bad name, path, header or body. What is wrong with it.
    Request(String),
    /// There is no connection to the server, or it broke.
    Connection(Box<dyn StdError + Send + Sync>),
    /// There was no answer in the time the request had.
    Timeout(Duration),
    /// The credentials could not be had: a token file, an exec plugin.
    Credentials(Box<dyn StdError + Send + Sync>),
    /// The server's answer can't be read as what was asked for.
    Decode(CodecError),
    /// The stream has something that is no watch event, or a frame over the limit.
    Stream(String),
}

impl Error {
    /// The server's Status, if it sent one.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Error::Status(status) => Some(status),
            _ => None,
        }
    }

    /// The reason in the server's Status; `Unknown` if there is none.
    pub fn reason(&self) -> StatusReason {
        self.status().map(Status::known_reason).unwrap_or_default()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Status(status) => f.write_str(&status.message),
            Error::Request(what) => f.write_str(what),
            Error::Connection(_) => f.write_str("the server can't be reached"),
            Error::Timeout(after) => write!(f, "no answer within {after:?}"),
            Error::Credentials(_) => f.write_str("there are no credentials"),
            Error::Decode(error) => write!(f, "{error}"),
            Error::Stream(what) => f.write_str(what),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Error::Connection(source) | Error::Credentials(source) => Some(&**source),
            _ => None,
        }
    }
}
