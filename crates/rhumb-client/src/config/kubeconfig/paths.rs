//! Relative paths in kubeconfig files, resolved from the file's directory.

use std::path::{Component, Path, PathBuf};

use super::{AuthInfo, Cluster, Kubeconfig, Located};

impl Kubeconfig {
    /// Makes the paths of all entries absolute, relative to their files. Entries without a file are unchanged.
    pub fn resolve_paths(&mut self, working_dir: &Path) {
        for cluster in self.clusters.values_mut().filter(|cluster| cluster.origin.is_some()) {
            let base = base(cluster.origin.as_deref(), working_dir);
            cluster_paths(cluster).into_iter().for_each(|path| resolve(path, &base));
        }
        for user in self.users.values_mut().filter(|user| user.origin.is_some()) {
            let base = base(user.origin.as_deref(), working_dir);
            user_paths(user).into_iter().for_each(|path| resolve(path, &base));
        }
    }
}

impl Located<Cluster> {
    /// Writes paths below the directory of the entry's own file relative to it; others are made absolute.
    pub(in crate::config) fn relativize(&mut self, working_dir: &Path) {
        let base = base(self.origin.as_deref(), working_dir);
        cluster_paths(self).into_iter().for_each(|path| relativize(path, &base));
    }
}

impl Located<AuthInfo> {
    /// Writes paths below the directory of the entry's own file relative to it; others are made absolute.
    pub(in crate::config) fn relativize(&mut self, working_dir: &Path) {
        let base = base(self.origin.as_deref(), working_dir);
        user_paths(self).into_iter().for_each(|path| relativize(path, &base));
    }
}

/// Returns the directory that an entry's paths start from.
pub(super) fn base(origin: Option<&Path>, working_dir: &Path) -> PathBuf {
    clean(&working_dir.join(origin.and_then(Path::parent).unwrap_or(Path::new(""))))
}

fn cluster_paths(cluster: &mut Located<Cluster>) -> Vec<&mut String> {
    vec![&mut cluster.value.certificate_authority]
}

fn user_paths(user: &mut Located<AuthInfo>) -> Vec<&mut String> {
    let user = &mut user.value;
    let mut paths = vec![&mut user.client_certificate, &mut user.client_key, &mut user.token_file];
    // A command without a separator is looked for in `PATH`.
    paths.extend(
        user.exec.as_mut().map(|exec| &mut exec.command).filter(|command| command.contains(is_separator)),
    );
    paths
}

fn is_separator(character: char) -> bool {
    std::path::is_separator(character)
}

fn resolve(path: &mut String, base: &Path) {
    if !path.is_empty() && !Path::new(path).is_absolute() {
        *path = clean(&base.join(&*path)).to_string_lossy().into_owned();
    }
}

fn relativize(path: &mut String, base: &Path) {
    if path.is_empty() {
        return;
    }
    resolve(path, base);
    if let Ok(below) = clean(Path::new(&*path)).strip_prefix(base) {
        let below = below.to_string_lossy().into_owned();
        *path = if below.is_empty() { ".".to_owned() } else { below };
    }
}

/// Returns a path without `.` and `..`, as far as that can be said without looking at the disk.
pub(in crate::config) fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match out.components().next_back() {
                Some(Component::Normal(_)) => {
                    out.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                _ => out.push(".."),
            },
            other => out.push(other),
        }
    }
    if out.as_os_str().is_empty() { PathBuf::from(".") } else { out }
}
