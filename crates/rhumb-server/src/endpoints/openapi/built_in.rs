//! What documents and discovery have of the built-in resources, made when it is first asked for and kept.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::OnceLock;

use bytes::Bytes;
use rhumb_api::resources::ResourceTable;
use rhumb_codec::Format;
use rhumb_meta::apidiscovery::v2::APIGroupDiscoveryList;
use rhumb_openapi::{Documents, Form, Outline};
use serde_json::Value as Json;

use super::{Sources, settings};
use crate::base::compress::Block;
use crate::base::response;
use crate::base::version::GIT_VERSION;
use crate::registry::custom::discovery;
use crate::registry::custom::pieces::NameHash;

/// What documents and discovery have of the built-in resources.
#[derive(Default)]
pub(crate) struct BuiltInDocuments {
    v2_hash: OnceLock<String>,
    /// Discovery of the core group.
    core: OnceLock<OwnDiscovery>,
    /// That of all other groups.
    discovery: OnceLock<OwnDiscovery>,
    keys: OnceLock<Vec<(String, String)>>,
    json: OnceLock<Option<Own>>,
    protobuf: OnceLock<Option<Own>>,
    models: OnceLock<BTreeMap<String, Json>>,
}

/// What the one document of discovery has of the built-in resources.
struct OwnDiscovery {
    json: Bytes,
    hash: String,
}

impl OwnDiscovery {
    fn of(list: &APIGroupDiscoveryList) -> Self {
        let json = response::encode(list, Format::Json, false).unwrap_or_default();
        OwnDiscovery { hash: rhumb_openapi::hash(&json), json: json.into() }
    }
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
    /// The names of all entries.
    pub(super) names: HashSet<NameHash>,
}

impl Own {
    fn of(mut outline: Outline) -> std::io::Result<Self> {
        let block = |part: &mut Vec<u8>| Block::of(&std::mem::take(part));
        Ok(Own {
            paths: block(&mut outline.paths)?,
            definitions: block(&mut outline.definitions)?,
            tail: block(&mut outline.tail)?,
            names: std::mem::take(&mut outline.names).iter().map(|name| NameHash::of(name)).collect(),
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

impl Sources {
    /// The keys of the built-in documents of OpenAPI 3, with their hashes.
    pub(super) fn own_keys(&self) -> &[(String, String)] {
        self.kept.keys.get_or_init(|| {
            let settings = settings();
            let keys = Documents::new(&self.resources.scheme, &self.resources.table, &settings).keys();
            keys.into_iter().map(|key| (key.clone(), hash(&self.resources.table, &key))).collect()
        })
    }

    /// The hash of the built-in part of the document of OpenAPI 2.
    pub(super) fn own_v2_hash(&self) -> &str {
        self.kept.v2_hash.get_or_init(|| hash(&self.resources.table, ""))
    }

    /// What discovery has of the built-in resources of `/api` or `/apis`.
    fn own_discovery(&self, core: bool) -> &OwnDiscovery {
        match core {
            true => self.kept.core.get_or_init(|| OwnDiscovery::of(&self.resources.table.aggregated_core())),
            false => self.kept.discovery.get_or_init(|| OwnDiscovery::of(&self.resources.table.aggregated())),
        }
    }

    /// What changes when the one document of discovery of `/api` or `/apis` does.
    pub(crate) fn discovery_hash(&self, core: bool) -> String {
        let own = &self.own_discovery(core).hash;
        match core {
            true => own.clone(),
            false => format!("{own} {} {}", env!("CARGO_PKG_VERSION"), self.resources.definitions.hash()),
        }
    }

    /// The one document of discovery of `/apis` as JSON, if no custom resource is in a built-in group. Only groups of
    /// which a definition has changed are looked at.
    pub(crate) fn aggregated_json(&self) -> Option<Vec<u8>> {
        const END: &[u8] = b"]}\n";
        let own = &self.own_discovery(false).json;
        let begin = own.strip_suffix(END).filter(|begin| begin.ends_with(b"}"))?;
        let groups = discovery::encoded_groups(&self.resources.definitions, |group| {
            self.resources.is_built_in(group)
        })?;
        let length = own.len() + groups.iter().map(|group| 1 + group.len()).sum::<usize>();
        let mut out = Vec::with_capacity(length);
        out.extend_from_slice(begin);
        for group in groups {
            out.push(b',');
            out.extend_from_slice(&group);
        }
        out.extend_from_slice(END);
        Some(out)
    }

    /// The built-in part of the document of OpenAPI 2.
    pub(super) fn own_v2(&self, form: Form) -> Option<&Own> {
        let slot = match form {
            Form::Json => &self.kept.json,
            Form::Protobuf => &self.kept.protobuf,
        };
        let made = slot.get_or_init(|| {
            let settings = settings();
            let outline =
                Documents::new(&self.resources.scheme, &self.resources.table, &settings).v2_outline(form);
            Own::of(outline).ok()
        });
        made.as_ref()
    }

    /// The server's own models that those of custom resources refer to, by names that are wanted or by each other.
    /// The apps have all of them.
    pub(super) fn own_models(&self, wanted: BTreeSet<String>) -> impl Iterator<Item = (&String, &Json)> {
        let models = self.kept.models.get_or_init(|| {
            let (table, settings) = (ResourceTable::stable(), settings());
            let text = Documents::new(&self.resources.scheme, &table, &settings)
                .v3("apis/apps/v1")
                .unwrap_or_default();
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
