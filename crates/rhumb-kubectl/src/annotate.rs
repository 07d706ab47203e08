//! `annotate`: set and take away annotations.

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::PatchKind;
use rhumb_patch::merge;
use rhumb_scheme::Unstructured;

use crate::change_cause::{self, Recorder};
use crate::label::show;
use crate::metadata::{self, annotations, json, set_annotations};
use crate::pairs::{self, Changes};
use crate::writing::Writer;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "annotate",
    family: Family::Settings,
    about: "Set, change or remove the annotations of objects",
    long: "Sets annotations as KEY=VALUE and removes them as KEY-.\n\n\
           Annotations hold whatever tools and people want to keep with an object; unlike labels, objects can't be \
           chosen by them. An annotation that has another value is only changed with --overwrite.",
    usage: "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    examples: &[
        ("Note something about a pod", "annotate pod web-0 note='restarted by hand'"),
        ("Change the note", "annotate --overwrite pod web-0 note='all is well'"),
        ("Annotate what a file names", "annotate -f web.yaml owner=jane"),
        ("Take an annotation away", "annotate pod web-0 note-"),
    ],
    flags: &[FLAGS, change_cause::FLAGS, options::PRINT, options::FILES, options::DRY_RUN, options::SELECTOR],
    words: Words::TypesAndNames,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::bool("overwrite", "Change annotations that have another value."),
    Flag::bool("list", "Show the annotations."),
    Flag::bool("local", "Ask no server; work on files only."),
    Flag::text("field-selector", "Only objects with these fields: key1=value1,key2!=value2."),
    Flag::bool("all", "All objects of the types, in the namespace."),
    Flag::bool("all-namespaces", "In all namespaces.").short('A'),
    Flag::text("resource-version", "Only if the object is at this revision. For one object only."),
    options::field_manager("kubectl-annotate"),
];

async fn run(call: &mut Call) -> Outcome {
    let recorder = Recorder::of(call);
    let dry_run = DryRun::of(call)?;
    let mut printer = call.printer(dry_run)?;
    let flags = &call.flags;
    let (list, local) = (flags.bool("list"), flags.bool("local"));
    let (namespace, enforce) = match call.factory.namespace() {
        Err(_) if local => ("default".to_owned(), false),
        found => found?,
    };
    let (words, pairs) = pairs::split(&call.args, "annotation")?;
    let changes = Changes::parse(&pairs, "annotation")?;
    validate(call, &words, &changes, dry_run)?;
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
            .words(flags.bool("all"), &words)
            .latest();
    }
    let infos = builder.build().await?;
    let one = infos.is_single_item();
    let revision = flags.text("resource-version");
    if !one && !revision.is_empty() {
        return Err("--resource-version may only be used with a single resource".into());
    }
    let writer =
        Writer { dry_run, field_manager: flags.text("field-manager").to_owned(), ..Writer::default() };
    infos
        .visit(async |info| {
            let object = info.object_mut()?;
            if dry_run == DryRun::Client || local || list {
                change(object, &changes, flags.bool("overwrite"), revision)?;
            } else {
                if !revision.is_empty() {
                    // Without a revision before, the one that is wanted is in the patch for certain.
                    metadata::set_text(object, "resourceVersion", "");
                }
                let before = object.clone();
                recorder.record(object);
                change(object, &changes, flags.bool("overwrite"), revision)?;
                let patch = merge::create_two_way(before.tree(), object.tree())
                    .map_err(|error| Failure::message(error.detail()))?;
                info.object = Some(writer.patch(info, PatchKind::Merge, &json(&patch), None).await?);
            }
            if list {
                return show(&mut call.streams, info, "annotations", one);
            }
            printer.print(&mut call.streams, info.object()?, "annotated")
        })
        .await
}

/// Refuses flags and words that don't go together.
fn validate(call: &Call, words: &[String], changes: &Changes, dry_run: DryRun) -> Outcome {
    let flags = &call.flags;
    if flags.bool("all") && !flags.text("selector").is_empty() {
        return Err("cannot set --all and --selector at the same time".into());
    }
    if flags.bool("all") && !flags.text("field-selector").is_empty() {
        return Err("cannot set --all and --field-selector at the same time".into());
    }
    let no_files = options::files(flags).is_empty();
    if !flags.bool("local") {
        if words.is_empty() && no_files {
            return Err(
                "one or more resources must be specified as <resource> <name> or <resource>/<name>".into()
            );
        }
    } else if dry_run == DryRun::Server {
        return Err("cannot specify --local and --dry-run=server - did you mean --dry-run=client?".into());
    } else if !words.is_empty() {
        return Err(
            "can only use local files by -f rsrc.yaml or --filename=rsrc.json when --local=true is set"
                .into(),
        );
    } else if no_files {
        return Err("one or more files must be specified as -f rsrc.yaml or --filename=rsrc.json".into());
    }
    if changes.is_empty() && !flags.bool("list") {
        return Err("at least one annotation update is required".into());
    }
    let both: Vec<&str> =
        changes.remove.iter().filter(|key| changes.set.contains_key(*key)).map(String::as_str).collect();
    match both.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "can not both modify and remove the following annotation(s) in the same command: {}",
            both.join(", ")
        )
        .into()),
    }
}

fn change(object: &mut Unstructured, changes: &Changes, overwrite: bool, revision: &str) -> Outcome {
    let mut found = annotations(object);
    if !overwrite {
        let taken: Vec<String> = changes
            .set
            .iter()
            .filter(|(key, _)| *key != change_cause::ANNOTATION)
            .filter_map(|(key, value)| {
                let current = found.get(key).filter(|current| *current != value)?;
                Some(format!("'{key}' already has a value ({current})"))
            })
            .collect();
        if !taken.is_empty() {
            return Err(format!(
                "--overwrite is false but found the following declared annotation(s): {}",
                taken.join("; ")
            )
            .into());
        }
    }
    found.extend(changes.set.clone());
    for key in &changes.remove {
        found.remove(key);
    }
    set_annotations(object, found);
    if !revision.is_empty() {
        metadata::set_text(object, "resourceVersion", revision);
    }
    Ok(())
}
