//! `create secret`: generic, docker-registry and TLS secrets.

use std::collections::BTreeMap;
use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rhumb_api::core::v1::Secret;
use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome, options};
use rhumb_meta::validation;
use serde_json::{Map, Value, json};

use super::generator::{Generator, MANAGER};
use super::{hash, sources, tls};
use crate::typed::os_text;

/// `create secret`.
pub(super) static COMMAND: Command = Command {
    name: "secret",
    about: "Create a secret of a certain type",
    usage: "(docker-registry | generic | tls)",
    examples: &[
        ("A password", "create secret generic db --from-literal=password=s3cret"),
        ("A certificate and its key", "create secret tls web --cert=web.crt --key=web.key"),
    ],
    commands: &[&[&DOCKER_REGISTRY, &TLS, &GENERIC]],
    ..Command::EMPTY
};

static GENERIC_FLAGS: &[Flag] = &[Flag::text("type", "The type of the secret.")];

static GENERIC: Command = Command {
    name: "generic",
    about: "Create a secret from files, directories or literals",
    usage: "NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] \
            [--dry-run=server|client|none]",
    examples: &[
        ("All files of a directory", "create secret generic keys --from-file=keys/"),
        ("A file under a key of your choice", "create secret generic keys --from-file=private=id_ed25519"),
        ("Entries on the command line", "create secret generic db --from-literal=password=s3cret"),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        sources::FLAGS,
        GENERIC_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(generic(call))),
    ..Command::EMPTY
};

static DOCKER_FLAGS: &[Flag] = &[
    Flag::text("docker-username", "The user's name at the registry."),
    Flag::text("docker-password", "The password at the registry."),
    Flag::text("docker-email", "The mail address at the registry."),
    Flag::text("docker-server", "The registry.").default("https://index.docker.io/v1/"),
    Flag::bool("append-hash", "Append a hash of the secret to its name."),
    Flag::list("from-file", "A file with the configuration; the key should be .dockerconfigjson.")
        .words(Words::Files),
];

static DOCKER_REGISTRY: Command = Command {
    name: "docker-registry",
    about: "Create a secret that images are pulled from a registry with",
    usage: "NAME --docker-username=user --docker-password=password --docker-email=email \
            [--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none]",
    examples: &[
        (
            "User and password",
            "create secret docker-registry hub --docker-server=registry.example.com --docker-username=me \
             --docker-password=s3cret",
        ),
        ("What docker login left", "create secret docker-registry hub --from-file=$HOME/.docker/config.json"),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        DOCKER_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(docker_registry(call))),
    ..Command::EMPTY
};

static TLS_FLAGS: &[Flag] = &[
    Flag::text("cert", "The file with the certificate in PEM.").words(Words::Files),
    Flag::text("key", "The file with the certificate's key.").words(Words::Files),
    Flag::bool("append-hash", "Append a hash of the secret to its name."),
];

static TLS: Command = Command {
    name: "tls",
    about: "Create a secret of a certificate and its key",
    usage: "NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]",
    examples: &[
        ("A certificate and its key", "create secret tls web --cert=web.crt --key=web.key"),
        ("What would be sent", "create secret tls web --cert=web.crt --key=web.key --dry-run=client -o yaml"),
    ],
    flags: &[options::PRINT, options::SAVE_CONFIG, options::VALIDATE, options::DRY_RUN, TLS_FLAGS, MANAGER],
    action: Action::Run(|call| Box::pin(tls_pair(call))),
    ..Command::EMPTY
};

type Entries = BTreeMap<String, Vec<u8>>;

async fn generic(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    if generator.name.is_empty() {
        return Err("name must be specified".into());
    }
    sources::check(&call.flags)?;
    let mut entries = Entries::new();
    let mut add = |key: &str, value: Vec<u8>| add(&mut entries, key, value);
    sources::literals(&call.flags.list("from-literal"), &mut add)?;
    sources::files(&call.flags.list("from-file"), &mut add)?;
    let variables = call.flags.list("from-env-file");
    sources::env_files(&variables, "env secret file cannot be a directory", &mut add)?;
    let kind = call.flags.text("type").to_owned();
    create(call, generator, &kind, &entries).await
}

async fn docker_registry(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    if generator.name.is_empty() {
        return Err("name must be specified".into());
    }
    let flags = &call.flags;
    let mut files = flags.list("from-file");
    for file in &mut files {
        if !file.contains('=') {
            file.insert_str(0, ".dockerconfigjson=");
        }
    }
    let (user, password) = (flags.text("docker-username"), flags.text("docker-password"));
    let (server, email) = (flags.text("docker-server"), flags.text("docker-email"));
    let mut entries = Entries::new();
    if !files.is_empty() {
        sources::files(&files, &mut |key, value| add(&mut entries, key, value))?;
    } else if user.is_empty() || password.is_empty() || server.is_empty() {
        return Err("either --from-file or the combination of --docker-username, --docker-password and \
                    --docker-server is required"
            .into());
    } else {
        let login = docker_login(server, user, password, email);
        entries.insert(".dockerconfigjson".to_owned(), login);
    }
    create(call, generator, "kubernetes.io/dockerconfigjson", &entries).await
}

/// Returns docker's login configuration, with docker's order of fields.
fn docker_login(server: &str, user: &str, password: &str, email: &str) -> Vec<u8> {
    let auth = STANDARD.encode(format!("{user}:{password}"));
    let fields = [("username", user), ("password", password), ("email", email), ("auth", &auth)];
    let mut json = b"{\"auths\":{".to_vec();
    rhumb_schema::text::write_str(server, &mut json);
    json.extend_from_slice(b":{");
    let mut first = true;
    for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
        if !std::mem::replace(&mut first, false) {
            json.push(b',');
        }
        rhumb_schema::text::write_str(name, &mut json);
        json.push(b':');
        rhumb_schema::text::write_str(value, &mut json);
    }
    json.extend_from_slice(b"}}}");
    json
}

async fn tls_pair(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    let (cert, key) = (call.flags.text("cert").to_owned(), call.flags.text("key").to_owned());
    if key.is_empty() || cert.is_empty() {
        return Err("key and cert must be specified".into());
    }
    let (cert, key) = (read(&cert)?, read(&key)?);
    tls::check_pair(&cert, &key)?;
    let entries = Entries::from([("tls.crt".to_owned(), cert), ("tls.key".to_owned(), key)]);
    create(call, generator, "kubernetes.io/tls", &entries).await
}

fn read(path: &str) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| {
        Failure::message(format!("Cannot read file {path}, open {path}: {}", os_text(&error)))
    })
}

fn add(entries: &mut Entries, key: &str, value: Vec<u8>) -> Outcome {
    let wrong = validation::is_config_map_key(key);
    if !wrong.is_empty() {
        return Err(format!("{key:?} is not valid key name for a Secret {}", wrong.join(";")).into());
    }
    if entries.contains_key(key) {
        return Err(format!("cannot add key {key}, another key by that name already exists").into());
    }
    entries.insert(key.to_owned(), value);
    Ok(())
}

async fn create(call: &mut Call, generator: Generator, kind: &str, entries: &Entries) -> Outcome {
    let data: Map<String, Value> =
        entries.iter().map(|(key, value)| (key.clone(), STANDARD.encode(value).into())).collect();
    let mut metadata = generator.metadata();
    if call.flags.bool("append-hash") {
        let tree = json!({"kind": "Secret", "type": kind, "name": generator.name, "data": data});
        let mut json = Vec::new();
        rhumb_schema::text::encode(&tree, &mut json);
        metadata["name"] = Value::from(format!("{}-{}", generator.name, hash::of(&json)));
    }
    let tree = json!({"metadata": metadata, "type": kind, "data": data});
    generator.create::<Secret>(call, tree, "failed to create secret ").await
}
