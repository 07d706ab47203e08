//! Validation of a definition's conversion: strategy and webhook.

use std::collections::HashSet;

use rhumb_api::apiextensions::v1beta1::{CustomResourceConversion, WebhookClientConfig};
use rhumb_meta::validation::is_dns1035_label;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};

use super::tightened::Tightened;
use crate::webhook::{self, WebhookService, Wording};

/// The versions of the review that API servers speak.
const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// Reports whether one of the versions is spoken by API servers.
pub(super) fn has_known_review_version(versions: &[String]) -> bool {
    versions.iter().any(|version| REVIEW_VERSIONS.contains(&version.as_str()))
}

pub(super) fn conversion(
    conversion: &CustomResourceConversion,
    tightened: &Tightened,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    match conversion.strategy.as_str() {
        "" => errors.required(&path.child("strategy"), ""),
        "None" | "Webhook" => {}
        other => errors.not_supported(&path.child("strategy"), other, &["None", "Webhook"]),
    }
    let (client, reviews) = (path.child("webhookClientConfig"), path.child("conversionReviewVersions"));
    if conversion.strategy == "Webhook" {
        match conversion.webhook_client_config.as_deref() {
            None => errors.required(&client, "required when strategy is set to Webhook"),
            Some(config) => client_config(config, tightened, &client, errors),
        }
        review_versions(&conversion.conversion_review_versions, tightened, &reviews, errors);
        return;
    }
    let detail = "should not be set when strategy is not set to Webhook";
    if conversion.webhook_client_config.is_some() {
        errors.forbidden(&client, detail);
    }
    if !conversion.conversion_review_versions.is_empty() {
        errors.forbidden(&reviews, detail);
    }
}

fn client_config(
    config: &WebhookClientConfig,
    tightened: &Tightened,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let service = config.service.as_deref().map(|service| WebhookService {
        namespace: &service.namespace,
        name: &service.name,
        path: service.path.as_deref(),
        port: service.port.unwrap_or_default(),
    });
    webhook::client_config(config.url.as_ref(), service.as_ref(), Wording::Current, path, errors);
    if tightened.ca_bundle {
        webhook::ca_bundle(&config.ca_bundle, &path.child("caBundle"), errors);
    }
}

fn review_versions(
    versions: &Vec<String>,
    tightened: &Tightened,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if versions.is_empty() {
        return errors.required(path, "");
    }
    let mut seen = HashSet::new();
    for (index, version) in versions.iter().enumerate().wanted() {
        if !seen.insert(version) {
            errors.invalid(&path.index(index), version, "duplicate version");
        } else {
            errors.invalid_each(&path.index(index), version, is_dns1035_label(version));
        }
    }
    if tightened.review_version && !has_known_review_version(versions) {
        let detail = format!("must include at least one of {}", REVIEW_VERSIONS.join(", "));
        errors.invalid(path, versions, &detail);
    }
}
