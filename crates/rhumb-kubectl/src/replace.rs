//! `replace`: replaces objects.

use std::io::Read;
use std::time::Duration;

use http::Method;
use rhumb_cli::command::{Action, Command, Family, Flag};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::{FileOptions, Infos};
use rhumb_cli::{Call, Failure, Outcome};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::deletion::{self, Deletion};
use crate::writing::Writer;
use crate::{last_applied, raw};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "replace",
    family: Family::Advanced,
    about: "Put objects from files in the place of those on the server",
    long: "Replaces objects as a whole. What a file doesn't say is gone afterwards, so begin with what get -o yaml \
           gives.\n\nWith --force the objects are deleted and made anew.",
    usage: "-f FILENAME",
    examples: &[
        ("Replace what a file has", "replace -f web.yaml"),
        ("Delete it and make it anew", "replace --force -f web.yaml"),
        (
            "Change something on the way",
            "get pod web -o yaml | sed 's/nginx:1/nginx:2/' | kubectl replace -f -",
        ),
    ],
    flags: &[
        options::FILES,
        deletion::FLAGS,
        FLAGS,
        options::PRINT,
        options::VALIDATE,
        options::SAVE_CONFIG,
        options::DRY_RUN,
    ],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::bool("wait", "Wait until what is deleted is gone."),
    Flag::text("raw", "Send a PUT to this address on the server."),
    options::field_manager("kubectl-replace"),
    Flag::text("subresource", "Replace this subresource of the object.")
        .choices(&["status", "scale", "resize"]),
];

const INTERVAL: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(5 * 60);

async fn run(call: &mut Call) -> Outcome {
    let field_validation = options::field_validation(&call.flags)?;
    let dry_run = DryRun::of(call)?;
    let mut printer = call.printer(dry_run)?;
    let mut deletion = Deletion::of(&call.flags, &mut call.streams)?;
    deletion.ignore_not_found = true;
    call.flags.text("output").clone_into(&mut deletion.output);
    if deletion.grace_period == 0 {
        deletion.grace_period = 1;
        deletion.wait = true;
    }
    let files = options::files(&call.flags);
    files.require()?;
    validate(call, &deletion, &files, dry_run)?;
    let address = call.flags.text("raw").to_owned();
    if !address.is_empty() {
        return raw::send(call, Method::PUT, &address, files.filenames.first().map(String::as_str)).await;
    }
    let writer = Writer {
        dry_run,
        field_manager: call.flags.text("field-manager").to_owned(),
        field_validation: field_validation.to_owned(),
        subresource: call.flags.text("subresource").to_owned(),
    };
    if deletion.force {
        return replace_by_force(call, files, &deletion, &writer).await;
    }
    let infos = build(call, &files, true).await?;
    let save = call.flags.bool("save-config");
    infos
        .visit(async |info| {
            last_applied::keep(info.object_mut()?, save);
            if dry_run != DryRun::Client {
                let replaced = writer.replace(info, info.object()?).await;
                info.refresh(replaced.map_err(|failure| failure.when("replacing", &info.origin.source))?);
            }
            printer.print(&mut call.streams, info.object()?, "replaced")
        })
        .await
}

fn validate(call: &Call, deletion: &Deletion, files: &FileOptions, dry_run: DryRun) -> Outcome {
    if deletion.grace_period >= 0 && !deletion.force {
        return Err("--grace-period must have --force specified".into());
    }
    if deletion.timeout != 0 && !deletion.force {
        return Err("--timeout must have --force specified".into());
    }
    if deletion.force && dry_run != DryRun::None {
        return Err("--dry-run can not be used when --force is set".into());
    }
    let address = call.flags.text("raw");
    if address.is_empty() {
        return Ok(());
    }
    raw::check_files(&files.filenames, files.recursive, false)?;
    if !call.flags.text("output").is_empty() {
        return Err("--raw and --output are mutually exclusive".into());
    }
    raw::check_address(address)
}

async fn build(call: &mut Call, files: &FileOptions, to_write: bool) -> Result<Infos, Failure> {
    let (namespace, enforce) = call.factory.namespace()?;
    let builder = call.factory.builder();
    let builder = if to_write { builder.validated(options::validator(call)?) } else { builder };
    let builder = builder
        .continue_on_error()
        .namespace(&namespace)
        .default_namespace()
        .files(enforce, files, &mut call.streams)
        .subresource(call.flags.text("subresource"))
        .flatten();
    match to_write {
        true => builder.build().await,
        false => builder.words(false, &call.args).require_object(false).build().await,
    }
}

/// Deletes the objects, waits until they are gone, and makes them anew.
async fn replace_by_force(
    call: &mut Call,
    mut files: FileOptions,
    deletion: &Deletion,
    writer: &Writer,
) -> Outcome {
    // Standard input is read more than once, so it is kept in a file.
    let kept = keep_input(call, &mut files)?;
    let done = async {
        let infos = build(call, &files, false).await?;
        deletion.run(call, infos).await?;
        let patience = match u64::try_from(deletion.timeout) {
            Ok(0) | Err(_) => PATIENCE,
            Ok(nanoseconds) => Duration::from_nanos(nanoseconds),
        };
        build(call, &files, false)
            .await?
            .visit(async |info| {
                let deadline = Instant::now() + patience;
                loop {
                    match info.get().await {
                        Err(failure) if failure.is_not_found() => return Ok(()),
                        Err(failure) => return Err(failure),
                        Ok(()) if Instant::now() + INTERVAL > deadline => {
                            return Err("context deadline exceeded".into());
                        }
                        Ok(()) => sleep(INTERVAL).await,
                    }
                }
            })
            .await?;
        let mut printer = call.printer(DryRun::None)?;
        let save = call.flags.bool("save-config");
        let mut count = 0;
        build(call, &files, true)
            .await?
            .visit(async |info| {
                last_applied::keep(info.object_mut()?, save);
                let created = writer.create(info, info.object()?).await?;
                count += 1;
                info.refresh(created);
                printer.print(&mut call.streams, info.object()?, "replaced")
            })
            .await?;
        match count {
            0 => Err(Failure::message("no objects passed to replace")),
            _ => Ok(()),
        }
    };
    let done = done.await;
    drop(kept);
    done
}

/// Copies standard input to a file in a temporary directory.
fn keep_input(call: &mut Call, files: &mut FileOptions) -> Result<Option<TempDir>, Failure> {
    if !files.filenames.iter().any(|name| name == "-") {
        return Ok(None);
    }
    let failed = |error: std::io::Error| Failure::message(error.to_string());
    let mut text = Vec::new();
    call.factory.occupy_standard_input();
    call.streams.input.read_to_end(&mut text).map_err(failed)?;
    let dir = tempfile::Builder::new().prefix("kubectl_replace_").tempdir().map_err(failed)?;
    let path = dir.path().join("resource.stdin");
    std::fs::write(&path, text).map_err(failed)?;
    for name in files.filenames.iter_mut().filter(|name| *name == "-") {
        *name = path.display().to_string();
    }
    Ok(Some(dir))
}
