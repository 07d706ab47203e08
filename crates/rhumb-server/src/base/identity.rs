//! `User`: who sends a request, as far as authentication could tell.

use std::collections::BTreeMap;

/// The group whose members may do everything.
pub const MASTERS: &str = "system:masters";
/// The user that requests without credentials are from.
pub const ANONYMOUS: &str = "system:anonymous";

/// Who sends a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// An identifier that outlives renaming, if there is one.
    pub uid: String,
    /// The groups, those that every request gets (`system:authenticated`) among them.
    pub groups: Vec<String>,
    /// What else the authenticator knows.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// Whether the user may do everything.
    pub fn is_master(&self) -> bool {
        self.groups.iter().any(|group| group == MASTERS)
    }

    /// Whoever sends no credentials.
    pub fn anonymous() -> Self {
        User {
            name: ANONYMOUS.to_owned(),
            groups: vec!["system:unauthenticated".to_owned()],
            ..User::default()
        }
    }
}

impl User {
    /// The server itself.
    pub(crate) fn apiserver() -> Self {
        User { name: "system:apiserver".to_owned(), groups: vec![MASTERS.to_owned()], ..User::default() }
    }
}
