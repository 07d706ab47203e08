//! The requests of a file, in order.
//!
//! A file is a list of steps. A step has
//! - `step`: its name, unique in the file;
//! - `request`: method and path, as `GET /api/v1/namespaces?limit=1`;
//! - `headers`: besides `Accept`, `Authorization`, `Content-Type` and `User-Agent`, which have defaults;
//!   null takes one away;
//! - `body`: sent as it is if it's a string, as JSON otherwise; `base64`: the same for bytes;
//! - `size`: the number of bytes up to which spaces follow the body;
//! - `base`: the name of an answer that was kept, onto which `body` is a merge patch;
//! - `until`: a status or a text in the body; the request is sent again until the answer has it, for what
//!   controllers do;
//! - `capture`: names for values of the answer, by path, to be used as `${name}` in later steps; `keep`: a
//!   name for its body;
//! - `compare`: `text` for the body as text, `status` for no body at all;
//! - `ignore`: paths into the answer that are not compared; `*` stands for every key or element.
//!
//! A group has `steps` and either `each`, a list of variables, or `matrix`, lists of values by name of which
//! every combination is made. Its steps are there once for every round. A string that is nothing but a
//! variable becomes its value of whatever type. What no group gives a value to is left for what is captured.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use rhumb_codec::yaml::{self, ReadOptions};
use serde_json::{Map, Value as Json};

/// Everything that a step can have.
const KEYS: [&str; 12] = [
    "step", "request", "headers", "body", "base64", "base", "until", "capture", "keep", "compare", "ignore",
    "size",
];

/// A variable in a text.
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\$\{(\w+)\}").expect("a pattern"));

/// A file with its answers.
pub(crate) struct Script {
    /// The file's name without its ending.
    pub(crate) name: String,
    /// The file as it is, because what is written in it is not masked.
    pub(crate) text: String,
    pub(crate) steps: Vec<Step>,
    pub(crate) answers: Map<String, Json>,
}

/// One request.
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) content: Map<String, Json>,
}

impl Script {
    /// Reads a file and the answers beside it.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        let mut json = Vec::new();
        yaml::to_json(text.as_bytes(), &ReadOptions::default(), &mut json)
            .map_err(|error| error.to_string())?;
        let entries: Json = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        let mut steps = Vec::new();
        expand(&entries, &Map::new(), &mut steps)?;
        let answers = fs::read(path.with_extension("answers.json")).map_err(|error| error.to_string())?;
        let answers = serde_json::from_slice(&answers).map_err(|error| error.to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, text, steps, answers })
    }
}

fn expand(entries: &Json, variables: &Map<String, Json>, steps: &mut Vec<Step>) -> Result<(), String> {
    for entry in entries.as_array().ok_or("not a list of steps")? {
        let entry = entry.as_object().ok_or("a step is not a mapping")?;
        if let Some(inner) = entry.get("steps") {
            for round in rounds(entry)? {
                let mut scope = variables.clone();
                scope.extend(round);
                expand(inner, &scope, steps)?;
            }
            continue;
        }
        let Json::Object(content) = filled(&Json::Object(entry.clone()), variables) else { continue };
        if let Some(strange) = content.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(format!("unknown key {strange}"));
        }
        let name = content.get("step").and_then(Json::as_str).ok_or("a step without a name")?.to_owned();
        steps.push(Step { name, content });
    }
    Ok(())
}

fn rounds(group: &Map<String, Json>) -> Result<Vec<Map<String, Json>>, String> {
    if let Some(each) = group.get("each").and_then(Json::as_array) {
        let maps = each.iter().map(|round| round.as_object().cloned());
        return maps.collect::<Option<_>>().ok_or_else(|| "`each` is not a list of mappings".to_owned());
    }
    let matrix =
        group.get("matrix").and_then(Json::as_object).ok_or("a group without `each` and `matrix`")?;
    let mut names: Vec<&String> = matrix.keys().collect();
    names.sort();
    let mut rounds = vec![Map::new()];
    for name in names {
        let values = matrix.get(name).and_then(Json::as_array).ok_or("a matrix without a list")?;
        let longer = rounds.iter().flat_map(|round| {
            values.iter().map(move |value| {
                let mut round = round.clone();
                round.insert(name.clone(), value.clone());
                round
            })
        });
        rounds = longer.collect();
    }
    Ok(rounds)
}

/// Puts variables in.
pub(crate) fn filled(value: &Json, variables: &Map<String, Json>) -> Json {
    match value {
        Json::Object(map) => {
            let pairs =
                map.iter().map(|(key, inner)| (filled_text(key, variables), filled(inner, variables)));
            Json::Object(pairs.collect())
        }
        Json::Array(list) => list.iter().map(|inner| filled(inner, variables)).collect(),
        Json::String(text) => {
            let name = text.strip_prefix("${").and_then(|text| text.strip_suffix('}'));
            match name.and_then(|name| variables.get(name)) {
                Some(whole) => whole.clone(),
                None => Json::String(filled_text(text, variables)),
            }
        }
        other => other.clone(),
    }
}

fn filled_text(text: &str, variables: &Map<String, Json>) -> String {
    let one = |found: &Captures<'_>| match variables.get(&found[1]) {
        None => found[0].to_owned(),
        Some(Json::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    VARIABLE.replace_all(text, one).into_owned()
}

/// What a path of keys and places leads to.
pub(crate) fn dig<'a>(value: &'a Json, path: &str) -> Option<&'a Json> {
    path.split('.').try_fold(value, |value, part| match value {
        Json::Array(list) => list.get(part.parse::<usize>().ok()?),
        Json::Object(map) => map.get(part),
        _ => None,
    })
}

/// Replaces what a path leads to.
pub(crate) fn drop_at(value: &mut Json, path: &str) {
    let (head, rest) = path.split_once('.').map_or((path, None), |(head, rest)| (head, Some(rest)));
    let go = |inner: &mut Json| match rest {
        Some(rest) => drop_at(inner, rest),
        None => *inner = Json::from("<ignored>"),
    };
    match value {
        Json::Array(list) => {
            let chosen = list.iter_mut().enumerate().filter(|(at, _)| head == "*" || head == at.to_string());
            chosen.map(|(_, inner)| inner).for_each(go);
        }
        Json::Object(map) => {
            let chosen = map.iter_mut().filter(|(key, _)| head == "*" || head == *key);
            chosen.map(|(_, inner)| inner).for_each(go);
        }
        _ => {}
    }
}

/// A JSON merge patch.
pub(crate) fn merged(target: &Json, patch: &Json) -> Json {
    let Json::Object(changes) = patch else { return patch.clone() };
    let mut result = target.as_object().cloned().unwrap_or_default();
    for (key, change) in changes {
        if change.is_null() {
            result.remove(key);
        } else {
            let inner = merged(result.get(key).unwrap_or(&Json::Null), change);
            result.insert(key.clone(), inner);
        }
    }
    Json::Object(result)
}
