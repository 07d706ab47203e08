//! Context of strategies: time, user and version of a request.

use std::collections::BTreeMap;

use rhumb_meta::{GroupVersion, Time};

/// User of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// UID, which distinguishes users who had the same name; may be empty.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
    /// Extra attributes.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// Context of a strategy.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The time that counts as now for the whole request.
    pub now: Time,
    /// The group and version that the request came in.
    pub request_version: &'a GroupVersion,
    /// User.
    pub user: &'a User,
}
