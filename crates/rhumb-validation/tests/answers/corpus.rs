//! Reading the cases and their answers, and telling what failed.
//!
//! `TOPIC.yaml` is a list of cases, and `TOPIC.answers.json` beside it a map from their names to the answers.
//! A case has
//! - `case`: its name;
//! - `create`: the object that is made, after the objects in `requires`, and then brought into a `status`;
//! - `update`: a merge patch onto the object as it was served, where the answer is that to the change;
//! - `subresource`: where the update is sent to, or the object in `post`, which takes the place of an update;
//! - `ignore`: fields of an accepted object that are not compared, and `because`: why.
//!
//! An answer has the `code`, `message` and `causes` of a refusal or the `object` as it was served, for an update also
//! the object as it was `created`, and the `current` one where the subresource shows it as another kind.
//!
//! `CASES=core/pods` runs only the files whose name begins so, `CASES=core/pods#port-name` only that case of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rhumb_codec::yaml;
use serde_json::{Value as Json, json};

use crate::tree::cut;

/// The most bytes that the report of all failures has.
const REPORT: usize = 40_000;

/// What a case can have.
const KEYS: [&str; 9] =
    ["case", "create", "requires", "status", "update", "subresource", "post", "ignore", "because"];

/// A case with the answer that the real server gave.
pub(crate) struct Case {
    /// The file and the name in it.
    pub(crate) name: String,
    pub(crate) text: Json,
    pub(crate) answer: Json,
}

impl Case {
    pub(crate) fn subresource(&self) -> Option<&str> {
        self.text["subresource"].as_str()
    }

    /// The code of the answer.
    pub(crate) fn code(&self) -> i64 {
        self.answer["code"].as_i64().unwrap_or_default()
    }
}

/// All cases of a folder that are asked for, and what is wrong with the files themselves.
pub(crate) fn read(folder: &str) -> (Vec<Case>, Vec<String>) {
    let root = tests().join(folder);
    let filter = filter();
    let (wanted_file, wanted_case) = filter.split_once('#').unwrap_or((&filter, ""));
    let (mut cases, mut faults) = (Vec::new(), Vec::new());
    for path in files(&root) {
        let name = path.strip_prefix(&root).expect("below").display().to_string();
        let Some(name) = name.strip_suffix(".yaml").filter(|name| name.starts_with(wanted_file)) else {
            faults.extend(stray(&path).map(|fault| format!("{name}: {fault}")));
            continue;
        };
        match read_file(&path) {
            Ok(read) => {
                for (case, text, answer) in read {
                    if !wanted_case.is_empty() && case != wanted_case {
                        continue;
                    }
                    let name = format!("{name}#{case}");
                    match answer {
                        Some(answer) => cases.push(Case { name, text, answer }),
                        None => faults.push(format!("{name}: no answer is recorded")),
                    }
                }
            }
            Err(fault) => faults.push(format!("{name}: {fault}")),
        }
    }
    (cases, faults)
}

/// The names of the folders right below one.
pub(crate) fn folders(parent: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(parent).expect("a folder").map(|entry| entry.expect("an entry"));
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Where the tests stand.
pub(crate) fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Which cases are asked for; all, if it's empty.
pub(crate) fn filter() -> String {
    std::env::var("CASES").unwrap_or_default()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What is wrong with a file that holds no cases, if it's not the answers to some.
fn stray(path: &Path) -> Option<&'static str> {
    let text = path.to_string_lossy();
    match text.strip_suffix(".answers.json") {
        Some(topic) if Path::new(&format!("{topic}.yaml")).exists() => None,
        Some(_) => Some("answers without cases"),
        None if text.ends_with(".yaml") => None,
        None => Some("neither cases nor answers"),
    }
}

type Read = Vec<(String, Json, Option<Json>)>;

fn read_file(path: &Path) -> Result<Read, String> {
    let mut json = Vec::new();
    let text = fs::read(path).map_err(|error| error.to_string())?;
    yaml::to_json(&text, &yaml::ReadOptions::default(), &mut json).map_err(|error| error.to_string())?;
    let cases: Vec<Json> = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    let answers = fs::read_to_string(path.with_extension("answers.json"));
    let answers = answers.map_err(|error| format!("answers: {error}"))?;
    pair(cases, serde_json::from_str(&answers).map_err(|error| format!("answers: {error}"))?)
}

/// Puts each answer to its case.
fn pair(cases: Vec<Json>, mut answers: BTreeMap<String, Json>) -> Result<Read, String> {
    let mut read: Read = Vec::new();
    for case in cases {
        let name = case["case"].as_str().ok_or("a case without a name")?.to_owned();
        if read.iter().any(|(other, ..)| *other == name) {
            return Err(format!("two cases are called {name}"));
        }
        let mut keys = case.as_object().into_iter().flat_map(serde_json::Map::keys);
        if let Some(key) = keys.find(|key| !KEYS.contains(&key.as_str())) {
            return Err(format!("{name} has a {key}, which means nothing"));
        }
        if !case["ignore"].is_null() && case["because"].is_null() {
            return Err(format!("{name} ignores fields without saying why"));
        }
        let answer = answers.remove(&name);
        read.push((name, case, answer));
    }
    match answers.keys().next() {
        Some(name) => Err(format!("the answer to {name} has no case")),
        None => Ok(read),
    }
}

/// Fails with all that is wrong, if anything is.
pub(crate) fn report(cases: usize, failures: &[String]) {
    let text = failures.join("\n");
    assert!(failures.is_empty(), "{} failures in {cases} cases:\n{}", failures.len(), cut(&text, REPORT));
}

#[test]
fn cases_and_answers_must_fit() {
    let check = |cases: Json, answers: Json| {
        let (Json::Array(cases), Ok(answers)) = (cases, serde_json::from_value(answers)) else {
            return "no list and map".to_owned();
        };
        match pair(cases, answers) {
            Ok(read) => format!("{} answered", read.iter().filter(|(.., answer)| answer.is_some()).count()),
            Err(fault) => fault,
        }
    };
    assert_eq!(check(json!([{"case": "a"}, {"case": "b"}]), json!({"a": {}})), "1 answered");
    assert_eq!(check(json!([{"case": "a"}]), json!({"a": {}, "b": {}})), "the answer to b has no case");
    assert_eq!(check(json!([{"case": "a"}, {"case": "a"}]), json!({"a": {}})), "two cases are called a");
    assert_eq!(check(json!([{"create": {}}]), json!({})), "a case without a name");
    assert_eq!(check(json!([{"case": "a", "updat": {}}]), json!({})), "a has a updat, which means nothing");
    assert_eq!(check(json!([{"case": "a", "ignore": []}]), json!({})), "a ignores fields without saying why");
}

#[test]
fn answers_stand_beside_cases() {
    let root = tests();
    assert_eq!(stray(&root.join("reviews/access.answers.json")), None);
    assert_eq!(stray(&root.join("reviews/gone.answers.json")), Some("answers without cases"));
    assert_eq!(stray(&root.join("reviews/access.yml")), Some("neither cases nor answers"));
}
