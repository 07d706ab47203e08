//! The fields that every object has, in objects and in those that are embedded in them.

use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::validation::{is_dns1035_label, name_is_path_segment};
use rhumb_schema::{from_tree, to_tree};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Shown};
use serde_json::{Map, Value as Json};

use super::values::shown;
use super::{Root, Structural};
use crate::meta::{Scope, common_object_meta};

impl Structural {
    /// Brings the metadata of objects into its usual form, which drops unknown fields of it. Gives up at the first
    /// field that has another type.
    pub fn settle_metadata(&self, value: &mut Json, root: Root, path: &FieldPath) -> FieldErrors {
        let mut errors = FieldErrors::default();
        settle(self, value, root == Root::Object, path, &mut errors);
        errors
    }

    /// Checks `apiVersion`, `kind` and `metadata` of objects.
    pub fn check_metadata(&self, value: &Json, root: Root, path: &FieldPath, errors: &mut FieldErrors) {
        check(self, value, root == Root::Object, path, errors);
    }
}

fn settle(schema: &Structural, value: &mut Json, is_root: bool, path: &FieldPath, errors: &mut FieldErrors) {
    match value {
        Json::Object(object) => {
            if is_root || schema.extensions.embedded_resource {
                settle_object(object, path, errors);
            }
            for (name, value) in object {
                if !errors.is_empty() {
                    return;
                }
                if let Some(property) = schema.properties.get(name) {
                    settle(property, value, false, &path.child(name), errors);
                } else if let Some(additional) =
                    schema.additional_properties.as_ref().and_then(|more| more.schema())
                {
                    settle(additional, value, false, &path.key(name), errors);
                }
            }
        }
        Json::Array(items) => {
            let Some(schema) = schema.items.as_deref() else { return };
            for (index, item) in items.iter_mut().enumerate() {
                if errors.is_empty() {
                    settle(schema, item, false, &path.index(index), errors);
                }
            }
        }
        _ => {}
    }
}

fn settle_object(object: &mut Map<String, Json>, path: &FieldPath, errors: &mut FieldErrors) {
    for name in ["apiVersion", "kind"] {
        if let Some(value) = object.get(name)
            && !value.is_string()
            && errors.is_empty()
        {
            errors.invalid(&path.child(name), &Shown(shown(value)), "must be a string");
        }
    }
    if let Some(value) = object.get_mut("metadata")
        && errors.is_empty()
    {
        match read_metadata(value) {
            Ok(metadata) => *value = to_tree(&metadata),
            Err(error) => errors.invalid(&path.child("metadata"), &Shown(shown(value)), &error),
        }
    }
}

fn read_metadata(value: &Json) -> Result<ObjectMeta, String> {
    let mut metadata = ObjectMeta::default();
    match from_tree(value, &mut metadata) {
        Ok(()) => Ok(metadata),
        Err(error) => Err(error.to_string()),
    }
}

fn check(schema: &Structural, value: &Json, is_root: bool, path: &FieldPath, errors: &mut FieldErrors) {
    match value {
        Json::Object(object) => {
            if is_root || schema.extensions.embedded_resource {
                check_object(object, path, errors);
            }
            for (name, value) in object {
                if let Some(property) = schema.properties.get(name) {
                    check(property, value, false, &path.child(name), errors);
                } else if let Some(additional) =
                    schema.additional_properties.as_ref().and_then(|more| more.schema())
                {
                    check(additional, value, false, &path.key(name), errors);
                }
            }
        }
        Json::Array(items) => {
            let Some(schema) = schema.items.as_deref() else { return };
            for (index, item) in items.iter().enumerate() {
                check(schema, item, false, &path.index(index), errors);
            }
        }
        _ => {}
    }
}

fn check_object(object: &Map<String, Json>, path: &FieldPath, errors: &mut FieldErrors) {
    for name in ["apiVersion", "kind"] {
        if !object.contains_key(name) {
            errors.required(&path.child(name), "");
        }
    }
    for name in ["apiVersion", "kind"] {
        let Some(value) = object.get(name) else { continue };
        let path = path.child(name);
        match value {
            Json::String(text) if text.is_empty() => errors.invalid(&path, "", "must not be empty"),
            Json::String(text) if name == "apiVersion" => {
                if text.matches('/').count() > 1 {
                    let detail = format!("unexpected GroupVersion string: {text}");
                    errors.invalid(&path, text.as_str(), &detail);
                }
            }
            Json::String(text) => {
                let found = is_dns1035_label(&text.to_lowercase());
                if !found.is_empty() {
                    let detail =
                        format!("may have mixed case, but should otherwise match: {}", found.join(","));
                    errors.invalid(&path, text.as_str(), &detail);
                }
            }
            other => errors.invalid(&path, &Shown(shown(other)), "must be a string"),
        }
    }
    let Some(value) = object.get("metadata") else { return };
    let path = path.child("metadata");
    match read_metadata(value) {
        Ok(mut metadata) => {
            if metadata.name.is_empty() {
                // An embedded object need not have a name yet; any name will do.
                "fakename".clone_into(&mut metadata.name);
            }
            common_object_meta(&metadata, Scope::of(&metadata), name_is_path_segment, &path, errors);
        }
        Err(error) => errors.invalid(&path, &Shown(shown(value)), &error),
    }
}
