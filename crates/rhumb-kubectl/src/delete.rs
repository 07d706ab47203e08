//! `delete`: deletes objects.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};

use http::Method;
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::{FileOptions, Info, Infos};
use rhumb_cli::{Call, Failure, Outcome};

use crate::deletion::{self, Deletion, kind_text, location, warning};
use crate::raw;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "delete",
    suggest_for: &["rm", "remove"],
    family: Family::Intermediate,
    about: "Delete objects by file, by type and name, or by label",
    long: "Deletes objects and waits until they are gone.\n\n\
           Objects may have some time to end gracefully, and finalizers may hold them; what is deleted by a name, a \
           selector or a file is told line by line. The revision is not compared: what someone changed a moment ago \
           is deleted with the rest.",
    usage: "([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])",
    examples: &[
        ("What a file names", "delete -f web.yaml"),
        ("Two pods by their names", "delete pod web-0 web-1"),
        ("Everything with a label, without waiting", "delete deployments,services -l app=web --wait=false"),
        ("A pod whose node is gone, at once", "delete pod web-0 --force"),
        ("All pods of the namespace, after a question", "delete pods --all --interactive"),
    ],
    flags: &[options::FILES, deletion::FLAGS, OWN, options::SELECTOR, options::DRY_RUN],
    words: Words::TypesAndNames,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

static OWN: &[Flag] = &[
    Flag::text("field-selector", "Only objects with these fields: key1=value1,key2!=value2."),
    Flag::bool("all", "All objects of the types, in the namespace."),
    Flag::bool("all-namespaces", "In all namespaces.").short('A'),
    Flag::bool("now", "Let objects end at once, as --grace-period=1 does."),
    Flag::bool("ignore-not-found", "An object that is not there is no failure."),
    Flag::bool("wait", "Wait until the objects are gone.").default("true"),
    Flag::text("output", "\"name\" prints names only.").short('o').choices(&["name"]),
    Flag::text("raw", "Send a DELETE to this address on the server."),
    Flag::bool("interactive", "Ask before deleting.").short('i'),
];

async fn run(call: &mut Call) -> Outcome {
    let mut deletion = Deletion::of(&call.flags, &mut call.streams)?;
    let (namespace, enforce) = call.factory.namespace()?;
    let flags = &call.flags;
    deletion.warn_cluster_scope = enforce && !flags.bool("all-namespaces");
    let chooses =
        flags.bool("all") || !flags.text("selector").is_empty() || !flags.text("field-selector").is_empty();
    deletion.ignore_not_found = match flags.is_given("ignore-not-found") {
        true => flags.bool("ignore-not-found"),
        false => chooses,
    };
    if flags.bool("now") {
        if deletion.grace_period != -1 {
            return Err("--now and --grace-period cannot be specified together".into());
        }
        deletion.grace_period = 1;
    }
    if deletion.grace_period == 0 && !deletion.force {
        deletion.grace_period = 1;
    }
    if deletion.force && deletion.grace_period < 0 {
        deletion.grace_period = 0;
    }
    flags.text("output").clone_into(&mut deletion.output);
    deletion.dry_run = DryRun::of(call)?;
    let files = options::files(&call.flags);
    let address = call.flags.text("raw").to_owned();
    let (mut infos, mut preview) = (None, None);
    if address.is_empty() {
        // The preview comes first, so that it is what reads standard input.
        if call.flags.bool("interactive") {
            preview = Some(build(call, &namespace, enforce, &files).await?);
        }
        infos = Some(build(call, &namespace, enforce, &files).await?);
    }
    validate(call, &deletion, &address, &files)?;
    let Some(infos) = infos else {
        let file = files.filenames.first().map(String::as_str);
        return raw::send(call, Method::DELETE, &address, file).await;
    };
    if let Some(preview) = preview {
        let ignored = |failure: &Failure| deletion.ignore_not_found && failure.is_not_found();
        let (found, unread) = preview.gather_ignoring(ignored).await;
        if let Some(failure) = unread {
            return Err(failure.unwrapped());
        }
        if found.is_empty() {
            return call.line("No resources found");
        }
        if !confirm(call, &found)? {
            return call.line("deletion is cancelled");
        }
        deletion.agreed = Some(found.iter().map(location).collect::<HashSet<_>>());
    }
    deletion.run(call, infos).await
}

async fn build(
    call: &mut Call,
    namespace: &str,
    enforce: bool,
    files: &FileOptions,
) -> Result<Infos, Failure> {
    let flags = &call.flags;
    let builder = call
        .factory
        .builder()
        .continue_on_error()
        .namespace(namespace)
        .default_namespace()
        .files(enforce, files, &mut call.streams)
        .label_selector(flags.text("selector"))
        .field_selector(flags.text("field-selector"))
        .select_all(flags.bool("all"))
        .all_namespaces(flags.bool("all-namespaces"))
        .words(false, &call.args)
        .require_object(false)
        .flatten();
    builder.build().await
}

fn validate(call: &mut Call, deletion: &Deletion, address: &str, files: &FileOptions) -> Outcome {
    let flags = &call.flags;
    let output = flags.text("output");
    if !matches!(output, "" | "name") {
        return Err(format!("unexpected -o output mode: {output}. We only support '-o name'").into());
    }
    if flags.bool("all") && !flags.text("selector").is_empty() {
        return Err("cannot set --all and --selector at the same time".into());
    }
    if flags.bool("all") && !flags.text("field-selector").is_empty() {
        return Err("cannot set --all and --field-selector at the same time".into());
    }
    if deletion.force && deletion.grace_period == 0 {
        warning(
            &mut call.streams,
            "Immediate deletion does not wait for confirmation that the running resource has been terminated. The \
             resource may continue to run on the cluster indefinitely.",
        );
    } else if deletion.force && deletion.grace_period > 0 {
        return Err("--force and --grace-period greater than 0 cannot be specified together".into());
    }
    if address.is_empty() {
        return Ok(());
    }
    if flags.bool("interactive") {
        return Err("--interactive can not be used with --raw".into());
    }
    raw::check_files(&files.filenames, files.recursive, true)?;
    if !output.is_empty() {
        return Err("--raw and --output are mutually exclusive".into());
    }
    raw::check_address(address)
}

fn confirm(call: &mut Call, infos: &[Info]) -> Result<bool, Failure> {
    call.line(format!("You are about to delete the following {} resource(s):", infos.len()))?;
    for info in infos {
        call.line(format!("{}/{}", kind_text(info), info.name))?;
    }
    call.text("Do you want to continue? (y/N): ")?;
    call.streams.out.flush()?;
    let mut answer = String::new();
    BufReader::new(&mut call.streams.input)
        .read_line(&mut answer)
        .map_err(|error| Failure::message(error.to_string()))?;
    let mut words = answer.split_whitespace();
    Ok(matches!((words.next(), words.next()), (Some("y" | "Y"), None)))
}
