//! `GroupVersioner`: selects the version to convert to.

use rhumb_meta::{GroupKind, GroupVersion, GroupVersionKind, GroupVersions, INTERNAL};
use rhumb_schema::text::quoted;

/// Selects the target kind of a conversion from the kinds of an object.
pub trait GroupVersioner {
    /// Returns the kind to convert to, if the target has one for any of these.
    fn kind_for(&self, kinds: &[GroupVersionKind]) -> Option<GroupVersionKind>;
    /// Returns a text that is equal for versioners that choose alike, for caches.
    fn identifier(&self) -> String;
    /// Formats the versioner for errors, as Go quotes it.
    fn quoted(&self) -> String {
        quoted(self.identifier())
    }
}

impl GroupVersioner for GroupVersion {
    fn kind_for(&self, kinds: &[GroupVersionKind]) -> Option<GroupVersionKind> {
        self.kind_for_group_version_kinds(kinds)
    }
    fn identifier(&self) -> String {
        GroupVersion::identifier(self)
    }
}

impl GroupVersioner for GroupVersions {
    fn kind_for(&self, kinds: &[GroupVersionKind]) -> Option<GroupVersionKind> {
        self.kind_for_group_version_kinds(kinds)
    }
    fn identifier(&self) -> String {
        GroupVersions::identifier(self)
    }
    fn quoted(&self) -> String {
        let members: Vec<String> = self.0.iter().map(|gv| quoted(gv.to_string())).collect();
        format!("[{}]", members.join(" "))
    }
}

/// Selects the internal version of the object's group.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToInternal;

impl GroupVersioner for ToInternal {
    fn kind_for(&self, kinds: &[GroupVersionKind]) -> Option<GroupVersionKind> {
        let kind = kinds.iter().find(|kind| kind.version == INTERNAL).or(kinds.first())?;
        Some(GroupVersionKind::new(kind.group.clone(), INTERNAL, kind.kind.clone()))
    }
    fn identifier(&self) -> String {
        "internal".into()
    }
    fn quoted(&self) -> String {
        "{}".into()
    }
}

/// Selects no kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToNone;

impl GroupVersioner for ToNone {
    fn kind_for(&self, _kinds: &[GroupVersionKind]) -> Option<GroupVersionKind> {
        None
    }
    fn identifier(&self) -> String {
        "disabled".into()
    }
    fn quoted(&self) -> String {
        "{}".into()
    }
}

/// Handling of kinds outside the accepted groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// They don't suit the target.
    Refused,
    /// They go to the target too, if no kind is accepted.
    Coerced,
}

/// Selects one version for kinds of several groups, for kinds that moved between groups.
#[derive(Clone, Debug)]
pub struct ToGroups {
    target: GroupVersion,
    accepted: Vec<GroupKind>,
    others: Others,
}

impl ToGroups {
    /// Creates a versioner for these kinds; one without a name stands for all kinds of its group.
    pub fn new(target: GroupVersion, accepted: Vec<GroupKind>, others: Others) -> Self {
        ToGroups { target, accepted, others }
    }

    /// Reports whether there are no other groups, so that it acts like the version itself and keeps kinds already in
    /// it.
    fn is_plain(&self) -> bool {
        let own_only = match self.accepted.as_slice() {
            [] => true,
            [single] => single.group == self.target.group,
            _ => false,
        };
        self.others == Others::Refused && own_only
    }
}

impl GroupVersioner for ToGroups {
    fn kind_for(&self, kinds: &[GroupVersionKind]) -> Option<GroupVersionKind> {
        if self.is_plain() {
            return self.target.kind_for(kinds);
        }
        let accepts = |kind: &&GroupVersionKind| {
            self.accepted.iter().any(|accepted| {
                accepted.group == kind.group && (accepted.kind.is_empty() || accepted.kind == kind.kind)
            })
        };
        let coerced = kinds.first().filter(|_| self.others == Others::Coerced);
        kinds.iter().find(accepts).or(coerced).map(|kind| self.target.with_kind(kind.kind.clone()))
    }

    fn identifier(&self) -> String {
        if self.is_plain() {
            return self.target.identifier();
        }
        let accepted: Vec<String> = self.accepted.iter().map(GroupKind::to_string).collect();
        let parts = serde_json::json!({
            "accepted": accepted.join(","),
            "coerce": (self.others == Others::Coerced).to_string(),
            "name": "multi",
            "target": self.target.to_string(),
        });
        parts.to_string()
    }

    fn quoted(&self) -> String {
        if self.is_plain() {
            return self.target.quoted();
        }
        // A struct behind an interface: Go quotes its parts one by one, and can't quote a truth value.
        let pair = |first: &str, second: &str| format!("{{{} {}}}", quoted(first), quoted(second));
        let accepted: Vec<String> = self.accepted.iter().map(|kind| pair(&kind.group, &kind.kind)).collect();
        let coerce = self.others == Others::Coerced;
        let target = pair(&self.target.group, &self.target.version);
        format!("{{{target} [{}] %!q(bool={coerce})}}", accepted.join(" "))
    }
}
