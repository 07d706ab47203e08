//! Names of API groups, versions, kinds and resources.
//!
//! The parts are `Cow<'static, str>`: a name known at compile time is a constant that never allocates, and
//! one read from a request owns its text. Nothing here checks whether a name is legal or known to a server;
//! any text, also the empty one, may stand in any part, just as it may arrive in `apiVersion` and `kind`.
//!
//! The printed forms appear in error messages and in stored data, so they are fixed.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::str::FromStr;

#[cfg(test)]
mod tests;

/// The internal version, which never appears on the wire.
pub const INTERNAL: &str = "__internal";

/// Text of one part of a name.
type Part = Cow<'static, str>;

/// API group and version: the value of `apiVersion`.
///
/// The legacy group has the empty name and prints as its version alone: `v1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupVersion {
    /// The group, for example `apps`; empty for the legacy group.
    pub group: Cow<'static, str>,
    /// The version, for example `v1`.
    pub version: Cow<'static, str>,
}

/// Kind without a version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupKind {
    /// The group, for example `apps`; empty for the legacy group.
    pub group: Cow<'static, str>,
    /// The kind, for example `Deployment`.
    pub kind: Cow<'static, str>,
}

/// Resource without a version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupResource {
    /// The group, for example `apps`; empty for the legacy group.
    pub group: Cow<'static, str>,
    /// The resource as it stands in a path, for example `deployments`.
    pub resource: Cow<'static, str>,
}

/// Full name of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupVersionKind {
    /// The group, for example `apps`; empty for the legacy group.
    pub group: Cow<'static, str>,
    /// The version, for example `v1`.
    pub version: Cow<'static, str>,
    /// The kind, for example `Deployment`.
    pub kind: Cow<'static, str>,
}

/// Full name of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupVersionResource {
    /// The group, for example `apps`; empty for the legacy group.
    pub group: Cow<'static, str>,
    /// The version, for example `v1`.
    pub version: Cow<'static, str>,
    /// The resource as it stands in a path, for example `deployments`.
    pub resource: Cow<'static, str>,
}

/// Group versions in order of preference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupVersions(
    /// The list itself.
    pub Vec<GroupVersion>,
);

/// Error: a `group/version` with more than one slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseGroupVersionError {
    text: String,
}

impl ParseGroupVersionError {
    /// Returns the text that was refused.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for ParseGroupVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unexpected GroupVersion string: {}", self.text)
    }
}

impl Error for ParseGroupVersionError {}

impl GroupVersion {
    /// Creates a group version from static text.
    pub const fn new_static(group: &'static str, version: &'static str) -> Self {
        Self { group: Cow::Borrowed(group), version: Cow::Borrowed(version) }
    }

    /// Creates a group version.
    pub fn new(group: impl Into<Cow<'static, str>>, version: impl Into<Cow<'static, str>>) -> Self {
        Self { group: group.into(), version: version.into() }
    }

    /// Reads the text of an `apiVersion`: `apps/v1`, or `v1` for the legacy group.
    ///
    /// The empty text and a lone slash give the empty group version.
    pub fn parse(text: &str) -> Result<Self, ParseGroupVersionError> {
        match text.split_once('/') {
            None => Ok(Self::new("", owned(text))),
            Some((_, rest)) if rest.contains('/') => Err(ParseGroupVersionError { text: text.to_owned() }),
            Some((group, version)) => Ok(Self::new(owned(group), owned(version))),
        }
    }

    /// Reports whether both parts are empty.
    pub fn is_empty(&self) -> bool {
        self.group.is_empty() && self.version.is_empty()
    }

    /// Returns the kind of that name in this group version.
    pub fn with_kind(&self, kind: impl Into<Cow<'static, str>>) -> GroupVersionKind {
        GroupVersionKind { group: self.group.clone(), version: self.version.clone(), kind: kind.into() }
    }

    /// Returns the resource of that name in this group version.
    pub fn with_resource(&self, resource: impl Into<Cow<'static, str>>) -> GroupVersionResource {
        GroupVersionResource {
            group: self.group.clone(),
            version: self.version.clone(),
            resource: resource.into(),
        }
    }

    /// Returns a text that identifies this choice of version; the same as the printed form.
    pub fn identifier(&self) -> String {
        self.to_string()
    }

    /// Picks from the names of one type the one to use for this group version.
    ///
    /// A kind of exactly this group and version wins. Failing that, the first kind of the same group gives
    /// its name, moved to this version. `None` says that no kind belongs to the group.
    pub fn kind_for_group_version_kinds(&self, kinds: &[GroupVersionKind]) -> Option<GroupVersionKind> {
        let same_group = || kinds.iter().filter(|kind| kind.group == self.group);
        same_group()
            .find(|kind| kind.version == self.version)
            .cloned()
            .or_else(|| same_group().next().map(|kind| self.with_kind(kind.kind.clone())))
    }
}

impl GroupVersions {
    /// Returns a text that identifies this list: the members between brackets, separated by commas.
    pub fn identifier(&self) -> String {
        let members: Vec<String> = self.0.iter().map(GroupVersion::to_string).collect();
        format!("[{}]", members.join(","))
    }

    /// Picks from the names of one type the one to use for this list.
    ///
    /// Every member proposes a kind as [`GroupVersion::kind_for_group_version_kinds`] does. The first
    /// proposal that is itself among `kinds` wins, then the first proposal at all.
    pub fn kind_for_group_version_kinds(&self, kinds: &[GroupVersionKind]) -> Option<GroupVersionKind> {
        let mut fallback = None;
        for member in &self.0 {
            let Some(proposal) = member.kind_for_group_version_kinds(kinds) else { continue };
            if kinds.contains(&proposal) {
                return Some(proposal);
            }
            fallback.get_or_insert(proposal);
        }
        fallback
    }
}

impl From<Vec<GroupVersion>> for GroupVersions {
    fn from(list: Vec<GroupVersion>) -> Self {
        Self(list)
    }
}

impl FromIterator<GroupVersion> for GroupVersions {
    fn from_iter<I: IntoIterator<Item = GroupVersion>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl GroupKind {
    /// Creates a kind from static text.
    pub const fn new_static(group: &'static str, kind: &'static str) -> Self {
        Self { group: Cow::Borrowed(group), kind: Cow::Borrowed(kind) }
    }

    /// Creates a kind.
    pub fn new(group: impl Into<Cow<'static, str>>, kind: impl Into<Cow<'static, str>>) -> Self {
        Self { group: group.into(), kind: kind.into() }
    }

    /// Reads `Kind.group`; a text without a dot is a kind of the legacy group.
    pub fn parse(text: &str) -> Self {
        let (kind, group) = split_at_dot(text);
        Self::new(group, kind)
    }

    /// Reports whether both parts are empty.
    pub fn is_empty(&self) -> bool {
        self.group.is_empty() && self.kind.is_empty()
    }

    /// Returns this kind in a version.
    pub fn with_version(&self, version: impl Into<Cow<'static, str>>) -> GroupVersionKind {
        GroupVersionKind { group: self.group.clone(), version: version.into(), kind: self.kind.clone() }
    }
}

impl GroupResource {
    /// Creates a resource from static text.
    pub const fn new_static(group: &'static str, resource: &'static str) -> Self {
        Self { group: Cow::Borrowed(group), resource: Cow::Borrowed(resource) }
    }

    /// Creates a resource.
    pub fn new(group: impl Into<Cow<'static, str>>, resource: impl Into<Cow<'static, str>>) -> Self {
        Self { group: group.into(), resource: resource.into() }
    }

    /// Reads `resource.group`; a text without a dot is a resource of the legacy group.
    pub fn parse(text: &str) -> Self {
        let (resource, group) = split_at_dot(text);
        Self::new(group, resource)
    }

    /// Reports whether both parts are empty.
    pub fn is_empty(&self) -> bool {
        self.group.is_empty() && self.resource.is_empty()
    }

    /// Returns this resource in a version.
    pub fn with_version(&self, version: impl Into<Cow<'static, str>>) -> GroupVersionResource {
        GroupVersionResource {
            group: self.group.clone(),
            version: version.into(),
            resource: self.resource.clone(),
        }
    }
}

impl GroupVersionKind {
    /// Creates a kind from static text.
    pub const fn new_static(group: &'static str, version: &'static str, kind: &'static str) -> Self {
        Self { group: Cow::Borrowed(group), version: Cow::Borrowed(version), kind: Cow::Borrowed(kind) }
    }

    /// Creates a kind.
    pub fn new(
        group: impl Into<Cow<'static, str>>,
        version: impl Into<Cow<'static, str>>,
        kind: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { group: group.into(), version: version.into(), kind: kind.into() }
    }

    /// Reads what a user typed for a kind: `Kind.group` or `Kind.version.group`.
    ///
    /// The text alone doesn't tell the two apart, so both readings are returned and the caller, who knows the
    /// groups, decides. The reading with a version exists only when there are at least two dots.
    pub fn parse_arg(text: &str) -> (Option<Self>, GroupKind) {
        let full = split_at_two_dots(text).map(|(kind, version, group)| Self::new(group, version, kind));
        (full, GroupKind::parse(text))
    }

    /// Returns the name told by the `apiVersion` and `kind` of an object.
    ///
    /// An `apiVersion` with too many slashes counts as empty.
    pub fn from_api_version_and_kind(api_version: &str, kind: &str) -> Self {
        GroupVersion::parse(api_version).unwrap_or_default().with_kind(owned(kind))
    }

    /// Returns the `apiVersion` and `kind` that tell this name.
    pub fn to_api_version_and_kind(&self) -> (String, String) {
        (self.api_version(), self.kind.clone().into_owned())
    }

    /// Reports whether an `apiVersion` names this group and version; [`Self::api_version`] compared without making it.
    pub fn has_api_version(&self, api_version: &str) -> bool {
        if self.group.is_empty() {
            return self.version == api_version;
        }
        let rest = api_version.strip_prefix(&*self.group).and_then(|rest| rest.strip_prefix('/'));
        rest.is_some_and(|version| self.version == version)
    }

    /// Returns the `apiVersion` of objects of this kind.
    pub fn api_version(&self) -> String {
        let mut text = String::with_capacity(self.group.len() + 1 + self.version.len());
        if !self.group.is_empty() {
            text.push_str(&self.group);
            text.push('/');
        }
        text.push_str(&self.version);
        text
    }

    /// Reports whether all parts are empty.
    pub fn is_empty(&self) -> bool {
        self.group.is_empty() && self.version.is_empty() && self.kind.is_empty()
    }

    /// Returns this kind without its version.
    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }

    /// Returns the kind's group version.
    pub fn group_version(&self) -> GroupVersion {
        GroupVersion { group: self.group.clone(), version: self.version.clone() }
    }
}

impl GroupVersionResource {
    /// Creates a resource from static text.
    pub const fn new_static(group: &'static str, version: &'static str, resource: &'static str) -> Self {
        Self {
            group: Cow::Borrowed(group),
            version: Cow::Borrowed(version),
            resource: Cow::Borrowed(resource),
        }
    }

    /// Creates a resource.
    pub fn new(
        group: impl Into<Cow<'static, str>>,
        version: impl Into<Cow<'static, str>>,
        resource: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { group: group.into(), version: version.into(), resource: resource.into() }
    }

    /// Reads what a user typed for a resource: `resource.group` or `resource.version.group`.
    ///
    /// The text alone doesn't tell the two apart, so both readings are returned and the caller, who knows the
    /// groups, decides. The reading with a version exists only when there are at least two dots.
    pub fn parse_arg(text: &str) -> (Option<Self>, GroupResource) {
        let full =
            split_at_two_dots(text).map(|(resource, version, group)| Self::new(group, version, resource));
        (full, GroupResource::parse(text))
    }

    /// Reports whether all parts are empty.
    pub fn is_empty(&self) -> bool {
        self.group.is_empty() && self.version.is_empty() && self.resource.is_empty()
    }

    /// Returns this resource without its version.
    pub fn group_resource(&self) -> GroupResource {
        GroupResource { group: self.group.clone(), resource: self.resource.clone() }
    }

    /// Returns the resource's group version.
    pub fn group_version(&self) -> GroupVersion {
        GroupVersion { group: self.group.clone(), version: self.version.clone() }
    }
}

impl fmt::Display for GroupVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() {
            f.write_str(&self.version)
        } else {
            write!(f, "{}/{}", self.group, self.version)
        }
    }
}

impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_dotted(f, &self.kind, &self.group)
    }
}

impl fmt::Display for GroupResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_dotted(f, &self.resource, &self.group)
    }
}

// Unlike a group version, the full names keep the slash of an empty group.
impl fmt::Display for GroupVersionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Kind={}", self.group, self.version, self.kind)
    }
}

impl fmt::Display for GroupVersionResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Resource={}", self.group, self.version, self.resource)
    }
}

impl FromStr for GroupVersion {
    type Err = ParseGroupVersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

fn write_dotted(f: &mut fmt::Formatter<'_>, name: &str, group: &str) -> fmt::Result {
    if group.is_empty() { f.write_str(name) } else { write!(f, "{name}.{group}") }
}

fn owned(text: &str) -> Part {
    // The legacy group makes empty parts common; they need no allocation.
    if text.is_empty() { Cow::Borrowed("") } else { Cow::Owned(text.to_owned()) }
}

fn split_at_dot(text: &str) -> (Part, Part) {
    let (name, group) = text.split_once('.').unwrap_or((text, ""));
    (owned(name), owned(group))
}

fn split_at_two_dots(text: &str) -> Option<(Part, Part, Part)> {
    let (name, rest) = text.split_once('.')?;
    let (version, group) = rest.split_once('.')?;
    Some((owned(name), owned(version), owned(group)))
}
