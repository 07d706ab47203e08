//! Validation of objects before they are sent.
//!
//! An object must say its kind and version. Whether it has only fields that its kind has is the server's affair,
//! which is told what to do about others by `fieldValidation`. Servers before v1.25 don't know that: for them a
//! [`Validator`] can be told to look into the server's OpenAPI document ([`FieldChecks::ByDocument`]).
//!
//! ```no_run
//! # async fn check(factory: &rhumb_cli::Factory) -> Result<(), rhumb_cli::Failure> {
//! use rhumb_cli::validation::{FieldChecks, FieldValidation};
//!
//! let validator = factory.validator(FieldValidation::Strict, FieldChecks::ByDocument);
//! let problem = validator.check(br#"{"kind":"Pod"}"#).await.unwrap_err();
//! assert_eq!(problem.bare(), "apiVersion not set");
//! # Ok(())
//! # }
//! ```

mod document;

use std::cell::OnceCell;
use std::rc::Rc;

use rhumb_client::discovery::OpenApiForm;
use rhumb_codec::{Strictness, json, yaml};
use rhumb_meta::{GroupVersion, GroupVersionKind};
use rhumb_schema::text::Scanner;
use serde_json::Value;

use crate::command::Flags;
use crate::{Factory, Failure};

use document::Document;

/// Handling of unknown fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// Refuse the object.
    #[default]
    Strict,
    /// Take it, and warn.
    Warn,
    /// Take it without a word.
    Ignore,
}

impl FieldValidation {
    /// Parses `--validate`.
    ///
    /// # Errors
    /// The flag says something else.
    pub fn of(flags: &Flags) -> Result<Self, Failure> {
        match flags.text("validate") {
            "true" | "strict" | "1" | "t" | "T" | "TRUE" | "True" => Ok(FieldValidation::Strict),
            "false" | "ignore" | "0" | "f" | "F" | "FALSE" | "False" => Ok(FieldValidation::Ignore),
            "warn" => Ok(FieldValidation::Warn),
            other => Err(Failure::message(format!(
                "invalid - validate option {other:?}; must be one of: strict (or true), warn, ignore (or false)"
            ))),
        }
    }

    /// Returns the `fieldValidation` parameter.
    pub fn param(self) -> &'static str {
        match self {
            FieldValidation::Strict => "Strict",
            FieldValidation::Warn => "Warn",
            FieldValidation::Ignore => "Ignore",
        }
    }
}

/// Who checks for unknown fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldChecks {
    /// The server, as every server since v1.25 does; nothing is asked before.
    #[default]
    ByServer,
    /// The server if its OpenAPI document says that it does so for the kind, else the client, by that document.
    ByDocument,
}

/// Validates objects before they are sent. Clones share the server's document.
#[derive(Clone)]
pub struct Validator {
    factory: Factory,
    directive: FieldValidation,
    fields: FieldChecks,
    document: Rc<OnceCell<Document>>,
}

impl Validator {
    pub(crate) fn new(factory: Factory, directive: FieldValidation, fields: FieldChecks) -> Self {
        Validator { factory, directive, fields, document: Rc::default() }
    }

    /// Checks an object in JSON or YAML.
    ///
    /// # Errors
    /// What is wrong with it, in kubectl's words; or the server's document can't be had.
    pub async fn check(&self, object: &[u8]) -> Result<(), Failure> {
        if self.directive == FieldValidation::Ignore {
            return Ok(());
        }
        check_object(object).map_err(Failure::Message)?;
        if self.fields == FieldChecks::ByServer {
            return Ok(());
        }
        let text = to_json(object).map_err(Failure::Message)?;
        let (tree, _) = json::decode_tree(&text, Strictness::Ignore)
            .map_err(|error| Failure::message(error.to_string()))?;
        let document = self.document().await?;
        let kind = kind_of(&tree);
        if document.has_parameter(&kind, "fieldValidation") {
            return Ok(());
        }
        if self.directive == FieldValidation::Warn {
            let text = "cannot perform warn validation if server-side field validation is unsupported, skipping \
                        validation";
            crate::log('W', self.factory.environment(), "schema.go:145", text);
            return Ok(());
        }
        let mut problems = document.problems(&tree);
        problems.extend(duplicate_keys(&text));
        match listed(problems) {
            Some(problems) => Err(Failure::Message(problems)),
            None => Ok(()),
        }
    }

    /// Returns the server's OpenAPI document, fetched once.
    async fn document(&self) -> Result<&Document, Failure> {
        if let Some(document) = self.document.get() {
            return Ok(document);
        }
        let undone = |error: String| Failure::message(format!("failed to download openapi: {error}"));
        let discovery = self.factory.client()?.discovery();
        let text = discovery.openapi_v2(OpenApiForm::Json).await;
        let text = text.map_err(|error| undone(Failure::from(error).bare()))?;
        let document = Document::parse(&text).map_err(undone)?;
        Ok(self.document.get_or_init(|| document))
    }
}

/// Converts YAML to JSON; JSON is returned as it is.
fn to_json(object: &[u8]) -> Result<Vec<u8>, String> {
    if object.trim_ascii_start().first() == Some(&b'{') {
        return Ok(object.to_vec());
    }
    let mut json = Vec::new();
    yaml::to_json(object, &yaml::ReadOptions::default(), &mut json).map_err(|error| error.to_string())?;
    Ok(json)
}

/// Reports whether a document is an object that says its kind and version.
///
/// # Errors
/// What it lacks, as kubectl's validation says it.
pub fn check_object(document: &[u8]) -> Result<(), String> {
    let document = to_json(document)?;
    let (tree, _) = json::decode_tree(&document, Strictness::Ignore).map_err(|error| error.to_string())?;
    let Some(fields) = tree.as_object() else { return Err("invalid object to validate".to_owned()) };
    let mut problems = Vec::new();
    match fields.get("apiVersion") {
        None | Some(Value::Null) => problems.push("apiVersion not set".to_owned()),
        Some(Value::String(version)) => {
            if version.matches('/').count() > 1 {
                problems.push(format!("unexpected GroupVersion string: {version}"));
            }
        }
        Some(_) => problems.push("apiVersion isn't string type".to_owned()),
    }
    match fields.get("kind") {
        None | Some(Value::Null) => problems.push("kind not set".to_owned()),
        Some(Value::String(_)) => {}
        Some(_) => problems.push("kind isn't string type".to_owned()),
    }
    listed(problems).map_or(Ok(()), Err)
}

/// Returns several problems as one, each once, as Go lists them.
fn listed(mut problems: Vec<String>) -> Option<String> {
    let mut seen = std::collections::BTreeSet::new();
    problems.retain(|problem| seen.insert(problem.clone()));
    match problems.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(format!("[{}]", several.join(", "))),
    }
}

fn kind_of(tree: &Value) -> GroupVersionKind {
    let text = |field: &str| tree.get(field).and_then(Value::as_str).unwrap_or_default();
    GroupVersion::parse(text("apiVersion")).unwrap_or_default().with_kind(text("kind").to_owned())
}

/// Labels and annotations that stand in an object more than once; the first of each is told.
fn duplicate_keys(json: &[u8]) -> Vec<String> {
    ["labels", "annotations"]
        .iter()
        .filter_map(|field| {
            let fields = field_of(field_of(json, "metadata")?, field)?;
            let mut seen = std::collections::BTreeSet::new();
            let twice = entries(fields).into_iter().find(|(key, _)| !seen.insert(key.clone()))?;
            Some(format!("duplicate key: {}", twice.0))
        })
        .collect()
}

/// Returns the text of a field of a JSON object.
fn field_of<'a>(json: &'a [u8], name: &str) -> Option<&'a [u8]> {
    entries(json).into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Returns the fields of a JSON object with the texts of their values; none of what is no object.
fn entries(json: &[u8]) -> Vec<(String, &[u8])> {
    let mut found = Vec::new();
    let mut scanner = Scanner::new(json);
    if scanner.peek() != Some(b'{') {
        return found;
    }
    scanner.bump();
    while let Ok(true) = scanner.next_entry(found.is_empty()) {
        let Ok(key) = scanner.key().map(|key| key.into_owned()) else { break };
        let Ok(value) = scanner.skip() else { break };
        found.push((key, value));
    }
    found
}

#[cfg(test)]
mod tests;
