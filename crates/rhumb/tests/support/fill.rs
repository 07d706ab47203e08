//! Fills any object by its field table: every field that a kind has comes up sooner or later, whatever the kind.

use rhumb_schema::{Leaf, RawJson, Shape, Struct, Value, ViewMut, is_retired, text};
use serde_json::Value as Json;

use super::random::Random;

/// Structs nest no deeper than this; real objects stay under it.
const MAX_DEPTH: usize = 14;
/// An object has about so many values at most, because pods within lists within lists grow out of hand otherwise.
const MAX_VALUES: usize = 700;

/// Fills values until the object is large enough.
pub(crate) struct Filler<'a> {
    random: &'a mut Random,
    left: usize,
    /// In so many of a hundred cases an option is there and a container is not empty.
    density: usize,
    /// Whether the object is of a retired kind, whose metadata has other fields.
    retired: bool,
}

impl<'a> Filler<'a> {
    /// A filler for one object: some objects get almost everything, some almost nothing.
    pub(crate) fn new(random: &'a mut Random) -> Self {
        let density = *random.pick(&[0, 15, 30, 30, 50, 50, 70, 90]);
        Filler { random, left: MAX_VALUES, density, retired: false }
    }

    /// Fills an object. The version and kind that it carries stay.
    pub(crate) fn object(&mut self, object: &mut dyn Value) {
        self.retired = is_retired(object);
        match object.view_mut() {
            ViewMut::Struct(value) => self.fields(value, 0),
            ViewMut::Json(tree) => *tree = Json::Object(self.random.object(3)),
            _ => {}
        }
    }

    fn fields(&mut self, value: &mut dyn Struct, depth: usize) {
        if value.desc().is_union() {
            return self.union(value, depth);
        }
        // Starting anywhere lets the last fields have their share of a large object too.
        let fields = value.desc().fields;
        let start = self.random.below(fields.len());
        for step in 0..fields.len() {
            let position = (start + step) % fields.len();
            let field = &fields[position];
            let own_kind = depth == 0 && field.inline && field.name == "type_meta";
            let optional = matches!(field.shape, Shape::Option(_));
            if !own_kind && field.exists(self.retired) && (!optional || self.goes_on(depth)) {
                self.value(value.field_mut(position), &field.shape, field.values, depth);
            }
        }
    }

    /// Fills one of a union's fields, which must not be empty: JSON says `null` for an empty union.
    fn union(&mut self, value: &mut dyn Struct, depth: usize) {
        let fields = value.desc().fields;
        let position = self.random.below(fields.len());
        self.value(value.field_mut(position), &fields[position].shape, &[], depth + 1);
        if value.field(position).view().is_empty() {
            self.value(value.field_mut(0), &fields[0].shape, &[], depth + 1);
        }
        for (other, field) in fields.iter().enumerate() {
            if other != position
                && matches!(field.shape, Shape::Bool)
                && let ViewMut::Bool(slot) = value.field_mut(other).view_mut()
            {
                *slot = true;
            }
        }
    }

    /// Whether an option is there and a container gets something.
    fn goes_on(&mut self, depth: usize) -> bool {
        self.left > 0 && depth < MAX_DEPTH && self.random.percent(self.density)
    }

    fn value(&mut self, value: &mut dyn Value, shape: &Shape, values: &[&str], depth: usize) {
        self.left = self.left.saturating_sub(1);
        let optional = matches!(shape, Shape::Option(_));
        let random = &mut *self.random;
        match value.view_mut() {
            ViewMut::Bool(slot) => *slot = random.percent(50),
            ViewMut::Int32(slot) => *slot = random.int32(),
            ViewMut::Int64(slot) => *slot = random.int64(),
            // A zero loses its sign in YAML, as it does in Go; adding zero takes it away.
            ViewMut::Double(slot) => *slot = random.double() + 0.0,
            ViewMut::Str(slot) if !values.is_empty() && random.percent(70) => {
                *slot = (*random.pick(values)).to_owned();
            }
            ViewMut::Str(slot) => *slot = random.text(),
            ViewMut::Bytes(slot) => *slot = random.bytes(),
            ViewMut::Leaf(leaf) => fill_leaf(random, leaf, optional),
            ViewMut::Json(tree) => *tree = random.tree(2),
            ViewMut::Struct(inner) => self.fields(inner, depth + 1),
            ViewMut::List(list) => {
                let element = list.element_shape();
                let len = if self.goes_on(depth) { 1 + self.random.below(3) } else { 0 };
                for _ in 0..len {
                    self.value(list.push(), &element, values, depth + 1);
                }
            }
            ViewMut::Map(map) => {
                let element = map.value_shape();
                let len = if self.goes_on(depth) { 1 + self.random.below(3) } else { 0 };
                for _ in 0..len {
                    let key = self.random.key();
                    self.value(map.insert(key), &element, &[], depth + 1);
                }
            }
        }
    }
}

/// Fills a leaf through its JSON form, by the name of its type in Go. A leaf that is optional and there must not be
/// zero: JSON says `null` for a zero time or no raw JSON, which is read as absent.
fn fill_leaf(random: &mut Random, leaf: &mut dyn Leaf, optional: bool) {
    if !optional && random.percent(10) {
        return;
    }
    let json = match leaf.desc().go_type {
        "resource.Quantity" => quoted(&quantity(random)),
        "v1.Time" => quoted(&format!("{}Z", time(random))),
        "v1.MicroTime" => {
            let fraction = random.below(1_000_000);
            quoted(&format!("{}.{fraction:06}Z", time(random)))
        }
        "v1.Duration" => {
            let nanoseconds = random.int64();
            quoted(&rhumb_meta::Duration(nanoseconds).to_string())
        }
        "intstr.IntOrString" if random.percent(50) => random.int32().to_string(),
        "intstr.IntOrString" => quoted(&random.text()),
        "v1.FieldsV1" => raw(&Json::Object(random.object(3))),
        "v1.JSON" => match random.tree(2) {
            Json::Null => "true".to_owned(),
            tree => raw(&tree),
        },
        "runtime.RawExtension" => raw(&Json::Object(random.object(3))),
        other => panic!("no random values are known for {other}: add them here"),
    };
    leaf.read_json(json.as_bytes()).unwrap_or_else(|error| panic!("{json}: {error}"));
    // Amounts can be written in many ways; the canonical one is what comes back from every format.
    let mut canonical = Vec::new();
    leaf.write_json(&mut canonical);
    if leaf.desc().go_type == "resource.Quantity" {
        leaf.read_json(&canonical).expect("a leaf reads what it has written");
    }
}

fn quoted(value: &str) -> String {
    raw(&Json::String(value.to_owned()))
}

/// JSON text in the one form that every format keeps: compact, with sorted keys and Go's escapes.
fn raw(tree: &Json) -> String {
    let mut out = Vec::new();
    text::encode(tree, &mut out);
    let mut leaf = RawJson::default();
    leaf.read_json(&out).expect("raw JSON is kept as it is");
    String::from_utf8(leaf.0).expect("JSON is text")
}

fn quantity(random: &mut Random) -> String {
    let suffix = *random.pick(&[
        "", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-3",
    ]);
    let sign = *random.pick(&["", "", "-", "+"]);
    match random.below(3) {
        0 => format!("{sign}{}{suffix}", random.below(2000)),
        1 => format!("{sign}{}.{}{suffix}", random.below(2000), random.below(2000)),
        _ => format!("{sign}{}{suffix}", random.number()),
    }
}

/// A point in time of whole seconds: the fraction that protobuf and a MicroTime can say is lost in a Time's text.
fn time(random: &mut Random) -> String {
    let year = match random.below(4) {
        0 => *random.pick(&[1, 1582, 1899, 1970, 2000, 9999]),
        _ => 1970 + random.below(100),
    };
    let (month, day) = (1 + random.below(12), 1 + random.below(28));
    let (hour, minute, second) = (random.below(24), random.below(60), random.below(60));
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}
