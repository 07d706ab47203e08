//! Further checks of the restricted level.

use std::collections::BTreeSet;

use rhumb_api::core::v1::VolumeSource;

use super::super::Violation;
use super::super::part::Subject;
use super::super::wording::{containers, plural, quoted_list, setters};
use super::Finding;

pub(super) fn escalation(subject: &Subject<'_>) -> Finding {
    let names = subject
        .names(|part| part.security.and_then(|security| security.allow_privilege_escalation) != Some(false));
    (!names.is_empty()).then(|| Violation {
        check: "allowPrivilegeEscalation",
        reason: "allowPrivilegeEscalation != false".into(),
        detail: format!("{} must set securityContext.allowPrivilegeEscalation=false", containers(&names)),
    })
}

pub(super) fn escalation_unless_windows(subject: &Subject<'_>) -> Finding {
    if subject.is_for_windows() { None } else { escalation(subject) }
}

pub(super) fn capabilities(subject: &Subject<'_>) -> Finding {
    let (mut keeping, mut adding, mut added) = (Vec::new(), Vec::new(), BTreeSet::new());
    for part in subject.parts() {
        let capabilities = part.security.and_then(|security| security.capabilities.as_deref());
        let drops_all =
            capabilities.is_some_and(|capabilities| capabilities.drop.iter().any(|name| name == "ALL"));
        if !drops_all {
            keeping.push(part.name);
        }
        let added_here: Vec<&str> = capabilities
            .into_iter()
            .flat_map(|capabilities| &capabilities.add)
            .map(String::as_str)
            .filter(|name| *name != "NET_BIND_SERVICE")
            .collect();
        if !added_here.is_empty() {
            adding.push(part.name);
            added.extend(added_here);
        }
    }
    let mut details = Vec::new();
    if !keeping.is_empty() {
        let who = containers(&keeping);
        details.push(format!("{who} must set securityContext.capabilities.drop=[\"ALL\"]"));
    }
    if !adding.is_empty() {
        details.push(format!(
            "{} must not include {} in securityContext.capabilities.add",
            containers(&adding),
            quoted_list(&added)
        ));
    }
    (!details.is_empty()).then(|| Violation {
        check: "capabilities_restricted",
        reason: "unrestricted capabilities".into(),
        detail: details.join("; "),
    })
}

pub(super) fn capabilities_unless_windows(subject: &Subject<'_>) -> Finding {
    if subject.is_for_windows() { None } else { capabilities(subject) }
}

pub(super) fn volumes(subject: &Subject<'_>) -> Finding {
    let (mut names, mut types) = (Vec::new(), BTreeSet::new());
    for volume in &subject.spec.volumes {
        if !is_harmless(&volume.volume_source) {
            names.push(volume.name.as_str());
            types.insert(volume_type(&volume.volume_source));
        }
    }
    (!names.is_empty()).then(|| Violation {
        check: "restrictedVolumes",
        reason: "restricted volume types".into(),
        detail: format!(
            "{} {} {} {} {}",
            plural("volume", "volumes", names.len()),
            quoted_list(&names),
            plural("uses", "use", names.len()),
            plural("restricted volume type", "restricted volume types", types.len()),
            quoted_list(&types)
        ),
    })
}

fn is_harmless(source: &VolumeSource) -> bool {
    source.config_map.is_some()
        || source.csi.is_some()
        || source.downward_api.is_some()
        || source.empty_dir.is_some()
        || source.ephemeral.is_some()
        || source.image.is_some()
        || source.persistent_volume_claim.is_some()
        || source.projected.is_some()
        || source.secret.is_some()
}

fn volume_type(source: &VolumeSource) -> &'static str {
    let types = [
        (source.host_path.is_some(), "hostPath"),
        (source.gce_persistent_disk.is_some(), "gcePersistentDisk"),
        (source.aws_elastic_block_store.is_some(), "awsElasticBlockStore"),
        (source.git_repo.is_some(), "gitRepo"),
        (source.nfs.is_some(), "nfs"),
        (source.iscsi.is_some(), "iscsi"),
        (source.glusterfs.is_some(), "glusterfs"),
        (source.rbd.is_some(), "rbd"),
        (source.flex_volume.is_some(), "flexVolume"),
        (source.cinder.is_some(), "cinder"),
        (source.cephfs.is_some(), "cephfs"),
        (source.flocker.is_some(), "flocker"),
        (source.fc.is_some(), "fc"),
        (source.azure_file.is_some(), "azureFile"),
        (source.vsphere_volume.is_some(), "vsphereVolume"),
        (source.quobyte.is_some(), "quobyte"),
        (source.azure_disk.is_some(), "azureDisk"),
        (source.photon_persistent_disk.is_some(), "photonPersistentDisk"),
        (source.portworx_volume.is_some(), "portworxVolume"),
        (source.scale_io.is_some(), "scaleIO"),
        (source.storageos.is_some(), "storageos"),
    ];
    types.into_iter().find(|(is_set, _)| *is_set).map_or("unknown", |(_, name)| name)
}

pub(super) fn non_root(subject: &Subject<'_>) -> Finding {
    let pod = subject.security().and_then(|security| security.run_as_non_root);
    let (mut denying, mut silent) = (Vec::new(), Vec::new());
    for part in subject.parts() {
        match part.security.and_then(|security| security.run_as_non_root) {
            Some(true) => {}
            Some(false) => denying.push(part.name),
            None if pod == Some(true) => {}
            None => silent.push(part.name),
        }
    }
    let setters = setters(pod == Some(false), &denying);
    let detail = if !setters.is_empty() {
        format!("{} must not set securityContext.runAsNonRoot=false", setters.join(" and "))
    } else if !silent.is_empty() {
        format!("pod or {} must set securityContext.runAsNonRoot=true", containers(&silent))
    } else {
        return None;
    };
    Some(Violation { check: "runAsNonRoot", reason: "runAsNonRoot != true".into(), detail })
}

pub(super) fn non_root_unless_own_users(subject: &Subject<'_>) -> Finding {
    if subject.has_own_users() { None } else { non_root(subject) }
}

pub(super) fn user(subject: &Subject<'_>) -> Finding {
    let is_pod = subject.security().and_then(|security| security.run_as_user) == Some(0);
    let names = subject.names(|part| part.security.and_then(|security| security.run_as_user) == Some(0));
    let setters = setters(is_pod, &names);
    (!setters.is_empty()).then(|| Violation {
        check: "runAsUser",
        reason: "runAsUser=0".into(),
        detail: format!("{} must not set runAsUser=0", setters.join(" and ")),
    })
}

pub(super) fn user_unless_own_users(subject: &Subject<'_>) -> Finding {
    if subject.has_own_users() { None } else { user(subject) }
}
