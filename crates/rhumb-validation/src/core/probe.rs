//! Validation of probes and lifecycle hooks.

use rhumb_api::core::v1::{
    ExecAction, GRPCAction, HTTPGetAction, Lifecycle, LifecycleHandler, PodSpec, Probe, ProbeHandler,
    SIGNALS, SleepAction, TCPSocketAction,
};
use rhumb_meta::IntOrString;
use rhumb_meta::validation::is_http_header_name;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named};

use crate::meta::{nonnegative, port_number_or_name};

/// All that a probe or a hook can do.
#[derive(Default)]
struct Handler<'a> {
    exec: Option<&'a ExecAction>,
    http_get: Option<&'a HTTPGetAction>,
    tcp_socket: Option<&'a TCPSocketAction>,
    grpc: Option<&'a GRPCAction>,
    sleep: Option<&'a SleepAction>,
}

impl<'a> From<&'a ProbeHandler> for Handler<'a> {
    fn from(handler: &'a ProbeHandler) -> Self {
        Handler {
            exec: handler.exec.as_deref(),
            http_get: handler.http_get.as_deref(),
            tcp_socket: handler.tcp_socket.as_deref(),
            grpc: handler.grpc.as_deref(),
            sleep: None,
        }
    }
}

impl<'a> From<&'a LifecycleHandler> for Handler<'a> {
    fn from(handler: &'a LifecycleHandler) -> Self {
        Handler {
            exec: handler.exec.as_deref(),
            http_get: handler.http_get.as_deref(),
            tcp_socket: handler.tcp_socket.as_deref(),
            grpc: None,
            sleep: handler.sleep.as_deref(),
        }
    }
}

/// A probe that decides whether the container lives or has started: one success is enough.
pub(super) fn once_probe(
    probe: Option<&Probe>,
    grace: Option<i64>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let Some(found) = probe else { return };
    any_probe(found, grace, path, errors);
    if found.success_threshold != 1 {
        errors.invalid(&path.child("successThreshold"), &found.success_threshold, "must be 1");
    }
}

/// A probe that decides whether the container is ready.
pub(super) fn readiness_probe(
    probe: Option<&Probe>,
    grace: Option<i64>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let Some(found) = probe else { return };
    any_probe(found, grace, path, errors);
    if let Some(seconds) = found.termination_grace_period_seconds {
        let at = path.child("terminationGracePeriodSeconds");
        errors.invalid(&at, &seconds, "must not be set for readinessProbes");
    }
}

fn any_probe(probe: &Probe, grace: Option<i64>, path: &FieldPath, errors: &mut FieldErrors) {
    handler(&Handler::from(&probe.probe_handler), grace, path, errors);
    for (number, field) in [
        (probe.initial_delay_seconds, "initialDelaySeconds"),
        (probe.timeout_seconds, "timeoutSeconds"),
        (probe.period_seconds, "periodSeconds"),
        (probe.success_threshold, "successThreshold"),
        (probe.failure_threshold, "failureThreshold"),
    ] {
        nonnegative(i64::from(number), &path.child(field), errors);
    }
    if let Some(seconds) = probe.termination_grace_period_seconds
        && seconds <= 0
    {
        errors.invalid(&path.child("terminationGracePeriodSeconds"), &seconds, "must be greater than 0");
    }
}

/// Exactly one of the things that a handler can do.
fn handler(handler: &Handler, grace: Option<i64>, path: &FieldPath, errors: &mut FieldErrors) {
    let mut has_one = false;
    let mut is_first = |field: &str, errors: &mut FieldErrors| {
        if has_one {
            errors.forbidden(&path.child(field), "may not specify more than 1 handler type");
        }
        !std::mem::replace(&mut has_one, true)
    };
    if let Some(exec) = handler.exec
        && is_first("exec", errors)
        && exec.command.is_empty()
    {
        errors.required(&path.child("exec").child("command"), "");
    }
    if let Some(http) = handler.http_get
        && is_first("httpGet", errors)
    {
        http_get(http, &path.child("httpGet"), errors);
    }
    if let Some(tcp) = handler.tcp_socket
        && is_first("tcpSocket", errors)
    {
        port_number_or_name(&tcp.port, &path.child("tcpSocket").child("port"), errors);
    }
    if let Some(grpc) = handler.grpc
        && is_first("grpc", errors)
    {
        port_number_or_name(&IntOrString::Int(grpc.port), &path.child("grpc").child("port"), errors);
    }
    if let Some(sleep) = handler.sleep
        && is_first("sleep", errors)
        && let Some(grace) = grace
        && (sleep.seconds < 0 || sleep.seconds > grace)
    {
        let detail = format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
        errors.invalid(&path.child("sleep"), &sleep.seconds, &detail);
    }
    if !has_one {
        errors.required(path, "must specify a handler type");
    }
}

fn http_get(http: &HTTPGetAction, path: &FieldPath, errors: &mut FieldErrors) {
    if http.path.is_empty() {
        errors.required(&path.child("path"), "");
    }
    port_number_or_name(&http.port, &path.child("port"), errors);
    if !matches!(http.scheme.as_str(), "HTTP" | "HTTPS") {
        errors.not_supported(&path.child("scheme"), &Named(&http.scheme), &["HTTP", "HTTPS"]);
    }
    for header in &http.http_headers {
        errors.invalid_each(&path.child("httpHeaders"), &header.name, is_http_header_name(&header.name));
    }
}

/// The hooks of a container, and the signal that stops it.
pub(super) fn lifecycle(lifecycle: &Lifecycle, spec: &PodSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let grace = spec.termination_grace_period_seconds;
    if let Some(hook) = &lifecycle.post_start {
        handler(&Handler::from(hook.as_ref()), grace, &path.child("postStart"), errors);
    }
    if let Some(hook) = &lifecycle.pre_stop {
        handler(&Handler::from(hook.as_ref()), grace, &path.child("preStop"), errors);
    }
    if let Some(signal) = &lifecycle.stop_signal {
        stop_signal(signal, spec, &path.child("stopSignal"), errors);
    }
}

fn stop_signal(signal: &str, spec: &PodSpec, path: &FieldPath, errors: &mut FieldErrors) {
    match spec.os.as_deref().map(|os| os.name.as_str()) {
        None => errors.forbidden(path, "may not be set for containers with empty `spec.os.name`"),
        Some("windows") if !matches!(signal, "SIGKILL" | "SIGTERM") => {
            errors.not_supported(path, &Named(signal), &["SIGKILL", "SIGTERM"]);
        }
        Some("linux") if !SIGNALS.contains(&signal) => {
            let mut supported = SIGNALS.to_vec();
            supported.sort_unstable();
            errors.not_supported(path, &Named(signal), &supported);
        }
        Some(_) => {}
    }
}
