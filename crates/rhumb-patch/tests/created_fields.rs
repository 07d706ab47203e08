//! What the creator of an object owns is the same whichever way it is found: by comparing trees, or straight from the
//! object. Tried on random objects of every kind; a failure tells its seed.

#[path = "../../rhumb/tests/support/fill.rs"]
mod fill;
#[path = "../../rhumb/tests/support/random.rs"]
mod random;

use std::collections::BTreeMap;

use fill::Filler;
use random::Random;
use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_meta::{GroupVersionKind, INTERNAL, Object, Time};
use rhumb_patch::apply::{CreatedFields, Endpoint, FieldSet, Filter, OneVersion, RequestedFields, Type};
use rhumb_schema::{Shape, StructDesc, View, ViewMut, from_tree, to_tree, to_tree_without};
use rhumb_scheme::Scheme;
use rhumb_strategy::Strategies;
use serde_json::{Value, json};

/// How many objects of each kind are tried.
const CASES: u64 = 24;

/// A kind, and what its strategy resets.
struct Kind {
    gvk: GroupVersionKind,
    desc: &'static StructDesc,
    empty: Value,
    filters: BTreeMap<String, Filter>,
}

impl Kind {
    fn new(scheme: &Scheme, gvk: &GroupVersionKind, reset: &[&[&str]]) -> Self {
        let known = scheme.known_type(gvk).expect("the kind is registered");
        let empty = to_tree(scheme.new_object(gvk).expect("the kind is registered").as_ref());
        let filter = (gvk.api_version(), Filter::Exclude(FieldSet::of_fields(reset)));
        let filters = (!reset.is_empty()).then_some(filter).into_iter().collect();
        Kind { gvk: gvk.clone(), desc: known.desc, empty, filters }
    }

    fn fields(&self) -> Option<CreatedFields> {
        CreatedFields::new(self.desc, &self.empty, self.filters.get(&self.gvk.api_version()))
    }

    fn with_endpoint<T>(&self, act: impl FnOnce(&Endpoint<'_>) -> T) -> T {
        act(&Endpoint {
            schema: Type::of(self.desc),
            api_version: &self.gvk.api_version(),
            kind: &self.gvk.kind,
            subresource: "",
            empty: &self.empty,
            filters: &self.filters,
            versions: &OneVersion,
        })
    }

    fn long_way(&self, object: &dyn Object) -> Vec<ManagedFieldsEntry> {
        let tree = to_tree(object);
        self.with_endpoint(|endpoint| {
            endpoint.update(&self.empty, &tree, &[], RequestedFields::Absent, "someone", now())
        })
    }

    fn direct(&self, fields: &CreatedFields, object: &dyn Object) -> Option<Vec<ManagedFieldsEntry>> {
        self.with_endpoint(|endpoint| endpoint.create(fields, object, "someone", now()))
    }
}

fn now() -> Time {
    Time::from_unix(1_700_000_000, 0)
}

fn scheme() -> Scheme {
    rhumb_api::scheme().expect("the built-in scheme freezes")
}

fn object(scheme: &Scheme, gvk: &GroupVersionKind, seed: u64) -> Box<dyn Object> {
    let mut object = scheme.new_object(gvk).expect("the kind is registered");
    Filler::new(&mut Random::new(seed)).object(&mut *object);
    object.edit_metadata(&mut |meta| meta.managed_fields.clear());
    object
}

/// Tries objects of every kind, each with several things that a strategy might reset. Gives how many of them went the
/// direct way.
fn try_all(change: impl Fn(&mut Random, &mut dyn Object)) -> usize {
    let scheme = scheme();
    let strategies = Strategies::built_in().expect("the built-in strategies are registered");
    let mut direct = 0;
    for (index, known) in scheme.all_known_types().iter().enumerate() {
        if known.gvk.version == INTERNAL {
            continue;
        }
        let mut random = Random::new(index as u64);
        let reset = |part| {
            strategies.reset_fields(&known.gvk.group_kind(), &known.gvk.group_version(), part).to_vec()
        };
        let any = [path(known.desc, &mut random), path(known.desc, &mut random)];
        let any = any.iter().map(Vec::as_slice).collect();
        for (reset, is_real) in [(reset(None), true), (reset(Some("status")), true), (any, false)] {
            let kind = Kind::new(&scheme, known.gvk, &reset);
            let Some(fields) = kind.fields() else {
                assert!(
                    known.desc.retired || is_retired_list(known.desc) || !is_real,
                    "{} is not planned",
                    known.gvk
                );
                continue;
            };
            for case in 0..CASES {
                let seed = index as u64 * 1_000_003 + case;
                let mut object = object(&scheme, known.gvk, seed);
                change(&mut Random::new(seed), &mut *object);
                let want = kind.long_way(&*object);
                let got = kind.direct(&fields, &*object);
                direct += usize::from(got.is_some());
                // The direct way ends where nobody can tell.
                let got = got.unwrap_or_default();
                assert_eq!(got, want, "{} with seed {seed}, reset {reset:?}", known.gvk);
            }
        }
    }
    direct
}

/// Whether a list is one of retired objects, which nobody creates.
fn is_retired_list(desc: &StructDesc) -> bool {
    desc.find("items").and_then(|items| items.shape.element_struct()).is_some_and(|item| item.retired)
}

/// The path of some field, through structs.
fn path(desc: &'static StructDesc, random: &mut Random) -> Vec<&'static str> {
    let mut path = Vec::new();
    let mut desc = Some(desc);
    while let Some(table) = desc.filter(|_| path.is_empty() || random.percent(60)) {
        let named: Vec<_> = table.fields.iter().filter(|field| !field.inline).collect();
        if named.is_empty() {
            break;
        }
        let field = random.pick(&named);
        path.push(field.json);
        desc = match field.shape.inner() {
            Shape::Struct(inner) => Some(inner()),
            _ => None,
        };
    }
    path
}

/// Makes elements of lists look like each other, and empties texts.
fn blur(random: &mut Random, value: &mut dyn rhumb_schema::Value) {
    if matches!(value.view(), View::Null) {
        return;
    }
    match value.view_mut() {
        ViewMut::Str(text) if random.percent(10) => text.clear(),
        ViewMut::Int32(number) if random.percent(10) => *number = 0,
        ViewMut::Struct(fields) => {
            for position in 0..fields.desc().fields.len() {
                blur(random, fields.field_mut(position));
            }
        }
        ViewMut::List(list) => {
            for index in 0..list.len() {
                list.get_mut(index).into_iter().for_each(|element| blur(random, element));
            }
            while !list.is_empty() && random.percent(40) {
                let copied = list.get(random.below(list.len())).map(to_tree).expect("an element");
                from_tree(&copied, list.push()).expect("it is of the same type");
            }
        }
        ViewMut::Map(map) => map.values_mut().for_each(|value| blur(random, value)),
        _ => {}
    }
}

#[test]
fn a_tree_without_managed_fields_is_one_from_which_they_were_taken() {
    let scheme = scheme();
    for (index, known) in scheme.all_known_types().iter().enumerate() {
        let mut object = scheme.new_object(known.gvk).expect("the kind is registered");
        Filler::new(&mut Random::new(index as u64)).object(&mut *object);
        object.edit_metadata(&mut |meta| meta.managed_fields.push(ManagedFieldsEntry::default()));
        let without = to_tree_without(&*object, &["metadata", "managedFields"]);
        object.edit_metadata(&mut |meta| meta.managed_fields.clear());
        assert_eq!(without, to_tree(&*object), "{}", known.gvk);
    }
}

#[test]
fn both_ways_say_the_same_of_random_objects() {
    let direct = try_all(|_, _| {});
    assert!(direct > 40_000, "only {direct} went the direct way");
}

#[test]
fn both_ways_say_the_same_where_elements_look_alike() {
    let direct = try_all(|random, object| blur(random, object));
    assert!(direct > 40_000, "only {direct} went the direct way");
}

/// Checks what the creator of a Pod owns of it beside its metadata.
fn check(metadata: Value, spec: Value, want: &str) {
    let scheme = scheme();
    let gvk = GroupVersionKind::new("", "v1", "Pod");
    let kind = Kind::new(&scheme, &gvk, &[&["status"]]);
    let tree = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec});
    let mut pod = scheme.new_object(&gvk).expect("a known kind");
    from_tree(&tree, &mut *pod).expect("a pod");
    let fields = kind.fields().expect("a plan");
    let got = kind.direct(&fields, &*pod).expect("the direct way");
    assert_eq!(got, kind.long_way(&*pod));
    let text = |entry: &ManagedFieldsEntry| {
        assert_eq!((entry.manager.as_str(), entry.operation.as_str()), ("someone", "Update"));
        assert_eq!((entry.api_version.as_str(), entry.time), ("v1", Some(now())));
        assert_eq!((entry.fields_type.as_str(), entry.subresource.as_str()), ("FieldsV1", ""));
        String::from_utf8(entry.fields_v1.as_ref().expect("fields").0.0.clone()).expect("text")
    };
    assert_eq!(got.iter().map(text).collect::<String>(), want);
}

#[test]
fn what_nobody_owns_is_not_listed() {
    check(json!({"name": "web", "namespace": "default", "uid": "1", "generation": 3}), json!({}), "");
}

#[test]
fn keys_are_sorted_and_have_their_defaults() {
    let ports = json!([
        {"containerPort": 443, "hostIP": "", "protocol": "UDP"},
        {"containerPort": 80},
        {"containerPort": 443, "protocol": "TCP"},
    ]);
    check(
        json!({}),
        json!({"containers": [{"name": "b", "ports": ports}, {"name": "a"}]}),
        concat!(
            r#"{"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:resources":{}},"#,
            r#""k:{\"name\":\"b\"}":{".":{},"f:name":{},"f:ports":{".":{},"#,
            r#""k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}},"#,
            r#""k:{\"containerPort\":443,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}},"#,
            r#""k:{\"containerPort\":443,\"protocol\":\"UDP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}},"#,
            r#""f:resources":{}}}}}"#,
        ),
    );
}

#[test]
fn elements_that_look_alike_are_one_value() {
    check(
        json!({"finalizers": ["b", "a", "b"]}),
        json!({"containers": [{"name": "a", "image": "x"}, {"name": "a"}]}),
        concat!(
            r#"{"f:metadata":{"f:finalizers":{".":{},"v:\"a\"":{},"v:\"b\"":{}}},"#,
            r#""f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{}}}}"#,
        ),
    );
}

#[test]
fn texts_are_escaped_as_the_server_does() {
    check(
        json!({"labels": {"<a>": "", "q\"": "", "t\t\u{1}": ""}, "finalizers": ["<\"\u{2028}"]}),
        json!({}),
        concat!(
            r#"{"f:metadata":{"f:finalizers":{".":{},"v:\"\\u003c\\\"\\u2028\"":{}},"#,
            r#""f:labels":{".":{},"f:<a>":{},"f:q\"":{},"f:t\t\u0001":{}}}}"#,
        ),
    );
}

#[test]
fn what_is_there_and_empty_is_owned() {
    check(
        json!({}),
        json!({"securityContext": {}, "volumes": [{"name": "v", "emptyDir": {}}], "hostNetwork": false}),
        concat!(
            r#"{"f:spec":{"f:securityContext":{},"f:volumes":{".":{},"k:{\"name\":\"v\"}":{".":{},"#,
            r#""f:emptyDir":{},"f:name":{}}}}}"#,
        ),
    );
}
