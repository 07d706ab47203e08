//! Validation of secrets: what each type must hold.

use rhumb_api::core::v1::Secret;
use rhumb_meta::validation::{is_config_map_key, name_is_dns_subdomain};
use rhumb_schema::text::parse_tree;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{Scope, object_meta, object_meta_update};

/// The most bytes that all values together may have.
const MAX_SIZE: usize = 1024 * 1024;
const FROZEN: &str = "field is immutable when `immutable` is set";
const ACCOUNT_NAME: &str = "kubernetes.io/service-account.name";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<Secret>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(secret: &Secret, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&secret.metadata, Scope::Namespaced, name_is_dns_subdomain, &metadata, errors);
    let data = FieldPath::new("data");
    for key in secret.data.keys() {
        errors.invalid_each(&data.key(key), key, is_config_map_key(key));
    }
    if secret.data.values().map(|bytes| bytes.0.len()).sum::<usize>() > MAX_SIZE {
        errors.too_long(&data, MAX_SIZE);
    }
    let has = |key: &str| secret.data.contains_key(key);
    match secret.type_.as_str() {
        "kubernetes.io/service-account-token"
            if secret.metadata.annotations.get(ACCOUNT_NAME).is_none_or(String::is_empty) =>
        {
            errors.required(&metadata.child("annotations").key(ACCOUNT_NAME), "");
        }
        "kubernetes.io/dockercfg" => json_object(secret, ".dockercfg", &data, errors),
        "kubernetes.io/dockerconfigjson" => json_object(secret, ".dockerconfigjson", &data, errors),
        "kubernetes.io/basic-auth" if !has("username") && !has("password") => {
            errors.required(&data.key("username"), "");
            errors.required(&data.key("password"), "");
        }
        "kubernetes.io/ssh-auth" if secret.data.get("ssh-privatekey").is_none_or(|key| key.0.is_empty()) => {
            errors.required(&data.key("ssh-privatekey"), "");
        }
        "kubernetes.io/tls" => {
            for key in ["tls.crt", "tls.key"] {
                if !has(key) {
                    errors.required(&data.key(key), "");
                }
            }
        }
        _ => {}
    }
}

/// A value that must be there and be a JSON object. It's not shown, as it's secret.
fn json_object(secret: &Secret, key: &str, data: &FieldPath, errors: &mut FieldErrors) {
    let path = data.key(key);
    let Some(value) = secret.data.get(key) else { return errors.required(&path, "") };
    let problem = match parse_tree(&value.0) {
        Ok(tree) if tree.is_object() || tree.is_null() => return,
        Ok(tree) => {
            let kinds =
                [(tree.is_boolean(), "bool"), (tree.is_number(), "number"), (tree.is_string(), "string")];
            let kind = kinds.iter().find(|(is, _)| *is).map_or("array", |(_, kind)| kind);
            format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}")
        }
        Err(error) => error.to_string(),
    };
    errors.invalid(&path, "<secret contents redacted>", &problem);
}

fn update(new: &Secret, old: &Secret, context: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if new.type_ != old.type_ {
        errors.invalid(&FieldPath::new("type"), &Named(&new.type_), "field is immutable");
    }
    if old.immutable == Some(true) {
        if new.immutable != Some(true) {
            errors.forbidden(&FieldPath::new("immutable"), FROZEN);
        }
        if new.data != old.data {
            errors.forbidden(&FieldPath::new("data"), FROZEN);
        }
    }
    create(new, context, errors);
}

#[cfg(test)]
mod tests {
    use rhumb_meta::GroupVersion;
    use rhumb_schema::ByteString;

    use super::*;

    #[test]
    fn values_are_at_most_a_mebibyte_together() {
        let mut secret = Secret::default();
        secret.metadata.name = "large".to_owned();
        secret.metadata.namespace = "default".to_owned();
        secret.data.insert("a".to_owned(), ByteString(vec![0; MAX_SIZE / 2]));
        secret.data.insert("b".to_owned(), ByteString(vec![0; MAX_SIZE / 2]));
        let found = |secret: &Secret| {
            let mut errors = FieldErrors::default();
            create(secret, &Context::new(&GroupVersion::new("", "v1")), &mut errors);
            errors.to_string()
        };
        assert_eq!(found(&secret), "");
        secret.data.insert("c".to_owned(), ByteString(vec![0]));
        assert_eq!(found(&secret), "data: Too long: may not be more than 1048576 bytes");
    }
}
