//! The authorizer of expressions: asks the server's for the sender of the request.
//!
//! Expressions are evaluated without waiting, and decisions are mostly made so, too. Where one would have to wait, it
//! is noted; whoever evaluates waits for it and then evaluates once more. Each question is asked once in a request.

use std::borrow::Cow;
use std::sync::Arc;

use futures_util::FutureExt;
use parking_lot::Mutex;
use rhumb_cel_kubernetes::library::{self, Check, Decision};
use rhumb_meta::fields;

use crate::authorization::{AskedResource, Attributes, Authorizer};
use crate::base::identity::User;

/// The questions of a request.
pub(super) struct Asking {
    authorizer: Arc<Authorizer>,
    sender: User,
    known: Mutex<Vec<(library::Attributes, Decision)>>,
    waiting: Mutex<Vec<library::Attributes>>,
}

impl Asking {
    /// Asks for a sender.
    pub(super) fn new(authorizer: &Arc<Authorizer>, sender: &User) -> Self {
        let authorizer = Arc::clone(authorizer);
        Asking { authorizer, sender: sender.clone(), known: Mutex::default(), waiting: Mutex::default() }
    }

    /// Waits for the decisions that could not be made at once; false if there were none.
    pub(super) async fn settle(&self) -> bool {
        let waiting = std::mem::take(&mut *self.waiting.lock());
        let is_waited_for = !waiting.is_empty();
        for question in waiting {
            let decision = self.ask(&question).await;
            self.known.lock().push((question, decision));
        }
        is_waited_for
    }

    async fn ask(&self, question: &library::Attributes) -> Decision {
        let account;
        let user = match &question.user {
            library::User::Requester => &self.sender,
            library::User::ServiceAccount { namespace, name } => {
                account = User {
                    name: format!("system:serviceaccount:{namespace}:{name}"),
                    groups: vec![
                        "system:serviceaccounts".to_owned(),
                        format!("system:serviceaccounts:{namespace}"),
                    ],
                    ..User::default()
                };
                &account
            }
        };
        let verb = question.verb.as_str();
        let wanted = match &question.check {
            Check::Path(path) => Attributes::path(user, verb, path),
            Check::Resource { group, resource, subresource, namespace, name, field_selector, .. } => {
                let asked = AskedResource {
                    group,
                    resource,
                    subresource,
                    namespace,
                    name: Cow::Borrowed(name),
                    fields: selected(field_selector),
                };
                Attributes::resource(user, verb, asked)
            }
        };
        let decision = self.authorizer.authorized(&wanted).await;
        Decision { allowed: decision.is_allowed(), reason: decision.reason(), error: None }
    }
}

/// The fields that a selector asks one value of; none if it is wrong.
fn selected(selector: &str) -> Vec<(String, String)> {
    let Ok(selector) = fields::Selector::parse(selector) else { return Vec::new() };
    let terms = selector.requirements().iter().filter(|term| term.operator == fields::Operator::Equals);
    terms.map(|term| (term.field.clone(), term.value.clone())).collect()
}

impl library::Authorizer for Asking {
    fn decide(&self, question: &library::Attributes) -> Decision {
        let known =
            self.known.lock().iter().find(|(known, _)| known == question).map(|(_, known)| known.clone());
        if let Some(known) = known {
            return known;
        }
        match self.ask(question).now_or_never() {
            Some(decision) => {
                self.known.lock().push((question.clone(), decision.clone()));
                decision
            }
            None => {
                self.waiting.lock().push(question.clone());
                Decision::default()
            }
        }
    }
}
