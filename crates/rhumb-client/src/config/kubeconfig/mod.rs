//! Kubeconfig files: parsing, merging, writing.
//!
//! In memory, entries stand by name and each knows the file it came from, because paths in it start from there and
//! because an edit goes back there. Bytes that are written are those that kubectl writes.

mod paths;
mod secret_text;
mod v1;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use rhumb_codec::json::TypeMetaError;
use rhumb_codec::yaml::{ReadOptions, YamlError};
use rhumb_codec::{Strictness, json, yaml};
use rhumb_schema::text::{SyntaxError, quoted};
use rhumb_schema::{ByteString, DecodeError, RawJson};

pub(super) use paths::clean;
pub use secret_text::SecretText;
pub use v1::{
    AuthInfo, AuthProviderConfig, Cluster, Context, ExecConfig, ExecEnvVar, NamedExtension, Preferences,
};

use super::ConfigError;

/// Prefix of Kubernetes' errors about unknown kinds, which is part of kubectl's output.
pub(super) const SCHEME: &str = "pkg/runtime/scheme.go:111";

/// An entry and its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Located<T> {
    /// The entry.
    pub value: T,
    /// The file it came from; none if it is new.
    pub origin: Option<PathBuf>,
}

impl<T> From<T> for Located<T> {
    fn from(value: T) -> Self {
        Located { value, origin: None }
    }
}

impl<T> Deref for Located<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Located<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

/// Contents of one or several merged kubeconfig files: clusters, users and contexts by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kubeconfig {
    /// User preferences.
    pub preferences: Preferences,
    /// Clusters by name.
    pub clusters: BTreeMap<String, Located<Cluster>>,
    /// Users by name.
    pub users: BTreeMap<String, Located<AuthInfo>>,
    /// Which of both belong together.
    pub contexts: BTreeMap<String, Located<Context>>,
    /// The context that is used if none is asked for.
    pub current_context: String,
    /// Extensions by name.
    pub extensions: BTreeMap<String, RawJson>,
}

impl Kubeconfig {
    /// Parses a kubeconfig in YAML or JSON. Empty input gives an empty one.
    ///
    /// # Errors
    /// It is malformed, or something else.
    pub fn parse(text: &[u8]) -> Result<Self, KubeconfigError> {
        if text.is_empty() {
            return Ok(Kubeconfig::default());
        }
        let mut unsorted = Vec::with_capacity(text.len());
        yaml::to_json(text, &ReadOptions::default(), &mut unsorted).map_err(KubeconfigError::Yaml)?;
        // Kubernetes sorts all keys on this way, and what it keeps as it stands, too.
        let mut json_text = Vec::with_capacity(unsorted.len());
        json::sort_keys(&unsorted, &mut json_text).map_err(KubeconfigError::Syntax)?;
        let (api_version, kind) = json::whole_type_meta(&json_text).map_err(KubeconfigError::TypeMeta)?;
        if !matches!(api_version.as_str(), "" | "v1") || !matches!(kind.as_str(), "" | "Config") {
            return Err(KubeconfigError::Kind { api_version, kind });
        }
        let mut file = v1::Config::default();
        json::decode_into(&json_text, &mut file, Strictness::Ignore).map_err(KubeconfigError::Decode)?;
        Kubeconfig::from_file_form(file)
    }

    /// Reads a file and marks its entries with it.
    ///
    /// # Errors
    /// It can't be read, or is no kubeconfig file.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read(path).map_err(|source| ConfigError::reading(path, source))?;
        let mut config = Kubeconfig::parse(&text).map_err(ConfigError::Kubeconfig)?;
        let origin = Some(path.to_owned());
        config.clusters.values_mut().for_each(|entry| entry.origin.clone_from(&origin));
        config.users.values_mut().for_each(|entry| entry.origin.clone_from(&origin));
        config.contexts.values_mut().for_each(|entry| entry.origin.clone_from(&origin));
        Ok(config)
    }

    /// Formats the kubeconfig as YAML, as kubectl writes it.
    pub fn to_yaml(&self) -> Vec<u8> {
        let mut json_text = Vec::new();
        json::encode(&self.to_file_form(), &mut json_text);
        // What was just encoded is JSON; were it not, the file would rather be empty than broken.
        let tree =
            json::decode_tree(&json_text, Strictness::Ignore).map(|(tree, _)| tree).unwrap_or_default();
        let mut out = Vec::new();
        yaml::from_json_value(&tree, &mut out);
        out
    }

    /// Formats the kubeconfig as JSON on one line, as kubectl writes it.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        json::encode(&self.to_file_form(), &mut out);
        out
    }

    /// Reports whether the kubeconfig is empty.
    pub fn is_empty(&self) -> bool {
        *self == Kubeconfig::default()
    }

    /// Merges another kubeconfig: existing entries and values take precedence as a whole.
    pub fn merge(&mut self, other: Kubeconfig) {
        fn fill<V>(into: &mut BTreeMap<String, V>, from: BTreeMap<String, V>) {
            for (name, value) in from {
                into.entry(name).or_insert(value);
            }
        }
        fill(&mut self.clusters, other.clusters);
        fill(&mut self.users, other.users);
        fill(&mut self.contexts, other.contexts);
        fill(&mut self.extensions, other.extensions);
        if self.current_context.is_empty() {
            self.current_context = other.current_context;
        }
        self.preferences.colors |= other.preferences.colors;
        for extension in other.preferences.extensions {
            if !self.preferences.extensions.iter().any(|known| known.name == extension.name) {
                self.preferences.extensions.push(extension);
            }
        }
        self.preferences.extensions.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// Keeps only the current context and what it refers to.
    ///
    /// # Errors
    /// There is no current context, or what it names is not there.
    pub fn minify(&mut self) -> Result<(), ConfigError> {
        let problem = |text: String| Err(ConfigError::Other(text));
        if self.current_context.is_empty() {
            return problem("current-context must exist in order to minify".to_owned());
        }
        let Some(context) = self.contexts.get(&self.current_context).cloned() else {
            return problem(format!("cannot locate context {}", self.current_context));
        };
        if !context.cluster.is_empty() && !self.clusters.contains_key(&context.cluster) {
            return problem(format!("cannot locate cluster {}", context.cluster));
        }
        if !context.user.is_empty() && !self.users.contains_key(&context.user) {
            return problem(format!("cannot locate user {}", context.user));
        }
        self.contexts.retain(|name, _| *name == self.current_context);
        self.clusters.retain(|name, _| *name == context.cluster && !name.is_empty());
        self.users.retain(|name, _| *name == context.user && !name.is_empty());
        Ok(())
    }

    /// Puts `DATA+OMITTED` and `REDACTED` in place of certificates, keys, tokens and passwords, for people to look at.
    /// The settings of auth providers and the variables of exec plugins stay, as `kubectl config view` shows them.
    pub fn shorten(&mut self) {
        let omit = |data: &mut ByteString| {
            if !data.0.is_empty() {
                // These bytes read `DATA+OMITTED` in base64, which is how they are printed.
                *data = ByteString(vec![0x0c, 0x04, 0xc0, 0xf8, 0xe3, 0x08, 0x4d, 0x31, 0x03]);
            }
        };
        for user in self.users.values_mut() {
            omit(&mut user.client_key_data);
            omit(&mut user.client_certificate_data);
            let user = &mut user.value;
            for secret in [&mut user.token, &mut user.password] {
                if !secret.is_empty() {
                    *secret = SecretText::from("REDACTED");
                }
            }
        }
        for cluster in self.clusters.values_mut() {
            omit(&mut cluster.certificate_authority_data);
        }
    }

    /// Embeds the contents of referenced files, so that the kubeconfig can be moved.
    ///
    /// # Errors
    /// A file can't be read, or there is both a file and its content.
    pub fn flatten(&mut self, working_dir: &Path) -> Result<(), ConfigError> {
        for user in self.users.values_mut() {
            let base = paths::base(user.origin.as_deref(), working_dir);
            let user = &mut user.value;
            flatten(&mut user.client_certificate, &mut user.client_certificate_data, &base)?;
            flatten(&mut user.client_key, &mut user.client_key_data, &base)?;
        }
        for cluster in self.clusters.values_mut() {
            let base = paths::base(cluster.origin.as_deref(), working_dir);
            let cluster = &mut cluster.value;
            flatten(&mut cluster.certificate_authority, &mut cluster.certificate_authority_data, &base)?;
        }
        Ok(())
    }

    fn from_file_form(file: v1::Config) -> Result<Self, KubeconfigError> {
        let mut config = Kubeconfig {
            preferences: file.preferences.unwrap_or_default(),
            current_context: file.current_context,
            ..Kubeconfig::default()
        };
        sort_extensions(&mut config.preferences.extensions)?;
        for mut named in file.clusters {
            sort_extensions(&mut named.cluster.extensions)?;
            add(&mut config.clusters, "NamedCluster", named.name, named.cluster.into())?;
        }
        for mut named in file.users {
            sort_extensions(&mut named.user.extensions)?;
            if let Some(exec) = &mut named.user.exec {
                fill_interactive_mode(exec);
            }
            add(&mut config.users, "NamedAuthInfo", named.name, named.user.into())?;
        }
        for mut named in file.contexts {
            sort_extensions(&mut named.context.extensions)?;
            add(&mut config.contexts, "NamedContext", named.name, named.context.into())?;
        }
        for named in file.extensions {
            add(&mut config.extensions, "NamedExtension", named.name, named.extension)?;
        }
        Ok(config)
    }

    fn to_file_form(&self) -> v1::Config {
        let mut preferences = self.preferences.clone();
        preferences.extensions.sort_by(|a, b| a.name.cmp(&b.name));
        v1::Config {
            kind: "Config".to_owned(),
            api_version: "v1".to_owned(),
            preferences: Some(preferences).filter(|preferences| *preferences != Preferences::default()),
            clusters: self
                .clusters
                .iter()
                .map(|(name, entry)| v1::NamedCluster { name: name.clone(), cluster: entry.value.clone() })
                .collect(),
            users: self
                .users
                .iter()
                .map(|(name, entry)| v1::NamedAuthInfo { name: name.clone(), user: entry.value.clone() })
                .collect(),
            contexts: self
                .contexts
                .iter()
                .map(|(name, entry)| v1::NamedContext { name: name.clone(), context: entry.value.clone() })
                .collect(),
            current_context: self.current_context.clone(),
            extensions: self
                .extensions
                .iter()
                .map(|(name, raw)| NamedExtension { name: name.clone(), extension: raw.clone() })
                .collect(),
        }
    }
}

fn flatten(path: &mut String, content: &mut ByteString, base: &Path) -> Result<(), ConfigError> {
    if path.is_empty() {
        return Ok(());
    }
    if !content.0.is_empty() {
        return Err(ConfigError::Other("cannot have values for both path and contents".to_owned()));
    }
    let file = base.join(&*path);
    content.0 = std::fs::read(&file).map_err(|source| ConfigError::reading(&file, source))?;
    path.clear();
    Ok(())
}

fn add<V>(
    into: &mut BTreeMap<String, V>,
    list: &'static str,
    name: String,
    value: V,
) -> Result<(), KubeconfigError> {
    if into.contains_key(&name) {
        return Err(KubeconfigError::Duplicate { list, name });
    }
    into.insert(name, value);
    Ok(())
}

fn sort_extensions(extensions: &mut [NamedExtension]) -> Result<(), KubeconfigError> {
    extensions.sort_by(|a, b| a.name.cmp(&b.name));
    match extensions.windows(2).find(|pair| matches!(pair, [a, b] if a.name == b.name)) {
        Some([twice, ..]) => {
            Err(KubeconfigError::Duplicate { list: "NamedExtension", name: twice.name.clone() })
        }
        _ => Ok(()),
    }
}

/// Plugins of the versions before v1 did not say whether they use standard input, and got it if it was there.
fn fill_interactive_mode(exec: &mut ExecConfig) {
    let is_old = matches!(
        exec.api_version.as_str(),
        "client.authentication.k8s.io/v1beta1" | "client.authentication.k8s.io/v1alpha1"
    );
    if exec.interactive_mode.is_empty() && is_old {
        exec.interactive_mode = "IfAvailable".to_owned();
    }
}

/// Error of parsing a kubeconfig.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum KubeconfigError {
    /// Invalid YAML.
    Yaml(YamlError),
    /// Too deeply nested.
    Syntax(SyntaxError),
    /// Invalid or missing `apiVersion` or `kind`.
    TypeMeta(TypeMetaError),
    /// Another kind.
    Kind {
        /// Found `apiVersion`.
        api_version: String,
        /// Found `kind`.
        kind: String,
    },
    /// A field has a value of another type.
    Decode(DecodeError),
    /// Two entries have the same name.
    Duplicate {
        /// The list's name.
        list: &'static str,
        /// Their name.
        name: String,
    },
}

impl fmt::Display for KubeconfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KubeconfigError::Yaml(error) => write!(f, "{error}"),
            KubeconfigError::Syntax(error) => write!(f, "{error}"),
            KubeconfigError::TypeMeta(error) => {
                write!(f, "couldn't get version/kind; json parse error: {error}")
            }
            KubeconfigError::Kind { api_version, kind } => {
                let kind = if kind.is_empty() { "Config" } else { kind };
                let version = if api_version.is_empty() { "v1" } else { api_version };
                write!(
                    f,
                    "no kind {} is registered for version {} in scheme {SCHEME:?}",
                    quoted(kind),
                    quoted(version)
                )
            }
            KubeconfigError::Decode(error) => write!(f, "{error}"),
            KubeconfigError::Duplicate { list, name } => {
                let api = list.trim_start_matches("Named");
                let entry =
                    if api == "Extension" { "runtime.Object".to_owned() } else { format!("*api.{api}") };
                write!(
                    f,
                    "error converting *[]{list} into *map[string]{entry}: duplicate name {} in list",
                    quoted(name)
                )
            }
        }
    }
}

impl std::error::Error for KubeconfigError {}
