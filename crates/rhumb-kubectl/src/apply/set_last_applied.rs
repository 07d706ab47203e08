//! `apply set-last-applied`: sets the last-applied annotation from a file.

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Outcome};
use rhumb_client::PatchKind;

use super::patcher::describe;
use crate::editor::annotation_patch;
use crate::last_applied;
use crate::writing::Writer;

/// The command.
pub(super) static COMMAND: Command = Command {
    name: "set-last-applied",
    about: "Have objects remember files as what was applied last, and change nothing else",
    usage: "-f FILENAME",
    examples: &[
        ("As if the file had been applied", "apply set-last-applied -f web.yaml"),
        ("Even if nothing was ever applied", "apply set-last-applied -f web.yaml --create-annotation=true"),
    ],
    flags: &[FLAGS, options::PRINT, options::DRY_RUN],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::bool("create-annotation", "Also for objects that nothing was applied to."),
    Flag::list("filename", "A file, directory or URL with objects; - is standard input.")
        .short('f')
        .words(Words::Files),
];

async fn run(call: &mut Call) -> Outcome {
    let dry_run = DryRun::of(call)?;
    let (namespace, enforce) = call.factory.namespace()?;
    let mut printer = call.printer(dry_run)?;
    let infos = call
        .factory
        .builder()
        .namespace(&namespace)
        .default_namespace()
        .files(enforce, &options::files(&call.flags), &mut call.streams)
        .flatten()
        .build()
        .await?;
    let creates = call.flags.bool("create-annotation");
    let mut changes = Vec::new();
    infos
        .visit(async |info| {
            let (patch, wanted) = annotation_patch(info.object()?)?;
            if let Err(failure) = info.get().await {
                if failure.is_not_found() {
                    return Err(failure);
                }
                let doing =
                    format!("retrieving current configuration of:\n{}\nfrom server for:", describe(info));
                return Err(failure.when(&doing, &info.origin.source));
            }
            let current = last_applied::original(info.object()?);
            if current.is_none() && !creates {
                return Err(format!(
                    "no last-applied-configuration annotation found on resource: {}, to create the annotation, run the \
                     command with --create-annotation",
                    info.name
                )
                .into());
            }
            if current.is_some_and(|current| current.as_bytes() == wanted) {
                return call.line(format!("set-last-applied {}: no changes required.", info.name));
            }
            changes.push((info.clone(), patch));
            Ok(())
        })
        .await?;
    let writer = Writer { dry_run, ..Writer::default() };
    for (info, patch) in changes {
        let object = match dry_run {
            DryRun::Client => info.object()?.clone(),
            _ => writer.patch(&info, PatchKind::Merge, &patch, None).await?,
        };
        printer.print(&mut call.streams, &object, "configured")?;
    }
    Ok(())
}
