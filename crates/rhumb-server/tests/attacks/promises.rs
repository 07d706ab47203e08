//! What SECURITY.md says is tested, is tested.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// The one file that may do without the compiler's checks.
const AUDITED: &str = "crates/rhumb-schema/src/text/utf8.rs";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Finds the tests that a claim names; there must be one.
#[track_caller]
fn check(claim: &str) {
    let named = Regex::new(r"`(\w+)` in \[[^\]]+\]\(([^)]+)\)").unwrap();
    let mut count = 0;
    for found in named.captures_iter(claim) {
        let (name, path) = (&found[1], &found[2]);
        let source = fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let test = Regex::new(&format!(r"#\[(tokio::)?test[^\n]*\n\s*(async )?fn {name}\(")).unwrap();
        assert!(test.is_match(&source), "{path} has no test {name}");
        count += 1;
    }
    assert!(count > 0, "no test is named in\n{claim}");
}

#[test]
fn every_test_that_the_document_names_is_there() {
    let document = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let following = document.lines().skip(1).chain([""]);
    // The head of a table stands above a line of dashes.
    let is_row = |line: &str, next: &str| line.starts_with("| ") && !next.starts_with("|--");
    let rows: Vec<&str> = document
        .lines()
        .zip(following)
        .filter(|(line, next)| is_row(line, next))
        .map(|(line, _)| line)
        .collect();
    assert!(rows.len() > 10, "only {} rows are left", rows.len());
    rows.into_iter().for_each(check);
}

#[test]
fn every_claim_of_the_model_names_its_tests() {
    let document = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let model = document.split("\n## ").find(|part| part.starts_with("The model")).unwrap();
    let claims: Vec<&str> = model.split("\n* ").skip(1).collect();
    assert!(claims.len() > 5, "only {} claims are left", claims.len());
    for claim in claims {
        let end = claim.find("\n\n").unwrap_or(claim.len());
        check(&claim[..end].split_whitespace().collect::<Vec<_>>().join(" "));
    }
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn one_file_alone_may_do_without_the_compiler_s_checks() {
    let root = root();
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    assert!(read(&root.join("Cargo.toml")).contains("\nunsafe_code = \"deny\"\n"));
    let mut count = 0;
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let member = entry.unwrap().path();
        let manifest = read(&member.join("Cargo.toml"));
        assert!(manifest.contains("\n[lints]\nworkspace = true\n"), "{}", member.display());
        let mut all = Vec::new();
        sources(&member, &mut all);
        for source in all.into_iter().filter(|path| *path != root.join(AUDITED)) {
            let allows = read(&source).contains(concat!("(uns", "afe_code"));
            assert!(!allows, "{}", source.display());
            count += 1;
        }
    }
    assert!(count > 500, "only {count} files were read");
}
