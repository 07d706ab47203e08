//! The steps of a start, under the names by which those who wait for a kube-apiserver ask for them. Each is noted
//! where it is done, and what is not done yet fails the checks of its name.

use std::sync::Arc;

use tokio::sync::watch;

use super::{Check, Concern};

/// A step of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// The admission plugins stand in their order.
    Admission,
    /// Roles and bindings are known, so that requests can be decided on.
    Informers,
    /// What is told of flow schemas is true of those that are there.
    FairnessConsumer,
    /// The definitions of custom resources were read.
    DefinitionInformers,
    /// The definitions that were there have their names and conditions, and those that come are given theirs.
    DefinitionControllers,
    /// What is defined is served.
    DefinitionsServed,
    /// The namespaces of the system are there.
    SystemNamespaces,
    /// What servers that extend this one must know of authentication is there.
    AuthenticationInfo,
    /// Since when tokens in Secrets are watched is noted.
    LegacyTokens,
    /// Addresses of services that a crash left taken were looked for once.
    AddressRepair,
    /// The roles and bindings that the server begins with are there.
    Roles,
    /// The priorities of the system's pods are there.
    Priorities,
    /// The flow schemas and levels that the server begins with are there.
    FairnessProducer,
    /// The service `kubernetes` is there, and leads to the server.
    KubernetesService,
    /// The networks of services are there.
    ServiceNetworks,
    /// The registrations of servers that extend this one are followed.
    RegistrationInformers,
    /// The registrations of what this server serves itself are available.
    LocalRegistrations,
    /// It is told of servers that extend this one whether they can be reached.
    RemoteRegistrations,
    /// The versions that are registered are those that are served.
    Registrations,
    /// Registrations are kept for the versions of definitions.
    Autoregistration,
    /// Every version that is served has its registration.
    Autoregistered,
    /// The index of the OpenAPI documents has all that is served.
    Documents,
}

/// All steps with their names, in the order in which kube-apiserver tells them.
const HOOKS: [(Hook, &str); 22] = [
    (Hook::Admission, "poststarthook/start-apiserver-admission-initializer"),
    (Hook::Informers, "poststarthook/generic-apiserver-start-informers"),
    (Hook::FairnessConsumer, "poststarthook/priority-and-fairness-config-consumer"),
    (Hook::DefinitionInformers, "poststarthook/start-apiextensions-informers"),
    (Hook::DefinitionControllers, "poststarthook/start-apiextensions-controllers"),
    (Hook::DefinitionsServed, "poststarthook/crd-informer-synced"),
    (Hook::SystemNamespaces, "poststarthook/start-system-namespaces-controller"),
    (Hook::AuthenticationInfo, "poststarthook/start-cluster-authentication-info-controller"),
    (Hook::LegacyTokens, "poststarthook/start-legacy-token-tracking-controller"),
    (Hook::AddressRepair, "poststarthook/start-service-ip-repair-controllers"),
    (Hook::Roles, "poststarthook/rbac/bootstrap-roles"),
    (Hook::Priorities, "poststarthook/scheduling/bootstrap-system-priority-classes"),
    (Hook::FairnessProducer, "poststarthook/priority-and-fairness-config-producer"),
    (Hook::KubernetesService, "poststarthook/bootstrap-controller"),
    (Hook::ServiceNetworks, "poststarthook/start-kubernetes-service-cidr-controller"),
    (Hook::RegistrationInformers, "poststarthook/start-kube-aggregator-informers"),
    (Hook::LocalRegistrations, "poststarthook/apiservice-status-local-available-controller"),
    (Hook::RemoteRegistrations, "poststarthook/apiservice-status-remote-available-controller"),
    (Hook::Registrations, "poststarthook/apiservice-registration-controller"),
    (Hook::Autoregistration, "poststarthook/kube-apiserver-autoregistration"),
    (Hook::Autoregistered, "autoregister-completion"),
    (Hook::Documents, "poststarthook/apiservice-openapi-controller"),
];

impl Hook {
    /// What is written before anything is served.
    pub(crate) const BOOTSTRAP: [Hook; 8] = [
        Hook::SystemNamespaces,
        Hook::AuthenticationInfo,
        Hook::LegacyTokens,
        Hook::Roles,
        Hook::Priorities,
        Hook::FairnessProducer,
        Hook::KubernetesService,
        Hook::ServiceNetworks,
    ];

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Which steps of a start are done.
#[derive(Debug)]
pub struct PostStartHooks {
    done: watch::Sender<u32>,
}

impl Default for PostStartHooks {
    fn default() -> Self {
        PostStartHooks { done: watch::Sender::new(0) }
    }
}

impl PostStartHooks {
    /// Notes that steps are done. They stay so.
    pub(crate) fn done(&self, hooks: &[Hook]) {
        self.done.send_modify(|done| *done |= bits(hooks));
    }

    /// Whether a step is done.
    pub fn is_done(&self, hook: Hook) -> bool {
        *self.done.borrow() & hook.bit() != 0
    }

    /// Waits until all are done.
    pub(crate) async fn all_done(&self) {
        let all = bits(&HOOKS.map(|(hook, _)| hook));
        // The sender lives as long as this does.
        let _ = self.done.subscribe().wait_for(|done| done & all == all).await;
    }

    /// A check for each step.
    pub(crate) fn checks(self: &Arc<Self>) -> Vec<Check> {
        let check = |(hook, name): (Hook, &str)| {
            let hooks = Arc::clone(self);
            Check::new(name, Concern::Everything, move || {
                let done = hooks.is_done(hook);
                std::future::ready(if done { Ok(()) } else { Err("not finished".to_owned()) })
            })
        };
        HOOKS.map(check).into()
    }
}

fn bits(hooks: &[Hook]) -> u32 {
    hooks.iter().fold(0, |bits, hook| bits | hook.bit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_open_until_it_is_noted() {
        let hooks = PostStartHooks::default();
        hooks.done(&Hook::BOOTSTRAP);
        for (hook, name) in HOOKS {
            assert_eq!(hooks.is_done(hook), Hook::BOOTSTRAP.contains(&hook), "{name}");
            hooks.done(&[hook]);
            assert!(hooks.is_done(hook), "{name}");
        }
    }
}
