//! API versions in order of priority: stable before beta before alpha, then the higher number.
//!
//! A version in the Kubernetes manner is `v` and a number, optionally followed by `alpha` or `beta` and a
//! second number. Other names are legal versions too; they come after all that follow the manner.

use std::cmp::Ordering;
use std::fmt;

#[cfg(test)]
mod tests;

/// Stability of an API version, ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stability {
    /// May change or vanish: `v1alpha1`.
    Alpha,
    /// Changes only with a migration path: `v1beta1`.
    Beta,
    /// Changes only compatibly: `v1`.
    Stable,
}

/// A version in the Kubernetes manner, taken apart.
///
/// The greater version is the one to prefer: `v10 > v2 > v1 > v2beta1 > v1beta2 > v1alpha1`.
// The derived order compares the fields as they are listed, so their sequence is the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ApiVersion {
    stability: Stability,
    major: u64,
    minor: u64,
}

impl ApiVersion {
    /// Takes a version apart; `None` when it doesn't follow the manner.
    ///
    /// Numbers above 2⁶³−1 don't follow it. Leading zeros do, so `v01` and `v1` give the same value.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('v')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (major, suffix) = rest.split_at_checked(digits)?;
        let (stability, minor) = if suffix.is_empty() {
            (Stability::Stable, 0)
        } else if let Some(minor) = suffix.strip_prefix("alpha") {
            (Stability::Alpha, number(minor)?)
        } else {
            (Stability::Beta, number(suffix.strip_prefix("beta")?)?)
        };
        Some(Self { stability, major: number(major)?, minor })
    }

    /// Returns the version's stability.
    pub fn stability(self) -> Stability {
        self.stability
    }

    /// Returns the number after the `v`.
    pub fn major(self) -> u64 {
        self.major
    }

    /// Returns the number after `alpha` or `beta`; zero for a stable version.
    pub fn minor(self) -> u64 {
        self.minor
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stability {
            Stability::Alpha => write!(f, "v{}alpha{}", self.major, self.minor),
            Stability::Beta => write!(f, "v{}beta{}", self.major, self.minor),
            Stability::Stable => write!(f, "v{}", self.major),
        }
    }
}

/// Compares two versions by preference: `Greater` says that `a` is to be preferred to `b`.
///
/// Of two names outside the manner the alphabetically first is preferred.
pub fn compare(a: &str, b: &str) -> Ordering {
    match (ApiVersion::parse(a), ApiVersion::parse(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        (None, None) => b.cmp(a),
    }
}

/// Sorts versions with the most preferred first.
pub fn sort_preferred_first<T: AsRef<str>>(versions: &mut [T]) {
    versions.sort_by(|a, b| compare(b.as_ref(), a.as_ref()));
}

fn number(digits: &str) -> Option<u64> {
    // `parse` alone would also take a sign.
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse::<i64>().ok()?.try_into().ok()
}
