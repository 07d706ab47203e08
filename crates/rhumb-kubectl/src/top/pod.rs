//! `top pod`: prints the usage of pods and containers.

use std::io::Write;
use std::time::{Duration, SystemTime};

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome, options};
use rhumb_client::Client;
use rhumb_meta::Time;
use rhumb_output::TabWriter;
use serde_json::Value;

use super::usage::{Measure, Usage, text};
use super::{Selection, fetch};

/// Time in which a new pod may lack metrics.
const DELAY: Duration = Duration::from_secs(120);

/// The command.
pub(super) static COMMAND: Command = Command {
    name: "pod",
    aliases: &["pods", "po"],
    about: "Show how much CPU and memory pods use",
    long: "Show how much CPU and memory pods use. Of a pod that was just created nothing is known for some minutes.",
    usage: "[NAME | -l label]",
    examples: &[
        ("The pods of the current namespace", "top pod"),
        ("A pod and its containers", "top pod web-0 --containers"),
        ("Those with a label, the largest first, and their sum", "top pod -l app=web --sort-by=cpu --sum"),
    ],
    flags: &[
        options::SELECTOR,
        &[
            Flag::bool("all-namespaces", "Show the pods of all namespaces.").short('A'),
            Flag::bool("containers", "Show the containers of each pod."),
            Flag::text("field-selector", "Only pods with these fields: status.phase=Running."),
            Flag::bool("no-headers", "Leave the headings of the table out."),
            Flag::bool("show-swap", "Show swap, too."),
            Flag::text("sort-by", "The column to sort by.").choices(&["cpu", "memory"]),
            Flag::bool("sum", "Show the sum of all, too."),
            Flag::bool("use-protocol-buffers", "Kept for scripts.").default("true"),
        ],
    ],
    words: Words::NamesOf("pods"),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let name = match call.args.as_slice() {
        [] => String::new(),
        [name] => name.clone(),
        _ => return Err(call.usage("pod [NAME | -l label]")),
    };
    let (namespace, _) = call.factory.namespace()?;
    let client = call.factory.client()?.clone();
    super::check_sort(call)?;
    let (labels, fields) =
        (call.flags.text("selector").to_owned(), call.flags.text("field-selector").to_owned());
    if !name.is_empty() && (!labels.is_empty() || !fields.is_empty()) {
        return Err(Failure::message("only one of NAME or selector can be provided"));
    }
    super::check_available(call).await?;
    let everywhere = call.flags.bool("all-namespaces");
    let within = if everywhere { String::new() } else { format!("/namespaces/{namespace}") };
    let path = format!("/apis/metrics.k8s.io/v1beta1{within}/pods");
    let metrics =
        fetch(&client, Selection { path: &path, name: &name, labels: &labels, fields: &fields }).await?;
    if metrics.is_empty() {
        let path = format!("/api/v1/namespaces/{namespace}/pods");
        let now = call.factory.environment().now();
        let selection = Selection { path: &path, name: &name, labels: &labels, fields: &fields };
        explain_none(&client, selection, now).await?;
        call.warn(match everywhere {
            true => "No resources found".to_owned(),
            false => format!("No resources found in {namespace} namespace."),
        });
        return Ok(());
    }
    print(call, metrics)
}

/// Says why there are no metrics, if there are pods.
async fn explain_none(client: &Client, selection: Selection<'_>, now: SystemTime) -> Outcome {
    let pods = fetch(client, selection).await?;
    for pod in &pods {
        let created = Time::parse(text(pod, &["metadata", "creationTimestamp"])).ok();
        let created =
            created.map(|time| Duration::from_secs(u64::try_from(time.unix_seconds()).unwrap_or_default()));
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let age = now.saturating_sub(created.unwrap_or_default());
        if age > DELAY {
            let age = rhumb_meta::Duration(i64::try_from(age.as_nanos()).unwrap_or(i64::MAX));
            return Err(Failure::message(format!(
                "Metrics not available for pod {}/{}, age: {age}",
                text(pod, &["metadata", "namespace"]),
                text(pod, &["metadata", "name"])
            )));
        }
    }
    if pods.is_empty() { Ok(()) } else { Err(Failure::message("metrics not available yet")) }
}

/// A pod with its containers.
struct Row<'a> {
    namespace: &'a str,
    name: &'a str,
    usage: Usage,
    containers: Vec<(&'a str, Usage)>,
}

impl<'a> Row<'a> {
    fn of(metrics: &'a Value) -> Self {
        let containers = metrics.get("containers").and_then(Value::as_array).into_iter().flatten();
        let containers: Vec<_> =
            containers.map(|container| (text(container, &["name"]), Usage::of(container))).collect();
        Row {
            namespace: text(metrics, &["metadata", "namespace"]),
            name: text(metrics, &["metadata", "name"]),
            usage: Usage::sum(containers.iter().map(|(_, usage)| *usage)),
            containers,
        }
    }
}

fn print(call: &mut Call, metrics: Vec<Value>) -> Outcome {
    let measures = Measure::shown(call.flags.bool("show-swap"));
    let flags = call.flags.clone();
    let (everywhere, containers) = (flags.bool("all-namespaces"), flags.bool("containers"));
    let headers = !flags.bool("no-headers");
    let sort_by = flags.text("sort-by");
    let mut rows: Vec<Row<'_>> = metrics.iter().map(Row::of).collect();
    match sort_by {
        "" => rows.sort_by_key(|row| (if everywhere { row.namespace } else { "" }, row.name)),
        by => rows.sort_by_key(|row| row.usage.key(by)),
    }
    let mut out = TabWriter::table(&mut call.streams.out);
    let mut width = 1 + measures.len();
    if headers {
        let columns = [(everywhere, "NAMESPACE\t"), (containers, "POD\t")];
        for (_, column) in columns.into_iter().filter(|(shown, _)| *shown) {
            write!(out, "{column}")?;
            width += 1;
        }
        let swap = if measures.contains(&Measure::Swap) { "SWAP(bytes)\t" } else { "" };
        writeln!(out, "NAME\tCPU(cores)\tMEMORY(bytes)\t{swap}")?;
    }
    let line = |out: &mut dyn Write, before: &str, name: &str, usage: &Usage| -> std::io::Result<()> {
        write!(out, "{before}{name}\t")?;
        measures.iter().try_for_each(|measure| usage.write(*measure, out))?;
        writeln!(out)
    };
    for row in &mut rows {
        let before = if everywhere { format!("{}\t", row.namespace) } else { String::new() };
        if !containers {
            line(&mut out, &before, row.name, &row.usage)?;
            continue;
        }
        match sort_by {
            "" => row.containers.sort_by_key(|(name, _)| *name),
            by => row.containers.sort_by_key(|(_, usage)| usage.key(by)),
        }
        let before = format!("{before}{}\t", row.name);
        for (name, usage) in &row.containers {
            line(&mut out, &before, name, usage)?;
        }
    }
    if flags.bool("sum") {
        writeln!(out, "{}________\t________\t", "\t".repeat(width.saturating_sub(2)))?;
        let total = Usage::sum(rows.iter().map(|row| row.usage));
        line(&mut out, &"\t".repeat(width.saturating_sub(3)), "", &total)?;
    }
    Ok(out.flush()?)
}
