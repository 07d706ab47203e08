//! `run`: creates a pod from an image, optionally attached.

mod attached;
mod image_name;

use rhumb_cli::command::{Action, Command, Family, Flag};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_meta::validation;
use rhumb_scheme::Unstructured;
use serde_json::{Map, Value, json};

use crate::change_cause::{self, Recorder};
use crate::expose::{self, atoi, parse_labels};
use crate::pairs::Changes;
use crate::pods::choose::running_timeout;
use crate::{deletion, metadata, overrides, typed};

static FLAGS: &[Flag] = &[
    Flag::array("annotations", "An annotation of the pod: key=value. May be given several times."),
    Flag::text("image", "The image to run.").required(),
    Flag::text(
        "image-pull-policy",
        "When to pull the image: Always, IfNotPresent or Never; else the server says.",
    )
    .choices(&["Always", "IfNotPresent", "Never"]),
    Flag::bool("rm", "Delete the pod when its process has ended. Only with --attach or -i."),
    Flag::array("env", "A variable of the container: KEY=value. May be given several times."),
    Flag::text("port", "The port that the container listens on."),
    Flag::text("labels", "The labels of the pod: key=value,key=value.").short('l'),
    Flag::bool("stdin", "Keep the container's standard input open.").short('i'),
    Flag::bool("tty", "Give the container a terminal.").short('t'),
    Flag::bool("attach", "Wait until the pod runs and attach to it; so by default with -i."),
    Flag::bool("leave-stdin-open", "Keep standard input open when the first session has ended."),
    Flag::text("restart", "When to start the container again: Always, OnFailure or Never.")
        .default("Always")
        .choices(&["Always", "OnFailure", "Never"]),
    Flag::bool("command", "The words behind -- are the command, not its arguments."),
    Flag::bool("expose", "Make a service for the pod as well. Needs --port."),
    Flag::bool("quiet", "Print only what the process prints.").short('q'),
    Flag::bool("privileged", "Let the container do everything on its node."),
    Flag::text("detach-keys", "The keys that leave the process running and end the session.")
        .default("ctrl-p,ctrl-q"),
    Flag::duration("pod-running-timeout", "1m0s", "How long to wait until the pod runs."),
    Flag::bool("wait", "Wait until what was deleted is gone."),
    options::field_manager("kubectl-run"),
];

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "run",
    family: Family::Beginner,
    about: "Run an image in a pod",
    long: "Creates a pod with one container that runs an image, and attaches to it if wanted.",
    usage: "NAME --image=image [--env=\"key=value\"] [--port=port] [--dry-run=server|client] \
            [--overrides=inline-json] [--command] -- [COMMAND] [args...]",
    examples: &[
        ("Run nginx", "run web --image=nginx"),
        (
            "With a variable, a label and a port",
            "run web --image=nginx --env=LEVEL=debug -l app=web --port=80",
        ),
        ("What would be sent", "run web --image=nginx --dry-run=client -o yaml"),
        (
            "A shell that is gone when you leave it",
            "run -it shell --image=busybox --restart=Never --rm -- sh",
        ),
    ],
    flags: &[
        deletion::FLAGS,
        options::FILES,
        options::PRINT,
        change_cause::FLAGS,
        FLAGS,
        options::DRY_RUN,
        overrides::FLAGS,
        options::SAVE_CONFIG,
    ],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let recorder = Recorder::of(call);
    let dry_run = DryRun::of(call)?;
    let attach = match call.flags.is_given("attach") {
        true => call.flags.bool("attach"),
        false => call.flags.bool("stdin"),
    };
    let mut printer = call.printer(dry_run)?;
    let Some(name) = call.args.first().filter(|_| call.dash != Some(0)).cloned() else {
        return Err(call.usage("NAME is required for run"));
    };
    let timeout = running_timeout(call).map_err(|failure| call.usage(failure.bare()))?;
    check(call, attach, dry_run)?;
    let (namespace, enforces) = call.factory.namespace()?;
    let make = |mut object: Unstructured| {
        recorder.record(&mut object);
        object
    };
    let pod = make(overrides::apply(&call.flags, pod(call, &name)?)?);
    let pod = create(call, &namespace, enforces, pod, dry_run).await?;
    let mut created = vec![pod.clone()];
    let mut failure = None;
    if call.flags.bool("expose") {
        match expose(call, &name, &make).map(Some) {
            Ok(Some(service)) => match create(call, &namespace, enforces, service, dry_run).await {
                Ok(service) => {
                    show(call, &mut printer, &service, dry_run)?;
                    if call.flags.text("output") == "yaml" {
                        call.line("---")?;
                    }
                    created.push(service);
                }
                Err(refused) => failure = Some(refused),
            },
            Ok(None) => {}
            Err(wrong) => failure = Some(wrong),
        }
    }
    if attach {
        let done = attached::attach(call, &pod, timeout).await;
        if call.flags.bool("rm") {
            attached::remove(call, &created).await?;
        }
        return done;
    }
    show(call, &mut printer, &pod, dry_run)?;
    failure.map_or(Ok(()), Err)
}

/// Refuses flags that don't go together.
fn check(call: &Call, attach: bool, dry_run: DryRun) -> Outcome {
    let flags = &call.flags;
    let image = flags.text("image");
    if image.is_empty() {
        return Err("--image is required".into());
    }
    if !image_name::is_valid(image) {
        return Err(format!("Invalid image name {image:?}: invalid reference format").into());
    }
    if flags.bool("tty") && !flags.bool("stdin") {
        return Err(call.usage("-i/--stdin is required for containers with -t/--tty=true"));
    }
    if flags.bool("expose") && flags.text("port").is_empty() {
        return Err(call.usage("--port must be set when exposing a service"));
    }
    if !matches!(flags.text("restart"), "" | "Always" | "OnFailure" | "Never") {
        return Err(call.usage(format!("invalid restart policy: {}", flags.text("restart"))));
    }
    if !attach && flags.bool("rm") {
        return Err(call.usage("--rm should only be used for attached containers"));
    }
    if attach && dry_run != DryRun::None {
        return Err(call.usage(
            "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, \
             or --tty)",
        ));
    }
    match flags.text("image-pull-policy") {
        "" | "Always" | "IfNotPresent" | "Never" => Ok(()),
        other => Err(call.usage(format!("invalid image pull policy: {other}"))),
    }
}

/// Returns the pod that the flags describe.
fn pod(call: &Call, name: &str) -> Result<Unstructured, Failure> {
    let flags = &call.flags;
    let mut container = Map::new();
    let mut put = |field: &str, value: Value| drop(container.insert(field.to_owned(), value));
    put("name", json!(name));
    put("image", json!(flags.text("image")));
    put("stdin", json!(flags.bool("stdin")));
    put("stdinOnce", json!(flags.bool("stdin") && !flags.bool("leave-stdin-open")));
    put("tty", json!(flags.bool("tty")));
    put("imagePullPolicy", json!(flags.text("image-pull-policy")));
    put("env", json!(variables(&flags.list("env"))?));
    if flags.bool("privileged") {
        put("securityContext", json!({"privileged": true}));
    }
    let annotations = Changes::parse(&flags.list("annotations"), "annotations")?;
    if let Some(wrong) = annotations.remove.first() {
        return Err(format!("invalid annotations format: {wrong}-").into());
    }
    let labels = match flags.text("labels") {
        "" => [("run".to_owned(), name.to_owned())].into(),
        labels => parse_labels(labels)?,
    };
    let words = call.args.get(1..).unwrap_or_default();
    put(if flags.bool("command") { "command" } else { "args" }, json!(words));
    if !flags.text("port").is_empty() {
        put("ports", json!([{"containerPort": atoi(flags.text("port"))?}]));
    }
    let restart = match flags.text("restart") {
        "" => "Always",
        restart => restart,
    };
    let tree = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels, "annotations": annotations.set},
        "spec": {"containers": [container], "dnsPolicy": "ClusterFirst", "restartPolicy": restart},
    });
    let tree = Unstructured::new(tree).ok_or_else(|| Failure::message("an object must be a JSON object"))?;
    Ok(Unstructured::from_object(&*typed::read(&tree)?))
}

fn variables(pairs: &[String]) -> Result<Vec<Value>, Failure> {
    pairs
        .iter()
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) if validation::is_env_var_name(name).is_empty() => {
                Ok(json!({"name": name, "value": value}))
            }
            _ => Err(Failure::message(format!("invalid env: {pair}"))),
        })
        .collect()
}

fn expose(
    call: &Call,
    name: &str,
    make: &dyn Fn(Unstructured) -> Unstructured,
) -> Result<Unstructured, Failure> {
    let labels = call.flags.text("labels");
    let selector = if labels.is_empty() { format!("run={name}") } else { labels.to_owned() };
    expose::service_of_pod(name, &selector, labels, call.flags.text("port")).map(make)
}

/// Creates an object, or says how it would look.
async fn create(
    call: &Call,
    namespace: &str,
    enforces: bool,
    mut object: Unstructured,
    dry_run: DryRun,
) -> Result<Unstructured, Failure> {
    if dry_run != DryRun::Client {
        return expose::create(call, namespace, object, dry_run).await;
    }
    if enforces {
        metadata::set_text(&mut object, "namespace", namespace);
    }
    Ok(object)
}

fn show(
    call: &mut Call,
    printer: &mut rhumb_cli::ResultPrinter,
    object: &Unstructured,
    dry_run: DryRun,
) -> Outcome {
    match dry_run {
        DryRun::Client => typed::print(printer, &mut call.streams, object, "created"),
        _ => printer.print(&mut call.streams, object, "created"),
    }
}
