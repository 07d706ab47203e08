//! Checks of AppArmor, SELinux and seccomp profiles.

use std::collections::BTreeSet;

use rhumb_api::core::v1::{AppArmorProfile, SELinuxOptions, SeccompProfile};
use rhumb_schema::text::quoted;

use super::super::Violation;
use super::super::part::Subject;
use super::super::wording::{containers, plural, quoted_list, setters};
use super::Finding;

const APP_ARMOR_ANNOTATION: &str = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD_ANNOTATION: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER_ANNOTATION: &str = "container.seccomp.security.alpha.kubernetes.io/";

/// Reports whether a type of AppArmor or seccomp profile confines.
fn confines(type_: &str) -> bool {
    matches!(type_, "RuntimeDefault" | "Localhost")
}

pub(super) fn app_armor(subject: &Subject<'_>) -> Finding {
    let bad = |profile: Option<&AppArmorProfile>| {
        profile.map(|profile| profile.type_.clone()).filter(|type_| !confines(type_))
    };
    let mut types = BTreeSet::new();
    let pod = bad(subject.security().and_then(|security| security.app_armor_profile.as_deref()));
    let is_pod = pod.is_some();
    types.extend(pod);
    let names = subject.names(|part| {
        let found = bad(part.security.and_then(|security| security.app_armor_profile.as_deref()));
        let is_bad = found.is_some();
        types.extend(found);
        is_bad
    });
    let mut setters = setters(is_pod, &names);
    let mut annotations: Vec<String> = subject
        .metadata
        .annotations
        .iter()
        .filter(|(key, value)| {
            let is_allowed =
                value.is_empty() || *value == "runtime/default" || value.starts_with("localhost/");
            key.starts_with(APP_ARMOR_ANNOTATION) && !is_allowed
        })
        .map(|(key, value)| format!("{key}={}", quoted(value)))
        .collect();
    annotations.sort();
    if !annotations.is_empty() {
        setters.push(plural("annotation", "annotations", annotations.len()).to_owned());
    }
    (!setters.is_empty()).then(|| {
        let values: Vec<String> = types.into_iter().chain(annotations).collect();
        Violation {
            check: "appArmorProfile",
            reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values.len()).into(),
            detail: format!(
                "{} must not set AppArmor profile type to {}",
                setters.join(" and "),
                quoted_list(&values)
            ),
        }
    })
}

pub(super) fn se_linux(subject: &Subject<'_>) -> Finding {
    se_linux_but(subject, &["", "container_t", "container_init_t", "container_kvm_t"])
}

pub(super) fn se_linux_with_engine(subject: &Subject<'_>) -> Finding {
    se_linux_but(subject, &["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"])
}

/// Forbidden SELinux options found.
#[derive(Default)]
struct Options<'a> {
    types: BTreeSet<&'a str>,
    user: bool,
    role: bool,
}

impl<'a> Options<'a> {
    /// Notes what is wrong with options; whether something is.
    fn note(&mut self, options: Option<&'a SELinuxOptions>, allowed: &[&str]) -> bool {
        let Some(options) = options else { return false };
        let is_other_type = !allowed.contains(&options.type_.as_str());
        if is_other_type {
            self.types.insert(&options.type_);
        }
        self.user |= !options.user.is_empty();
        self.role |= !options.role.is_empty();
        is_other_type || !options.user.is_empty() || !options.role.is_empty()
    }

    fn describe(&self) -> String {
        let mut texts = Vec::new();
        if !self.types.is_empty() {
            let word = plural("type", "types", self.types.len());
            texts.push(format!("{word} {}", quoted_list(&self.types)));
        }
        if self.user {
            texts.push("user may not be set".to_owned());
        }
        if self.role {
            texts.push("role may not be set".to_owned());
        }
        texts.join("; ")
    }
}

fn se_linux_but(subject: &Subject<'_>, allowed: &[&str]) -> Finding {
    let mut options = Options::default();
    let pod = subject.security().and_then(|security| security.se_linux_options.as_deref());
    let is_pod = options.note(pod, allowed);
    let names = subject.names(|part| {
        options.note(part.security.and_then(|security| security.se_linux_options.as_deref()), allowed)
    });
    let setters = setters(is_pod, &names);
    (!setters.is_empty()).then(|| Violation {
        check: "seLinuxOptions",
        reason: "seLinuxOptions".into(),
        detail: format!(
            "{} set forbidden securityContext.seLinuxOptions: {}",
            setters.join(" and "),
            options.describe()
        ),
    })
}

pub(super) fn seccomp_annotations(subject: &Subject<'_>) -> Finding {
    let keys = subject.parts().map(|part| format!("{SECCOMP_CONTAINER_ANNOTATION}{}", part.name));
    let bad: BTreeSet<String> = std::iter::once(SECCOMP_POD_ANNOTATION.to_owned())
        .chain(keys)
        .filter_map(|key| {
            let value = subject.metadata.annotations.get(&key)?;
            let is_allowed = matches!(value.as_str(), "runtime/default" | "docker/default")
                || value.starts_with("localhost/");
            (!is_allowed).then(|| format!("{key}={}", quoted(value)))
        })
        .collect();
    (!bad.is_empty()).then(|| {
        let list: Vec<&str> = bad.iter().map(String::as_str).collect();
        let word = plural("annotation", "annotations", list.len());
        Violation {
            check: "seccompProfile_baseline",
            reason: "seccompProfile".into(),
            detail: format!("forbidden {word} {}", list.join(", ")),
        }
    })
}

/// Containers with an unconfined seccomp profile, or without one.
struct Seccomp<'a> {
    setters: Vec<String>,
    types: BTreeSet<String>,
    unconfined: Vec<&'a str>,
}

fn seccomp_of<'a>(subject: &Subject<'a>) -> Seccomp<'a> {
    let type_of = |profile: Option<&SeccompProfile>| profile.map(|profile| profile.type_.clone());
    let mut types = BTreeSet::new();
    let pod = type_of(subject.security().and_then(|security| security.seccomp_profile.as_deref()));
    let is_pod_confined = pod.as_deref().is_some_and(confines);
    let is_pod_bad = pod.is_some() && !is_pod_confined;
    types.extend(pod.filter(|_| is_pod_bad));
    let mut unconfined = Vec::new();
    let names = subject.names(|part| {
        let type_ = type_of(part.security.and_then(|security| security.seccomp_profile.as_deref()));
        if type_.is_none() && !is_pod_confined {
            unconfined.push(part.name);
        }
        let bad = type_.filter(|type_| !confines(type_));
        let is_bad = bad.is_some();
        types.extend(bad);
        is_bad
    });
    Seccomp { setters: setters(is_pod_bad, &names), types, unconfined }
}

fn seccomp_found(check: &'static str, found: &Seccomp<'_>) -> Finding {
    (!found.setters.is_empty()).then(|| Violation {
        check,
        reason: "seccompProfile".into(),
        detail: format!(
            "{} must not set securityContext.seccompProfile.type to {}",
            found.setters.join(" and "),
            quoted_list(&found.types)
        ),
    })
}

pub(super) fn seccomp(subject: &Subject<'_>) -> Finding {
    seccomp_found("seccompProfile_baseline", &seccomp_of(subject))
}

pub(super) fn seccomp_required(subject: &Subject<'_>) -> Finding {
    const CHECK: &str = "seccompProfile_restricted";
    let found = seccomp_of(subject);
    seccomp_found(CHECK, &found).or_else(|| {
        (!found.unconfined.is_empty()).then(|| Violation {
            check: CHECK,
            reason: "seccompProfile".into(),
            detail: format!(
                "pod or {} must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"",
                containers(&found.unconfined)
            ),
        })
    })
}

pub(super) fn seccomp_required_unless_windows(subject: &Subject<'_>) -> Finding {
    if subject.is_for_windows() { None } else { seccomp_required(subject) }
}
