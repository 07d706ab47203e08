//! Ingresses and ingress classes.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::core::v1::Service;
use rhumb_api::discovery::v1::EndpointSlice;
use rhumb_api::networking::v1::{
    Ingress, IngressBackend, IngressClass, IngressServiceBackend, IngressTLS, ServiceBackendPort,
};

use super::cluster_heading;
use crate::Lines;
use crate::go_text::or;
use crate::parts::{Events, annotations, endpoints_text, events, labels};

/// Services of an ingress by name, each with its endpoints or the error of reading it.
pub type Backends = BTreeMap<String, Result<(Service, Vec<EndpointSlice>), String>>;

/// Returns the names of the services that an ingress leads to.
pub fn backend_names(ingress: &Ingress) -> BTreeSet<&str> {
    let rules = ingress.spec.rules.iter().filter_map(|rule| rule.ingress_rule_value.http.as_ref());
    let backends = rules.flat_map(|http| &http.paths).map(|path| &path.backend);
    let backends = backends.chain(ingress.spec.default_backend.as_deref());
    backends.filter_map(|backend| backend.service.as_ref()).map(|service| service.name.as_str()).collect()
}

/// Describes an ingress with the services that it leads to.
pub fn ingress(out: &mut Lines, ingress: &Ingress, backends: &Backends, shown_events: Events<'_>) {
    let spec = &ingress.spec;
    out.field(0, "Name", &ingress.metadata.name);
    labels(out, "Labels", &ingress.metadata.labels);
    out.field(0, "Namespace", &ingress.metadata.namespace);
    out.field(0, "Address", addresses(ingress));
    out.field(0, "Ingress Class", spec.ingress_class_name.as_deref().unwrap_or("<none>"));
    let default = spec.default_backend.as_deref();
    let default = default.map_or("<default>".to_owned(), |backend| backend_text(backend, backends));
    out.field(0, "Default backend", &default);
    tls(out, &spec.tls);
    out.line(0, "Rules:");
    out.row(1, &[&"Host", &"Path", &"Backends"]);
    out.row(1, &[&"----", &"----", &"--------"]);
    let mut has_rules = false;
    for rule in &spec.rules {
        let Some(http) = &rule.ingress_rule_value.http else { continue };
        has_rules = true;
        out.row(1, &[&or(&rule.host, "*"), &""]);
        for path in &http.paths {
            let backend = backend_text(&path.backend, backends);
            out.row(2, &[&"", &format_args!("{} ", path.path), &backend]);
        }
    }
    if !has_rules {
        out.row(1, &[&"*", &"*", &default]);
    }
    annotations(out, "Annotations", &ingress.metadata.annotations);
    events(out, shown_events);
}

fn addresses(ingress: &Ingress) -> String {
    let entries = ingress.status.load_balancer.ingress.iter();
    let addresses: BTreeSet<&str> =
        entries.map(|entry| or(&entry.ip, &entry.hostname)).filter(|text| !text.is_empty()).collect();
    addresses.into_iter().collect::<Vec<_>>().join(",")
}

fn tls(out: &mut Lines, tls: &[IngressTLS]) {
    if !tls.is_empty() {
        out.line(0, "TLS:");
    }
    for entry in tls {
        let hosts = entry.hosts.join(",");
        match entry.secret_name.as_str() {
            "" => out.line(1, format_args!("SNI routes {hosts}")),
            secret => out.line(1, format_args!("{secret} terminates {hosts}")),
        }
    }
}

fn backend_text(backend: &IngressBackend, backends: &Backends) -> String {
    if let Some(service) = &backend.service {
        return service_text(service, backends);
    }
    let Some(resource) = &backend.resource else { return String::new() };
    let group = resource.api_group.as_deref().unwrap_or("<none>");
    format!("APIGroup: {group}, Kind: {}, Name: {}", resource.kind, resource.name)
}

fn service_text(backend: &IngressServiceBackend, backends: &Backends) -> String {
    let IngressServiceBackend { name, port } = backend;
    let port_text = if port.number == 0 { port.name.clone() } else { port.number.to_string() };
    let behind = match backends.get(name) {
        Some(Ok((service, slices))) => endpoints_text(slices, port_name(port, service)),
        Some(Err(error)) => format!("<error: {error}>"),
        None => String::new(),
    };
    format!("{name}:{port_text} ({behind})")
}

/// Returns the name of the service's port that a backend means; the last one if several fit.
fn port_name<'a>(port: &ServiceBackendPort, service: &'a Service) -> &'a str {
    let fits = |number: i32, name: &str| {
        (port.number != 0 && port.number == number) || (!port.name.is_empty() && port.name == name)
    };
    let found = service.spec.ports.iter().rev().find(|of_service| fits(of_service.port, &of_service.name));
    found.map(|found| found.name.as_str()).unwrap_or_default()
}

/// Describes a class of ingresses.
pub fn ingress_class(out: &mut Lines, class: &IngressClass, shown_events: Events<'_>) {
    cluster_heading(out, &class.metadata);
    out.field(0, "Controller", &class.spec.controller);
    if let Some(parameters) = &class.spec.parameters {
        out.line(0, "Parameters:");
        if let Some(group) = &parameters.api_group {
            out.field(1, "APIGroup", group);
        }
        out.field(1, "Kind", &parameters.kind);
        out.field(1, "Name", &parameters.name);
    }
    events(out, shown_events);
}
