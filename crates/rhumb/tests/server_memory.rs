//! What a server's memory is after a crowd of clients has left.

mod running;

use std::sync::mpsc;
use std::time::Duration;

use running::https::JSON;
use running::{Client, Rhumb, Scratch, Watch, revision};
use serde_json::json;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const WATCHES: usize = 300;
/// How often to look, and how long to wait in between.
const LOOKS: usize = 100;
const PAUSE: Duration = Duration::from_millis(200);

/// The server's resident memory in KiB, as it tells it itself.
fn resident(server: &Rhumb) -> u64 {
    let mut text = Vec::new();
    let mut connection = server.target.connect().expect("a connection");
    assert_eq!(connection.exchange("GET", "/metrics", JSON, b"", &mut text).expect("an answer"), 200);
    let text = String::from_utf8(text).expect("text");
    let value = text.lines().find_map(|line| line.strip_prefix("process_resident_memory_bytes "));
    value.and_then(|value| value.parse::<f64>().ok()).expect("the metric") as u64 / 1024
}

#[test]
fn memory_of_watches_that_ended_is_given_back() {
    let scratch = Scratch::new("memory");
    let server = Rhumb::start(scratch.path(), &["--in-memory"]);
    let mut client = server.client();
    let path = format!("{MAPS}?watch=true&resourceVersion={}", revision(&client.get(MAPS)));
    let before = resident(&server);
    let mut watches: Vec<Watch> =
        (0..WATCHES).map(|_| Client::watch(&server.target, &path).expect("a watch")).collect();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "seen"}});
    client.done("POST", MAPS, &map);
    for watch in &mut watches {
        while watch.next().expect("an event")["object"]["metadata"]["name"] != "seen" {}
    }
    let crowded = resident(&server);
    assert!(crowded > before, "{WATCHES} watches take no memory: {before} KiB, then {crowded}");
    drop(watches);
    // Much of it is in pages of the allocator that something else has a part of; a quarter comes back for certain.
    let goal = crowded - (crowded - before) / 4;
    let (_never, pause) = mpsc::channel::<()>();
    let mut left = crowded;
    for _ in 0..LOOKS {
        left = resident(&server);
        if left <= goal {
            return;
        }
        let _ = pause.recv_timeout(PAUSE);
    }
    panic!("{before} KiB before, {crowded} with {WATCHES} watches and still {left} after them");
}
