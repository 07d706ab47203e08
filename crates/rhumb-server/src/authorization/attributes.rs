//! What is asked for, by whom, and what the answer is: the words that everything that decides shares.

use std::borrow::Cow;
use std::sync::Arc;

use crate::authorization::binding::Binding;
use crate::base::identity::User;

/// What somebody wants to do.
#[derive(Clone, Debug)]
pub(crate) struct Attributes<'a> {
    /// Who.
    pub(crate) user: &'a User,
    /// What: `get`, `list` and so on for resources, the method in small letters for other paths.
    pub(crate) verb: Cow<'a, str>,
    /// With what.
    pub(crate) asked: Asked<'a>,
}

/// What a request is for.
#[derive(Clone, Debug)]
pub(crate) enum Asked<'a> {
    /// A resource, an object, or a part of one.
    Resource(AskedResource<'a>),
    /// A path that is no resource.
    Path(&'a str),
}

/// The resource that a request is for. Names that don't matter are empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct AskedResource<'a> {
    /// The group.
    pub(crate) group: &'a str,
    /// The resource.
    pub(crate) resource: &'a str,
    /// What is below the object.
    pub(crate) subresource: &'a str,
    /// The namespace.
    pub(crate) namespace: &'a str,
    /// The object.
    pub(crate) name: Cow<'a, str>,
    /// The fields that objects are selected by with one value each. Only lists, watches and deletions of many
    /// have any.
    pub(crate) fields: Vec<(String, String)>,
}

impl<'a> Attributes<'a> {
    /// A question about a resource.
    pub(crate) fn resource(user: &'a User, verb: impl Into<Cow<'a, str>>, asked: AskedResource<'a>) -> Self {
        Attributes { user, verb: verb.into(), asked: Asked::Resource(asked) }
    }

    /// A question about a path that is no resource.
    pub(crate) fn path(user: &'a User, verb: impl Into<Cow<'a, str>>, path: &'a str) -> Self {
        Attributes { user, verb: verb.into(), asked: Asked::Path(path) }
    }

    /// The namespace that it is about; empty for none.
    pub(crate) fn namespace(&self) -> &'a str {
        match &self.asked {
            Asked::Resource(asked) => asked.namespace,
            Asked::Path(_) => "",
        }
    }
}

/// Whether something may be done.
#[derive(Clone, Debug)]
pub(crate) enum Decision {
    /// It may.
    Allowed(Grant),
    /// It may not. What there is to say about it may be nothing.
    Refused(String),
}

/// Why something may be done. Nobody writes this down unless it is asked for.
#[derive(Clone, Debug)]
pub(crate) enum Grant {
    /// Masters may do everything.
    Master,
    /// Nodes may do what they need for their pods.
    Node,
    /// Everybody may do everything.
    Everybody,
    /// A binding grants a role that allows it. The number is that of the first of its subjects who is the user.
    Rule(Arc<Binding>, usize),
}

impl Decision {
    /// Whether it may be done.
    pub(crate) fn is_allowed(&self) -> bool {
        matches!(self, Decision::Allowed(_))
    }

    /// Why, as reviews tell it; often nothing.
    pub(crate) fn reason(&self) -> String {
        match self {
            Decision::Allowed(Grant::Rule(binding, subject)) => {
                format!("RBAC: allowed by {}", binding.described(*subject))
            }
            Decision::Allowed(_) => String::new(),
            Decision::Refused(why) => why.clone(),
        }
    }
}
