//! The preferences file.

use std::path::Path;

use rhumb_client::config::{Environment, PluginPolicy, os_text};
use rhumb_codec::yaml::{ReadOptions, from_json_value, to_json};
use rhumb_codec::{Format, StrictError, Strictness, json};
use rhumb_meta::GroupVersion;
use rhumb_schema::Schema;
use serde_json::Value;

const V1BETA1: &str = "kubectl.config.k8s.io/v1beta1";
const V1ALPHA1: &str = "kubectl.config.k8s.io/v1alpha1";

/// Prefix of Kubernetes' errors about unknown kinds.
const SCHEME: &str = "pkg/runtime/scheme.go:111";

/// Preferences, in the version that is written.
#[derive(Clone, Default, Schema)]
pub(super) struct Preference {
    #[field(0)]
    pub(super) kind: String,
    #[field(0)]
    pub(super) api_version: String,
    #[field(0, required)]
    pub(super) defaults: Vec<CommandDefaults>,
    #[field(0, required)]
    pub(super) aliases: Vec<AliasOverride>,
    #[field(0)]
    pub(super) credential_plugin_policy: String,
    #[field(0)]
    pub(super) credential_plugin_allowlist: Vec<AllowlistEntry>,
}

/// What flags of a command are when they are not given.
#[derive(Clone, Default, Schema)]
pub(super) struct CommandDefaults {
    #[field(0, required)]
    pub(super) command: String,
    #[field(0, required)]
    pub(super) options: Vec<CommandOptionDefault>,
}

/// Another name for a command, with flags and words.
#[derive(Clone, Default, Schema)]
pub(super) struct AliasOverride {
    #[field(0, required)]
    pub(super) name: String,
    #[field(0, required)]
    pub(super) command: String,
    #[field(0)]
    pub(super) prepend_args: Vec<String>,
    #[field(0)]
    pub(super) append_args: Vec<String>,
    #[field(0)]
    pub(super) options: Vec<CommandOptionDefault>,
}

/// A flag and its value.
#[derive(Clone, Default, Schema)]
pub(super) struct CommandOptionDefault {
    #[field(0, required)]
    pub(super) name: String,
    #[field(0, required)]
    pub(super) default: String,
}

/// A program that may be asked for credentials.
#[derive(Clone, Default, Schema)]
pub(super) struct AllowlistEntry {
    #[field(0)]
    pub(super) name: String,
    #[field(0)]
    pub(super) command: String,
}

/// Error of loading preferences.
#[derive(Debug)]
pub(super) enum LoadError {
    /// The file is not there.
    Missing(String),
    /// Unreadable or invalid.
    Other(String),
}

/// Preferences with warnings about the file.
pub(super) struct Loaded {
    pub(super) preference: Preference,
    /// The version that they are written in.
    version: String,
    pub(super) problems: Option<String>,
}

/// Returns which file has the preferences and whether it was named; none if they are turned off.
pub(super) fn file(environment: &Environment, flag: &str) -> Result<Option<(String, bool)>, String> {
    let variable = environment.variable("KUBERC").unwrap_or_default();
    if variable == "off" {
        return match flag.is_empty() {
            true => Ok(None),
            false => {
                Err("disabling kuberc via KUBERC=off and passing kuberc flag are mutually exclusive"
                    .to_owned())
            }
        };
    }
    if !flag.is_empty() {
        return Ok(Some((flag.to_owned(), true)));
    }
    if !variable.is_empty() {
        return Ok(Some((variable.to_owned(), true)));
    }
    let home = environment.home().unwrap_or(Path::new(""));
    Ok(Some((home.join(".kube").join("kuberc").to_string_lossy().into_owned(), false)))
}

/// Reads a file: the first of its documents that has preferences. An empty file has none. What became of each
/// document is told, with the place in kubectl's sources that tells it.
pub(super) fn load(file: &str, tell: impl Fn(&str, &str)) -> Result<Option<Loaded>, LoadError> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        let text = format!("open {file}: {}", os_text(&error));
        match error.kind() {
            std::io::ErrorKind::NotFound => LoadError::Missing(text),
            _ => LoadError::Other(text),
        }
    })?;
    let mut count = 0;
    for document in documents(&text) {
        count += 1;
        match read(&document) {
            Ok(loaded) => {
                let version = &loaded.version;
                tell("marshal.go:94", &format!("kuberc: using entry {count} ({version}) in {file}"));
                return Ok(Some(loaded));
            }
            Err(error) => {
                let problem = "kuberc: strict decoding error for entry";
                tell("marshal.go:71", &format!("{problem} {count} in {file}: {error}"));
            }
        }
    }
    if count > 0 {
        return Err(LoadError::Other(format!(
            "no valid preferences found in {file}, use --v=5 to see details"
        )));
    }
    tell("marshal.go:103", &format!("kuberc: no preferences found in {file}"));
    Ok(None)
}

/// Returns the documents of a text that are not blank.
fn documents(text: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for line in text.split_inclusive('\n') {
        let separates = line.strip_prefix("---").is_some_and(|rest| rest.trim().is_empty());
        match documents.last_mut() {
            Some(document) if !separates => document.push_str(line),
            _ => documents.push(String::new()),
        }
    }
    documents.retain(|document| !document.trim().is_empty());
    documents
}

/// A document's preferences, if it has some in a version that is known; else what is wrong with it, in kubectl's
/// words.
fn read(document: &str) -> Result<Loaded, String> {
    let mut text = Vec::new();
    match Format::recognize(document.as_bytes()) {
        Format::Json => text.extend_from_slice(document.as_bytes()),
        _ => {
            to_json(document.as_bytes(), &ReadOptions::default(), &mut text)
                .map_err(|error| error.to_string())?;
        }
    }
    let (version, kind) = json::whole_type_meta(&text)
        .map_err(|error| format!("couldn't get version/kind; json parse error: {error}"))?;
    GroupVersion::parse(&version).map_err(|error| error.to_string())?;
    for (field, value) in [("Kind", &kind), ("apiVersion", &version)] {
        if value.is_empty() {
            return Err(format!("Object '{field}' is missing in '{document}'"));
        }
    }
    let is_old = version == V1ALPHA1;
    if kind != "Preference" || !(is_old || version == V1BETA1) {
        return Err(format!("no kind {kind:?} is registered for version {version:?} in scheme {SCHEME:?}"));
    }
    let mut tree = parse(document.as_bytes())?;
    if is_old {
        modernize(&mut tree);
    }
    let text = serde_json::to_vec(&tree).map_err(|error| error.to_string())?;
    let mut preference = Preference::default();
    let notes =
        json::decode_into(&text, &mut preference, Strictness::Strict).map_err(|error| error.to_string())?;
    let problems = Some(notes.into_found())
        .filter(|found| !found.is_empty())
        .map(|found| StrictError(found).to_string());
    Ok(Loaded { preference, version, problems })
}

/// Brings the names of v1alpha1 to those of v1beta1.
fn modernize(tree: &mut Value) {
    fn rename(object: &mut Value, old: &str, new: &str) {
        if let Value::Object(map) = object
            && let Some(value) = map.remove(old)
        {
            map.insert(new.to_owned(), value);
        }
    }
    rename(tree, "overrides", "defaults");
    for list in ["defaults", "aliases"] {
        let entries = tree.get_mut(list).and_then(Value::as_array_mut);
        entries.into_iter().flatten().for_each(|entry| rename(entry, "flags", "options"));
    }
}

fn parse(text: &[u8]) -> Result<Value, String> {
    let mut out = Vec::new();
    to_json(text, &ReadOptions::default(), &mut out).map_err(|error| error.to_string())?;
    serde_json::from_slice(&out).map_err(|error| error.to_string())
}

impl Preference {
    /// Creates empty preferences.
    pub(super) fn new() -> Self {
        Preference { kind: "Preference".to_owned(), api_version: V1BETA1.to_owned(), ..Preference::default() }
    }

    /// Reads a file's content as it is, whatever it says it is; none if there is nothing in it.
    pub(super) fn read(text: &[u8]) -> Result<Option<Self>, String> {
        let tree = parse(text).map_err(|error| format!("error parsing kuberc file: {error}"))?;
        if tree.is_null() {
            return Ok(None);
        }
        let text = serde_json::to_vec(&tree).map_err(|error| error.to_string())?;
        let mut preference = Preference::default();
        json::decode_into(&text, &mut preference, Strictness::Ignore)
            .map_err(|error| format!("error parsing kuberc file: {error}"))?;
        Ok(Some(preference))
    }

    /// Formats preferences as compact JSON.
    pub(super) fn to_json(&self) -> Vec<u8> {
        let mut text = Vec::new();
        json::encode(self, &mut text);
        text
    }

    /// Writes a file.
    pub(super) fn save(&self, file: &str) -> Result<(), String> {
        if let Some(dir) = Path::new(file).parent().filter(|dir| !dir.as_os_str().is_empty()) {
            std::fs::create_dir_all(dir).map_err(|error| {
                let (dir, error) = (dir.display(), os_text(&error));
                format!("failed to create directory {dir}: mkdir {dir}: {error}")
            })?;
        }
        let tree: Value = serde_json::from_slice(&self.to_json()).unwrap_or_default();
        let mut text = Vec::new();
        from_json_value(&tree, &mut text);
        std::fs::write(file, text)
            .map_err(|error| format!("failed to write kuberc file: open {file}: {}", os_text(&error)))
    }

    /// Returns which programs may be asked for credentials.
    ///
    /// A list without a policy, or a policy without a list, is a mistake that must not pass.
    pub(super) fn policy(&self) -> Result<PluginPolicy, String> {
        let (policy, list) = (self.credential_plugin_policy.as_str(), &self.credential_plugin_allowlist);
        match policy {
            "" | "AllowAll" | "DenyAll" if !list.is_empty() => Err(format!(
                "misconfigured credential plugin allowlist: plugin policy is {policy:?} but allowlist is non-nil"
            )),
            "" | "AllowAll" => Ok(PluginPolicy::AllowAll),
            "DenyAll" => Ok(PluginPolicy::DenyAll),
            "Allowlist" if list.is_empty() => {
                Err("credential plugin policy set to \"Allowlist\", but allowlist is unspecified".to_owned())
            }
            "Allowlist" => {
                let mut commands = Vec::new();
                for (at, entry) in list.iter().enumerate() {
                    let command = if entry.command.is_empty() { &entry.name } else { &entry.command };
                    if command.is_empty() {
                        return Err(format!(
                            "misconfigured credential plugin allowlist: empty allowlist entry #{}",
                            at + 1
                        ));
                    }
                    commands.push(command.clone());
                }
                Ok(PluginPolicy::Allowlist(commands))
            }
            other => Err(format!("unknown plugin policy: {other:?}")),
        }
    }
}
