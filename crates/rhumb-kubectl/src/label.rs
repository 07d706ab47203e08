//! `label`: sets and removes labels.

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::PatchKind;
use rhumb_meta::validation::is_valid_label_value;
use rhumb_patch::merge;
use rhumb_schema::text::quoted;
use rhumb_scheme::Unstructured;
use std::io::Write;

use crate::change_cause::{self, Recorder};
use crate::marking;
use crate::metadata::{self, json, labels, set_labels};
use crate::pairs::{self, Changes};
use crate::writing::Writer;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "label",
    family: Family::Settings,
    about: "Set, change or remove the labels of objects",
    long: "Sets labels as KEY=VALUE and removes them as KEY-.\n\n\
           Keys and values have at most 63 letters, digits, hyphens, dots and underscores, and begin and end with a \
           letter or digit; a key may stand behind a DNS name and a slash. A label that has another value is only \
           changed with --overwrite.",
    usage: "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    examples: &[
        ("Label a pod", "label pod web-0 tier=front"),
        ("Change the label's value", "label --overwrite pod web-0 tier=back"),
        ("Label all pods of the namespace", "label pods --all checked=yes"),
        ("Take a label away", "label pod web-0 tier-"),
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
    Flag::bool("overwrite", "Change labels that have another value."),
    Flag::bool("list", "Show the labels."),
    options::field_manager("kubectl-label"),
];

async fn run(call: &mut Call) -> Outcome {
    let recorder = Recorder::of(call);
    let dry_run = DryRun::of(call)?;
    let (words, pairs) = pairs::split(&call.args, "label")?;
    let changes = parse(&pairs)?;
    let flags = &call.flags;
    let (list, local) = (flags.bool("list"), flags.bool("local"));
    if list && !flags.text("output").is_empty() {
        return Err("--list and --output may not be specified together".into());
    }
    let namespace = marking::namespace(call)?;
    marking::validate(call, &words, dry_run, "pod")?;
    if changes.is_empty() && !list {
        return Err("at least one label update is required".into());
    }
    let infos = marking::infos(call, namespace, &words).await?;
    let one = infos.is_single_item();
    let revision = call.flags.text("resource-version").to_owned();
    let overwrite = call.flags.bool("overwrite");
    let writer =
        Writer { dry_run, field_manager: call.flags.text("field-manager").to_owned(), ..Writer::default() };
    infos
        .visit(async |info| {
            let object = info.object_mut()?;
            if !revision.is_empty() {
                // Without a revision before, the one that is wanted is in the patch for certain.
                metadata::set_text(object, "resourceVersion", "");
            }
            let before = object.clone();
            let writes = dry_run != DryRun::Client && !local && !list;
            if writes {
                let found = labels(object);
                for label in changes.remove.iter().filter(|label| !found.contains_key(*label)) {
                    writeln!(call.streams.out, "label {} not found.", quoted(label))?;
                }
            }
            let done = change(object, &changes, overwrite, &revision)?;
            if writes {
                recorder.record(object);
                if done != "not labeled" {
                    let patch = merge::create_two_way(before.tree(), object.tree())
                        .map_err(|error| Failure::message(error.detail()))?;
                    writer.patch(info, PatchKind::Merge, &json(&patch), None).await?;
                }
            }
            if list {
                return marking::show(&mut call.streams, info, "labels", one);
            }
            call.printer(dry_run)?.print(&mut call.streams, info.object()?, done)
        })
        .await
}

fn parse(pairs: &[String]) -> Result<Changes, Failure> {
    let mut changes = Changes::default();
    for pair in pairs {
        if let Some((key, value)) = pair.split_once('=') {
            if value.contains('=') {
                return Err(format!("invalid label spec: {pair}").into());
            }
            let errors = is_valid_label_value(value);
            if !errors.is_empty() {
                return Err(format!("invalid label value: {}: {}", quoted(pair), errors.join(";")).into());
            }
            changes.set.insert(key.to_owned(), value.to_owned());
        } else if let Some(key) = pair.strip_suffix('-') {
            changes.remove.push(key.to_owned());
        } else {
            return Err(format!("unknown label spec: {pair}").into());
        }
    }
    if changes.remove.iter().any(|key| changes.set.contains_key(key)) {
        return Err("can not both modify and remove a label in the same command".into());
    }
    Ok(changes)
}

/// Changes the labels of an object, and gives the word for what was done.
fn change(
    object: &mut Unstructured,
    changes: &Changes,
    overwrite: bool,
    revision: &str,
) -> Result<&'static str, Failure> {
    let mut found = labels(object);
    if !overwrite {
        let taken = changes.set.iter().filter_map(|(key, value)| {
            let current = found.get(key).filter(|current| *current != value)?;
            Some(format!("'{key}' already has a value ({current}), and --overwrite is false"))
        });
        let mut taken: Vec<String> = taken.collect();
        match (taken.len(), taken.pop()) {
            (1, Some(text)) => return Err(text.into()),
            (0, _) | (_, None) => {}
            (_, Some(last)) => {
                taken.push(last);
                return Err(Failure::Many(taken.into_iter().map(Failure::from).collect()));
            }
        }
    }
    let (mut added, mut removed) = (false, false);
    for (key, value) in &changes.set {
        if found.get(key) != Some(value) {
            found.insert(key.clone(), value.clone());
            added = true;
        }
    }
    for key in &changes.remove {
        removed |= found.remove(key).is_some();
    }
    set_labels(object, found);
    if !revision.is_empty() {
        metadata::set_text(object, "resourceVersion", revision);
    }
    Ok(match (added, removed) {
        (true, true) => "modified",
        (true, false) => "labeled",
        (false, true) => "unlabeled",
        (false, false) => "not labeled",
    })
}
