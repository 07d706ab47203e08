//! Probes, one line each.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rhumb_api::core::v1::{HTTPGetAction, Probe};
use rhumb_meta::url::escape_path;

use crate::go_text::list;

/// Formats a probe with its timing and thresholds.
pub(crate) fn probe_text(probe: &Probe) -> String {
    let attributes = format!(
        "delay={}s timeout={}s period={}s #success={} #failure={}",
        probe.initial_delay_seconds,
        probe.timeout_seconds,
        probe.period_seconds,
        probe.success_threshold,
        probe.failure_threshold
    );
    let handler = &probe.probe_handler;
    if let Some(exec) = &handler.exec {
        format!("exec {} {attributes}", list(&exec.command))
    } else if let Some(get) = &handler.http_get {
        format!("http-get {} {attributes}", url(get))
    } else if let Some(tcp) = &handler.tcp_socket {
        format!("tcp-socket {}:{} {attributes}", tcp.host, tcp.port)
    } else if let Some(grpc) = &handler.grpc {
        let service = grpc.service.as_deref().unwrap_or_default();
        format!("grpc <pod>:{} {service} {attributes}", grpc.port)
    } else {
        format!("unknown {attributes}")
    }
}

/// What Go escapes in hosts.
const HOST: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'"')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b':')
    .remove(b'<')
    .remove(b'=')
    .remove(b'>')
    .remove(b'[')
    .remove(b']')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

fn url(get: &HTTPGetAction) -> String {
    let port = get.port.to_string();
    let host = if port.is_empty() { get.host.clone() } else { join_host_port(&get.host, &port) };
    let scheme = get.scheme.to_lowercase();
    let mut url = String::new();
    if !scheme.is_empty() {
        url.push_str(&scheme);
        url.push(':');
    }
    if (!scheme.is_empty() || !host.is_empty()) && (!host.is_empty() || !get.path.is_empty()) {
        url.push_str("//");
    }
    url.extend(utf8_percent_encode(&host, HOST));
    if get.path == "*" {
        url.push_str(if host.is_empty() { "*" } else { "/*" });
        return url;
    }
    if !get.path.is_empty() && !get.path.starts_with('/') && !host.is_empty() {
        url.push('/');
    }
    let (segment, _) = get.path.split_once('/').unwrap_or((&get.path, ""));
    if url.is_empty() && segment.contains(':') {
        url.push_str("./");
    }
    url.push_str(&escape_path(&get.path));
    url
}

/// Returns a host and a port; a host with colons is put in brackets.
pub(crate) fn join_host_port(host: &str, port: &str) -> String {
    if host.contains([':', '%']) { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}
