//! Authorizers: decide who may do what. Masters may do everything; nodes what they need for their pods; everybody
//! else what roles grant that are bound to them. This is so unless the server was told otherwise
//! (`--authorization-mode`).
//!
//! A decision is made on the same parsed path that storage uses, from a [`Snapshot`] of all roles and bindings
//! that is swapped as a whole when one of them changes, so that nothing is read or locked for a request. Until
//! the first snapshot is there, those who are no masters wait.

mod atom;
pub(crate) mod attributes;
pub(crate) mod binding;
pub(crate) mod comparison;
pub(crate) mod follow;
pub(crate) mod modes;
pub(crate) mod node;
pub(crate) mod rules;
pub(crate) mod snapshot;
pub(crate) mod wording;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use rhumb_api::rbac::v1::PolicyRule;
use rhumb_schema::budget;
use tokio::sync::watch;

pub use modes::{AuthorizationMode, AuthorizationModes};

pub(crate) use attributes::{Asked, AskedResource, Attributes, Decision, Grant};
pub(crate) use node::node_of;
pub(crate) use rules::lacking;
pub(crate) use snapshot::{Problems, Snapshot};
pub(crate) use wording::refusal;

use self::node::{Nodes, Verdict};
use crate::base::failure::Outcome;
use crate::base::health::{Hook, PostStartHooks};
use crate::base::identity::User;
use crate::base::offload::Offload;
use crate::registry::Registry;

/// What decisions are made from.
struct Access {
    snapshot: ArcSwapOption<Snapshot>,
    is_filled: watch::Sender<bool>,
    nodes: Nodes,
}

impl Default for Access {
    fn default() -> Self {
        Access {
            snapshot: ArcSwapOption::empty(),
            is_filled: watch::Sender::new(false),
            nodes: Nodes::default(),
        }
    }
}

impl Access {
    fn publish(&self, snapshot: Snapshot) {
        self.snapshot.store(Some(Arc::new(snapshot)));
        self.is_filled.send_replace(true);
    }

    /// All roles and bindings, as soon as they are known.
    async fn snapshot(&self) -> Arc<Snapshot> {
        loop {
            if let Some(snapshot) = self.snapshot.load_full() {
                return snapshot;
            }
            // The sender lives as long as this does.
            let _ = self.is_filled.subscribe().wait_for(|filled| *filled).await;
        }
    }
}

/// A decision that is being made.
pub(crate) type Deciding<'a> = Pin<Box<dyn Future<Output = Decision> + Send + 'a>>;

/// Decides who may do what, for those who know nothing else of the API.
pub(crate) trait Authorize: Send + Sync {
    /// Whether somebody may do something.
    fn authorize<'a>(&'a self, wanted: &'a Attributes<'a>) -> Deciding<'a>;
}

impl Authorize for Authorizer {
    fn authorize<'a>(&'a self, wanted: &'a Attributes<'a>) -> Deciding<'a> {
        Box::pin(self.authorized(wanted))
    }
}

/// Where there are no roles: masters may do everything, and others ask how the server is and what it speaks.
pub(crate) struct MastersOnly;

impl Authorize for MastersOnly {
    fn authorize<'a>(&'a self, wanted: &'a Attributes<'a>) -> Deciding<'a> {
        const PUBLIC: [&str; 5] = ["/livez", "/readyz", "/healthz", "/version", "/version/"];
        let is_public = matches!(wanted.asked, Asked::Path(path) if PUBLIC.contains(&path));
        let decision = if wanted.user.is_master() || (is_public && wanted.verb == "get") {
            Decision::Allowed(Grant::Master)
        } else {
            Decision::Refused(String::new())
        };
        Box::pin(std::future::ready(decision))
    }
}

/// About how many bytes a rule has.
const EACH_RULE: usize = 128;

/// What somebody may do, as far as it can be listed.
#[derive(Default)]
pub(crate) struct RulesOf {
    pub(crate) rules: Vec<PolicyRule>,
    /// Whether there is more that can't be listed.
    pub(crate) is_incomplete: bool,
    /// What is not known, and why.
    pub(crate) problems: Problems,
}

/// The rules of those who may do everything.
pub(crate) fn everything() -> [PolicyRule; 2] {
    let all = || vec!["*".to_owned()];
    [
        PolicyRule { verbs: all(), api_groups: all(), resources: all(), ..PolicyRule::default() },
        PolicyRule { verbs: all(), non_resource_urls: all(), ..PolicyRule::default() },
    ]
}

/// Decides who may do what, by the authorizers that a server is told to ask.
pub(crate) struct Authorizer {
    registry: Arc<Registry>,
    modes: AuthorizationModes,
    access: Arc<Access>,
}

impl Authorizer {
    /// An authorizer that knows no roles yet.
    pub(crate) fn new(registry: &Arc<Registry>, modes: AuthorizationModes) -> Self {
        Authorizer { registry: Arc::clone(registry), modes, access: Arc::default() }
    }

    /// Starts to follow what decisions are made from.
    pub(crate) fn start(&self, hooks: &Arc<PostStartHooks>) {
        follow::start(&self.registry, &self.access);
        let (access, hooks) = (Arc::clone(&self.access), Arc::clone(hooks));
        self.registry.tasks.spawn(async move {
            access.snapshot().await;
            hooks.done(&[Hook::Informers]);
        });
    }

    /// All roles and bindings, as soon as they are known.
    pub(crate) async fn snapshot(&self) -> Arc<Snapshot> {
        self.access.snapshot().await
    }

    /// Whether somebody may do something.
    pub(crate) async fn authorized(&self, wanted: &Attributes<'_>) -> Decision {
        if wanted.user.is_master() {
            return Decision::Allowed(Grant::Master);
        }
        let mut reasons: Vec<String> = Vec::new();
        for mode in self.modes.iter() {
            match self.decided_by(mode, wanted).await {
                Decision::Refused(why) if why.is_empty() => {}
                Decision::Refused(why) => reasons.push(why),
                allowed => return allowed,
            }
        }
        Decision::Refused(reasons.join("\n"))
    }

    /// What one of those who decide says.
    async fn decided_by(&self, mode: AuthorizationMode, wanted: &Attributes<'_>) -> Decision {
        match mode {
            AuthorizationMode::Node => match self.access.nodes.decide(&self.registry, wanted).await {
                Verdict::Allowed => Decision::Allowed(Grant::Node),
                Verdict::NoOpinion(why) => Decision::Refused(why),
            },
            AuthorizationMode::Rbac => self.access.snapshot().await.decide(wanted),
            AuthorizationMode::AlwaysAllow => Decision::Allowed(Grant::Everybody),
            AuthorizationMode::AlwaysDeny => Decision::Refused("Everything is forbidden.".to_owned()),
        }
    }

    /// What somebody may do in a namespace, for a request that goes on on the pool if that is much.
    pub(crate) async fn rules_of(&self, user: &User, namespace: &str, offload: &Offload) -> RulesOf {
        let mut found = RulesOf::default();
        for mode in self.modes.iter() {
            match mode {
                AuthorizationMode::Node if node_of(user).is_some() => {
                    found.problems.add("node authorizer does not support user rule resolution".to_owned());
                    found.is_incomplete = true;
                }
                AuthorizationMode::Rbac => {
                    let snapshot = self.access.snapshot().await;
                    let (roles, problems) = snapshot.roles_of(user, namespace);
                    let count: usize = roles.iter().map(|rules| rules.len()).sum();
                    offload.of(count.saturating_mul(EACH_RULE)).await;
                    // A role is listed as often as it is bound. If that is too much, nobody sees what there is so far.
                    let rules = roles.into_iter().flat_map(|rules| rules.iter());
                    let rules =
                        rules.take_while(|rule| budget::take(rules::size(rule)) && !budget::is_stopped());
                    found.rules.extend(rules.cloned());
                    found.problems.append(problems);
                }
                AuthorizationMode::AlwaysAllow => found.rules.extend(everything()),
                AuthorizationMode::Node | AuthorizationMode::AlwaysDeny => {}
            }
        }
        found
    }

    /// Refuses what may not be done.
    pub(crate) async fn allow(&self, wanted: &Attributes<'_>) -> Outcome<()> {
        match self.authorized(wanted).await {
            Decision::Allowed(_) => Ok(()),
            Decision::Refused(why) => Err(refusal(wanted, &why)),
        }
    }
}
