//! `wait`: waits for a condition.

use std::time::Duration;

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::{Info, Infos};
use rhumb_cli::{Call, Failure, Outcome, Progress};
use rhumb_client::Api;
use rhumb_jsonpath::{MissingKeys, Template, relaxed};
use rhumb_scheme::Unstructured;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::deletion::until_gone;
use crate::watching::{self, Seen};

/// Maximum wait.
const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Interval of polling for missing objects.
const PAUSE: Duration = Duration::from_millis(500);

static FLAGS: &[Flag] = &[
    Flag::text("field-selector", "Only objects with these fields: key1=value1,key2!=value2."),
    Flag::bool("all", "All objects of the types, in the namespace."),
    Flag::bool("all-namespaces", "In all namespaces.").short('A'),
    Flag::bool("local", "Ask no server for the objects; take them from files."),
    Flag::duration("timeout", "30s", "How long to wait; 0 looks once, less than 0 waits for a week."),
    Flag::array(
        "for",
        "What to wait for: create, delete, condition=NAME[=VALUE], jsonpath='{PATH}'[=VALUE]. May be given \
         several times.",
    ),
];

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "wait",
    family: Family::Advanced,
    about: "Wait until objects are as they should be",
    long: "Waits for a condition in the status of objects, for a value anywhere in them, until they are \
           gone, or until \
           they are there. Several --for are waited for one after the other; create comes first.",
    usage: "([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) \
            [--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]",
    examples: &[
        ("A pod that is ready", "wait --for=condition=Ready pod/web-0"),
        ("A condition that no longer holds", "wait --for=condition=Ready=false pod/web-0"),
        ("A value", "wait --for=jsonpath='{.status.phase}'=Running pod/web-0"),
        ("A service that has an address", "wait --for=jsonpath='{.status.loadBalancer.ingress}' service/web"),
        ("Until it is gone, at most a minute", "wait --for=delete pod/web-0 --timeout=60s"),
    ],
    flags: &[options::PRINT, options::FILES_BELOW, options::SELECTOR, FLAGS],
    words: Words::TypesAndNames,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

/// Condition to wait for.
enum Condition {
    Created,
    Deleted,
    /// A condition of the status, and its value.
    Named(String, String),
    /// A path, and the value there; any if none is given.
    Path(Template, Option<String>),
}

async fn run(call: &mut Call) -> Outcome {
    let mut printer = call.printer(DryRun::None)?;
    let conditions = conditions(&call.flags.list("for"))?;
    let nanoseconds = call.flags.nanoseconds("timeout");
    let timeout = match u64::try_from(nanoseconds) {
        Ok(nanoseconds) => Duration::from_nanos(nanoseconds),
        Err(_) => WEEK,
    };
    let deadline = watching::deadline(timeout);
    let mut progress = Progress::new(&call.streams);
    if conditions.iter().any(|condition| matches!(condition, Condition::Created)) {
        created(call, deadline.unwrap_or_else(Instant::now), &mut progress).await?;
    }
    let for_deletion = conditions.iter().any(|condition| matches!(condition, Condition::Deleted));
    let mut count = 0;
    let infos = find(call).await?;
    let done = infos
        .visit(async |info| {
            count += 1;
            for condition in &conditions {
                let text = format!("Waiting for {}", info.object_name());
                let met = met(info, condition, deadline);
                let object = progress.during(&mut call.streams.err, &text, met).await?;
                printer.print(&mut call.streams, &object, "condition met")?;
            }
            Ok(())
        })
        .await;
    match done {
        Err(failure) if for_deletion => Failure::all(without_missing(failure))?,
        done => done?,
    }
    if count == 0 && !for_deletion { Err("no matching resources found".into()) } else { Ok(()) }
}

/// Returns the failures that are about something else than objects which are not there.
fn without_missing(failure: Failure) -> Vec<Failure> {
    match failure {
        Failure::Many(failures) => failures.into_iter().flat_map(without_missing).collect(),
        failure if failure.is_not_found() => Vec::new(),
        failure => vec![failure],
    }
}

/// Returns the objects that the command line names.
async fn find(call: &mut Call) -> Result<Infos, Failure> {
    let (namespace, enforces) = call.factory.namespace()?;
    let flags = &call.flags;
    let local = flags.bool("local");
    let files = options::files(flags);
    let mut builder = call
        .factory
        .builder()
        .namespace(&namespace)
        .default_namespace()
        .all_namespaces(flags.bool("all-namespaces"))
        .files(enforces, &files, &mut call.streams)
        .local(local);
    if local && !call.args.is_empty() {
        return Err(crate::set::LOCAL_ONLY.into());
    }
    if !local {
        builder = builder
            .words(flags.bool("all"), &call.args)
            .label_selector(flags.text("selector"))
            .field_selector(flags.text("field-selector"))
            .latest();
    }
    builder.continue_on_error().flatten().build().await
}

fn conditions(words: &[String]) -> Result<Vec<Condition>, Failure> {
    if words.is_empty() {
        return Err("unrecognized condition: []".into());
    }
    words.iter().map(|word| condition(word)).collect()
}

fn condition(word: &str) -> Result<Condition, Failure> {
    if word.eq_ignore_ascii_case("delete") {
        return Ok(Condition::Deleted);
    }
    if word.eq_ignore_ascii_case("create") {
        return Ok(Condition::Created);
    }
    if let Some(condition) = word.strip_prefix("condition=") {
        let (name, value) = condition.split_once('=').unwrap_or((condition, "true"));
        return Ok(Condition::Named(name.to_owned(), value.to_owned()));
    }
    let Some(input) = word.strip_prefix("jsonpath=") else {
        return Err(format!("unrecognized condition: {word:?}").into());
    };
    let parts = split(input);
    let (path, value) = match parts.as_slice() {
        [path] => (path, None),
        [path, value] => (path, Some(value)),
        _ => {
            return Err("jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or \
                        --for=jsonpath='{.status.readyReplicas}'"
                .into());
        }
    };
    let path = relaxed(path).map_err(|error| Failure::message(error.to_string()))?;
    let value = value.map(|value| value.trim_matches(['\'', '"']).to_owned());
    if value.as_deref() == Some("") {
        return Err("jsonpath wait has to have a value after equal sign, like \
                    --for=jsonpath='{.status.readyReplicas}'=3"
            .into());
    }
    if path.is_empty() {
        return Err("jsonpath expression cannot be empty".into());
    }
    let template = Template::parse(&path).map_err(|error| Failure::message(error.to_string()))?;
    Ok(Condition::Path(template, value))
}

/// Cuts a text at each equals sign that stands alone.
fn split(input: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = input.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '=' && letters.next_if_eq(&'=').is_none() {
            parts.push(String::new());
            continue;
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
            if letter == '=' {
                part.push('=');
            }
        }
    }
    parts
}

/// Looks again and again until all objects are there.
async fn created(call: &mut Call, deadline: Instant, progress: &mut Progress) -> Outcome {
    loop {
        let mut found = false;
        let done = find(call).await?.visit(async |_| {
            found = true;
            Ok(())
        });
        match done.await {
            Ok(()) if found => return Ok(()),
            Err(failure) if !failure.is_not_found() => return Err(failure),
            _ => {}
        }
        if Instant::now() + PAUSE > deadline {
            tokio::time::sleep_until(deadline).await;
            return Err("timed out waiting for the condition".into());
        }
        progress.during(&mut call.streams.err, "Waiting for what is not there yet", sleep(PAUSE)).await;
    }
}

/// Waits until an object is as it should be, and gives it.
async fn met(info: &Info, condition: &Condition, deadline: Option<Instant>) -> Result<Unstructured, Failure> {
    if info.name.is_empty() {
        return Err("resource name must be provided".into());
    }
    match condition {
        Condition::Created => Ok(info.object()?.clone()),
        Condition::Deleted => {
            let api = info.api()?;
            let object = match api.get(&info.name).await {
                Ok(object) => object,
                Err(error) if error.is_not_found() => return Ok(info.object()?.clone()),
                Err(error) => return Err(error.into()),
            };
            if deadline.is_none() {
                return Err(not_met(info));
            }
            until_gone(info, None, deadline).await?;
            Ok(object)
        }
        Condition::Named(..) | Condition::Path(..) => holds(info, condition, deadline).await,
    }
}

fn not_met(info: &Info) -> Failure {
    Failure::message(format!("condition not met for {}", info.object_name()))
}

async fn holds(
    info: &Info,
    condition: &Condition,
    deadline: Option<Instant>,
) -> Result<Unstructured, Failure> {
    let api: Api<Unstructured> = info.api()?;
    let Some(deadline) = deadline else {
        let object = api.get(&info.name).await?;
        return if condition.holds(&object)? { Ok(object) } else { Err(not_met(info)) };
    };
    let resource = &info.mapping.resource;
    let mut first = true;
    let found = watching::until(&api, &info.name, Some(deadline), |seen| {
        let is_first = std::mem::replace(&mut first, false);
        match seen {
            Seen::There(object) => Ok(condition.holds(object)?.then(|| object.clone())),
            Seen::Missing if is_first => Err(watching::not_found(&resource.group_resource(), &info.name)),
            Seen::Missing | Seen::Deleted => Ok(None),
        }
    })
    .await?;
    found.ok_or_else(|| {
        Failure::message(format!(
            "timed out waiting for the condition on {}/{}",
            resource.resource, info.name
        ))
    })
}

impl Condition {
    /// Reports whether an object is as it should be.
    fn holds(&self, object: &Unstructured) -> Result<bool, Failure> {
        match self {
            Condition::Created | Condition::Deleted => Ok(false),
            Condition::Named(name, value) => Ok(has(object, name, value)),
            Condition::Path(template, value) => path_holds(object, template, value.as_deref()),
        }
    }
}

fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Reports whether the status has a condition with a value. What was found out about an older generation doesn't
/// count.
fn has(object: &Unstructured, name: &str, value: &str) -> bool {
    let conditions = object.get(&["status", "conditions"]).and_then(Value::as_array).into_iter().flatten();
    for condition in conditions {
        let text = |field: &str| condition.get(field).and_then(Value::as_str);
        let (Some(kind), Some(status)) = (text("type"), text("status")) else { continue };
        if !same(kind, name) {
            continue;
        }
        let own = condition.get("observedGeneration").and_then(Value::as_i64);
        let observed = own.or_else(|| object.get(&["status", "observedGeneration"]).and_then(Value::as_i64));
        let generation = object.get(&["metadata", "generation"]).and_then(Value::as_i64);
        if let (Some(generation), Some(observed)) = (generation, observed)
            && observed < generation
        {
            return false;
        }
        return same(status, value);
    }
    false
}

fn path_holds(object: &Unstructured, template: &Template, wanted: Option<&str>) -> Result<bool, Failure> {
    let found = template
        .find(object.tree(), MissingKeys::Allow)
        .map_err(|error| Failure::message(error.to_string()))?;
    let Some(values) = found.first().filter(|values| !values.is_empty()) else { return Ok(false) };
    if found.len() > 1 {
        return Err("given jsonpath expression matches more than one list".into());
    }
    let [value] = values.as_slice() else {
        return Err("given jsonpath expression matches more than one value".into());
    };
    let Some(wanted) = wanted else { return Ok(true) };
    if value.tree().is_some_and(|tree| tree.is_object() || tree.is_array()) {
        return Err("jsonpath leads to a nested object or list which is not supported".into());
    }
    Ok(value.plain().trim() == wanted.trim())
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn comparisons_in_a_path_are_no_separators() {
        assert_eq!(split("{.a[?(@.b==\"c\")].d}=e"), ["{.a[?(@.b==\"c\")].d}", "e"]);
        assert_eq!(split(""), [""]);
        assert_eq!(split("a="), ["a", ""]);
    }
}
