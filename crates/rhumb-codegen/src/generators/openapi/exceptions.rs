//! Exceptions file: known violations of API rules that are kept for compatibility.
//!
//! It holds the lines of the linter, one for each. What is not in it fails, and what is in it but no longer violated
//! fails too, so that it only ever says what is true. Empty lines and those that begin with `#` are for people.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::rules::{PREFIX, Violation};
use crate::problem::{Outcome, Place, Problem, Problems, shown};

/// Compares violations with the file. Lines about packages that were not looked at are passed over.
///
/// # Errors
/// Violations that the file doesn't have, lines that are no longer true, and lines that can't be read.
pub(crate) fn check(file: &Path, found: &[Violation], checked: &BTreeSet<&str>) -> Outcome<()> {
    let mut problems = Problems::default();
    let mut known = problems.take(read(file)).unwrap_or_default();
    for violation in found {
        if known.remove(&violation.line()).is_none() {
            problems.push(Problem { place: violation.place.clone(), message: violation.line() });
        }
    }
    for (line, place) in known {
        if package(&line).is_some_and(|package| checked.contains(package)) {
            problems.push(Problem::at(&place, "this is no longer violated: take the line out"));
        }
    }
    problems.or(())
}

/// Returns the file with the violations that there are. Lines about other packages stay, comments don't.
///
/// # Errors
/// If there is a file that can't be read.
pub(crate) fn update(file: &Path, found: &[Violation], checked: &BTreeSet<&str>) -> Outcome<String> {
    let old = read(file)?
        .into_keys()
        .filter(|line| package(line).is_some_and(|package| !checked.contains(package)));
    let lines: BTreeSet<String> = old.chain(found.iter().map(Violation::line)).collect();
    Ok(lines.into_iter().map(|line| line + "\n").collect())
}

fn package(line: &str) -> Option<&str> {
    line.strip_prefix(PREFIX)?.split(',').nth(1)
}

fn read(file: &Path) -> Outcome<BTreeMap<String, Place>> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Problem::file(&shown(file), error).into()),
    };
    let mut problems = Problems::default();
    let mut lines = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let place = Place { file: shown(file).into(), line: index + 1, text: line.into() };
        if line.strip_prefix(PREFIX).is_none_or(|rest| rest.split(',').count() != 4) {
            let what = format!("expected `{PREFIX}rule,package,type,field`");
            problems.push(Problem::at(&place, what));
        }
        lines.insert(line.to_owned(), place);
    }
    problems.or(lines)
}
