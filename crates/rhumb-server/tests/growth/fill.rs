//! Objects with as much at a place as is wanted.

use rhumb_schema::{FieldDesc, ListType, Shape, StructDesc};
use serde_json::{Map, Value as Json, json};

use crate::walk::{Kind, Place, Step};

/// How deep a struct is filled in with what it requires.
const DEPTH: usize = 6;

/// What the elements are like beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variety {
    /// No two are the same.
    Distinct,
    /// All are the same.
    Equal,
}

/// The object with something of that length at the place.
pub(crate) fn filled(base: &Json, place: &Place, length: usize, variety: Variety) -> Json {
    let mut object = base.clone();
    let value = long(place, found(base, &place.steps), length, variety);
    put(&mut object, &place.steps, value);
    object
}

/// How many of the steps lead to something that is there.
pub(crate) fn known(base: &Json, steps: &[Step]) -> usize {
    (0..=steps.len()).rev().find(|count| found(base, &steps[..*count]).is_some()).unwrap_or_default()
}

/// What stands at the end of the steps, through first elements and entries.
pub(crate) fn found<'a>(base: &'a Json, steps: &[Step]) -> Option<&'a Json> {
    let next = |at: &'a Json, step: &Step| match step {
        Step::Field(field) => at.get(field.json),
        Step::Element(_) => at.get(0),
        Step::Entry(_) => at.as_object()?.values().next(),
    };
    steps.iter().try_fold(base, next)
}

/// The place within an object as a JSON pointer.
pub(crate) fn pointer(object: &Json, steps: &[Step]) -> String {
    let mut text = String::new();
    let mut at = object;
    for step in steps {
        let name = match step {
            Step::Field(field) => field.json.to_owned(),
            Step::Element(_) => "0".to_owned(),
            Step::Entry(_) => at.as_object().and_then(|map| map.keys().next().cloned()).unwrap_or_default(),
        };
        text.push('/');
        text.push_str(&name.replace('~', "~0").replace('/', "~1"));
        at = match step {
            Step::Element(_) => at.get(0).unwrap_or(&Json::Null),
            _ => at.get(&name).unwrap_or(&Json::Null),
        };
    }
    text
}

/// Puts a value at the end of the steps; what is missing on the way comes into being.
pub(crate) fn put(at: &mut Json, steps: &[Step], value: Json) {
    let Some((step, rest)) = steps.split_first() else {
        *at = value;
        return;
    };
    match step {
        Step::Field(field) => {
            if !at.is_object() {
                *at = json!({});
            }
            let slot = &mut at[field.json];
            if slot.is_null() && !rest.is_empty() {
                *slot = plain(&field.shape, field, 0);
            }
            put(slot, rest, value);
        }
        Step::Element(shape) => {
            let list = match at {
                Json::Array(list) => list,
                other => {
                    *other = json!([]);
                    other.as_array_mut().expect("a list")
                }
            };
            if list.is_empty() {
                list.push(plain(shape, &FieldDesc::PLAIN, 0));
            }
            put(&mut list[0], rest, value);
        }
        Step::Entry(shape) => {
            if !at.is_object() {
                *at = json!({});
            }
            let map = at.as_object_mut().expect("a map");
            if map.is_empty() {
                map.insert("n".to_owned(), plain(shape, &FieldDesc::PLAIN, 0));
            }
            put(map.values_mut().next().expect("an entry"), rest, value);
        }
    }
}

/// Something long for a place; what is there shows what its elements are like.
fn long(place: &Place, there: Option<&Json>, length: usize, variety: Variety) -> Json {
    match place.kind {
        Kind::List(shape) => {
            let first = there.and_then(|there| there.get(0)).filter(|first| !first.is_null());
            let first = first.cloned().unwrap_or_else(|| plain(shape, place.field, 0));
            (0..length).map(|number| element(&first, shape, place.field, number, variety)).collect()
        }
        Kind::Map(shape) => {
            let first = there.and_then(Json::as_object).and_then(|map| map.values().next());
            let first = first.cloned().unwrap_or_else(|| plain(shape, place.field, 0));
            // Names of resources that nobody knows need a domain.
            let domain = if matches!(shape.inner(), Shape::Leaf(_)) { "example.com/" } else { "" };
            (0..length)
                .map(|number| (format!("{domain}n{number}"), first.clone()))
                .collect::<Map<_, _>>()
                .into()
        }
        Kind::Text => match variety {
            Variety::Distinct => "a".repeat(length).into(),
            Variety::Equal => {
                "-a/b.c,D=e: ~1\n\"é%20$(x)".chars().cycle().take(length).collect::<String>().into()
            }
        },
        Kind::Bytes => "AAAA".repeat(length / 4).into(),
        Kind::Leaf(desc) => match (desc.json_type, desc.go_type) {
            ("object" | "", _) => any_json(length, variety),
            (_, "resource.Quantity") => match variety {
                Variety::Distinct => "1".repeat(length).into(),
                Variety::Equal => format!("0.{}1", "0".repeat(length)).into(),
            },
            _ => "1".repeat(length).into(),
        },
        Kind::Json => any_json(length, variety),
    }
}

/// JSON of about so many bytes that nobody knows the fields of.
fn any_json(length: usize, variety: Variety) -> Json {
    match variety {
        Variety::Distinct => {
            (0..length / 12).map(|number| (format!("n{number}"), json!(number))).collect::<Map<_, _>>().into()
        }
        Variety::Equal => json!({"n": vec![json!({"a": [1, null]}); length / 16]}),
    }
}

fn element(first: &Json, shape: &Shape, field: &FieldDesc, number: usize, variety: Variety) -> Json {
    let mut next = first.clone();
    if variety == Variety::Distinct {
        vary(&mut next, shape, field, number, true);
    }
    next
}

/// Makes an element another one than all others.
fn vary(value: &mut Json, shape: &Shape, field: &FieldDesc, number: usize, in_list: bool) {
    match shape.inner() {
        Shape::Str => *value = numbered(value.as_str().unwrap_or_default(), field.json, number).into(),
        Shape::Int32 | Shape::Int64 => *value = json!(number % 65_000 + 1),
        Shape::Leaf(desc) => match desc.go_type {
            "resource.Quantity" => *value = (number + 1).to_string().into(),
            "intstr.IntOrString" => *value = json!(number % 65_000 + 1),
            _ => {}
        },
        Shape::Struct(desc) if in_list && value.is_object() => {
            let desc = desc();
            for key in keys(desc, field) {
                vary(&mut value[key.json], &key.shape, key, number, false);
            }
        }
        _ => {}
    }
}

/// The fields that tell elements of a list apart, or are taken to.
fn keys(desc: &'static StructDesc, field: &FieldDesc) -> Vec<&'static FieldDesc> {
    let listed: &[&str] = match field.list_type {
        ListType::Map(keys) => keys,
        _ => &[],
    };
    let is_key = |found: &&FieldDesc| {
        let name = found.json;
        let usual = ["name", "uid", "key", "type", "topologyKey", "ip", "devicePath", "mountPath"];
        found.values.is_empty()
            && (listed.contains(&name) || field.patch_merge_key == name || usual.contains(&name))
    };
    let found: Vec<_> = desc.fields.iter().filter(is_key).collect();
    if !found.is_empty() {
        return found;
    }
    let is_text = |found: &&FieldDesc| found.values.is_empty() && matches!(found.shape.inner(), Shape::Str);
    desc.fields.iter().find(is_text).into_iter().collect()
}

/// A text with a number in it, of the same form where forms are known.
fn numbered(text: &str, name: &str, number: usize) -> String {
    let lower = name.to_ascii_lowercase();
    let address = || format!("10.{}.{}.{}", number >> 16 & 255, number >> 8 & 255, number & 255);
    if lower.contains("cidr") {
        return address() + "/32";
    }
    if lower == "ip" || lower.ends_with("ips") {
        return address();
    }
    match (text, name) {
        ("", "finalizers") => format!("example.com/n{number}"),
        ("", _) => format!("n{number}"),
        _ => format!("{text}{number}"),
    }
}

/// Something that can stand in a field of that shape.
fn plain(shape: &Shape, field: &FieldDesc, depth: usize) -> Json {
    match shape.inner() {
        Shape::Bool => json!(true),
        Shape::Int32 | Shape::Int64 | Shape::Double => json!(1),
        Shape::Str => plain_text(field).into(),
        Shape::Bytes => json!("AAAA"),
        Shape::List(_) => json!([]),
        Shape::Map(_) => json!({}),
        Shape::Struct(desc) => blank(desc(), depth + 1),
        Shape::Leaf(desc) => match (desc.json_type, desc.go_type) {
            ("object" | "", _) => json!({}),
            (_, "v1.Time") => json!("2024-01-01T00:00:00Z"),
            (_, "v1.MicroTime") => json!("2024-01-01T00:00:00.000000Z"),
            (_, "v1.Duration") => json!("1s"),
            _ => json!("1"),
        },
        Shape::Json | Shape::Option(_) => json!({}),
    }
}

fn plain_text(field: &FieldDesc) -> String {
    if let Some(first) = field.values.first() {
        return (*first).to_owned();
    }
    let text = match field.json {
        "kind" => "Pod",
        "apiVersion" => "v1",
        "operator" => "In",
        "status" => "True",
        "type" => "N",
        "path" | "mountPath" | "devicePath" => "/n",
        "finalizers" => "example.com/n",
        _ => "n",
    };
    text.to_owned()
}

/// A struct with what it requires.
pub(crate) fn blank(desc: &'static StructDesc, depth: usize) -> Json {
    if depth > DEPTH {
        return json!({});
    }
    if desc.is_transparent() || desc.is_union() {
        return desc.fields.first().map_or(json!({}), |field| plain(&field.shape, field, depth));
    }
    let mut object = Map::new();
    for field in desc.fields.iter().filter(|field| field.presence.is_required() && !field.inline) {
        object.insert(field.json.to_owned(), plain(&field.shape, field, depth));
    }
    object.into()
}
