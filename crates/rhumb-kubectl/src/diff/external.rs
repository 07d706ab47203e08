//! External diff programs.

use std::fs;
use std::path::{Path, PathBuf};

use rhumb_cli::Failure;
use rhumb_schema::text::quoted;
use tokio::process::Command;

use super::Texts;
use crate::raw::system_words;

/// Returns the program of `KUBECTL_EXTERNAL_DIFF` with its allowed flags.
pub(super) fn program() -> Option<Vec<String>> {
    let value = std::env::var("KUBECTL_EXTERNAL_DIFF").ok().filter(|value| !value.is_empty())?;
    let is_allowed = |word: &str| {
        !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-=".contains(letter))
    };
    let mut words = value.split(' ');
    let mut program = vec![words.next().unwrap_or_default().to_owned()];
    program.extend(words.filter(|word| is_allowed(word)).map(str::to_owned));
    Some(program)
}

/// Temporary directory, removed on drop.
struct Directory(PathBuf);

impl Directory {
    fn create(prefix: &str) -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("{prefix}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).map_err(|error| unwritable(&path, &error))?;
        Ok(Directory(path))
    }

    fn write(&self, name: &str, text: &[u8]) -> Result<(), Failure> {
        let path = self.0.join(name);
        fs::write(&path, text).map_err(|error| unwritable(&path, &error))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::message(format!("open {}: {}", path.display(), system_words(error)))
}

/// Runs it on the two states, each in a directory of its own. Tells whether they differ.
pub(super) async fn run(program: &[String], texts: &Texts) -> Result<bool, Failure> {
    let (from, to) = (Directory::create("LIVE")?, Directory::create("MERGED")?);
    for (name, (live, merged)) in texts {
        from.write(name, live)?;
        if let Some(merged) = merged {
            to.write(name, merged)?;
        }
    }
    let [name, flags @ ..] = program else { return Ok(false) };
    let failed = |why: String| Failure::message(format!("failed to run {}: {why}", quoted(name)));
    match Command::new(name).arg(&from.0).arg(&to.0).args(flags).status().await {
        Ok(status) => match status.code() {
            Some(0) => Ok(false),
            Some(1) => Ok(true),
            Some(code) => Err(failed(format!("exit status {code}"))),
            None => Err(failed(status.to_string())),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(failed("executable file not found in $PATH".to_owned()))
        }
        Err(error) => Err(failed(format!("fork/exec {name}: {}", system_words(&error)))),
    }
}
