//! Audit policies and events.
//!
//! A [`Policy`] is read from a file once; [`Policy::decide`] then says for every request how much of it is
//! written ([`Level`]) and at which points ([`Stage`]) an [`Event`](v1::Event) is made. The first rule that
//! fits decides; what none fits leaves no trace.
//!
//! Refuses: to write events anywhere.

mod decide;
mod read;
pub mod v1;

pub use decide::{Decision, Facts, Policy, Resource};
pub use read::PolicyError;

use std::fmt;
use std::str::FromStr;

/// Audit level. Each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Not logged.
    #[default]
    None,
    /// Request metadata and result.
    Metadata,
    /// Also the request body.
    Request,
    /// Also the response body.
    RequestResponse,
}

impl Level {
    /// All levels in order.
    pub const ALL: [Level; 4] = [Level::None, Level::Metadata, Level::Request, Level::RequestResponse];

    /// Returns the name in policies and events.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::None => "None",
            Level::Metadata => "Metadata",
            Level::Request => "Request",
            Level::RequestResponse => "RequestResponse",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Error: unknown name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownName;

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such level or stage")
    }
}

impl std::error::Error for UnknownName {}

impl FromStr for Level {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Level::ALL.into_iter().find(|level| level.as_str() == text).ok_or(UnknownName)
    }
}

/// Stage of a request at which an event is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Received, before any processing.
    RequestReceived,
    /// The head of an answer was sent whose body may take long.
    ResponseStarted,
    /// The answer was sent.
    ResponseComplete,
    /// The server broke while it worked out an answer.
    Panic,
}

impl Stage {
    /// All stages.
    pub const ALL: [Stage; 4] =
        [Stage::RequestReceived, Stage::ResponseStarted, Stage::ResponseComplete, Stage::Panic];

    /// Returns the name in policies and events.
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::RequestReceived => "RequestReceived",
            Stage::ResponseStarted => "ResponseStarted",
            Stage::ResponseComplete => "ResponseComplete",
            Stage::Panic => "Panic",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Stage {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Stage::ALL.into_iter().find(|stage| stage.as_str() == text).ok_or(UnknownName)
    }
}

/// Set of stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stages(u8);

impl Stages {
    /// Reports whether a stage is among them.
    pub fn contains(self, stage: Stage) -> bool {
        self.0 & Stages::bit(stage) != 0
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, stage: Stage) -> Stages {
        Stages(self.0 | Stages::bit(stage))
    }

    /// These and others.
    #[must_use]
    pub fn and(self, others: Stages) -> Stages {
        Stages(self.0 | others.0)
    }

    fn bit(stage: Stage) -> u8 {
        match stage {
            Stage::RequestReceived => 1,
            Stage::ResponseStarted => 2,
            Stage::ResponseComplete => 4,
            Stage::Panic => 8,
        }
    }
}

impl FromIterator<Stage> for Stages {
    fn from_iter<I: IntoIterator<Item = Stage>>(stages: I) -> Self {
        stages.into_iter().fold(Stages::default(), Stages::with)
    }
}
