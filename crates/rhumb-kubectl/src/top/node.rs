//! `top node`: prints the usage of nodes.

use std::collections::BTreeMap;
use std::io::Write;

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome, options};
use rhumb_output::TabWriter;
use serde_json::Value;

use super::usage::{Measure, Usage, quantity, text};
use super::{Selection, fetch};

/// The command.
pub(super) static COMMAND: Command = Command {
    name: "node",
    aliases: &["nodes", "no"],
    about: "Show how much CPU and memory nodes use",
    usage: "[NAME | -l label]",
    examples: &[
        ("All nodes", "top node"),
        ("One node", "top node worker-1"),
        ("Those that use most memory first", "top node --sort-by=memory"),
    ],
    flags: &[
        options::SELECTOR,
        &[
            Flag::bool("no-headers", "Leave the headings of the table out."),
            Flag::bool("show-capacity", "Count shares of what the nodes have, not of what pods may use."),
            Flag::bool("show-swap", "Show swap, too."),
            Flag::text("sort-by", "The column to sort by.").choices(&["cpu", "memory"]),
            Flag::bool("use-protocol-buffers", "Kept for scripts.").default("true"),
        ],
    ],
    words: Words::NamesOf("nodes"),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

/// Capacity of a node.
struct Available {
    resources: Value,
    swap: Option<i64>,
}

async fn run(call: &mut Call) -> Outcome {
    let name = match call.args.as_slice() {
        [] => String::new(),
        [name] => name.clone(),
        _ => return Err(call.usage("node [NAME | -l label]")),
    };
    let client = call.factory.client()?.clone();
    super::check_sort(call)?;
    let labels = call.flags.text("selector").to_owned();
    if !name.is_empty() && !labels.is_empty() {
        return Err(Failure::message("only one of NAME or --selector can be provided"));
    }
    super::check_available(call).await?;
    let selection = |path| Selection { path, name: &name, labels: &labels, fields: "" };
    let metrics = fetch(&client, selection("/apis/metrics.k8s.io/v1beta1/nodes")).await?;
    if metrics.is_empty() {
        return Err(Failure::message("metrics not available yet"));
    }
    let nodes = fetch(&client, selection("/api/v1/nodes")).await?;
    let list = if call.flags.bool("show-capacity") { "capacity" } else { "allocatable" };
    let available = nodes.iter().map(|node| {
        let resources = node.pointer(&format!("/status/{list}")).cloned().unwrap_or_default();
        let swap = node.pointer("/status/nodeInfo/swap/capacity").and_then(Value::as_i64);
        (text(node, &["metadata", "name"]).to_owned(), Available { resources, swap })
    });
    print(call, &metrics, available.collect())
}

fn print(call: &mut Call, metrics: &[Value], mut available: BTreeMap<String, Available>) -> Outcome {
    let measures = Measure::shown(call.flags.bool("show-swap"));
    let sort_by = call.flags.text("sort-by").to_owned();
    let mut rows: Vec<(&str, Usage)> =
        metrics.iter().map(|one| (text(one, &["metadata", "name"]), Usage::of(one))).collect();
    match sort_by.as_str() {
        "" => rows.sort_by_key(|(name, _)| *name),
        by => rows.sort_by_key(|(_, usage)| usage.key(by)),
    }
    let mut out = TabWriter::table(&mut call.streams.out);
    if !call.flags.bool("no-headers") {
        write!(out, "NAME\tCPU(cores)\tCPU(%)\tMEMORY(bytes)\tMEMORY(%)\t")?;
        if measures.contains(&Measure::Swap) {
            write!(out, "SWAP(bytes)\tSWAP(%)\t")?;
        }
        writeln!(out)?;
    }
    for (name, usage) in rows {
        write!(out, "{name}\t")?;
        let has = available.remove(name);
        for measure in measures {
            if *measure == Measure::Swap && has.as_ref().is_some_and(|has| has.swap.is_none()) {
                write!(out, "<unknown>\t<unknown>\t")?;
                continue;
            }
            usage.write(*measure, &mut out)?;
            if let Some(total) = has.as_ref().and_then(|has| total(has, *measure)) {
                write!(out, "{}%\t", share(usage.milli(*measure), total))?;
            }
        }
        writeln!(out)?;
    }
    // Nodes that nobody has measured.
    for name in available.keys() {
        writeln!(out, "{name}\t{}", "<unknown>\t".repeat(2 * measures.len()))?;
    }
    Ok(out.flush()?)
}

/// Returns the capacity in thousandths.
fn total(available: &Available, measure: Measure) -> Option<i64> {
    match measure {
        Measure::Swap => available.swap.map(|bytes| bytes.saturating_mul(1000)),
        other => quantity(&available.resources, other.name()).map(|quantity| quantity.milli_value()),
    }
}

/// Returns a share in whole per cent; none of nothing.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "kubectl counts in floats, too"
)]
fn share(used: i64, total: i64) -> i64 {
    if total == 0 { 0 } else { (used as f64 / total as f64 * 100.0) as i64 }
}
