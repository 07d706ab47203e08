//! Pod security levels and versions.

use std::fmt;
use std::str::FromStr;

/// Pod security level, from permissive to strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Anything.
    Privileged,
    /// No known privilege escalations.
    Baseline,
    /// Only what a hardened pod does.
    Restricted,
}

impl Level {
    /// Returns the name in labels.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Privileged => "privileged",
            Level::Baseline => "baseline",
            Level::Restricted => "restricted",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Error: unknown level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseLevelError;

impl fmt::Display for ParseLevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be one of privileged, baseline, restricted")
    }
}

impl std::error::Error for ParseLevelError {}

impl FromStr for Level {
    type Err = ParseLevelError;

    fn from_str(text: &str) -> Result<Self, ParseLevelError> {
        match text {
            "privileged" => Ok(Level::Privileged),
            "baseline" => Ok(Level::Baseline),
            "restricted" => Ok(Level::Restricted),
            _ => Err(ParseLevelError),
        }
    }
}

/// Version of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// Release 1 with this minor version.
    Minor(u64),
    /// The newest there are.
    Latest,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Version::Minor(minor) => write!(f, "v1.{minor}"),
            Version::Latest => f.write_str("latest"),
        }
    }
}

/// Error: invalid version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseVersionError;

impl fmt::Display for ParseVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be \"latest\" or \"v1.x\"")
    }
}

impl std::error::Error for ParseVersionError {}

impl FromStr for Version {
    type Err = ParseVersionError;

    fn from_str(text: &str) -> Result<Self, ParseVersionError> {
        if text == "latest" {
            return Ok(Version::Latest);
        }
        let minor = text.strip_prefix("v1.").ok_or(ParseVersionError)?;
        let plain = minor == "0" || !minor.starts_with('0');
        if !plain || !minor.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ParseVersionError);
        }
        match minor.parse::<u64>() {
            Ok(number) if i64::try_from(number).is_ok() => Ok(Version::Minor(number)),
            _ => Err(ParseVersionError),
        }
    }
}

/// A level with its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LevelAndVersion {
    /// Level.
    pub level: Level,
    /// Version.
    pub version: Version,
}

impl LevelAndVersion {
    /// Allows everything.
    pub const PRIVILEGED: LevelAndVersion =
        LevelAndVersion { level: Level::Privileged, version: Version::Latest };
}

impl fmt::Display for LevelAndVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.level, self.version)
    }
}
