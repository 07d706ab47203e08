//! `create deployment`, `create job` and `create cronjob`.

use rhumb_api::apps::v1::Deployment;
use rhumb_api::batch::v1::{CronJob, Job};
use rhumb_cli::command::{Action, Command, Flag};
use rhumb_cli::{Call, Failure, Outcome, options};
use serde_json::{Map, Value, json};

use super::generator::{Generator, MANAGER};
use crate::random;
use crate::typed;

static DEPLOYMENT_FLAGS: &[Flag] = &[
    Flag::list("image", "The image to run; several make several containers.").required(),
    Flag::int32("port", "-1", "The port that the first container listens on."),
    Flag::int32("replicas", "1", "How many pods to run.").short('r'),
];

/// `create deployment`.
pub(super) static DEPLOYMENT: Command = Command {
    name: "deployment",
    aliases: &["deploy"],
    about: "Create a deployment that runs an image",
    usage: "NAME --image=image -- [COMMAND] [args...]",
    examples: &[
        ("Run nginx", "create deployment web --image=nginx"),
        ("Three pods that listen on a port", "create deployment web --image=nginx --replicas=3 --port=80"),
        ("Another command than the image's own", "create deployment clock --image=busybox -- date"),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        DEPLOYMENT_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(deployment(call))),
    ..Command::EMPTY
};

static JOB_FLAGS: &[Flag] = &[
    Flag::text("image", "The image to run."),
    Flag::text("from", "The cron job whose template to use: cronjob/name."),
];

/// `create job`.
pub(super) static JOB: Command = Command {
    name: "job",
    about: "Create a job that runs an image, or that a cron job describes",
    usage: "NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]",
    examples: &[
        ("Run a command once", "create job now --image=busybox -- date"),
        ("Run what a cron job runs, now", "create job extra --from=cronjob/nightly"),
    ],
    flags: &[options::PRINT, options::SAVE_CONFIG, options::VALIDATE, options::DRY_RUN, JOB_FLAGS, MANAGER],
    action: Action::Run(|call| Box::pin(job(call))),
    ..Command::EMPTY
};

static CRON_JOB_FLAGS: &[Flag] = &[
    Flag::text("image", "The image to run.").required(),
    Flag::text("schedule", "When to run it, in five fields as cron has them.").required(),
    Flag::text("restart", "When to start the container again: OnFailure or Never."),
];

/// `create cronjob`.
pub(super) static CRON_JOB: Command = Command {
    name: "cronjob",
    aliases: &["cj"],
    about: "Create a cron job that runs an image now and then",
    usage: "NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...] [flags]",
    examples: &[
        ("Every minute", "create cronjob tick --image=busybox --schedule='*/1 * * * *'"),
        (
            "Every night, with a command",
            "create cronjob nightly --image=busybox --schedule='0 3 * * *' -- date",
        ),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        CRON_JOB_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(cron_job(call))),
    ..Command::EMPTY
};

async fn deployment(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    let images = call.flags.list("image");
    if images.len() > 1 && !generator.command.is_empty() {
        return Err("cannot specify multiple --image options and command".into());
    }
    let mut containers: Vec<Value> = images
        .iter()
        .map(|image| json!({"name": container_name(image), "image": image, "command": generator.command}))
        .collect();
    let port = call.flags.int("port");
    if port >= 0
        && let Some(first) = containers.first_mut().and_then(Value::as_object_mut)
    {
        first.insert("ports".to_owned(), json!([{"containerPort": port}]));
    }
    let labels = json!({"app": generator.name});
    let tree = json!({
        "metadata": generator.metadata_with_labels(labels.clone()),
        "spec": {
            "replicas": call.flags.int("replicas"),
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
        },
    });
    generator.create::<Deployment>(call, tree, "failed to create deployment: ").await
}

/// Returns the last part of an image's name without tag or digest. Where characters had to be replaced, something
/// random is added, so that names stay apart.
fn container_name(image: &str) -> String {
    let last = image.rsplit('/').next().unwrap_or_default();
    let name = last.split([':', '@']).next().unwrap_or_default();
    if name.contains(['_', '.']) {
        return format!("{}-{}", name.replace(['_', '.'], "-"), random::suffix(5));
    }
    name.to_owned()
}

async fn job(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    let (image, from) = (call.flags.text("image").to_owned(), call.flags.text("from").to_owned());
    if image.is_empty() == from.is_empty() {
        return Err("either --image or --from must be specified".into());
    }
    if !generator.command.is_empty() && !from.is_empty() {
        return Err("cannot specify --from and command".into());
    }
    let tree = if from.is_empty() {
        json!({
            "metadata": generator.metadata(),
            "spec": {"template": {"spec": {
                "containers": [{"name": generator.name, "image": image, "command": generator.command}],
                "restartPolicy": "Never",
            }}},
        })
    } else {
        job_of(call, &generator, &from).await?
    };
    generator.create::<Job>(call, tree, "failed to create job: ").await
}

/// Returns the job that a cron job's template describes.
async fn job_of(call: &Call, generator: &Generator, from: &str) -> Result<Value, Failure> {
    let builder = call.factory.builder().namespace(generator.namespace()).default_namespace();
    let infos = builder.words(false, &[from.to_owned()]).flatten().latest().build().await?.collect().await?;
    let [info] = infos.as_slice() else { return Err("from must be an existing cronjob".into()) };
    let object = info.object()?;
    let kind = typed::kind_of(object);
    if kind.kind != "CronJob" {
        return Err(format!("unknown object type *{}.{}", kind.version, kind.kind).into());
    }
    let get = |path: &[&str]| object.get(path).cloned().unwrap_or_default();
    let mut annotations = Map::new();
    annotations.insert("cronjob.kubernetes.io/instantiate".to_owned(), "manual".into());
    if let Value::Object(more) = get(&["spec", "jobTemplate", "metadata", "annotations"]) {
        annotations.extend(more);
    }
    let mut metadata = generator.metadata_with_labels(get(&["spec", "jobTemplate", "metadata", "labels"]));
    if let Some(fields) = metadata.as_object_mut() {
        fields.insert("annotations".to_owned(), Value::Object(annotations));
        let owner = json!({
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "name": get(&["metadata", "name"]),
            "uid": get(&["metadata", "uid"]),
            "controller": true,
        });
        fields.insert("ownerReferences".to_owned(), json!([owner]));
    }
    Ok(json!({"metadata": metadata, "spec": get(&["spec", "jobTemplate", "spec"])}))
}

async fn cron_job(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    let restart = match call.flags.text("restart") {
        "" => "OnFailure",
        restart => restart,
    };
    let name = &generator.name;
    let tree = json!({
        "metadata": generator.metadata(),
        "spec": {
            "schedule": call.flags.text("schedule"),
            "jobTemplate": {
                "metadata": {"name": name},
                "spec": {"template": {"spec": {
                    "containers": [
                        {"name": name, "image": call.flags.text("image"), "command": generator.command},
                    ],
                    "restartPolicy": restart,
                }}},
            },
        },
    });
    generator.create::<CronJob>(call, tree, "failed to create cronjob: ").await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_named_after_their_images() {
        assert_eq!(container_name("nginx"), "nginx");
        assert_eq!(container_name("registry:5000/team/app:v1@sha256:abc"), "app");
        assert!(container_name("my_app").starts_with("my-app-"));
        assert_eq!(container_name("my_app").len(), "my-app-".len() + 5);
    }
}
