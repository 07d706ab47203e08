//! What documents have of the built-in resources, made when it is first asked for and kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use rhumb_api::resources::ResourceTable;
use rhumb_openapi::{Documents, Form, Outline};
use serde_json::Value as Json;

use super::settings;
use crate::compress::Block;
use crate::front::version::GIT_VERSION;
use crate::resource::Resources;

/// What documents have of the built-in resources.
#[derive(Default)]
pub(crate) struct OwnDocuments {
    keys: OnceLock<Vec<(String, String)>>,
    json: OnceLock<Option<Own>>,
    protobuf: OnceLock<Option<Own>>,
    models: OnceLock<BTreeMap<String, Json>>,
}

/// The built-in part of the document of OpenAPI 2, compressed.
pub(super) struct Own {
    /// The document without the entries of its sections and its end.
    pub(super) outline: Outline,
    /// The entries of its paths.
    pub(super) paths: Block,
    /// The entries of its models.
    pub(super) definitions: Block,
    /// What comes behind them.
    pub(super) tail: Block,
}

impl Own {
    fn of(mut outline: Outline) -> std::io::Result<Self> {
        let block = |part: &mut Vec<u8>| Block::of(&std::mem::take(part));
        Ok(Own {
            paths: block(&mut outline.paths)?,
            definitions: block(&mut outline.definitions)?,
            tail: block(&mut outline.tail)?,
            outline,
        })
    }
}

/// What a built-in document depends on: this build, and which resources it has. So its hash is known before it
/// is made.
fn hash(table: &ResourceTable, key: &str) -> String {
    let served: Vec<String> = table
        .iter()
        .map(|served| format!("{}/{}/{}", served.group, served.version, served.resource.plural))
        .filter(|name| format!("apis/{name}").starts_with(key) || format!("api{name}").starts_with(key))
        .collect();
    rhumb_openapi::hash(format!("{GIT_VERSION} {key} {}", served.join(",")).as_bytes())
}

impl Resources {
    /// The keys of the built-in documents of OpenAPI 3, with their hashes.
    pub(super) fn own_keys(&self) -> &[(String, String)] {
        self.documents.keys.get_or_init(|| {
            let settings = settings();
            let keys = Documents::new(&self.scheme, &self.table, &settings).keys();
            keys.into_iter().map(|key| (key.clone(), hash(&self.table, &key))).collect()
        })
    }

    /// The hash of the built-in part of the document of OpenAPI 2.
    pub(super) fn own_v2_hash(&self) -> String {
        hash(&self.table, "")
    }

    /// The built-in part of the document of OpenAPI 2.
    pub(super) fn own_v2(&self, form: Form) -> Option<&Own> {
        let slot = match form {
            Form::Json => &self.documents.json,
            Form::Protobuf => &self.documents.protobuf,
        };
        let made = slot.get_or_init(|| {
            let settings = settings();
            let outline = Documents::new(&self.scheme, &self.table, &settings).v2_outline(form);
            Own::of(outline).ok()
        });
        made.as_ref()
    }

    /// The server's own models that those of custom resources refer to, by names that are wanted or by each other.
    /// The apps have all of them.
    pub(super) fn own_models(&self, wanted: BTreeSet<String>) -> impl Iterator<Item = (&String, &Json)> {
        let models = self.documents.models.get_or_init(|| {
            let (table, settings) = (ResourceTable::stable(), settings());
            let text = Documents::new(&self.scheme, &table, &settings).v3("apis/apps/v1").unwrap_or_default();
            let mut document: Json = serde_json::from_slice(&text).unwrap_or_default();
            match document.pointer_mut("/components/schemas").map(Json::take) {
                Some(Json::Object(models)) => models.into_iter().collect(),
                _ => BTreeMap::new(),
            }
        });
        let names = rhumb_structural::openapi::referred(wanted, models);
        names.into_iter().filter_map(|name| models.get_key_value(name))
    }
}
