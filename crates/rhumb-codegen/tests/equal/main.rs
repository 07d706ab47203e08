//! What the derives make and what the files hold is the same: tables, bytes, defaults, conversions, registration.
//!
//! `derived` is a group as people write it. `written` is its twin: without derives, with the files that `rhumb gen`
//! wrote beside it. To bring them up to date after a change of the engine, run from the directory of this crate
//! `rhumb gen deepcopy,schema,object,resource,conversion,defaulter,register tests/equal/written/...`

#![allow(missing_docs, unreachable_pub, reason = "the twins are written as a group of a library is")]

mod derived;
mod written;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use rhumb_codec::{Codecs, Format};
use rhumb_codegen::file_type::FileTypes;
use rhumb_codegen::generator::Options;
use rhumb_codegen::source::{Request, load};
use rhumb_codegen::{generators, run, write};
use rhumb_meta::GroupVersion;
use rhumb_schema::{Described, Shape, StructDesc};
use rhumb_scheme::{Install, Scheme, SchemeBuilder, ToInternal};

type Outcome = Result<(), Box<dyn Error>>;

fn desc<T: Described>() -> &'static StructDesc {
    match T::SHAPE {
        Shape::Struct(desc) => desc(),
        _ => panic!("not a struct"),
    }
}

/// Compares the tables of two types, but for the name of the module that the twins stand in.
fn check<One: Described, Other: Described>() {
    let (one, other) = (desc::<One>(), desc::<Other>());
    assert_eq!(one.module.replace("derived", "written"), other.module);
    assert_eq!(format!("{one:#?}").replace(one.module, ""), format!("{other:#?}").replace(other.module, ""));
}

#[test]
fn tables_are_equal() {
    check::<derived::v1::CronTab, written::v1::CronTab>();
    check::<derived::v1::CronTabList, written::v1::CronTabList>();
    check::<derived::v1::CronTabSpec, written::v1::CronTabSpec>();
    check::<derived::v1::Target, written::v1::Target>();
    check::<derived::v1::Policy, written::v1::Policy>();
    check::<derived::v1::Names, written::v1::Names>();
    check::<derived::v1::Text, written::v1::Text>();
    check::<derived::v1::Condition, written::v1::Condition>();
    check::<derived::v1beta1::CronTab, written::v1beta1::CronTab>();
    check::<derived::v1beta1::CronTabList, written::v1beta1::CronTabList>();
    check::<derived::v1beta1::CronTabSpec, written::v1beta1::CronTabSpec>();
    check::<derived::v1beta1::Target, written::v1beta1::Target>();
}

fn codecs(install: Install) -> Result<Codecs, Box<dyn Error>> {
    Ok(Codecs::new(Arc::new(SchemeBuilder::new("test").install(install)?.freeze()?)))
}

fn kinds(scheme: &Scheme) -> BTreeSet<String> {
    scheme.all_known_types().iter().map(|known| known.gvk.to_string()).collect()
}

#[test]
fn the_same_kinds_are_registered_in_the_same_order_of_versions() -> Outcome {
    let (one, other) = (codecs(derived::install)?, codecs(written::install)?);
    assert_eq!(kinds(one.scheme()), kinds(other.scheme()));
    assert!(kinds(one.scheme()).len() > 10);
    let group = "stable.example.com";
    assert_eq!(one.scheme().prioritized_versions(group), other.scheme().prioritized_versions(group));
    Ok(())
}

const V1: &str = r#"{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a","labels":{"x":"y"}},
    "spec":{"schedule":["* * *","1 2 3"],"podIP":"Forbid","targets":[{"name":"t","weight":3}],"labels":{"k":"v"},
    "policy":{"type":"Allow"},"port":"http","memory":"1Gi","since":"2026-01-02T03:04:05Z","raw":{"a":[1,2]},
    "bytes":"AQI=","share":0.5,"names":["m","n"],"text":["words"],"byName":{"t":{"name":"u","weight":0}}},
    "conditions":[{"type":"Ready","match":"yes"}]}"#;
const V1BETA1: &str = r#"{"apiVersion":"stable.example.com/v1beta1","kind":"CronTabList","metadata":{},"items":[
    {"metadata":{"name":"b"},"spec":{"schedule":"a;b","suspend":true,"targets":[{"name":"t"}],"forgotten":true,
    "labels":{"k":"v"},"text":true,"oldBytes":"AQI="}}]}"#;
const EMPTY: &str = r#"{"apiVersion":"stable.example.com/v1","kind":"CronTab"}"#;

/// Everything that is done with an object, as bytes: read, written in each format, defaulted, converted.
fn traces(codecs: &Codecs, text: &str, target: &str) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let scheme = codecs.scheme();
    let mut traces = Vec::new();
    let mut object = codecs.decode(text.as_bytes(), None)?.object;
    let mut trace = |object: &dyn rhumb_meta::Object| -> Outcome {
        for format in [Format::Json, Format::Yaml, Format::Protobuf] {
            let mut bytes = Vec::new();
            codecs.serializer(format, false).encode(object, &mut bytes)?;
            traces.push(bytes);
        }
        Ok(())
    };
    trace(&*object)?;
    trace(&*object.clone_object())?;
    scheme.default(&mut *object);
    trace(&*object)?;
    let hub = scheme.move_to_version(object, &ToInternal)?;
    let there = scheme.move_to_version(hub, &GroupVersion::parse(target)?)?;
    trace(&*there)?;
    Ok(traces)
}

#[test]
fn bytes_defaults_and_conversions_are_equal() -> Outcome {
    let (one, other) = (codecs(derived::install)?, codecs(written::install)?);
    for (text, target) in [
        (V1, "stable.example.com/v1beta1"),
        (V1, "stable.example.com/v1"),
        (V1BETA1, "stable.example.com/v1"),
        (EMPTY, "stable.example.com/v1beta1"),
    ] {
        let (one, other) = (traces(&one, text, target)?, traces(&other, text, target)?);
        for (one, other) in one.iter().zip(&other) {
            assert_eq!(String::from_utf8_lossy(one), String::from_utf8_lossy(other));
        }
        assert_eq!(one, other);
    }
    // What was compared is more than nothing.
    let last = traces(&one, V1BETA1, "stable.example.com/v1")?;
    let json = last.iter().rev().nth(2).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let json = json.unwrap_or_default();
    assert!(json.contains(r#""schedule":["a","b"]"#) && json.contains(r#""deadlineSeconds":60"#), "{json}");
    Ok(())
}

#[test]
fn a_builder_installs_the_generated_conversions_by_themselves() -> Outcome {
    fn kinds(builder: &mut SchemeBuilder) -> Result<(), rhumb_scheme::RegisterError> {
        for version in ["v1", rhumb_meta::INTERNAL] {
            builder.register::<written::v1::CronTab>(&GroupVersion::new("stable.example.com", version))?;
        }
        let old = GroupVersion::new("stable.example.com", "v1beta1");
        builder.register::<written::v1beta1::CronTab>(&old)?;
        Ok(())
    }
    let convert = |scheme: Scheme| {
        let mut old = written::v1beta1::CronTab::default();
        old.spec.schedule = "a;b".to_owned();
        let made = scheme.move_to_version(Box::new(old), &GroupVersion::parse("stable.example.com/v1")?)?;
        let tab = made.downcast_ref::<written::v1::CronTab>().ok_or("it is a CronTab")?;
        Ok::<_, Box<dyn Error>>(tab.spec.schedule.clone())
    };
    let builder = SchemeBuilder::new("test").install(kinds)?;
    let with = builder.install(written::v1beta1::zz_generated_conversion::register_conversions)?;
    assert_eq!(convert(with.freeze()?)?, ["a", "b"]);
    let without = SchemeBuilder::new("test").install(kinds)?.freeze();
    assert!(without.map_err(Into::into).and_then(convert).is_err());
    Ok(())
}

#[test]
fn resources_are_equal() {
    use rhumb_meta::Resource;
    assert_eq!(derived::v1::CronTab::PLURAL, written::v1::CronTab::PLURAL);
    assert_eq!(derived::v1::CronTab::GROUP, written::v1::CronTab::GROUP);
    assert_eq!(derived::v1::CronTab::VERSION, written::v1::CronTab::VERSION);
    assert_eq!(derived::v1::CronTab::KIND, written::v1::CronTab::KIND);
}

#[test]
fn the_files_are_up_to_date() -> Outcome {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/equal/written");
    let universe = load(&Request { paths: vec![format!("{}/...", here.display())], ..Request::default() })?;
    let names = ["deepcopy", "schema", "object", "resource", "conversion", "defaulter", "register"];
    let made = run::run(&universe, &generators::named(&names)?, &Options::default(), &FileTypes::default())?;
    assert_eq!(made.files.len(), 11);
    assert_eq!(made.notes, []);
    assert_eq!(write::verify(&made.files)?, "", "run the command that stands at the top of this file");
    Ok(())
}
