//! `create configmap`.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rhumb_api::core::v1::ConfigMap;
use rhumb_cli::command::{Action, Command, Flags};
use rhumb_cli::{Call, Failure, Outcome, options};
use rhumb_meta::validation;
use serde_json::{Map, Value, json};

use super::generator::{Generator, MANAGER};
use super::{hash, sources};

/// `create configmap`.
pub(super) static COMMAND: Command = Command {
    name: "configmap",
    aliases: &["cm"],
    about: "Create a config map from files, directories or literals",
    usage: "NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
    examples: &[
        ("All files of a directory", "create configmap settings --from-file=conf/"),
        ("A file under a key of your choice", "create configmap settings --from-file=main=conf/app.ini"),
        ("Entries on the command line", "create configmap settings --from-literal=level=debug"),
        ("A file with variables", "create configmap settings --from-env-file=app.env"),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        sources::FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    if generator.name.is_empty() {
        return Err("name must be specified".into());
    }
    sources::check(&call.flags)?;
    let entries = entries(&generator.name, &call.flags)?;
    let mut metadata = generator.metadata();
    if call.flags.bool("append-hash") {
        let name = format!("{}-{}", generator.name, entries.hash(&generator.name));
        metadata["name"] = Value::from(name);
    }
    let tree = json!({"metadata": metadata, "data": entries.text, "binaryData": entries.encoded()});
    generator.create::<ConfigMap>(call, tree, "failed to create configmap: ").await
}

#[derive(Default)]
struct Entries {
    text: BTreeMap<String, String>,
    bytes: BTreeMap<String, Vec<u8>>,
}

fn entries(name: &str, flags: &Flags) -> Result<Entries, Failure> {
    let mut entries = Entries::default();
    let mut add = |key: &str, value: Vec<u8>| entries.add(name, key, value);
    sources::files(&flags.list("from-file"), &mut add)?;
    sources::literals(&flags.list("from-literal"), &mut add)?;
    sources::env_files(&flags.list("from-env-file"), "env config file cannot be a directory", &mut add)?;
    Ok(entries)
}

impl Entries {
    fn add(&mut self, name: &str, key: &str, value: Vec<u8>) -> Outcome {
        let wrong = validation::is_config_map_key(key);
        if !wrong.is_empty() {
            let text = format!("{key:?} is not a valid key name for a ConfigMap: {}", wrong.join(","));
            return Err(text.into());
        }
        for (has, place) in
            [(self.text.contains_key(key), "Data"), (self.bytes.contains_key(key), "BinaryData")]
        {
            if has {
                return Err(format!(
                    "cannot add key {key:?}, another key by that name already exists in {place} for \
                     ConfigMap \
                     {name:?}"
                )
                .into());
            }
        }
        match String::from_utf8(value) {
            Ok(text) => {
                self.text.insert(key.to_owned(), text);
            }
            Err(error) => {
                self.bytes.insert(key.to_owned(), error.into_bytes());
            }
        }
        Ok(())
    }

    fn encoded(&self) -> Map<String, Value> {
        self.bytes.iter().map(|(key, value)| (key.clone(), STANDARD.encode(value).into())).collect()
    }

    fn hash(&self, name: &str) -> String {
        let mut tree = json!({"kind": "ConfigMap", "name": name, "data": self.text});
        if !self.bytes.is_empty() {
            tree["binaryData"] = Value::Object(self.encoded());
        }
        let mut json = Vec::new();
        rhumb_schema::text::encode(&tree, &mut json);
        hash::of(&json)
    }
}
