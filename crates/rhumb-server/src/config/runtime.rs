//! Which groups, versions and resources are served: `--runtime-config`, read as kube-apiserver reads it.
//!
//! Later words win over earlier ones by how much they name, not by their order: `api/all` first, then `api/ga`,
//! `api/beta`, `api/alpha`, then our own `api/legacy`, then single versions, then single resources.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rhumb_api::resources::{GROUPS, Group, ResourceTable, Served};
use rhumb_schema::text::quoted;

const ALL: &str = "api/all";
/// Whether a word is about versions of some ripeness.
type Covers = fn(Level) -> bool;
/// Groups of versions by name, in the order in which they are looked at.
const LEVELS: [(&str, Covers); 5] = [
    (ALL, |level| level != Level::Former),
    ("api/ga", |level| level == Level::Stable),
    ("api/beta", |level| level == Level::Beta),
    ("api/alpha", |level| level == Level::Alpha),
    ("api/legacy", |level| level == Level::Former),
];

/// How ripe a version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Stable,
    Beta,
    Alpha,
    /// Kubernetes gave it up.
    Former,
}

/// What was said about the APIs to serve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeConfig {
    pairs: BTreeMap<String, String>,
}

/// Why what was said can't be done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuntimeConfigError {
    /// Nothing would be left.
    NothingLeft,
    /// A key is not of the form of a group and a version, or of those and a resource.
    Key(String),
    /// There are no such groups.
    UnknownGroups(Vec<String>),
    /// A group of versions is neither on nor off.
    Level(String, String),
    /// The group has no such version.
    UnknownVersion(String),
    /// A value is no truth.
    Value(String, String),
    /// A resource is not written in lower case.
    Resource(String, String),
}

impl fmt::Display for RuntimeConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingLeft => write!(f, "invalid runtime-config with only {ALL}=false"),
            Self::Key(key) => write!(f, "runtime-config invalid key {key}"),
            Self::UnknownGroups(names) => write!(f, "unknown api groups {}", names.join(",")),
            Self::Level(key, value) => write!(f, "invalid value {key}={value}"),
            Self::UnknownVersion(name) => write!(f, "group version {name} that has not been registered"),
            Self::Value(key, value) => write!(
                f,
                "invalid value of {key}: {value}, err: strconv.ParseBool: parsing {}: invalid syntax",
                quoted(value)
            ),
            Self::Resource(key, resource) => write!(
                f,
                "invalid key {key}: group/version/resource and resource is always lowercase plural, not {}",
                quoted(resource)
            ),
        }
    }
}

impl std::error::Error for RuntimeConfigError {}

impl RuntimeConfig {
    /// Adds what one flag says: pairs with commas between them.
    pub fn add(&mut self, text: &str) {
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            self.pairs.insert(canonical(key.trim()).to_owned(), value.trim().to_owned());
        }
    }

    /// The same with what another flag said before, which counts where this one says nothing.
    #[must_use]
    pub(crate) fn after(mut self, text: &str) -> Self {
        let mut before = RuntimeConfig::default();
        before.add(text);
        before.pairs.append(&mut self.pairs);
        before
    }

    /// The built-in resources to serve.
    ///
    /// # Errors
    /// If a key or a value is not understood, or nothing would be left.
    pub fn select(&self) -> Result<ResourceTable, RuntimeConfigError> {
        self.select_with(&[])
    }

    /// The resources to serve, of the built-in groups and of others behind them. Others are there because somebody
    /// wants them, so that all of their versions are served which are not named.
    ///
    /// # Errors
    /// If a key or a value is not understood, or nothing would be left.
    pub fn select_with(&self, others: &[&'static Group]) -> Result<ResourceTable, RuntimeConfigError> {
        self.check_groups(others)?;
        let mut levels = Vec::new();
        for (name, covers) in LEVELS {
            match self.pairs.get(name).map(String::as_str) {
                None => {}
                Some("true") => levels.push((covers, true)),
                Some("false") => levels.push((covers, false)),
                Some(value) => return Err(RuntimeConfigError::Level(name.to_owned(), value.to_owned())),
            }
        }
        let single = self.single(others)?;
        Ok(ResourceTable::of(GROUPS.iter().chain(others.iter().copied()), |served| {
            let is_other = others.iter().any(|group| group.name == served.group);
            let version = Key::version(served.group, served.version);
            let resource = Key { resource: Some(served.resource.plural), ..version };
            let said = |key: &Key<'_>| single.get(key).copied();
            said(&resource).or_else(|| said(&version)).unwrap_or_else(|| {
                if is_other {
                    return true;
                }
                let level = level(served);
                let by_level = levels.iter().rev().find(|(covers, _)| covers(level));
                by_level.map_or(level == Level::Stable, |(_, on)| *on)
            })
        }))
    }

    fn keys(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .filter(|(key, _)| !LEVELS.iter().any(|(name, _)| name == key))
    }

    /// What kube-apiserver looks at before everything else.
    fn check_groups(&self, others: &[&'static Group]) -> Result<(), RuntimeConfigError> {
        if others.is_empty()
            && self.pairs.len() == 1
            && self.pairs.get(ALL).is_some_and(|value| value == "false")
        {
            return Err(RuntimeConfigError::NothingLeft);
        }
        let mut unknown = BTreeSet::new();
        for (text, _) in self.keys() {
            let key = Key::of(text).ok_or_else(|| RuntimeConfigError::Key(text.to_owned()))?;
            if !known(others).any(|group| group.name == key.group) {
                unknown.insert(key.version_text());
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        Err(RuntimeConfigError::UnknownGroups(unknown.into_iter().collect()))
    }

    /// What is said about single versions and resources.
    fn single(&self, others: &[&'static Group]) -> Result<BTreeMap<Key<'_>, bool>, RuntimeConfigError> {
        let mut single = BTreeMap::new();
        for (text, value) in self.keys() {
            let key = Key::of(text).ok_or_else(|| RuntimeConfigError::Key(text.to_owned()))?;
            let has_version =
                known(others).any(|group| group.name == key.group && group.versions.contains(&key.version));
            if !has_version {
                return Err(RuntimeConfigError::UnknownVersion(key.version_text()));
            }
            let on =
                truth(value).ok_or_else(|| RuntimeConfigError::Value(text.to_owned(), value.to_owned()))?;
            if let Some(resource) = key.resource.filter(|name| name.to_lowercase() != *name) {
                return Err(RuntimeConfigError::Resource(text.to_owned(), resource.to_owned()));
            }
            single.insert(key, on);
        }
        Ok(single)
    }
}

/// The built-in groups and others.
fn known<'a>(others: &'a [&'static Group]) -> impl Iterator<Item = &'static Group> + use<'a> {
    GROUPS.iter().chain(others.iter().copied())
}

/// The core group has no name, and is called by its version or as `api`. As in kube-apiserver, what would then
/// name one of its resources stands for the whole version.
fn canonical(key: &str) -> &str {
    let names_core =
        |prefix: &str| key.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if names_core("v1") || names_core("api/v1") { "/v1" } else { key }
}

/// A version or one of its resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    group: &'a str,
    version: &'a str,
    resource: Option<&'a str>,
}

impl<'a> Key<'a> {
    fn version(group: &'a str, version: &'a str) -> Self {
        Key { group, version, resource: None }
    }

    /// A key such as `apps/v1` or `apps/v1/deployments`; the core group has no name before the slash.
    fn of(text: &'a str) -> Option<Self> {
        let mut parts = text.split('/');
        let (group, version, resource) = (parts.next()?, parts.next()?, parts.next());
        if parts.next().is_some() {
            return None;
        }
        Some(Key { group, version, resource })
    }

    fn version_text(&self) -> String {
        match self.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }
}

fn level(served: &Served) -> Level {
    if served.is_former {
        return Level::Former;
    }
    if served.version.contains("alpha") {
        return Level::Alpha;
    }
    if served.version.contains("beta") { Level::Beta } else { Level::Stable }
}

/// A truth in one of the forms that Go reads; nothing at all is true.
fn truth(text: &str) -> Option<bool> {
    match text {
        "" | "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(text: &str) -> Result<ResourceTable, String> {
        let mut config = RuntimeConfig::default();
        config.add(text);
        config.select().map_err(|error| error.to_string())
    }

    #[track_caller]
    fn serves(text: &str, expect: &[(&str, bool)]) {
        let table = select(text).unwrap();
        for (name, served) in expect {
            let mut parts = name.split('/');
            let (group, version, resource) =
                (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
            assert_eq!(table.find(group, version, resource).is_some(), *served, "{name} with {text:?}");
        }
    }

    #[test]
    fn what_is_ripe_is_on_and_what_is_named_decides() {
        serves(
            "",
            &[
                ("/v1/pods", true),
                ("apps/v1/deployments", true),
                ("apps/v1beta1/deployments", false),
                ("resource.k8s.io/v1beta1/deviceclasses", false),
                ("storagemigration.k8s.io/v1beta1/storageversionmigrations", false),
            ],
        );
        serves(
            "api/all=true",
            &[("resource.k8s.io/v1beta1/deviceclasses", true), ("apps/v1beta1/deployments", false)],
        );
        serves(
            "api/all=false,/v1=true,apps/v1/deployments",
            &[
                ("/v1/pods", true),
                ("apps/v1/deployments", true),
                ("apps/v1/daemonsets", false),
                ("batch/v1/jobs", false),
            ],
        );
        serves(
            "api/beta=true,api/all=false",
            &[("resource.k8s.io/v1beta1/deviceclasses", true), ("/v1/pods", false)],
        );
        serves(
            "apps/v1=false,apps/v1/deployments=T",
            &[("apps/v1/deployments", true), ("apps/v1/daemonsets", false)],
        );
        serves("v1=false", &[("/v1/pods", false), ("apps/v1/deployments", true)]);
        serves("api/v1=false,/v1/pods=true", &[("/v1/pods", true), ("/v1/services", false)]);
        serves("api/legacy=true", &[("apps/v1beta1/deployments", true), ("/v1/pods", true)]);
        serves(
            "extensions/v1beta1=true",
            &[("extensions/v1beta1/deployments", true), ("apps/v1beta1/deployments", false)],
        );
    }

    #[test]
    fn errors_are_those_of_kube_apiserver() {
        for (text, expect) in [
            ("api/all=false", "invalid runtime-config with only api/all=false"),
            ("api/all=yes", "invalid value api/all=yes"),
            ("api/ga", "invalid value api/ga="),
            ("apps", "runtime-config invalid key apps"),
            (
                "v1=maybe",
                "invalid value of /v1: maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax",
            ),
            ("a/b/c/d", "runtime-config invalid key a/b/c/d"),
            ("nope/v1,other/v2=false", "unknown api groups nope/v1,other/v2"),
            ("apps/v9=true", "group version apps/v9 that has not been registered"),
            (
                "apps/v1=yes",
                "invalid value of apps/v1: yes, err: strconv.ParseBool: parsing \"yes\": invalid syntax",
            ),
            (
                "apps/v1/Deployments=true",
                "invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase \
                 plural, not \"Deployments\"",
            ),
        ] {
            assert_eq!(select(text).map(|_| ()), Err(expect.to_owned()), "{text}");
        }
    }
}
