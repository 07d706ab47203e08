//! Validation of Ingresses.

use rhumb_api::core::v1::TypedLocalObjectReference;
use rhumb_api::networking::v1::{
    HTTPIngressPath, HTTPIngressRuleValue, Ingress, IngressBackend, IngressRule, IngressServiceBackend,
    IngressSpec, IngressTLS,
};
use rhumb_meta::validation::{
    is_dns1123_subdomain, is_path_segment_name, is_wildcard_dns1123_subdomain, name_is_dns_subdomain,
};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{
    OldValues, Scope, dns_label, dns_subdomain, host_name, legacy_ip, no_ip, object_meta, object_meta_update,
    port_name, port_number,
};

/// Where the class was named before there was a field for it.
const CLASS_ANNOTATION: &str = "kubernetes.io/ingress.class";

/// What is let through because the stored object has it already.
#[derive(Clone, Copy, Debug, Default)]
struct Options {
    allow_invalid_secret_names: bool,
    allow_invalid_wildcard_rules: bool,
}

impl Options {
    fn of(old: &Ingress) -> Self {
        let broken = |rule: &IngressRule| {
            let mut found = FieldErrors::default();
            rule_value(rule, &FieldPath::root(), &mut found);
            rule.host.contains('*') && !found.is_empty()
        };
        let misnamed = |tls: &IngressTLS| {
            !tls.secret_name.is_empty() && !is_dns1123_subdomain(&tls.secret_name).is_empty()
        };
        Options {
            allow_invalid_secret_names: old.spec.tls.iter().any(misnamed),
            allow_invalid_wildcard_rules: old.spec.rules.iter().any(broken),
        }
    }
}

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<Ingress>(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(ingress: &Ingress, _: &Context, errors: &mut FieldErrors) {
    whole(ingress, Options::default(), errors);
    if let Some(annotation) = ingress.metadata.annotations.get(CLASS_ANNOTATION)
        && let Some(class) = &ingress.spec.ingress_class_name
        && annotation != class
    {
        let path = FieldPath::new("annotations").child(CLASS_ANNOTATION);
        errors.invalid(&path, annotation, "must match `ingressClassName` when both are specified");
    }
}

fn update(new: &Ingress, old: &Ingress, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    whole(new, Options::of(old), errors);
}

fn whole(ingress: &Ingress, options: Options, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&ingress.metadata, Scope::Namespaced, name_is_dns_subdomain, &metadata, errors);
    spec(&ingress.spec, options, &FieldPath::new("spec"), errors);
}

fn spec(spec: &IngressSpec, options: Options, path: &FieldPath, errors: &mut FieldErrors) {
    match &spec.default_backend {
        Some(default) => backend(default, &path.child("defaultBackend"), errors),
        None if spec.rules.is_empty() => {
            errors.invalid(path, &spec.rules, "either `defaultBackend` or `rules` must be specified");
        }
        None => {}
    }
    for (index, each) in spec.rules.iter().enumerate().wanted() {
        rule(each, options, &path.child("rules").index(index), errors);
    }
    for (index, each) in spec.tls.iter().enumerate().wanted() {
        tls(each, options, &path.child("tls").index(index), errors);
    }
    if let Some(class) = &spec.ingress_class_name {
        dns_subdomain(class, &path.child("ingressClassName"), errors);
    }
}

fn rule(rule: &IngressRule, options: Options, path: &FieldPath, errors: &mut FieldErrors) {
    if !rule.host.is_empty() {
        let path = path.child("host");
        no_ip(&rule.host, &path, errors);
        host(&rule.host, &path, errors);
    }
    if !(rule.host.contains('*') && options.allow_invalid_wildcard_rules) {
        rule_value(rule, path, errors);
    }
}

/// A host, or a wildcard in front of one.
fn host(host: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if host.contains('*') {
        errors.invalid_each(path, host, is_wildcard_dns1123_subdomain(host));
    } else {
        dns_subdomain(host, path, errors);
    }
}

fn rule_value(rule: &IngressRule, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(http) = &rule.ingress_rule_value.http {
        paths(http, &path.child("http").child("paths"), errors);
    }
}

fn paths(http: &HTTPIngressRuleValue, at: &FieldPath, errors: &mut FieldErrors) {
    if http.paths.is_empty() {
        errors.required(at, "");
    }
    for (index, each) in http.paths.iter().enumerate().wanted() {
        url_path(each, &at.index(index), errors);
    }
}

fn url_path(path: &HTTPIngressPath, at: &FieldPath, errors: &mut FieldErrors) {
    let Some(path_type) = &path.path_type else {
        return errors.required(&at.child("pathType"), "pathType must be specified");
    };
    let (text, field) = (&path.path, at.child("path"));
    let is_absolute = text.starts_with('/');
    match path_type.as_str() {
        "Exact" | "Prefix" => {
            if !is_absolute {
                errors.invalid(&field, text, "must be an absolute path");
            }
            for part in ["//", "/./", "/../", "%2f", "%2F"] {
                if text.contains(part) {
                    errors.invalid(&field, text, &format!("must not contain '{part}'"));
                }
            }
            for end in ["/..", "/."] {
                if text.ends_with(end) {
                    errors.invalid(&field, text, &format!("cannot end with '{end}'"));
                }
            }
        }
        "ImplementationSpecific" => {
            if !text.is_empty() && !is_absolute {
                errors.invalid(&field, text, "must be an absolute path");
            }
        }
        other => {
            let supported = ["Exact", "ImplementationSpecific", "Prefix"];
            errors.not_supported(&at.child("pathType"), &Named(other), &supported);
        }
    }
    backend(&path.backend, &at.child("backend"), errors);
}

fn backend(backend: &IngressBackend, path: &FieldPath, errors: &mut FieldErrors) {
    match (&backend.resource, &backend.service) {
        (Some(_), Some(_)) => errors.invalid(path, "", "cannot set both resource and service backends"),
        (Some(reference), None) => resource(reference, &path.child("resource"), errors),
        (None, Some(target)) => service(target, path, errors),
        (None, None) => errors.invalid(path, "", "resource or service backend is required"),
    }
}

/// The service of a backend. Errors about the port as a whole are told of the backend.
fn service(service: &IngressServiceBackend, backend: &FieldPath, errors: &mut FieldErrors) {
    let path = backend.child("service");
    if service.name.is_empty() {
        errors.required(&path.child("name"), "");
    } else {
        dns_label(&service.name, &path.child("name"), errors);
    }
    let port = path.child("port");
    match (service.port.name.as_str(), service.port.number) {
        ("", 0) => errors.required(backend, "port name or number is required"),
        ("", number) => port_number(number, &port.child("number"), errors),
        (name, 0) => port_name(name, &port.child("name"), errors),
        _ => errors.invalid(backend, "", "cannot set both port name & port number"),
    }
}

fn resource(reference: &TypedLocalObjectReference, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(group) = &reference.api_group {
        dns_subdomain(group, &path.child("apiGroup"), errors);
    }
    kind_and_name(&reference.kind, &reference.name, path, errors);
}

/// The kind and name of an object that is referred to.
pub(super) fn kind_and_name(kind: &str, name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    for (field, value) in [("kind", kind), ("name", name)] {
        if value.is_empty() {
            errors.required(&path.child(field), "");
        } else {
            errors.invalid_each(&path.child(field), value, is_path_segment_name(value));
        }
    }
}

fn tls(tls: &IngressTLS, options: Options, path: &FieldPath, errors: &mut FieldErrors) {
    for (index, name) in tls.hosts.iter().enumerate().wanted() {
        host(name, &path.child("hosts").index(index), errors);
    }
    if !tls.secret_name.is_empty() && !options.allow_invalid_secret_names {
        dns_subdomain(&tls.secret_name, &path.child("secretName"), errors);
    }
}

fn status(new: &Ingress, old: &Ingress, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let before: OldValues = old.status.load_balancer.ingress.iter().map(|point| point.ip.as_str()).collect();
    let path = FieldPath::new("status").child("loadBalancer").child("ingress");
    for (index, point) in new.status.load_balancer.ingress.iter().enumerate().wanted() {
        let path = path.index(index);
        if !point.ip.is_empty() {
            legacy_ip(&point.ip, &before, &path.child("ip"), errors);
        }
        if !point.hostname.is_empty() {
            host_name(&point.hostname, &path.child("hostname"), errors);
        }
    }
}
