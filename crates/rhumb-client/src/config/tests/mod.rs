//! Configuration as kubectl has it, without a process environment.

mod editing;
mod exec_plugins;
mod files;
mod in_cluster;
mod loading;
mod resolving;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Environment;

/// A directory that is gone after the test.
pub(super) struct Dir(PathBuf);

impl Dir {
    pub(super) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("rhumb-config-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        // The system's own temporary directory may be a link.
        Dir(path.canonicalize().unwrap())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.file(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }

    pub(super) fn environment(&self) -> Environment {
        Environment::empty().with_home(self.path()).with_working_dir(self.path())
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
