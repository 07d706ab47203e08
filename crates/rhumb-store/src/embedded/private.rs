//! Files that nobody but their owner reads: what is stored has secrets in it.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file for reading and writing, and makes it if it isn't there. One that others could read, as earlier
/// releases made them, is closed to them.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, OWNER_ONLY);
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mut permissions = file.metadata()?.permissions();
        if permissions.mode() & 0o077 != 0 {
            permissions.set_mode(OWNER_ONLY);
            file.set_permissions(permissions)?;
        }
    }
    Ok(file)
}

#[cfg(unix)]
const OWNER_ONLY: u32 = 0o600;
