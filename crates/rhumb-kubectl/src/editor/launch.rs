//! Runs the user's editor on a temporary file.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use rhumb_cli::{Call, Failure};
use tokio::process::Command;

use crate::raw::system_words;

/// Lets a person edit a text, and gives the file with what became of it.
pub(super) async fn edit(call: &mut Call, is_json: bool, text: &[u8]) -> Result<(PathBuf, Vec<u8>), Failure> {
    let (path, mut file) = create(call.program(), if is_json { ".json" } else { ".yaml" })?;
    if let Err(error) = file.write_all(text) {
        let _ = fs::remove_file(&path);
        return Err(Failure::message(error.to_string()));
    }
    drop(file);
    call.streams.out.flush()?;
    launch(&path).await?;
    let edited = fs::read(&path)
        .map_err(|error| Failure::message(format!("open {}: {}", path.display(), system_words(&error))))?;
    Ok((path, edited))
}

/// Creates a private temporary file.
fn create(program: &str, ending: &str) -> Result<(PathBuf, fs::File), Failure> {
    let mut number = u64::from(std::process::id());
    loop {
        let path = std::env::temp_dir().join(format!("{program}-edit-{number}{ending}"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                number = number.wrapping_add(1 << 22)
            }
            Err(error) => {
                return Err(Failure::message(format!("open {}: {}", path.display(), system_words(&error))));
            }
        }
    }
}

/// Returns the editor and the words before the file's name. Quotes are left to a shell.
fn words() -> (Vec<String>, bool) {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let editor = set("KUBE_EDITOR").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    if !editor.contains(' ') {
        return (vec![editor], false);
    }
    if !editor.contains(['"', '\'', '\\']) {
        return (editor.split(' ').map(str::to_owned).collect(), false);
    }
    let shell = set("SHELL").unwrap_or_else(|| "/bin/bash".to_owned());
    (vec![shell, "-c".to_owned(), editor], true)
}

async fn launch(path: &Path) -> Result<(), Failure> {
    let (words, in_shell) = words();
    let editor = rhumb_schema::text::quoted(words.join(" "));
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string();
    let mut args = words.clone();
    match args.last_mut() {
        Some(last) if in_shell => *last = format!("{last} {}", rhumb_schema::text::quoted(&path)),
        _ => args.push(path),
    }
    let mut args = args.into_iter();
    let program = args.next().unwrap_or_default();
    match Command::new(&program).args(args).status().await {
        Ok(status) if status.success() => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !program.contains('/') => {
            Err(Failure::message(format!("unable to launch the editor {editor}")))
        }
        _ => Err(Failure::message(format!("there was a problem with the editor {editor}"))),
    }
}

/// Lines with the ends that Windows has.
pub(super) fn with_carriage_returns(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 32);
    for byte in text {
        if *byte == b'\n' {
            out.push(b'\r');
        }
        out.push(*byte);
    }
    out
}
