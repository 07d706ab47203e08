//! Properties of types and members that attributes or Kubernetes' tags can set.

use serde_json::Value as Json;

use crate::problem::{Outcome, Problem};
use crate::universe::{Constant, Member, Tag, Type, Universe};

/// List type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListType {
    /// Atomic.
    Atomic,
    /// Set of scalars.
    Set,
    /// Map by these fields of the elements.
    Map(Vec<String>),
}

/// Returns the list type of a member, if set.
///
/// # Errors
/// If a word is wrong or missing.
pub(crate) fn list_type(member: &Member) -> Outcome<Option<ListType>> {
    let field = member.field.as_ref();
    let mut keys: Vec<String> =
        field.into_iter().flat_map(|field| &field.keys).map(syn::LitStr::value).collect();
    for tag in member.tags.all("listMapKey").chain(member.tags.all("listMapKeys")) {
        if !keys.iter().any(|key| key == tag.value()) {
            keys.push(tag.value().to_owned());
        }
    }
    let tag = member.tags.get("listType");
    let place = tag.map_or(&member.place, |tag| &tag.place);
    let word = match (tag.map(Tag::value), field.and_then(|field| field.list)) {
        (Some(word @ ("atomic" | "set" | "map")), _) => word,
        (Some(other), _) => {
            let what = format!("+listType is `atomic`, `set` or `map`, not {other:?}");
            return Err(Problem::at(place, what).into());
        }
        (None, _) if !keys.is_empty() => "map",
        (None, Some("Atomic")) => "atomic",
        (None, Some("Set")) => "set",
        (None, _) => return Ok(None),
    };
    let wrong = |what: String| Err(Problem::at(place, what).into());
    match (word, keys.is_empty()) {
        ("map", true) => wrong("a list of type `map` needs a key: add `+listMapKey=…`".to_owned()),
        ("map", false) => Ok(Some(ListType::Map(keys))),
        (_, false) => wrong(format!("a list of type `{word}` has no keys: it is `map` that has them")),
        ("set", true) => Ok(Some(ListType::Set)),
        _ => Ok(Some(ListType::Atomic)),
    }
}

/// Reports whether a member is a list.
pub(crate) fn is_list(universe: &Universe, member: &Member) -> bool {
    matches!(universe.underlying(universe.underlying(&member.ty).bare()), crate::universe::TypeRef::Slice(_))
}

/// Reports whether a member's map or struct is owned as a whole.
///
/// # Errors
/// If a word is wrong.
pub(crate) fn is_atomic(member: &Member) -> Outcome<bool> {
    let attribute = member.field.as_ref().is_some_and(|field| field.atomic);
    Ok(granularity(&member.tags, "mapType")?.unwrap_or(attribute)
        || granularity(&member.tags, "structType")?.unwrap_or(false))
}

/// Reports whether a type is owned as a whole wherever it is used.
///
/// # Errors
/// If a word is wrong.
pub(crate) fn is_atomic_type(ty: &Type) -> Outcome<bool> {
    let said = granularity(&ty.tags, "structType")?.or(granularity(&ty.tags, "mapType")?);
    Ok(said.unwrap_or_else(|| schema_words(ty).atomic))
}

fn granularity(tags: &crate::universe::Tags, name: &str) -> Outcome<Option<bool>> {
    match tags.get(name) {
        None => Ok(None),
        Some(tag) => match tag.value() {
            "atomic" => Ok(Some(true)),
            "granular" => Ok(Some(false)),
            other => {
                Err(Problem::at(&tag.place, format!("+{name} is `atomic` or `granular`, not {other:?}"))
                    .into())
            }
        },
    }
}

/// Returns a member's default, from the attribute or from the tag `+default`, whose value is JSON.
///
/// # Errors
/// If it is no JSON.
pub(crate) fn default(member: &Member) -> Outcome<Option<Json>> {
    if let Some(tag) = member.tags.get("default") {
        return serde_json::from_str(tag.value()).map(Some).map_err(|error| {
            let what = format!("the value of +default is JSON, as in `+default=\"text\"`: {error}");
            Problem::at(&tag.place, what).into()
        });
    }
    let Some(text) = member.field.as_ref().and_then(|field| field.default.as_deref()) else {
        return Ok(None);
    };
    serde_json::from_str(text).map(Some).map_err(|error| {
        Problem::at(&member.place, format!("the default of `{}` is no JSON: {error}", member.name)).into()
    })
}

/// Returns the values that a member's text may have, in their order; none if it may have any.
///
/// # Errors
/// If the constant that holds them is not found.
pub(crate) fn values(universe: &Universe, ty: &Type, member: &Member) -> Outcome<Vec<String>> {
    let Some(path) = member.field.as_ref().and_then(|field| field.values.as_ref()) else {
        return Ok(Vec::new());
    };
    let written: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
    let written = written.join("::");
    let absolute = universe.whole_path(&ty.module, &written);
    let name = absolute.rsplit("::").next().unwrap_or_default();
    // Constants of private modules are among those of the package that the modules belong to.
    let mut homes = Vec::new();
    let mut home = absolute.as_str();
    while let Some((above, _)) = home.rsplit_once("::") {
        homes.push(above);
        home = above;
    }
    homes.push(&ty.name.package);
    let found = homes.iter().find_map(|home| universe.package(home)?.constant(name));
    match found {
        Some(Constant::Texts(values)) => Ok(values.clone()),
        Some(Constant::Text(value)) => Ok(vec![value.clone()]),
        _ => Err(Problem::at(
            &member.place,
            format!("the constant {written} was not found, or is no list of texts"),
        )
        .into()),
    }
}

/// Contents of `#[schema(…)]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SchemaWords {
    /// JSON sees its single field alone.
    pub(crate) transparent: bool,
    /// Union: JSON has one of its fields.
    pub(crate) union: bool,
    /// Atomic for server-side apply.
    pub(crate) atomic: bool,
    /// Retired kind.
    pub(crate) retired: bool,
}

/// Reads `#[schema(…)]` of a type. What is wrong with it is reported elsewhere.
pub(crate) fn schema_words(ty: &Type) -> SchemaWords {
    let mut words = SchemaWords::default();
    let attributes = ty.item.iter().flat_map(|item| &item.attrs);
    for attribute in attributes.filter(|attribute| attribute.path().is_ident("schema")) {
        let read = attribute.parse_nested_meta(|meta| {
            let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            match word.as_str() {
                "transparent" => words.transparent = true,
                "union" => words.union = true,
                "atomic" => words.atomic = true,
                "retired" => words.retired = true,
                _ => {}
            }
            if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<syn::Expr>()?;
            }
            Ok(())
        });
        drop(read);
    }
    words
}

/// Reports whether objects of these times have a member.
pub(crate) fn exists(member: &Member, retired: bool) -> bool {
    match member.field.as_ref().and_then(|field| field.era) {
        Some("Gone") => retired,
        _ => true,
    }
}
