//! Structural schema of a type.
//!
//! Everything that a type mentions is spelled out in place, because a definition has no references. A type that
//! contains itself can't be written so, and is an error unless a field on the way stands for itself with
//! `+kubebuilder:validation:Schemaless`.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::markers::{self, Found, On, last};
use super::validation::{self, Schema, int_or_string};
use crate::generators::not_found;
use crate::generators::said::{self, ListType};
use crate::problem::{Outcome, Place, Problem, Problems};
use crate::universe::{Builtin, Kind, Leaf, Member, Package, Type, TypeName, TypeRef, Universe};

/// Pattern of quantities as strings.
const QUANTITY: &str = concat!(
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))",
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
);

/// Returns the schema of a kind.
///
/// # Errors
/// What can't be said in a structural schema, and markers that are wrong.
pub(crate) fn of(universe: &Universe, ty: &Type) -> Outcome<Schema> {
    // Members whose types are not known are reported at once, before anything is made of them.
    universe.reachable(ty)?;
    let mut maker = Maker { universe, problems: Problems::default(), inside: Vec::new() };
    let schema = maker.declared(ty, &[], &ty.place);
    maker.problems.or(schema)
}

/// Arguments of a generic type's parameters.
type Arguments = BTreeMap<String, TypeRef>;

struct Maker<'a> {
    universe: &'a Universe,
    problems: Problems,
    /// The types whose members are being looked at, to notice one in itself.
    inside: Vec<TypeName>,
}

fn simple(name: &str, format: &str) -> Schema {
    let mut schema = Schema::new();
    schema.insert("type".to_owned(), name.into());
    if !format.is_empty() {
        schema.insert("format".to_owned(), format.into());
    }
    schema
}

fn anything(typed: bool) -> Schema {
    let mut schema = if typed { simple("object", "") } else { Schema::new() };
    schema.insert("x-kubernetes-preserve-unknown-fields".to_owned(), true.into());
    schema
}

impl Maker<'_> {
    fn fail(&mut self, place: &Place, what: impl Into<String>) -> Schema {
        self.problems.push(Problem::at(place, what));
        Schema::new()
    }

    fn used(&mut self, ty: &TypeRef, place: &Place) -> Schema {
        match ty {
            TypeRef::Builtin(builtin) => of_builtin(*builtin),
            TypeRef::Leaf(leaf) => of_leaf(*leaf),
            TypeRef::Option(inner) | TypeRef::Boxed(inner) => self.used(inner, place),
            TypeRef::Slice(inner) => {
                let mut schema = simple("array", "");
                schema.insert("items".to_owned(), Json::Object(self.used(inner, place)));
                schema
            }
            TypeRef::Map(key, value) => {
                if !self.is_text(key) {
                    return self.fail(place, "the keys of a map are texts in JSON: make it a map of Strings");
                }
                let mut schema = simple("object", "");
                schema.insert("additionalProperties".to_owned(), Json::Object(self.used(value, place)));
                schema
            }
            TypeRef::Named(name) => self.named(name, &[], place),
            TypeRef::Instance(name, arguments) => self.named(name, arguments, place),
            TypeRef::Parameter(name) => self.fail(place, format!("nothing is said for the parameter {name}")),
            TypeRef::Unknown(why) => self.fail(place, why.clone()),
        }
    }

    fn is_text(&self, key: &TypeRef) -> bool {
        match self.universe.underlying(key) {
            TypeRef::Builtin(Builtin::Text) => true,
            TypeRef::Named(name) => {
                self.universe.get(name).is_some_and(|ty| matches!(ty.kind, Kind::Enum(_) | Kind::Leaf))
            }
            _ => false,
        }
    }

    fn named(&mut self, name: &TypeName, arguments: &[TypeRef], place: &Place) -> Schema {
        if is_meta(name, "ObjectMeta") || is_meta(name, "ListMeta") {
            return simple("object", "");
        }
        match self.universe.get(name) {
            Some(ty) => self.declared(ty, arguments, place),
            None => {
                self.problems.push(not_found(name, place));
                Schema::new()
            }
        }
    }

    /// Returns a declared type with what its own comments say of it.
    fn declared(&mut self, ty: &Type, arguments: &[TypeRef], place: &Place) -> Schema {
        if self.inside.contains(&ty.name) {
            return self.fail(
                place,
                format!(
                    "{} contains itself, which a structural schema can't say; put `+kubebuilder:validation:\
                     Schemaless` and `+kubebuilder:pruning:PreserveUnknownFields` on this field",
                    ty.name.name
                ),
            );
        }
        let Some(found) = self.problems.take(markers::find(&ty.tags, On::Type)) else { return Schema::new() };
        self.inside.push(ty.name.clone());
        let mut schema = match &ty.kind {
            Kind::Alias(target) => self.used(target, &ty.place),
            Kind::Struct => self.structure(ty, &Arguments::new()),
            Kind::Generic(parameters) => {
                let arguments = parameters.iter().cloned().zip(arguments.iter().cloned()).collect();
                self.structure(ty, &arguments)
            }
            Kind::Enum(variants) => {
                let holds = variants.iter().find(|variant| !variant.fields.is_empty());
                match holds {
                    Some(variant) => self.fail(
                        &variant.place,
                        "a variant that holds something has no form in the API: make the enum a struct, or a leaf",
                    ),
                    None => {
                        let mut schema = simple("string", "");
                        let names: Vec<&str> = variants.iter().map(|variant| &*variant.name).collect();
                        schema.insert("enum".to_owned(), names.into());
                        schema
                    }
                }
            }
            Kind::Leaf if said_type(&found) => Schema::new(),
            // It reads and writes itself, so all that is known of it is that it is JSON.
            Kind::Leaf => anything(false),
        };
        self.inside.pop();
        if !ty.doc.is_empty() {
            schema.insert("description".to_owned(), ty.doc.as_str().into());
        }
        if schema.get("type").and_then(Json::as_str) == Some("object")
            && self.problems.take(said::is_atomic_type(ty)) == Some(true)
        {
            schema.insert("x-kubernetes-map-type".to_owned(), "atomic".into());
        }
        self.problems.take(validation::apply(&mut schema, &found));
        schema
    }

    fn structure(&mut self, ty: &Type, arguments: &Arguments) -> Schema {
        let words = said::schema_words(ty);
        if words.union {
            return anything(false);
        }
        if words.transparent {
            return match ty.members.first() {
                Some(member) => self.used(&substitute(&member.ty, arguments), &member.place),
                None => Schema::new(),
            };
        }
        let mut properties = Schema::new();
        let mut required = Vec::new();
        self.members(ty, arguments, &mut properties, &mut required);
        let mut schema = simple("object", "");
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), Json::Object(properties));
        }
        if !required.is_empty() {
            required.sort_unstable();
            required.dedup();
            schema.insert("required".to_owned(), required.into());
        }
        schema
    }

    fn members(
        &mut self,
        ty: &Type,
        arguments: &Arguments,
        properties: &mut Schema,
        required: &mut Vec<String>,
    ) {
        let retired = said::schema_words(ty).retired;
        let package = self.universe.package(&ty.name.package);
        for member in ty.members.iter().filter(|member| said::exists(member, retired)) {
            if member.is_inline() {
                match member.ty.name().and_then(|name| self.universe.get(name)) {
                    Some(inner) => self.members(inner, &Arguments::new(), properties, required),
                    None => drop(self.fail(&member.place, "only a struct can be inlined")),
                }
                continue;
            }
            let Some(found) = self.problems.take(markers::find(&member.tags, On::Member)) else { continue };
            if is_required(package, member, &found) {
                required.push(member.json.clone());
            }
            let schema = self.member(ty, member, &found, arguments);
            if properties.insert(member.json.clone(), Json::Object(schema)).is_some() {
                self.fail(&member.place, format!("there are two fields {:?}", member.json));
            }
        }
    }

    fn member(&mut self, ty: &Type, member: &Member, found: &[Found], arguments: &Arguments) -> Schema {
        let mut schema = match last(found, "validation:Schemaless") {
            Some(_) => Schema::new(),
            None => self.used(&substitute(&member.ty, arguments), &member.place),
        };
        let is_metadata = member.ty.name().is_some_and(|name| is_meta(name, "ObjectMeta"));
        if !member.doc.is_empty() && !is_metadata {
            schema.insert("description".to_owned(), member.doc.as_str().into());
        }
        if let Some(values) = self.problems.take(said::values(self.universe, ty, member))
            && !values.is_empty()
        {
            let values: Vec<Json> = values.into_iter().map(Json::String).collect();
            let target = match schema.contains_key("items") {
                true => schema.get_mut("items").and_then(Json::as_object_mut),
                false => Some(&mut schema),
            };
            if let Some(Err(what)) = target.map(|target| validation::values(target, &values)) {
                self.fail(&member.place, format!("`{}`: {what}", member.name));
            }
        }
        if matches!(member.tags.get("nullable"), Some(tag) if tag.value() != "false") {
            schema.insert("nullable".to_owned(), true.into());
        }
        self.problems.take(validation::apply(&mut schema, found));
        self.merging(member, &mut schema);
        if let Some(Some(default)) = self.problems.take(said::default(member))
            && last(found, "default").is_none()
        {
            if let Err(what) = validation::fits(&schema, &default) {
                self.fail(&member.place, format!("the default of `{}` doesn't fit: {what}", member.name));
            }
            schema.insert("default".to_owned(), default);
        }
        schema
    }

    /// Adds the server-side apply markers of a member.
    fn merging(&mut self, member: &Member, schema: &mut Schema) {
        let Some(list) = self.problems.take(said::list_type(member)) else { return };
        if list.is_some() && !said::is_list(self.universe, member) {
            let place = member.tags.get("listType").map_or(&member.place, |tag| &tag.place);
            self.fail(place, format!("`{}` is no list, so it has no list type", member.name));
        }
        // A marker may have made something else of the list.
        let list = list.filter(|_| schema.contains_key("items"));
        let mut put = |name: &str, value: Json| drop(schema.insert(name.to_owned(), value));
        match list {
            None => {}
            Some(ListType::Atomic) => put("x-kubernetes-list-type", "atomic".into()),
            Some(ListType::Set) => put("x-kubernetes-list-type", "set".into()),
            Some(ListType::Map(keys)) => {
                put("x-kubernetes-list-type", "map".into());
                put("x-kubernetes-list-map-keys", keys.clone().into());
                self.keys(member, schema, &keys);
            }
        }
        if self.problems.take(said::is_atomic(member)) == Some(true) {
            match schema.get("type").and_then(Json::as_str) {
                Some("object") => drop(schema.insert("x-kubernetes-map-type".to_owned(), "atomic".into())),
                _ => drop(self.fail(&member.place, format!("`{}` is no map and no struct", member.name))),
            }
        }
    }

    /// Elements are found by their keys, so each must have them.
    fn keys(&mut self, member: &Member, schema: &Schema, keys: &[String]) {
        let items = schema.get("items");
        let of = |key: &str| items.and_then(|items| items.get(key));
        for key in keys {
            let Some(property) = of("properties").and_then(|all| all.get(key)) else {
                self.fail(&member.place, format!("the elements of `{}` have no field {key:?}", member.name));
                continue;
            };
            let required = of("required").and_then(Json::as_array);
            let given = required.is_some_and(|all| all.iter().any(|name| name.as_str() == Some(key)));
            if !given && property.get("default").is_none() {
                let what = format!(
                    "{key:?} is a key of `{}`, so its elements must have it: make it required, or give it a default",
                    member.name
                );
                self.fail(&member.place, what);
            }
        }
    }
}

fn of_builtin(builtin: Builtin) -> Schema {
    let unsigned = |mut schema: Schema| {
        schema.insert("minimum".to_owned(), 0.into());
        schema
    };
    match builtin {
        Builtin::Bool => simple("boolean", ""),
        Builtin::Int32 => simple("integer", "int32"),
        Builtin::Int64 => simple("integer", "int64"),
        Builtin::Uint32 | Builtin::Uint64 => unsigned(simple("integer", "int64")),
        Builtin::Double => simple("number", "double"),
        Builtin::Text => simple("string", ""),
    }
}

fn of_leaf(leaf: Leaf) -> Schema {
    match leaf {
        Leaf::Quantity => {
            let mut schema = int_or_string();
            schema.insert("pattern".to_owned(), json!(QUANTITY));
            schema
        }
        Leaf::Time | Leaf::MicroTime => simple("string", "date-time"),
        Leaf::Duration => simple("string", ""),
        Leaf::IntOrString => int_or_string(),
        Leaf::FieldsV1 | Leaf::RawJson => anything(true),
        Leaf::Tree => anything(false),
        Leaf::Bytes => simple("string", "byte"),
    }
}

/// Reports whether markers say the type of a leaf.
fn said_type(found: &[Found]) -> bool {
    last(found, "validation:Type").is_some() || last(found, "validation:XIntOrString").is_some()
}

fn is_meta(name: &TypeName, of: &str) -> bool {
    name.name == of && name.package.split("::").next() == Some("rhumb_meta")
}

/// Reports whether a member must be given: what is said of it counts, then what the package says of all.
fn is_required(package: Option<&Package>, member: &Member, found: &[Found]) -> bool {
    if last(found, "validation:Optional").is_some() {
        return false;
    }
    if last(found, "validation:Required").is_some() || member.is_required() {
        return true;
    }
    let silent = member.field.as_ref().is_none_or(|field| field.presence.is_none())
        && !member.tags.has("optional")
        && !member.tags.has("k8s:optional")
        && !member.ty.is_option()
        && member.name != "metadata";
    silent && package.is_some_and(|package| package.tags.has("kubebuilder:validation:Required"))
}

/// Returns a type with what stands for its parameters.
fn substitute(ty: &TypeRef, arguments: &Arguments) -> TypeRef {
    let inner = |ty: &TypeRef| Box::new(substitute(ty, arguments));
    match ty {
        TypeRef::Parameter(name) => arguments.get(name).unwrap_or(ty).clone(),
        TypeRef::Option(ty) => TypeRef::Option(inner(ty)),
        TypeRef::Boxed(ty) => TypeRef::Boxed(inner(ty)),
        TypeRef::Slice(ty) => TypeRef::Slice(inner(ty)),
        TypeRef::Map(key, value) => TypeRef::Map(inner(key), inner(value)),
        TypeRef::Instance(name, of) => {
            TypeRef::Instance(name.clone(), of.iter().map(|ty| substitute(ty, arguments)).collect())
        }
        other => other.clone(),
    }
}
