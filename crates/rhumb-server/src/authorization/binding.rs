//! Bindings of roles to subjects, and who their subjects are.

use std::borrow::Cow;

use rhumb_api::rbac::v1::{RoleRef, Subject};
use rhumb_schema::text::quoted;

use crate::base::identity::User;

/// A binding of a role to subjects.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) name: String,
    /// Empty for a binding that holds everywhere.
    pub(crate) namespace: String,
    pub(crate) role: RoleRef,
    pub(crate) subjects: Vec<Subject>,
}

/// Who a subject is, as a user's name or groups tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SubjectKind {
    User,
    Group,
}

impl Binding {
    /// The name that a subject is known by. A service account is the user that its tokens name.
    pub(super) fn known_by<'s>(&self, subject: &'s Subject) -> Option<(SubjectKind, Cow<'s, str>)> {
        match subject.kind.as_str() {
            "User" => Some((SubjectKind::User, Cow::Borrowed(&subject.name))),
            "Group" => Some((SubjectKind::Group, Cow::Borrowed(&subject.name))),
            "ServiceAccount" => {
                let place = if subject.namespace.is_empty() { &self.namespace } else { &subject.namespace };
                let name = format!("system:serviceaccount:{place}:{}", subject.name);
                (!place.is_empty()).then_some((SubjectKind::User, Cow::Owned(name)))
            }
            _ => None,
        }
    }

    /// The number of the first subject that a user is.
    pub(super) fn subject_of(&self, user: &User) -> Option<usize> {
        self.subjects.iter().position(|subject| match self.known_by(subject) {
            Some((SubjectKind::User, name)) => user.name == name,
            Some((SubjectKind::Group, name)) => user.groups.iter().any(|group| *group == name),
            None => false,
        })
    }

    /// The binding and one of its subjects, as reviews tell of them.
    pub(crate) fn described(&self, subject: usize) -> String {
        let (kind, name) = match self.namespace.as_str() {
            "" => ("ClusterRoleBinding", self.name.clone()),
            namespace => ("RoleBinding", format!("{}/{namespace}", self.name)),
        };
        let to = match self.subjects.get(subject) {
            None => String::new(),
            Some(subject) if subject.kind == "ServiceAccount" => {
                let place = if subject.namespace.is_empty() { &self.namespace } else { &subject.namespace };
                format!("{} {}", subject.kind, quoted(format!("{}/{place}", subject.name)))
            }
            Some(subject) => format!("{} {}", subject.kind, quoted(&subject.name)),
        };
        format!("{kind} {} of {} {} to {to}", quoted(name), self.role.kind, quoted(&self.role.name))
    }
}
