//! Running generators and comparing what they make with files that are kept.
//!
//! With `RHUMB_WRITE_GOLDEN=1` the kept files are written instead.

#![allow(dead_code, reason = "each test program uses its part")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rhumb_codegen::file_type::FileTypes;
use rhumb_codegen::generator::Options;
use rhumb_codegen::problem::Outcome;
use rhumb_codegen::run::{Made, run};
use rhumb_codegen::source::{Request, load};
use rhumb_codegen::universe::Universe;
use rhumb_codegen::{generators, write};

/// The directory of tests.
pub(crate) fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Options with flags.
pub(crate) fn options(flags: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (name, value) in flags {
        options.flags.entry((*name).to_owned()).or_default().push((*value).to_owned());
    }
    options
}

/// Runs generators that look at no types.
pub(crate) fn make(tools: &[&str], options: &Options) -> Outcome<Made> {
    run(&Universe::default(), &generators::named(tools)?, options, &FileTypes::default())
}

/// Runs generators over modules.
pub(crate) fn make_of(tools: &[&str], paths: &[&str], options: &Options) -> Outcome<Made> {
    let paths = paths.iter().map(|path| tests().join(path).display().to_string()).collect();
    let sibling = |name: &str| (name.replace('-', "_"), tests().join("../..").join(name));
    let crates = ["rhumb-meta", "rhumb-schema"].map(sibling).into();
    let universe = load(&Request { paths, crates, ..Request::default() })?;
    run(&universe, &generators::named(tools)?, options, &FileTypes::default())
}

/// Checks files against those that are kept.
#[track_caller]
pub(crate) fn check(files: &BTreeMap<PathBuf, String>) {
    if std::env::var_os("RHUMB_WRITE_GOLDEN").is_some() {
        write::write(files).expect("it works");
    }
    let diff = write::verify(files).expect("it works");
    assert!(diff.is_empty(), "what is kept is stale:\n{diff}");
}

/// What a run refuses, with the directory of tests left out.
#[track_caller]
pub(crate) fn refusal(outcome: Outcome<Made>) -> String {
    let refused = outcome
        .map(|made| made.files.into_keys().collect::<Vec<_>>())
        .expect_err("it is refused")
        .to_string();
    relative(&refused)
}

/// A text without the directory that the tests are in.
pub(crate) fn relative(text: &str) -> String {
    text.replace(&format!("{}/", tests().display()), "").replace("tests/", "")
}
