//! How the time of patches grows with what a client sends: no faster than n log n.
//!
//! Each of these was quadratic once, or lies beside something that was. Work on n and on sixteen times as much is
//! measured by turns. What grows with the square takes 256 times as long for the latter, what doesn't little more than
//! sixteen times, and up to three times that where the smaller one fits into the caches.

#![allow(clippy::print_stdout, reason = "what was measured is worth reading")]

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use rhumb_api::core;
use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_meta::{FieldsV1, GroupVersion, Time};
use rhumb_patch::apply::{Endpoint, FieldSet, OneVersion, RequestedFields, Type};
use rhumb_patch::strategic::Overwrite;
use rhumb_patch::{json_patch, merge, strategic};
use rhumb_schema::{Described, RawJson, StructDesc, to_tree};
use serde_json::{Value, json};

/// How much more the larger work has to do.
const TIMES: usize = 16;

/// More than n log n makes of that, and less than the square does.
const MOST: u32 = 80;

/// Measurements disturb each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The time that this thread had a processor, which others don't disturb; where that isn't told, the time.
#[allow(clippy::disallowed_methods, reason = "a measurement reads the clock")]
fn clock() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    // The system adds up the time of a thread when it looks for the next one to run.
    std::thread::yield_now();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match told.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok()) {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => Instant::now() - *START,
    }
}

/// The time that some work took.
fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = clock();
    let outcome = work();
    let took = clock() - start;
    drop(outcome);
    took
}

/// Checks how work grows; it prepares so much by itself and gives the time of what counts. What disturbs a run makes
/// it longer, so that the least of several is what the work takes.
fn grows_slowly(what: &str, n: usize, mut work: impl FnMut(usize) -> Duration) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (mut few, mut many) = (Duration::MAX, Duration::MAX);
    for round in 0..12 {
        few = few.min(work(n));
        many = many.min(work(TIMES * n));
        if round >= 2 && many < few * MOST {
            println!("{what}: {few:?} for {n}, {many:?} for {TIMES} times as many");
            return;
        }
    }
    panic!("{what}: {few:?} for {n}, and {many:?} for {TIMES} times as many");
}

/// Numbers up to n in an order that no sort likes.
fn shuffled(n: usize) -> impl Iterator<Item = usize> {
    (0..n).map(move |index| index * 7919 % n)
}

fn names(n: usize) -> Vec<Value> {
    shuffled(n).map(|index| Value::from(format!("name-{index}"))).collect()
}

fn containers(n: usize, image: &str) -> Vec<Value> {
    shuffled(n).map(|index| json!({"name": format!("c-{index}"), "image": image})).collect()
}

fn pod(n: usize, image: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "web", "uid": "uid"},
        "spec": {"containers": containers(n, image)},
    })
}

fn table() -> &'static StructDesc {
    core::v1::Pod::SHAPE.element_struct().expect("a kind is a struct")
}

// JSON patch

fn json_patched(doc: &Value, operations: Vec<Value>) -> Duration {
    let patch = Value::from(operations).to_string();
    let mut doc = doc.clone();
    timed(|| json_patch::apply(&mut doc, patch.as_bytes()).expect("the patch fits"))
}

#[test]
fn inserts_at_the_front_of_a_long_list_moved_all_that_follows() {
    grows_slowly("JSON patch: inserts", 600, |n| {
        let doc = json!({"list": names(6 * n)});
        json_patched(&doc, vec![json!({"op": "add", "path": "/list/0", "value": "x"}); n])
    });
}

#[test]
fn removals_at_the_front_of_a_long_list_moved_all_that_follows() {
    grows_slowly("JSON patch: removals", 600, |n| {
        let doc = json!({"list": names(6 * n)});
        json_patched(&doc, vec![json!({"op": "remove", "path": "/list/0"}); n])
    });
}

#[test]
fn elements_that_move_within_a_long_list_moved_all_between() {
    grows_slowly("JSON patch: moves in a list", 600, |n| {
        let doc = json!({"list": names(6 * n)});
        json_patched(&doc, vec![json!({"op": "move", "from": "/list/0", "path": "/list/-"}); n])
    });
}

#[test]
fn a_large_value_was_measured_whenever_it_moved() {
    grows_slowly("JSON patch: moves of a large value", 300, |n| {
        let doc = json!({"a": {"list": containers(n, "x")}, "b": {}});
        let there = json!({"op": "move", "from": "/a/list", "path": "/b/list"});
        let changed = json!({"op": "add", "path": "/b/list/0/more", "value": {"deep": "er"}});
        let back = json!({"op": "move", "from": "/b/list", "path": "/a/list"});
        let operations = (0..n).flat_map(|_| [there.clone(), changed.clone(), back.clone()]);
        json_patched(&doc, operations.take(2 * n).collect())
    });
}

#[test]
fn tests_and_replacements_deep_in_a_document_take_their_path() {
    grows_slowly("JSON patch: tests and replacements", 300, |n| {
        let doc = json!({"a": {"list": containers(4 * n, "x")}});
        let operations = (0..n).flat_map(|index| {
            let path = format!("/a/list/{}/image", index * 3);
            [
                json!({"op": "test", "path": path, "value": "x"}),
                json!({"op": "replace", "path": path, "value": {"y": [index]}}),
            ]
        });
        json_patched(&doc, operations.collect())
    });
}

#[test]
fn long_pointers_take_their_length() {
    grows_slowly("JSON patch: long pointers", 50_000, |n| {
        let long = "/a~1b".repeat(n);
        let doc = json!({"x": 1});
        let operations = [
            json!({"op": "replace", "path": "/x", "value": 2}),
            json!({"op": "add", "path": "/y", "value": long}),
            json!({"op": "test", "path": long, "value": 1}),
        ];
        let patch = Value::from(operations.to_vec()).to_string();
        let mut doc = doc.clone();
        timed(|| json_patch::apply(&mut doc, patch.as_bytes()).expect_err("the pointer leads nowhere"))
    });
}

// Merge patches

#[test]
fn merge_patches_take_their_length() {
    grows_slowly("merge patch", 2000, |n| {
        let map = |value: &str| -> Value {
            Value::Object(shuffled(n).map(|index| (format!("k-{index}"), value.into())).collect())
        };
        let patch = json!({"data": map("new"), "list": names(n)});
        let mut doc = json!({"data": map("old"), "list": names(n)});
        timed(|| merge::apply(&mut doc, &patch).expect("objects"))
    });
}

// Strategic merge patches

fn strategic_patched(mut doc: Value, patch: &Value) -> Duration {
    timed(|| assert!(strategic::apply(&mut doc, patch, table()).is_ok(), "the patch fits"))
}

#[test]
fn strategic_merges_of_long_lists_take_their_length() {
    grows_slowly("strategic merge: elements", 800, |n| {
        strategic_patched(pod(n, "old"), &json!({"spec": {"containers": containers(2 * n, "new")}}))
    });
    grows_slowly("strategic merge: an order", 800, |n| {
        let order: Vec<Value> = (0..n).rev().map(|index| json!({"name": format!("c-{index}")})).collect();
        let patch = json!({"spec": {"$setElementOrder/containers": order}});
        strategic_patched(pod(n, "old"), &patch)
    });
    grows_slowly("strategic merge: deletions", 800, |n| {
        let gone = (0..n).step_by(2).map(|index| json!({"name": format!("c-{index}"), "$patch": "delete"}));
        strategic_patched(pod(n, "old"), &json!({"spec": {"containers": gone.collect::<Vec<_>>()}}))
    });
    grows_slowly("strategic merge: scalars that go", 1500, |n| {
        let doc = json!({"metadata": {"finalizers": names(2 * n)}});
        let patch = json!({"metadata": {"$deleteFromPrimitiveList/finalizers": names(n)}});
        strategic_patched(doc, &patch)
    });
    grows_slowly("strategic merge: scalars that stand there twice", 800, |n| {
        let twice = || names(n).into_iter().chain(names(n)).collect::<Vec<_>>();
        let doc = json!({"metadata": {"finalizers": twice()}});
        let patch = json!({"metadata": {"finalizers": twice(), "$setElementOrder/finalizers": twice()}});
        strategic_patched(doc, &patch)
    });
}

#[test]
fn strategic_differences_of_long_lists_take_their_length() {
    grows_slowly("strategic difference", 500, |n| {
        let (from, to) = (pod(n, "old"), pod(2 * n, "new"));
        timed(|| strategic::create_two_way(&from, &to, table(), &[]).expect("both fit the table"))
    });
    grows_slowly("strategic difference of three", 300, |n| {
        let (from, to) = (pod(n, "old"), pod(2 * n, "new"));
        timed(|| {
            strategic::create_three_way(&from, &to, &from, table(), Overwrite::No, &[]).expect("no conflict")
        })
    });
    grows_slowly("strategic difference beside a long key", 300, |n| {
        let long = json!({"name": "z".repeat(100 * n), "image": "x"});
        let (from, mut to) = (json!({"spec": {"containers": [long.clone()]}}), pod(n, "new"));
        to["spec"]["containers"].as_array_mut().expect("a list").push(long);
        timed(|| strategic::create_two_way(&from, &to, table(), &[]).expect("both fit the table"))
    });
}

// Server-side apply

fn now() -> Time {
    Time::from_unix(1_700_000_000, 0)
}

fn at_pods<T>(act: impl FnOnce(&Endpoint<'_>) -> T) -> T {
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let gv: GroupVersion = "v1".parse().expect("a version");
    let empty = to_tree(scheme.new_object(&gv.with_kind("Pod")).expect("a known kind").as_ref());
    act(&Endpoint {
        schema: Type::of(table()),
        api_version: "v1",
        kind: "Pod",
        subresource: "",
        empty: &empty,
        filters: &BTreeMap::new(),
        versions: &OneVersion,
    })
}

/// Objects without a schema, as some custom ones are.
fn at_anything<T>(act: impl FnOnce(&Endpoint<'_>) -> T) -> T {
    let empty = json!({"apiVersion": "v1", "kind": "Pod"});
    act(&Endpoint {
        schema: Type::deduced(),
        api_version: "v1",
        kind: "Pod",
        subresource: "",
        empty: &empty,
        filters: &BTreeMap::new(),
        versions: &OneVersion,
    })
}

fn entry(manager: &str, operation: &str, fields: String) -> ManagedFieldsEntry {
    ManagedFieldsEntry {
        manager: manager.to_owned(),
        operation: operation.to_owned(),
        api_version: "v1".to_owned(),
        time: Some(now()),
        fields_type: "FieldsV1".to_owned(),
        fields_v1: Some(FieldsV1(RawJson(fields.into_bytes()))),
        subresource: String::new(),
    }
}

#[test]
fn elements_in_no_order_were_put_in_order_one_by_one() {
    at_pods(|pods| {
        grows_slowly("apply: update", 2000, |n| {
            let (live, new) = (pod(n, "old"), pod(n, "new"));
            let owned = pods.update(pods.empty, &live, &[], RequestedFields::Absent, "a", now());
            timed(|| {
                assert_eq!(pods.update(&live, &new, &owned, RequestedFields::Absent, "b", now()).len(), 2)
            })
        });
        grows_slowly("apply", 300, |n| {
            let (live, new) = (pod(n, "old"), pod(2 * n, "new"));
            let owned = pods.apply(pods.empty, &live, &[], "a", true, now()).expect("new").managed_fields;
            timed(|| assert!(pods.apply(&live, &new, &owned, "a", false, now()).expect("one's own").changed))
        });
        grows_slowly("apply: conflicts", 1000, |n| {
            let (live, new) = (pod(n, "old"), pod(n, "new"));
            let owned = pods.update(pods.empty, &live, &[], RequestedFields::Absent, "a", now());
            timed(|| pods.apply(&live, &new, &owned, "b", false, now()).expect_err("others own it").status())
        });
        grows_slowly("apply: elements that stand there twice", 800, |n| {
            let mut twice = pod(n, "x");
            let list = twice["spec"]["containers"].as_array_mut().expect("a list");
            list.extend(containers(n, "x"));
            timed(|| pods.apply(pods.empty, &twice, &[], "b", false, now()).expect_err("twice"))
        });
    });
}

#[test]
fn steps_in_no_order_were_put_in_order_one_by_one() {
    let read = |fields: &str| timed(|| FieldSet::from_json(fields.as_bytes()).expect("a set"));
    grows_slowly("fields in no order", 2000, |n| {
        let fields: Vec<String> = shuffled(n).map(|index| format!("\"f:{index}\":{{}}")).collect();
        read(&format!("{{{}}}", fields.join(",")))
    });
    grows_slowly("fields that stand there again and again", 1000, |n| {
        let fields: Vec<String> = shuffled(n).map(|index| format!("\"f:{index}\":{{}}")).collect();
        let again: Vec<String> =
            shuffled(n).map(|index| format!("\"f:a\":{{\"f:x{index}\":{{}}}}")).collect();
        read(&format!("{{\"f:a\":{{{}}},{}}}", fields.join(","), again.join(",")))
    });
    grows_slowly("a step that is a large tree", 500, |n| {
        let large = format!("v:[{}1]", "1,".repeat(20 * n));
        let steps: Vec<String> = shuffled(n).map(|index| format!("\"v:[{index}]\":{{}}")).collect();
        read(&format!("{{\"{large}\":{{}},{}}}", steps.join(",")))
    });
}

#[test]
fn every_manager_was_compared_with_every_other_one() {
    let managers = |n: usize, operation: &str| -> Vec<ManagedFieldsEntry> {
        let fields = |index| format!("{{\"f:metadata\":{{\"f:annotations\":{{\"f:a{index}\":{{}}}}}}}}");
        (0..n).map(|index| entry(&format!("m{index}"), operation, fields(index))).collect()
    };
    let annotated = |n: usize, value: &str| {
        let mut pod = pod(1, "x");
        let all = shuffled(n).map(|index| (format!("a{index}"), value.into()));
        pod["metadata"]["annotations"] = Value::Object(all.collect());
        pod
    };
    at_pods(|pods| {
        for operation in ["Apply", "Update"] {
            grows_slowly(&format!("managers that {operation}"), 800, |n| {
                let (live, new) = (pod(1, "old"), pod(1, "new"));
                let entries = managers(n, operation);
                timed(|| pods.update(&live, &new, &entries, RequestedFields::Absent, "b", now()))
            });
        }
        grows_slowly("managers of whom each loses something", 300, |n| {
            let (live, new, entries) = (annotated(n, "old"), annotated(n, "new"), managers(n, "Apply"));
            timed(|| pods.update(&live, &new, &entries, RequestedFields::Absent, "b", now()))
        });
        grows_slowly("managers who are each in the way", 600, |n| {
            let (live, new, entries) = (annotated(n, "old"), annotated(n, "new"), managers(n, "Apply"));
            timed(|| pods.apply(&live, &new, &entries, "b", false, now()).expect_err("conflicts").status())
        });
        grows_slowly("managers beside whom something goes", 200, |n| {
            let (live, mut entries) = (annotated(n, "old"), managers(n, "Apply"));
            entries.push(entry("b", "Apply", "{\"f:spec\":{\"f:nodeName\":{}}}".to_owned()));
            let config = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}});
            timed(|| pods.apply(&live, &config, &entries, "b", false, now()).expect("nothing in the way"))
        });
    });
}

#[test]
fn what_lies_deep_was_copied_at_every_level() {
    at_anything(|things| {
        let nested = |levels: usize, inner: Value| {
            let tree = (0..levels).fold(inner, |inner, _| json!({"n": inner}));
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "uid": "u"}, "spec": tree})
        };
        grows_slowly("apply: levels", 30, |n| {
            let live = nested(n, json!({"list": names(100 * n)}));
            let owned = things.update(things.empty, &live, &[], RequestedFields::Absent, "a", now());
            let config = nested(n, json!({"other": 1}));
            timed(|| things.apply(&live, &config, &owned, "b", false, now()).expect("nothing in the way"))
        });
    });
}
