//! `annotate`: sets and removes annotations.

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::PatchKind;
use rhumb_patch::merge;
use rhumb_scheme::Unstructured;

use crate::change_cause::{self, Recorder};
use crate::marking;
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
    flags: &[
        FLAGS,
        marking::FLAGS,
        change_cause::FLAGS,
        options::PRINT,
        options::FILES,
        options::DRY_RUN,
        options::SELECTOR,
    ],
    words: Words::TypesAndNames,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::bool("overwrite", "Change annotations that have another value."),
    Flag::bool("list", "Show the annotations."),
    options::field_manager("kubectl-annotate"),
];

async fn run(call: &mut Call) -> Outcome {
    let recorder = Recorder::of(call);
    let dry_run = DryRun::of(call)?;
    let mut printer = call.printer(dry_run)?;
    let (list, local) = (call.flags.bool("list"), call.flags.bool("local"));
    let namespace = marking::namespace(call)?;
    let (words, pairs) = pairs::split(&call.args, "annotation")?;
    let changes = Changes::parse(&pairs, "annotation")?;
    marking::validate(call, &words, dry_run, "rsrc")?;
    validate(&changes, list)?;
    let infos = marking::infos(call, namespace, &words).await?;
    let one = infos.is_single_item();
    let flags = &call.flags;
    let revision = flags.text("resource-version");
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
                return marking::show(&mut call.streams, info, "annotations", one);
            }
            printer.print(&mut call.streams, info.object()?, "annotated")
        })
        .await
}

/// Refuses changes that are none or that contradict each other.
fn validate(changes: &Changes, list: bool) -> Outcome {
    if changes.is_empty() && !list {
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
