//! The ways of writing an object with much at a place, and of asking for it afterwards.

use http::Method;
use rhumb_api::resources::{Served, Subresource, Verb};
use rhumb_codec::{Format, proto, yaml};
use rhumb_meta::GroupVersionKind;
use serde_json::{Value as Json, json};

use crate::fill::{self, Variety, filled};
use crate::meter::{Ask, Costs};
use crate::walk::{Kind, Place, places};
use crate::world::{World, collection, knows};

/// What is asked beside the path, so that nothing changes.
const DRY: &str = "?dryRun=All&fieldManager=growth";

/// The most operations of a JSON patch: a server takes ten thousand.
const MOST_OPERATIONS: usize = 9_900;

/// A place in the objects of a resource, or in what is sent below one.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) served: Served,
    pub(crate) below: Option<&'static Subresource>,
    pub(crate) kind: GroupVersionKind,
    pub(crate) place: Place,
}

/// How a patch is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patch {
    Json,
    Merge,
    Strategic,
    Apply,
}

impl Patch {
    fn media_type(self) -> &'static str {
        match self {
            Patch::Json => "application/json-patch+json",
            Patch::Merge => "application/merge-patch+json",
            Patch::Strategic => "application/strategic-merge-patch+json",
            Patch::Apply => "application/apply-patch+yaml",
        }
    }
}

/// A way of writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// POST of a new object.
    Create(Format, Variety),
    /// PUT onto a short one.
    Replace(Variety),
    /// PATCH of a short one.
    Patch(Patch, Variety),
    /// A long object is stored, read and watched in every form, changed in every way and deleted.
    Life,
}

impl Way {
    /// All of them, the first being the one that every place is tried with.
    pub(crate) const ALL: [Way; 13] = [
        Way::Create(Format::Json, Variety::Distinct),
        Way::Life,
        Way::Patch(Patch::Strategic, Variety::Distinct),
        Way::Replace(Variety::Distinct),
        Way::Create(Format::Json, Variety::Equal),
        Way::Patch(Patch::Apply, Variety::Distinct),
        Way::Create(Format::Yaml, Variety::Distinct),
        Way::Patch(Patch::Json, Variety::Distinct),
        Way::Create(Format::Protobuf, Variety::Distinct),
        Way::Patch(Patch::Merge, Variety::Distinct),
        Way::Replace(Variety::Equal),
        Way::Patch(Patch::Strategic, Variety::Equal),
        Way::Patch(Patch::Apply, Variety::Equal),
    ];
}

/// The ways to write what is sent below an object of the same kind.
pub(crate) const BELOW: [Way; 5] = [
    Way::Replace(Variety::Distinct),
    Way::Patch(Patch::Strategic, Variety::Distinct),
    Way::Patch(Patch::Apply, Variety::Distinct),
    Way::Patch(Patch::Json, Variety::Distinct),
    Way::Patch(Patch::Merge, Variety::Distinct),
];

/// Every place of everything that clients send: objects of all resources and what is sent below them.
pub(crate) fn targets(world: &World) -> Vec<Target> {
    let mut found = Vec::new();
    let mut add = |served: &Served, below: Option<&'static Subresource>, kind: GroupVersionKind| {
        for place in places(world.desc(&kind)) {
            found.push(Target { served: *served, below, kind: kind.clone(), place });
        }
    };
    for served in world.table.iter() {
        if [Verb::Create, Verb::Update, Verb::Patch].iter().any(|verb| knows(served, *verb)) {
            add(served, None, served.gvk());
        }
        for below in served.subresources() {
            let is_passed_on = below.verbs.contains(&Verb::Get) && below.verbs.contains(&Verb::Create);
            let takes = below.verbs.contains(&Verb::Create) || below.verbs.contains(&Verb::Update);
            let kind = served.kind_of(below);
            // The status of an object is written below it, and found among its places.
            if takes && !is_passed_on && below.name != "status" {
                add(served, Some(below), kind);
            }
        }
    }
    found
}

impl Target {
    /// What it is called in reports.
    pub(crate) fn shown(&self) -> String {
        let below = self.below.map(|below| format!("/{}", below.name)).unwrap_or_default();
        format!("{}/{}{below} {}", self.served.group_version(), self.kind.kind, self.place.shown())
    }

    /// Whether it is the object itself that is sent below it, such as a pod to be resized.
    pub(crate) fn is_part_of_itself(&self) -> bool {
        self.below.is_some() && self.kind == self.served.gvk()
    }

    /// What is written apart from the rest of the object stands below it.
    fn part(&self) -> String {
        match self.below {
            Some(below) => format!("/{}", below.name),
            None if self.place.is_below("status") && self.served.subresource("status").is_some() => {
                "/status".to_owned()
            }
            None => String::new(),
        }
    }

    fn base(&self, world: &World) -> Json {
        match self.below {
            Some(_) if !self.is_part_of_itself() => world.blank(&self.kind),
            _ => world.base(&self.served, &self.place),
        }
    }

    /// Gives an object another name than that of the one that is there.
    fn rename(&self, world: &World, object: &mut Json) {
        let Some(name) = world.name(&self.served).filter(|_| self.below.is_none()) else { return };
        if object["metadata"]["name"] == name {
            object["metadata"]["name"] = format!("{name}2").into();
        }
    }

    /// What is there now of what is written.
    async fn there(&self, world: &World) -> Json {
        let mut there = world.current(&self.served, &self.part()).await;
        if there.is_none() && self.is_part_of_itself() {
            // Not all that can be written below an object can be read there.
            there = world.current(&self.served, "").await;
        }
        there.unwrap_or_else(|| self.base(world))
    }

    fn one(&self, world: &World) -> String {
        format!("{}/{}", collection(&self.served), world.name(&self.served).unwrap_or("growth"))
    }

    /// Writes an object with so much at the place, and tells what that cost.
    pub(crate) async fn run(&self, world: &World, way: Way, length: usize) -> Costs {
        match way {
            Way::Create(format, variety) => self.create(world, format, variety, length).await,
            Way::Replace(variety) => self.replace(world, variety, length).await,
            Way::Patch(patch, variety) => self.patch(world, patch, variety, length).await,
            Way::Life => self.life(world, length).await,
        }
    }

    async fn create(&self, world: &World, format: Format, variety: Variety, length: usize) -> Costs {
        let mut object = filled(&self.base(world), &self.place, length, variety);
        self.rename(world, &mut object);
        let Some(body) = encoded(world, &self.kind, &object, format) else { return Costs::new() };
        let path = match self.below {
            Some(_) => self.one(world) + &self.part(),
            None => collection(&self.served),
        };
        let post = Ask::new(Method::POST, path + DRY).sending(format.media_type(), body);
        vec![("create".to_owned(), world.cost(post).await)]
    }

    async fn replace(&self, world: &World, variety: Variety, length: usize) -> Costs {
        let part = self.part();
        let object = filled(&self.there(world).await, &self.place, length, variety);
        let put = Ask::new(Method::PUT, self.one(world) + &part + DRY);
        vec![("replace".to_owned(), world.cost(put.sending("application/json", object.to_string())).await)]
    }

    async fn patch(&self, world: &World, patch: Patch, variety: Variety, length: usize) -> Costs {
        let part = self.part();
        let base = match patch {
            Patch::Json => self.there(world).await,
            _ => self.base(world),
        };
        let body = match patch {
            Patch::Json => operations(&base, &self.place, variety, length),
            _ => nameless(filled(&base, &self.place, length, variety)),
        };
        let force = if patch == Patch::Apply { "&force=true" } else { "" };
        let ask = Ask::new(Method::PATCH, format!("{}{part}{DRY}{force}", self.one(world)));
        vec![("patch".to_owned(), world.cost(ask.sending(patch.media_type(), body.to_string())).await)]
    }

    /// Stores a long object, reads it in every form, changes it in every way and deletes it.
    async fn life(&self, world: &World, length: usize) -> Costs {
        let mut costs = Costs::new();
        if self.below.is_some() || !self.part().is_empty() || !knows(&self.served, Verb::Delete) {
            return costs;
        }
        let mut object = filled(&self.base(world), &self.place, length, Variety::Distinct);
        self.rename(world, &mut object);
        let path = collection(&self.served);
        let post = Ask::new(Method::POST, format!("{path}?fieldManager=growth"));
        let (cost, body) =
            crate::meter::ask(&world.server, post.sending("application/json", object.to_string())).await;
        costs.push(("store".to_owned(), cost));
        if cost.code != 201 {
            return costs;
        }
        let stored: Json = serde_json::from_slice(&body).expect("the answer to a creation");
        let name = stored["metadata"]["name"].as_str().unwrap_or_default();
        let one = format!("{path}/{name}");
        let listed = format!("{path}?fieldSelector=metadata.name%3D{name}");
        let mut note = async |label: &str, ask: Ask| costs.push((label.to_owned(), world.cost(ask).await));
        for (label, path, accept) in [
            ("get", &one, "application/json"),
            ("get yaml", &one, "application/yaml"),
            ("get protobuf", &one, "application/vnd.kubernetes.protobuf"),
            ("get table", &one, "application/json;as=Table;v=v1;g=meta.k8s.io"),
            ("get metadata", &one, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
            ("list", &listed, "application/json"),
            ("list table", &listed, "application/json;as=Table;v=v1;g=meta.k8s.io"),
        ] {
            note(label, Ask::new(Method::GET, path.clone()).with("accept", accept)).await;
        }
        if knows(&self.served, Verb::Watch) {
            for (label, accept) in [
                ("watch", "application/json"),
                ("watch table", "application/json;as=Table;v=v1;g=meta.k8s.io"),
                ("watch metadata", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
            ] {
                let watch = Ask::new(Method::GET, format!("{listed}&watch=true&resourceVersion=0"));
                note(label, watch.with("accept", accept).begun_only()).await;
            }
        }
        if knows(&self.served, Verb::DeleteCollection) {
            note("delete all", Ask::new(Method::DELETE, format!("{listed}&dryRun=All"))).await;
        }
        let dry = format!("{one}{DRY}");
        let backwards = backwards(&stored, &self.place);
        let send =
            |method: Method, form: &str, body: String| Ask::new(method, dry.clone()).sending(form, body);
        note("replace it backwards", send(Method::PUT, "application/json", backwards.to_string())).await;
        let short = filled(&object, &self.place, 1, Variety::Distinct);
        for (label, patch, body) in [
            ("json patch it", Patch::Json, operations(&stored, &self.place, Variety::Distinct, length)),
            ("merge it", Patch::Merge, nameless(backwards.clone())),
            ("strategically merge it", Patch::Strategic, nameless(backwards.clone())),
            ("strategically delete it", Patch::Strategic, nameless(removed(&stored, &self.place))),
            ("apply it", Patch::Apply, nameless(object.clone())),
            ("apply it backwards", Patch::Apply, nameless(self::backwards(&object, &self.place))),
            ("apply little", Patch::Apply, nameless(short)),
        ] {
            let mut ask = send(Method::PATCH, patch.media_type(), body.to_string());
            if patch == Patch::Apply {
                // The same manager, so that what it had and no longer says is taken away.
                ask.path += "&force=true";
            }
            note(label, ask).await;
        }
        let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0});
        let delete = Ask::new(Method::DELETE, one.clone());
        note("delete", delete.sending("application/json", options.to_string())).await;
        // Finalizers may hold it.
        let free = json!({"metadata": {"finalizers": null}}).to_string();
        world.cost(Ask::new(Method::PATCH, one).sending(Patch::Merge.media_type(), free)).await;
        costs
    }
}

/// An object in a format, if it has a form in it.
fn encoded(world: &World, kind: &GroupVersionKind, object: &Json, format: Format) -> Option<Vec<u8>> {
    let text = object.to_string();
    match format {
        Format::Json => Some(text.into_bytes()),
        Format::Yaml => {
            let mut body = Vec::new();
            yaml::from_json_value(object, &mut body);
            Some(body)
        }
        Format::Protobuf => {
            let decoded = world.codecs.decode(text.as_bytes(), Some(kind)).ok()?;
            let mut body = Vec::new();
            proto::encode(&*decoded.object, &mut body).ok()?;
            Some(body)
        }
    }
}

/// A patch says nothing of what only the server writes.
fn nameless(mut object: Json) -> Json {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in ["managedFields", "uid", "resourceVersion", "creationTimestamp", "generation", "name"] {
            metadata.remove(field);
        }
    }
    object
}

/// The object with its list the other way round, or another text.
fn backwards(object: &Json, place: &Place) -> Json {
    let mut object = object.clone();
    let value = match fill::found(&object, &place.steps) {
        Some(Json::Array(list)) => list.iter().rev().cloned().collect(),
        Some(Json::Object(map)) => map
            .iter()
            .map(|(key, value)| (format!("{key}x"), value.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Some(Json::String(text)) => format!("{text}x").into(),
        Some(other) => other.clone(),
        None => return object,
    };
    fill::put(&mut object, &place.steps, value);
    object
}

/// A strategic merge patch that takes every element away.
fn removed(object: &Json, place: &Place) -> Json {
    let mut object = object.clone();
    let value = match fill::found(&object, &place.steps) {
        Some(Json::Array(list)) => {
            let delete = |element: &Json| match element {
                Json::Object(fields) => {
                    let mut fields = fields.clone();
                    fields.insert("$patch".to_owned(), json!("delete"));
                    fields.into()
                }
                other => other.clone(),
            };
            list.iter().map(delete).collect()
        }
        Some(Json::Object(map)) => {
            map.keys().map(|key| (key.clone(), Json::Null)).collect::<serde_json::Map<_, _>>().into()
        }
        _ => Json::Null,
    };
    fill::put(&mut object, &place.steps, value);
    object
}

/// A JSON patch with an operation for every element, at both ends and in the middle.
fn operations(base: &Json, place: &Place, variety: Variety, length: usize) -> Json {
    let long = filled(base, place, length, variety);
    let path = fill::pointer(&long, &place.steps);
    let mut operations = vec![json!({"op": "replace", "path": "", "value": long})];
    match (place.kind, fill::found(&long, &place.steps)) {
        (Kind::List(_), Some(Json::Array(list))) => {
            operations.extend(list.iter().take(MOST_OPERATIONS).enumerate().map(|(number, element)| {
                match number % 3 {
                    0 => json!({"op": "add", "path": format!("{path}/0"), "value": element}),
                    1 => json!({"op": "add", "path": format!("{path}/-"), "value": element}),
                    _ => json!({"op": "remove", "path": format!("{path}/1")}),
                }
            }));
        }
        (Kind::Map(_), Some(Json::Object(map))) => {
            operations.extend(map.iter().take(MOST_OPERATIONS).enumerate().map(|(number, (key, value))| {
                let key = key.replace('~', "~0").replace('/', "~1");
                match number % 3 {
                    0 => json!({"op": "remove", "path": format!("{path}/{key}")}),
                    1 => json!({"op": "replace", "path": format!("{path}/{key}"), "value": value}),
                    _ => json!({"op": "add", "path": format!("{path}/x{key}"), "value": value}),
                }
            }));
        }
        _ => {}
    }
    json!(operations)
}
