//! Golden files: one object per version in all formats, and what the other versions make of it.
//!
//! A file that changes is a change of the API that clients see. To write the files anew, and then look at what git
//! says of them: `RHUMB_BLESS=1 cargo test -p stable-example-com --test golden`.

use std::path::PathBuf;
use std::sync::Arc;

use rhumb_codec::{Codecs, Format};
use rhumb_meta::{GroupVersion, Object};
use rhumb_scheme::Scheme;
use stable_example_com::{RESOURCES as GROUP, install};

const FORMATS: [(Format, &str); 3] =
    [(Format::Json, "json"), (Format::Yaml, "yaml"), (Format::Protobuf, "pb")];

fn codecs() -> Codecs {
    let builder = Scheme::builder().install(install).expect("the group registers");
    Codecs::new(Arc::new(builder.freeze().expect("the group is complete")))
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

/// Compares with a file, or writes it if that is asked for.
fn check(name: &str, bytes: &[u8]) {
    if std::env::var_os("RHUMB_BLESS").is_some() {
        std::fs::write(file(name), bytes).expect("golden files can be written");
        return;
    }
    let expected = std::fs::read(file(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    if bytes != expected {
        let (got, want) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(&expected));
        panic!("{name} has changed\n--- golden\n{want}\n--- now\n{got}");
    }
}

fn encode(codecs: &Codecs, object: &dyn Object, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    codecs.serializer(format, true).encode(object, &mut out).expect("it can be written");
    out
}

fn read(codecs: &Codecs, version: &str, format: Format, extension: &str) -> Box<dyn Object> {
    let name = format!("{}.{version}.CronTab.{extension}", GROUP.name);
    let bytes = std::fs::read(file(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let decoded = codecs.serializer(format, false).decode(&bytes, None, codecs.scheme());
    decoded.unwrap_or_else(|error| panic!("{name}: {error}")).object
}

#[test]
fn golden_files_say_what_the_types_do() {
    let codecs = codecs();
    every_format_comes_out_of_every_other(&codecs);
    every_version_says_the_same_and_comes_back(&codecs);
}

fn every_format_comes_out_of_every_other(codecs: &Codecs) {
    for version in GROUP.versions {
        let source = read(codecs, version, Format::Json, "json");
        for (format, extension) in FORMATS {
            let name = format!("{}.{version}.CronTab.{extension}", GROUP.name);
            check(&name, &encode(codecs, &*source, format));
            let back = read(codecs, version, format, extension);
            assert!(*back == *source, "{name} reads as something else");
        }
    }
}

fn every_version_says_the_same_and_comes_back(codecs: &Codecs) {
    for from in GROUP.versions {
        let source = read(codecs, from, Format::Json, "json");
        for to in GROUP.versions {
            let place = GroupVersion::new_static(GROUP.name, to);
            let there = codecs.scheme().convert_to_version(&*source, &place).expect("it converts");
            let golden = read(codecs, to, Format::Json, "json");
            assert!(*there == *golden, "{from} is in {to}: {there:?}");
            let home = GroupVersion::new_static(GROUP.name, from);
            let back = codecs.scheme().convert_to_version(&*there, &home).expect("it converts back");
            assert!(*back == *source, "{from} came back from {to} as {back:?}");
        }
    }
}
