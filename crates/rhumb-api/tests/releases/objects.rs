//! Every golden object that `k8s.io/api` has published since v0.17, those of its older folders included: whichever
//! format it is read from, every format comes out byte for byte as Kubernetes writes it.
//!
//! For kinds that are still published that is what v0.36 makes of an object of any age; for kinds that are gone, what
//! the last release that had them makes of it, or, if they are older than today's metadata, the object as it was.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rhumb_codec::{Codecs, Format};
use rhumb_meta::GroupVersionKind;

use crate::archive::{Archive, Formats, Golden};

const FORMATS: [Format; 3] = [Format::Json, Format::Yaml, Format::Protobuf];

fn in_format<'a>(formats: &'a Formats<'_>, format: Format) -> &'a [u8] {
    match format {
        Format::Json => &formats.json,
        Format::Yaml => &formats.yaml,
        Format::Protobuf => formats.protobuf,
    }
}

/// `apps.v1.Deployment` or `flowcontrol.apiserver.k8s.io.v1.FlowSchema` as a kind.
fn kind_of(stem: &str) -> GroupVersionKind {
    let (rest, kind) = stem.rsplit_once('.').expect("a kind");
    let (group, version) = rest.rsplit_once('.').expect("a version");
    let group = if group == "core" { "" } else { group };
    GroupVersionKind::new(group.to_owned(), version.to_owned(), kind.to_owned())
}

/// Objects that come out otherwise in one format, each with the reason.
const OTHERWISE: &[(&str, &str, Format)] = &[
    // v1.28 shows an absent `creationTimestamp`, which metadata has no more, and drops what retired kinds keep.
    ("flowcontrol.apiserver.k8s.io.v1alpha1.FlowSchema", "v1.19", Format::Json),
    ("flowcontrol.apiserver.k8s.io.v1alpha1.FlowSchema", "v1.19", Format::Yaml),
    ("flowcontrol.apiserver.k8s.io.v1alpha1.PriorityLevelConfiguration", "v1.19", Format::Json),
    ("flowcontrol.apiserver.k8s.io.v1alpha1.PriorityLevelConfiguration", "v1.19", Format::Yaml),
];

/// Where the first difference is, with what stands around it.
fn difference(got: &[u8], want: &[u8]) -> String {
    let at = got.iter().zip(want).position(|(a, b)| a != b).unwrap_or(got.len().min(want.len()));
    let show = |bytes: &[u8]| {
        let from = at.saturating_sub(60).min(bytes.len());
        String::from_utf8_lossy(&bytes[from..(at + 60).min(bytes.len())]).into_owned()
    };
    format!("byte {at}\n  got  …{}…\n  want …{}…", show(got), show(want))
}

/// What is wrong with an object in the nine pairs of formats.
fn check(codecs: &Codecs, golden: &Golden<'_>) -> Vec<String> {
    let name = format!("{} of {}", golden.stem, golden.release);
    // Two versions have golden objects of Status, which is in every version.
    if let Err(error) = codecs.scheme().new_object(&kind_of(golden.stem)) {
        return vec![format!("{name}: {error}")];
    }
    let wanted = golden.written.as_ref().unwrap_or(&golden.given);
    let mut failures = Vec::new();
    for from in FORMATS {
        let mut bytes = in_format(&golden.given, from).to_vec();
        if from == Format::Json {
            // Raw JSON inside an object keeps the layout it was read with, and protobuf shows that.
            bytes.clear();
            rhumb_schema::text::compact(&golden.given.json, &mut bytes).expect("golden files are JSON");
        }
        let decoded = match codecs.serializer(from, false).decode(&bytes, None, codecs.scheme()) {
            Ok(decoded) => decoded,
            Err(error) => {
                failures.push(format!("{name} from {from:?}: {error}"));
                continue;
            }
        };
        for to in FORMATS {
            let want = in_format(wanted, to);
            let mut out = Vec::new();
            codecs.serializer(to, true).encode(&*decoded.object, &mut out).expect("encodes");
            if to == Format::Json && !want.ends_with(b"\n") {
                out.pop();
            }
            let is_otherwise = OTHERWISE.contains(&(golden.stem, golden.release, to));
            if is_otherwise && out == want {
                failures.push(format!("{name} from {from:?} to {to:?} is as everywhere"));
            } else if !is_otherwise && out != want {
                failures.push(format!("{name} from {from:?} to {to:?}: {}", difference(&out, want)));
            }
        }
    }
    failures
}

#[test]
fn every_object_ever_published_passes_through_every_pair_of_formats() {
    let codecs = Codecs::new(Arc::new(rhumb_api::scheme().expect("the built-in scheme freezes")));
    let archive = Archive::open();
    let objects = archive.objects();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failures = Vec::new();
        while let Some(golden) = objects.get(next.fetch_add(1, Ordering::Relaxed)) {
            failures.extend(check(&codecs, golden));
        }
        failures
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no worker panics")).collect()
    });
    let failed: BTreeSet<&str> =
        failures.iter().filter_map(|failure| failure.split([':', '\n']).next()).collect();
    assert!(
        failures.is_empty(),
        "{} failures:\n{}\nin short:\n{}",
        failures.len(),
        failures.join("\n"),
        failed.into_iter().collect::<Vec<_>>().join("\n")
    );
    assert_eq!(objects.len(), 1304);
}

#[test]
fn kinds_that_are_gone_keep_a_subresource_and_get_no_empty_one() {
    let codecs = Codecs::new(Arc::new(rhumb_api::scheme().expect("the built-in scheme freezes")));
    for (version, kind) in [
        ("autoscaling/v2beta1", "HorizontalPodAutoscaler"),
        ("autoscaling/v2beta2", "HorizontalPodAutoscaler"),
        ("scheduling.k8s.io/v1alpha1", "PriorityClass"),
        ("policy/v1beta1", "PodSecurityPolicy"),
    ] {
        let through_protobuf = |entry: serde_json::Value| {
            let metadata = serde_json::json!({"name": "a", "managedFields": [entry]});
            let object =
                serde_json::json!({"apiVersion": version, "kind": kind, "metadata": metadata}).to_string();
            let json = codecs.serializer(Format::Json, false);
            let read = json.decode(object.as_bytes(), None, codecs.scheme()).expect("an object");
            let protobuf = codecs.serializer(Format::Protobuf, false);
            let mut message = Vec::new();
            protobuf.encode(&*read.object, &mut message).expect("encodes");
            let read = protobuf.decode(&message, None, codecs.scheme()).expect("the same object");
            let mut text = Vec::new();
            json.encode(&*read.object, &mut text).expect("encodes");
            let tree: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
            (message, tree["metadata"]["managedFields"][0].clone())
        };
        let (with, entry) = through_protobuf(serde_json::json!({"manager": "m", "subresource": "scale"}));
        assert_eq!(entry, serde_json::json!({"manager": "m", "subresource": "scale"}), "{version}");
        let (without, entry) = through_protobuf(serde_json::json!({"manager": "m"}));
        assert_eq!(entry, serde_json::json!({"manager": "m"}), "{version}");
        // After the empty type of the fields comes a text of five bytes, or nothing.
        let has = |message: &[u8], bytes: &[u8]| message.windows(bytes.len()).any(|window| window == bytes);
        assert!(has(&with, b"\x32\0\x42\x05scale"), "{version}");
        assert!(has(&without, b"\x32\0") && !has(&without, b"\x32\0\x42"), "{version}");
    }
}
