//! Discovery cache in kubectl's files.
//!
//! Below `~/.kube/cache/discovery/<host>_<port>` stand `servergroups.json` and for each version
//! `<group>/<version>/serverresources.json`. A file counts for six hours from when it was written. kubectl writes the
//! same files; either reads what the other wrote. A file that is torn, of another kind or about another version is
//! passed over and written anew.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use parking_lot::Mutex;
use rhumb_codec::{Strictness, json};
use rhumb_meta::v1::{APIGroupList, APIResourceList};
use rhumb_meta::{GroupVersion, Object};
use tokio::time::Instant;

use super::{DiscoveryCache, replace};
use crate::config::Environment;

/// Maximum age of a file.
const TTL: Duration = Duration::from_secs(6 * 60 * 60);

/// Discovery cache in kubectl's files. Several processes may use it at once.
#[derive(Debug)]
pub struct DiskCache {
    dir: PathBuf,
    ttl: Duration,
    environment: Environment,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The files that this process wrote since it was told that what was there is too old.
    ours: HashSet<PathBuf>,
    written: Option<Instant>,
    /// Whether files of others are passed over.
    only_ours: bool,
    used_others: bool,
}

impl DiskCache {
    /// Creates a cache in a directory for one server, with the environment's clock.
    pub fn new(dir: impl Into<PathBuf>, environment: &Environment) -> Self {
        DiskCache { dir: dir.into(), ttl: TTL, environment: environment.clone(), state: Mutex::default() }
    }

    /// Creates a cache for a server below kubectl's cache directory.
    pub fn for_server(cache_dir: &Path, server: &Uri, environment: &Environment) -> Self {
        DiskCache::new(cache_dir.join("discovery").join(host_dir(server)), environment)
    }

    /// Returns kubectl's cache directory: `$KUBECACHEDIR` or `~/.kube/cache`.
    pub fn default_dir(environment: &Environment) -> Option<PathBuf> {
        match environment.variable("KUBECACHEDIR") {
            Some(dir) => Some(PathBuf::from(dir)),
            None => environment.home().map(|home| home.join(".kube").join("cache")),
        }
    }

    /// Sets the maximum age of files in place of six hours.
    pub fn with_ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Returns the directory of the files.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns a version's file; none if the names would lead out of the directory.
    fn file(&self, version: &GroupVersion) -> Option<PathBuf> {
        let is_name = |part: &str| {
            !part.is_empty() && part != "." && part != ".." && !part.contains(std::path::is_separator)
        };
        let group = Some(&*version.group).filter(|group| !group.is_empty());
        let parts: Vec<&str> = group.into_iter().chain([&*version.version]).collect();
        if !parts.iter().all(|part| is_name(part)) {
            return None;
        }
        let mut path = self.dir.clone();
        path.extend(parts);
        path.push("serverresources.json");
        Some(path)
    }

    fn load<T: Object + Default>(
        &self,
        path: &Path,
        kind: &str,
        fits: impl Fn(&T) -> bool,
    ) -> Option<Arc<T>> {
        let is_ours = {
            let state = self.state.lock();
            let is_ours = state.ours.contains(path);
            if state.only_ours && !is_ours {
                return None;
            }
            is_ours
        };
        let (content, metadata) = replace::read(path).ok()?;
        let written = metadata.modified().ok()?;
        if self.environment.now() > written.checked_add(self.ttl)? {
            return None;
        }
        let mut value = T::default();
        json::decode_into(&content, &mut value, Strictness::Ignore).ok()?;
        if value.type_meta() != ("v1", kind) || !fits(&value) {
            return None;
        }
        let mut state = self.state.lock();
        state.used_others |= !is_ours;
        // The kind is for the file alone; what comes from the server in this way does not say it.
        value.set_type_meta("", "");
        Some(Arc::new(value))
    }

    fn keep<T: Object + Clone>(&self, path: PathBuf, kind: &str, value: &T) {
        let mut value = value.clone();
        value.set_type_meta("v1", kind);
        let mut content = Vec::new();
        json::encode(&value, &mut content);
        // A cache that can't be written is as if there were none.
        if replace::replace(&path, &[&content, b"\n"]).is_ok() {
            let mut state = self.state.lock();
            state.ours.insert(path);
            state.written = Some(Instant::now());
        }
    }
}

impl DiscoveryCache for DiskCache {
    fn groups(&self) -> Option<Arc<APIGroupList>> {
        self.load(&self.dir.join("servergroups.json"), "APIGroupList", |_: &APIGroupList| true)
    }

    fn keep_groups(&self, groups: &Arc<APIGroupList>) {
        self.keep(self.dir.join("servergroups.json"), "APIGroupList", &**groups);
    }

    fn resources(&self, version: &GroupVersion) -> Option<Arc<APIResourceList>> {
        let name = version.to_string();
        self.load(&self.file(version)?, "APIResourceList", |list: &APIResourceList| {
            list.group_version == name
        })
    }

    fn keep_resources(&self, version: &GroupVersion, resources: &Arc<APIResourceList>) {
        if let Some(path) = self.file(version) {
            self.keep(path, "APIResourceList", &**resources);
        }
    }

    fn is_fresh(&self, within: Duration) -> bool {
        let state = self.state.lock();
        !state.used_others && state.written.is_some_and(|written| written.elapsed() < within)
    }

    fn invalidate(&self) {
        *self.state.lock() = State { only_ours: true, ..State::default() };
    }
}

/// Returns the directory of a server: its address without the scheme, with `_` for what file names better don't have.
fn host_dir(server: &Uri) -> PathBuf {
    let authority = server.authority().map_or("", |authority| authority.as_str());
    let path = server.path().trim_end_matches('/');
    let name: String = format!("{authority}{path}")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "_/.()".contains(c) { c } else { '_' })
        .collect();
    name.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::host_dir;

    #[test]
    fn a_server_has_kubectls_directory() {
        for (server, dir) in [
            ("https://127.0.0.1:7843", "127.0.0.1_7843"),
            ("http://[::1]:8080/", "___1__8080"),
            ("https://api.example.com/k8s/clusters/c-abc", "api.example.com/k8s/clusters/c_abc"),
            ("https://a/../../b", "a/b"),
        ] {
            assert_eq!(host_dir(&server.parse().unwrap()), Path::new(dir));
        }
    }
}
