//! Repair of what Services are given: addresses and ports of nodes that no Service has are freed, those that a Service
//! has and nobody noted are noted, and a Service that has what belongs to another is told of in an Event.
//!
//! A server that ends, or loses its store, between giving something and storing the Service leaves it taken. All
//! Services are looked at when the server starts and every few minutes; what looks leaked is looked at again sooner,
//! because its Service may be on its way.

mod addresses;
mod events;
mod ports;

use crate::controlplane::standing::endpoint;
use crate::loopback::{Client, Loopback, all};
use std::time::Duration;

use rhumb_api::core::v1::Service;
use rhumb_meta::Object;

use crate::base::failure::Outcome;
use crate::base::health::Hook;

/// How long to wait from one look to the next.
const INTERVAL: Duration = Duration::from_secs(3 * 60);
/// How long to wait before what failed is tried again.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a request may take, in seconds: a Service that is not there by then will not come.
const REQUEST: i64 = 60;

/// Starts to look.
pub(crate) fn start(api: &Loopback) {
    let then = api.downgrade();
    api.tasks().spawn(async move {
        let mut suspects = ports::Suspects::default();
        while let Some(api) = then.upgrade() {
            let pause = match look(&api, &mut suspects).await {
                Ok(soon) => {
                    api.hooks().done(&[Hook::AddressRepair]);
                    soon.and_then(|seconds| u64::try_from(seconds).ok()).map_or(INTERVAL, Duration::from_secs)
                }
                Err(failure) => {
                    tracing::warn!(error = %failure, "addresses and ports of Services could not be looked at");
                    PAUSE
                }
            };
            drop(api);
            tokio::time::sleep(pause.min(INTERVAL)).await;
        }
    });
}

/// Looks once, and mends what it finds. Returns in how many seconds to look again, if there is a suspicion.
async fn look(api: &Loopback, suspects: &mut ports::Suspects) -> Outcome<Option<i64>> {
    let Some(services) = endpoint(api, "", "services") else { return Ok(None) };
    let inner = Client::server(api);
    let of_ports = ports::look(api, &inner, &services, suspects).await?;
    // Before anything is read, so that nothing seems older than it is.
    let (now, _) = api.environment().now();
    let objects = all(&inner, &services, "").await?;
    let seen = addresses::Seen { endpoint: &services, services: &as_services(&objects), now };
    let of_addresses = addresses::look(api, &inner, &seen).await?;
    Ok([of_ports, of_addresses].into_iter().flatten().min())
}

/// Services out of objects.
fn as_services(objects: &[Box<dyn Object>]) -> Vec<&Service> {
    objects.iter().filter_map(|object| object.downcast_ref::<Service>()).collect()
}
