//! `patch`: patches objects.

use std::fs;

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::PatchKind;
use rhumb_codec::{Strictness, json as text, yaml};
use rhumb_patch::{PatchError, json_patch, merge, strategic};
use rhumb_schema::text::quoted;
use rhumb_scheme::Unstructured;

use crate::built_in;
use crate::change_cause::{self, Recorder};
use crate::metadata::json;
use crate::raw::unopened;
use crate::writing::Writer;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "patch",
    family: Family::Advanced,
    about: "Change parts of an object",
    long: "Changes parts of an object by a strategic merge patch, a JSON merge patch or a JSON patch, given as JSON or \
           YAML.\n\nCustom resources have no strategic merge patch: give --type=merge or --type=json for them.",
    usage: "(-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]",
    examples: &[
        ("Have three copies", "patch deployment web -p '{\"spec\":{\"replicas\":3}}'"),
        (
            "Change one container's image, found by its name",
            "patch pod web-0 -p '{\"spec\":{\"containers\":[{\"name\":\"web\",\"image\":\"nginx:2\"}]}}'",
        ),
        (
            "Replace a value by its place",
            "patch pod web-0 --type=json -p '[{\"op\":\"replace\",\"path\":\"/spec/priority\",\"value\":1}]'",
        ),
        (
            "Through the subresource scale",
            "patch deployment web --subresource=scale --type=merge -p 'spec: {replicas: 2}'",
        ),
    ],
    flags: &[FLAGS, change_cause::FLAGS, options::PRINT, options::FILES, options::DRY_RUN],
    words: Words::TypesAndNames,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::text("patch", "The patch.").short('p'),
    Flag::text("patch-file", "A file with the patch.").words(Words::Files),
    Flag::text("type", "Which kind of patch it is.").default("strategic").choices(&[
        "json",
        "merge",
        "strategic",
    ]),
    Flag::bool("local", "Ask no server: patch what the files have, and print it."),
    options::field_manager("kubectl-patch"),
    Flag::text("subresource", "Patch this subresource of the object.")
        .choices(&["status", "scale", "resize"]),
];

async fn run(call: &mut Call) -> Outcome {
    let recorder = Recorder::of(call);
    let dry_run = DryRun::of(call)?;
    let flags = &call.flags;
    let local = flags.bool("local");
    let (namespace, enforce) = match call.factory.namespace() {
        Err(_) if local => ("default".to_owned(), false),
        found => found?,
    };
    let kind = validate(call, dry_run)?;
    let given = flags.text("patch");
    let patch = match flags.text("patch-file") {
        "" => given.as_bytes().to_vec(),
        path => fs::read(path).map_err(|error| {
            Failure::message(format!("unable to read patch file: {}", unopened(path, &error).bare()))
        })?,
    };
    let patch = to_json(&patch)
        .map_err(|error| Failure::message(format!("unable to parse {}: {error}", quoted(given))))?;
    let infos = call
        .factory
        .builder()
        .continue_on_error()
        .local(local)
        .namespace(&namespace)
        .default_namespace()
        .files(enforce, &options::files(flags), &mut call.streams)
        .subresource(flags.text("subresource"))
        .words(false, &call.args)
        .flatten()
        .build()
        .await?;
    let writer = Writer {
        dry_run,
        field_manager: flags.text("field-manager").to_owned(),
        subresource: flags.text("subresource").to_owned(),
        ..Writer::default()
    };
    let mut count = 0;
    infos
        .visit(async |info| {
            count += 1;
            let before = info.object()?.clone();
            let mut patched = match local || dry_run == DryRun::Client {
                true => patch_here(&before, kind, &patch)?,
                false => match writer.patch(info, kind, &patch, None).await {
                    Err(Failure::Server(error)) if error.is_unsupported_media_type() => {
                        let text =
                            format!("{} is not supported by {}", kind.content_type(), info.mapping.kind);
                        return Err(Failure::Server(error).context(&text));
                    }
                    patched => patched?,
                },
            };
            let done = if patched == before { "patched (no change)" } else { "patched" };
            if !local && dry_run != DryRun::Client {
                patched = record(&recorder, &writer, info, patched).await;
            }
            // What was only tried is not said here: kubectl doesn't either.
            call.printer(DryRun::None)?.print(&mut call.streams, &patched, done)
        })
        .await?;
    match count {
        0 => Err("no objects passed to patch".into()),
        _ => Ok(()),
    }
}

/// Records the command line in an object. If that fails, the object is as it was.
pub(crate) async fn record(
    recorder: &Recorder,
    writer: &Writer,
    info: &Info,
    object: Unstructured,
) -> Unstructured {
    let Some(patch) = recorder.patch(&object) else { return object };
    writer.patch(info, PatchKind::Merge, &json(&patch), None).await.unwrap_or(object)
}

fn validate(call: &Call, dry_run: DryRun) -> Result<PatchKind, Failure> {
    let flags = &call.flags;
    match (flags.text("patch").is_empty(), flags.text("patch-file").is_empty()) {
        (false, false) => return Err("cannot specify --patch and --patch-file together".into()),
        (true, true) => {
            return Err("must specify --patch or --patch-file containing the contents of the patch".into());
        }
        _ => {}
    }
    if flags.bool("local") && !call.args.is_empty() {
        return Err("cannot specify --local and server resources".into());
    }
    if flags.bool("local") && dry_run == DryRun::Server {
        return Err("cannot specify --local and --dry-run=server - did you mean --dry-run=client?".into());
    }
    match flags.text("type").to_lowercase().as_str() {
        "" | "strategic" => Ok(PatchKind::Strategic),
        "merge" => Ok(PatchKind::Merge),
        "json" => Ok(PatchKind::Json),
        _ => {
            let given = quoted(flags.text("type"));
            Err(format!("--type must be one of [json merge strategic], not {given}").into())
        }
    }
}

/// Returns a patch as JSON. What is JSON already stays as it is written.
fn to_json(patch: &[u8]) -> Result<Vec<u8>, String> {
    if matches!(patch.trim_ascii_start().first(), Some(b'{')) {
        return Ok(patch.to_vec());
    }
    let mut json = Vec::new();
    yaml::to_json(patch, &yaml::ReadOptions::default(), &mut json)
        .map_err(|error| format!("error converting YAML to JSON: {error}"))?;
    Ok(json)
}

/// Patches an object without asking a server.
fn patch_here(object: &Unstructured, kind: PatchKind, patch: &[u8]) -> Result<Unstructured, Failure> {
    let failed = |error: PatchError| Failure::message(error.detail());
    let mut tree = object.tree().clone();
    match kind {
        PatchKind::Json => json_patch::apply(&mut tree, patch).map_err(failed)?,
        PatchKind::Merge => {
            merge::apply(&mut tree, &merge::decode(patch).map_err(failed)?).map_err(failed)?
        }
        _ => {
            let (patch, _) = text::decode_tree(patch, Strictness::Ignore)
                .map_err(|error| Failure::message(error.to_string()))?;
            let text = |field: &str| object.get(&[field]).and_then(|text| text.as_str()).unwrap_or_default();
            let version = rhumb_meta::GroupVersion::parse(text("apiVersion")).unwrap_or_default();
            let kind = version.with_kind(text("kind").to_owned());
            let Some(table) = built_in::kubectl_table(&kind) else {
                return Err(format!(
                    "strategic merge patch is not supported for {kind} locally, try --type merge"
                )
                .into());
            };
            strategic::apply(&mut tree, &patch, table).map_err(failed)?;
        }
    }
    Unstructured::new(tree).ok_or_else(|| "the patched object is none".into())
}
