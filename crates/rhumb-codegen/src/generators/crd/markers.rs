//! Markers of CustomResourceDefinitions: names, targets and arguments.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::value;
use crate::problem::{Outcome, Place, Problem, Problems};
use crate::universe::{Tag, Tags};

/// Target of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    /// A type.
    Type,
    /// A member.
    Member,
    /// Either.
    Any,
}

/// Type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Text,
    Whole,
    Number,
    Truth,
    Texts,
    Values,
    Any,
}

/// Form of a marker's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// None.
    Alone,
    /// `=value`, or for truth values also nothing.
    One(Takes),
    /// `:name=value,…`; the names that must be there are marked.
    Named(&'static [(&'static str, Takes, bool)]),
}

struct Marker {
    name: &'static str,
    on: On,
    form: Form,
}

const fn marker(name: &'static str, on: On, form: Form) -> Marker {
    Marker { name, on, form }
}

/// A parsed marker.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    /// Name without `kubebuilder:`.
    pub(crate) name: &'static str,
    /// Arguments by name; a single unnamed one has the empty name.
    arguments: BTreeMap<&'static str, Json>,
    /// Position.
    pub(crate) place: Place,
}

impl Found {
    /// Returns an argument.
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        self.arguments.get(name)
    }

    /// Returns the single argument.
    pub(crate) fn value(&self) -> &Json {
        self.get("").unwrap_or(&Json::Null)
    }

    /// Returns an argument that is a text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Json::as_str)
    }

    /// Returns an argument that is a list of texts.
    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        let values = self.get(name).and_then(Json::as_array).into_iter().flatten();
        values.filter_map(|value| value.as_str().map(str::to_owned)).collect()
    }

    /// Reports whether it is on: it stands alone, or is true.
    pub(crate) fn is_on(&self) -> bool {
        self.get("").is_none_or(|value| *value != Json::Bool(false))
    }

    /// Returns a problem at its place.
    pub(crate) fn problem(&self, what: impl std::fmt::Display) -> Problem {
        Problem::at(&self.place, format!("+kubebuilder:{}: {what}", self.name))
    }
}

/// Returns the markers of this generator among the tags of something.
///
/// # Errors
/// Markers that there are not, that stand in the wrong place, and arguments that are wrong.
pub(crate) fn find(tags: &Tags, on: On) -> Outcome<Vec<Found>> {
    let mut problems = Problems::default();
    let mut found = Vec::new();
    for tag in &tags.0 {
        let Some(text) = tag.text.strip_prefix("kubebuilder:") else { continue };
        if OTHERS.iter().any(|other| text.strip_prefix(other).is_some_and(ends)) {
            continue;
        }
        match read(text, on) {
            Ok((marker, arguments)) => {
                found.push(Found { name: marker.name, arguments, place: tag.place.clone() });
            }
            Err(what) => problems.push(problem(tag, &what)),
        }
    }
    problems.or(found)
}

/// Returns the last marker of a name.
pub(crate) fn last<'a>(found: &'a [Found], name: &str) -> Option<&'a Found> {
    found.iter().rev().find(|found| found.name == name)
}

fn problem(tag: &Tag, what: &str) -> Problem {
    let name = tag.name.trim_end_matches(':');
    Problem::at(&tag.place, format!("+{name}: {what}"))
}

fn ends(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([':', '='])
}

type Arguments = BTreeMap<&'static str, Json>;

fn read(text: &str, on: On) -> Result<(&'static Marker, Arguments), String> {
    let (marker, rest) = split(text)?;
    if marker.on != On::Any && marker.on != on {
        let other = if marker.on == On::Type { "type" } else { "field" };
        return Err(format!("this marker stands on a {other}"));
    }
    let mut arguments = BTreeMap::new();
    match marker.form {
        Form::Alone if rest.is_empty() => {}
        Form::Alone => return Err("this marker takes nothing".to_owned()),
        Form::One(takes) => match rest.strip_prefix('=') {
            Some(raw) => drop(arguments.insert("", argument(takes, raw)?)),
            None if takes == Takes::Truth => drop(arguments.insert("", Json::Bool(true))),
            None => return Err("this marker takes a value: write `=` and the value behind it".to_owned()),
        },
        Form::Named(names) => {
            let given = match rest.strip_prefix(':') {
                Some(raw) => value::arguments(raw)?,
                None => Vec::new(),
            };
            for (name, raw) in given {
                let (name, takes, _) = names.iter().find(|(known, ..)| *known == name).ok_or_else(|| {
                    let known: Vec<&str> = names.iter().map(|(name, ..)| *name).collect();
                    format!("there is no argument `{name}`; there are {}", known.join(", "))
                })?;
                let value = argument(*takes, &raw).map_err(|what| format!("`{name}`: {what}"))?;
                if arguments.insert(*name, value).is_some() {
                    return Err(format!("the argument `{name}` is there twice"));
                }
            }
            let missing = names.iter().find(|(name, _, needed)| *needed && !arguments.contains_key(name));
            if let Some((name, ..)) = missing {
                return Err(format!("the argument `{name}` is missing"));
            }
        }
    }
    Ok((marker, arguments))
}

/// Returns the marker at the beginning of a text, the longest that there is, and what follows it.
fn split(text: &str) -> Result<(&'static Marker, &str), String> {
    let found = MARKERS
        .iter()
        .filter_map(|marker| {
            let rest = text.strip_prefix(marker.name).filter(|rest| ends(rest))?;
            // What takes one value may also be written with a colon before the equals sign.
            let rest = rest.strip_prefix(':').filter(|rest| rest.starts_with('=')).unwrap_or(rest);
            Some((marker, rest))
        })
        .max_by_key(|(marker, _)| marker.name.len());
    let Some((marker, rest)) = found else {
        let name = text.split('=').next().unwrap_or_default();
        let same = |marker: &&Marker| {
            name.get(..marker.name.len()).is_some_and(|start| start.eq_ignore_ascii_case(marker.name))
                && name.get(marker.name.len()..).is_some_and(ends)
        };
        return Err(match MARKERS.iter().filter(same).max_by_key(|marker| marker.name.len()) {
            Some(meant) => format!("there is no such marker; is kubebuilder:{} meant?", meant.name),
            None => "there is no such marker".to_owned(),
        });
    };
    if rest.starts_with(':') && !matches!(marker.form, Form::Named(_)) {
        return Err("there is no such marker".to_owned());
    }
    if rest.starts_with('=') && matches!(marker.form, Form::Named(_)) {
        return Err(format!(
            "arguments stand behind a colon, as in `kubebuilder:{}:name=value`",
            marker.name
        ));
    }
    Ok((marker, rest))
}

fn argument(takes: Takes, raw: &str) -> Result<Json, String> {
    let raw = raw.trim();
    match takes {
        Takes::Text => value::text(raw).map(Json::String),
        Takes::Whole => raw.parse::<i64>().map(Json::from).map_err(|_| format!("{raw:?} is no whole number")),
        Takes::Number => value::number(raw).ok_or_else(|| format!("{raw:?} is no number")),
        Takes::Truth => {
            raw.parse::<bool>().map(Json::from).map_err(|_| format!("{raw:?} is not true or false"))
        }
        Takes::Texts => {
            let values = value::list(raw)?.into_iter();
            Ok(values.map(|value| if value.is_string() { value } else { value.to_string().into() }).collect())
        }
        Takes::Values => value::list(raw).map(Json::Array),
        Takes::Any => value::any(raw),
    }
}

/// Markers for other tools.
const OTHERS: &[&str] =
    &["ac", "docs-gen", "externaldocs", "object", "rbac", "scaffold", "webhook", "webhookconfiguration"];

const RULE: Form = Form::Named(&[
    ("rule", Takes::Text, true),
    ("message", Takes::Text, false),
    ("messageExpression", Takes::Text, false),
    ("reason", Takes::Text, false),
    ("fieldPath", Takes::Text, false),
    ("optionalOldSelf", Takes::Truth, false),
]);

const MARKERS: &[Marker] = &[
    marker("deprecatedversion", On::Type, Form::Named(&[("warning", Takes::Text, false)])),
    marker("default", On::Any, Form::One(Takes::Any)),
    marker("example", On::Any, Form::One(Takes::Any)),
    marker(
        "metadata",
        On::Type,
        Form::Named(&[("annotations", Takes::Texts, false), ("labels", Takes::Texts, false)]),
    ),
    marker(
        "printcolumn",
        On::Type,
        Form::Named(&[
            ("name", Takes::Text, true),
            ("type", Takes::Text, true),
            ("JSONPath", Takes::Text, true),
            ("description", Takes::Text, false),
            ("format", Takes::Text, false),
            ("priority", Takes::Whole, false),
        ]),
    ),
    marker("pruning:PreserveUnknownFields", On::Any, Form::One(Takes::Truth)),
    marker(
        "resource",
        On::Type,
        Form::Named(&[
            ("path", Takes::Text, false),
            ("singular", Takes::Text, false),
            ("shortName", Takes::Texts, false),
            ("categories", Takes::Texts, false),
            ("scope", Takes::Text, false),
        ]),
    ),
    marker("selectablefield", On::Type, Form::Named(&[("JSONPath", Takes::Text, true)])),
    marker("skip", On::Type, Form::Alone),
    marker("skipversion", On::Type, Form::Alone),
    marker("storageversion", On::Type, Form::Alone),
    marker(
        "subresource:scale",
        On::Type,
        Form::Named(&[
            ("specpath", Takes::Text, true),
            ("statuspath", Takes::Text, true),
            ("selectorpath", Takes::Text, false),
        ]),
    ),
    marker("subresource:status", On::Type, Form::Alone),
    marker("title", On::Any, Form::One(Takes::Text)),
    marker("unservedversion", On::Type, Form::Alone),
    marker("validation:AtLeastOneOf", On::Type, Form::One(Takes::Texts)),
    marker("validation:AtMostOneOf", On::Type, Form::One(Takes::Texts)),
    marker("validation:EmbeddedResource", On::Member, Form::One(Takes::Truth)),
    marker("validation:Enum", On::Any, Form::One(Takes::Values)),
    marker("validation:ExactlyOneOf", On::Type, Form::One(Takes::Texts)),
    marker("validation:ExclusiveMaximum", On::Any, Form::One(Takes::Truth)),
    marker("validation:ExclusiveMinimum", On::Any, Form::One(Takes::Truth)),
    marker("validation:Format", On::Any, Form::One(Takes::Text)),
    marker("validation:MaxItems", On::Any, Form::One(Takes::Whole)),
    marker("validation:MaxLength", On::Any, Form::One(Takes::Whole)),
    marker("validation:MaxProperties", On::Any, Form::One(Takes::Whole)),
    marker("validation:Maximum", On::Any, Form::One(Takes::Number)),
    marker("validation:MinItems", On::Any, Form::One(Takes::Whole)),
    marker("validation:MinLength", On::Any, Form::One(Takes::Whole)),
    marker("validation:MinProperties", On::Any, Form::One(Takes::Whole)),
    marker("validation:Minimum", On::Any, Form::One(Takes::Number)),
    marker("validation:MultipleOf", On::Any, Form::One(Takes::Number)),
    marker("validation:Nullable", On::Member, Form::One(Takes::Truth)),
    marker("validation:Optional", On::Any, Form::Alone),
    marker("validation:Pattern", On::Any, Form::One(Takes::Text)),
    marker("validation:Required", On::Any, Form::Alone),
    marker("validation:Schemaless", On::Member, Form::Alone),
    marker("validation:Type", On::Any, Form::One(Takes::Text)),
    marker("validation:UniqueItems", On::Any, Form::One(Takes::Truth)),
    marker("validation:XEmbeddedResource", On::Any, Form::One(Takes::Truth)),
    marker("validation:XIntOrString", On::Any, Form::One(Takes::Truth)),
    marker("validation:XPreserveUnknownFields", On::Any, Form::One(Takes::Truth)),
    marker("validation:XValidation", On::Any, RULE),
    marker("validation:items:Enum", On::Any, Form::One(Takes::Values)),
    marker("validation:items:ExclusiveMaximum", On::Any, Form::One(Takes::Truth)),
    marker("validation:items:ExclusiveMinimum", On::Any, Form::One(Takes::Truth)),
    marker("validation:items:Format", On::Any, Form::One(Takes::Text)),
    marker("validation:items:MaxItems", On::Any, Form::One(Takes::Whole)),
    marker("validation:items:MaxLength", On::Any, Form::One(Takes::Whole)),
    marker("validation:items:MaxProperties", On::Any, Form::One(Takes::Whole)),
    marker("validation:items:Maximum", On::Any, Form::One(Takes::Number)),
    marker("validation:items:MinItems", On::Any, Form::One(Takes::Whole)),
    marker("validation:items:MinLength", On::Any, Form::One(Takes::Whole)),
    marker("validation:items:MinProperties", On::Any, Form::One(Takes::Whole)),
    marker("validation:items:Minimum", On::Any, Form::One(Takes::Number)),
    marker("validation:items:MultipleOf", On::Any, Form::One(Takes::Number)),
    marker("validation:items:Pattern", On::Any, Form::One(Takes::Text)),
    marker("validation:items:Type", On::Any, Form::One(Takes::Text)),
    marker("validation:items:XEmbeddedResource", On::Any, Form::One(Takes::Truth)),
    marker("validation:items:XIntOrString", On::Any, Form::One(Takes::Truth)),
    marker("validation:items:XPreserveUnknownFields", On::Any, Form::One(Takes::Truth)),
    marker("validation:items:XValidation", On::Any, RULE),
];
