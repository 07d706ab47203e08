//! Paths of the workspace, the build directory and tools.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The workspace.
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace this crate belongs to.
    ///
    /// Cargo says at run time where the crate lies, so a tree that was moved after a build is still found; the
    /// path known at build time serves a binary started by hand.
    pub(crate) fn locate() -> Result<Workspace, Failure> {
        let here = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = here.parent().filter(|root| root.join("Cargo.toml").is_file());
        let root = root.ok_or_else(|| Failure::new(format!("no workspace above {}", here.display())))?;
        Ok(Workspace { root: root.to_owned() })
    }

    /// The directory with the workspace's `Cargo.toml`.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns cargo's target directory.
    pub(crate) fn target(&self) -> PathBuf {
        match std::env::var_os("CARGO_TARGET_DIR") {
            Some(directory) => self.root.join(directory),
            None => self.root.join("target"),
        }
    }

    /// Returns the directory for installed tools.
    pub(crate) fn tools(&self) -> PathBuf {
        self.target().join("tools")
    }

    /// A path as shown to people: from the root where it can be.
    pub(crate) fn shown<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }
}
