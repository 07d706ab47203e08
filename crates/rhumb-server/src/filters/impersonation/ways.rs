//! The ways to impersonate somebody, and what each of them asks for.

use std::collections::{BTreeMap, HashMap};

use parking_lot::Mutex;
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_validation::meta::domain_prefixed_path;

use super::{AUTHENTICATED, Named, UNAUTHENTICATED};
use crate::authorization::{AskedResource, Attributes, Authorize, Decision, refusal};
use crate::base::failure::Failure;
use crate::base::identity::{ANONYMOUS, MASTERS, User};

/// The group that the details of users are in.
const AUTHENTICATION: &str = "authentication.k8s.io";
/// What a service account's token says about the node that its pod is on.
const NODE_OF_ACCOUNT: &str = "authentication.kubernetes.io/node-name";

/// A way to speak for somebody, with rights of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// A service account speaks for the node that its pod is on.
    OwnNode,
    /// Somebody speaks for a node.
    AnyNode,
    /// Somebody speaks for a service account.
    Account,
    /// Somebody speaks for anybody else, in all details.
    Details,
    /// The oldest way, which knows no bounds but the names.
    Old,
}

/// The ways that were open to senders, so that they are tried first. There is no harm in forgetting them.
#[derive(Default)]
pub(crate) struct Ways(Mutex<HashMap<String, Way>>);

impl Ways {
    /// How many senders are remembered.
    const MOST: usize = 10_000;

    pub(super) fn get(&self, sender: &str) -> Option<Way> {
        self.0.lock().get(sender).copied()
    }

    pub(super) fn note(&self, sender: &str, way: Way) {
        let mut known = self.0.lock();
        if known.get(sender) == Some(&way) {
            return;
        }
        if known.len() >= Self::MOST {
            known.clear();
        }
        known.insert(sender.to_owned(), way);
    }
}

/// From how many names on it is worth asking whether all of them are allowed.
const MANY: usize = 4;

impl Way {
    pub(super) const ALL: [Way; 5] = [Way::OwnNode, Way::AnyNode, Way::Account, Way::Details, Way::Old];

    /// What its verbs call it.
    fn name(self) -> &'static str {
        match self {
            Way::OwnNode => "associated-node",
            Way::AnyNode => "arbitrary-node",
            Way::Account => "serviceaccount",
            Way::Details => "user-info",
            Way::Old => "",
        }
    }

    /// Whether somebody can be spoken for in this way at all.
    pub(super) fn is_for(self, sender: &User, wanted: &User, named: &Named) -> bool {
        let by_name_alone = wanted.uid.is_empty() && wanted.groups.is_empty() && wanted.extra.is_empty();
        match (self, named) {
            (Way::OwnNode, Named::Node(node)) => {
                let is_account = matches!(Named::of(&sender.name), Named::Account { .. });
                let own = sender.extra.get(NODE_OF_ACCOUNT).map(Vec::as_slice);
                by_name_alone && is_account && matches!(own, Some([own]) if own == node)
            }
            (Way::AnyNode, Named::Node(_)) | (Way::Account, Named::Account { .. }) => by_name_alone,
            (Way::Details, Named::Other) | (Way::Old, _) => true,
            _ => false,
        }
    }

    /// Who the sender is from now on: what the headers say, and what goes without saying.
    pub(super) fn user(self, mut user: User, named: &Named) -> User {
        match named {
            Named::Node(_) if self != Way::Old => user.groups = vec!["system:nodes".to_owned()],
            Named::Account { namespace, .. } if user.groups.is_empty() => {
                user.groups =
                    vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
            }
            _ => {}
        }
        let has = |group: &str| user.groups.iter().any(|known| known == group);
        if user.name == ANONYMOUS {
            if !has(UNAUTHENTICATED) {
                user.groups.push(UNAUTHENTICATED.to_owned());
            }
        } else if !has(UNAUTHENTICATED) && !has(AUTHENTICATED) {
            user.groups.push(AUTHENTICATED.to_owned());
        }
        user
    }
}

/// One way, tried for one request.
pub(super) struct Attempt<'a> {
    pub(super) way: Way,
    pub(super) asked: &'a Attributes<'a>,
    pub(super) authorizer: &'a dyn Authorize,
}

impl Attempt<'_> {
    /// Refuses if the sender may not speak for a user in this way, or not to ask this.
    pub(super) async fn check(&self, wanted: &User, named: &Named) -> Result<(), Failure> {
        if self.way != Way::Old {
            let verb = format!("impersonate-on:{}:{}", self.way.name(), self.asked.verb);
            self.allow(&Attributes { verb: verb.into(), ..self.asked.clone() }).await?;
        }
        self.check_name(wanted, named).await?;
        if !wanted.uid.is_empty() {
            self.may(AUTHENTICATION, "uids", "", "", &wanted.uid).await?;
        }
        self.check_groups(&wanted.groups).await?;
        self.check_extra(&wanted.extra).await
    }

    async fn check_name(&self, wanted: &User, named: &Named) -> Result<(), Failure> {
        match named {
            Named::Node(_) if self.way == Way::OwnNode => self.may(self.group(), "nodes", "", "", "*").await,
            Named::Node(node) if self.way != Way::Old => self.may(self.group(), "nodes", "", "", node).await,
            Named::Account { namespace, name } => {
                self.may(self.group(), "serviceaccounts", "", namespace, name).await
            }
            _ => self.may(self.group(), "users", "", "", &wanted.name).await,
        }
    }

    async fn check_groups(&self, groups: &[String]) -> Result<(), Failure> {
        if groups.is_empty() {
            return Ok(());
        }
        if self.way != Way::Old {
            let refuse = |name: &'static str, why: &str| {
                Err(refusal(&self.question(self.group(), "groups", "", "", name), why))
            };
            if groups.iter().any(String::is_empty) {
                return refuse("", "impersonating the empty string group is not allowed");
            }
            if groups.iter().any(|group| group == MASTERS) {
                return refuse(MASTERS, "impersonating the system:masters group is not allowed");
            }
            if groups.len() >= MANY && self.may(self.group(), "groups", "", "", "*").await.is_ok() {
                return Ok(());
            }
        }
        for group in groups {
            self.may(self.group(), "groups", "", "", group).await?;
        }
        Ok(())
    }

    async fn check_extra(&self, extra: &BTreeMap<String, Vec<String>>) -> Result<(), Failure> {
        if extra.is_empty() {
            return Ok(());
        }
        if self.way != Way::Old {
            if let Some(why) = extra.iter().find_map(|(key, values)| bad_extra(key, values)) {
                return Err(refusal(&self.question(AUTHENTICATION, "userextras", "", "", ""), &why));
            }
            let is_large = extra.len() >= MANY || extra.values().map(Vec::len).sum::<usize>() >= MANY;
            if is_large && self.may(AUTHENTICATION, "userextras", "*", "", "*").await.is_ok() {
                return Ok(());
            }
        }
        for (key, values) in extra {
            for value in values {
                self.may(AUTHENTICATION, "userextras", key, "", value).await?;
            }
        }
        Ok(())
    }

    /// The group that names of users and groups are in.
    fn group(&self) -> &'static str {
        if self.way == Way::Old { "" } else { AUTHENTICATION }
    }

    fn question<'q>(
        &'q self,
        group: &'q str,
        resource: &'q str,
        subresource: &'q str,
        namespace: &'q str,
        name: &'q str,
    ) -> Attributes<'q> {
        let verb = match self.way {
            Way::Old => "impersonate".to_owned(),
            way => format!("impersonate:{}", way.name()),
        };
        let name = name.into();
        let asked = AskedResource { group, resource, subresource, namespace, name, fields: Vec::new() };
        Attributes::resource(self.asked.user, verb, asked)
    }

    async fn may(
        &self,
        group: &str,
        resource: &str,
        subresource: &str,
        namespace: &str,
        name: &str,
    ) -> Result<(), Failure> {
        self.allow(&self.question(group, resource, subresource, namespace, name)).await
    }

    async fn allow(&self, wanted: &Attributes<'_>) -> Result<(), Failure> {
        match self.authorizer.authorize(wanted).await {
            Decision::Allowed(_) => Ok(()),
            Decision::Refused(why) => Err(refusal(wanted, &why)),
        }
    }
}

/// Why nobody can be given this in the newer ways.
fn bad_extra(key: &str, values: &[String]) -> Option<String> {
    if key.is_empty() {
        return Some("impersonating the empty string key in extra is not allowed".to_owned());
    }
    let mut errors = FieldErrors::default();
    domain_prefixed_path(key, &FieldPath::new("extra").child("key"), &mut errors);
    if !errors.is_empty() {
        let told: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
        let told = if told.len() == 1 { told.concat() } else { format!("[{}]", told.join(", ")) };
        return Some(format!("impersonating an invalid key in extra is not allowed: {told}"));
    }
    if key.chars().any(char::is_uppercase) {
        return Some(format!("impersonating a non-lowercase key in extra is not allowed: {}", quoted(key)));
    }
    if values.is_empty() {
        return Some("impersonating empty values in extra is not allowed".to_owned());
    }
    if values.iter().any(String::is_empty) {
        return Some("impersonating the empty string value in extra is not allowed".to_owned());
    }
    None
}
