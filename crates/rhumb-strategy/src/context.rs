//! What strategies know beside the object: when and by whom it was sent, and in which version.

use std::collections::BTreeMap;

use rhumb_meta::{GroupVersion, Time};

/// Who sent a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// What tells apart users who had the same name one after another; may be empty.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
    /// What else authentication found out.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// What strategies know beside the object.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The time that counts as now for the whole request.
    pub now: Time,
    /// The group and version that the request came in.
    pub request_version: &'a GroupVersion,
    /// Who sent it.
    pub user: &'a User,
}
