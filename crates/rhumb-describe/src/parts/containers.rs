//! Containers: specification and state.

use rhumb_api::core::v1::{Container, ContainerPort, ContainerState, ContainerStatus};
use rhumb_schema::text::quoted;

use super::environment::{self, Resolve};
use super::probes::probe_text;
use super::{requirements, sorted_as_go, truth};
use crate::Lines;
use crate::go_text::or;

/// Containers under a title, with what is known of each.
pub(crate) fn containers(
    out: &mut Lines,
    space: &str,
    title: &str,
    containers: &[Container],
    statuses: &[ContainerStatus],
    resolve: Option<Resolve<'_>>,
) {
    let none = if containers.is_empty() { " <none>" } else { "" };
    out.line(0, format_args!("{space}{title}:{none}"));
    for container in containers {
        // If there are several of a name, the last one counts.
        let status = statuses.iter().rev().find(|status| status.name == container.name);
        basics(out, space, container, status);
        words(out, "Command", &container.command);
        words(out, "Args", &container.args);
        if let Some(status) = status {
            progress(out, status);
        }
        requirements(out, 2, &container.resources);
        for (title, probe) in [
            ("Liveness", &container.liveness_probe),
            ("Readiness", &container.readiness_probe),
            ("Startup", &container.startup_probe),
        ] {
            if let Some(probe) = probe {
                out.field(2, title, probe_text(probe));
            }
        }
        environment::sources(out, &container.env_from);
        environment::variables(out, container, resolve);
        mounts(out, container);
    }
}

fn basics(out: &mut Lines, space: &str, container: &Container, status: Option<&ContainerStatus>) {
    let indent = if space.is_empty() { "" } else { " " };
    out.line(1, format_args!("{indent}{}:", container.name));
    if let Some(status) = status {
        out.field(2, "Container ID", &status.container_id);
    }
    out.field(2, "Image", &container.image);
    if let Some(status) = status {
        out.field(2, "Image ID", &status.image_id);
    }
    ports(out, ("Port", "Ports"), &container.ports, |port| port.container_port);
    ports(out, ("Host Port", "Host Ports"), &container.ports, |port| port.host_port);
    let profile = container.security_context.as_ref().and_then(|context| context.seccomp_profile.as_ref());
    if let Some(profile) = profile {
        out.field(2, "SeccompProfile", &profile.type_);
        if profile.type_ == "Localhost" {
            out.field(3, "LocalhostProfile", profile.localhost_profile.as_deref().unwrap_or_default());
        }
    }
}

fn ports(
    out: &mut Lines,
    (one, several): (&str, &str),
    ports: &[ContainerPort],
    number: fn(&ContainerPort) -> i32,
) {
    let texts: Vec<String> = ports
        .iter()
        .map(|port| {
            let name = if port.name.is_empty() { String::new() } else { format!(" ({})", port.name) };
            format!("{}/{}{name}", number(port), port.protocol)
        })
        .collect();
    let text = texts.join(", ");
    out.field(2, if text.contains(',') { several } else { one }, or(&text, "<none>"));
}

fn words(out: &mut Lines, title: &str, words: &[String]) {
    if words.is_empty() {
        return;
    }
    out.line(2, format_args!("{title}:"));
    for line in words.iter().flat_map(|word| word.split('\n')) {
        out.line(3, line);
    }
}

fn progress(out: &mut Lines, status: &ContainerStatus) {
    state(out, "State", &status.state);
    if status.last_state.terminated.is_some() {
        state(out, "Last State", &status.last_state);
    }
    out.field(2, "Ready", truth(status.ready));
    out.field(2, "Restart Count", status.restart_count);
}

fn state(out: &mut Lines, title: &str, state: &ContainerState) {
    if let Some(running) = &state.running {
        out.field(2, title, "Running");
        let date = out.date(&running.started_at);
        out.field(3, "Started", date);
        return;
    }
    let Some(terminated) = state.terminated.as_ref().filter(|_| state.waiting.is_none()) else {
        out.field(2, title, "Waiting");
        if let Some(waiting) = state.waiting.as_ref().filter(|waiting| !waiting.reason.is_empty()) {
            out.field(3, "Reason", &waiting.reason);
        }
        return;
    };
    out.field(2, title, "Terminated");
    if !terminated.reason.is_empty() {
        out.field(3, "Reason", &terminated.reason);
    }
    if !terminated.message.is_empty() {
        out.field(3, "Message", &terminated.message);
    }
    out.field(3, "Exit Code", terminated.exit_code);
    if terminated.signal > 0 {
        out.field(3, "Signal", terminated.signal);
    }
    let (started, finished) = (out.date(&terminated.started_at), out.date(&terminated.finished_at));
    out.field(3, "Started", started);
    out.field(3, "Finished", finished);
}

fn mounts(out: &mut Lines, container: &Container) {
    let none = if container.volume_mounts.is_empty() { "\t<none>" } else { "" };
    out.line(2, format_args!("Mounts:{none}"));
    let sorted = sorted_as_go(&container.volume_mounts, |one, other| one.mount_path < other.mount_path);
    for mount in sorted {
        let mut flags = if mount.read_only { "ro" } else { "rw" }.to_owned();
        if !mount.sub_path.is_empty() {
            flags.push_str(&format!(",path={}", quoted(&mount.sub_path)));
        }
        out.line(3, format_args!("{} from {} ({flags})", mount.mount_path, mount.name));
    }
    if container.volume_devices.is_empty() {
        return;
    }
    // The word is that of the mounts, whatever devices there are.
    out.line(2, format_args!("Devices:{none}"));
    let sorted = sorted_as_go(&container.volume_devices, |one, other| one.device_path < other.device_path);
    for device in sorted {
        out.line(3, format_args!("{} from {}", device.device_path, device.name));
    }
}
