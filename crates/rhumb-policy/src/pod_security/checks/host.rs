//! Checks of access to the node.

use std::collections::BTreeSet;

use super::super::Violation;
use super::super::part::{Part, Subject};
use super::super::wording::{containers, plural, quoted_list, setters};
use super::Finding;

pub(super) fn namespaces(subject: &Subject<'_>) -> Finding {
    let spec = subject.spec;
    let shared = [
        (spec.host_network, "hostNetwork=true"),
        (spec.host_pid, "hostPID=true"),
        (spec.host_ipc, "hostIPC=true"),
    ];
    let shared: Vec<&str> = shared.into_iter().filter(|(set, _)| *set).map(|(_, text)| text).collect();
    (!shared.is_empty()).then(|| Violation {
        check: "hostNamespaces",
        reason: "host namespaces".into(),
        detail: shared.join(", "),
    })
}

pub(super) fn path_volumes(subject: &Subject<'_>) -> Finding {
    let volumes = subject.spec.volumes.iter().filter(|volume| volume.volume_source.host_path.is_some());
    let names: Vec<&str> = volumes.map(|volume| volume.name.as_str()).collect();
    (!names.is_empty()).then(|| Violation {
        check: "hostPathVolumes",
        reason: "hostPath volumes".into(),
        detail: format!("{} {}", plural("volume", "volumes", names.len()), quoted_list(&names)),
    })
}

pub(super) fn ports(subject: &Subject<'_>) -> Finding {
    // Sorted as texts, as Kubernetes has them.
    let mut ports = BTreeSet::new();
    let names = subject.names(|part| {
        let taken = part.ports.iter().map(|port| port.host_port).filter(|port| *port != 0);
        let taken: Vec<String> = taken.map(|port| port.to_string()).collect();
        let is_any = !taken.is_empty();
        ports.extend(taken);
        is_any
    });
    (!names.is_empty()).then(|| {
        let list: Vec<&str> = ports.iter().map(String::as_str).collect();
        let detail = format!(
            "{} {} {} {}",
            containers(&names),
            plural("uses", "use", names.len()),
            plural("hostPort", "hostPorts", list.len()),
            list.join(", ")
        );
        Violation { check: "hostPorts", reason: "hostPort".into(), detail }
    })
}

pub(super) fn probes_and_lifecycle(subject: &Subject<'_>) -> Finding {
    let (mut names, mut hosts) = (BTreeSet::new(), BTreeSet::new());
    for part in subject.parts() {
        let found = asked_hosts(&part);
        if !found.is_empty() {
            names.insert(part.name);
            hosts.extend(found);
        }
    }
    (!names.is_empty()).then(|| {
        let names: Vec<&str> = names.into_iter().collect();
        let detail = format!(
            "{} {} {} {}",
            containers(&names),
            plural("uses", "use", names.len()),
            plural("probe or lifecycle host", "probe or lifecycle hosts", hosts.len()),
            quoted_list(&hosts)
        );
        Violation { check: "hostProbesAndHostLifecycle", reason: "probe or lifecycle host".into(), detail }
    })
}

/// Returns the hosts that a container has the kubelet ask.
fn asked_hosts<'a>(part: &Part<'a>) -> Vec<&'a str> {
    let probes = part.probes.into_iter().flatten().map(|probe| {
        let handler = &probe.probe_handler;
        (handler.http_get.as_deref(), handler.tcp_socket.as_deref())
    });
    let handlers = part
        .lifecycle
        .into_iter()
        .flat_map(|lifecycle| [lifecycle.post_start.as_deref(), lifecycle.pre_stop.as_deref()])
        .flatten()
        .map(|handler| (handler.http_get.as_deref(), handler.tcp_socket.as_deref()));
    probes
        .chain(handlers)
        .flat_map(|(http, tcp)| [http.map(|http| http.host.as_str()), tcp.map(|tcp| tcp.host.as_str())])
        .flatten()
        .filter(|host| !host.is_empty())
        .collect()
}

/// Sysctls that affect only their own pod, oldest release first.
const SAFE_SYSCTLS: &[&str] = &[
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
    // 1.27
    "net.ipv4.ip_local_reserved_ports",
    // 1.29
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    // 1.32
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
];

pub(super) fn sysctls(subject: &Subject<'_>) -> Finding {
    sysctls_but(subject, 5)
}

pub(super) fn sysctls_27(subject: &Subject<'_>) -> Finding {
    sysctls_but(subject, 6)
}

pub(super) fn sysctls_29(subject: &Subject<'_>) -> Finding {
    sysctls_but(subject, 10)
}

pub(super) fn sysctls_32(subject: &Subject<'_>) -> Finding {
    sysctls_but(subject, 12)
}

/// Looks for other settings than the first so many safe ones.
fn sysctls_but(subject: &Subject<'_>, safe: usize) -> Finding {
    let set = subject.security().into_iter().flat_map(|security| &security.sysctls);
    let is_safe = |name: &str| SAFE_SYSCTLS.iter().take(safe).any(|known| *known == name);
    let names: Vec<&str> = set.map(|sysctl| sysctl.name.as_str()).filter(|name| !is_safe(name)).collect();
    (!names.is_empty()).then(|| Violation {
        check: "sysctls",
        reason: "forbidden sysctls".into(),
        detail: names.join(", "),
    })
}

pub(super) fn windows_process(subject: &Subject<'_>) -> Finding {
    let pod = subject.security().and_then(|security| security.windows_options.as_deref());
    let pod = pod.is_some_and(|options| options.host_process == Some(true));
    let names = subject.names(|part| {
        let options = part.security.and_then(|security| security.windows_options.as_deref());
        options.is_some_and(|options| options.host_process == Some(true))
    });
    let setters = setters(pod, &names);
    (!setters.is_empty()).then(|| Violation {
        check: "windowsHostProcess",
        reason: "hostProcess".into(),
        detail: format!(
            "{} must not set securityContext.windowsOptions.hostProcess=true",
            setters.join(" and ")
        ),
    })
}
