//! ConfigMaps, Secrets and ServiceAccounts.

use rhumb_api::core::v1::{ConfigMap, Secret, ServiceAccount};

use super::heading;
use crate::Lines;
use crate::parts::{Events, events};

/// Describes a ConfigMap.
pub fn config_map(out: &mut Lines, map: &ConfigMap, shown_events: Events<'_>) {
    heading(out, &map.metadata);
    out.put(0, "\nData\n====\n");
    for (key, value) in &map.data {
        out.put(0, format_args!("{key}:\n----\n{value}\n\n"));
    }
    out.put(0, "\nBinaryData\n====\n");
    for (key, value) in &map.binary_data {
        out.line(0, format_args!("{key}: {} bytes", value.0.len()));
    }
    out.put(0, "\n");
    events(out, shown_events);
}

/// Describes a Secret, of which no more is told than the length; only the tokens of service accounts are
/// shown.
pub fn secret(out: &mut Lines, secret: &Secret) {
    heading(out, &secret.metadata);
    out.put(0, "\n");
    out.field(0, "Type", &secret.type_);
    out.put(0, "\nData\n====\n");
    for (key, value) in &secret.data {
        if key == "token" && secret.type_ == "kubernetes.io/service-account-token" {
            out.field(0, key, String::from_utf8_lossy(&value.0));
        } else {
            out.field(0, key, format_args!("{} bytes", value.0.len()));
        }
    }
}

/// Describes a ServiceAccount.
pub fn service_account(out: &mut Lines, account: &ServiceAccount, shown_events: Events<'_>) {
    const TITLE: &str = "Image pull secrets:";
    heading(out, &account.metadata);
    if account.image_pull_secrets.is_empty() {
        out.row(0, &[&TITLE, &"<none>"]);
    }
    for (index, secret) in account.image_pull_secrets.iter().enumerate() {
        let title = if index == 0 { TITLE.to_owned() } else { " ".repeat(TITLE.len()) };
        out.row(0, &[&title, &secret.name]);
    }
    events(out, shown_events);
}
