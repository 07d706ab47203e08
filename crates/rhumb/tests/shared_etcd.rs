//! Several servers on one etcd: two Rhumbs, and a Rhumb beside a kube-apiserver.
//!
//! What a kube-apiserver keeps for a small corpus of objects was recorded: keys, bytes and its answers
//! (`data/shared_etcd/recorded.json`). So the part that needs no such server running runs everywhere, CI included.
//! With `RHUMB_KUBE_APISERVER`, which names one, both work on one etcd at the same time, where else two Rhumbs do
//! (the test prints which), and with `RHUMB_RECORD` set too the recording is made anew.

#[path = "running/etcd.rs"]
mod etcd;
#[path = "support/recorded_with.rs"]
mod recorded_with;
mod running;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use etcd::{Etcd, Real, until};
use recorded_with::PLUGINS_OFF;
use running::https::Target;
use running::{Client, Rhumb, Scratch, Watch};
use serde_json::{Value, json};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// Where both servers keep objects unless told otherwise.
const PREFIX: &str = "/registry";

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/shared_etcd").join(name)
}

fn read(name: &str) -> Vec<Value> {
    let content = std::fs::read(data(name)).expect("a file of the test");
    serde_json::from_slice(&content).expect("a list in JSON")
}

/// An object of the corpus: the path of its collection, and its manifest.
fn sample(case: &Value) -> (&str, &Value) {
    (case["path"].as_str().expect("a path"), &case["object"])
}

fn rhumb(etcd: &Etcd, scratch: &Scratch, arguments: &[&str]) -> Rhumb {
    let servers: Vec<&str> =
        ["--etcd-servers", &etcd.url].into_iter().chain(arguments.iter().copied()).collect();
    Rhumb::start(scratch.path(), &servers)
}

/// The manifest under another name; a fixed address can't be given twice.
fn renamed(object: &Value, name: &str) -> Value {
    let mut object = object.clone();
    object["metadata"]["name"] = name.into();
    if object["kind"] == "Service" && name != "sample" {
        object["spec"]["clusterIP"] = "10.0.0.78".into();
    }
    object
}

/// Changes in one namespace, seen through two servers.
struct Watches([Watch; 2]);

impl Watches {
    fn open(targets: [&Target; 2]) -> Self {
        let open = |target| {
            let list = Client::new(target).expect("a connection").get(MAPS);
            let revision = running::revision(&list);
            Client::watch(target, &format!("{MAPS}?watch=true&resourceVersion={revision}")).expect("a watch")
        };
        Watches(targets.map(open))
    }

    /// The next event of our own objects, which must be the same through both. Controllers write here too.
    fn next(&mut self) -> Value {
        let ours = |event: &Value| {
            event["object"]["metadata"]["name"].as_str().is_some_and(|name| name.starts_with("seen-"))
        };
        let [first, second] = self.0.each_mut().map(|watch| {
            let mut event = watch.next().expect("an event");
            while !ours(&event) {
                event = watch.next().expect("an event");
            }
            event
        });
        assert_eq!(first, second, "the two servers tell different things");
        first
    }

    fn expect(&mut self, kind: &str, object: &Value) {
        let event = self.next();
        assert_eq!((event["type"].as_str(), &event["object"]), (Some(kind), object));
    }
}

/// Writes through two servers in turn, and looks at what is seen through both.
fn writes_are_seen(targets: [&Target; 2]) {
    let mut watches = Watches::open(targets);
    let mut clients = targets.map(|target| Client::new(target).expect("a connection"));
    for number in 0..20 {
        let (one, other) = (number % 2, (number + 1) % 2);
        let name = format!("seen-{number}");
        let map =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "1"}});
        let created = clients[one].done("POST", MAPS, &map);
        watches.expect("ADDED", &created);
        let path = format!("{MAPS}/{name}");
        let mut found = clients[other].get(&path);
        assert_eq!(found, created, "what one made is not what the other has");
        found["data"]["a"] = "2".into();
        let changed = clients[other].done("PUT", &path, &found);
        watches.expect("MODIFIED", &changed);
        assert_eq!(clients[one].get(&path), changed);
        // A change of what was read before is refused by both.
        for client in &mut clients {
            let (status, answer) = client.ask("PUT", &path, &created).expect("an answer");
            assert_eq!((status, answer["reason"].as_str()), (409, Some("Conflict")), "{answer}");
        }
        clients[one].done("DELETE", &path, &Value::Null);
        let event = watches.next();
        assert_eq!((&event["type"], &event["object"]["metadata"]["name"]), (&json!("DELETED"), &json!(name)));
        let (status, _) = clients[other].ask("GET", &path, &Value::Null).expect("an answer");
        assert_eq!(status, 404);
    }
}

/// The server beside ours: the kube-apiserver that is named, or one more of ours.
enum Neighbour {
    Real(Real),
    /// One of ours, and the directory that it works in.
    Ours {
        server: Rhumb,
        _scratch: Scratch,
    },
}

impl Neighbour {
    fn start(etcd: &Etcd) -> Self {
        match etcd::named_real() {
            Some(binary) => Neighbour::Real(Real::start(&binary, etcd)),
            None => {
                let scratch = Scratch::new("neighbour");
                Neighbour::Ours { server: rhumb(etcd, &scratch, &[]), _scratch: scratch }
            }
        }
    }

    fn target(&self) -> &Target {
        match self {
            Neighbour::Real(real) => &real.target,
            Neighbour::Ours { server, .. } => &server.target,
        }
    }
}

#[test]
fn two_servers_on_one_etcd_see_the_same() {
    let etcd = Etcd::start();
    let neighbour = Neighbour::start(&etcd);
    let is_real = matches!(neighbour, Neighbour::Real(_));
    println!("the neighbour is {}", if is_real { "a kube-apiserver" } else { "one more of ours" });
    let scratch = Scratch::new("beside");
    let ours = rhumb(&etcd, &scratch, &[]);
    let targets = [neighbour.target(), &ours.target];
    let mut clients = targets.map(|target| Client::new(target).expect("a connection"));
    let mut problems = Vec::new();
    let mut recorded = Vec::new();
    let corpus = read("corpus.json");
    for case in &corpus {
        let (path, object) = sample(case);
        // What one makes is read through both, then the other way round.
        for (maker, name) in [(0, "sample"), (1, "other")] {
            let (status, answer) =
                clients[maker].ask("POST", path, &renamed(object, name)).expect("an answer");
            if status != 201 {
                problems.push(format!("{path}: server {maker} answers {status} {answer}"));
                continue;
            }
            let [theirs, ours] = look(&mut clients, |client| client.get(&format!("{path}/{name}")));
            if theirs != ours {
                problems.push(format!("{path}/{name}, made by {maker}:\nneighbour {theirs}\nours {ours}"));
            }
            if maker == 0 {
                recorded.push((path, theirs));
            }
        }
    }
    if std::env::var_os("RHUMB_RECORD").is_some() {
        assert!(is_real, "what is recorded is what a kube-apiserver keeps");
        record(&etcd, &recorded);
    }
    problems.extend(different_lists(&mut clients));
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    writes_are_seen(targets);
}

/// An etcd keeps everything that ever happened until it is told not to, and ends full. Servers that share it see to
/// that together.
#[test]
fn an_etcd_is_told_to_forget_what_was() {
    let etcd = Etcd::start();
    let scratches = [Scratch::new("first"), Scratch::new("second")];
    let often = ["--etcd-compaction-interval", "100ms"];
    let servers = scratches.each_ref().map(|scratch| rhumb(&etcd, scratch, &often));
    let mut watches = Watches::open([&servers[0].target, &servers[1].target]);
    let mut client = servers[0].client();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "seen-0"}});
    let created = client.done("POST", MAPS, &map);
    watches.expect("ADDED", &created);
    let then = etcd.revision();
    until("what was is forgotten", || !etcd.recalls(then));
    // Who watches misses nothing by it.
    let mut changed = created.clone();
    changed["data"] = json!({"a": "1"});
    let changed = client.done("PUT", &format!("{MAPS}/seen-0"), &changed);
    watches.expect("MODIFIED", &changed);
    // Without it all is kept.
    let (etcd, scratch) = (Etcd::start(), Scratch::new("third"));
    let server = rhumb(&etcd, &scratch, &["--etcd-compaction-interval", "0"]);
    let then = etcd.revision();
    let mut client = server.client();
    for number in 0..20 {
        client.done("POST", MAPS, &renamed(&map, &format!("seen-{number}")));
    }
    assert!(etcd.recalls(then));
}

/// What both say. Either may write something of its own between the two looks; then the next ones are equal.
fn look(clients: &mut [Client; 2], one: impl Fn(&mut Client) -> Value) -> [Value; 2] {
    let mut seen = clients.each_mut().map(&one);
    for _ in 0..5 {
        if seen[0] == seen[1] {
            break;
        }
        seen = clients.each_mut().map(&one);
    }
    seen
}

/// Lists of every resource that both serve, where they differ.
fn different_lists(clients: &mut [Client; 2]) -> Vec<String> {
    let groups = clients[0].get("/apis");
    let versions = groups["groups"].as_array().into_iter().flatten();
    let named = versions.flat_map(|group| group["versions"].as_array().into_iter().flatten());
    let mut roots: Vec<String> =
        named.filter_map(|version| Some(format!("/apis/{}", version["groupVersion"].as_str()?))).collect();
    roots.push("/api/v1".to_owned());
    let mut problems = Vec::new();
    for root in roots {
        let [found, resources] = clients.each_mut().map(|client| client.get(&root)["resources"].clone());
        assert_eq!(found, resources, "{root}: left what the neighbour serves, right what ours does");
        for resource in resources.as_array().into_iter().flatten() {
            let name = resource["name"].as_str().unwrap_or_default();
            let listed = resource["verbs"].as_array().is_some_and(|verbs| verbs.contains(&json!("list")));
            // Component statuses are made up on the spot, by each server of what it sees.
            if !listed || name.contains('/') || name == "componentstatuses" {
                continue;
            }
            let path = format!("{root}/{name}");
            let seen = look(clients, |client| client.get(&path)["items"].clone());
            if seen[0] != seen[1] {
                problems.push(format!("{path}:\nneighbour {}\nours {}", seen[0], seen[1]));
            }
        }
    }
    problems
}

/// Keeps what the real server stored and answered.
fn record(etcd: &Etcd, answers: &[(&str, Value)]) {
    let stored = etcd.under(PREFIX);
    let mut recorded = Vec::new();
    for (path, answer) in answers {
        let uid = answer["metadata"]["uid"].as_str().expect("a uid");
        let found = stored.iter().find(|(_, value)| contains(value, uid.as_bytes()));
        let (key, value) = found.unwrap_or_else(|| panic!("{path} is nowhere in etcd"));
        recorded.push(json!({"path": path, "key": key, "value": BASE64.encode(value), "answer": answer}));
    }
    let lines: Vec<String> = recorded.iter().map(Value::to_string).collect();
    std::fs::write(data("recorded.json"), format!("[\n{}\n]\n", lines.join(",\n"))).expect("the recording");
}

fn contains(value: &[u8], part: &[u8]) -> bool {
    value.windows(part.len()).any(|window| window == part)
}

#[test]
fn what_a_real_server_stored_is_read() {
    let etcd = Etcd::start();
    let recorded = read("recorded.json");
    for case in &recorded {
        let value = BASE64.decode(case["value"].as_str().expect("a value")).expect("base64");
        etcd.put(case["key"].as_str().expect("a key"), value);
    }
    let scratch = Scratch::new("reader");
    let server = rhumb(&etcd, &scratch, &["--controllers", "*,-resourcequota-controller"]);
    let mut client = server.client();
    for case in &recorded {
        let path = format!("{}/sample", case["path"].as_str().expect("a path"));
        let mut found = client.get(&path);
        // This etcd counts from another beginning.
        found["metadata"]["resourceVersion"] = case["answer"]["metadata"]["resourceVersion"].clone();
        assert_eq!(found, case["answer"], "{path}");
    }
}

#[test]
fn what_we_store_is_what_a_real_server_stores() {
    let etcd = Etcd::start();
    let scratch = Scratch::new("writer");
    let server = rhumb(&etcd, &scratch, &["--disable-admission-plugins", PLUGINS_OFF]);
    let mut client = server.client();
    let corpus: BTreeMap<String, Value> =
        read("corpus.json").iter().map(|case| (sample(case).0.to_owned(), sample(case).1.clone())).collect();
    let mut problems = Vec::new();
    for case in &read("recorded.json") {
        let path = case["path"].as_str().expect("a path");
        let made = client.done("POST", path, &corpus[path]);
        let key = case["key"].as_str().expect("a key");
        let expect = BASE64.decode(case["value"].as_str().expect("a value")).expect("base64");
        let mut stored = Vec::new();
        until("the object is in etcd", || {
            stored = etcd.under(key);
            !stored.is_empty()
        });
        let [ours, theirs] = [&made, &case["answer"]].map(Marks::of);
        let found =
            stored.iter().find(|(found, _)| found == key).map(|(_, value)| ours.replaced(value, &theirs));
        if found.as_deref() != Some(expect.as_slice()) {
            let shown = |value: &[u8]| value.escape_ascii().to_string();
            let found = found.map_or_else(|| "nothing".to_owned(), |value| shown(&value));
            problems.push(format!("{key}:\nours {found}\nreal {}", shown(&expect)));
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// What is different in two objects that were made alike: who they are and when that was.
struct Marks {
    uid: String,
    time: u64,
}

impl Marks {
    fn of(object: &Value) -> Self {
        let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
        let time = rhumb_meta::Time::parse(&text("creationTimestamp")).expect("a time");
        Marks { uid: text("uid"), time: u64::try_from(time.unix_seconds()).expect("a time of our days") }
    }

    /// Stored bytes with the marks of another object. What was set a while later has the same mark: nobody knows how
    /// long a busy machine takes.
    fn replaced(&self, value: &[u8], other: &Marks) -> Vec<u8> {
        let mut value = replace(value, self.uid.as_bytes(), other.uid.as_bytes());
        let mark = varint(other.time);
        let mut place = 0;
        while let Some(bytes) = value.get_mut(place..place + mark.len()) {
            if number(bytes).is_some_and(|time| (self.time..self.time + A_WHILE).contains(&time)) {
                bytes.copy_from_slice(&mark);
                place += mark.len();
            } else {
                place += 1;
            }
        }
        value
    }
}

/// How many seconds it takes at most to make an object.
const A_WHILE: u64 = 300;

/// A time of our days as protobuf has it, which for many years to come are five bytes.
fn varint(time: u64) -> [u8; 5] {
    std::array::from_fn(|place| {
        let more = if place < 4 { 0x80 } else { 0 };
        (time >> (7 * place)) as u8 & 0x7f | more
    })
}

/// The number that these bytes are in protobuf, if they are just one.
fn number(bytes: &[u8]) -> Option<u64> {
    let (last, others) = bytes.split_last()?;
    let ends_here = *last < 0x80 && others.iter().all(|byte| *byte >= 0x80);
    ends_here.then(|| bytes.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f)))
}

fn replace(value: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((first, after)) = rest.split_first() {
        match rest.strip_prefix(old) {
            Some(after) => {
                out.extend_from_slice(new);
                rest = after;
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}
