//! Directories that tests may fill; they vanish with the value.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// A directory of one's own.
pub struct Scratch {
    pub path: PathBuf,
}

impl Scratch {
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("store-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        // Another process may have left one of that name behind.
        drop(std::fs::remove_dir_all(&path));
        std::fs::create_dir_all(&path).expect("a directory");
        Scratch { path }
    }

    /// A name in the directory.
    pub fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.path));
    }
}
