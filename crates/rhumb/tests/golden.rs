//! Golden objects: whichever format one is read from, every format comes out byte for byte.

#[path = "../../../testdata/kubernetes/read.rs"]
mod kubernetes;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rhumb_codec::{Codecs, Format};
use rhumb_meta::GroupVersionKind;

fn codecs() -> Codecs {
    Codecs::new(Arc::new(rhumb_api::scheme().expect("the built-in scheme freezes")))
}

/// `apps.v1.Deployment` or `flowcontrol.apiserver.k8s.io.v1.FlowSchema` as a kind.
fn kind_of(stem: &str) -> Option<GroupVersionKind> {
    let (rest, kind) = stem.rsplit_once('.')?;
    let (group, version) = rest.rsplit_once('.')?;
    let group = if group == "core" { "" } else { group };
    Some(GroupVersionKind::new(group.to_owned(), version.to_owned(), kind.to_owned()))
}

/// Golden files by their names.
type Files = BTreeMap<String, Vec<u8>>;

/// All nine pairs of formats of the files `STEM.{json,yaml,pb}`. Gives how many kinds were checked.
fn check_files(codecs: &Codecs, files: &Files) -> usize {
    let mut checked = 0;
    let mut failures = Vec::new();
    for stem in files.keys().filter_map(|name| name.strip_suffix(".json")) {
        let Some(gvk) = kind_of(stem) else { panic!("{stem} names no kind") };
        // A frame of a watch doesn't say that it is one.
        let told = (stem == "core.v1.WatchEvent").then_some(&gvk);
        if !codecs.scheme().recognizes(&gvk) {
            failures.push(format!("{stem} is not registered"));
            continue;
        }
        checked += 1;
        let read = |extension: &str| {
            let name = format!("{stem}.{extension}");
            files.get(&name).unwrap_or_else(|| panic!("{name} is missing"))
        };
        let golden =
            [(Format::Json, read("json")), (Format::Yaml, read("yaml")), (Format::Protobuf, read("pb"))];
        for (from, bytes) in &golden {
            let decoded = match codecs.serializer(*from, false).decode(bytes, told, codecs.scheme()) {
                Ok(decoded) => decoded,
                Err(error) => {
                    failures.push(format!("{stem} from {from:?}: {error}"));
                    continue;
                }
            };
            for (to, expected) in &golden {
                // Raw JSON inside an object keeps the layout it was read with, and protobuf shows that.
                let decoded = if (*from, *to) == (Format::Json, Format::Protobuf) {
                    let mut compact = Vec::new();
                    rhumb_schema::text::compact(bytes, &mut compact).expect("golden files are JSON");
                    &codecs.serializer(*from, false).decode(&compact, told, codecs.scheme()).expect("decodes")
                } else {
                    &decoded
                };
                let mut out = Vec::new();
                codecs.serializer(*to, true).encode(&*decoded.object, &mut out).expect("encodes");
                if *to == Format::Json && !expected.ends_with(b"\n") {
                    out.pop();
                }
                if out != **expected {
                    failures.push(format!("{stem} from {from:?} to {to:?}: {}", difference(&out, expected)));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    checked
}

fn difference(got: &[u8], want: &[u8]) -> String {
    let at = got.iter().zip(want).position(|(a, b)| a != b).unwrap_or(got.len().min(want.len()));
    let show = |bytes: &[u8]| {
        let from = at.saturating_sub(60);
        String::from_utf8_lossy(&bytes[from.min(bytes.len())..(at + 60).min(bytes.len())]).into_owned()
    };
    format!("byte {at}\n  got  …{}…\n  want …{}…", show(got), show(want))
}

/// Kubernetes' own test data of a release.
fn published(release: &str) -> Files {
    let golden = kubernetes::document("golden");
    let files = golden[release].as_object().unwrap_or_else(|| panic!("no golden files of {release}"));
    let bytes = |name: &str, text: &str| match name.ends_with(".pb") {
        true => rhumb_schema::text::decode_base64(text).expect("base64"),
        false => text.as_bytes().to_vec(),
    };
    let text = |file: &serde_json::Value| file.as_str().expect("a file is a text").to_owned();
    files.iter().map(|(name, file)| (name.clone(), bytes(name, &text(file)))).collect()
}

#[test]
fn published_golden_objects_pass_through_every_pair_of_formats() {
    let codecs = codecs();
    for (release, kinds) in [("v1.36", 141), ("v1.20", 6)] {
        assert_eq!(check_files(&codecs, &published(release)), kinds, "{release}");
    }
}

#[test]
fn written_golden_objects_pass_through_every_pair_of_formats() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files = Files::new();
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        files.insert(name, std::fs::read(path).expect("a golden file"));
    }
    assert_eq!(check_files(&codecs(), &files), 45);
}

/// Some objects change on the way: protobuf doesn't tell an empty list from none and keeps no kinds in lists, and
/// raw JSON keeps the layout it was read with. What becomes of each is told by the table, as Kubernetes does it.
#[test]
fn objects_that_change_on_the_way_change_as_in_kubernetes() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/unequal_pairs.json");
    let table: serde_json::Value =
        serde_json::from_slice(&std::fs::read(table).expect("the table can be read"))
            .expect("the table is JSON");
    let codecs = codecs();
    let mut failures = Vec::new();
    for row in table.as_array().expect("the table is a list") {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let bytes = |key: &str, format: Format| match format {
            Format::Protobuf => rhumb_schema::text::decode_base64(&text(key)).expect("base64"),
            _ => text(key).into_bytes(),
        };
        let from = match &*text("from") {
            "json" => Format::Json,
            "yaml" => Format::Yaml,
            _ => Format::Protobuf,
        };
        let name = format!("{} from {from:?}", text("name"));
        let decoded =
            match codecs.serializer(from, false).decode(&bytes("input", from), None, codecs.scheme()) {
                Ok(decoded) => decoded,
                Err(error) => {
                    failures.push(format!("{name}: {error}"));
                    continue;
                }
            };
        for (to, key) in [(Format::Json, "json"), (Format::Yaml, "yaml"), (Format::Protobuf, "protobuf")] {
            let expected = bytes(key, to);
            let mut out = Vec::new();
            codecs.serializer(to, true).encode(&*decoded.object, &mut out).expect("encodes");
            if to == Format::Json {
                out.pop();
            }
            if out != expected {
                failures.push(format!("{name} to {to:?}: {}", difference(&out, &expected)));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
