//! What is made of a version's schema when it is first needed.

use std::sync::{Arc, OnceLock};

use rhumb_api::apiextensions::v1beta1::{
    CustomResourceColumnDefinition, CustomResourceDefinition, JSONSchemaProps,
};
use rhumb_meta::GroupVersionKind;
use rhumb_patch::apply::CompiledSchema;
use rhumb_schema::budget::Budget;
use rhumb_schema::to_tree;
use rhumb_store::Key;
use rhumb_store::cache::Cache;
use rhumb_structural::Structural;
use rhumb_structural::rules::{Root, RuleSet};
use serde_json::{Value as Json, json};

use super::definition::DefinedVersion;
use super::table::Columns;
use crate::registry::Model;
use crate::registry::storage::Objects;

/// Where the definition itself is kept. Its schemas are read from there, so that nobody holds them who has not been
/// asked for an object yet.
pub(crate) struct Source {
    pub(crate) cache: Cache<Objects>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) key: Key,
}

impl Source {
    /// What a function sees in the definition; `None` if that is gone.
    pub(crate) fn read<T>(&self, see: impl FnOnce(&CustomResourceDefinition) -> T) -> Option<T> {
        let (_, snapshot) = self.cache.snapshot()?;
        let cached = snapshot.get(&self.key)?;
        let hub = self.model.load(cached.value(), cached.revision()).ok()?;
        hub.downcast_ref::<CustomResourceDefinition>().map(see)
    }

    /// The schema of a version. One that isn't there lets everything pass.
    fn schema(&self, version: &str) -> (Json, bool) {
        let found = self.read(|definition| {
            let schema = schema_of(definition, version).map(|schema| to_tree(schema));
            (schema, definition.spec.preserve_unknown_fields == Some(true))
        });
        match found {
            Some((Some(schema), preserves)) => (schema, preserves),
            _ => (json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}), true),
        }
    }

    fn columns(&self, version: &str) -> Vec<CustomResourceColumnDefinition> {
        let columns = |definition: &CustomResourceDefinition| {
            let found = definition.spec.versions.iter().find(|found| found.name == version);
            let own = found.map(|version| version.additional_printer_columns.clone()).unwrap_or_default();
            if own.is_empty() { definition.spec.additional_printer_columns.clone() } else { own }
        };
        self.read(columns).unwrap_or_default()
    }
}

fn schema_of<'a>(definition: &'a CustomResourceDefinition, version: &str) -> Option<&'a JSONSchemaProps> {
    let found = definition.spec.versions.iter().find(|found| found.name == version)?;
    let schema = found.schema.as_deref().or(definition.spec.validation.as_deref())?;
    schema.open_api_v3_schema.as_deref()
}

/// Makes something that is kept for all requests, and so must be whole even if the one that needed it first has ended.
fn whole<T>(make: impl FnOnce() -> T) -> T {
    Budget::new(usize::MAX).scope(make)
}

/// A version of a custom kind.
pub(crate) struct Version {
    /// The kind in this version.
    pub(crate) kind: GroupVersionKind,
    /// What the definition says of it.
    pub(crate) defined: DefinedVersion,
    schema: OnceLock<Structural>,
    rules: OnceLock<Option<RuleSet>>,
    apply: OnceLock<CompiledSchema>,
    columns: OnceLock<Columns>,
}

impl Version {
    /// A version of which nothing has been needed yet.
    pub(crate) fn new(kind: GroupVersionKind, defined: DefinedVersion) -> Self {
        Version {
            kind,
            defined,
            schema: OnceLock::new(),
            rules: OnceLock::new(),
            apply: OnceLock::new(),
            columns: OnceLock::new(),
        }
    }

    /// The schema of its objects. One that old servers took and we can't read lets everything pass.
    pub(crate) fn schema(&self, source: &Source) -> Option<&Structural> {
        if let Some(made) = self.schema.get() {
            return Some(made);
        }
        let made = whole(|| {
            let (schema, preserves) = source.schema(&self.defined.name);
            let made = Structural::compile(&schema).or_else(|_| {
                Structural::compile(&json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}))
            });
            let made = made.ok()?;
            Some(if preserves { made.keeping_all() } else { made })
        })?;
        Some(self.schema.get_or_init(|| made))
    }

    /// The rules in CEL that its objects must keep, if there are any.
    pub(crate) fn rules(&self, source: &Source) -> Option<&RuleSet> {
        let schema = self.schema(source).filter(|schema| schema.has_rules())?;
        let make = || RuleSet::compile(&source.schema(&self.defined.name).0, schema, Root::Resource);
        self.rules.get_or_init(|| whole(make)).as_ref()
    }

    /// The schema of its objects for server-side apply.
    pub(crate) fn apply(&self, source: &Source) -> &CompiledSchema {
        self.apply.get_or_init(|| {
            whole(|| {
                let (schema, preserves) = source.schema(&self.defined.name);
                CompiledSchema::new(&schema, preserves)
            })
        })
    }

    /// The columns of its tables.
    pub(crate) fn columns(&self, source: &Source) -> &Columns {
        self.columns.get_or_init(|| whole(|| Columns::new(&source.columns(&self.defined.name))))
    }
}
