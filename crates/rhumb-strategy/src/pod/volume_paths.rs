//! Warnings about files of a volume that stand in each other's place.

use rhumb_api::core::v1::{DownwardAPIVolumeFile, KeyToPath, Volume, VolumeProjection};
use rhumb_schema::text::quoted;

/// A path in a volume, and where it comes from if the volume has several sources.
#[derive(Clone, PartialEq, Eq)]
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

    /// Whether both are the same, or one is above the other.
    fn overlaps(&self, other: &Place) -> bool {
        if self.path.is_empty() || other.path.is_empty() {
            return false;
        }
        let (ours, theirs) = (format!("{}/", self.path), format!("{}/", other.path));
        ours.starts_with(&theirs) || theirs.starts_with(&ours)
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
    let mut seen: Vec<Place> = Vec::new();
    for source in sources {
        if *source == VolumeProjection::default() {
            warnings.push(format!("volume {volume} (Projected) has no sources provided"));
        }
        for place in places(source) {
            for other in seen.iter().filter(|other| place.overlaps(other)) {
                let (place, other) = (place.shown(), other.shown());
                warnings
                    .push(format!("volume {volume} (Projected): overlapping paths: {place} with {other}"));
            }
            seen.push(place);
        }
    }
}

/// The paths of the first source that says some.
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
    let mut found = Vec::new();
    for (index, place) in places.iter().enumerate() {
        let before = places.iter().take(index).filter(|other| place.overlaps(other));
        found.extend(before.map(|other| format!("{} with {}", place.shown(), other.shown())));
    }
    found
}
