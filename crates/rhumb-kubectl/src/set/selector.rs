//! `set selector`: sets the selector of a service.

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::options;
use rhumb_cli::{Call, Failure, Outcome};
use serde_json::{Map, Value};

use super::change::{Changer, MANAGER, SCOPE};
use crate::two_way::at_mut;
use crate::{change_cause, typed};

static FLAGS: &[Flag] =
    &[Flag::text("resource-version", "Only if the object still has this resource version.")];

/// `set selector`.
pub(super) static COMMAND: Command = Command {
    name: "selector",
    about: "Change the selector of a service",
    long: "Sets the selector of a service. The one it had is gone.",
    usage: "(-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]",
    examples: &[
        ("The pods of another application", "set selector service web app=web2"),
        ("What would be sent", "set selector service web app=web2,track=canary --dry-run=client -o yaml"),
    ],
    flags: &[
        options::PRINT,
        change_cause::FLAGS,
        options::FILES_BELOW,
        SCOPE,
        FLAGS,
        options::DRY_RUN,
        MANAGER,
    ],
    words: Words::Of(&["services"]),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let args = call.args.clone();
    let mut changer = Changer::of(call, "selector updated", "")?;
    let Some((selector, words)) = args.split_last() else { return Err("one selector is required".into()) };
    let selector = crate::create::label_selector(selector)?;
    let labels = selector.get("matchLabels").and_then(Value::as_object).cloned().unwrap_or_default();
    let infos = changer.find(call, words).await?;
    let version = call.flags.text("resource-version").to_owned();
    let mut failures = Vec::new();
    for info in &infos {
        if let Err(failure) = set(call, &mut changer, info, &selector, &labels, &version).await {
            failures.push(failure.at(&info.origin));
        }
    }
    Failure::all(failures)
}

async fn set(
    call: &mut Call,
    changer: &mut Changer,
    info: &rhumb_cli::resource::Info,
    selector: &Value,
    labels: &Map<String, Value>,
    version: &str,
) -> Outcome {
    let mut before = changer.before(info)?;
    if !version.is_empty() {
        at_mut(before.fields_mut(), &["metadata"]).remove("resourceVersion");
    }
    let kind = typed::kind_of(&before);
    if !kind.group.is_empty() || kind.kind != "Service" {
        return Err("setting a selector is only supported for Services".into());
    }
    let expressions = selector.get("matchExpressions").and_then(Value::as_array).cloned().unwrap_or_default();
    if !expressions.is_empty() {
        let shown: Vec<String> = expressions.iter().map(shown).collect();
        return Err(format!("match expression [{}] not supported on this object", shown.join(" ")).into());
    }
    let mut after = before.clone();
    if !version.is_empty() {
        at_mut(after.fields_mut(), &["metadata"]).insert("resourceVersion".to_owned(), version.into());
    }
    at_mut(after.fields_mut(), &["spec"]).insert("selector".to_owned(), Value::Object(labels.clone()));
    changer.apply_always(call, info, &before, after).await
}

/// Formats an expression as Go shows it: `{app In [a b]}`.
fn shown(expression: &Value) -> String {
    let text = |field: &str| expression.get(field).and_then(Value::as_str).unwrap_or_default();
    let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
    let values: Vec<&str> = values.filter_map(Value::as_str).collect();
    format!("{{{} {} [{}]}}", text("key"), text("operator"), values.join(" "))
}
