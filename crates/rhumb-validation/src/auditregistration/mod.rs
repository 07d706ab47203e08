//! Validation of the `auditregistration.k8s.io` group, as of the last release that had it.

use rhumb_api::auditregistration::v1alpha1::{AuditSink, Policy, WebhookThrottleConfig};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{Scope, common_object_meta};
use crate::webhook::{WebhookService, Wording, client_config};

const LEVELS: &[&str] = &["Metadata", "None", "Request", "RequestResponse"];
const STAGES: &[&str] = &["Panic", "RequestReceived", "ResponseComplete", "ResponseStarted"];

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<AuditSink>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(sink: &AuditSink, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    common_object_meta(&sink.metadata, Scope::Cluster, name_is_dns_subdomain, &metadata, errors);
    let path = FieldPath::new("spec");
    policy(&sink.spec.policy, &path.child("policy"), errors);
    let (webhook, path) = (&sink.spec.webhook, path.child("webhook"));
    if let Some(limits) = &webhook.throttle {
        throttle(limits, &path.child("throttle"), errors);
    }
    let config = &webhook.client_config;
    let service = config.service.as_deref().map(|service| WebhookService {
        namespace: &service.namespace,
        name: &service.name,
        path: service.path.as_deref(),
        port: service.port.unwrap_or_default(),
    });
    let path = path.child("clientConfig");
    client_config(config.url.as_ref(), service.as_ref(), Wording::AuditSinks, &path, errors);
}

/// The same as for a new one, twice, as Kubernetes did.
fn update(new: &AuditSink, _: &AuditSink, context: &Context, errors: &mut FieldErrors) {
    create(new, context, errors);
    create(new, context, errors);
}

fn policy(policy: &Policy, path: &FieldPath, errors: &mut FieldErrors) {
    if policy.level != "None" && policy.stages.is_empty() {
        return errors.required(&path.child("stages"), "");
    }
    for (index, stage) in policy.stages.iter().enumerate().wanted() {
        if !STAGES.contains(&stage.as_str()) {
            let detail = format!("allowed stages are {}", STAGES.join(","));
            errors.invalid(&path.child("stages").index(index), stage, &detail);
        }
    }
    if policy.level.is_empty() {
        errors.required(&path.child("level"), "");
    } else if !LEVELS.contains(&policy.level.as_str()) {
        errors.not_supported(&path.child("level"), &Named(&policy.level), LEVELS);
    }
}

fn throttle(limits: &WebhookThrottleConfig, path: &FieldPath, errors: &mut FieldErrors) {
    for (field, limit) in [("qps", limits.qps), ("burst", limits.burst)] {
        if let Some(limit) = limit
            && limit <= 0
        {
            errors.invalid(&path.child(field), &limit, &format!("{field} must be a positive number"));
        }
    }
}
