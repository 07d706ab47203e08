//! `auth whoami`: prints the user as the server sees it.

use std::io::Write;

use rhumb_cli::command::{Action, Command};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_meta::GroupVersionResource;
use rhumb_meta::v1::CreateOptions;
use rhumb_output::TabWriter;
use rhumb_scheme::Unstructured;
use serde_json::{Value, json};

use crate::typed;

/// `auth whoami`.
pub(super) static COMMAND: Command = Command {
    name: "whoami",
    about: "Show as whom the server sees you",
    usage: "",
    examples: &[("Your name and groups", "auth whoami"), ("As an object", "auth whoami -o yaml")],
    flags: &[options::PRINT],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let mut printer = call.printer(DryRun::None)?;
    let review = review(call).await?;
    if call.flags.is_given("output") && !printer.is_plain() {
        return typed::print(&mut printer, &mut call.streams, &review, "");
    }
    let info = |field: &str| review.get(&["status", "userInfo", field]);
    let text = |field: &str| info(field).and_then(Value::as_str).unwrap_or_default();
    let mut table = TabWriter::table(Vec::new());
    writeln!(table, "ATTRIBUTE\tVALUE")?;
    for (title, value) in [("Username", text("username")), ("UID", text("uid"))] {
        if !value.is_empty() {
            writeln!(table, "{title}\t{value}")?;
        }
    }
    if let Some(groups) =
        info("groups").filter(|groups| groups.as_array().is_some_and(|list| !list.is_empty()))
    {
        writeln!(table, "Groups\t{}", listed(groups))?;
    }
    for (key, values) in info("extra").and_then(Value::as_object).into_iter().flatten() {
        writeln!(table, "Extra: {key}\t{}", listed(values))?;
    }
    Ok(call.streams.out.write_all(&table.into_inner()?)?)
}

/// Formats a list as Go shows it.
fn listed(list: &Value) -> String {
    let items = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    format!("[{}]", items.collect::<Vec<_>>().join(" "))
}

/// Requests a review in the newest version that the server has.
async fn review(call: &Call) -> Result<Unstructured, Failure> {
    let client = call.factory.client()?;
    for version in ["v1", "v1beta1", "v1alpha1"] {
        let tree =
            json!({"apiVersion": format!("authentication.k8s.io/{version}"), "kind": "SelfSubjectReview"});
        let Some(question) = Unstructured::new(tree) else { continue };
        let resource = GroupVersionResource::new("authentication.k8s.io", version, "selfsubjectreviews");
        match client.dynamic(&resource).create(&question, &CreateOptions::default()).await {
            Ok(answer) => return Ok(answer),
            Err(error) if error.is_not_found() => {}
            Err(error) if error.is_forbidden() => {
                return Err("the selfsubjectreviews API is not enabled in the cluster or you do not have \
                            permission to \
                            call it"
                    .into());
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err("the selfsubjectreviews API is not enabled in the cluster".into())
}
