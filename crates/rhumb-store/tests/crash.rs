//! A process that is killed while it writes.
//!
//! A child writes under load and tells every write once it is answered. It is killed at any point, without warning,
//! and the directory is opened again: every write that it told of must be there, with all of its transaction, and no
//! revision that anybody saw may come again. The window is short, so that compaction is at work too.

mod scratch;
mod suite;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rhumb_store::{Change, Embedded, Options, Revision, Store, Transaction};
use scratch::Scratch;
use suite::{Random, bytes, done, get, text};

/// Tells the child which directory is meant; without it the child writes a few steps and looks at them itself.
const DIRECTORY: &str = "RHUMB_CRASH_DIRECTORY";

/// How many steps each writer makes whom nobody kills.
const STEPS: u64 = 20;

/// How often to kill.
const ROUNDS: &str = "RHUMB_CRASH_ROUNDS";

const WRITERS: u64 = 8;

fn options() -> Options {
    Options { window: Some(Duration::from_millis(30)), ..Options::default() }
}

/// One step of a writer: two keys get the number of the step, a third has it in two of three steps only.
fn step(writer: u64, number: u64) -> Transaction {
    let value = || bytes(number.to_string());
    let mut transaction = Transaction::default().put(bytes(format!("/a/{writer}")), value(), None).put(
        bytes(format!("/b/{writer}")),
        value(),
        None,
    );
    let key = bytes(format!("/c/{writer}"));
    transaction.changes.push(match number % 3 {
        0 => Change::Delete { key },
        _ => Change::Put { key, value: value(), lease: None },
    });
    transaction
}

/// How far a writer got: the number in `/a`, if the other keys agree.
async fn reached(store: &dyn Store, writer: u64) -> u64 {
    let mut numbers = Vec::new();
    for part in ["a", "b", "c"] {
        let entry = get(store, &format!("/{part}/{writer}")).await;
        numbers.push(entry.map(|entry| text(&entry.value).parse::<u64>().expect("a number")));
    }
    let number = numbers[0].unwrap_or(0);
    let third = (!number.is_multiple_of(3)).then_some(number);
    assert_eq!(numbers, [numbers[0], numbers[0], third], "half a transaction of writer {writer}");
    number
}

/// The child's part: it writes until it is killed. Whom nobody kills writes some steps, and they are all there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    let given = std::env::var_os(DIRECTORY).map(PathBuf::from);
    let scratch = given.is_none().then(Scratch::new);
    let (directory, last) = match (&given, &scratch) {
        (None, Some(scratch)) => (&scratch.path, STEPS),
        (Some(given), _) => (given, u64::MAX),
        (None, None) => panic!("a directory is given or made"),
    };
    let store = Arc::new(Embedded::open(directory, options()).expect("a store"));
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let store = Arc::clone(&store);
        writers.push(tokio::spawn(async move {
            for number in reached(store.as_ref(), writer).await + 1..=last {
                let revision = done(store.as_ref(), step(writer, number)).await.revision;
                // One call, so that no line is ever half of one.
                let line = format!("told {writer} {number} {revision}\n");
                std::io::stderr().write_all(line.as_bytes()).expect("a listener");
            }
        }));
    }
    for writer in writers {
        writer.await.expect("a writer");
    }
    for writer in 0..WRITERS {
        assert_eq!(reached(store.as_ref(), writer).await, STEPS);
    }
}

/// Starts the child, listens to some of what it tells, kills it, and gives all that it told.
fn kill_after(directory: &Path, lines: u64, pause: u64) -> Vec<[u64; 3]> {
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["child", "--exact", "--nocapture"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child");
    let mut told = Vec::new();
    let mut output = BufReader::new(child.stderr.take().expect("its output")).lines();
    let mut listen = |told: &mut Vec<[u64; 3]>| {
        let Some(line) = output.next() else { return false };
        let line = line.expect("a line");
        let numbers = line.strip_prefix("told ").unwrap_or_else(|| panic!("the child says {line:?}"));
        let numbers: Vec<u64> = numbers.split(' ').map(|number| number.parse().expect("a number")).collect();
        told.push(numbers.try_into().expect("three numbers"));
        true
    };
    for _ in 0..lines {
        assert!(listen(&mut told), "the child ended by itself");
    }
    for _ in 0..pause {
        std::hint::spin_loop();
    }
    child.kill().expect("the end of it");
    child.wait().expect("its end");
    while listen(&mut told) {}
    told
}

#[tokio::test]
async fn answered_writes_survive_kill() {
    let rounds = std::env::var(ROUNDS).ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(200);
    let scratch = Scratch::new();
    let mut random = Random(4);
    let mut last: BTreeMap<u64, u64> = BTreeMap::new();
    let mut newest = Revision::ZERO;
    let mut all = 0;
    for round in 0..rounds {
        let (lines, pause) = (random.below(60), random.below(100_000));
        for [writer, number, revision] in kill_after(&scratch.path, lines, pause) {
            assert!(revision > 0 && last.get(&writer).is_none_or(|before| number > *before));
            last.insert(writer, number);
            newest = newest.max(Revision(revision));
            all += 1;
        }
        let store = Embedded::open(&scratch.path, options()).expect("the store after a kill");
        let now = store.revision().await.expect("a revision");
        assert!(now >= newest, "round {round}: the revision went back from {newest} to {now}");
        newest = now;
        for writer in 0..WRITERS {
            let (number, told) = (reached(&store, writer).await, last.get(&writer).copied().unwrap_or(0));
            // One more may have been kept than was told of: the one in flight.
            assert!(
                number == told || number == told + 1,
                "round {round}: {told} was told, {number} is there"
            );
            last.insert(writer, number);
        }
        store.close().expect("an orderly end");
    }
    assert!(all > rounds, "only {all} writes in {rounds} rounds");
}
