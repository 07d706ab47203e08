//! Variables of an expression: documents of files, and what the command line sets.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use rhumb_cel::value::Value;
use rhumb_cel_kubernetes::json;
use rhumb_cli::Call;
use rhumb_codec::{Format, yaml};
use serde_json::Value as Json;

use crate::documents;

/// Variables that documents are given under, and the flags that name their files.
const DOCUMENTS: [(&str, &str); 4] =
    [("self", "filename"), ("object", "filename"), ("oldSelf", "old"), ("oldObject", "old")];

/// Variables of an expression.
pub(super) struct Inputs {
    object: Option<Json>,
    old: Option<Json>,
    others: BTreeMap<String, Json>,
}

impl Inputs {
    /// Reads what the flags name. Without an evaluation nothing is read, since types don't depend on documents.
    pub(super) fn read(call: &Call) -> Result<Self> {
        let mut others = BTreeMap::new();
        for setting in call.flags.list("var") {
            let (name, value) = variable(&setting)?;
            if others.insert(name.to_owned(), value).is_some() {
                bail!("--var sets {name} more than once");
            }
        }
        let files = ["filename", "old"].map(|flag| call.flags.text(flag));
        if files == ["-", "-"] {
            bail!("only one of --filename and --old can read standard input");
        }
        let [object, old] = files.map(|file| {
            let is_read = !file.is_empty() && !call.flags.bool("check");
            is_read.then(|| document(file)).transpose()
        });
        Ok(Self { object: object?, old: old?, others })
    }

    /// Returns the names of all variables, also of those that have no value.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        DOCUMENTS.iter().map(|(name, _)| *name).chain(self.others.keys().map(String::as_str))
    }

    /// Returns the variables that have values.
    pub(super) fn values(&self) -> HashMap<&str, Value<'_>> {
        let mut values: HashMap<&str, Value<'_>> =
            self.others.iter().map(|(name, tree)| (name.as_str(), json::value(tree))).collect();
        for (rule, policy, tree) in [("self", "object", &self.object), ("oldSelf", "oldObject", &self.old)] {
            match tree {
                Some(tree) => {
                    values.insert(rule, json::value(tree));
                    values.insert(policy, json::value(tree));
                }
                // Policies see null in place of what is created or deleted.
                None if self.object.is_some() || self.old.is_some() => {
                    values.insert(policy, Value::Null);
                }
                None => {}
            }
        }
        values
    }
}

/// Checks that documents are there for the variables of an expression.
pub(super) fn require(variables: &[Arc<str>], values: &HashMap<&str, Value<'_>>) -> Result<()> {
    for (name, flag) in DOCUMENTS {
        if variables.iter().any(|variable| **variable == *name) && !values.contains_key(name) {
            bail!("the expression needs {name}; give its document with --{flag}");
        }
    }
    Ok(())
}

/// Parses `NAME=JSON`.
fn variable(setting: &str) -> Result<(&str, Json)> {
    let Some((name, value)) = setting.split_once('=') else {
        bail!("invalid --var {setting:?}; expected NAME=JSON");
    };
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|other| other.is_ascii_alphanumeric() || other == '_');
    if !is_name {
        bail!("invalid --var {setting:?}; {name:?} is not a name of letters, digits and underscores");
    }
    if let Some((_, flag)) = DOCUMENTS.iter().find(|(document, _)| *document == name) {
        bail!("--var can't set {name}; give its document with --{flag}");
    }
    let value = serde_json::from_str(value).with_context(|| {
        format!("invalid --var {setting:?}; the value must be JSON, with texts in double quotes")
    })?;
    Ok((name, value))
}

/// Reads the only document of a file.
fn document(file: &str) -> Result<Json> {
    let documents = documents::read(file)?;
    let [document] = documents.as_slice() else {
        let source = documents::names(&[file.to_owned()]);
        bail!("{source} must have one document, but has {}", documents.len());
    };
    let text = match document.format {
        Format::Json => Cow::Borrowed(document.data.as_slice()),
        Format::Yaml => {
            let mut text = Vec::new();
            yaml::to_json(&document.data, &yaml::ReadOptions::default(), &mut text)
                .with_context(|| document.place())?;
            Cow::Owned(text)
        }
        Format::Protobuf => {
            bail!("{} is protobuf; convert it to YAML with 'rhumb transcode'", document.place())
        }
    };
    serde_json::from_slice(&text).with_context(|| document.place())
}
