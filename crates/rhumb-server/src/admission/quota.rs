//! ResourceQuota: what is made or grows must fit into what the quotas of the namespace have left, and is charged to
//! them before it is stored.
//!
//! A charge is a change of the quota's status that is made on the quota as it is at that moment: who loses against
//! another charge is decided anew on what that one left. So however many ask at once, no more is given away than
//! there is. What is charged and then not stored is given back when `controllers::quota` counts again.

use std::sync::Arc;

use rhumb_api::core::v1::ResourceQuota;
use rhumb_meta::Object;
use rhumb_policy::quota::{self, Evaluator, Refusal, Request};

use super::{Admission, Attributes, Deciding, Operation};
use crate::failure::Outcome;
use crate::inner::{Inner, Place};

const QUOTAS: (&str, &str, &str) = ("", "v1", "resourcequotas");

pub(super) struct ResourceQuotas;

impl Admission for ResourceQuotas {
    fn name(&self) -> &str {
        "ResourceQuota"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation != Operation::Delete && !request.namespace.is_empty()
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
        let now = self.request.cluster.api().environment.time();
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
        let api = self.request.cluster.api();
        let resources = api.resources();
        let Some(endpoint) = resources.find(QUOTAS.0, QUOTAS.1, QUOTAS.2) else { return Ok(()) };
        let place = Place::new(endpoint, self.request.namespace, name);
        let now = api.environment.time();
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
        Inner::server(api).remake(&place, Some("status"), None, &mut charged).await.map(|_| ())
    }
}
