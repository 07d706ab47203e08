//! The answers with a code above 499 that are right, because a real server gives them as well.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A line of the list.
struct Fault {
    code: u16,
    phrase: String,
    /// Where it was recorded: the file and the step.
    shown_by: (String, String),
}

/// The list that the fuzzer and `clients/schemathesis` share.
pub(crate) struct Faults(Vec<Fault>);

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

impl Faults {
    pub(crate) fn read() -> Self {
        let text = fs::read_to_string(tests().join("attacks/faults.txt")).expect("the list");
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let faults = lines.map(|line| {
            let parts: Vec<&str> = line.split(" | ").collect();
            let &[code, phrase, file, step] = parts.as_slice() else { panic!("{line}: not four parts") };
            Fault {
                code: code.parse().expect("a code"),
                phrase: phrase.to_owned(),
                shown_by: (file.to_owned(), step.to_owned()),
            }
        });
        Faults(faults.collect())
    }

    /// Whether an answer blames the server as Kubernetes does.
    pub(crate) fn has(&self, code: u16, answer: &str) -> bool {
        self.0.iter().any(|fault| fault.code == code && answer.contains(&fault.phrase))
    }
}

#[test]
fn a_real_server_gave_every_answer_that_blames_the_server() {
    let faults = Faults::read();
    assert!(faults.0.len() > 10);
    for Fault { code, phrase, shown_by: (file, step) } in faults.0 {
        let path = tests().join(format!("compare/cases/{file}.answers.json"));
        let recorded: Value = serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
        let answer = recorded.get(&step).unwrap_or_else(|| panic!("{file}: {step}: nothing was recorded"));
        assert_eq!(answer["status"], code, "{file}: {step}");
        let told = answer["body"]["message"].as_str().or_else(|| answer["text"].as_str()).unwrap_or_default();
        assert!(told.contains(&phrase), "{file}: {step}: {phrase}: {told}");
    }
}
