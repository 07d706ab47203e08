//! A server with an object of every kind that there is an accepted one of, and the objects to begin with.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use rhumb_api::resources::{ResourceTable, Served, Verb};
use rhumb_codec::{Codecs, yaml};
use rhumb_meta::GroupVersionKind;
use rhumb_schema::{StructDesc, View};
use rhumb_server::ApiOptions;
use serde_json::{Value as Json, json};

use crate::fill;
use crate::inside::Inside;
use crate::meter::{Ask, Cost, ask};
use crate::walk::Place;

/// Where objects live that live in namespaces.
const NAMESPACE: &str = "growth";

/// How many of the objects that a real server accepted are tried before a kind goes without one.
const TRIES: usize = 12;

/// The server and what it is asked with.
pub(crate) struct World {
    pub(crate) server: Inside,
    pub(crate) codecs: Codecs,
    pub(crate) table: ResourceTable,
    /// What a real server accepted, by API version and kind.
    accepted: HashMap<(String, String), Vec<Json>>,
    /// The names of the objects that are here, by group and resource.
    stored: HashMap<(&'static str, &'static str), String>,
    /// What those objects are in a version that no accepted one is written in.
    elsewhere: HashMap<(String, String), Json>,
}

impl World {
    pub(crate) async fn start() -> Self {
        let table = ResourceTable::current();
        let options = ApiOptions { table: Arc::new(table.clone()), ..ApiOptions::default() };
        let server = Inside::admitting(options).await;
        let codecs = Codecs::new(Arc::new(rhumb_api::scheme().expect("the built-in scheme")));
        let mut world = World {
            server,
            codecs,
            table,
            accepted: accepted(),
            stored: HashMap::new(),
            elsewhere: HashMap::new(),
        };
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        assert_eq!(world.server.post("/api/v1/namespaces", namespace).await.code, 201);
        let data = json!({"a": "b"});
        let map =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "growth"}, "data": data});
        let maps = format!("/api/v1/namespaces/{NAMESPACE}/configmaps");
        assert_eq!(world.server.post(&maps, map).await.code, 201);
        world.wait_for_account().await;
        world.store_all().await;
        world
    }

    /// Pods are refused until there is an account for them.
    async fn wait_for_account(&self) {
        let path = format!("/api/v1/namespaces/{NAMESPACE}/serviceaccounts/default");
        for _ in 0..1000 {
            if self.server.get(&path).await.code == 200 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the namespace never has an account");
    }

    async fn store_all(&mut self) {
        let all: Vec<Served> = self.table.iter().copied().collect();
        for served in &all {
            let place = (served.group, served.resource.plural);
            // One that is full would refuse all others.
            let limits = ["resourcequotas", "limitranges"].contains(&served.resource.plural);
            if limits || self.stored.contains_key(&place) || !knows(served, Verb::Create) {
                continue;
            }
            for object in self.candidates(served).into_iter().take(TRIES) {
                let body = object.to_string();
                let post = Ask::new(Method::POST, collection(served)).sending("application/json", body);
                let (cost, answer) = ask(&self.server, post).await;
                let answer: Json = serde_json::from_slice(&answer).unwrap_or_default();
                if let (201, Some(name)) = (cost.code, answer["metadata"]["name"].as_str()) {
                    self.stored.insert(place, name.to_owned());
                    break;
                }
            }
        }
        for served in &all {
            if self.candidates(served).is_empty()
                && let Some(mut object) = self.current(served, "").await
            {
                let gvk = served.gvk();
                object["metadata"] = json!({"name": object["metadata"]["name"]});
                if let Some(fields) = object.as_object_mut() {
                    fields.remove("status");
                }
                self.elsewhere.insert(key_of(&gvk), object);
            }
        }
    }

    fn candidates(&self, served: &Served) -> Vec<Json> {
        self.accepted.get(&key_of(&served.gvk())).cloned().unwrap_or_default()
    }

    /// How many kinds there is an object of.
    pub(crate) fn count_stored(&self) -> usize {
        self.stored.len()
    }

    /// The name of the object of a resource, if there is one.
    pub(crate) fn name(&self, served: &Served) -> Option<&str> {
        self.stored.get(&(served.group, served.resource.plural)).map(String::as_str)
    }

    /// The object of a resource as it is now, or what is below it.
    pub(crate) async fn current(&self, served: &Served, below: &str) -> Option<Json> {
        let name = self.name(served)?;
        let said = self.server.get(&format!("{}/{name}{below}", collection(served))).await;
        (said.code == 200).then_some(said.json)
    }

    /// An object to put something into at a place: the one that has most of the way there.
    pub(crate) fn base(&self, served: &Served, place: &Place) -> Json {
        let gvk = served.gvk();
        let key = key_of(&gvk);
        let candidates = self.accepted.get(&key).map(Vec::as_slice).unwrap_or_default();
        let best = candidates.iter().enumerate().max_by_key(|(number, object)| {
            // Of equal ones the first.
            (fill::known(object, &place.steps), std::cmp::Reverse(*number))
        });
        match (best, self.elsewhere.get(&key)) {
            (Some((_, best)), _) => best.clone(),
            (None, Some(object)) => object.clone(),
            (None, None) => self.blank(&gvk),
        }
    }

    /// An object of a kind with what it requires.
    pub(crate) fn blank(&self, gvk: &GroupVersionKind) -> Json {
        let mut object = fill::blank(self.desc(gvk), 0);
        object["apiVersion"] = gvk.api_version().into();
        object["kind"] = gvk.kind.to_string().into();
        object["metadata"] = json!({"name": "growth"});
        object
    }

    /// The table of a kind.
    pub(crate) fn desc(&self, gvk: &GroupVersionKind) -> &'static StructDesc {
        let object = self.codecs.scheme().new_object(gvk).expect("a registered kind");
        match object.view() {
            View::Struct(view) => view.desc(),
            _ => panic!("{gvk} is no struct"),
        }
    }

    /// Asks, and tells only what it cost.
    pub(crate) async fn cost(&self, question: Ask) -> Cost {
        ask(&self.server, question).await.0
    }
}

/// What objects of a kind are found by.
fn key_of(kind: &GroupVersionKind) -> (String, String) {
    (kind.api_version(), kind.kind.to_string())
}

/// Whether a resource has a verb.
pub(crate) fn knows(served: &Served, verb: Verb) -> bool {
    served.resource.verbs.contains(&verb)
}

/// The path of a resource's objects.
pub(crate) fn collection(served: &Served) -> String {
    let root = match served.group {
        "" => format!("/api/{}", served.version),
        group => format!("/apis/{group}/{}", served.version),
    };
    let namespaced = served.resource.scope == rhumb_scheme::mapper::Scope::Namespaced;
    let namespace = if namespaced { format!("namespaces/{NAMESPACE}/") } else { String::new() };
    format!("{root}/{namespace}{}", served.resource.plural)
}

/// The objects that a real server accepted, from the cases of the validation.
fn accepted() -> HashMap<(String, String), Vec<Json>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rhumb-validation/tests/cases");
    let mut found: HashMap<_, Vec<Json>> = HashMap::new();
    for path in files(&folder) {
        let text = fs::read(&path).expect("cases");
        let mut cases = Vec::new();
        yaml::to_json(&text, &yaml::ReadOptions::default(), &mut cases).expect("YAML");
        let cases: Json = serde_json::from_slice(&cases).expect("JSON");
        let answers = fs::read(path.with_extension("answers.json")).expect("answers");
        let answers: Json = serde_json::from_slice(&answers).expect("JSON");
        for case in cases.as_array().into_iter().flatten() {
            let answer = &answers[case["case"].as_str().unwrap_or_default()];
            let was_made = answer["created"].is_object()
                || case["update"].is_null()
                    && case["post"].is_null()
                    && matches!(answer["code"].as_u64(), Some(200 | 201));
            if !was_made || !case["requires"].is_null() || !case["create"].is_object() {
                continue;
            }
            let mut object = case["create"].clone();
            let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
            let key = (text(&object["apiVersion"]), text(&object["kind"]));
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.remove("namespace");
                if metadata.remove("generateName").is_some() {
                    metadata.insert("name".to_owned(), json!("generated"));
                }
            }
            found.entry(key).or_default().push(object);
        }
    }
    found
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
    found.sort();
    found
}
