//! Common parts of `set` commands: selection of objects, sending and printing of changes.

use rhumb_cli::command::Flag;
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome, ResultPrinter};
use rhumb_scheme::Unstructured;

use crate::change_cause::Recorder;
use crate::{two_way, typed};

/// Error where only files may be named.
pub(crate) const LOCAL_ONLY: &str = "error: you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'";

/// Field manager.
pub(super) static MANAGER: &[Flag] = &[options::field_manager("kubectl-set")];

/// Flags for all objects of a type, and for local changes.
pub(super) static SCOPE: &[Flag] = &[
    Flag::bool("all", "All objects of the types in the namespace."),
    Flag::bool("local", "Ask no server; change what files say."),
];

/// Settings of a change.
pub(super) struct Changer {
    recorder: Recorder,
    dry_run: DryRun,
    printer: ResultPrinter,
    local: bool,
    done: &'static str,
    refusal: &'static str,
}

impl Changer {
    /// Creates a changer with its message and the prefix of refusals.
    pub(super) fn of(call: &mut Call, done: &'static str, refusal: &'static str) -> Result<Self, Failure> {
        let dry_run = DryRun::of(call)?;
        let printer = call.printer(dry_run)?;
        Ok(Changer {
            recorder: Recorder::of(call),
            dry_run,
            printer,
            local: call.flags.bool("local"),
            done,
            refusal,
        })
    }

    /// Refuses flags that don't go together.
    pub(super) fn check_flags(&self, call: &Call) -> Outcome {
        if self.local && self.dry_run == DryRun::Server {
            return Err("cannot specify --local and --dry-run=server - did you mean --dry-run=client?".into());
        }
        if call.flags.bool("all") && !call.flags.text("selector").is_empty() {
            return Err("cannot set --all and --selector at the same time".into());
        }
        Ok(())
    }

    /// Refuses arguments that name objects with `--local`.
    pub(super) fn refuse_words(&self, words: &[String]) -> Outcome {
        if self.local && !words.is_empty() { Err(LOCAL_ONLY.into()) } else { Ok(()) }
    }

    /// Returns the objects that words, files and selectors name.
    pub(super) async fn find(&self, call: &mut Call, words: &[String]) -> Result<Vec<Info>, Failure> {
        let (namespace, enforces) = namespace(call, self.local)?;
        let files = options::files(&call.flags);
        let mut builder = call
            .factory
            .builder()
            .local(self.local)
            .continue_on_error()
            .namespace(&namespace)
            .default_namespace()
            .files(enforces, &files, &mut call.streams)
            .flatten();
        if !self.local {
            let all = call.flags.bool("all");
            builder = builder.label_selector(call.flags.text("selector")).words(all, words).latest();
        }
        let (infos, failures) = builder.build().await?.gather().await;
        Failure::all(failures)?;
        Ok(infos)
    }

    /// Returns the object as its type has it, to be changed.
    pub(super) fn before(&self, info: &Info) -> Result<Unstructured, Failure> {
        two_way::read(info.object()?)
    }

    /// Sends what changed, if anything did, and says so.
    pub(super) async fn apply(
        &mut self,
        call: &mut Call,
        info: &Info,
        before: &Unstructured,
        mut after: Unstructured,
    ) -> Outcome {
        self.recorder.record(&mut after);
        let Some(patch) = two_way::patch(before, &after)? else { return Ok(()) };
        self.send(call, info, patch, after).await
    }

    /// Sends what changed, be it nothing, and says so.
    pub(super) async fn apply_always(
        &mut self,
        call: &mut Call,
        info: &Info,
        before: &Unstructured,
        mut after: Unstructured,
    ) -> Outcome {
        self.recorder.record(&mut after);
        let patch = two_way::patch(before, &after)?.unwrap_or_else(|| serde_json::json!({}));
        self.send(call, info, patch, after).await
    }

    async fn send(
        &mut self,
        call: &mut Call,
        info: &Info,
        patch: serde_json::Value,
        after: Unstructured,
    ) -> Outcome {
        let shown = if self.local || self.dry_run == DryRun::Client {
            after
        } else {
            let sent = two_way::send(call, info, patch, self.dry_run).await;
            sent.map_err(|error| crate::create::refused(self.refusal, error).at(&info.origin))?
        };
        typed::print(&mut self.printer, &mut call.streams, &shown, self.done)
    }
}

/// Returns the namespace to work in. Without a server there need not be a configuration.
fn namespace(call: &Call, local: bool) -> Result<(String, bool), Failure> {
    match call.factory.namespace() {
        Err(Failure::Config(_)) if local => Ok((String::new(), false)),
        other => other,
    }
}

/// Adds the name and position of an object to a failure.
pub(super) fn with_name(info: &Info, failure: &Failure) -> Failure {
    Failure::message(format!("error: {} {}\n", info.object_name(), failure.bare())).at(&info.origin)
}
