//! The file that keeps a second process out of a directory.
//!
//! It also holds the newest revision as of the last time the store was closed in order. That is a lower bound for ever
//! after, so that a file which was put back from an older copy, cut or emptied is noticed.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::private;
use crate::error::StoreError;
use crate::revision::Revision;

const FILE: &str = "lock";

/// A directory that is ours as long as this lives.
pub(super) struct Lock {
    file: File,
    path: PathBuf,
    directory: PathBuf,
}

impl Lock {
    /// Makes a directory ours; it is created if it isn't there.
    pub(super) fn take(directory: &Path) -> Result<Lock, StoreError> {
        let failed = |error: std::io::Error| {
            StoreError::Failed(format!("{} can't be used: {error}", directory.display()))
        };
        std::fs::create_dir_all(directory).map_err(failed)?;
        let path = directory.join(FILE);
        let file = private::open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { file, path, directory: directory.to_owned() }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Failed(format!(
                "{} is in use by another process; end that one, or choose another directory",
                directory.display()
            ))),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// A revision that was certainly kept.
    pub(super) fn newest(&self) -> Result<Revision, StoreError> {
        let mut text = String::new();
        (&self.file).take(64).read_to_string(&mut text).map_err(|error| self.failed(&error))?;
        // A note that was cut short by a crash says nothing; the file itself is still checked.
        let newest = text.strip_suffix('\n').and_then(|text| text.parse().ok());
        Ok(newest.map_or(Revision::ZERO, Revision))
    }

    /// Notes a revision that is certainly kept.
    pub(super) fn note(mut self, newest: Revision) -> Result<(), StoreError> {
        let written = (|| {
            self.file.set_len(0)?;
            self.file.seek(SeekFrom::Start(0))?;
            self.file.write_all(format!("{newest}\n").as_bytes())?;
            self.file.sync_all()
        })();
        written.map_err(|error| self.failed(&error))
    }

    /// Makes the directory and the names in it survive a loss of power.
    pub(super) fn sync_directory(&self) -> Result<(), StoreError> {
        let synced = std::path::absolute(&self.directory).and_then(|directory| {
            sync_directory(&directory)?;
            directory.parent().map_or(Ok(()), sync_directory)
        });
        synced.map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &std::io::Error) -> StoreError {
        StoreError::Failed(format!("{}: {error}", self.path.display()))
    }
}

/// Makes the names in a directory survive a loss of power.
pub(super) fn sync_directory(directory: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}
