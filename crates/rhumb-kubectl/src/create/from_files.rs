//! `create -f`: creates objects from files, optionally edited.

use http::Method;
use rhumb_cli::command::Flag;
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Outcome};

use crate::change_cause::Recorder;
use crate::editor::{Mode, Session};
use crate::writing::Writer;
use crate::{last_applied, raw};

/// Long description.
pub(super) const LONG: &str = "Creates the objects that files, directories, URLs or standard input have, as YAML or \
                               JSON. An object that is there already is a failure: see apply.";

/// Examples.
pub(super) const EXAMPLES: &[(&str, &str)] = &[
    ("Create what a file has", "create -f web.yaml"),
    ("Create what comes from standard input", "create -f - <web.yaml"),
    ("Look at it in an editor first, as JSON", "create -f web.yaml --edit -o json"),
];

/// Flags.
pub(super) static FLAGS: &[Flag] = &[
    Flag::bool("edit", "Edit the objects before they are created."),
    Flag::bool("windows-line-endings", "Give the editor lines with Windows' ends."),
    Flag::text("raw", "Send a POST to this address on the server."),
    options::field_manager("kubectl-create"),
];

/// Creates them.
pub(super) async fn run(call: &mut Call) -> Outcome {
    if !call.args.is_empty() {
        return Err(call.usage(format!("Unexpected args: [{}]", call.args.join(" "))));
    }
    let recorder = Recorder::of(call);
    let dry_run = DryRun::of(call)?;
    let field_validation = options::field_validation(&call.flags)?;
    let mut printer = call.printer(dry_run)?;
    let flags = &call.flags;
    let files = options::files(flags);
    files.require()?;
    let address = flags.text("raw").to_owned();
    if !address.is_empty() {
        if flags.bool("edit") {
            return Err("--raw and --edit are mutually exclusive".into());
        }
        raw::check_files(&files.filenames, files.recursive, false)?;
        if !flags.text("selector").is_empty() {
            return Err("--raw and --selector (-l) are mutually exclusive".into());
        }
        if !flags.text("output").is_empty() {
            return Err("--raw and --output are mutually exclusive".into());
        }
        raw::check_address(&address)?;
        return raw::send(call, Method::POST, &address, files.filenames.first().map(String::as_str)).await;
    }
    if flags.bool("edit") {
        let mut session = Session::of(call, Mode::BeforeCreate)?;
        "kubectl-create".clone_into(&mut session.field_manager);
        return session.run(call).await;
    }
    let (namespace, enforce) = call.factory.namespace()?;
    let validator = options::validator(call)?;
    let infos = call
        .factory
        .builder()
        .validated(validator)
        .continue_on_error()
        .namespace(&namespace)
        .default_namespace()
        .files(enforce, &files, &mut call.streams)
        .label_selector(flags.text("selector"))
        .flatten()
        .build()
        .await?;
    let writer = Writer {
        dry_run,
        field_manager: flags.text("field-manager").to_owned(),
        field_validation: field_validation.to_owned(),
        ..Writer::default()
    };
    let save = flags.bool("save-config");
    let mut count = 0;
    infos
        .visit(async |info| {
            last_applied::keep(info.object_mut()?, save);
            recorder.record(info.object_mut()?);
            if dry_run != DryRun::Client {
                let created = writer.create(info, info.object()?).await;
                info.refresh(created.map_err(|failure| failure.when("creating", &info.origin.source))?);
            }
            count += 1;
            printer.print(&mut call.streams, info.object()?, "created")
        })
        .await?;
    match count {
        0 => Err("no objects passed to create".into()),
        _ => Ok(()),
    }
}
