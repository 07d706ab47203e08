//! Exemptions from pod validation for values that the stored object has already.

use rhumb_api::core::v1::{Container, PodSpec, PodTemplateSpec};
use rhumb_meta::ObjectMeta;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

use super::affinity::{invalid_label_value_in_node_affinity, invalid_label_value_in_selector};
use super::container::all_containers;
use super::file_path::local_non_reserved;
use super::pod_annotations::deletion_cost_is_valid;
use super::resources::{HUGE_PAGES, is_divisible};
use super::security::sysctl_of_host;
use super::spread::{invalid_match_label_keys, invalid_selector};

/// What the rules of a pod allow. The default is what holds for new templates; a stored object that breaks a rule
/// which came later may go on breaking it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PodOptions {
    /// The spec is that of a pod and not of a template.
    pub(crate) is_pod: bool,
    /// The cost of deletion may be any text.
    pub(crate) invalid_deletion_cost: bool,
    /// Selectors of affinities may have values that no label can have.
    pub(crate) invalid_label_value_in_selector: bool,
    /// Required node affinities may have values that no label can have.
    pub(crate) invalid_label_value_in_node_affinity: bool,
    /// Huge pages need not be multiples of their size.
    pub(crate) indivisible_huge_pages: bool,
    /// Selectors of spread constraints are not checked.
    pub(crate) invalid_spread_selector: bool,
    /// The old rule holds for the label keys of spread constraints.
    pub(crate) legacy_match_label_keys: bool,
    /// Tokens may be projected to paths outside of the volume.
    pub(crate) non_local_token_path: bool,
    /// Sysctls may be set that belong to the host.
    pub(crate) sysctls_of_host: bool,
    /// SELinux labels may be changed in other ways than recursively.
    pub(crate) any_se_linux_change_policy: bool,
    /// Init containers may have to restart when they are resized.
    pub(crate) restart_on_resize_of_init_containers: bool,
    /// Pods with a user namespace may use block devices.
    pub(crate) devices_in_user_namespace: bool,
    /// Pods with a user namespace may use the host's network.
    pub(crate) host_network_in_user_namespace: bool,
    /// Tolerations may compare numbers.
    pub(crate) comparing_tolerations: bool,
}

impl PodOptions {
    /// Returns what holds for a new pod.
    pub(crate) fn of_pod() -> Self {
        PodOptions { is_pod: true, ..PodOptions::default() }
    }

    /// Returns what holds for a template that replaces another.
    pub(crate) fn of_template_update(old: &PodTemplateSpec) -> Self {
        PodOptions::after(&old.metadata, &old.spec)
    }

    /// Returns what holds for a pod that replaces another.
    pub(crate) fn of_pod_update(metadata: &ObjectMeta, spec: &PodSpec) -> Self {
        PodOptions { is_pod: true, ..PodOptions::after(metadata, spec) }
    }

    fn after(metadata: &ObjectMeta, spec: &PodSpec) -> Self {
        let user_namespace = spec.host_users == Some(false);
        let security = spec.security_context.as_deref();
        PodOptions {
            is_pod: false,
            invalid_deletion_cost: !deletion_cost_is_valid(&metadata.annotations),
            invalid_label_value_in_selector: invalid_label_value_in_selector(spec),
            invalid_label_value_in_node_affinity: invalid_label_value_in_node_affinity(spec),
            indivisible_huge_pages: containers(spec).any(has_indivisible_huge_pages),
            invalid_spread_selector: invalid_selector(spec),
            legacy_match_label_keys: invalid_match_label_keys(spec),
            non_local_token_path: has_non_local_token_path(spec),
            sysctls_of_host: security.is_some_and(|context| {
                context.sysctls.iter().any(|s| sysctl_of_host(&s.name, spec).is_some())
            }),
            any_se_linux_change_policy: security
                .is_some_and(|context| context.se_linux_change_policy.is_some()),
            restart_on_resize_of_init_containers: spec.init_containers.iter().any(|container| {
                container.restart_policy.as_deref() != Some("Always")
                    && container
                        .resize_policy
                        .iter()
                        .any(|policy| policy.restart_policy == "RestartContainer")
            }),
            devices_in_user_namespace: user_namespace
                && all_containers(spec, &FieldPath::root())
                    .any(|(container, _)| !container.volume_devices.is_empty()),
            host_network_in_user_namespace: user_namespace && spec.host_network,
            comparing_tolerations: spec
                .tolerations
                .iter()
                .any(|toleration| matches!(toleration.operator.as_str(), "Lt" | "Gt")),
        }
    }
}

/// Containers and init containers; ephemeral ones have neither resources nor are they in templates.
fn containers(spec: &PodSpec) -> impl Iterator<Item = &Container> {
    spec.init_containers.iter().chain(&spec.containers)
}

fn has_indivisible_huge_pages(container: &Container) -> bool {
    let resources = container.resources.limits.iter().chain(&container.resources.requests);
    resources
        .into_iter()
        .any(|(name, quantity)| name.starts_with(HUGE_PAGES) && !is_divisible(name, quantity))
}

fn has_non_local_token_path(spec: &PodSpec) -> bool {
    let projected = spec.volumes.iter().filter_map(|volume| volume.volume_source.projected.as_deref());
    let mut tokens =
        projected.flat_map(|volume| &volume.sources).filter_map(|s| s.service_account_token.as_deref());
    tokens.any(|token| !passes(|path, errors| local_non_reserved(&token.path, path, errors)))
}

/// Reports whether a check finds nothing.
pub(super) fn passes(check: impl FnOnce(&FieldPath, &mut FieldErrors)) -> bool {
    let mut errors = FieldErrors::default();
    check(&FieldPath::root(), &mut errors);
    errors.is_empty()
}
