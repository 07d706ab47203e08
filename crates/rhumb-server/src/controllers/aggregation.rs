//! Cluster roles that are made of others: their rules are those of all cluster roles that their selectors
//! match. Whenever a cluster role changes, those that gather it are brought up to date.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rhumb_api::rbac::v1::{AggregationRule, ClusterRole, PolicyRule};
use rhumb_store::{Entry, EventKind};
use serde_json::json;

use crate::controlplane::bootstrap::access::tree;
use crate::loopback::{Client, Loopback, ObjectRef, WeakLoopback};
use crate::registry::Storage;
use crate::registry::feed::{From, News};

const NAME: &str = "clusterrole-aggregation-controller";
const GROUP: &str = "rbac.authorization.k8s.io";
/// How long to wait before what failed is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// Starts to gather rules.
pub(super) fn start(api: &Loopback) {
    let resources = api.resources();
    let Some(storage) = resources.find(GROUP, "v1", "clusterroles").and_then(|found| found.storage.clone())
    else {
        return;
    };
    let news = api.follow(storage.prefix().clone(), From::Beginning);
    let gatherer = Gatherer { api: api.downgrade(), storage, roles: BTreeMap::new(), is_complete: false };
    api.tasks().spawn(gatherer.run(news));
}

/// What matters of a cluster role.
struct Known {
    labels: BTreeMap<String, String>,
    rules: Vec<PolicyRule>,
    gathers: Option<Box<AggregationRule>>,
}

struct Gatherer {
    api: WeakLoopback,
    storage: Arc<Storage>,
    /// All cluster roles by name.
    roles: BTreeMap<String, Known>,
    is_complete: bool,
}

impl Gatherer {
    async fn run(mut self, mut news: tokio::sync::mpsc::Receiver<News>) {
        let mut failed = false;
        loop {
            let pause = async {
                match failed {
                    true => tokio::time::sleep(PAUSE).await,
                    false => std::future::pending().await,
                }
            };
            tokio::select! {
                told = news.recv() => match told {
                    Some(told) => self.see(told),
                    None => return,
                },
                () = pause => {}
            }
            while let Ok(told) = news.try_recv() {
                self.see(told);
            }
            failed = self.is_complete && !self.work().await;
        }
    }

    fn see(&mut self, news: News) {
        match news {
            News::Anew => {
                self.roles.clear();
                self.is_complete = false;
            }
            News::There(entries) => entries.iter().for_each(|entry| self.see_role(entry)),
            News::Complete => self.is_complete = true,
            News::Changes(events) => {
                for event in events {
                    match event.kind {
                        EventKind::Put(entry) => self.see_role(&entry),
                        EventKind::Delete(key) => {
                            self.roles.remove(self.storage.place(&key).1);
                        }
                    }
                }
            }
        }
    }

    fn see_role(&mut self, entry: &Entry) {
        let name = self.storage.place(&entry.key).1;
        let loaded = self.storage.model.load(&entry.value, entry.modified).ok();
        let Some(role) = loaded.as_deref().and_then(|hub| hub.downcast_ref::<ClusterRole>()) else {
            self.roles.remove(name);
            return;
        };
        let known = Known {
            labels: role.metadata.labels.clone(),
            rules: role.rules.clone(),
            gathers: role.aggregation_rule.clone(),
        };
        self.roles.insert(name.to_owned(), known);
    }

    /// Brings roles up to date; false if one of them could not be.
    async fn work(&mut self) -> bool {
        let Some(api) = self.api.upgrade() else { return true };
        let resources = api.resources();
        let Some(endpoint) = resources.find(GROUP, "v1", "clusterroles") else { return true };
        let mut is_done = true;
        for (name, role) in &self.roles {
            let Some(gathers) = &role.gathers else { continue };
            let Some(rules) = self.gathered(name, gathers) else { continue };
            if rules == role.rules {
                continue;
            }
            let inner = Client::controller(&api, NAME).managing_as(NAME);
            let config = json!({
                "apiVersion": endpoint.kind.api_version(),
                "kind": endpoint.kind.kind.to_string(),
                "metadata": {"name": name},
                "rules": rules.iter().map(tree).collect::<Vec<_>>(),
            });
            is_done &= inner.apply(&ObjectRef::new(endpoint, "", name), &config).await.is_ok();
        }
        is_done
    }

    /// The rules that a role should have, each once; none if a selector can't be understood.
    fn gathered(&self, name: &str, gathers: &AggregationRule) -> Option<Vec<PolicyRule>> {
        let mut found: Vec<PolicyRule> = Vec::new();
        for selector in &gathers.cluster_role_selectors {
            let selector = selector.to_selector().ok()?;
            for (other, role) in &self.roles {
                if other == name || !selector.matches(&role.labels) {
                    continue;
                }
                for rule in &role.rules {
                    if !found.contains(rule) {
                        found.push(rule.clone());
                    }
                }
            }
        }
        Some(found)
    }
}
