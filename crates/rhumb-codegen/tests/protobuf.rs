//! Protobuf definitions from types.

#[path = "../../../testdata/kubernetes/read.rs"]
mod kubernetes;
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use support::{check_golden, harbor, here, made, made_in, temporary};

#[test]
fn definitions_have_the_numbers_of_fields() -> Result<(), String> {
    let files = made(&harbor()?, &["protobuf"], &[])?;
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(names, ["api.lock", "harbor/v1/generated.proto", "harbor/v1alpha1/generated.proto"]);
    check_golden("harbor.v1.proto", &files["harbor/v1/generated.proto"])?;
    check_golden("harbor.api.lock", &files["api.lock"])
}

fn types(fields: &str) -> String {
    format!(
        "//! A version.\n// +k8s:protobuf-gen=package\n// +protobuf.package=com.example.v1\n\n\
         /// A type.\npub struct Thing {{\n{fields}\n}}\n"
    )
}

#[test]
fn numbers_are_kept_from_run_to_run() -> Result<(), String> {
    let dir = temporary("numbers", &[("src/lib.rs", "//! A crate.\npub mod v1;\n"), ("src/v1.rs", "")])?;
    let run = |fields: &str| -> Result<String, String> {
        fs::write(dir.join("src/v1.rs"), types(fields)).map_err(|error| error.to_string())?;
        let files = made_in(&support::load(&dir)?, &["protobuf"], &[], &dir)?;
        fs::write(dir.join("api.lock"), &files["api.lock"]).map_err(|error| error.to_string())?;
        let text = &files["com/example/v1/generated.proto"];
        let lines = text.lines().map(str::trim).filter(|line| line.ends_with(';'));
        Ok(lines.skip(2).map(|line| line.trim_end_matches(';')).collect::<Vec<_>>().join(", "))
    };
    assert_eq!(
        run("pub a: String,\npub b: i32,\npub c: Vec<String>,")?,
        "optional string a = 1, optional int32 b = 2, repeated string c = 3"
    );
    assert_eq!(
        run("pub c: Vec<String>,\npub a: String,")?,
        "reserved 2, repeated string c = 3, optional string a = 1"
    );
    assert_eq!(
        run("pub a: String,\npub d: bool,")?,
        "reserved 2, 3, optional string a = 1, optional bool d = 4"
    );
    assert_eq!(
        run("// +protobuf.renamed=a\npub first: String,\npub d: bool,\npub b: i32,")?,
        "reserved 2, 3, optional string first = 1, optional bool d = 4, optional int32 b = 5"
    );
    let refused = run("pub first: String,\npub d: Vec<Vec<String>>,").err().unwrap_or_default();
    assert!(refused.contains("v1.rs:8: a list or map in a list or map has no form in protobuf"), "{refused}");
    Ok(())
}

/// The fields of messages in a definition, by number: the label, the type and the name of each.
type Messages = BTreeMap<String, BTreeMap<u32, (String, String)>>;

/// Reads as much of a definition as ours have.
fn read(text: &str) -> Messages {
    let mut messages = Messages::new();
    let mut package = "";
    let mut message = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        if let Some(name) = line.strip_prefix("package ") {
            package = name.trim_end_matches(';');
        } else if let Some(name) = line.strip_prefix("message ") {
            message = format!(".{package}.{}", name.trim_end_matches([' ', '{']));
            messages.entry(message.clone()).or_default();
        } else if let Some((field, number)) = line.trim_end_matches(';').rsplit_once(" = ")
            && let (Ok(number), Some((form, name))) = (number.parse(), field.rsplit_once(' '))
        {
            let own = |form: &str| match form.rsplit_once([' ', '<']) {
                Some((before, ty)) if ty.starts_with(|first: char| first.is_ascii_uppercase()) => {
                    let between = form.get(before.len()..=before.len()).unwrap_or_default();
                    format!("{before}{between}.{package}.{ty}")
                }
                _ => form.to_owned(),
            };
            let fields = messages.entry(message.clone()).or_default();
            fields.insert(number, (own(form), name.to_owned()));
        }
    }
    messages
}

/// The definitions of all built-in types.
fn built_in() -> Result<&'static Messages, String> {
    static MADE: OnceLock<Result<Messages, String>> = OnceLock::new();
    MADE.get_or_init(|| {
        let universe = support::load(&here().join("../rhumb-api"))?;
        let files = made(&universe, &["protobuf"], &[])?;
        let is_definition = |path: &str| Path::new(path).extension().is_some_and(|end| end == "proto");
        let mut messages = Messages::new();
        for (_, text) in files.iter().filter(|(path, _)| is_definition(path)) {
            messages.extend(read(text));
        }
        Ok(messages)
    })
    .as_ref()
    .map_err(Clone::clone)
}

#[test]
fn built_in_definitions_are_those_of_kubernetes() -> Result<(), String> {
    let ours = built_in()?;
    for (version, count) in [("autoscaling.v2", 24), ("apps.v1beta2", 33)] {
        let file = here().join(format!("tests/data/kubernetes.{version}.proto"));
        let expected = read(&fs::read_to_string(file).map_err(|error| error.to_string())?);
        assert_eq!(expected.len(), count, "{version}");
        for (message, fields) in &expected {
            assert_eq!(ours.get(message), Some(fields), "{message}");
        }
    }
    Ok(())
}

#[test]
fn numbers_are_those_of_kubernetes() -> Result<(), String> {
    let ours = built_in()?;
    let facts = kubernetes::document("facts");
    let mut compared = 0;
    for facts in facts.as_object().into_iter().flatten().map(|(_, facts)| facts) {
        let package = facts["package"].as_str().unwrap_or_default();
        for (name, known) in facts["fields"].as_object().into_iter().flatten() {
            let message = format!(".k8s.io.api.{package}.{name}");
            let Some(fields) = ours.get(&message) else { continue };
            for (number, json) in known.as_object().into_iter().flatten() {
                let json = json.as_str().unwrap_or_default();
                let found = number.parse().ok().and_then(|number: u32| fields.get(&number));
                let same = found.is_some_and(|(_, own)| json.is_empty() || own == json);
                assert!(same, "{message}: {number} is {json}, and here {found:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 3500, "{compared}");
    Ok(())
}

/// One field of a message: its number, and what it holds.
fn next<'a>(bytes: &mut &'a [u8]) -> Option<(u32, u8, &'a [u8])> {
    let mut varint = || {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (first, rest) = bytes.split_first()?;
            *bytes = rest;
            value |= u64::from(first & 0x7f) << shift;
            if *first < 0x80 {
                return Some(value);
            }
        }
        None
    };
    let key = varint()?;
    let wire = u8::try_from(key & 7).ok()?;
    let length = match wire {
        0 => varint().map(|_| 0)?,
        1 => 8,
        2 => usize::try_from(varint()?).ok()?,
        5 => 4,
        _ => return None,
    };
    let (held, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some((u32::try_from(key >> 3).ok()?, wire, held))
}

/// Reads a message by its definition, and counts its fields.
fn decode(messages: &Messages, message: &str, mut bytes: &[u8]) -> Result<usize, String> {
    let mut count = 0;
    // The leaves' own packages are no part of this.
    let Some(fields) = messages.get(message) else { return Ok(0) };
    while !bytes.is_empty() {
        let (number, wire, held) =
            next(&mut bytes).ok_or_else(|| format!("{message}: the bytes end early"))?;
        let (form, name) = fields.get(&number).ok_or_else(|| format!("{message} has no field {number}"))?;
        let wrong = || format!("{message}.{name} is {form}, and the bytes have the wire type {wire}");
        count += 1;
        if let Some((_, value)) =
            form.strip_prefix("map<").and_then(|rest| rest.trim_end_matches('>').split_once(", "))
        {
            let mut entry = held;
            while let Some((2, _, value_held)) = next(&mut entry).or(None).filter(|_| wire == 2) {
                count += decode(messages, value, value_held)?;
            }
            continue;
        }
        let ty = form.rsplit(' ').next().unwrap_or_default();
        let expected = match ty {
            "bool" | "int32" | "int64" | "uint32" | "uint64" => 0,
            "double" => 1,
            _ => 2,
        };
        if wire != expected {
            return Err(wrong());
        }
        count += decode(messages, ty, held)?;
    }
    Ok(count)
}

#[test]
fn golden_bytes_are_read_by_the_definitions() -> Result<(), String> {
    let messages = built_in()?;
    let folder = here().join("../rhumb/tests/golden");
    let mut fields = 0;
    for kind in ["Deployment", "DaemonSet", "DeploymentList"] {
        let bytes = fs::read(folder.join(format!("apps.v1.{kind}.pb"))).map_err(|error| error.to_string())?;
        let mut envelope = bytes.strip_prefix(b"k8s\0").ok_or("no envelope")?;
        while let Some((number, _, held)) = next(&mut envelope) {
            if number == 2 {
                fields += decode(messages, &format!(".k8s.io.api.apps.v1.{kind}"), held)?;
            }
        }
    }
    assert!(fields > 500, "{fields}");
    Ok(())
}
