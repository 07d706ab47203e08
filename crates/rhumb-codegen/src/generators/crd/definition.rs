//! Definitions: names of a kind and its versions.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::markers::{self, Found, On, last};
use super::schema;
use crate::expand::guess_plural;
use crate::generators::api_version;
use crate::problem::{Outcome, Place, Problem, Problems};
use crate::universe::{Type, TypeName, Universe};

/// A complete definition.
pub(crate) struct Definition {
    /// The plural, which is part of its name.
    pub(crate) plural: String,
    /// The definition.
    pub(crate) document: Json,
}

/// Names of a kind, common to all versions.
#[derive(Default)]
struct Names {
    plural: Option<(String, Place)>,
    singular: Option<(String, Place)>,
    scope: Option<(String, Place)>,
    short: Option<(Vec<String>, Place)>,
    categories: Option<(Vec<String>, Place)>,
    annotations: BTreeMap<String, String>,
    labels: BTreeMap<String, String>,
}

/// Creates the definition of a kind from its type in each version.
///
/// # Errors
/// Everything that is wrong with the types and their markers, and versions that contradict each other.
pub(crate) fn make(universe: &Universe, group: &str, kind: &str, types: &[TypeName]) -> Outcome<Definition> {
    let mut problems = Problems::default();
    let mut names = Names::default();
    let mut versions: BTreeMap<String, Json> = BTreeMap::new();
    let mut stored: Vec<(String, Place)> = Vec::new();
    for ty in types.iter().filter_map(|name| universe.get(name)) {
        let Some(found) = problems.take(markers::find(&ty.tags, On::Type)) else { continue };
        let Some(version) = api_version::of_type(universe, ty).map(|version| version.version) else {
            continue;
        };
        problems.take(names.read(ty, &found));
        if let Some(marker) = last(&found, "storageversion") {
            stored.push((version.clone(), marker.place.clone()));
        }
        let Some(made) = problems.take(version_of(universe, ty, &version, &found)) else { continue };
        if versions.insert(version.clone(), made).is_some() {
            problems.push(Problem::at(
                &ty.place,
                format!("two types are the kind {kind} of {group}/{version}; put `+kubebuilder:skip` on one"),
            ));
        }
    }
    let place = types.first().and_then(|name| universe.get(name)).map(|ty| &ty.place);
    match (stored.as_slice(), versions.len()) {
        ([], 0 | 1) | ([_], _) => {}
        ([], _) => problems.push(Problem {
            place: place.cloned(),
            message: format!(
                "{kind} has several versions, and none is the one that objects are stored in: put \
                 `+kubebuilder:storageversion` on one of {}",
                versions.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
            ),
        }),
        ([(first, _), rest @ ..], _) => {
            for (version, place) in rest {
                let what = format!(
                    "objects are stored in one version, and {version} and {first} both claim to be it"
                );
                problems.push(Problem::at(place, what));
            }
        }
    }
    let storage =
        stored.into_iter().next().map(|(version, _)| version).or_else(|| versions.keys().next().cloned());
    for (name, version) in &mut versions {
        if let Some(version) = version.as_object_mut() {
            version.insert("storage".to_owned(), (Some(name) == storage.as_ref()).into());
        }
    }
    problems.or(names.definition(group, kind, versions.into_values().collect()))
}

impl Names {
    fn read(&mut self, ty: &Type, found: &[Found]) -> Outcome<()> {
        let mut problems = Problems::default();
        let words = api_version::words(ty);
        if let Some(words) = &words {
            if let Some(plural) = &words.plural {
                problems.take(agree(&mut self.plural, plural.value(), &ty.place, "the plural"));
            }
            if let Some(namespaced) = words.namespaced {
                let scope = if namespaced { "Namespaced" } else { "Cluster" };
                problems.take(agree(&mut self.scope, scope.to_owned(), &ty.place, "the scope"));
            }
        }
        for marker in found.iter().filter(|found| found.name == "resource") {
            let place = &marker.place;
            let text = |name: &str| marker.text(name).map(str::to_owned);
            if let Some(plural) = text("path") {
                problems.take(agree(&mut self.plural, plural, place, "the path"));
            }
            if let Some(singular) = text("singular") {
                problems.take(agree(&mut self.singular, singular, place, "the singular"));
            }
            match text("scope") {
                Some(scope) if scope == "Cluster" || scope == "Namespaced" => {
                    problems.take(agree(&mut self.scope, scope, place, "the scope"));
                }
                Some(scope) => {
                    let what = format!("a scope is Cluster or Namespaced, not {scope:?}");
                    problems.push(marker.problem(what));
                }
                None => {}
            }
            if marker.get("shortName").is_some() {
                problems.take(agree(&mut self.short, marker.texts("shortName"), place, "the short name"));
            }
            if marker.get("categories").is_some() {
                problems.take(agree(
                    &mut self.categories,
                    marker.texts("categories"),
                    place,
                    "the categories",
                ));
            }
        }
        for marker in found.iter().filter(|found| found.name == "metadata") {
            for (name, into) in [("annotations", &mut self.annotations), ("labels", &mut self.labels)] {
                for pair in marker.texts(name) {
                    match pair.split_once('=') {
                        Some((key, value)) => drop(into.insert(key.to_owned(), value.to_owned())),
                        None => problems.push(marker.problem(format!("{pair:?} is not written `key=value`"))),
                    }
                }
            }
        }
        problems.or(())
    }

    fn definition(self, group: &str, kind: &str, versions: Vec<Json>) -> Definition {
        let plural = self.plural.map_or_else(|| guess_plural(kind), |(plural, _)| plural);
        let singular = self.singular.map_or_else(|| kind.to_lowercase(), |(singular, _)| singular);
        let mut names = json!({
            "kind": kind,
            "listKind": format!("{kind}List"),
            "plural": plural,
            "singular": singular,
        });
        for (name, list) in [("shortNames", self.short), ("categories", self.categories)] {
            if let Some((list, _)) = list {
                names[name] = list.into();
            }
        }
        let mut metadata = json!({ "name": format!("{plural}.{group}") });
        for (name, pairs) in [("annotations", self.annotations), ("labels", self.labels)] {
            if !pairs.is_empty() {
                metadata[name] = json!(pairs);
            }
        }
        let scope = self.scope.map_or_else(|| "Namespaced".to_owned(), |(scope, _)| scope);
        let document = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": metadata,
            "spec": { "group": group, "names": names, "scope": scope, "versions": versions },
        });
        Definition { plural, document }
    }
}

/// Notes what one version says, which no other may contradict.
fn agree<T: PartialEq + std::fmt::Debug>(
    slot: &mut Option<(T, Place)>,
    value: T,
    place: &Place,
    what: &str,
) -> Outcome<()> {
    match slot {
        Some((known, other)) if *known != value => Err(Problem::at(
            place,
            format!("{what} is {value:?} here and {known:?} at {other}; all versions share it"),
        )
        .into()),
        Some(_) => Ok(()),
        None => {
            *slot = Some((value, place.clone()));
            Ok(())
        }
    }
}

fn version_of(universe: &Universe, ty: &Type, name: &str, found: &[Found]) -> Outcome<Json> {
    let mut problems = Problems::default();
    let mut version = Map::new();
    let mut put = |name: &str, value: Json| drop(version.insert(name.to_owned(), value));
    put("name", name.into());
    put("served", last(found, "unservedversion").is_none().into());
    if let Some(marker) = last(found, "deprecatedversion") {
        put("deprecated", true.into());
        if let Some(warning) = marker.text("warning") {
            put("deprecationWarning", warning.into());
        }
    }
    if let Some(subresources) = problems.take(subresources(found)).flatten() {
        put("subresources", subresources);
    }
    if let Some(columns) = problems.take(columns(found))
        && !columns.is_empty()
    {
        put("additionalPrinterColumns", columns.into());
    }
    let mut selectable = Vec::new();
    for marker in found.iter().filter(|found| found.name == "selectablefield") {
        let path = problems.take(path(marker, "JSONPath", "."));
        selectable.extend(path.map(|path| json!({ "jsonPath": path })));
    }
    if !selectable.is_empty() {
        put("selectableFields", selectable.into());
    }
    if let Some(schema) = problems.take(schema::of(universe, ty)) {
        put("schema", json!({ "openAPIV3Schema": schema }));
    }
    problems.or(Json::Object(version))
}

fn subresources(found: &[Found]) -> Outcome<Option<Json>> {
    let mut all = Map::new();
    if last(found, "subresource:status").is_some() {
        all.insert("status".to_owned(), json!({}));
    }
    if let Some(marker) = last(found, "subresource:scale") {
        let mut scale = json!({
            "specReplicasPath": path(marker, "specpath", ".spec.")?,
            "statusReplicasPath": path(marker, "statuspath", ".status.")?,
        });
        if marker.get("selectorpath").is_some() {
            scale["labelSelectorPath"] = path(marker, "selectorpath", ".")?.into();
        }
        all.insert("scale".to_owned(), scale);
    }
    Ok((!all.is_empty()).then_some(Json::Object(all)))
}

/// Returns an argument that is a path with a given start.
fn path(marker: &Found, name: &str, start: &str) -> Outcome<String> {
    let path = marker.text(name).unwrap_or_default();
    match path.strip_prefix(start) {
        Some(rest) if !rest.is_empty() => Ok(path.to_owned()),
        _ => {
            Err(marker.problem(format!("`{name}` is a path that begins with {start:?}, not {path:?}")).into())
        }
    }
}

/// Types and formats that servers accept for a column.
const TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];
const FORMATS: &[&str] = &["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

fn columns(found: &[Found]) -> Outcome<Vec<Json>> {
    let mut problems = Problems::default();
    let mut columns = Vec::new();
    for marker in found.iter().filter(|found| found.name == "printcolumn") {
        let kind = marker.text("type").unwrap_or_default();
        if !TYPES.contains(&kind) {
            problems.push(marker.problem(format!("{kind:?} is no type: there are {}", TYPES.join(", "))));
        }
        if let Some(format) = marker.text("format")
            && !FORMATS.contains(&format)
        {
            problems
                .push(marker.problem(format!("{format:?} is no format: there are {}", FORMATS.join(", "))));
        }
        let Some(path) = problems.take(path(marker, "JSONPath", ".")) else { continue };
        let mut column = json!({ "name": marker.get("name"), "type": kind, "jsonPath": path });
        for name in ["description", "format", "priority"] {
            if let Some(value) = marker.get(name) {
                column[name] = value.clone();
            }
        }
        columns.push(column);
    }
    problems.or(columns)
}
