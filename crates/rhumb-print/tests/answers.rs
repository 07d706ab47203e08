//! Our tables, compared with those of a real API server.
//!
//! A case is an object, and perhaps the status it is brought into; `tests/cases` holds them by topic with the
//! tables as they were recorded (`tools/record-answers.py --tables`). Columns must be equal but for their
//! descriptions, and cells must be equal but for ages of the objects themselves, which are some seconds:
//! those are compared by form. Other times in the cases are so long ago that their ages are whole years.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rhumb_codec::yaml;
use rhumb_meta::v1::Table;
use rhumb_meta::{Object, Time};
use rhumb_print::{Options, table};
use rhumb_scheme::{Scheme, Unstructured};
use serde_json::{Value as Json, json};

/// The time of the recording, as far as it matters.
const NOW: &str = "2026-11-15T23:00:00Z";

#[test]
fn every_table_is_that_of_the_real_server() {
    let scheme = rhumb_api::scheme().expect("the scheme");
    let (mut count, mut failures) = (0, Vec::new());
    for file in files() {
        let topic = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let answers = fs::read_to_string(file.with_extension("answers.json")).expect("answers");
        let answers: BTreeMap<String, Json> = serde_json::from_str(&answers).expect("JSON");
        for case in cases(&file) {
            let name = case["case"].as_str().expect("a name");
            count += 1;
            match answers.get(name) {
                Some(answer) if answer["code"] == 200 => {
                    let ours = ours(&scheme, &case);
                    failures.extend(differences(&ours, answer).map(|text| format!("{topic}#{name}: {text}")));
                }
                Some(answer) => failures.push(format!("{topic}#{name}: refused: {answer}")),
                None => failures.push(format!("{topic}#{name}: no answer is recorded")),
            }
        }
    }
    assert!(count >= 100, "only {count} cases were found");
    assert!(failures.is_empty(), "{} of {count} differ:\n{}", failures.len(), failures.join("\n"));
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("the cases").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    files
}

fn cases(file: &Path) -> Vec<Json> {
    let mut json = Vec::new();
    let text = fs::read(file).expect("a file");
    yaml::to_json(&text, &yaml::ReadOptions::default(), &mut json).expect("YAML");
    serde_json::from_slice(&json).expect("a list of cases")
}

/// Our table of a case's object, which is made now.
fn ours(scheme: &Scheme, case: &Json) -> Json {
    let mut tree = case["create"].clone();
    tree["metadata"]["creationTimestamp"] = json!(NOW);
    if !case["status"].is_null() {
        tree["status"] = case["status"].clone();
    }
    let given = Unstructured::new(tree).expect("an object");
    let now = Time::parse(NOW).expect("a time");
    let object: Box<dyn Object> = match scheme.typed(&given) {
        Ok(mut typed) => {
            scheme.default(&mut *typed);
            typed
        }
        // A kind without a type of its own is printed as custom ones are.
        Err(_) => Box::new(given),
    };
    let made = table(scheme, &*object, &Options::default(), now);
    tree_of(&made.expect("a table"))
}

fn tree_of(table: &Table) -> Json {
    Unstructured::from_object(table as &dyn Object).into_tree()
}

fn differences(ours: &Json, answer: &Json) -> impl Iterator<Item = String> + use<> {
    let mut found = Vec::new();
    let mut columns = ours["columnDefinitions"].clone();
    for column in columns.as_array_mut().into_iter().flatten() {
        let description = column.as_object_mut().and_then(|column| column.remove("description"));
        assert!(description.is_some_and(|text| text.as_str().is_some_and(|text| text.ends_with('.'))));
    }
    if columns != answer["columnDefinitions"] {
        found.push(format!("columns\n  ours   {columns}\n  theirs {}", answer["columnDefinitions"]));
    }
    let cells = |side: &Json| side["rows"][0]["cells"].as_array().cloned().unwrap_or_default();
    let (ours, theirs) = (cells(ours), cells(answer));
    let is_equal = ours.len() == theirs.len()
        && ours.iter().zip(&theirs).all(|(one, other)| one == other || (is_fresh(one) && is_fresh(other)));
    if !is_equal {
        let (ours, theirs) = (Json::Array(ours), Json::Array(theirs));
        found.push(format!("cells\n  ours   {ours}\n  theirs {theirs}"));
    }
    found.into_iter()
}

/// Whether a cell is the age of something made for the recording, or the time of that.
fn is_fresh(cell: &Json) -> bool {
    let Some(text) = cell.as_str() else { return false };
    let seconds = text.strip_suffix('s').is_some_and(|number| number.parse::<u8>().is_ok());
    seconds || (text.starts_with("2026-") && Time::parse(text).is_ok())
}
