//! ResourceQuota: what is made or grows must fit into what the quotas of the namespace have left, and is charged to
//! them before it is stored.
//!
//! A charge is a change of the quota's status that is made on the quota as it is at that moment: who loses against
//! another charge is decided anew on what that one left. So however many ask at once, no more is given away than
//! there is. What is charged and then not stored is given back when `controllers::quota` counts again. It does so
//! only while no request is between its charge and the store: what it would not find there was charged already.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rhumb_api::core::v1::ResourceQuota;
use rhumb_meta::Object;
use rhumb_policy::quota::{self, Evaluator, Refusal, Request};
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};
use tokio::time::timeout;

use super::{Admission, Attributes, Deciding, Operation};
use crate::base::failure::{Failure, Outcome};

const QUOTAS: (&str, &str, &str) = ("", "v1", "resourcequotas");

/// How long requests wait for a count to end, and a count for requests.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request that has charged quotas of a namespace, until it is answered.
pub(crate) type Charged = OwnedRwLockReadGuard<()>;

/// Keeps those who charge the quotas of a namespace and who counts them anew apart.
#[derive(Default)]
pub(crate) struct Gates(Mutex<HashMap<String, Arc<RwLock<()>>>>);

impl Gates {
    fn of(&self, namespace: &str) -> Arc<RwLock<()>> {
        let mut gates = self.0.lock();
        // Nobody stands at those that are held here alone.
        gates.retain(|_, gate| Arc::strong_count(gate) > 1);
        Arc::clone(gates.entry(namespace.to_owned()).or_default())
    }

    /// Lets a request charge quotas.
    async fn charge(&self, namespace: &str) -> Outcome<Charged> {
        let late = |_| Failure::internal("resource quota evaluation timed out");
        timeout(PATIENCE, self.of(namespace).read_owned()).await.map_err(late)
    }

    /// Waits until all requests that have charged quotas are answered, and keeps others waiting; `None` if that
    /// takes too long.
    pub(crate) async fn count(&self, namespace: &str) -> Option<OwnedRwLockWriteGuard<()>> {
        timeout(PATIENCE, self.of(namespace).write_owned()).await.ok()
    }
}

pub(super) struct ResourceQuotas;

impl Admission for ResourceQuotas {
    fn name(&self) -> &str {
        "ResourceQuota"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation.stores() && !request.namespace.is_empty()
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(object) = new else { return Ok(()) };
            let quotas = request.cluster.list(QUOTAS, request.namespace).await?;
            if quotas.is_empty() {
                return Ok(());
            }
            let (group, resource) = (&request.resource.group, &request.resource.resource);
            let Some(evaluator) = Evaluator::of(group, resource) else { return Ok(()) };
            let operation = match request.operation {
                Operation::Create => quota::Operation::Create,
                _ => quota::Operation::Update,
            };
            let wanted = Request { operation, subresource: request.subresource, object, old };
            let charging = Charging { request, evaluator, wanted };
            charging.charge(&quotas).await
        })
    }
}

struct Charging<'a> {
    request: &'a Attributes<'a>,
    evaluator: Evaluator,
    wanted: Request<'a>,
}

impl Charging<'_> {
    /// The names of the quotas that have to be charged, if the request fits into all.
    fn fits(&self, quotas: &[Arc<dyn Object>]) -> Result<Vec<String>, Refusal> {
        let quotas: Vec<&ResourceQuota> =
            quotas.iter().filter_map(|quota| quota.downcast_ref::<ResourceQuota>()).collect();
        let now = self.request.cluster.environment().time();
        let charges = quota::charge(&self.evaluator, &quotas, &self.wanted, now)?;
        let named = charges.iter().filter_map(|charge| quotas.get(charge.quota));
        Ok(named.map(|quota| quota.metadata.name.clone()).collect())
    }

    async fn charge(&self, quotas: &[Arc<dyn Object>]) -> Outcome<()> {
        let refuse = |why: Refusal| self.request.forbidden(Some(self.wanted.object), why.to_string());
        let named = match self.fits(quotas) {
            Ok(named) => named,
            // What is freed may not have reached the cache.
            Err(_) => {
                let newest = self.request.cluster.newest(QUOTAS, self.request.namespace).await?;
                self.fits(&newest).map_err(refuse)?
            }
        };
        if self.request.dry_run {
            return Ok(());
        }
        // A request that is tried anew has its place already, and must not wait behind a count that waits for it.
        if !named.is_empty() && !self.request.charged {
            let charged = self.request.cluster.admitter().gates.charge(self.request.namespace).await?;
            self.request.notes.lock().held.push(charged);
        }
        for name in named {
            match self.take(&name).await {
                // It was deleted in the meantime, and so it bounds nothing.
                Err(failure) if failure.is_not_found() => {}
                outcome => outcome?,
            }
        }
        Ok(())
    }

    /// Charges one quota, as it is when it is written.
    async fn take(&self, name: &str) -> Outcome<()> {
        let cluster = &self.request.cluster;
        let resources = cluster.admitter().registry.resources();
        let Some(endpoint) = resources.find(QUOTAS.0, QUOTAS.1, QUOTAS.2) else { return Ok(()) };
        let now = cluster.environment().time();
        let mut charged = |mut hub: Box<dyn Object>| {
            if let Some(found) = hub.downcast_mut::<ResourceQuota>() {
                let charges = quota::charge(&self.evaluator, &[&*found], &self.wanted, now)
                    .map_err(|why| self.request.forbidden(Some(self.wanted.object), why.to_string()))?;
                if let Some(charge) = charges.into_iter().next() {
                    found.status.used = charge.used;
                }
            }
            Ok(hub)
        };
        cluster.writer().remake_status(endpoint, self.request.namespace, name, &mut charged).await
    }
}
