//! Private files: written at once or not at all, and readable by their owner only.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::base::environment::{Entropy, uuid};

/// Makes a directory, and those above it, that only its owner can enter.
pub(crate) fn make_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let metadata = fs::metadata(path)?;
    if !metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a directory"));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Writes a file in place of what was there, unless that is the same and as private.
pub(crate) fn replace(path: &Path, content: &str, entropy: &dyn Entropy) -> io::Result<()> {
    let is_private = || Ok::<_, io::Error>(fs::metadata(path)?.permissions().mode() & 0o077 == 0);
    if read(path).is_ok_and(|kept| kept.as_deref() == Some(content)) && is_private()? {
        return Ok(());
    }
    let draft = write_draft(path, content, entropy)?;
    let renamed = fs::rename(&draft, path);
    if renamed.is_err() {
        let _ = fs::remove_file(&draft);
    }
    renamed?;
    sync_directory(path)
}

/// Writes a file that is not there yet, and gives what it holds: if another process was faster, what that one wrote.
pub(crate) fn create(path: &Path, content: String, entropy: &dyn Entropy) -> io::Result<String> {
    let draft = write_draft(path, &content, entropy)?;
    let linked = fs::hard_link(&draft, path);
    let _ = fs::remove_file(&draft);
    match linked {
        Ok(()) => sync_directory(path).map(|()| content),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fs::read_to_string(path),
        Err(error) => Err(error),
    }
}

/// What a file holds, if it is there.
pub(crate) fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn write_draft(path: &Path, content: &str, entropy: &dyn Entropy) -> io::Result<PathBuf> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", uuid(entropy)));
    let draft = path.with_file_name(name);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let written = file.write_all(content.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written.map(|()| draft)
}

/// A name is kept only when its directory is.
fn sync_directory(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => fs::File::open(parent)?.sync_all(),
        _ => fs::File::open(".")?.sync_all(),
    }
}
