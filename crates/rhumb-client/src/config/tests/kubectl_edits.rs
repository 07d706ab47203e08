//! The same changes as `kubectl config` made, to the same files: 65 runs, and what was in the files afterwards.

use std::collections::BTreeMap;
use std::path::Path;

use super::Dir;
use crate::config::kubeconfig::{AuthInfo, Cluster, Context};
use crate::config::{ConfigError, Kubeconfig, LoadingRules, PathForm};

#[test]
fn files_are_changed_as_kubectl_changes_them() {
    let recorded: serde_json::Value = serde_json::from_str(include_str!("data/edits.json")).unwrap();
    let cases = recorded["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 65);
    for case in cases {
        let dir = Dir::new();
        dir.write("a", recorded["a"].as_str().unwrap());
        dir.write("b", recorded["b"].as_str().unwrap());
        let before = files(dir.path());
        let step: Vec<&str> =
            case["step"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        let environment = dir.environment().with_variable("KUBECONFIG", case["kubeconfig"].as_str().unwrap());
        let outcome = LoadingRules::new(&environment)
            .edit(PathForm::Relative, |config| change(config, &step, dir.path()));
        let refused = case["output"].as_str().unwrap().starts_with("error: ");
        assert_eq!(outcome.is_err(), refused, "{case}\n{outcome:?}");
        let mut changed = files(dir.path());
        changed.retain(|name, content| before.get(name) != Some(content));
        let expected: BTreeMap<String, String> = case["files"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, content)| {
                let content = content.as_str().unwrap().replace("$DIR", dir.path().to_str().unwrap());
                (name.clone(), content)
            })
            .collect();
        assert_eq!(changed, expected, "{case}");
    }
}

/// All files below a directory, by their path from there.
fn files(dir: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(
                files(&path).into_iter().map(|(below, content)| (format!("{name}/{below}"), content)),
            );
        } else {
            found.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
    found
}

/// What a step of `kubectl config` does to the entries.
fn change(config: &mut Kubeconfig, step: &[&str], dir: &Path) -> Result<(), ConfigError> {
    let missing = || ConfigError::Other("it is not there".to_owned());
    let (verb, rest) = step.split_first().unwrap();
    let (name, flags) = rest.split_first().unwrap();
    let name = (*name).to_owned();
    let flags: BTreeMap<&str, &str> =
        flags.iter().filter_map(|flag| flag.strip_prefix("--")?.split_once('=')).collect();
    // Paths on the command line start from the working directory.
    let absolute = |path: &str| dir.join(path).to_str().unwrap().to_owned();
    match *verb {
        "set-cluster" => {
            let cluster = config.clusters.entry(name).or_insert_with(|| Cluster::default().into());
            cluster.server = flags["server"].to_owned();
            if let Some(path) = flags.get("certificate-authority") {
                cluster.certificate_authority = absolute(path);
            }
        }
        "set-credentials" => {
            let user = config.users.entry(name).or_insert_with(|| AuthInfo::default().into());
            if let Some(token) = flags.get("token") {
                // One way to authenticate takes the place of the other.
                user.token = (*token).into();
                user.username.clear();
                user.password = "".into();
            }
            if let Some(path) = flags.get("client-certificate") {
                user.client_certificate = absolute(path);
                user.client_key = flags["client-key"].to_owned();
            }
        }
        "set-context" => {
            let context = config.contexts.entry(name).or_insert_with(|| Context::default().into());
            for (flag, value) in flags {
                match flag {
                    "cluster" => context.cluster = value.to_owned(),
                    "user" => context.user = value.to_owned(),
                    _ => context.namespace = value.to_owned(),
                }
            }
        }
        "use-context" => {
            config.contexts.get(&name).ok_or_else(missing)?;
            config.current_context = name;
        }
        "rename-context" => {
            let context = config.contexts.remove(&name).ok_or_else(missing)?;
            let new = (*rest.last().unwrap()).to_owned();
            if config.current_context == name {
                config.current_context.clone_from(&new);
            }
            config.contexts.insert(new, context);
        }
        "delete-context" => drop(config.contexts.remove(&name).ok_or_else(missing)?),
        "delete-cluster" => drop(config.clusters.remove(&name).ok_or_else(missing)?),
        "delete-user" => drop(config.users.remove(&name).ok_or_else(missing)?),
        "unset" => config.current_context.clear(),
        "set" => config.preferences.colors = true,
        other => panic!("what is {other}?"),
    }
    Ok(())
}
