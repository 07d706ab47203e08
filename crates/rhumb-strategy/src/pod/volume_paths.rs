//! Warnings about overlapping paths in volumes.

use std::collections::HashMap;

use rhumb_api::core::v1::{DownwardAPIVolumeFile, KeyToPath, Volume, VolumeProjection};
use rhumb_schema::budget;
use rhumb_schema::text::quoted;

/// A path in a volume, with its source if there are several.
struct Place {
    path: String,
    source: String,
}

impl Place {
    fn new(path: &str, source: &str) -> Self {
        Place { path: path.trim_end_matches('/').to_owned(), source: source.to_owned() }
    }

    fn shown(&self) -> String {
        let path = quoted(&self.path);
        if self.source.is_empty() { path } else { format!("{path} ({})", self.source) }
    }
}

/// Maximum size and number of reported overlaps per volume; clients show far fewer.
const MOST_BYTES: usize = 64 << 10;
const MOST: usize = 1000;

/// Paths found so far, by component.
#[derive(Default)]
struct Paths<'a> {
    /// Entries below a directory.
    parts: HashMap<(usize, &'a str), usize>,
    directories: Vec<Directory>,
}

/// Paths to a directory and below.
#[derive(Default)]
struct Directory {
    here: Vec<usize>,
    within: Vec<usize>,
}

impl<'a> Paths<'a> {
    /// Adds a path, and gives the places of those before that are the same, above or below it.
    fn add(&mut self, path: &'a str, place: usize) -> Vec<usize> {
        if path.is_empty() {
            return Vec::new();
        }
        if self.directories.is_empty() {
            self.directories.push(Directory::default());
        }
        let (mut found, mut at) = (Vec::new(), 0);
        for part in path.split('/') {
            let next = self.directories.len();
            at = *self.parts.entry((at, part)).or_insert(next);
            if at == next {
                self.directories.push(Directory::default());
            }
            if let Some(directory) = self.directories.get_mut(at) {
                found.extend(directory.here.iter().take(MOST));
                directory.within.push(place);
            }
        }
        if let Some(directory) = self.directories.get_mut(at) {
            // Those that lead here were found above.
            found.truncate(found.len() - directory.here.len().min(MOST));
            directory.within.pop();
            found.extend(directory.within.iter().take(MOST));
            directory.within.push(place);
            directory.here.push(place);
        }
        found.sort_unstable();
        found
    }
}

/// Warns of overlapping paths in each of the volumes.
pub(super) fn warn_overlaps(volumes: &[Volume], warnings: &mut Vec<String>) {
    for volume in volumes {
        let source = &volume.volume_source;
        let mut check = |what: &str, places: Vec<Place>| {
            for overlap in overlaps(&places) {
                warnings
                    .push(format!("volume {} ({what}): overlapping paths: {overlap}", quoted(&volume.name)));
            }
        };
        if let Some(map) = &source.config_map {
            let name = quoted(&map.local_object_reference.name);
            check(&format!("ConfigMap {name}"), keys(&map.items, ""));
        }
        if let Some(secret) = &source.secret {
            check(&format!("Secret {}", quoted(&secret.secret_name)), keys(&secret.items, ""));
        }
        if let Some(fields) = &source.downward_api {
            check("DownwardAPI", files(&fields.items, ""));
        }
        if let Some(projected) = &source.projected {
            warn_projected(&volume.name, &projected.sources, warnings);
        }
    }
}

fn warn_projected(volume: &str, sources: &[VolumeProjection], warnings: &mut Vec<String>) {
    let volume = quoted(volume);
    let all: Vec<Vec<Place>> = sources.iter().map(places).collect();
    let seen: Vec<&Place> = all.iter().flatten().collect();
    let (mut index, mut told, mut size) = (0, 0, 0);
    let mut paths = Paths::default();
    for (source, own) in sources.iter().zip(&all) {
        if *source == VolumeProjection::default() {
            warnings.push(format!("volume {volume} (Projected) has no sources provided"));
        }
        for place in own {
            for other in paths.add(&place.path, index).into_iter().filter_map(|other| seen.get(other)) {
                if told >= MOST || size >= MOST_BYTES || budget::is_stopped() {
                    break;
                }
                let (place, other) = (place.shown(), other.shown());
                (told, size) = (told + 1, size + place.len() + other.len());
                warnings
                    .push(format!("volume {volume} (Projected): overlapping paths: {place} with {other}"));
            }
            index += 1;
        }
    }
}

/// Returns the paths of the first source that says some.
fn places(source: &VolumeProjection) -> Vec<Place> {
    let config_map = source.config_map.as_ref().filter(|map| !map.items.is_empty());
    let secret = source.secret.as_ref().filter(|secret| !secret.items.is_empty());
    let fields = source.downward_api.as_ref().filter(|fields| !fields.items.is_empty());
    if let Some(map) = config_map {
        keys(&map.items, &format!("ConfigMap {}", quoted(&map.local_object_reference.name)))
    } else if let Some(secret) = secret {
        keys(&secret.items, &format!("Secret {}", quoted(&secret.local_object_reference.name)))
    } else if let Some(fields) = fields {
        files(&fields.items, "DownwardAPI")
    } else if let Some(token) = &source.service_account_token {
        vec![Place::new(&token.path, "ServiceAccountToken")]
    } else if let Some(bundle) = &source.cluster_trust_bundle {
        let name = bundle.name.as_ref().or(bundle.signer_name.as_ref());
        let name = quoted(name.map_or("", String::as_str));
        vec![Place::new(&bundle.path, &format!("ClusterTrustBundle {name}"))]
    } else if let Some(certificate) = &source.pod_certificate {
        let named = [
            (&certificate.certificate_chain_path, "PodCertificate chain"),
            (&certificate.key_path, "PodCertificate key"),
            (&certificate.credential_bundle_path, "PodCertificate credential bundle"),
        ];
        let set = named.into_iter().filter(|(path, _)| !path.is_empty());
        set.map(|(path, source)| Place::new(path, source)).collect()
    } else {
        Vec::new()
    }
}

fn keys(items: &[KeyToPath], source: &str) -> Vec<Place> {
    items.iter().map(|item| Place::new(&item.path, source)).collect()
}

fn files(items: &[DownwardAPIVolumeFile], source: &str) -> Vec<Place> {
    items.iter().map(|item| Place::new(&item.path, source)).collect()
}

fn overlaps(places: &[Place]) -> Vec<String> {
    let (mut found, mut size) = (Vec::new(), 0);
    let mut paths = Paths::default();
    for (index, place) in places.iter().enumerate() {
        for other in paths.add(&place.path, index).into_iter().filter_map(|other| places.get(other)) {
            if found.len() >= MOST || size >= MOST_BYTES || budget::is_stopped() {
                return found;
            }
            let overlap = format!("{} with {}", place.shown(), other.shown());
            size += overlap.len();
            found.push(overlap);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_overlap_if_one_is_above_the_other_or_both_are_the_same() {
        let all = ["a", "a/b", "ab", "a/b/c", "a/b", "", "/a", "a//b", "a", "x", ""];
        let places: Vec<Place> = all.iter().map(|path| Place::new(path, "")).collect();
        let mut expected = Vec::new();
        for (index, path) in all.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            for other in all.iter().take(index).filter(|other| !other.is_empty()) {
                let (ours, theirs) = (format!("{path}/"), format!("{other}/"));
                if ours.starts_with(&theirs) || theirs.starts_with(&ours) {
                    expected.push(format!("{} with {}", quoted(path), quoted(other)));
                }
            }
        }
        assert_eq!(overlaps(&places), expected);
    }

    #[test]
    fn many_paths_below_one_another_take_no_more_than_what_is_told() {
        let same: Vec<Place> = (0..100_000).map(|_| Place::new("a/b/c", "")).collect();
        assert_eq!(overlaps(&same).len(), MOST);
        let deep = "a/".repeat(200_000);
        let deep: Vec<Place> = (0..50).map(|_| Place::new(&deep, "")).collect();
        assert_eq!(overlaps(&deep).len(), 1);
        let apart: Vec<Place> = (0..100_000).map(|number| Place::new(&format!("a/{number}"), "")).collect();
        assert!(overlaps(&apart).is_empty());
    }
}
