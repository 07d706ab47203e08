//! Access to containers of all types, in the order of errors and warnings.

use rhumb_api::core::v1::{
    Container, ContainerPort, EnvVar, EphemeralContainerCommon, Lifecycle, PodSpec, ResourceRequirements,
    SecurityContext,
};
use rhumb_scheme::validation::FieldPath;

/// Common fields of all container types.
pub(super) trait AnyContainer {
    fn name(&self) -> &str;
    fn env(&self) -> &[EnvVar];
    fn ports(&self) -> &[ContainerPort];
    fn resources(&self) -> &ResourceRequirements;
    fn lifecycle(&self) -> Option<&Lifecycle>;
    fn lifecycle_mut(&mut self) -> &mut Option<Box<Lifecycle>>;
    fn security(&self) -> Option<&SecurityContext>;
    fn security_mut(&mut self) -> &mut Option<Box<SecurityContext>>;
}

macro_rules! any_container {
    ($($kind:ty),*) => {$(
        impl AnyContainer for $kind {
            fn name(&self) -> &str {
                &self.name
            }
            fn env(&self) -> &[EnvVar] {
                &self.env
            }
            fn ports(&self) -> &[ContainerPort] {
                &self.ports
            }
            fn resources(&self) -> &ResourceRequirements {
                &self.resources
            }
            fn lifecycle(&self) -> Option<&Lifecycle> {
                self.lifecycle.as_deref()
            }
            fn lifecycle_mut(&mut self) -> &mut Option<Box<Lifecycle>> {
                &mut self.lifecycle
            }
            fn security(&self) -> Option<&SecurityContext> {
                self.security_context.as_deref()
            }
            fn security_mut(&mut self) -> &mut Option<Box<SecurityContext>> {
                &mut self.security_context
            }
        }
    )*};
}

any_container!(Container, EphemeralContainerCommon);

/// Returns all containers.
pub(super) fn containers(spec: &PodSpec) -> impl Iterator<Item = &dyn AnyContainer> {
    let plain = spec.init_containers.iter().chain(&spec.containers).map(|one| one as &dyn AnyContainer);
    let debug = spec.ephemeral_containers.iter();
    plain.chain(debug.map(|one| &one.ephemeral_container_common as &dyn AnyContainer))
}

/// Returns all containers mutably.
pub(super) fn containers_mut(spec: &mut PodSpec) -> impl Iterator<Item = &mut dyn AnyContainer> {
    let PodSpec { init_containers, containers, ephemeral_containers, .. } = spec;
    let plain = init_containers.iter_mut().chain(containers).map(|one| one as &mut dyn AnyContainer);
    let debug = ephemeral_containers.iter_mut();
    plain.chain(debug.map(|one| &mut one.ephemeral_container_common as &mut dyn AnyContainer))
}

/// Returns all containers with their paths.
pub(super) fn with_paths<'a>(
    spec: &'a PodSpec,
    path: &FieldPath,
) -> impl Iterator<Item = (&'a dyn AnyContainer, FieldPath)> {
    let ways = [
        ("initContainers", spec.init_containers.len()),
        ("containers", spec.containers.len()),
        ("ephemeralContainers", spec.ephemeral_containers.len()),
    ];
    let paths: Vec<FieldPath> = ways
        .into_iter()
        .flat_map(|(name, count)| {
            let list = path.child(name);
            (0..count).map(move |index| list.index(index))
        })
        .collect();
    containers(spec).zip(paths)
}
