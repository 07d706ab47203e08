//! How objects get from one version to another: the strategy, and the webhook that does it.

use rhumb_api::apiextensions::v1beta1::{CustomResourceConversion, ServiceReference, WebhookClientConfig};
use rhumb_meta::validation::{is_dns1035_label, is_dns1123_subdomain, is_valid_port_num};
use rhumb_scheme::validation::{FieldErrors, FieldPath};

use super::tightened::Tightened;
use super::url::Url;

/// The versions of the review that API servers speak.
const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// Whether one of the versions is spoken by API servers.
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
    match (&config.url, config.service.as_deref()) {
        (Some(text), None) => url(text, &path.child("url"), errors),
        (None, Some(reference)) => service(reference, &path.child("service"), errors),
        _ => errors.required(path, "exactly one of url or service is required"),
    }
    if tightened.ca_bundle && !config.ca_bundle.0.is_empty() && !is_pem(&config.ca_bundle.0) {
        let detail = "unable to load root certificates: unable to parse bytes as PEM block";
        errors.invalid(&path.child("caBundle"), &config.ca_bundle, detail);
    }
}

/// Whether there is a certificate in PEM form. What is in the certificate is not looked at.
pub(super) fn is_pem(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((_, rest)) = text.split_once("-----BEGIN CERTIFICATE-----") else { return false };
    let Some((body, _)) = rest.split_once("-----END CERTIFICATE-----") else { return false };
    let body: String = body.split_whitespace().collect();
    rhumb_schema::text::decode_base64(&body).is_ok_and(|bytes| !bytes.is_empty())
}

fn url(text: &str, path: &FieldPath, errors: &mut FieldErrors) {
    const FORM: &str = "; desired format: https://host[/path]";
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return errors.required(path, &format!("url must be a valid URL: {error}{FORM}")),
    };
    if url.scheme != "https" {
        errors.invalid(path, &url.scheme, &format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if url.host.is_empty() {
        errors.invalid(path, "", &format!("host must be specified{FORM}"));
    }
    if let Some(user) = &url.user {
        errors.invalid(path, user, "user information is not permitted in the URL");
    }
    if !url.fragment.is_empty() {
        errors.invalid(path, &url.fragment, "fragments are not permitted in the URL");
    }
    if !url.query.is_empty() {
        errors.invalid(path, &url.query, "query parameters are not permitted in the URL");
    }
}

/// Kubernetes hands over name and namespace in the wrong order, so each is told of under the other's path.
fn service(service: &ServiceReference, path: &FieldPath, errors: &mut FieldErrors) {
    if service.namespace.is_empty() {
        errors.required(&path.child("name"), "");
    }
    if service.name.is_empty() {
        errors.required(&path.child("namespace"), "");
    }
    let port = service.port.unwrap_or_default();
    let found = is_valid_port_num(i64::from(port));
    if !found.is_empty() {
        let detail = format!("port is not valid: {}", found.join(", "));
        errors.invalid(&path.child("port"), &port, &detail);
    }
    let Some(url_path) = service.path.as_ref().filter(|text| !text.is_empty() && *text != "/") else {
        return;
    };
    let path = path.child("path");
    if url_path == "//" {
        return errors.invalid(&path, url_path, "segment[0] may not be empty");
    }
    if !url_path.starts_with('/') {
        errors.invalid(&path, url_path, "must start with a '/'");
    }
    let mut letters = url_path.chars();
    letters.next();
    let steps = letters.as_str();
    for (index, step) in steps.strip_suffix('/').unwrap_or(steps).split('/').enumerate() {
        if step.is_empty() {
            errors.invalid(&path, url_path, &format!("segment[{index}] may not be empty"));
            continue;
        }
        for failure in is_dns1123_subdomain(step) {
            errors.invalid(&path, url_path, &format!("segment[{index}]: {failure}"));
        }
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
    for (index, version) in versions.iter().enumerate() {
        let before = versions.get(..index).unwrap_or_default();
        if before.contains(version) {
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
