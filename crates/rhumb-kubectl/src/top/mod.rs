//! `top`: prints resource usage from the metrics API.

mod node;
mod pod;
mod usage;

use rhumb_cli::command::{Command, Family};
use rhumb_cli::{Call, Failure};
use rhumb_client::Client;
use serde_json::Value;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "top",
    suggest_for: &["stats"],
    family: Family::Cluster,
    about: "Show how much CPU and memory nodes and pods use",
    long: "Show how much CPU and memory nodes and pods use.\n\n\
        The numbers come from the metrics API, which a metrics server in the cluster must provide. They are what \
        autoscalers see: averages over some seconds, not what a process table of a node would show.",
    usage: "",
    examples: &[("The nodes", "top node"), ("The pods with their containers", "top pod --containers")],
    commands: &[&[&node::COMMAND, &pod::COMMAND]],
    ..Command::EMPTY
};

/// Refuses to go on if the server has no metrics.
async fn check_available(call: &Call) -> Result<(), Failure> {
    let groups = call.factory.client()?.discovery().groups().await?;
    let is_there = groups.groups.iter().any(|group| {
        group.name == "metrics.k8s.io" && group.versions.iter().any(|version| version.version == "v1beta1")
    });
    if is_there { Ok(()) } else { Err(Failure::message("Metrics API not available")) }
}

fn check_sort(call: &Call) -> Result<(), Failure> {
    match call.flags.text("sort-by") {
        "" | "cpu" | "memory" => Ok(()),
        _ => Err(Failure::message("--sort-by accepts only cpu or memory")),
    }
}

/// Selection of objects.
struct Selection<'a> {
    path: &'a str,
    name: &'a str,
    labels: &'a str,
    fields: &'a str,
}

/// Returns the objects below a path: one by its name, or those that selectors choose.
async fn fetch(client: &Client, selection: Selection<'_>) -> Result<Vec<Value>, Failure> {
    let path = match selection.name {
        "" => selection.path.to_owned(),
        name => format!("{}/{name}", selection.path),
    };
    let mut request = client.get().absolute(&path).accept("application/json");
    for (key, value) in [("labelSelector", selection.labels), ("fieldSelector", selection.fields)] {
        if !value.is_empty() {
            request = request.param(key, value);
        }
    }
    let response = request.send().await?;
    let mut tree: Value = serde_json::from_slice(&response.body)
        .map_err(|error| Failure::message(format!("the server's answer can't be read: {error}")))?;
    match (selection.name, tree.get_mut("items").map(Value::take)) {
        ("", Some(Value::Array(items))) => Ok(items),
        ("", _) => Ok(Vec::new()),
        _ => Ok(vec![tree]),
    }
}
