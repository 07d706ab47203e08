//! Lists of thousands of objects, megabytes long, in every form and by every way that clients ask for them: each body
//! decodes exactly once, has every object once, and is the same whether it was compressed or not.
//!
//! Small lists never showed that large ones were compressed twice.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

#[allow(dead_code, reason = "every test uses a part of it")]
#[path = "../front/client.rs"]
mod client;
mod forms;

use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use client::{Answered, Client};
use forms::{As, Form, Media, Read};
use http::{Method, header};
use http_body_util::Full;
use rhumb_codec::Codecs;
use rhumb_server::Server;
use rhumb_server::environment::{Clock, SystemClock};
use rhumb_store::{Embedded, Outcome, Store, Transaction};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// How many connections make objects at once.
const MAKERS: usize = 8;
/// How many objects are made by requests. The others are made of what the store has of these, which takes a fraction
/// of the time.
const MADE: usize = 600;
/// From which size on Kubernetes compresses.
const THRESHOLD: usize = 128 * 1024;
/// A namespace beside `default`, which has objects of the same names: one for every five there.
const OTHER: &str = "shop";
const SHARE: usize = 5;
/// How many teeth the first gear has: so many that their number has as many digits as that of the last.
const TEETH: usize = 100_000;
/// One of so many is chosen by a selector.
const CHOSEN: usize = 6;

/// A resource, and the objects of it.
#[derive(Debug)]
struct Resource {
    root: &'static str,
    name: &'static str,
    /// Where the store has its objects.
    directory: &'static str,
    make: fn(usize) -> Value,
    /// A field to select by, and what its values begin with.
    field: (&'static str, &'static str),
    is_custom: bool,
}

static PODS: Resource = Resource {
    root: "/api/v1",
    name: "pods",
    directory: "pods",
    make: pod,
    field: ("spec.nodeName", "node"),
    is_custom: false,
};
static GEARS: Resource = Resource {
    root: "/apis/machines.example.com/v1",
    name: "gears",
    directory: "machines.example.com/gears",
    make: gear,
    field: ("spec.line", "line"),
    is_custom: true,
};

impl Resource {
    fn path(&self, namespace: &str) -> String {
        format!("{}/namespaces/{namespace}/{}", self.root, self.name)
    }
}

/// How much of a list is asked for at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Portion {
    Whole,
    /// Whatever the server has, as informers begin.
    AnyRevision,
    /// So many at once.
    Pages(usize),
    /// Those that a label selects.
    Labelled,
    /// Those that a field selects.
    WithField,
    AcrossNamespaces,
}

use Portion::{AcrossNamespaces, AnyRevision, Labelled, Pages, Whole, WithField};

impl Portion {
    fn path(self, resource: &Resource) -> String {
        match self {
            AcrossNamespaces => format!("{}/{}", resource.root, resource.name),
            _ => resource.path("default"),
        }
    }

    fn query(self, resource: &Resource) -> String {
        let (field, value) = resource.field;
        match self {
            Whole | AcrossNamespaces => String::new(),
            AnyRevision => "resourceVersion=0".to_owned(),
            Pages(limit) => format!("limit={limit}"),
            Labelled => "labelSelector=sixth%3D1".to_owned(),
            WithField => format!("fieldSelector={field}%3D{value}-2"),
        }
    }

    /// The objects that it has of so many.
    fn expected(self, count: usize) -> Vec<(String, usize)> {
        let of =
            |namespace: &str, count: usize| (0..count).map(|number| (namespace.to_owned(), number)).collect();
        let mut all: Vec<_> = of("default", count);
        match self {
            Labelled => all.retain(|(_, number)| number % CHOSEN == 1),
            WithField => all.retain(|(_, number)| number % CHOSEN == 2),
            AcrossNamespaces => all.extend(of(OTHER, count / SHARE)),
            Whole | AnyRevision | Pages(_) => {}
        }
        all
    }
}

/// A way that an answer takes.
#[derive(Clone, Copy, Debug)]
struct Way {
    http2: bool,
    gzip: bool,
}

const H1: Way = Way { http2: false, gzip: false };
const H1_GZIP: Way = Way { http2: false, gzip: true };
const H2: Way = Way { http2: true, gzip: false };
const H2_GZIP: Way = Way { http2: true, gzip: true };

/// The time of a machine on which nothing grows older, so that tables made one after the other are the same.
struct Stopped(SystemClock, (i64, u32));

impl Clock for Stopped {
    fn now(&self) -> (i64, u32) {
        self.1
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

fn digits(number: usize) -> String {
    format!("{number:06}")
}

fn name(number: usize) -> String {
    format!("web-7d4b9c6f5d-{number:06}")
}

fn labels(number: usize) -> Value {
    json!({"app": "web", "number": digits(number), "sixth": (number % CHOSEN).to_string()})
}

fn pod(number: usize) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name(number), "labels": labels(number)},
        "spec": {"nodeName": format!("node-{}", number % CHOSEN), "containers": [{
            "name": "web", "image": format!("registry.example.com/shop/web:1.{number:06}"),
            "args": ["--port=8080", "--quiet"], "ports": [{"name": "http", "containerPort": 8080}],
            "env": [{"name": "MODE", "value": "production"},
                    {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
        }]},
    })
}

fn gear(number: usize) -> Value {
    json!({
        "apiVersion": "machines.example.com/v1", "kind": "Gear",
        "metadata": {"name": name(number), "labels": labels(number)},
        "spec": {"teeth": TEETH + number, "line": format!("line-{}", number % CHOSEN),
            "notes": "cut from one piece and hardened ".repeat(12)},
    })
}

/// A server with a custom resource and two namespaces.
async fn server(store: Arc<Embedded>) -> Server {
    let clock = SystemClock::default();
    let clock = Stopped(clock, clock.now());
    let builder = Server::builder().in_memory().store(store).clock(Arc::new(clock));
    let server = builder.listen(([127, 0, 0, 1], 0).into()).start().await.unwrap();
    let mut client = admin2(&server).await;
    let other = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": OTHER}});
    assert_eq!(send(&mut client, Method::POST, "/api/v1/namespaces", &other).await.code, 201);
    for namespace in ["default", OTHER] {
        let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}});
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts");
        let made = send(&mut client, Method::POST, &path, &account).await;
        assert!([201, 409].contains(&made.code), "{made:?}");
    }
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "teeth": {"type": "integer"}, "line": {"type": "string"}, "notes": {"type": "string"}}}}});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gears.machines.example.com"},
        "spec": {"group": "machines.example.com", "scope": "Namespaced",
            "names": {"plural": "gears", "kind": "Gear"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema},
                "selectableFields": [{"jsonPath": ".spec.line"}]}]},
    });
    assert_eq!(send(&mut client, Method::POST, DEFINITIONS, &definition).await.code, 201);
    for _ in 0..500 {
        if client.get(&GEARS.path("default")).await.code == 200 {
            return server;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
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

/// Makes the first objects of both resources by requests, and a part of them in the other namespace too.
async fn make(server: &Server) {
    for resource in [&PODS, &GEARS] {
        let mut makers = JoinSet::new();
        for maker in 0..MAKERS {
            let mut client = admin2(server).await;
            makers.spawn(async move {
                for namespace in ["default", OTHER] {
                    let path = resource.path(namespace);
                    for number in (maker..MADE).step_by(MAKERS) {
                        let made = send(&mut client, Method::POST, &path, &(resource.make)(number)).await;
                        assert_eq!(made.code, 201, "{}", made.body);
                    }
                }
            });
        }
        while let Some(made) = makers.join_next().await {
            made.unwrap();
        }
    }
}

/// Fills the store up to so many objects, and its share in the other namespace, with copies of the first ones. All
/// numbers in an object are as long as those in any other, so that its copy is it with other digits.
async fn fill(store: &Embedded, from: usize, to: usize) {
    for resource in [&PODS, &GEARS] {
        for (namespace, share) in [("default", 1), (OTHER, SHARE)] {
            let directory = format!("/registry/{}/{namespace}/", resource.directory);
            let mut made = Vec::with_capacity(MADE);
            for number in 0..MADE {
                let (found, _) = store.get(key(&directory, number), None).await.unwrap();
                made.push(found.expect("it was made").value);
            }
            let numbers: Vec<usize> = ((from / share).max(MADE)..to / share).collect();
            for numbers in numbers.chunks(100) {
                let mut transaction = Transaction::default();
                for number in numbers {
                    let original = number % MADE;
                    let mut value = made[original].to_vec();
                    for offset in [0, TEETH] {
                        replace(&mut value, &digits(original + offset), &digits(number + offset));
                    }
                    transaction = transaction.put(key(&directory, *number), value.into(), None);
                }
                assert!(matches!(store.commit(transaction).await, Ok(Outcome::Committed(_))));
            }
        }
    }
}

fn key(directory: &str, number: usize) -> Bytes {
    format!("{directory}{}", name(number)).into()
}

/// Puts digits in the place of others, wherever these are.
fn replace(text: &mut [u8], old: &str, new: &str) {
    let mut at = 0;
    while let Some(found) = text.get_mut(at..at + old.len()) {
        if found == old.as_bytes() {
            found.copy_from_slice(new.as_bytes());
            at += old.len();
        } else {
            at += 1;
        }
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

/// A list as it came: the query of each of its pages, and the page without its encoding.
type Came = Vec<(String, Vec<u8>)>;

/// Who asks for lists.
struct Asker {
    http1: Client,
    http2: Client,
    codecs: Codecs,
}

impl Asker {
    async fn new(server: &Server) -> Self {
        Asker {
            http1: Client::http1(server, Some(server.admin_certificate())).await,
            http2: admin2(server).await,
            codecs: Codecs::new(Arc::new(rhumb_api::scheme().unwrap())),
        }
    }

    async fn get(&mut self, path: &str, form: Form, way: Way) -> Answered {
        let client = if way.http2 { &mut self.http2 } else { &mut self.http1 };
        let encoding = if way.gzip { "gzip" } else { "identity" };
        client.get_with(path, &[("accept", &form.accept()), ("accept-encoding", encoding)]).await
    }

    async fn body(&mut self, path: &str, form: Form, way: Way) -> Vec<u8> {
        let answered = self.get(path, form, way).await;
        assert_eq!(answered.code, 200, "{}", answered.body);
        plain(&answered, way.gzip)
    }

    /// Asks for all of a list, and reads it.
    async fn list(&mut self, path: &str, query: &str, form: Form, way: Way) -> (Came, Read) {
        let pretty = if form.0 == Media::Pretty { "pretty=true&" } else { "" };
        let mut query = format!("{pretty}{query}");
        let first = query.clone();
        let (mut came, mut all) = (Vec::new(), None::<Read>);
        loop {
            let body = self.body(&format!("{path}?{query}"), form, way).await;
            let page = form.read(&self.codecs, &body);
            came.push((query, body));
            let next = page.next.clone();
            match &mut all {
                None => all = Some(page),
                Some(all) => {
                    assert_eq!(all.revision, page.revision, "the pages of a list are of one revision");
                    all.objects.extend(page.objects);
                }
            }
            if next.is_empty() {
                return (came, all.unwrap());
            }
            query = format!("{first}&continue={next}");
        }
    }

    /// Asks for a list again that came before, in another way. It must be the same, byte for byte, unless the server
    /// has written something meanwhile, so that it is of another revision: then the answer is no.
    async fn repeats(&mut self, path: &str, came: &Came, revision: &str, form: Form, way: Way) -> bool {
        for (query, before) in came {
            let body = self.body(&format!("{path}?{query}"), form, way).await;
            if body != *before {
                let now = form.read(&self.codecs, &body).revision;
                assert_ne!(now, revision, "{way:?} gives other bytes of the same list");
                return false;
            }
        }
        true
    }

    /// Asks for a list in several ways, which must all give the same.
    async fn check(&mut self, resource: &Resource, form: Form, portion: Portion, count: usize, ways: &[Way]) {
        let Some((first, others)) = ways.split_first() else { return };
        let told = format!("{} {form:?} {portion:?} {ways:?}", resource.name);
        let (path, query) = (portion.path(resource), portion.query(resource));
        'again: for _ in 0..5 {
            let (came, read) = self.list(&path, &query, form, *first).await;
            assert_eq!(came.len() > 1, matches!(portion, Pages(_)), "{told}");
            let expected = portion.expected(count);
            assert_eq!(read.objects.len(), expected.len(), "{told}");
            assert!(read.objects == expected, "{told}: in order, each once");
            for way in others {
                if !self.repeats(&path, &came, &read.revision, form, *way).await {
                    continue 'again;
                }
            }
            return;
        }
        panic!("{told}: the server never stops writing");
    }
}

/// How much is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// All forms and portions of both resources, in all ways.
    Everything,
    /// All forms and portions, each of one of the resources in turn, compressed over one protocol and plain over the
    /// other.
    InTurn,
}

const PORTIONS: [Portion; 6] = [Whole, AnyRevision, Pages(500), Labelled, WithField, AcrossNamespaces];
const ALL_WAYS: [Way; 4] = [H1, H1_GZIP, H2, H2_GZIP];
const PAIRS: [[Way; 2]; 4] = [[H2_GZIP, H1], [H1, H2_GZIP], [H1_GZIP, H2], [H2, H1_GZIP]];

impl Extent {
    /// The ways in which a list is asked for.
    fn ways(self, resource: &Resource, form: Form, turn: usize) -> &'static [Way] {
        if self == Extent::Everything {
            return &ALL_WAYS;
        }
        // Each portion is asked of the one resource in one form, and of the other in the next.
        let is_of_custom = (turn + turn / PORTIONS.len()) % 2 == 1;
        if is_of_custom != resource.is_custom && form.is_there(!resource.is_custom) {
            return &[];
        }
        &PAIRS[turn % PAIRS.len()]
    }
}

/// Asks for lists of both resources.
async fn check(server: &Server, count: usize, extent: Extent) {
    let mut checks = JoinSet::new();
    for resource in [&PODS, &GEARS] {
        let mut asker = Asker::new(server).await;
        checks.spawn(async move {
            for (number, form) in Form::all().enumerate() {
                if !form.is_there(resource.is_custom) {
                    assert_eq!(asker.get(&resource.path("default"), form, H1).await.code, 406, "{form:?}");
                    continue;
                }
                for (place, portion) in PORTIONS.into_iter().enumerate() {
                    let turn = number * PORTIONS.len() + place;
                    asker.check(resource, form, portion, count, extent.ways(resource, form, turn)).await;
                }
            }
        });
    }
    while let Some(checked) = checks.join_next().await {
        checked.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_lists_decode_once_and_have_every_object() {
    let begun = tokio::time::Instant::now();
    let store = Arc::new(Embedded::in_memory(rhumb_store::Options::default()).unwrap());
    let server = server(Arc::clone(&store)).await;
    make(&server).await;
    fill(&store, 0, 3_000).await;
    check(&server, 3_000, Extent::Everything).await;
    println!("3,000 objects: {:?}", begun.elapsed());
    let mut asker = Asker::new(&server).await;
    for resource in [&PODS, &GEARS] {
        for form in [Form(Media::Json, As::Itself), Form(Media::Protobuf, As::Metadata)] {
            asker.check(resource, form, Pages(37), 3_000, &[H2_GZIP, H1]).await;
        }
    }
    change_and_list_again(&server).await;

    fill(&store, 3_000, 20_000).await;
    check(&server, 20_000, Extent::InTurn).await;
    // What Go's clients ask for by default, of both resources.
    let mut asker = Asker::new(&server).await;
    for resource in [&PODS, &GEARS] {
        for portion in [Whole, AnyRevision, Pages(500)] {
            asker.check(resource, Form(Media::Json, As::Itself), portion, 20_000, &[H2_GZIP]).await;
        }
    }
    println!("and 20,000: {:?}", begun.elapsed());
    server.shutdown().await.unwrap();
}

/// Compressed forms are of the objects as they are now: one is changed, one goes, one comes.
async fn change_and_list_again(server: &Server) {
    let mut client = admin2(server).await;
    for resource in [&PODS, &GEARS] {
        let path = resource.path("default");
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
            let answered = client.get_with(&path, &[("accept-encoding", "gzip")]).await;
            let list: Value = serde_json::from_slice(&plain(&answered, true)).unwrap();
            let items = list["items"].as_array().unwrap();
            assert_eq!(items.len(), 2_999);
            assert_eq!(items[17]["metadata"]["labels"]["changed"], "yes");
        }
        assert_eq!(send(&mut client, Method::POST, &path, &(resource.make)(2_999)).await.code, 201);
    }
}
