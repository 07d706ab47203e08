//! `autoscale`: creates a horizontal pod autoscaler.

use rhumb_api::autoscaling::{v1, v2};
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome, ResultPrinter};
use rhumb_client::{Readable, to_unstructured};
use rhumb_meta::v1::CreateOptions;
use rhumb_meta::{Object, Quantity, Resource};
use serde_json::{Map, Value, json};

use crate::change_cause::{self, Recorder};
use crate::{last_applied, typed};

static FLAGS: &[Flag] = &[
    Flag::int32("min", "-1", "How many pods there are at least; negative leaves it to the server."),
    Flag::int32("max", "-1", "How many pods there are at most.").required(),
    Flag::int32("cpu-percent", "-1", "How much of the requested processors pods should use, in percent.")
        .deprecated(
            "Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' \
             for milliCPU).",
        ),
    Flag::text("cpu", "How much processor pods should use: 70% of what they request, or 500m."),
    Flag::text("memory", "How much memory pods should use: 60% of what they request, or 200Mi."),
    Flag::text("name", "The name of the autoscaler; else that of the object."),
    options::field_manager("kubectl-autoscale"),
];

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "autoscale",
    family: Family::Deploy,
    about: "Let a Deployment, ReplicaSet, StatefulSet or ReplicationController be scaled by its load",
    long: "Makes an autoscaler that keeps the number of pods between two limits, by what they use.",
    usage: "(-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU] \
            [--memory=MEMORY]",
    examples: &[
        ("Between two and ten pods", "autoscale deployment web --min=2 --max=10"),
        ("At most five, at 80% of the requested processors", "autoscale deployment web --max=5 --cpu=80%"),
        ("By memory", "autoscale deployment web --max=5 --memory=200Mi"),
    ],
    flags: &[
        change_cause::FLAGS,
        options::PRINT,
        FLAGS,
        options::DRY_RUN,
        options::FILES,
        options::SAVE_CONFIG,
    ],
    words: Words::Of(&["deployment", "replicaset", "replicationcontroller", "statefulset"]),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

/// Target of a metric.
enum Target {
    /// A part of what they request, in percent.
    Percent(i32),
    /// An amount.
    Amount(Quantity),
}

/// Settings of a new autoscaler.
struct Maker {
    dry_run: DryRun,
    printer: ResultPrinter,
    recorder: Recorder,
    namespace: String,
    enforces: bool,
}

async fn run(call: &mut Call) -> Outcome {
    let dry_run = DryRun::of(call)?;
    let printer = call.printer(dry_run)?;
    let recorder = Recorder::of(call);
    let (namespace, enforces) = call.factory.namespace()?;
    let flags = &call.flags;
    let (min, max) = (flags.int("min"), flags.int("max"));
    if max < 1 {
        return Err(format!("--max=MAXPODS is required and must be at least 1, max: {max}").into());
    }
    if max < min {
        let text = format!("--max=MAXPODS must be larger or equal to --min=MINPODS, max: {max}, min: {min}");
        return Err(text.into());
    }
    if flags.int("cpu-percent") > 0 && !flags.text("cpu").is_empty() {
        return Err("--cpu-percent and --cpu are mutually exclusive".into());
    }
    for resource in ["cpu", "memory"] {
        if !flags.text(resource).is_empty() {
            target(resource, flags.text(resource))?;
        }
    }
    let files = options::files(&call.flags);
    let builder = call.factory.builder().continue_on_error().namespace(&namespace).default_namespace().files(
        enforces,
        &files,
        &mut call.streams,
    );
    let infos = builder.words(false, &call.args).flatten().build().await?;
    let mut maker = Maker { dry_run, printer, recorder, namespace, enforces };
    let mut count = 0;
    infos
        .visit(async |info| {
            require_scale(call, info).await?;
            make(call, &mut maker, info).await?;
            count += 1;
            Ok(())
        })
        .await?;
    if count == 0 { Err("no objects passed to autoscale".into()) } else { Ok(()) }
}

/// Refuses what can't be scaled.
async fn require_scale(call: &Call, info: &Info) -> Outcome {
    let resource = &info.mapping.resource;
    let listed = call.factory.discovery()?.resources(&resource.group_version()).await?;
    let scale = format!("{}/scale", resource.resource);
    if listed.resources.iter().any(|known| known.name == scale) {
        return Ok(());
    }
    Err(format!(
        "cannot autoscale a {}: could not find scale subresource for {}/{}, Resource={} in discovery \
         information",
        info.mapping.kind.kind, resource.group, resource.version, resource.resource
    )
    .into())
}

/// Makes the autoscaler in its second version, or else in its first if that can say the same.
async fn make(call: &mut Call, maker: &mut Maker, info: &Info) -> Outcome {
    let flags = &call.flags;
    let mut spec = spec(call, info);
    let mut metrics = Vec::new();
    if flags.int("cpu-percent") > 0 {
        metrics.push(json!({
            "type": "Resource",
            "resource": {
                "name": "cpu",
                "target": {"type": "Utilization", "averageUtilization": flags.int("cpu-percent")},
            },
        }));
    }
    for resource in ["cpu", "memory"].into_iter().filter(|resource| !flags.text(resource).is_empty()) {
        let target = match target(resource, flags.text(resource))? {
            Target::Percent(percent) => json!({"type": "Utilization", "averageUtilization": percent}),
            Target::Amount(amount) => json!({"type": "AverageValue", "averageValue": amount.to_string()}),
        };
        metrics.push(json!({"type": "Resource", "resource": {"name": resource, "target": target}}));
    }
    let (cpu, memory) = (flags.text("cpu").to_owned(), flags.text("memory").to_owned());
    let percent = flags.int("cpu-percent");
    let first = spec.clone();
    spec.insert("metrics".to_owned(), json!(metrics));
    match create::<v2::HorizontalPodAutoscaler>(call, maker, info, spec).await {
        Ok(()) => return Ok(()),
        Err(failure @ Failure::Output(_)) => return Err(failure),
        Err(_) => {}
    }
    let utilization = target("cpu", &cpu).map_err(|failure| {
        failure.context(
            "failed to create autoscaling/v2 HPA and the configuration is incompatible with autoscaling/v1",
        )
    })?;
    let fits = memory.is_empty() && (percent >= 0 || matches!(utilization, Target::Percent(_)));
    if !fits {
        return Err(
            "failed to create autoscaling/v2 HPA and the configuration is incompatible with autoscaling/v1: \
                    %!w(<nil>)"
                .into(),
        );
    }
    let mut first = first;
    if percent >= 0 {
        first.insert("targetCPUUtilizationPercentage".to_owned(), json!(percent));
    }
    create::<v1::HorizontalPodAutoscaler>(call, maker, info, first).await
}

/// Returns the part of the spec that both versions share.
fn spec(call: &Call, info: &Info) -> Map<String, Value> {
    let kind = &info.mapping.kind;
    let mut spec = Map::new();
    let reference = json!({"apiVersion": kind.api_version(), "kind": kind.kind, "name": info.name});
    spec.insert("scaleTargetRef".to_owned(), reference);
    spec.insert("maxReplicas".to_owned(), json!(call.flags.int("max")));
    if call.flags.int("min") > 0 {
        spec.insert("minReplicas".to_owned(), json!(call.flags.int("min")));
    }
    spec
}

async fn create<K: Resource + Readable>(
    call: &mut Call,
    maker: &mut Maker,
    info: &Info,
    spec: Map<String, Value>,
) -> Outcome {
    let name = match call.flags.text("name") {
        "" => info.name.as_str(),
        name => name,
    };
    let mut metadata = json!({"name": name});
    if maker.enforces {
        metadata["namespace"] = json!(maker.namespace);
    }
    let mut object: K = typed::from_tree(json!({"metadata": metadata, "spec": spec}))?;
    set_kind::<K>(&mut object);
    let mut tree = to_unstructured(&object);
    maker.recorder.record(&mut tree);
    let mut object: K = rhumb_client::from_unstructured(&tree)?;
    if maker.dry_run == DryRun::Client {
        return maker.printer.print_typed(&mut call.streams, &object, "created");
    }
    last_applied::keep_typed(&mut object, call.flags.bool("save-config"));
    let options = CreateOptions {
        dry_run: maker.dry_run.param(),
        field_manager: call.flags.text("field-manager").to_owned(),
        ..CreateOptions::default()
    };
    let api = call.factory.client()?.resource::<K>().namespace(&maker.namespace);
    let mut made = api.create(&object, &options).await?;
    set_kind::<K>(&mut made);
    maker.printer.print_typed(&mut call.streams, &made, "autoscaled")
}

fn set_kind<K: Resource>(object: &mut K) {
    let object: &mut dyn Object = object;
    object.set_gvk(&K::gvk());
}

/// Parses a target: a percentage, an amount, or a number in the resource's usual unit.
fn target(resource: &str, text: &str) -> Result<Target, Failure> {
    let text = text.trim();
    if text.is_empty() {
        return Err("empty input".into());
    }
    if let Some(percent) = text.strip_suffix('%') {
        let parsed = percent.parse::<i32>().ok().filter(|percent| *percent >= 0);
        let parsed =
            parsed.ok_or_else(|| Failure::message(format!("invalid percentage value: {percent}")))?;
        return Ok(Target::Percent(parsed));
    }
    let unit = if resource == "cpu" { "m" } else { "Mi" };
    let amount: Result<Quantity, _> = match text.parse::<f64>() {
        Ok(number) => {
            return format!("{number}{unit}")
                .parse()
                .map(Target::Amount)
                .map_err(|error| Failure::message(format!("{error}")));
        }
        Err(_) => text.parse(),
    };
    amount
        .map(Target::Amount)
        .map_err(|_| Failure::message(format!("invalid resource {resource} value: {text}")))
}
