//! A server that is killed while it is written to.
//!
//! Clients create, change and remove ConfigMaps, each its own, and note what was acknowledged; a watcher follows.
//! At some moment the server is killed without warning and started again on what it left behind. Then every
//! acknowledged write must be there with the revision that was told, nothing that was removed may be back, the
//! newest revision may not be older than any that was seen, and the watcher, who goes on at the last revision that
//! he saw, must have seen every write exactly once. A write that nobody got an answer for may have happened or not,
//! but not by half.

mod running;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use running::https::Target;
use running::{Client, Rhumb, Scratch, Watch, revision};
use serde_json::{Value, json};

/// How often to kill.
const ROUNDS: &str = "RHUMB_CRASH_ROUNDS";
const CLIENTS: u64 = 6;
/// How many objects each client has.
const OBJECTS: u64 = 5;
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// What an object is after a write: which step of its client it has, and its revision; nothing if it is gone.
type State = Option<(u64, u64)>;

/// What happened to an object: the kind of event, the step, and the revision where it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Happened {
    event: &'static str,
    step: u64,
    revision: Option<u64>,
}

/// A write that no answer came for.
#[derive(Clone, Debug)]
struct Pending {
    name: String,
    event: &'static str,
    step: u64,
}

/// One who writes, and what he knows.
struct Writer {
    number: u64,
    random: Random,
    step: u64,
    newest: u64,
    objects: BTreeMap<String, State>,
    happened: BTreeMap<String, Vec<Happened>>,
    pending: Option<Pending>,
}

impl Writer {
    fn new(number: u64) -> Self {
        let name = |object| format!("map-{number}-{object}");
        Writer {
            number,
            random: Random(0x9e37_79b9_7f4a_7c15 ^ (number + 1)),
            step: 0,
            newest: 0,
            objects: (0..OBJECTS).map(|object| (name(object), None)).collect(),
            happened: BTreeMap::new(),
            pending: None,
        }
    }

    /// Writes until the server is gone.
    fn run(&mut self, target: &Target, acknowledged: &AtomicU64) {
        let Ok(mut client) = Client::new(target) else { return };
        while self.write(&mut client).is_ok() {
            acknowledged.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn write(&mut self, client: &mut Client) -> std::io::Result<()> {
        let name = format!("map-{}-{}", self.number, self.random.below(OBJECTS));
        let state = self.objects.get(&name).copied().flatten();
        self.step += 1;
        let step = self.step;
        let filler = "x".repeat(self.random.below(2000) as usize);
        let object = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name},
            "data": {"step": step.to_string(), "filler": filler},
        });
        let path = format!("{MAPS}/{name}");
        let (event, method, path, body) = match state {
            None => ("ADDED", "POST", MAPS, object),
            Some(_) if self.random.below(3) == 0 => ("DELETED", "DELETE", path.as_str(), Value::Null),
            Some(_) => ("MODIFIED", "PUT", path.as_str(), object),
        };
        // What is removed shows the step that it had.
        let step = state.filter(|_| event == "DELETED").map_or(step, |(step, _)| step);
        self.pending = Some(Pending { name: name.clone(), event, step });
        let (status, answer) = client.ask(method, path, &body)?;
        assert!(matches!(status, 200 | 201), "{method} {path}: {status} {answer}");
        self.pending = None;
        let told = (event != "DELETED").then(|| revision(&answer));
        self.note(&name, event, step, told);
        Ok(())
    }

    fn note(&mut self, name: &str, event: &'static str, step: u64, revision: Option<u64>) {
        if let Some(revision) = revision {
            assert!(revision > self.newest, "{name} got revision {revision} after {}", self.newest);
            self.newest = revision;
        }
        self.objects.insert(name.to_owned(), revision.map(|revision| (step, revision)));
        self.happened.entry(name.to_owned()).or_default().push(Happened { event, step, revision });
    }

    /// Compares what he knows with what is there, and learns what became of the write that had no answer.
    fn check(&mut self, there: &BTreeMap<String, (u64, u64)>) {
        if let Some(Pending { name, event, step }) = self.pending.take() {
            let found = there.get(&name).copied();
            let before = self.objects.get(&name).copied().flatten();
            match (event, found) {
                ("DELETED", None) => self.note(&name, event, step, None),
                ("ADDED" | "MODIFIED", Some((found, revision))) if found == step => {
                    self.note(&name, event, step, Some(revision));
                }
                _ => assert_eq!(found, before, "{name}: neither as it was nor after the {event} of {step}"),
            }
        }
        for (name, state) in &self.objects {
            assert_eq!(there.get(name), state.as_ref(), "{name}: left what is there, right what was told");
        }
    }
}

/// One who follows, and what he saw since the last check.
struct Watcher {
    last: u64,
    seen: BTreeMap<String, Vec<Happened>>,
}

impl Watcher {
    fn open(&self, target: &Target) -> Watch {
        let path = format!("{MAPS}?watch=true&resourceVersion={}", self.last);
        Client::watch(target, &path).expect("a watch")
    }

    /// Reads one event and answers with the name of its object.
    fn next(&mut self, watch: &mut Watch) -> std::io::Result<String> {
        let event = watch.next()?;
        let (kind, object) = (event["type"].as_str(), &event["object"]);
        let kinds = ["ADDED", "MODIFIED", "DELETED"];
        let kind = kinds.into_iter().find(|known| kind == Some(*known));
        let kind = kind.unwrap_or_else(|| panic!("after {}: {event}", self.last));
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let revision = revision(object);
        assert!(revision > self.last, "revision {revision} after {}: {event}", self.last);
        self.last = revision;
        let revision = (kind != "DELETED").then_some(revision);
        let happened = Happened { event: kind, step: step(object), revision };
        self.seen.entry(name.clone()).or_default().push(happened);
        Ok(name)
    }
}

fn step(object: &Value) -> u64 {
    object["data"]["step"].as_str().and_then(|step| step.parse().ok()).unwrap_or_default()
}

/// Looks at everything after a start, and answers with the watch, which has caught up.
fn check(server: &Rhumb, writers: &mut [Writer], watcher: &mut Watcher, round: u64) -> Watch {
    let mut client = server.client();
    let list = client.get(MAPS);
    let told = writers.iter().map(|writer| writer.newest).max().unwrap_or_default().max(watcher.last);
    assert!(revision(&list) >= told, "the server is at {} and told of {told}", revision(&list));
    let items = list["items"].as_array().expect("items");
    let name = |item: &Value| item["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let ours = items.iter().filter(|item| name(item).starts_with("map-"));
    let there = ours.map(|item| (name(item), (step(item), revision(item)))).collect();
    for writer in writers.iter_mut() {
        writer.check(&there);
    }
    let marker = format!("marker-{round}");
    let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": marker}});
    let created = client.done("POST", MAPS, &body);
    assert!(revision(&created) > told, "a new object has revision {} after {told}", revision(&created));
    let mut watch = watcher.open(&server.target);
    while watcher.next(&mut watch).expect("an event") != marker {}
    let mut seen = std::mem::take(&mut watcher.seen);
    seen.retain(|name, _| name.starts_with("map-"));
    let mut happened = BTreeMap::new();
    for writer in writers {
        happened.append(&mut writer.happened);
    }
    assert_eq!(seen, happened, "round {round}: left what the watcher saw, right what happened");
    watch
}

#[test]
fn acknowledged_writes_outlive_a_killed_server() {
    let rounds = std::env::var(ROUNDS).ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(100);
    let scratch = Scratch::new("server-crash");
    let mut writers: Vec<Writer> = (0..CLIENTS).map(Writer::new).collect();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut server = Rhumb::start(scratch.path(), &[]);
    let last = revision(&server.client().get(MAPS));
    let mut watcher = Watcher { last, seen: BTreeMap::new() };
    // It is never sent to: a wait for it is a wait for the time only.
    let (_never, moment) = mpsc::channel::<()>();
    for round in 0..rounds {
        let mut watch = check(&server, &mut writers, &mut watcher, round);
        let acknowledged = AtomicU64::new(0);
        let target = server.target.clone();
        thread::scope(|scope| {
            for writer in &mut writers {
                let (target, acknowledged) = (&target, &acknowledged);
                scope.spawn(move || writer.run(target, acknowledged));
            }
            let watcher = &mut watcher;
            scope.spawn(move || while watcher.next(&mut watch).is_ok() {});
            // Some rounds end with the first write, others go on for a while; none ends at a known place of one.
            let enough = random.below(60);
            while acknowledged.load(Ordering::Relaxed) < enough {
                let _ = moment.recv_timeout(Duration::from_millis(1));
            }
            let _ = moment.recv_timeout(Duration::from_micros(random.below(5000)));
            drop(server);
        });
        server = Rhumb::start(scratch.path(), &[]);
    }
    check(&server, &mut writers, &mut watcher, rounds);
}
