//! `set image`: sets the images of containers.

use std::collections::BTreeMap;

use rhumb_cli::command::{Action, Command, Words};
use rhumb_cli::options;
use rhumb_cli::{Call, Failure, Outcome};
use serde_json::Value;

use super::change::{Changer, MANAGER, SCOPE, with_name};
use crate::pairs::{self, Changes};
use crate::{change_cause, pod_spec};

/// Kinds with containers.
pub(super) const WORKLOADS: &[&str] = &[
    "daemonsets",
    "deployments",
    "pods",
    "cronjobs",
    "replicasets",
    "replicationcontrollers",
    "statefulsets",
];

/// `set image`.
pub(super) static COMMAND: Command = Command {
    name: "image",
    about: "Change the images of containers",
    long: "Changes the images of the containers of pods, replication controllers, deployments, daemon sets, \
           stateful \
           sets, cron jobs and replica sets. The container * means all of them.",
    usage: "(-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... \
            CONTAINER_NAME_N=CONTAINER_IMAGE_N",
    examples: &[
        ("Two containers of a deployment", "set image deployment/web nginx=nginx:1.27 helper=busybox"),
        ("One container, wherever it is", "set image deployments,rc nginx=nginx:1.27 --all"),
        ("All containers of a daemon set", "set image daemonset agent '*=agent:2'"),
        ("What a file says, printed", "set image -f web.yaml nginx=nginx:1.27 --local -o yaml"),
    ],
    flags: &[
        options::PRINT,
        change_cause::FLAGS,
        options::FILES,
        SCOPE,
        options::DRY_RUN,
        MANAGER,
        options::SELECTOR,
    ],
    words: Words::Of(WORKLOADS),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let mut changer = Changer::of(call, "image updated", "failed to patch image update to pod template: ")?;
    let (words, pairs) = pairs::split(&call.args, "image")?;
    let changes = Changes::parse(&pairs, "image")?;
    if !changes.remove.is_empty() {
        let wrong: Vec<String> = changes.remove.iter().map(|name| format!("{name}-")).collect();
        return Err(format!("invalid image format: {}", wrong.join(", ")).into());
    }
    let images = changes.set;
    changer.refuse_words(&words)?;
    let infos = changer.find(call, &words).await?;
    Failure::all(mistakes(call, &changer, &words, &images))?;
    let mut failures = Vec::new();
    for info in &infos {
        let before = changer.before(info)?;
        let mut after = before.clone();
        let spec = match pod_spec::of_mut(&mut after) {
            Ok(spec) => spec,
            Err(failure) => {
                failures.push(with_name(info, &failure));
                continue;
            }
        };
        for (name, image) in &images {
            let mut found = false;
            pod_spec::each_container(spec, "*", |container| {
                if name == "*" || container.get("name").and_then(Value::as_str) == Some(name) {
                    found = true;
                    container.insert("image".to_owned(), image.as_str().into());
                }
            });
            if !found {
                let missing = Failure::message(format!("error: unable to find container named {name:?}"));
                failures.push(missing.at(&info.origin));
            }
        }
        if let Err(failure) = changer.apply(call, info, &before, after).await {
            failures.push(failure);
        }
    }
    Failure::all(failures)
}

fn mistakes(
    call: &Call,
    changer: &Changer,
    words: &[String],
    images: &BTreeMap<String, String>,
) -> Vec<Failure> {
    let mut mistakes = Vec::new();
    if let Err(mistake) = changer.check_flags(call) {
        mistakes.push(mistake);
    }
    let files = options::files(&call.flags);
    if words.is_empty() && files.filenames.is_empty() && files.kustomize.is_empty() {
        mistakes
            .push("one or more resources must be specified as <resource> <name> or <resource>/<name>".into());
    }
    if images.is_empty() {
        mistakes.push("at least one image update is required".into());
    } else if images.len() > 1 && images.contains_key("*") {
        mistakes.push(
            "all containers are already specified by *, but saw more than one \
             container_name=container_image pairs"
                .into(),
        );
    }
    mistakes
}
