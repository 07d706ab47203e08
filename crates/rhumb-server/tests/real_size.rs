//! Lists of thousands of objects, megabytes long, as every client asks for them: each body decodes exactly once and
//! has every object.
//!
//! Small lists never showed that large ones were compressed twice.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

#[allow(dead_code, reason = "every test uses a part of it")]
#[path = "front/client.rs"]
mod client;

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;

use client::{Answered, Client};
use http::{Method, header};
use http_body_util::Full;
use rhumb_api::core::v1::PodList;
use rhumb_codec::Codecs;
use rhumb_server::Server;
use serde_json::{Value, json};
use tokio::task::JoinSet;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const PODS: &str = "/api/v1/namespaces/default/pods";
const GEARS: &str = "/apis/machines.example.com/v1/namespaces/default/gears";

/// How many connections make objects at once.
const MAKERS: usize = 8;
/// From which size on Kubernetes compresses.
const THRESHOLD: usize = 128 * 1024;

/// How an answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Json,
    Pretty,
    Protobuf,
    Yaml,
    Table,
    Metadata,
}

use Form::{Json, Metadata, Pretty, Protobuf, Table, Yaml};

impl Form {
    fn accept(self) -> &'static str {
        match self {
            Json | Pretty => "application/json",
            Protobuf => "application/vnd.kubernetes.protobuf",
            Yaml => "application/yaml",
            Table => "application/json;as=Table;v=v1;g=meta.k8s.io",
            Metadata => "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        }
    }

    /// Reads a list: the names of its objects, and how it goes on.
    fn read(self, codecs: &Codecs, body: &[u8]) -> (Vec<String>, String) {
        match self {
            Json | Pretty | Table | Metadata => listed(&serde_json::from_slice(body).expect("JSON")),
            Yaml => {
                let mut text = Vec::new();
                let options = rhumb_codec::yaml::ReadOptions::default();
                rhumb_codec::yaml::to_json(body, &options, &mut text).expect("YAML");
                listed(&serde_json::from_slice(&text).unwrap())
            }
            Protobuf => {
                let decoded = codecs.decode(body, None).expect("protobuf");
                let list = decoded.object.downcast_ref::<PodList>().expect("pods");
                let names = list.items.iter().map(|pod| pod.metadata.name.clone());
                (names.collect(), list.metadata.continue_.clone())
            }
        }
    }
}

/// How much of a list is asked for at once.
#[derive(Clone, Copy, Debug)]
enum Portion {
    Whole,
    /// Whatever the server has, as informers begin.
    AnyRevision,
    /// So many at once.
    Pages(usize),
    /// Those that a label selects: every second one.
    Selected,
}

use Portion::{AnyRevision, Pages, Selected, Whole};

fn name(number: usize) -> String {
    format!("web-7d4b9c6f5d-{number:06}")
}

fn pod(number: usize) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name(number), "labels": {"app": "web", "half": (number % 2).to_string()}},
        "spec": {"containers": [{
            "name": "web", "image": format!("registry.example.com/shop/web:1.{number}"),
            "args": ["--port=8080", "--quiet"], "ports": [{"name": "http", "containerPort": 8080}],
            "env": [{"name": "MODE", "value": "production"},
                    {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
            "readinessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 5},
            "volumeMounts": [{"name": "scratch", "mountPath": "/tmp"}],
        }], "volumes": [{"name": "scratch", "emptyDir": {}}]},
    })
}

fn gear(number: usize) -> Value {
    json!({
        "apiVersion": "machines.example.com/v1", "kind": "Gear",
        "metadata": {"name": name(number), "labels": {"half": (number % 2).to_string()}},
        "spec": {"teeth": number, "notes": "cut from one piece and hardened ".repeat(12)},
    })
}

/// A server with a custom resource.
async fn server() -> Server {
    let server = Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into()).start().await.unwrap();
    let mut client = admin2(&server).await;
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}});
    let made = send(&mut client, Method::POST, "/api/v1/namespaces/default/serviceaccounts", &account).await;
    assert!([201, 409].contains(&made.code), "{made:?}");
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "teeth": {"type": "integer"}, "notes": {"type": "string"}}}}});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gears.machines.example.com"},
        "spec": {"group": "machines.example.com", "scope": "Namespaced",
            "names": {"plural": "gears", "kind": "Gear"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]},
    });
    assert_eq!(send(&mut client, Method::POST, DEFINITIONS, &definition).await.code, 201);
    for _ in 0..500 {
        if client.get(GEARS).await.code == 200 {
            return server;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("what is defined is never served")
}

async fn admin2(server: &Server) -> Client {
    Client::http2(server, Some(server.admin_certificate())).await
}

async fn send(client: &mut Client, method: Method, path: &str, object: &Value) -> Answered {
    let request = client.request(method, path, &[("content-type", "application/json")]);
    client.send(request.map(|_| Full::new(object.to_string().into()))).await.unwrap()
}

/// Makes objects until there are so many.
async fn fill(server: &Server, path: &'static str, make: fn(usize) -> Value, from: usize, to: usize) {
    let mut makers = JoinSet::new();
    for maker in 0..MAKERS {
        let mut client = admin2(server).await;
        makers.spawn(async move {
            for number in (from + maker..to).step_by(MAKERS) {
                let made = send(&mut client, Method::POST, path, &make(number)).await;
                assert_eq!(made.code, 201, "{}", made.body);
            }
        });
    }
    while let Some(made) = makers.join_next().await {
        made.unwrap();
    }
}

/// A body without its encoding. Its headers must say what it is, once.
fn plain(answered: &Answered, gzip: bool) -> Vec<u8> {
    let all = |name| answered.headers.get_all(name).iter().map(|value| value.to_str().unwrap()).collect();
    let (encodings, vary): (Vec<&str>, Vec<&str>) = (all(header::CONTENT_ENCODING), all(header::VARY));
    if encodings.is_empty() {
        assert!(!gzip || answered.bytes.len() <= THRESHOLD, "a long answer is compressed for who takes that");
        return answered.bytes.to_vec();
    }
    assert!(gzip, "only who takes gzip gets it");
    assert_eq!((&*encodings, &*vary), (&["gzip"][..], &["Accept-Encoding"][..]));
    let mut out = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(&*answered.bytes);
    decoder.read_to_end(&mut out).expect("one member of gzip");
    assert!(decoder.into_inner().is_empty(), "nothing stands behind the member");
    assert!(out.len() > THRESHOLD, "short answers are not compressed");
    out
}

/// The names in a list or table, and how it goes on.
fn listed(list: &Value) -> (Vec<String>, String) {
    let rows = list["items"].as_array().or_else(|| list["rows"].as_array()).expect("items");
    let metadata = |row: &Value| row["object"].get("metadata").unwrap_or(&row["metadata"])["name"].clone();
    let names = rows.iter().map(|row| metadata(row).as_str().unwrap().to_owned());
    (names.collect(), list["metadata"]["continue"].as_str().unwrap_or_default().to_owned())
}

/// Asks for all of a list in one way, and answers with the names in it.
async fn ask(
    client: &mut Client,
    codecs: &Codecs,
    path: &str,
    form: Form,
    portion: Portion,
    gzip: bool,
) -> Vec<String> {
    let encoding = if gzip { "gzip" } else { "identity" };
    let headers = [("accept", form.accept()), ("accept-encoding", encoding)];
    let mut query = match portion {
        Whole => String::new(),
        AnyRevision => "resourceVersion=0".to_owned(),
        Pages(limit) => format!("limit={limit}"),
        Selected => "labelSelector=half%3D1".to_owned(),
    };
    if form == Pretty {
        query += "&pretty=true";
    }
    let (mut found, first) = (Vec::new(), query.clone());
    loop {
        let answered = client.get_with(&format!("{path}?{query}"), &headers).await;
        assert_eq!(answered.code, 200, "{}", answered.body);
        let (names, next) = form.read(codecs, &plain(&answered, gzip));
        found.extend(names);
        if next.is_empty() {
            return found;
        }
        query = format!("{first}&continue={next}");
    }
}

/// Asks in all ways, and says which one was wrong.
async fn check(server: &Server, count: usize, forms: &[Form], portions: &[Portion], ways: &[(bool, bool)]) {
    let codecs = Codecs::new(Arc::new(rhumb_api::scheme().unwrap()));
    let all: BTreeSet<String> = (0..count).map(name).collect();
    let half: BTreeSet<String> = (0..count).filter(|number| number % 2 == 1).map(name).collect();
    let mut http1 = Client::http1(server, Some(server.admin_certificate())).await;
    let mut http2 = admin2(server).await;
    for path in [PODS, GEARS] {
        for form in forms.iter().copied().filter(|form| path == PODS || *form != Protobuf) {
            for portion in portions {
                for &(second, gzip) in ways {
                    let client = if second { &mut http2 } else { &mut http1 };
                    let names = ask(client, &codecs, path, form, *portion, gzip).await;
                    let expected = if matches!(portion, Selected) { &half } else { &all };
                    let told = format!("{path} {form:?} {portion:?} HTTP/2 {second} gzip {gzip}");
                    assert_eq!(names.len(), expected.len(), "{told}");
                    assert!(names.iter().eq(expected), "{told}: in order, each once");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_lists_decode_once_and_have_every_object() {
    let server = server().await;
    fill(&server, PODS, pod, 0, 3_000).await;
    fill(&server, GEARS, gear, 0, 3_000).await;
    let (programs, people) = (&[Json, Protobuf], &[Pretty, Yaml, Table, Metadata]);
    let ways = [(false, false), (false, true), (true, false), (true, true)];
    let some_ways = &[(false, false), (true, true)];
    check(&server, 3_000, programs, &[Whole, AnyRevision, Pages(500), Selected], &ways).await;
    check(&server, 3_000, programs, &[Pages(37)], &[(true, true)]).await;
    check(&server, 3_000, people, &[Whole, AnyRevision, Pages(500), Selected], some_ways).await;
    change_and_list_again(&server).await;

    fill(&server, PODS, pod, 3_000, 20_000).await;
    fill(&server, GEARS, gear, 3_000, 20_000).await;
    check(&server, 20_000, programs, &[Whole, AnyRevision, Pages(500), Selected], some_ways).await;
    check(&server, 20_000, people, &[Whole], &[(true, true)]).await;
    server.shutdown().await.unwrap();
}

/// Compressed forms are of the objects as they are now: one is changed, one goes, one comes.
async fn change_and_list_again(server: &Server) {
    let mut client = admin2(server).await;
    for (path, make) in [(PODS, pod as fn(usize) -> Value), (GEARS, gear)] {
        let last = name(2_999);
        let gone = client.request(Method::DELETE, &format!("{path}/{last}?gracePeriodSeconds=0"), &[]);
        assert_eq!(client.send(gone).await.unwrap().code, 200);
        let patch = json!({"metadata": {"labels": {"changed": "yes"}}});
        let target = format!("{path}/{}", name(17));
        let request =
            client.request(Method::PATCH, &target, &[("content-type", "application/merge-patch+json")]);
        let request = request.map(|_| Full::new(patch.to_string().into()));
        assert_eq!(client.send(request).await.unwrap().code, 200);
        for _ in 0..2 {
            let answered = client.get_with(path, &[("accept-encoding", "gzip")]).await;
            let list: Value = serde_json::from_slice(&plain(&answered, true)).unwrap();
            let items = list["items"].as_array().unwrap();
            assert_eq!(items.len(), 2_999);
            assert_eq!(items[17]["metadata"]["labels"]["changed"], "yes");
        }
        assert_eq!(send(&mut client, Method::POST, path, &make(2_999)).await.code, 201);
    }
}
