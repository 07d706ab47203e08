//! Commands for kubeconfig contexts: show, use, set, rename, delete.

use std::io::Write;

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::config::PathForm;
use rhumb_output::TabWriter;

/// `config current-context`
pub(super) static CURRENT: Command = Command {
    name: "current-context",
    about: "Show the name of the current context",
    examples: &[
        ("The current context", "config current-context"),
        ("That of one file", "config current-context --kubeconfig=./kubeconfig"),
    ],
    action: Action::Plain(current),
    ..Command::EMPTY
};

/// `config get-contexts`
pub(super) static GET: Command = Command {
    name: "get-contexts",
    about: "List contexts, or show some of them",
    usage: "[NAME...] [-o name]",
    examples: &[
        ("All contexts", "config get-contexts"),
        ("One of them", "config get-contexts minikube"),
        ("Only their names", "config get-contexts -o name"),
    ],
    flags: &[&[
        Flag::bool("no-headers", "Leave the headings of the table out."),
        Flag::text("output", "How to print.").short('o').choices(&["name"]),
    ]],
    action: Action::Plain(get),
    ..Command::EMPTY
};

/// `config use-context`
pub(super) static USE: Command = Command {
    name: "use-context",
    aliases: &["use"],
    about: "Choose the current context",
    usage: "CONTEXT_NAME",
    examples: &[
        ("Work with another cluster from now on", "config use-context minikube"),
        ("In one file", "config use-context minikube --kubeconfig=./kubeconfig"),
    ],
    words: Words::Contexts,
    action: Action::Plain(use_context),
    ..Command::EMPTY
};

/// `config set-context`
pub(super) static SET: Command = Command {
    name: "set-context",
    about: "Set a context's cluster, user or namespace",
    long: "Set a context's cluster, user or namespace. A context that is not there is created; of one that is there, \
        what is not given stays.",
    usage: "[NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace]",
    examples: &[
        ("Work in another namespace from now on", "config set-context --current --namespace=shop"),
        ("Be another user in a context", "config set-context gce --user=cluster-admin"),
    ],
    flags: &[&[
        Flag::bool("current", "Change the current context."),
        Flag::text("cluster", "The context's cluster.").words(Words::Clusters),
        Flag::text("user", "The context's user.").words(Words::Users),
        Flag::text("namespace", "The context's namespace.").short('n').words(Words::NamesOf("namespaces")),
    ]],
    words: Words::Contexts,
    action: Action::Plain(set_context),
    ..Command::EMPTY
};

/// `config rename-context`
pub(super) static RENAME: Command = Command {
    name: "rename-context",
    about: "Rename a context",
    long: "Rename a context. If it is the current one, it stays that.",
    usage: "CONTEXT_NAME NEW_NAME",
    examples: &[
        ("A name that is easier to type", "config rename-context gke_europe-west1_shop shop"),
        ("In one file", "config rename-context old new --kubeconfig=./kubeconfig"),
    ],
    words: Words::Contexts,
    action: Action::Plain(rename),
    ..Command::EMPTY
};

/// `config delete-context`
pub(super) static DELETE: Command = Command {
    name: "delete-context",
    about: "Delete a context from the kubeconfig",
    usage: "NAME",
    examples: &[
        ("Forget a context", "config delete-context minikube"),
        ("From one file", "config delete-context minikube --kubeconfig=./kubeconfig"),
    ],
    words: Words::Contexts,
    action: Action::Plain(delete),
    ..Command::EMPTY
};

fn current(call: &mut Call) -> Outcome {
    let config = super::starting(call)?;
    match config.current_context.as_str() {
        "" => Err(Failure::message("current-context is not set")),
        name => call.line(name),
    }
}

fn get(call: &mut Call) -> Outcome {
    let names_only = match call.flags.text("output") {
        "" => false,
        "name" => true,
        other => {
            return Err(Failure::message(format!(
                "--output {other} is not available in kubectl config get-contexts; resetting to default output format"
            )));
        }
    };
    let config = super::starting(call)?;
    let mut failures = Vec::new();
    let mut names: Vec<&String> = Vec::new();
    if call.args.is_empty() {
        names.extend(config.contexts.keys());
    }
    for name in &call.args {
        match config.contexts.get_key_value(name) {
            Some((name, _)) => names.push(name),
            None => failures.push(Failure::message(format!("context {name} not found"))),
        }
    }
    names.sort();
    let mut out = TabWriter::table(&mut call.streams.out);
    if !names_only && !call.flags.bool("no-headers") {
        writeln!(out, "CURRENT\tNAME\tCLUSTER\tAUTHINFO\tNAMESPACE")?;
    }
    for name in names {
        let Some(context) = config.contexts.get(name).filter(|_| !names_only) else {
            writeln!(out, "{name}")?;
            continue;
        };
        let mark = if config.current_context == *name { "*" } else { " " };
        writeln!(out, "{mark}\t{name}\t{}\t{}\t{}", context.cluster, context.user, context.namespace)?;
    }
    out.flush()?;
    Failure::all(failures)
}

fn use_context(call: &mut Call) -> Outcome {
    let name = super::only_word(call)?;
    if name.is_empty() {
        return Err(Failure::message("empty context names are not allowed"));
    }
    if !super::starting(call)?.contexts.contains_key(&name) {
        return Err(Failure::message(format!("no context exists with the name: {name:?}")));
    }
    super::edit(call, PathForm::Relative, |config| {
        config.current_context.clone_from(&name);
        Ok(())
    })?;
    call.line(format!("Switched to context {name:?}."))
}

fn set_context(call: &mut Call) -> Outcome {
    if call.args.len() > 1 {
        let message = format!("Unexpected args: {}", call.listed_args());
        return Err(call.help_and(message));
    }
    let mut name = call.args.first().cloned().unwrap_or_default();
    match (name.is_empty(), call.flags.bool("current")) {
        (true, false) => {
            return Err(Failure::message("you must specify a non-empty context name or --current"));
        }
        (false, true) => {
            return Err(Failure::message("you cannot specify both a context name and --current"));
        }
        _ => {}
    }
    let config = super::starting(call)?;
    if name.is_empty() {
        name = config.current_context.clone();
        if name.is_empty() {
            return Err(Failure::message("no current context is set"));
        }
    }
    super::edit(call, PathForm::Relative, |config| {
        let context = config.contexts.entry(name.clone()).or_default();
        let fields = [
            ("cluster", &mut context.value.cluster),
            ("user", &mut context.value.user),
            ("namespace", &mut context.value.namespace),
        ];
        for (flag, field) in fields {
            if let Some(value) = call.flags.given_text(flag) {
                value.clone_into(field);
            }
        }
        Ok(())
    })?;
    let done = if config.contexts.contains_key(&name) { "modified" } else { "created" };
    call.line(format!("Context {name:?} {done}."))
}

fn rename(call: &mut Call) -> Outcome {
    let [old, new] = call.args.as_slice() else {
        let message = format!("Unexpected args: {}", call.listed_args());
        return Err(call.help_and(message));
    };
    let (old, new) = (old.clone(), new.clone());
    if new.is_empty() {
        return Err(Failure::message("You must specify a new non-empty context name"));
    }
    let (config, file) = (super::starting(call)?, super::file_name(call));
    if !config.contexts.contains_key(&old) {
        return Err(Failure::message(format!("cannot rename the context {old:?}, it's not in {file}")));
    }
    if config.contexts.contains_key(&new) {
        return Err(Failure::message(format!(
            "cannot rename the context {old:?}, the context {new:?} already exists in {file}"
        )));
    }
    super::edit(call, PathForm::Relative, |config| {
        if let Some(context) = config.contexts.remove(&old) {
            config.contexts.insert(new.clone(), context);
        }
        if config.current_context == old {
            config.current_context.clone_from(&new);
        }
        Ok(())
    })?;
    call.line(format!("Context {old:?} renamed to {new:?}."))
}

fn delete(call: &mut Call) -> Outcome {
    let config = super::starting(call)?;
    let [name] = call.args.as_slice() else { return call.show_help() };
    let (name, file) = (name.clone(), super::file_name(call));
    if !config.contexts.contains_key(&name) {
        return Err(Failure::message(format!("cannot delete context {name}, not in {file}")));
    }
    if config.current_context == name {
        call.warn(
            "warning: this removed your active context, use \"kubectl config use-context\" to select a different one",
        );
    }
    super::edit(call, PathForm::Relative, |config| {
        config.contexts.remove(&name);
        Ok(())
    })?;
    call.line(format!("deleted context {name} from {file}"))
}
