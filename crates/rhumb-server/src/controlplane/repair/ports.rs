//! Ports of nodes: what the record of the taken ones should say.

use crate::loopback::{Client, Loopback, all};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rhumb_api::core::v1::Service;

use super::as_services;
use super::events::{Finding, tell};
use crate::base::failure::Outcome;
use crate::registry::Endpoint;
use crate::registry::allocation::ports::{held, range};

/// How often a port must be found to be nobody's before it is freed.
const LOOKS: u32 = 3;
/// How long to wait before a port that looks leaked is looked at again, in seconds: the request that has taken it is
/// over by then.
const AGAIN: i64 = super::REQUEST + 5;
/// How many leaked ports are named.
const SHOWN: usize = 10;
/// How often it is tried to see Services and ports as of one moment.
const TRIES: u32 = 5;

/// Ports that looked leaked, and in how many looks.
pub(super) type Suspects = BTreeMap<i32, u32>;

/// What is to be done about the record.
#[derive(Debug, Default, PartialEq, Eq)]
struct Repair {
    /// Ports that Services have and that are not taken.
    missing: Vec<i32>,
    /// Ports that are taken and that no Service has.
    leaked: Vec<i32>,
    /// What Services are told, by their place in the list.
    findings: Vec<(usize, Finding)>,
}

/// The ports of a Service that must be its alone: those that it has for several protocols count once.
fn own(service: &Service) -> BTreeSet<i32> {
    held(service).into_iter().collect()
}

/// What is said of leaked ports. There is no Service to say it of, so that the server's own is told.
fn leak(ports: &[i32]) -> Finding {
    let shown: Vec<String> = ports.iter().take(SHOWN).map(i32::to_string).collect();
    let note = match (ports, ports.len().saturating_sub(SHOWN)) {
        ([port], _) => format!("Port {port} is allocated and no service has it; repairing"),
        (_, 0) => format!("Ports {} are allocated and no service has them; repairing", shown.join(", ")),
        (_, more) => {
            format!(
                "Ports {} and {more} more are allocated and no service has them; repairing",
                shown.join(", ")
            )
        }
    };
    Finding { reason: "PortLeaked", action: "PortAllocation", note }
}

/// Compares the taken ports with those that Services have.
fn judge(taken: &BTreeSet<i32>, services: &[&Service], suspects: &mut Suspects) -> Repair {
    let finding = |reason, note| Finding { reason, action: "PortAllocation", note };
    let mut repair = Repair::default();
    let mut had = BTreeSet::new();
    for (place, service) in services.iter().enumerate() {
        for port in own(service) {
            if !crate::registry::allocation::ports::is_in_range(port) {
                let note =
                    format!("Port {port} is not within the port range {}; please recreate service", range());
                repair.findings.push((place, finding("PortOutOfRange", note)));
            } else if !had.insert(port) {
                let note = format!("Port {port} was assigned to multiple services; please recreate service");
                repair.findings.push((place, finding("PortAlreadyAllocated", note)));
            } else if !taken.contains(&port) {
                let note = format!("Port {port} is not allocated; repairing");
                repair.findings.push((place, finding("PortNotAllocated", note)));
                repair.missing.push(port);
            }
        }
    }
    suspects.retain(|port, _| taken.contains(port) && !had.contains(port));
    for port in taken.difference(&had) {
        let looks = suspects.entry(*port).or_default();
        *looks += 1;
        if *looks >= LOOKS {
            repair.leaked.push(*port);
        }
    }
    repair.leaked.iter().for_each(|port| {
        suspects.remove(port);
    });
    repair
}

/// Looks at the ports once, and mends the record. Returns in how many seconds to look again.
pub(super) async fn look(
    api: &Loopback,
    inner: &Client,
    services: &Arc<Endpoint>,
    suspects: &mut Suspects,
) -> Outcome<Option<i64>> {
    for _ in 0..TRIES {
        let (taken, before) = api.allocator().taken_ports().await?;
        let objects = all(inner, services, "").await?;
        let (_, after) = api.allocator().taken_ports().await?;
        if before != after {
            continue;
        }
        let list = as_services(&objects);
        let repair = judge(&taken.all(), &list, suspects);
        for (place, finding) in &repair.findings {
            if let Some(service) = list.get(*place) {
                tell(api, inner, service, finding).await;
            }
        }
        if !repair.leaked.is_empty() {
            tracing::warn!(ports = ?repair.leaked, "ports of nodes that no Service has are freed");
            let is_own = |service: &&&Service| {
                service.metadata.namespace == "default" && service.metadata.name == "kubernetes"
            };
            if let Some(own) = list.iter().find(is_own) {
                tell(api, inner, own, &leak(&repair.leaked)).await;
            }
        }
        if !repair.missing.is_empty() || !repair.leaked.is_empty() {
            let mend = |taken: &mut crate::registry::allocation::ports::Taken| {
                for port in &repair.missing {
                    // It may have been taken since.
                    let _ = taken.take(*port);
                }
                repair.leaked.iter().for_each(|port| taken.free(*port));
                Ok(())
            };
            api.allocator().change_ports(mend).await?;
        }
        break;
    }
    Ok((!suspects.is_empty()).then_some(AGAIN))
}

#[cfg(test)]
mod tests {
    use rhumb_api::core::v1::ServicePort;

    use super::*;

    fn service(name: &str, ports: &[i32]) -> Service {
        let mut service = Service::default();
        service.metadata.name = name.to_owned();
        service.spec.type_ = "NodePort".to_owned();
        let port = |port: &i32| ServicePort { node_port: *port, ..ServicePort::default() };
        service.spec.ports = ports.iter().map(port).collect();
        service
    }

    fn reasons(repair: &Repair) -> Vec<(usize, &str)> {
        repair.findings.iter().map(|(place, finding)| (*place, finding.reason)).collect()
    }

    #[test]
    fn a_port_is_freed_only_when_nobody_has_it_in_several_looks() {
        let (one, two) = (service("one", &[30001]), service("two", &[30002]));
        let taken = BTreeSet::from([30001, 30002]);
        let mut suspects = Suspects::new();
        for _ in 0..LOOKS - 1 {
            assert_eq!(judge(&taken, &[&one], &mut suspects), Repair::default());
        }
        assert_eq!(judge(&taken, &[&one, &two], &mut suspects), Repair::default(), "somebody has it now");
        assert!(suspects.is_empty());
        for _ in 0..LOOKS - 1 {
            assert_eq!(judge(&taken, &[&one], &mut suspects), Repair::default());
        }
        assert_eq!(judge(&taken, &[&one], &mut suspects).leaked, [30002]);
        assert!(suspects.is_empty());
    }

    #[test]
    fn what_two_services_have_or_nobody_noted_is_told() {
        let services =
            [service("one", &[30001, 30001]), service("two", &[30001]), service("three", &[30003, 80])];
        let services: Vec<&Service> = services.iter().collect();
        let repair = judge(&BTreeSet::from([30001]), &services, &mut Suspects::new());
        assert_eq!(
            reasons(&repair),
            [(1, "PortAlreadyAllocated"), (2, "PortOutOfRange"), (2, "PortNotAllocated")]
        );
        assert_eq!((repair.missing, repair.leaked), (vec![30003], vec![]));
    }

    #[test]
    fn the_first_of_the_leaked_ports_are_named() {
        assert_eq!(leak(&[30001]).note, "Port 30001 is allocated and no service has it; repairing");
        let note = leak(&[30001, 30002]).note;
        assert_eq!(note, "Ports 30001, 30002 are allocated and no service has them; repairing");
        let many: Vec<i32> = (30001..30501).collect();
        assert!(
            leak(&many)
                .note
                .ends_with("30009, 30010 and 490 more are allocated and no service has them; repairing")
        );
    }
}
