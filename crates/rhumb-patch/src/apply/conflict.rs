//! Errors of apply: conflicts and failures.

use std::fmt;

use rhumb_meta::v1::{Status, StatusCause, StatusDetails, StatusReason};
use rhumb_schema::text::quoted;

use super::element::PathElement;
use super::managers::{ManagerId, Operation};

/// A field owned by another manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub(super) manager: ManagerId,
    pub(super) path: Vec<PathElement>,
}

impl Conflict {
    /// Formats the owner for errors: `"kubectl" using apps/v1`.
    pub fn manager(&self) -> String {
        let mut text = quoted(&self.manager.name);
        if !self.manager.subresource.is_empty() {
            text = format!("{text} with subresource {}", quoted(&self.manager.subresource));
        }
        match self.manager.operation {
            Operation::Update => format!("{text} using {}", self.manager.version),
            Operation::Apply => text,
        }
    }

    /// Returns the approximate length of its message.
    pub(super) fn size(&self) -> usize {
        let path: usize = self.path.iter().map(PathElement::size).sum();
        path.saturating_add(self.manager.name.len()).saturating_add(self.manager.subresource.len())
    }

    /// Returns which field it is: `.spec.replicas`.
    pub fn path(&self) -> String {
        self.path.iter().map(ToString::to_string).collect()
    }
}

/// All conflicts of a configuration by manager. Displays as the message of the response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conflicts(pub Vec<Conflict>);

impl Conflicts {
    /// Formats managers as if they had used a version, in which they see the object.
    #[must_use]
    pub fn seen_in(mut self, api_version: &str) -> Self {
        self.0.iter_mut().for_each(|conflict| api_version.clone_into(&mut conflict.manager.version));
        self
    }
}

impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [one] = self.0.as_slice() {
            return write!(
                f,
                "Apply failed with 1 conflict: conflict with {}: {}",
                one.manager(),
                one.path()
            );
        }
        write!(f, "Apply failed with {} conflicts: ", self.0.len())?;
        let mut previous = None;
        for conflict in &self.0 {
            if previous != Some(&conflict.manager) {
                let newline = if previous.is_some() { "\n" } else { "" };
                write!(f, "{newline}conflicts with {}:", conflict.manager())?;
                previous = Some(&conflict.manager);
            }
            write!(f, "\n- {}", conflict.path())?;
        }
        Ok(())
    }
}

/// Error of an apply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApplyError {
    /// The configuration can't be applied here at all.
    BadRequest(String),
    /// Conflicts with other managers.
    Conflicts(Conflicts),
    /// The configuration doesn't match its schema, or a conversion failed. Kubernetes returns 500 without a reason.
    Failed(String),
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApplyError::BadRequest(message) | ApplyError::Failed(message) => f.write_str(message),
            ApplyError::Conflicts(conflicts) => write!(f, "{conflicts}"),
        }
    }
}

impl std::error::Error for ApplyError {}

impl ApplyError {
    /// Returns the reason of the answer.
    pub fn reason(&self) -> StatusReason {
        match self {
            ApplyError::BadRequest(_) => StatusReason::BadRequest,
            ApplyError::Conflicts(_) => StatusReason::Conflict,
            ApplyError::Failed(_) => StatusReason::Unknown,
        }
    }

    /// Returns the answer.
    pub fn status(&self) -> Status {
        let mut status = Status::failure(self.reason(), self.to_string());
        if let ApplyError::Conflicts(conflicts) = self {
            let cause = |conflict: &Conflict| StatusCause {
                reason: "FieldManagerConflict".to_owned(),
                message: format!("conflict with {}", conflict.manager()),
                field: conflict.path(),
            };
            let causes = conflicts.0.iter().map(cause).collect();
            status.details = Some(Box::new(StatusDetails { causes, ..StatusDetails::default() }));
        }
        status
    }
}
