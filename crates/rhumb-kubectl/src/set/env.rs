//! `set env`: sets environment variables of containers.

use std::io::Read;

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::options;
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_meta::validation;
use rhumb_scheme::Unstructured;
use serde_json::{Map, Value, json};

use super::change::{Changer, MANAGER, SCOPE, with_name};
use super::env_sources::{self, Resolver};
use super::image::WORKLOADS;
use crate::{pod_spec, typed};

static FLAGS: &[Flag] = &[
    Flag::text("containers", "Which containers, by name; * stands for anything.").short('c').default("*"),
    Flag::text("from", "A config map or secret whose keys become variables."),
    Flag::text("prefix", "What to put before the names of variables."),
    Flag::array("env", "A variable: KEY=value. May be given several times.").short('e'),
    Flag::list("keys", "Only these keys of what --from names."),
    Flag::bool("list", "Show the variables instead of changing them."),
    Flag::bool("resolve", "With --list, show what references come to."),
    Flag::bool("overwrite", "Change variables that are there already.").default("true"),
];

/// `set env`.
pub(super) static COMMAND: Command = Command {
    name: "env",
    about: "Change the environment variables of containers",
    long: "Changes the environment of the containers of pods and of what has pod templates. KEY=value sets \
           a variable, \
           KEY- takes it away, and - reads them from standard input.",
    usage: "RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N",
    examples: &[
        ("Set a variable", "set env deployment/web LEVEL=debug"),
        ("Take it away", "set env deployment/web LEVEL-"),
        ("Show what there is", "set env deployment/web --list"),
        ("All keys of a secret, with a prefix", "set env deployment/web --from=secret/db --prefix=DB_"),
    ],
    flags: &[options::FILES, FLAGS, SCOPE, MANAGER, options::SELECTOR, options::PRINT, options::DRY_RUN],
    words: Words::Of(WORKLOADS),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

/// Variables to set and to remove.
#[derive(Default)]
struct Changes {
    set: Vec<Value>,
    remove: Vec<String>,
    used_stdin: bool,
}

async fn run(call: &mut Call) -> Outcome {
    if call.flags.bool("all") && !call.flags.text("selector").is_empty() {
        return Err("cannot set --all and --selector at the same time".into());
    }
    let (words, variables) = split(&call.args)?;
    let mut changer = Changer::of(call, "env updated", "failed to patch env update to pod template: ")?;
    changer.check_flags(call)?;
    let flags = &call.flags;
    if flags.list("filename").is_empty() && words.is_empty() {
        return Err(
            "one or more resources must be specified as <resource> <name> or <resource>/<name>".into()
        );
    }
    if flags.bool("list") && !flags.text("output").is_empty() {
        return Err("--list and --output may not be specified together".into());
    }
    if !flags.list("keys").is_empty() && flags.text("from").is_empty() {
        return Err("when specifying --keys, a configmap or secret must be provided with --from".into());
    }
    let mut changes = changes(call, &variables)?;
    if changes.used_stdin && call.flags.list("filename").iter().any(|name| name == "-") {
        return Err("standard input cannot be used for multiple arguments".into());
    }
    if !call.flags.text("from").is_empty() {
        let from = [call.flags.text("from").to_owned()];
        for info in changer.find(call, &from).await? {
            changes.set.extend(imported(call, info.object()?)?);
        }
    }
    let prefix = call.flags.text("prefix");
    for variable in &mut changes.set {
        let name = format!("{prefix}{}", name(variable));
        variable["name"] = Value::from(name);
    }
    let infos = changer.find(call, &words).await?;
    let mut failures = Vec::new();
    for info in &infos {
        let before = changer.before(info)?;
        let mut after = before.clone();
        if let Err(failure) = change(call, info, &mut after, &changes).await {
            failures.push(match failure {
                failure @ Failure::Output(_) => return Err(failure),
                failure => with_name(info, &failure),
            });
            continue;
        }
        if call.flags.bool("list") {
            continue;
        }
        if let Err(failure) = changer.apply(call, info, &before, after).await {
            failures.push(failure);
        }
    }
    if call.flags.bool("list") { Ok(()) } else { Failure::all(failures) }
}

/// Returns the words that name objects, and those that name variables.
fn split(args: &[String]) -> Result<(Vec<String>, Vec<String>), Failure> {
    let is_variable = |word: &String| word.find('=').is_some_and(|at| at > 0) || word.ends_with('-');
    let at = args.iter().position(is_variable).unwrap_or(args.len());
    let (words, variables) = args.split_at(at);
    if !variables.iter().all(is_variable) {
        let text = format!("all resources must be specified before environment changes: {}", args.join(" "));
        return Err(text.into());
    }
    Ok((words.to_vec(), variables.to_vec()))
}

fn changes(call: &mut Call, variables: &[String]) -> Result<Changes, Failure> {
    let mut changes = Changes::default();
    let mut named = Vec::new();
    let flags = call.flags.list("env");
    for word in flags.iter().chain(variables) {
        if word == "-" {
            let mut text = String::new();
            call.factory.occupy_standard_input();
            call.streams.take_input().read_to_string(&mut text)?;
            changes.set.extend(text.lines().filter_map(from_line));
            changes.used_stdin = true;
        } else if let Some((key, value)) = word.split_once('=') {
            let wrong = validation::is_env_var_name(key);
            if !wrong.is_empty() {
                return Err(format!("{key:?} is not a valid key name: {}", wrong.join(";")).into());
            }
            named.push(key);
            changes.set.push(json!({"name": key, "value": value}));
        } else if let Some(key) = word.strip_suffix('-') {
            changes.remove.push(key.to_owned());
        } else {
            return Err(format!("unknown environment variable: {word}").into());
        }
    }
    if changes.remove.iter().any(|key| named.contains(&key.as_str())) {
        return Err("can not both modify and remove the same environment variable in the same command".into());
    }
    Ok(changes)
}

/// Returns the variable on a line; what stands behind a `#` is a comment.
fn from_line(line: &str) -> Option<Value> {
    let (key, value) = line.split('#').next()?.split_once('=')?;
    Some(json!({"name": key, "value": value}))
}

/// Variables that refer to the keys of a config map or a secret.
fn imported(call: &mut Call, from: &Unstructured) -> Result<Vec<Value>, Failure> {
    let field = match (&*typed::kind_of(from).group, &*typed::kind_of(from).kind) {
        ("", "Secret") => "secretKeyRef",
        ("", "ConfigMap") => "configMapKeyRef",
        _ => return Err("unsupported resource specified in --from".into()),
    };
    let wanted = call.flags.list("keys");
    let mut variables = Vec::new();
    let keys = from.get(&["data"]).and_then(Value::as_object).into_iter().flat_map(Map::keys);
    for key in keys.filter(|key| wanted.is_empty() || wanted.contains(key)) {
        let letters = key.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' });
        let name: String = letters.collect::<String>().to_uppercase();
        if name != *key {
            call.warning(format!("key {key} transferred to {name}"));
        }
        let reference = json!({"name": typed::text(from, &["metadata", "name"]), "key": key});
        variables.push(json!({"name": name, "valueFrom": {field: reference}}));
    }
    Ok(variables)
}

fn name(variable: &Value) -> &str {
    variable.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn value(variable: &Value) -> &str {
    variable.get("value").and_then(Value::as_str).unwrap_or_default()
}

/// Changes the containers of an object, and shows their variables if that is wanted.
async fn change(call: &mut Call, info: &Info, object: &mut Unstructured, changes: &Changes) -> Outcome {
    let (kind, own_name) =
        (typed::kind_of(object).kind, typed::text(object, &["metadata", "name"]).to_owned());
    let original = object.clone();
    let pattern = call.flags.text("containers").to_owned();
    let overwrite = call.flags.bool("overwrite");
    let mut changed = Vec::new();
    let mut refusal = None;
    let spec = pod_spec::of_mut(object)?;
    let found = pod_spec::each_container(spec, &pattern, |container| {
        if refusal.is_some() {
            return;
        }
        let existing = container.get("env").and_then(Value::as_array).cloned().unwrap_or_default();
        if !overwrite {
            refusal = overwritten(&existing, &changes.set);
        }
        let env = updated(&existing, changes);
        container.insert("env".to_owned(), Value::Array(env));
        changed.push(container.clone());
    });
    if found == 0 {
        call.warning(format!("{kind}/{own_name} does not have any containers matching {pattern:?}"));
        return Ok(());
    }
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    if !call.flags.bool("list") {
        return Ok(());
    }
    let mut failed = false;
    for container in &changed {
        let own = container.get("name").and_then(Value::as_str).unwrap_or_default();
        call.line(format!("# {kind} {own_name}, container {own}"))?;
        failed |= !list(call, info, &original, container).await?;
    }
    if failed { Err("failed to retrieve valueFrom references".into()) } else { Ok(()) }
}

/// Shows the variables of a container; whether all references could be followed.
async fn list(
    call: &mut Call,
    info: &Info,
    object: &Unstructured,
    container: &Map<String, Value>,
) -> Result<bool, Failure> {
    let resolve = call.flags.bool("resolve");
    let mut resolver = Resolver::new(call.factory.namespace()?.0);
    let mut errors: Vec<(String, Vec<String>)> = Vec::new();
    for variable in container.get("env").and_then(Value::as_array).into_iter().flatten() {
        let (name, from) = (name(variable), variable.get("valueFrom"));
        let Some(from) = from.filter(|from| !from.is_null()) else {
            call.line(format!("{name}={}", value(variable)))?;
            continue;
        };
        if resolve {
            match resolver.value(info, object, container, from).await {
                Ok(value) => {
                    call.line(format!("{name}={value}"))?;
                    continue;
                }
                Err(error) => match errors.iter_mut().find(|(known, _)| *known == error) {
                    Some((_, names)) => names.push(name.to_owned()),
                    None => errors.push((error, vec![name.to_owned()])),
                },
            }
        }
        call.line(format!("# {name} from {}", env_sources::described(from)))?;
    }
    let mut lines: Vec<String> = errors
        .into_iter()
        .map(|(error, mut names)| {
            names.sort();
            format!("error retrieving reference for {}: {error}", names.join(", "))
        })
        .collect();
    lines.sort();
    let is_whole = lines.is_empty();
    lines.iter().for_each(|line| call.warn(line));
    Ok(is_whole)
}

fn overwritten(existing: &[Value], wanted: &[Value]) -> Option<Failure> {
    wanted.iter().find_map(|variable| {
        let current = existing.iter().find(|known| name(known) == name(variable))?;
        (value(current) != value(variable)).then(|| {
            Failure::message(format!(
                "'{}' already has a value ({}), and --overwrite is false",
                name(current),
                value(current)
            ))
        })
    })
}

/// Returns the variables with the changes: those that are there keep their places.
fn updated(existing: &[Value], changes: &Changes) -> Vec<Value> {
    let mut covered: Vec<&str> = changes.remove.iter().map(String::as_str).collect();
    let mut result = Vec::new();
    for variable in existing {
        let own = name(variable);
        if covered.contains(&own) {
            continue;
        }
        match changes.set.iter().find(|newer| name(newer) == own) {
            Some(newer) => {
                covered.push(own);
                result.push(newer.clone());
            }
            None => result.push(variable.clone()),
        }
    }
    for variable in &changes.set {
        if !covered.contains(&name(variable)) {
            covered.push(name(variable));
            result.push(variable.clone());
        }
    }
    result
}
