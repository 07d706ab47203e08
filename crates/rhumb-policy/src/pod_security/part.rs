//! A pod as the checks see it.

use rhumb_api::core::v1::{ContainerPort, Lifecycle, PodSecurityContext, PodSpec, Probe, SecurityContext};
use rhumb_meta::v1::ObjectMeta;

/// A pod or pod template.
pub(super) struct Subject<'a> {
    pub(super) metadata: &'a ObjectMeta,
    pub(super) spec: &'a PodSpec,
}

/// A container of any type: the fields that checks need.
pub(super) struct Part<'a> {
    pub(super) name: &'a str,
    pub(super) ports: &'a [ContainerPort],
    pub(super) security: Option<&'a SecurityContext>,
    pub(super) probes: [Option<&'a Probe>; 3],
    pub(super) lifecycle: Option<&'a Lifecycle>,
}

/// Container and ephemeral container have the same fields and are different types.
macro_rules! part {
    ($container:expr) => {{
        let container = $container;
        Part {
            name: &container.name,
            ports: &container.ports,
            security: container.security_context.as_deref(),
            probes: [
                container.liveness_probe.as_deref(),
                container.readiness_probe.as_deref(),
                container.startup_probe.as_deref(),
            ],
            lifecycle: container.lifecycle.as_deref(),
        }
    }};
}

impl<'a> Subject<'a> {
    /// Returns all containers in Kubernetes' order.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        let spec = self.spec;
        let init = spec.init_containers.iter().map(|container| part!(container));
        let main = spec.containers.iter().map(|container| part!(container));
        let ephemeral =
            spec.ephemeral_containers.iter().map(|container| part!(&container.ephemeral_container_common));
        init.chain(main).chain(ephemeral)
    }

    /// Returns the names of the containers of which something is true.
    pub(super) fn names(&self, mut is: impl FnMut(&Part<'a>) -> bool) -> Vec<&'a str> {
        self.parts().filter(|part| is(part)).map(|part| part.name).collect()
    }

    /// Returns the pod-level security context.
    pub(super) fn security(&self) -> Option<&'a PodSecurityContext> {
        self.spec.security_context.as_deref()
    }

    /// Reports whether root in the pod is someone else outside.
    pub(super) fn has_own_users(&self) -> bool {
        self.spec.host_users == Some(false)
    }

    /// Reports whether it is for Windows, which has none of the things that some checks ask for.
    pub(super) fn is_for_windows(&self) -> bool {
        self.spec.os.as_ref().is_some_and(|os| os.name == "windows")
    }
}
