//! Properties that hold for any object of any registered kind, tried on random ones.
//!
//! Every case has a seed of its own, which a failure tells; `RHUMB_SEED=… cargo test -p rhumb --test round_trip` runs
//! that case alone, for every kind, and `RHUMB_CASES=…` tries more of them. There is no list of kinds here: what is
//! registered is tried.

mod support;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use rhumb_codec::{Codecs, Format};
use rhumb_meta::{GroupVersionKind, INTERNAL, Object};
use rhumb_schema::{Value, View, ViewMut};
use rhumb_scheme::{ConversionKind, ConvertError, Scheme, ToInternal, Unstructured};
use support::compare::{Field, Filled, Passing, difference, difference_beyond};
use support::fill::Filler;
use support::random::Random;

/// How many objects of each kind are tried.
const CASES: u64 = 24;

fn codecs() -> Codecs {
    Codecs::new(Arc::new(rhumb_api::scheme().expect("the built-in scheme freezes")))
}

/// A random object of a kind.
fn object(scheme: &Scheme, gvk: &GroupVersionKind, seed: u64) -> Box<dyn Object> {
    let mut object = scheme.new_object(gvk).expect("the kind is registered");
    Filler::new(&mut Random::new(seed)).object(&mut *object);
    object
}

/// Tries a property on random objects of every kind that has a wire form. A property gives the first thing that is
/// wrong.
fn for_all(property: impl Fn(&Codecs, &GroupVersionKind, Box<dyn Object>, u64) -> Result<(), String>) {
    let codecs = codecs();
    let given = |name: &str| -> Option<u64> {
        std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
    };
    let only = given("RHUMB_SEED");
    let mut failures = Vec::new();
    for (index, known) in codecs.scheme().all_known_types().iter().enumerate() {
        // A frame of a watch carries no version and kind of its own; Kubernetes' round trips leave it out as well.
        if known.gvk.version == INTERNAL || known.gvk.kind == "WatchEvent" {
            continue;
        }
        for case in 0..given("RHUMB_CASES").unwrap_or(CASES) {
            let seed = only.unwrap_or(index as u64 * 1_000_003 + case);
            if let Err(wrong) = property(&codecs, known.gvk, object(codecs.scheme(), known.gvk, seed), seed) {
                failures.push(format!("{} with RHUMB_SEED={seed}: {wrong}", known.gvk));
                break;
            }
            if only.is_some() {
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{} kinds fail:\n{}", failures.len(), failures.join("\n"));
}

fn encode(codecs: &Codecs, format: Format, object: &dyn Object) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let encoded = codecs.serializer(format, false).encode(object, &mut out);
    encoded.map_err(|error| format!("{format:?} can't be written: {error}"))?;
    Ok(out)
}

fn decode(codecs: &Codecs, format: Format, data: &[u8]) -> Result<Box<dyn Object>, String> {
    let decoded = codecs.serializer(format, false).decode(data, None, codecs.scheme());
    Ok(decoded.map_err(|error| format!("{format:?} can't be read: {error}"))?.object)
}

/// The formats that a kind has. One without any numbered field, such as a Table, has no protobuf form.
fn formats(scheme: &Scheme, gvk: &GroupVersionKind) -> Vec<Format> {
    let has_numbers = scheme.known_type(gvk).is_some_and(|known| known.desc.has_numbers());
    Format::ALL.into_iter().filter(|format| has_numbers || *format != Format::Protobuf).collect()
}

/// What a format can say of an object. JSON and YAML say everything. Protobuf leaves out fields that have no number,
/// which are the kinds of objects within objects; the kind of the object itself is in the envelope.
fn sayable(format: Format, object: &dyn Object) -> Box<dyn Object> {
    let mut object = object.clone_object();
    if format == Format::Protobuf {
        let (api_version, kind) = object.type_meta();
        let (api_version, kind) = (api_version.to_owned(), kind.to_owned());
        drop_unnumbered(&mut *object);
        object.set_type_meta(&api_version, &kind);
    }
    object
}

fn drop_unnumbered(value: &mut dyn Value) {
    if matches!(value.view(), View::Null) {
        return;
    }
    match value.view_mut() {
        ViewMut::Struct(value) => {
            for (position, field) in value.desc().fields.iter().enumerate() {
                if field.number == 0 {
                    value.field_mut(position).reset();
                } else {
                    drop_unnumbered(value.field_mut(position));
                }
            }
        }
        ViewMut::List(list) => {
            for index in 0..list.len() {
                list.get_mut(index).into_iter().for_each(drop_unnumbered);
            }
        }
        ViewMut::Map(map) => map.values_mut().for_each(drop_unnumbered),
        _ => {}
    }
}

fn equal(got: &dyn Object, want: &dyn Object) -> Result<(), String> {
    match difference(got, want) {
        Some(wrong) => Err(wrong),
        None if got.equals(want) => Ok(()),
        None => Err("no field differs, yet they are not equal".to_owned()),
    }
}

#[test]
fn what_is_written_is_read_back_in_every_format() {
    for_all(|codecs, gvk, object, _| {
        formats(codecs.scheme(), gvk).into_iter().try_for_each(|format| {
            let read = decode(codecs, format, &encode(codecs, format, &*object)?)?;
            equal(&*read, &*sayable(format, &*object)).map_err(|wrong| format!("{format:?}: {wrong}"))
        })
    });
}

#[test]
fn every_pair_of_formats_agrees() {
    for_all(|codecs, gvk, object, _| {
        let formats = formats(codecs.scheme(), gvk);
        for from in formats.iter().copied() {
            let read = decode(codecs, from, &encode(codecs, from, &*object)?)?;
            let sayable = sayable(from, &*object);
            for to in formats.iter().copied() {
                let (got, want) = (encode(codecs, to, &*read)?, encode(codecs, to, &*sayable)?);
                if got != want {
                    let at = got.iter().zip(&want).take_while(|(a, b)| a == b).count();
                    return Err(format!("{from:?} to {to:?} differs from {to:?} at byte {at}"));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn objects_survive_without_their_type() {
    for_all(|codecs, _, object, _| {
        let tree = Unstructured::from_object(&*object);
        let typed = codecs.scheme().typed(&tree).map_err(|error| error.to_string())?;
        // Raw JSON may come back with other escapes that mean the same, so the texts are compared: they are lossless,
        // and print raw JSON with one kind of escapes only.
        let text = encode(codecs, Format::Json, &*object)?;
        if encode(codecs, Format::Json, &*typed)? != text {
            return Err(difference(&*typed, &*object).unwrap_or_default());
        }
        let read: serde_json::Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        if read == *tree.tree() {
            Ok(())
        } else {
            Err("the tree says something else than the text".to_owned())
        }
    });
}

/// What a trip to the hub and back changes: the hub says these in one way only.
const CHANGED_BY_THE_HUB: &[Field] = &[
    // The new name of the field wins over the old one.
    ("PodSpec", "serviceAccount"),
    // Becomes the one address if that is not the first of all.
    ("PodStatus", "podIPs"),
    // A negative period becomes one second.
    ("PodSpec", "terminationGracePeriodSeconds"),
    // One without a service and without versions of the review is none.
    ("CustomResourceConversion", "webhook"),
    // The selector as text wins over the labels.
    ("ScaleStatus", "selector"),
    ("NodeSpec", "podCIDRs"),
    // Plain text becomes data.
    ("Secret", "data"),
    ("Secret", "stringData"),
    // The hub knows the group of a subject only; the version that v1alpha1 had is told from the kind.
    ("Subject", "apiVersion"),
    // A port with an empty name is the number 0 in the hub.
    ("IngressBackend", "servicePort"),
];

/// Versions that no release of Kubernetes converts to another: they have a hub by name only, and refuse to go there.
const UNCONVERTED: &[(&str, &[&str])] = &[
    (
        "resource.k8s.io/v1alpha2",
        &[
            "ResourceClaim",
            "ResourceClaimList",
            "ResourceClaimTemplate",
            "ResourceClaimTemplateList",
            "ResourceSlice",
            "ResourceSliceList",
        ],
    ),
    (
        "resource.k8s.io/v1alpha1",
        &["ResourceClaim", "ResourceClaimList", "ResourceClaimTemplate", "ResourceClaimTemplateList"],
    ),
    ("storagemigration.k8s.io/v1alpha1", &["StorageVersionMigration", "StorageVersionMigrationList"]),
];

/// What a trip to the hub and back fills in, because the hub knows no absent values there or says them twice.
const FILLED_BY_THE_HUB: &[Field] = &[
    ("DeploymentSpec", "replicas"),
    ("RollingUpdateDeployment", "maxUnavailable"),
    ("RollingUpdateDeployment", "maxSurge"),
    ("RollingUpdateDaemonSet", "maxUnavailable"),
    ("RollingUpdateDaemonSet", "maxSurge"),
    // The number that counted changes of the template.
    ("DaemonSet", "metadata"),
    ("ReplicaSetSpec", "replicas"),
    ("StatefulSetSpec", "replicas"),
    ("RollingUpdateStatefulSetStrategy", "partition"),
    ("PodSpec", "serviceAccountName"),
    ("PodSpec", "securityContext"),
    ("PodStatus", "podIP"),
    ("NodeSpec", "podCIDR"),
    ("ServiceAccountTokenProjection", "expirationSeconds"),
    ("LimitedPriorityLevelConfiguration", "nominalConcurrencyShares"),
    // Of webhooks, API services and audit sinks.
    ("ServiceReference", "port"),
    ("TokenRequestSpec", "expirationSeconds"),
];

/// From a version to the hub and back.
fn trip(
    scheme: &Scheme,
    gvk: &GroupVersionKind,
    object: &dyn Object,
) -> Result<Box<dyn Object>, ConvertError> {
    let hub = scheme.convert_to_version(object, &ToInternal)?;
    scheme.move_to_version(hub, &gvk.group_version())
}

#[test]
fn the_way_to_the_hub_and_back_loses_nothing() {
    let (refused, made) = (RefCell::new(BTreeSet::new()), RefCell::new(BTreeSet::new()));
    for_all(|codecs, gvk, object, _| {
        let scheme = codecs.scheme();
        if scheme.conversion_kind(gvk) == ConversionKind::None {
            return Ok(());
        }
        let once = match trip(scheme, gvk, &*object) {
            Ok(once) => once,
            // Some texts must have a form, such as the selector in a Scale, and few random ones have it.
            Err(ConvertError::Value(_)) => {
                refused.borrow_mut().insert(gvk.clone());
                return Ok(());
            }
            Err(other) => return Err(other.to_string()),
        };
        made.borrow_mut().insert(gvk.clone());
        // A version that shares the hub's type changes no more than the tables say. Conversion functions may fill in
        // more, yet lose nothing either.
        let filled = match scheme.conversion_kind(gvk) {
            ConversionKind::SameType => Filled::Only(FILLED_BY_THE_HUB),
            _ => Filled::All,
        };
        let passing = Passing { changed: CHANGED_BY_THE_HUB, filled };
        if let Some(wrong) = difference_beyond(&*once, &*object, passing) {
            return Err(wrong);
        }
        let twice = trip(scheme, gvk, &*once).map_err(|error| format!("the second trip: {error}"))?;
        equal(&*twice, &*once).map_err(|wrong| format!("the second trip changes more: {wrong}"))
    });
    let is_unconverted = |gvk: &&GroupVersionKind| {
        let version = gvk.group_version().to_string();
        UNCONVERTED.iter().any(|(of, kinds)| *of == version && kinds.contains(&&*gvk.kind))
    };
    assert!(!made.borrow().iter().any(|gvk| is_unconverted(&gvk)), "one of them has a conversion");
    let never: Vec<_> = refused
        .borrow()
        .difference(&made.borrow())
        .filter(|gvk| !is_unconverted(gvk))
        .map(ToString::to_string)
        .collect();
    // A single seed may well be refused; all of a kind's are not.
    assert!(
        never.is_empty() || std::env::var_os("RHUMB_SEED").is_some(),
        "never converted: {}",
        never.join(", ")
    );
}

#[test]
fn copies_are_equal_and_independent() {
    for_all(|codecs, _, object, seed| {
        let before = encode(codecs, Format::Json, &*object)?;
        let mut copy = object.clone_object();
        equal(&*copy, &*object)?;
        Filler::new(&mut Random::new(seed + 1)).object(&mut *copy);
        copy.set_type_meta("other/v1", "Other");
        if encode(codecs, Format::Json, &*object)? == before {
            Ok(())
        } else {
            Err("a change of the copy shows in the object".to_owned())
        }
    });
}

#[test]
fn defaults_are_filled_in_once() {
    for_all(|codecs, _, mut object, _| {
        codecs.scheme().default(&mut *object);
        let once = object.clone_object();
        codecs.scheme().default(&mut *object);
        equal(&*object, &*once)
    });
}
