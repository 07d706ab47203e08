//! Pod security policy of a namespace, from its labels.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use rhumb_scheme::validation::{FieldErrors, FieldPath};

use super::level::{Level, LevelAndVersion, Version};

/// Labels of the policy.
pub mod labels {
    /// Level to enforce.
    pub const ENFORCE: &str = "pod-security.kubernetes.io/enforce";
    /// Version of that level.
    pub const ENFORCE_VERSION: &str = "pod-security.kubernetes.io/enforce-version";
    /// Level whose violations are audited.
    pub const AUDIT: &str = "pod-security.kubernetes.io/audit";
    /// Version of that level.
    pub const AUDIT_VERSION: &str = "pod-security.kubernetes.io/audit-version";
    /// Level whose violations cause warnings.
    pub const WARN: &str = "pod-security.kubernetes.io/warn";
    /// Version of that level.
    pub const WARN_VERSION: &str = "pod-security.kubernetes.io/warn-version";
}

/// Pod security policy of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Pods that violate this are refused.
    pub enforce: LevelAndVersion,
    /// Violations of this are noted in the audit log.
    pub audit: LevelAndVersion,
    /// Level whose violations cause warnings.
    pub warn: LevelAndVersion,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            enforce: LevelAndVersion::PRIVILEGED,
            audit: LevelAndVersion::PRIVILEGED,
            warn: LevelAndVersion::PRIVILEGED,
        }
    }
}

impl Policy {
    /// Reads the labels of a namespace; what they don't say is as in `defaults`.
    ///
    /// There is always a policy, also beside errors: what can't be read counts as the strictest level where
    /// pods are refused, and as the laxest where nothing depends on it.
    pub fn from_labels(labels: &BTreeMap<String, String>, defaults: &Policy) -> (Policy, FieldErrors) {
        let mut reader = Reader { labels, errors: FieldErrors::default() };
        let mut policy = *defaults;

        let enforce_level = reader.read::<Level>(labels::ENFORCE);
        match enforce_level {
            Some(Ok(level)) => policy.enforce.level = level,
            Some(Err(Unreadable)) => policy.enforce.level = Level::Restricted,
            None => {}
        }
        reader.version(labels::ENFORCE_VERSION, &mut policy.enforce);
        reader.lax_level(labels::AUDIT, &mut policy.audit);
        reader.version(labels::AUDIT_VERSION, &mut policy.audit);
        let has_warn_level = reader.lax_level(labels::WARN, &mut policy.warn);
        let has_warn_version = reader.version(labels::WARN_VERSION, &mut policy.warn);

        // Who is refused something is also warned of it, in templates that pods are made of later.
        let enforces = matches!(enforce_level, Some(Ok(_)));
        if !has_warn_level && enforces && policy.enforce.level > policy.warn.level {
            policy.warn.level = policy.enforce.level;
            if !has_warn_version {
                policy.warn.version = policy.enforce.version;
            }
        }
        (policy, reader.errors)
    }

    /// Reports whether it lets every pod through without a word.
    pub fn is_fully_privileged(&self) -> bool {
        [self.enforce, self.audit, self.warn].iter().all(|mode| mode.level == Level::Privileged)
    }
}

/// A label whose invalid value was reported.
#[derive(Clone, Copy)]
struct Unreadable;

struct Reader<'a> {
    labels: &'a BTreeMap<String, String>,
    errors: FieldErrors,
}

impl Reader<'_> {
    fn read<T: FromStr<Err: Display>>(&mut self, label: &str) -> Option<Result<T, Unreadable>> {
        let text = self.labels.get(label)?;
        Some(text.parse().map_err(|error: T::Err| {
            let path = FieldPath::new("metadata").child("labels").key(label);
            self.errors.invalid(&path, text.as_str(), &error.to_string());
            Unreadable
        }))
    }

    /// Reads a level that refuses nothing; whether the label is there.
    fn lax_level(&mut self, label: &str, mode: &mut LevelAndVersion) -> bool {
        let level = self.read::<Level>(label);
        if let Some(level) = level {
            mode.level = level.unwrap_or(Level::Privileged);
        }
        level.is_some()
    }

    /// Reads a version; whether the label is there.
    fn version(&mut self, label: &str, mode: &mut LevelAndVersion) -> bool {
        let version = self.read::<Version>(label);
        if let Some(version) = version {
            mode.version = version.unwrap_or(Version::Latest);
        }
        version.is_some()
    }
}
