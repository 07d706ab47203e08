//! Runs of generators in memory, and files to compare them with.

#![allow(dead_code, reason = "each test uses some of it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rhumb_codegen::file_type::{FileTypes, Json};
use rhumb_codegen::generator::Options;
use rhumb_codegen::generators;
use rhumb_codegen::run::run;
use rhumb_codegen::source::{self, Request};
use rhumb_codegen::universe::Universe;

/// The directory of the crate.
pub(crate) fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reads a crate with all of its packages.
pub(crate) fn load(dir: &Path) -> Result<Universe, String> {
    let sibling = |name: &str| (name.replace('-', "_"), here().join("..").join(name));
    let request = Request {
        paths: vec![dir.display().to_string()],
        crates: ["rhumb-meta", "rhumb-schema"].map(sibling).into(),
        ..Request::default()
    };
    source::load(&request).map_err(|problems| problems.to_string())
}

/// The crate that has everything in it.
pub(crate) fn harbor() -> Result<Universe, String> {
    load(&here().join("tests/data/harbor"))
}

/// The files that tools make, by their paths below an imaginary directory. YAML is shown as JSON.
pub(crate) fn made(
    universe: &Universe,
    tools: &[&str],
    flags: &[(&str, &str)],
) -> Result<BTreeMap<String, String>, String> {
    made_in(universe, tools, flags, Path::new("/nowhere"))
}

/// The same below a directory that may hold what tools read.
pub(crate) fn made_in(
    universe: &Universe,
    tools: &[&str],
    flags: &[(&str, &str)],
    out: &Path,
) -> Result<BTreeMap<String, String>, String> {
    let mut types = FileTypes::default();
    types.add("yaml", Json);
    let flags = flags.iter().map(|(name, value)| ((*name).to_owned(), vec![(*value).to_owned()]));
    let options = Options {
        command: format!("rhumb gen {}", tools.join(",")),
        out: Some(out.to_path_buf()),
        flags: flags.collect(),
        ..Options::default()
    };
    let tools = generators::named(tools).map_err(|problems| problems.to_string())?;
    let made = run(universe, &tools, &options, &types).map_err(|problems| problems.to_string())?;
    let name = |path: PathBuf| path.strip_prefix(out).unwrap_or(&path).display().to_string();
    Ok(made.files.into_iter().map(|(path, text)| (name(path), text)).collect())
}

/// Compares with a file in `tests/data`. With `RHUMB_WRITE_GOLDEN` set, writes it.
pub(crate) fn check_golden(name: &str, text: &str) -> Result<(), String> {
    let path = here().join("tests/data").join(name);
    if std::env::var_os("RHUMB_WRITE_GOLDEN").is_some() {
        fs::write(&path, text).map_err(|error| error.to_string())?;
    }
    let golden = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    if golden == text {
        return Ok(());
    }
    let differs = golden.lines().zip(text.lines()).position(|(one, other)| one != other);
    let line = differs.unwrap_or_else(|| golden.lines().count().min(text.lines().count()));
    Err(format!(
        "{name}:{} differs:\n- {}\n+ {}",
        line + 1,
        golden.lines().nth(line).unwrap_or("(nothing)"),
        text.lines().nth(line).unwrap_or("(nothing)")
    ))
}

/// A new crate in a directory for tests.
pub(crate) fn temporary(name: &str, files: &[(&str, &str)]) -> Result<PathBuf, String> {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It may be left from an earlier run, or never have been there.
    drop(fs::remove_dir_all(&dir));
    let manifest = ("Cargo.toml", "[package]\nname = \"temporary\"\n");
    for (path, text) in files.iter().chain([&manifest]) {
        let path = dir.join(path);
        let parent = path.parent().unwrap_or(&dir);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| error.to_string())?;
    }
    Ok(dir)
}
