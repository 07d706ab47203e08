//! Common parts of `label` and `annotate`: selection of objects, refusals, listing of pairs.

use std::io::Write;

use rhumb_cli::command::Flag;
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::{Info, Infos};
use rhumb_cli::{Call, Failure, Outcome, Streams};

use crate::metadata;

/// Common flags.
pub(crate) static FLAGS: &[Flag] = &[
    Flag::bool("local", "Ask no server; work on files only."),
    Flag::text("field-selector", "Only objects with these fields: key1=value1,key2!=value2."),
    Flag::bool("all", "All objects of the types, in the namespace."),
    Flag::bool("all-namespaces", "In all namespaces.").short('A'),
    Flag::text("resource-version", "Only if the object is at this revision. For one object only."),
];

/// Returns the namespace to work in, and whether a flag asked for it. Who asks no server needs no configuration.
///
/// # Errors
/// There is no configuration.
pub(crate) fn namespace(call: &Call) -> Result<(String, bool), Failure> {
    match call.factory.namespace() {
        Err(_) if call.flags.bool("local") => Ok(("default".to_owned(), false)),
        found => found,
    }
}

/// Returns the objects that words, files and selectors name.
///
/// # Errors
/// They name none, or the server can't be asked.
pub(crate) async fn infos(
    call: &mut Call,
    (namespace, enforce): (String, bool),
    words: &[String],
) -> Result<Infos, Failure> {
    let flags = &call.flags;
    let local = flags.bool("local");
    let mut builder = call
        .factory
        .builder()
        .local(local)
        .continue_on_error()
        .namespace(&namespace)
        .default_namespace()
        .files(enforce, &options::files(flags), &mut call.streams)
        .flatten();
    if !local {
        builder = builder
            .label_selector(flags.text("selector"))
            .field_selector(flags.text("field-selector"))
            .all_namespaces(flags.bool("all-namespaces"))
            .words(flags.bool("all"), words)
            .latest();
    }
    let infos = builder.build().await?;
    if !infos.is_single_item() && !flags.text("resource-version").is_empty() {
        return Err("--resource-version may only be used with a single resource".into());
    }
    Ok(infos)
}

/// Refuses flags and words that don't go together. Files are called after an example.
///
/// # Errors
/// Some don't.
pub(crate) fn validate(call: &Call, words: &[String], dry_run: DryRun, example: &str) -> Outcome {
    let flags = &call.flags;
    if flags.bool("all") && !flags.text("selector").is_empty() {
        return Err("cannot set --all and --selector at the same time".into());
    }
    if flags.bool("all") && !flags.text("field-selector").is_empty() {
        return Err("cannot set --all and --field-selector at the same time".into());
    }
    let no_files = options::files(flags).is_empty();
    let files = format!("-f {example}.yaml or --filename={example}.json");
    if !flags.bool("local") {
        match words.is_empty() && no_files {
            true => {
                Err("one or more resources must be specified as <resource> <name> or <resource>/<name>"
                    .into())
            }
            false => Ok(()),
        }
    } else if dry_run == DryRun::Server {
        Err("cannot specify --local and --dry-run=server - did you mean --dry-run=client?".into())
    } else if !words.is_empty() {
        Err(format!("can only use local files by {files} when --local=true is set").into())
    } else if no_files {
        Err(format!("one or more files must be specified as {files}").into())
    } else {
        Ok(())
    }
}

/// Shows the labels or annotations of an object, sorted by their keys.
///
/// # Errors
/// Nobody reads it any more.
pub(crate) fn show(streams: &mut Streams, info: &Info, what: &str, one: bool) -> Outcome {
    let object = info.object()?;
    let indent = if one { "" } else { " " };
    if !one {
        let kind = object.get(&["kind"]).and_then(|kind| kind.as_str()).unwrap_or_default();
        let version = object.get(&["apiVersion"]).and_then(|version| version.as_str()).unwrap_or_default();
        let group = version.split_once('/').map_or("", |(group, _)| group);
        writeln!(streams.out, "Listing {what} for {kind}.{group}/{}:", info.name)?;
    }
    let found = if what == "labels" { metadata::labels(object) } else { metadata::annotations(object) };
    for (key, value) in found {
        writeln!(streams.out, "{indent}{key}={value}")?;
    }
    Ok(())
}
