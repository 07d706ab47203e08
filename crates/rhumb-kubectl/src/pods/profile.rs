//! Debugging profiles: security settings of debugging containers, and what copies of pods keep.

use rhumb_api::core::v1::{
    Capabilities, HostPathVolumeSource, Pod, SeccompProfile, SecurityContext, Volume, VolumeMount,
    VolumeSource,
};
use rhumb_cli::{Call, Failure};

/// What is debugged, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// A container is put into the running pod.
    Ephemeral,
    /// A copy of the pod is made.
    Copy,
    /// A pod is made on the node.
    Node,
}

/// Name of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Legacy,
    General,
    Baseline,
    Restricted,
    Netadmin,
    Sysadmin,
}

/// A profile with what copies keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profile {
    kind: Kind,
    labels: bool,
    annotations: bool,
    liveness: bool,
    readiness: bool,
    startup: bool,
    init_containers: bool,
}

impl Profile {
    /// Returns the one that the flags ask for.
    pub(super) fn of(call: &Call) -> Result<Self, Failure> {
        let kind = match call.flags.text("profile") {
            "legacy" => Kind::Legacy,
            "general" => Kind::General,
            "baseline" => Kind::Baseline,
            "restricted" => Kind::Restricted,
            "netadmin" => Kind::Netadmin,
            "sysadmin" => Kind::Sysadmin,
            other => return Err(Failure::message(format!("unknown profile: {other}"))),
        };
        let keeps = |name: &str| call.flags.bool(name);
        Ok(Profile {
            kind,
            labels: keeps("keep-labels"),
            annotations: keeps("keep-annotations"),
            liveness: keeps("keep-liveness"),
            readiness: keeps("keep-readiness"),
            startup: keeps("keep-startup"),
            init_containers: keeps("keep-init-containers"),
        })
    }

    /// Changes a pod with a debugging container to what the profile says.
    pub(super) fn apply(&self, pod: &mut Pod, container: &str, style: Style) {
        match self.kind {
            Kind::Legacy => match style {
                Style::Node => {
                    mount_root(pod, container);
                    use_host(pod);
                }
                Style::Copy => pod.metadata.labels.clear(),
                Style::Ephemeral => {}
            },
            Kind::General => match style {
                Style::Node => {
                    mount_root(pod, container);
                    clear_security(pod, container);
                    use_host(pod);
                }
                Style::Copy => {
                    self.strip(pod);
                    security(pod, container, |security| add(security, &["SYS_PTRACE"]));
                    share_processes(pod);
                }
                Style::Ephemeral => security(pod, container, |security| add(security, &["SYS_PTRACE"])),
            },
            Kind::Baseline => {
                clear_security(pod, container);
                self.strip_copy(pod, style);
            }
            Kind::Restricted => {
                clear_security(pod, container);
                security(pod, container, restrict);
                self.strip_copy(pod, style);
            }
            Kind::Netadmin => {
                security(pod, container, |security| add(security, &["NET_ADMIN", "NET_RAW"]));
                if style == Style::Node {
                    use_host(pod);
                }
                self.strip_copy(pod, style);
            }
            Kind::Sysadmin => {
                security(pod, container, |security| security.privileged = Some(true));
                if style == Style::Node {
                    use_host(pod);
                    mount_root(pod, container);
                }
                self.strip_copy(pod, style);
            }
        }
    }

    fn strip_copy(&self, pod: &mut Pod, style: Style) {
        if style == Style::Copy {
            self.strip(pod);
            share_processes(pod);
        }
    }

    /// Takes from a copy what would make it part of what the original is part of, or restart it.
    fn strip(&self, pod: &mut Pod) {
        if !self.labels {
            pod.metadata.labels.clear();
        }
        if !self.annotations {
            pod.metadata.annotations.clear();
        }
        for container in &mut pod.spec.containers {
            if !self.liveness {
                container.liveness_probe = None;
            }
            if !self.readiness {
                container.readiness_probe = None;
            }
            if !self.startup {
                container.startup_probe = None;
            }
        }
        if !self.init_containers {
            pod.spec.init_containers.clear();
        }
    }
}

/// Returns the security settings of a container, whichever list it stands in.
fn settings<'a>(pod: &'a mut Pod, name: &str) -> Option<&'a mut Option<Box<SecurityContext>>> {
    let spec = &mut pod.spec;
    let initial =
        spec.init_containers.iter_mut().map(|container| (&container.name, &mut container.security_context));
    let regular =
        spec.containers.iter_mut().map(|container| (&container.name, &mut container.security_context));
    let ephemeral = spec.ephemeral_containers.iter_mut().map(|container| {
        let container = &mut container.ephemeral_container_common;
        (&container.name, &mut container.security_context)
    });
    initial.chain(regular).chain(ephemeral).find(|(known, _)| *known == name).map(|(_, settings)| settings)
}

fn clear_security(pod: &mut Pod, container: &str) {
    if let Some(settings) = settings(pod, container) {
        *settings = None;
    }
}

fn security(pod: &mut Pod, container: &str, change: impl FnOnce(&mut SecurityContext)) {
    if let Some(settings) = settings(pod, container) {
        change(settings.get_or_insert_default());
    }
}

fn add(security: &mut SecurityContext, capabilities: &[&str]) {
    let list = &mut security.capabilities.get_or_insert_with(Default::default).add;
    list.extend(capabilities.iter().map(|capability| (*capability).to_owned()));
}

fn restrict(security: &mut SecurityContext) {
    security.run_as_non_root = Some(true);
    let capabilities: &mut Capabilities = security.capabilities.get_or_insert_with(Default::default);
    capabilities.drop = vec!["ALL".to_owned()];
    capabilities.add.clear();
    security.allow_privilege_escalation = Some(false);
    let seccomp = SeccompProfile { type_: "RuntimeDefault".to_owned(), ..SeccompProfile::default() };
    security.seccomp_profile = Some(seccomp.into());
}

fn share_processes(pod: &mut Pod) {
    pod.spec.share_process_namespace.get_or_insert(true);
}

fn use_host(pod: &mut Pod) {
    pod.spec.host_network = true;
    pod.spec.host_pid = true;
    pod.spec.host_ipc = true;
}

fn mount_root(pod: &mut Pod, container: &str) {
    const NAME: &str = "host-root";
    let host_path = HostPathVolumeSource { path: "/".to_owned(), ..HostPathVolumeSource::default() };
    pod.spec.volumes.push(Volume {
        name: NAME.to_owned(),
        volume_source: VolumeSource { host_path: Some(host_path.into()), ..VolumeSource::default() },
    });
    if let Some(container) = pod.spec.containers.iter_mut().find(|known| known.name == container) {
        container.volume_mounts.push(VolumeMount {
            name: NAME.to_owned(),
            mount_path: "/host".to_owned(),
            ..VolumeMount::default()
        });
    }
}
