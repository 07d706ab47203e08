//! Sources of config map and secret entries: literals, files, directories, env files.

use std::path::Path;
use std::{fs, io};

use rhumb_cli::command::{Flag, Flags, Words};
use rhumb_cli::{Failure, Outcome};
use rhumb_meta::validation;

use crate::typed::os_text;

/// Flags of sources.
pub(super) static FLAGS: &[Flag] = &[
    Flag::list(
        "from-file",
        "A file or a directory of files; its name is the key unless one is given: key=file.",
    )
    .words(Words::Files),
    Flag::array("from-literal", "An entry itself: key=value."),
    Flag::list("from-env-file", "A file with lines of the form key=value.").words(Words::Files),
    Flag::bool("append-hash", "Append a hash of the entries to the name."),
];

/// Adds an entry: key and value.
pub(super) type Add<'a> = &'a mut dyn FnMut(&str, Vec<u8>) -> Outcome;

/// Sources that don't go together.
pub(super) fn check(flags: &Flags) -> Outcome {
    let given = |name: &str| !flags.list(name).is_empty();
    if given("from-env-file") && (given("from-file") || given("from-literal")) {
        return Err("from-env-file cannot be combined with from-file or from-literal".into());
    }
    Ok(())
}

/// Takes entries from the literals.
pub(super) fn literals(sources: &[String], add: Add<'_>) -> Outcome {
    for source in sources {
        match source.split_once('=') {
            Some((key, value)) if !key.is_empty() => add(key, value.as_bytes().to_vec())?,
            _ => return Err(format!("invalid literal source {source}, expected key=value").into()),
        }
    }
    Ok(())
}

/// Takes entries from files, and from the files in directories.
pub(super) fn files(sources: &[String], add: Add<'_>) -> Outcome {
    for source in sources {
        let (key, path) = parse_file(source)?;
        let about = fs::metadata(&path).map_err(|error| unreadable(&path, &error))?;
        if !about.is_dir() {
            file(&key, Path::new(&path), add)?;
            continue;
        }
        if source.contains('=') {
            return Err("cannot give a key name for a directory path".into());
        }
        let listing = |error: io::Error| {
            Failure::message(format!("error listing files in {path}: open {path}: {}", os_text(&error)))
        };
        let mut entries =
            fs::read_dir(&path).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(listing)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            if entry.file_type().is_ok_and(|kind| kind.is_file()) {
                file(&entry.file_name().to_string_lossy(), &entry.path(), add)?;
            }
        }
    }
    Ok(())
}

fn file(key: &str, path: &Path, add: Add<'_>) -> Outcome {
    let data = fs::read(path).map_err(|error| unopened(path, &error))?;
    add(key, data)
}

fn unreadable(path: &str, error: &io::Error) -> Failure {
    Failure::message(format!("error reading {path}: {}", os_text(error)))
}

fn unopened(path: &Path, error: &io::Error) -> Failure {
    Failure::message(format!("open {}: {}", path.display(), os_text(error)))
}

/// Returns the key and the path that a source names.
fn parse_file(source: &str) -> Result<(String, String), Failure> {
    let parts: Vec<&str> = source.split('=').collect();
    match parts.as_slice() {
        [path] => {
            let trimmed = path.trim_end_matches('/');
            let key = match (trimmed.rsplit('/').next().unwrap_or_default(), path.is_empty()) {
                (_, true) => ".",
                ("", false) => "/",
                (key, false) => key,
            };
            Ok((key.to_owned(), (*path).to_owned()))
        }
        ["", path] => Err(format!("key name for file path {path} missing").into()),
        [key, ""] => Err(format!("file path for key name {key} missing").into()),
        [key, path] => Ok(((*key).to_owned(), (*path).to_owned())),
        _ => Err("key names or file paths cannot contain '='".into()),
    }
}

/// Takes entries from files with variables. A directory is refused in the words given.
pub(super) fn env_files(sources: &[String], directory: &str, add: Add<'_>) -> Outcome {
    for path in sources {
        let about = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        if about.is_dir() {
            return Err(directory.into());
        }
        let text = fs::read(path).map_err(|error| unopened(Path::new(path), &error))?;
        for (key, value) in parse_env_file(path, &text)? {
            add(&key, value.into_bytes())?;
        }
    }
    Ok(())
}

/// Returns the variables in the text of a file: `KEY=value`, or `KEY` for the value it has around us.
pub(crate) fn parse_env_file(path: &str, text: &[u8]) -> Result<Vec<(String, String)>, Failure> {
    let mut variables = Vec::new();
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    for (at, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Ok(line) = std::str::from_utf8(line) else {
            let bytes: Vec<String> = line.iter().map(u8::to_string).collect();
            let (number, bytes) = (at + 1, bytes.join(" "));
            let text = format!("env file {path} contains invalid utf8 bytes at line {number}: [{bytes}]");
            return Err(text.into());
        };
        let line = line.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once('=').map_or((line, None), |(key, value)| (key, Some(value)));
        let wrong = validation::is_env_var_name(key);
        if !wrong.is_empty() {
            return Err(format!("{key:?} is not a valid key name: {}", wrong.join(";")).into());
        }
        let value = match value {
            Some(value) => value.to_owned(),
            None => std::env::var(key).unwrap_or_default(),
        };
        variables.push((key.to_owned(), value));
    }
    Ok(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_its_own_key_unless_one_is_given() {
        let parsed = |source: &str| parse_file(source).map_err(|failure| failure.bare());
        assert_eq!(parsed("dir/a.txt"), Ok(("a.txt".to_owned(), "dir/a.txt".to_owned())));
        assert_eq!(parsed("k=dir/a.txt"), Ok(("k".to_owned(), "dir/a.txt".to_owned())));
        assert_eq!(parsed("=x"), Err("key name for file path x missing".to_owned()));
        assert_eq!(parsed("k="), Err("file path for key name k missing".to_owned()));
        assert_eq!(parsed("a=b=c"), Err("key names or file paths cannot contain '='".to_owned()));
    }

    #[test]
    fn files_with_variables_have_comments() {
        let text = "\u{feff}A=1\n# no\n\n  B=two words\nC=\n";
        let variables = parse_env_file("env", text.as_bytes()).unwrap_or_default();
        let expected = [("A", "1"), ("B", "two words"), ("C", "")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(variables, expected);
        assert!(parse_env_file("env", b"A B=1").is_err());
    }
}
