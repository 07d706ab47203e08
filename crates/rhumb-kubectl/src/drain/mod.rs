//! `cordon`, `uncordon` and `drain`.

mod evict;
mod filter;

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::Patch;
use rhumb_meta::labels::Selector;
use rhumb_meta::v1::PatchOptions;
use serde_json::{Value, json};

/// `cordon`.
pub(crate) static CORDON: Command = Command {
    name: "cordon",
    family: Family::Cluster,
    about: "Let no more pods come to a node",
    usage: "NODE",
    examples: &[("One node", "cordon node1"), ("All nodes with a label", "cordon -l pool=a")],
    flags: &[options::DRY_RUN, options::SELECTOR],
    words: Words::NamesOf("nodes"),
    action: Action::Run(|call| Box::pin(cordon(call, true))),
    ..Command::EMPTY
};

/// `uncordon`.
pub(crate) static UNCORDON: Command = Command {
    name: "uncordon",
    family: Family::Cluster,
    about: "Let pods come to a node again",
    usage: "NODE",
    examples: &[("One node", "uncordon node1"), ("All nodes with a label", "uncordon -l pool=a")],
    flags: &[options::DRY_RUN, options::SELECTOR],
    words: Words::NamesOf("nodes"),
    action: Action::Run(|call| Box::pin(cordon(call, false))),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::bool("force", "Also delete pods that no controller will make again."),
    Flag::bool("ignore-daemonsets", "Leave the pods of daemon sets alone."),
    Flag::bool("delete-emptydir-data", "Also delete pods with local data, which is lost."),
    Flag::int("grace-period", "-1", "How many seconds pods have to end; negative leaves it to them."),
    Flag::duration("timeout", "0s", "How long to wait; 0 is for ever."),
    Flag::text("pod-selector", "Only pods with these labels."),
    Flag::bool("disable-eviction", "Delete pods instead of evicting them, whatever their budgets say."),
    Flag::int(
        "skip-wait-for-delete-timeout",
        "0",
        "Don't wait for pods that have been ending for more than so many seconds; 0 waits for all.",
    ),
    Flag::int("chunk-size", "500", "How many pods to fetch at once; 0 is all."),
];

/// `drain`.
pub(crate) static DRAIN: Command = Command {
    name: "drain",
    family: Family::Cluster,
    about: "Move all pods away from a node",
    long: "Cordons the node and evicts its pods, one budget at a time. Pods of daemon sets stop it unless \
           they are \
           ignored, and so do pods that no controller would make again, and pods with local data.",
    usage: "NODE",
    examples: &[
        ("All pods that others will make again", "drain node1 --ignore-daemonsets"),
        ("The others, too", "drain node1 --ignore-daemonsets --force --delete-emptydir-data"),
        ("Give them a quarter of an hour", "drain node1 --grace-period=900"),
    ],
    flags: &[FLAGS, options::DRY_RUN, options::SELECTOR],
    words: Words::NamesOf("nodes"),
    action: Action::Run(|call| Box::pin(drain(call))),
    ..Command::EMPTY
};

/// Returns the nodes that the command line names.
async fn nodes(call: &mut Call) -> Result<(Vec<Info>, DryRun), Failure> {
    if call.args.is_empty() && !call.flags.is_given("selector") {
        return Err(call.usage(format!("USAGE: {} NODE [flags]", call.command().name)));
    }
    let selector = call.flags.text("selector").to_owned();
    if !call.args.is_empty() && !selector.is_empty() {
        return Err(call.usage("error: cannot specify both a node name and a --selector option"));
    }
    let dry_run = DryRun::of(call)?;
    let pods = call.flags.text("pod-selector");
    if !pods.is_empty() && Selector::parse(pods).is_err() {
        return Err("--pod-selector=<pod_selector> must be a valid label selector".into());
    }
    let (namespace, _) = call.factory.namespace()?;
    let mut builder = call
        .factory
        .builder()
        .namespace(&namespace)
        .default_namespace()
        .chunks_of(call.flags.int("chunk-size"))
        .names_of("nodes", &call.args)
        .single_type()
        .flatten();
    if !selector.is_empty() {
        builder = builder.label_selector(&selector).types(&["nodes"]);
    }
    let mut nodes = Vec::new();
    let infos = builder.build().await?;
    infos
        .visit(async |info| {
            let resource = &info.mapping.resource;
            if !resource.group.is_empty() || resource.resource != "nodes" {
                return Err(format!(
                    "error: expected resource of type node, got \"{}/{}, Resource={}\"",
                    resource.group, resource.version, resource.resource
                )
                .into());
            }
            nodes.push(info.clone());
            Ok(())
        })
        .await?;
    Ok((nodes, dry_run))
}

async fn cordon(call: &mut Call, wanted: bool) -> Outcome {
    let (nodes, dry_run) = nodes(call).await?;
    set_unschedulable(call, &nodes, wanted, dry_run).await
}

/// Lets pods come to nodes or not, and says so. What fails with one node is told, and no reason to leave out
/// others.
async fn set_unschedulable(call: &mut Call, nodes: &[Info], wanted: bool, dry_run: DryRun) -> Outcome {
    let mut printer = call.printer(dry_run)?;
    let word = if wanted { "cordon" } else { "uncordon" };
    for info in nodes {
        let object = info.object()?;
        let is = object.get(&["spec", "unschedulable"]).and_then(Value::as_bool).unwrap_or(false);
        if is == wanted {
            printer.print(&mut call.streams, object, &format!("already {word}ed"))?;
            continue;
        }
        if dry_run != DryRun::Client {
            let value = if wanted { Value::Bool(true) } else { Value::Null };
            let patch = Patch::Strategic(json!({"spec": {"unschedulable": value}}));
            let options = PatchOptions { dry_run: dry_run.param(), ..PatchOptions::default() };
            if let Err(error) = info.api()?.patch(&info.name, &patch, &options).await {
                let why = Failure::from(error).bare();
                call.warn(format!("error: unable to {word} node {:?}: {why}", info.name));
                continue;
            }
        }
        printer.print(&mut call.streams, object, &format!("{word}ed"))?;
    }
    Ok(())
}

async fn drain(call: &mut Call) -> Outcome {
    let (nodes, dry_run) = nodes(call).await?;
    set_unschedulable(call, &nodes, true, dry_run).await?;
    let mut printer = call.printer(dry_run)?;
    let (mut failures, mut remaining) = (Vec::new(), Vec::new());
    for info in &nodes {
        match empty(call, &info.name, dry_run).await {
            Ok(()) => printer.print(&mut call.streams, info.object()?, "drained")?,
            Err(failure @ Failure::Output(_)) => return Err(failure),
            Err(failure) => {
                let why = failure.bare();
                call.warn(format!(
                    "error: unable to drain node {:?} due to error: {why}, continuing command...",
                    info.name
                ));
                failures.push(failure);
                remaining.push(info.name.as_str());
            }
        }
    }
    if remaining.is_empty() {
        return Ok(());
    }
    call.warn("There are pending nodes to be drained:");
    for name in remaining {
        call.warn(format!(" {name}"));
    }
    Failure::all(failures)
}

/// Takes the pods off a node.
async fn empty(call: &mut Call, node: &str, dry_run: DryRun) -> Outcome {
    let list = filter::pods(call, node).await?;
    list.check()?;
    let warnings = list.warnings();
    if !warnings.is_empty() {
        call.warning(warnings);
    }
    let pods = list.chosen();
    if dry_run == DryRun::Client {
        for pod in &pods {
            let (namespace, name) = (&pod.metadata.namespace, &pod.metadata.name);
            call.line(format!("evicting pod {namespace}/{name} (dry run)"))?;
        }
        return Ok(());
    }
    let Err(failure) = evict::all(call, pods, dry_run).await else { return Ok(()) };
    match filter::pods(call, node).await {
        Ok(list) => {
            let pending = list.chosen();
            if !pending.is_empty() {
                let why = failure.bare();
                call.warn(format!("There are pending pods in node {node:?} when an error occurred: {why}"));
                for pod in pending {
                    call.warn(format!("pod/{}", pod.metadata.name));
                }
            }
            if let Err(others) = list.check() {
                let text = "Following errors occurred while getting the list of pods to delete:";
                call.warn(format!("{text}\n{}", others.bare()));
            }
        }
        Err(others) => {
            let text = "Following errors occurred while getting the list of pods to delete:";
            call.warn(format!("{text}\n{}", others.bare()));
        }
    }
    Err(failure)
}
