//! Atomic replacement of files that several processes write.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// Maximum size of a cache file; larger files are ignored.
const MAX_FILE: u64 = 64 << 20;

/// Opens a file of reasonable size and reads it, with the state it was in.
pub(super) fn read(path: &Path) -> io::Result<(Vec<u8>, fs::Metadata)> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > MAX_FILE {
        return Err(io::ErrorKind::InvalidData.into());
    }
    // Room for all of it, and for seeing that there is no more: a read or two instead of one for each doubling.
    let mut content = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default() + 64);
    (&mut file).take(MAX_FILE).read_to_end(&mut content)?;
    Ok((content, metadata))
}

/// Puts a file in the place of another, through one beside it, so that a reader has the old or the new one.
pub(super) fn replace(path: &Path, content: &[&[u8]]) -> io::Result<()> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    create_dir(dir)?;
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}{}", std::process::id(), fastrand::u32(..)));
    let temporary = dir.join(temporary);
    let outcome = write_new(&temporary, content).and_then(|()| fs::rename(&temporary, path));
    if outcome.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    outcome
}

fn create_dir(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o750);
    builder.create(dir)
}

fn write_new(path: &Path, content: &[&[u8]]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o660);
    let mut file = options.open(path)?;
    // Whatever the process's mask says: others of the group may share the cache, as with kubectl.
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o660))?;
    content.iter().try_for_each(|part| file.write_all(part))
}
