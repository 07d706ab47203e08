//! `rollout pause`, `rollout resume` and `rollout restart`.

use rhumb_cli::command::{Action, Command, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome, ResultPrinter};
use rhumb_scheme::Unstructured;
use serde_json::Value;

use super::{MANAGER, WORKLOADS, find, require_something};
use crate::create::refused;
use crate::two_way::{self, at_mut};
use crate::typed;

/// Annotation of the pod template with the time of the last restart.
const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";

/// `rollout pause`.
pub(super) static PAUSE: Command = Command {
    name: "pause",
    about: "Let changes of a deployment wait",
    usage: "RESOURCE",
    examples: &[
        ("Changes have no effect until it is resumed", "rollout pause deployment/web"),
        ("By label", "rollout pause deployment -l app=web"),
    ],
    flags: &[options::PRINT, options::FILES, MANAGER, options::SELECTOR],
    words: Words::Of(&["deployment"]),
    action: Action::Run(|call| Box::pin(run(call, Change::Pause))),
    ..Command::EMPTY
};

/// `rollout resume`.
pub(super) static RESUME: Command = Command {
    name: "resume",
    about: "Go on with a deployment that was paused",
    usage: "RESOURCE",
    examples: &[
        ("Changes take effect again", "rollout resume deployment/web"),
        ("By label", "rollout resume deployment -l app=web"),
    ],
    flags: &[options::PRINT, options::FILES, MANAGER, options::SELECTOR],
    words: Words::Of(&["deployment"]),
    action: Action::Run(|call| Box::pin(run(call, Change::Resume))),
    ..Command::EMPTY
};

/// `rollout restart`.
pub(super) static RESTART: Command = Command {
    name: "restart",
    about: "Replace all pods of a workload, a few at a time",
    usage: "RESOURCE",
    examples: &[
        ("A deployment", "rollout restart deployment/web"),
        ("All deployments of the namespace", "rollout restart deployment"),
        ("By label", "rollout restart deployment -l app=web"),
    ],
    flags: &[options::PRINT, options::FILES, MANAGER, options::SELECTOR],
    words: Words::Of(WORKLOADS),
    action: Action::Run(|call| Box::pin(run(call, Change::Restart))),
    ..Command::EMPTY
};

#[derive(Clone, Copy)]
enum Change {
    Pause,
    Resume,
    Restart,
}

impl Change {
    fn done(self) -> &'static str {
        match self {
            Change::Pause => "paused",
            Change::Resume => "resumed",
            Change::Restart => "restarted",
        }
    }

    /// Changes an object, or says why not.
    fn apply(self, object: &mut Unstructured, now: &str) -> Result<(), Failure> {
        let kind = typed::kind_of(object);
        let in_apps = matches!(&*kind.group, "apps" | "extensions");
        let is_deployment = in_apps && kind.kind == "Deployment";
        let paused = object.get(&["spec", "paused"]).and_then(Value::as_bool).unwrap_or(false);
        let spec = at_mut(object.fields_mut(), &["spec"]);
        match (self, is_deployment) {
            (Change::Pause, false) => Err("pausing is not supported".into()),
            (Change::Pause, true) if paused => Err("is already paused".into()),
            (Change::Pause, true) => {
                spec.insert("paused".to_owned(), true.into());
                Ok(())
            }
            (Change::Resume, false) => Err("resuming is not supported".into()),
            (Change::Resume, true) if !paused => Err("is not paused".into()),
            (Change::Resume, true) => {
                spec.remove("paused");
                Ok(())
            }
            (Change::Restart, true) if paused => {
                Err("can't restart paused deployment (run rollout resume first)".into())
            }
            (Change::Restart, _)
                if in_apps && matches!(&*kind.kind, "Deployment" | "DaemonSet" | "StatefulSet") =>
            {
                let annotations = at_mut(spec, &["template", "metadata", "annotations"]);
                annotations.insert(RESTARTED_AT.to_owned(), now.into());
                Ok(())
            }
            (Change::Restart, _) => Err("restarting is not supported".into()),
        }
    }
}

async fn run(call: &mut Call, change: Change) -> Outcome {
    require_something(call)?;
    let mut printer = call.printer(DryRun::None)?;
    let (infos, namespace) = find(call).await?;
    let (infos, mut failures) = infos.gather().await;
    if infos.is_empty() && failures.is_empty() {
        call.warn(format!("No resources found in {namespace} namespace."));
        return Ok(());
    }
    let now = call.factory.now().to_string();
    for info in &infos {
        if let Err(failure) = apply(call, &mut printer, info, change, &now).await {
            failures.push(failure.at(&info.origin));
        }
    }
    Failure::all(failures)
}

/// Changes one object, and says so.
async fn apply(
    call: &mut Call,
    printer: &mut ResultPrinter,
    info: &Info,
    change: Change,
    now: &str,
) -> Outcome {
    let before = two_way::read(info.object()?)?;
    let mut after = before.clone();
    if let Err(failure) = change.apply(&mut after, now) {
        let resource = info.mapping.resource.group_resource();
        return Err(format!("error: {resource} {:?} {}", info.name, failure.bare()).into());
    }
    let Some(patch) = two_way::patch(&before, &after)? else {
        return Err(format!(
            "failed to create patch for {}: if restart has already been triggered within the past second, please \
             wait before attempting to trigger another",
            info.name
        )
        .into());
    };
    let sent = two_way::send(call, info, patch, DryRun::None).await;
    let object = sent.map_err(|error| refused("failed to patch: ", error))?;
    typed::print(printer, &mut call.streams, &object, change.done())
}
