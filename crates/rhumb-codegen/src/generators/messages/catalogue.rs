//! Message catalogues.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::plural::Rule;
use super::{BASE, po, toml_file};
use crate::problem::{Outcome, Place, Problem, Problems, shown};

/// All messages of a language.
pub(super) struct Catalogue {
    /// The language's code: `de`, `pt_BR`.
    pub code: String,
    /// The file it was read from.
    pub file: PathBuf,
    /// Which form of a plural goes with a number.
    pub rule: Rule,
    /// The messages by id. Those that are there but not translated are not here.
    pub messages: BTreeMap<String, Message>,
}

/// A message in one language.
pub(super) struct Message {
    /// The text, or a text per plural form in the order of the language's rule.
    pub texts: Vec<String>,
    /// Whether it depends on a number, even if the language has one form only.
    pub is_plural: bool,
    /// Position.
    pub place: Place,
}

/// A file with lines for errors.
pub(super) struct Source {
    pub path: PathBuf,
    pub text: String,
    shown: Arc<Path>,
}

impl Source {
    pub(super) fn new(path: &Path, text: String) -> Self {
        Source { shown: shown(path).into(), path: path.to_path_buf(), text }
    }

    /// Returns a line of the file, counted from 1.
    pub(super) fn place(&self, line: usize) -> Place {
        let text = self.text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        Place { file: self.shown.clone(), line, text: text.into() }
    }

    /// Returns the line that a byte of the file is in.
    pub(super) fn place_of(&self, offset: usize) -> Place {
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        self.place(before.iter().filter(|byte| **byte == b'\n').count() + 1)
    }
}

/// Reads every language of a directory, the base first and the others in the order of their codes.
pub(super) fn read_all(dir: &Path) -> Outcome<Vec<Catalogue>> {
    let refused = |error: std::io::Error| Problems::from(Problem::file(&shown(dir), error));
    let mut problems = Problems::default();
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    for entry in fs::read_dir(dir).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        if !path.extension().is_some_and(|extension| extension == "toml" || extension == "po") {
            continue;
        }
        let code = path.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_");
        if !is_code(&code) {
            problems.push(Problem::file(
                &shown(&path),
                "the file is not named after a language, as `de.toml` and `pt_BR.po` are",
            ));
        } else if let Some(other) = files.insert(code, path.clone()) {
            let what = format!("{} is of the same language", shown(&other).display());
            problems.push(Problem::file(&shown(&path), what));
        }
    }
    let mut catalogues = Vec::new();
    for (code, path) in files {
        let read = fs::read_to_string(&path).map_err(|error| Problem::file(&shown(&path), error).into());
        let catalogue = read.and_then(|text| {
            let source = Source::new(&path, text);
            match path.extension().is_some_and(|extension| extension == "po") {
                true => po::read(&code, &source),
                false => toml_file::read(&code, &source),
            }
        });
        catalogues.extend(problems.take(catalogue));
    }
    let Some(base) = catalogues.iter().position(|catalogue| catalogue.code == BASE) else {
        if problems.0.is_empty() {
            let what =
                format!("there is no {BASE}.toml or {BASE}.po, which the other languages fall back to");
            problems.push(Problem::file(&shown(dir), what));
        }
        return problems.or(catalogues);
    };
    let base = catalogues.remove(base);
    catalogues.insert(0, base);
    problems.or(catalogues)
}

/// Reports whether it looks like `de`, `pt_BR` or `zh_Hant_TW`.
fn is_code(code: &str) -> bool {
    let mut parts = code.split('_');
    let language = parts.next().unwrap_or_default();
    (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_lowercase())
        && parts.all(|part| {
            (2..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}
