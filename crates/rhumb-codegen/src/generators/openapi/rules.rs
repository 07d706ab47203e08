//! API rules, as in Kubernetes' linter.
//!
//! | rule | what it asks for |
//! |---|---|
//! | `names_match` | names in JSON are camelCase, and those in Rust the same words; metadata is `metadata` |
//! | `list_type_missing` | a list says how it is merged; the items of a list of objects don't |
//! | `streaming_list_type_field_order` | a list of objects has version and kind, metadata, items: in this order |
//! | `streaming_list_type_json_tags` | and they are inlined, `metadata` and `items` |
//! | `streaming_list_type_proto_tags` | with no number, 1 and 2 |
//!
//! There is one more in Kubernetes, `omitempty_match_case`, about the spelling of a word in a text. Ours are words of
//! an attribute, and a misspelled one is an error long before.

use crate::expand::attributes::camel_case;
use crate::generators::said;
use crate::problem::Place;
use crate::universe::{Kind, Member, Type, TypeRef, Universe};

/// A violation of a rule by a member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    pub(crate) rule: String,
    pub(crate) package: String,
    pub(crate) type_name: String,
    pub(crate) field: String,
    /// Position, which doesn't count for equality.
    pub(crate) place: Option<Place>,
}

impl Violation {
    /// Returns the line that Kubernetes' linter writes.
    pub(crate) fn line(&self) -> String {
        format!("{PREFIX}{},{},{},{}", self.rule, self.package, self.type_name, self.field)
    }
}

/// Prefix of every line.
pub(crate) const PREFIX: &str = "API rule violation: ";

/// Checks a member of a type.
type Rule = fn(&Universe, &Type, &Member) -> bool;

/// Holds a type against all rules.
pub(crate) fn check(universe: &Universe, ty: &Type) -> Vec<Violation> {
    let words = said::schema_words(ty);
    // The fields of these have no names in JSON.
    if !matches!(ty.kind, Kind::Struct | Kind::Generic(_)) || words.transparent || words.union {
        return Vec::new();
    }
    let mut found = Vec::new();
    let rules: [(&str, Rule); 5] = [
        ("names_match", |universe, _, member| names_match(universe, member)),
        ("list_type_missing", list_type_is_said),
        ("streaming_list_type_field_order", |_, ty, member| in_order(ty, member)),
        ("streaming_list_type_json_tags", |_, ty, member| json_fits(ty, member)),
        ("streaming_list_type_proto_tags", |_, ty, member| number_fits(ty, member)),
    ];
    for (rule, keeps) in rules {
        for member in ty.members.iter().filter(|member| !keeps(universe, ty, member)) {
            found.push(Violation {
                rule: rule.to_owned(),
                package: ty.name.package.clone(),
                type_name: ty.name.name.clone(),
                field: member.name.clone(),
                place: Some(member.place.clone()),
            });
        }
    }
    found
}

fn names_match(universe: &Universe, member: &Member) -> bool {
    if member.is_inline() {
        let inner = member.ty.name().and_then(|name| universe.get(name));
        return inner.is_some_and(|inner| matches!(inner.kind, Kind::Struct | Kind::Generic(_)));
    }
    let json = member.json.as_str();
    if let TypeRef::Named(name) = &member.ty
        && matches!(&*name.name, "ObjectMeta" | "ListMeta")
        && name.package.split("::").next() == Some("rhumb_meta")
    {
        return json == "metadata";
    }
    !json.contains(['_', '-'])
        && json.starts_with(|first: char| !first.is_ascii_uppercase())
        && camel_case(&member.name).eq_ignore_ascii_case(json)
}

fn list_type_is_said(_: &Universe, ty: &Type, member: &Member) -> bool {
    let is_list = matches!(member.ty, TypeRef::Slice(_));
    let field = member.field.as_ref();
    let said = member.tags.has("listType")
        || field.is_some_and(|field| field.list.is_some() || !field.keys.is_empty());
    if is_list && member.name == "items" && ty.is_list() {
        return !said;
    }
    !is_list || said
}

/// Reports whether a type is a list of objects and nothing more.
fn is_plain_list(ty: &Type) -> bool {
    ty.members.len() == 3 && ty.is_list() && ty.member("items").is_some()
}

fn in_order(ty: &Type, member: &Member) -> bool {
    const ORDER: [&str; 3] = ["type_meta", "metadata", "items"];
    let position = ty.members.iter().position(|other| other.name == member.name);
    !is_plain_list(ty) || position == ORDER.iter().position(|name| *name == member.name)
}

fn json_fits(ty: &Type, member: &Member) -> bool {
    let presence = member.field.as_ref().and_then(|field| field.presence);
    !is_plain_list(ty)
        || match member.name.as_str() {
            "type_meta" => member.is_inline(),
            "metadata" => member.json == "metadata" && presence.is_none(),
            _ => member.json == "items" && presence.is_none_or(|presence| presence == "Required"),
        }
}

fn number_fits(ty: &Type, member: &Member) -> bool {
    let number = member.field.as_ref().map_or(0, |field| field.number);
    !is_plain_list(ty)
        || match member.name.as_str() {
            "type_meta" => number == 0,
            "metadata" => number <= 1,
            _ => number == 0 || number == 2,
        }
}
