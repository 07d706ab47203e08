//! Groups that a server's user brings take the way of the built-in ones.
#![allow(missing_docs, reason = "the types are a test's")]

use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use crate::client::{Client, in_time};
use crate::inside::Inside;
use bytes::Bytes;
use http::Method;
use http_body_util::Full;
use rhumb_api::resources::{GROUPS, Group, Resource, ResourceTable, Subresource};
use rhumb_meta::{GroupResource, GroupVersion, INTERNAL, ListMeta, Object, ObjectMeta, TypeMeta};
use rhumb_print::{Cell, Column, Now, Printed, cells};
use rhumb_schema::Schema;
use rhumb_scheme::{RegisterError, SchemeBuilder};
use rhumb_server::{Api, ApiGroup, ApiOptions, Environment, Server};
use rhumb_store::{Embedded, Key, Options, Store};
use serde_json::{Value as Json, json};

mod v1 {
    use super::*;

    /// A bell.
    #[derive(Clone, Default, Schema, Object)]
    pub(crate) struct Bell {
        #[field(0, inline)]
        pub type_meta: TypeMeta,
        #[field(1)]
        pub metadata: ObjectMeta,
        #[field(2)]
        pub spec: BellSpec,
        #[field(3)]
        pub status: BellStatus,
    }

    #[derive(Clone, Default, Schema, Object)]
    pub(crate) struct BellList {
        #[field(0, inline)]
        pub type_meta: TypeMeta,
        #[field(1)]
        pub metadata: ListMeta,
        #[field(2, required, not_null)]
        pub items: Vec<Bell>,
    }

    #[derive(Clone, Default, Schema)]
    pub(crate) struct BellSpec {
        /// What it sounds like.
        #[field(1, default = "c'")]
        pub tone: String,
    }

    #[derive(Clone, Default, Schema)]
    pub(crate) struct BellStatus {
        #[field(1)]
        pub rung: i32,
    }

    /// A note: no numbers, no status of its own.
    #[derive(Clone, Default, Schema, Object)]
    pub(crate) struct Note {
        #[field(0, inline)]
        pub type_meta: TypeMeta,
        #[field(0)]
        pub metadata: ObjectMeta,
        #[field(0)]
        pub text: String,
        #[field(0)]
        pub status: String,
    }

    #[derive(Clone, Default, Schema, Object)]
    pub(crate) struct NoteList {
        #[field(0, inline)]
        pub type_meta: TypeMeta,
        #[field(0)]
        pub metadata: ListMeta,
        #[field(0, required, not_null)]
        pub items: Vec<Note>,
    }
}

mod v1beta1 {
    use super::*;
    pub(crate) use v1::BellStatus;

    #[derive(Clone, Default, Schema, Object, rhumb_scheme::Convert)]
    #[convert(hub = v1::Bell)]
    pub(crate) struct Bell {
        #[field(0, inline)]
        pub type_meta: TypeMeta,
        #[field(1)]
        pub metadata: ObjectMeta,
        #[field(2)]
        pub spec: BellSpec,
        #[field(3)]
        pub status: BellStatus,
    }

    #[derive(Clone, Default, Schema, Object, rhumb_scheme::Convert)]
    #[convert(hub = v1::BellList)]
    pub(crate) struct BellList {
        #[field(0, inline)]
        pub type_meta: TypeMeta,
        #[field(1)]
        pub metadata: ListMeta,
        #[field(2, required, not_null)]
        pub items: Vec<Bell>,
    }

    #[derive(Clone, Default, Schema, rhumb_scheme::Convert)]
    #[convert(hub = v1::BellSpec)]
    pub(crate) struct BellSpec {
        #[field(1)]
        #[convert(rename = tone)]
        pub sound: String,
    }
}

static TOWER: Group = Group {
    name: "tower.example.com",
    versions: &["v1", "v1beta1"],
    resources: &[
        Resource::namespaced("bells", "Bell")
            .short(&["bl"])
            .versions(&["v1", "v1beta1"])
            .with(&[Subresource::STATUS]),
        Resource::cluster("notes", "Note").returning_deleted(),
    ],
};

fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for version in ["v1", INTERNAL] {
        let place = GroupVersion::new_static("tower.example.com", version);
        builder
            .register::<v1::Bell>(&place)?
            .register::<v1::BellList>(&place)?
            .register::<v1::Note>(&place)?
            .register::<v1::NoteList>(&place)?;
    }
    let place = GroupVersion::new_static("tower.example.com", "v1beta1");
    builder.register::<v1beta1::Bell>(&place)?.register::<v1beta1::BellList>(&place)?;
    builder.hub_conversion::<v1beta1::Bell, v1::Bell>().hub_conversion::<v1beta1::BellList, v1::BellList>();
    Ok(())
}

impl Printed for v1::Bell {
    const COLUMNS: &'static [Column] = &[Column::NAME, Column::text("Tone", "What it sounds like.")];

    fn cells(&self, _: &Now) -> Vec<Cell> {
        cells![self.metadata.name.as_str(), self.spec.tone.as_str()]
    }
}

fn options() -> ApiOptions {
    let table = ResourceTable::of(GROUPS.iter().chain([&TOWER]), |served| !served.is_former);
    let group = ApiGroup::new(&TOWER, install).columns::<v1::Bell>();
    ApiOptions { table: Arc::new(table), groups: vec![group], ..ApiOptions::default() }
}

const BELLS: &str = "/apis/tower.example.com/v1/namespaces/default/bells";
const OLD_BELLS: &str = "/apis/tower.example.com/v1beta1/namespaces/default/bells";
const NOTES: &str = "/apis/tower.example.com/v1/notes";

#[tokio::test]
async fn an_object_is_the_same_in_every_version_and_treated_as_a_custom_one() {
    let store = Arc::new(Embedded::in_memory(Options::default()).expect("a store"));
    let server = Inside::above(store.clone(), options(), Environment::default()).await;
    let sent = json!({
        "apiVersion": "tower.example.com/v1beta1", "kind": "Bell",
        "metadata": {"name": "a", "generation": 9}, "spec": {"sound": "g"}, "status": {"rung": 3},
    });
    let made = server.post(OLD_BELLS, sent).await;
    assert_eq!(made.code, 201, "{made:?}");
    assert_eq!((&made.json["metadata"]["generation"], &made.json["spec"]["sound"]), (&json!(1), &json!("g")));
    assert_eq!(made.json["status"], json!({}), "a new object has no status");
    let mut read = server.get(&format!("{BELLS}/a")).await.json;
    assert_eq!((&read["apiVersion"], &read["spec"]), (&json!("tower.example.com/v1"), &json!({"tone": "g"})));

    let key = "/registry/tower.example.com/bells/default/a";
    let (entry, _) = store.get(Key::from(key.to_owned()), None).await.expect("the store answers");
    let value = entry.expect("it is stored under its group").value;
    assert!(value.starts_with(b"k8s\0"), "it is stored as protobuf");

    read["spec"]["tone"] = json!("f");
    read["status"]["rung"] = json!(5);
    let written = server.put(&format!("{BELLS}/a"), read).await;
    assert_eq!(written.code, 200, "{written:?}");
    assert_eq!((&written.json["metadata"]["generation"], &written.json["status"]), (&json!(2), &json!({})));

    let mut status = written.json.clone();
    status["spec"]["tone"] = json!("a");
    status["status"]["rung"] = json!(7);
    status["metadata"]["labels"] = json!({"loud": "yes"});
    let written = server.put(&format!("{BELLS}/a/status"), status).await;
    assert_eq!((&written.json["spec"]["tone"], &written.json["status"]["rung"]), (&json!("f"), &json!(7)));
    assert_eq!(
        (&written.json["metadata"]["generation"], &written.json["metadata"]["labels"]),
        (&json!(2), &Json::Null)
    );

    let empty = json!({"apiVersion": "tower.example.com/v1", "kind": "Bell", "metadata": {"name": "b"}});
    assert_eq!(server.post(BELLS, empty).await.json["spec"]["tone"], "c'", "defaults are filled in");
}

/// The threads on which large bells were read.
static READ_ON: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());

/// Only these bells are watched, because other tests make their own.
const HEARD: usize = 200_000;

fn listen(bell: &mut v1::Bell) {
    if bell.spec.tone.len() == HEARD {
        READ_ON.lock().expect("nothing panics").push(std::thread::current().id());
    }
}

#[tokio::test]
async fn a_small_object_that_has_the_name_of_a_large_one_is_refused_beside_the_async_workers() {
    let group = ApiGroup::new(&TOWER, |builder| {
        install(builder)?;
        builder.defaults::<v1::Bell>(listen);
        Ok(())
    });
    let builder = Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.serve(group).start().await.expect("it starts");
    let mut client = Client::http2(&server, Some(server.admin_certificate())).await;
    let mut post = async |query: &str, tone: &str| {
        let bell = json!({
            "apiVersion": "tower.example.com/v1", "kind": "Bell", "metadata": {"name": "a"}, "spec": {"tone": tone},
        });
        let path = format!("{BELLS}{query}");
        let mut request = client.request(Method::POST, &path, &[("content-type", "application/json")]);
        *request.body_mut() = Full::new(Bytes::from(bell.to_string()));
        in_time(client.send(request)).await.expect("it is answered").code
    };
    assert_eq!(post("", &"x".repeat(HEARD)).await, 201);
    let made_on = std::mem::take(&mut *READ_ON.lock().expect("nothing panics"));
    // This thread is the only async worker.
    let here = std::thread::current().id();
    assert!(!made_on.is_empty() && !made_on.contains(&here));
    for query in ["", "?dryRun=All"] {
        assert_eq!(post(query, "c").await, 409);
        let read_on = std::mem::take(&mut *READ_ON.lock().expect("nothing panics"));
        assert!(!read_on.contains(&here), "{query:?}: it was read on an async worker");
    }
}

#[tokio::test]
async fn kinds_without_numbers_are_text_and_the_status_may_be_a_field() {
    let store = Arc::new(Embedded::in_memory(Options::default()).expect("a store"));
    let server = Inside::above(store.clone(), options(), Environment::default()).await;
    let note = json!({
        "apiVersion": "tower.example.com/v1", "kind": "Note",
        "metadata": {"name": "n"}, "text": "ring", "status": "read",
    });
    let made = server.post(NOTES, note).await;
    assert_eq!((made.code, &made.json["status"]), (201, &json!("read")), "{made:?}");
    let key = Key::from("/registry/tower.example.com/notes/n".to_owned());
    let (entry, _) = store.get(key, None).await.expect("the store answers");
    assert!(entry.expect("it is stored").value.starts_with(b"{"), "it is stored as JSON");
    let accept = [("accept", "application/vnd.kubernetes.protobuf")];
    let refused = server.ask(Method::GET, &format!("{NOTES}/n"), &accept, "".into()).await;
    assert_eq!(refused.code, 406, "{refused:?}");

    let bad = json!({"apiVersion": "tower.example.com/v1", "kind": "Note", "metadata": {"name": "N_"}});
    let refused = server.post(NOTES, bad).await;
    assert_eq!(refused.code, 422, "{refused:?}");
    assert!(refused.json["message"].as_str().is_some_and(|text| text.contains("RFC 1123 subdomain")));
}

#[tokio::test]
async fn documents_and_tables_have_it() {
    let server = Inside::with(options()).await;
    let list = server.get("/apis/tower.example.com/v1beta1").await.json;
    let names: Vec<&str> =
        list["resources"].as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["bells", "bells/status"]);
    let group = server.get("/apis/tower.example.com").await.json;
    assert_eq!(group["preferredVersion"]["version"], "v1");

    let document = server.get("/openapi/v3/apis/tower.example.com/v1beta1").await.json;
    let model = &document["components"]["schemas"]["com.example.tower.v1beta1.Bell"];
    assert_eq!(model["x-kubernetes-group-version-kind"][0]["version"], "v1beta1", "{model}");
    let all = server.get("/openapi/v2").await.json;
    assert_eq!(all["definitions"]["com.example.tower.v1.Bell"]["description"], "A bell.");
    assert!(all["paths"]["/apis/tower.example.com/v1/notes"].is_object());

    let bell = json!({"apiVersion": "tower.example.com/v1", "kind": "Bell", "metadata": {"name": "b"}});
    server.post(BELLS, bell).await;
    let table = [("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")];
    let table = server.ask(Method::GET, OLD_BELLS, &table, "".into()).await.json;
    assert_eq!(table["rows"][0]["cells"], json!(["b", "c'"]));
    let services = server.get("/apis/apiregistration.k8s.io/v1/apiservices/v1.tower.example.com").await;
    assert_eq!(services.json["spec"]["groupPriorityMinimum"], 1000);
}

#[tokio::test]
async fn a_group_chooses_the_version_that_is_stored_unless_the_server_was_told_another() {
    let bell = json!({
        "apiVersion": "tower.example.com/v1", "kind": "Bell", "metadata": {"name": "a"}, "spec": {"tone": "g"},
    });
    let bells = GroupResource::new_static("tower.example.com", "bells");
    for (told, expected) in [(None, "v1beta1"), (Some("v1"), "v1")] {
        let store = Arc::new(Embedded::in_memory(Options::default()).expect("a store"));
        let mut options = options();
        if let Some(version) = told {
            Arc::make_mut(&mut options.table).store_in(&bells, version).expect("there is such a version");
        }
        options.groups =
            options.groups.into_iter().map(|group| group.storage_version("bells", "v1beta1")).collect();
        let server = Inside::above(store.clone(), options, Environment::default()).await;
        assert_eq!(server.post(BELLS, bell.clone()).await.code, 201);
        let key = Key::from("/registry/tower.example.com/bells/default/a".to_owned());
        let (entry, _) = store.get(key, None).await.expect("the store answers");
        let value = entry.expect("it is stored").value;
        let stored = rhumb_codec::proto::open(&value).expect("it is protobuf");
        assert_eq!(stored.api_version, format!("tower.example.com/{expected}"));
        assert_eq!(server.get(&format!("{BELLS}/a")).await.json["spec"]["tone"], "g");
        assert_eq!(server.get(&format!("{OLD_BELLS}/a")).await.json["spec"]["sound"], "g");
    }
}

#[tokio::test]
async fn a_group_that_is_not_whole_is_refused() {
    let refused = async |group: ApiGroup| {
        let store = Arc::new(Embedded::in_memory(Options::default()).expect("a store"));
        let options = ApiOptions { groups: vec![group], ..options() };
        Api::start(store, options, Environment::default()).await.err().map(|error| error.to_string())
    };
    static APPS: Group = Group { name: "apps", versions: &["v1"], resources: &[] };
    let taken = refused(ApiGroup::new(&APPS, |_| Ok(()))).await.expect("there are such");
    assert!(taken.contains("there is a group \"apps\" already"), "{taken}");
    let bare = refused(ApiGroup::new(&TOWER, |builder| {
        let place = GroupVersion::new_static("tower.example.com", "v1beta1");
        builder.register::<v1beta1::Bell>(&place)?;
        let place = GroupVersion::new_static("tower.example.com", "v1");
        builder.register::<v1::Bell>(&place)?;
        Ok(())
    }))
    .await
    .expect("lists are missing");
    assert!(bare.contains("BellList is to be served and was not registered"), "{bare}");
    let numbers = ApiGroup::new(&TOWER, install).stored_as(rhumb_codec::Format::Protobuf);
    let numbers = refused(numbers).await.expect("notes have none");
    assert!(numbers.contains("Note can't be stored as protobuf"), "{numbers}");
    let version = ApiGroup::new(&TOWER, install).storage_version("bells", "v7");
    let version = refused(version).await.expect("there is no such version");
    assert!(
        version.contains("the storage versions of the group \"tower.example.com\" can't be used"),
        "{version}"
    );
}

#[tokio::test]
async fn a_deletion_answers_with_the_object_where_the_table_says_so() {
    let server = Inside::with(options()).await;
    let object = |kind: &str, name: &str| {
        let metadata = json!({"name": name});
        json!({"apiVersion": "tower.example.com/v1", "kind": kind, "metadata": metadata, "text": "x"})
    };
    server.post(BELLS, object("Bell", "b")).await;
    server.post(NOTES, object("Note", "n")).await;
    let gone = server.delete(&format!("{BELLS}/b")).await.json;
    assert_eq!((&gone["kind"], &gone["details"]["name"]), (&json!("Status"), &json!("b")));
    let gone = server.delete(&format!("{NOTES}/n")).await.json;
    assert_eq!((&gone["kind"], &gone["text"]), (&json!("Note"), &json!("x")));
}

#[tokio::test]
async fn a_kind_that_kubernetes_gave_up_answers_its_deletion_as_it_did() {
    let table = Arc::new(ResourceTable::of(GROUPS.iter(), |_| true));
    let server = Inside::with(ApiOptions { table, ..ApiOptions::default() }).await;
    let path = "/apis/policy/v1beta1/podsecuritypolicies";
    let rule = json!({"rule": "RunAsAny"});
    let made = server
        .post(
            path,
            json!({
                "apiVersion": "policy/v1beta1", "kind": "PodSecurityPolicy", "metadata": {"name": "p"},
                "spec": {"seLinux": rule, "runAsUser": rule, "supplementalGroups": rule, "fsGroup": rule}
            }),
        )
        .await;
    assert_eq!(made.code, 201, "{made:?}");
    let gone = server.delete(&format!("{path}/p")).await.json;
    assert_eq!((&gone["kind"], &gone["metadata"]["name"]), (&json!("PodSecurityPolicy"), &json!("p")));
}
