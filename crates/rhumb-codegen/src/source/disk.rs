//! Files on disk, overlaid by unwritten ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The disk with an overlay of unwritten files.
#[derive(Default)]
pub(crate) struct Disk {
    in_front: BTreeMap<PathBuf, String>,
}

impl Disk {
    /// Returns the disk behind files that are not written yet, by their whole paths.
    pub(crate) fn behind(in_front: BTreeMap<PathBuf, String>) -> Self {
        Disk { in_front }
    }

    /// Returns the text of a file.
    pub(crate) fn read(&self, path: &Path) -> io::Result<String> {
        self.in_front.get(path).map_or_else(|| fs::read_to_string(path), |text| Ok(text.clone()))
    }

    /// Reports whether there is a file.
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        self.in_front.contains_key(path) || path.is_file()
    }

    /// Reports whether there is a directory.
    pub(crate) fn is_dir(&self, path: &Path) -> bool {
        let mut behind = self.in_front.range(path.to_path_buf()..);
        path.is_dir() || behind.next().is_some_and(|(file, _)| file != path && file.starts_with(path))
    }
}
