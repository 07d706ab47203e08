//! The data directory of a server, which is its own for as long as it runs.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::StartError;
use crate::base::pki::files;
use crate::config::{Options, Storage};

/// The file that keeps other servers out.
const LOCK: &str = "lock";

/// A data directory that no other server has.
pub(super) struct DataDirectory {
    _lock: Option<File>,
}

impl DataDirectory {
    /// Makes the directory, if there is to be one, and keeps other servers out of it. Only those on an etcd may share
    /// theirs, because they are one cluster and have the same keys.
    pub(super) fn take(options: &Options) -> Result<Self, StartError> {
        let Some(directory) = &options.data_directory else { return Ok(DataDirectory { _lock: None }) };
        let failed = |error| StartError::File(directory.clone(), error);
        files::make_directory(directory).map_err(failed)?;
        if options.storage == Storage::Etcd {
            return Ok(DataDirectory { _lock: None });
        }
        let file = open(&directory.join(LOCK)).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(DataDirectory { _lock: Some(file) }),
            Err(TryLockError::WouldBlock) => Err(StartError::InUse(directory.clone())),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}
