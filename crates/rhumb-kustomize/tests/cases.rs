//! Every directory in `cases` is a kustomization with what `kubectl kustomize` 1.36.4 printed for it.
//!
//! `in` is what was built, or `in/NAME` if there is a file `build-at` with that name. `expected.yaml` is the
//! output, `expected.err` the error stream of those that fail, where `DIR` stands for the case's own
//! directory. A file `options` has words for options other than the defaults.

use std::fs;
use std::path::{Path, PathBuf};

use rhumb_kustomize::{Disk, LoadRestrictions, Notice, Options, Reorder, build};

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut cases: Vec<PathBuf> =
        fs::read_dir(root).expect("cases").map(|entry| entry.expect("entry").path()).collect();
    cases.sort();
    cases
}

fn options(case: &Path) -> Options {
    let mut options = Options::default();
    for word in fs::read_to_string(case.join("options")).unwrap_or_default().split_whitespace() {
        match word {
            "--load-restrictor=LoadRestrictionsNone" => options.load_restrictions = LoadRestrictions::None,
            "--reorder=none" => options.reorder = Reorder::None,
            "--reorder=legacy" => options.reorder = Reorder::Legacy,
            other => panic!("{case:?}: unknown option {other}"),
        }
    }
    options
}

/// What kubectl would have written to its two streams.
fn run(case: &Path) -> (String, String) {
    let at = fs::read_to_string(case.join("build-at")).unwrap_or_default();
    let root = case.join("in").join(at.trim());
    let shown = |notices: &[Notice]| -> String {
        let line = |notice: &Notice| match notice {
            Notice::Warning(text) => format!("{text}\n"),
            Notice::Log(text) => format!("TIME {text}\n"),
        };
        notices.iter().map(line).collect()
    };
    let (out, errors) = match build(&Disk, &root, &options(case)) {
        Ok(built) => (built.to_yaml(), shown(&built.notices)),
        Err(error) => {
            let message = error.to_string();
            let end = if message.ends_with('\n') { "" } else { "\n" };
            (String::new(), format!("{}error: {message}{end}", shown(error.notices())))
        }
    };
    // kubectl prints where its generator lies in memory.
    let errors = match errors.split_once("merging from generator ") {
        Some((before, rest)) => {
            let rest = rest.split_once(": ").map_or(rest, |(_, rest)| rest);
            format!("{before}merging from generator GENERATOR: {rest}")
        }
        None => errors,
    };
    (out, errors.replace(&case.canonicalize().expect("case").display().to_string(), "DIR"))
}

#[test]
fn every_case_is_built_as_kubectl_builds_it() {
    let mut failed = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 60, "only {} cases", cases.len());
    for case in cases {
        let read = |name: &str| fs::read_to_string(case.join(name)).unwrap_or_default();
        let (out, errors) = run(&case);
        let name = case.file_name().expect("name").to_string_lossy().into_owned();
        for (what, expected, found) in
            [("output", read("expected.yaml"), out), ("errors", read("expected.err"), errors)]
        {
            if expected != found {
                failed.push(format!("== {name}: {what}\n-- expected\n{expected}-- found\n{found}"));
            }
        }
    }
    assert!(failed.is_empty(), "{} differ\n{}", failed.len(), failed.join("\n"));
}
