//! Discovery against a small server and against files that kubectl wrote.

mod caching;
mod files;
mod http_cache;
mod mapping;
mod server;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::CachedDiscovery;

/// A directory that is gone after the test.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("rhumb-discovery-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Dir(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Longer than a test takes on a busy machine.
const GRACE: Duration = Duration::from_secs(600);

fn in_memory(server: &server::Server) -> CachedDiscovery {
    CachedDiscovery::in_memory(&server.client).with_grace(GRACE)
}

/// Lets time pass, all at once. It runs as ever before and after, because there are connections to wait for.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// What kubectl 1.36 wrote about a kube-apiserver 1.36.
fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/discovery/tests/data/kubectl")
}
