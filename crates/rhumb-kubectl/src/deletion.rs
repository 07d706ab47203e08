//! Deletes objects and waits until they are gone.
//!
//! What [`Deletion`] deletes is waited for by its uid: an object of the same name that someone else made in the
//! meantime is another one.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::time::Duration;

use rhumb_cli::command::{Flag, Flags};
use rhumb_cli::options::DryRun;
use rhumb_cli::resource::{Info, Infos};
use rhumb_cli::{Call, Failure, Outcome, Progress, Streams, klog};
use rhumb_client::WatchEvent;
use rhumb_meta::v1::ListOptions;
use tokio::time::{Instant, timeout_at};

use crate::metadata;
use crate::writing::{Writer, delete_options};

/// Maximum wait.
const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Interval of listing if watching fails.
const PAUSE: Duration = Duration::from_millis(500);

/// Flags of commands that may delete: `--cascade`, `--force`, `--grace-period`, `--timeout`.
pub(crate) static FLAGS: &[Flag] = &[
    Flag::text(
        "cascade",
        "What becomes of dependents: \"background\" deletes them afterwards, \"foreground\" first, \"orphan\" keeps them.",
    )
    .default("background")
    .bare("background")
    .choices(&["background", "foreground", "orphan"]),
    Flag::bool("force", "Remove objects at once, without waiting for their graceful end."),
    Flag::int(
        "grace-period",
        "-1",
        "How many seconds objects have for their end; negative leaves it to them, 0 needs --force.",
    ),
    Flag::duration("timeout", "0s", "How long to wait before giving up on a deletion; 0 is for ever."),
];

/// Settings of a deletion.
#[derive(Clone, Debug)]
pub(crate) struct Deletion {
    /// Propagation policy: `Background`, `Foreground`, `Orphan`.
    pub(crate) cascade: &'static str,
    /// Grace period in seconds; none if negative.
    pub(crate) grace_period: i64,
    /// Whether they are removed at once.
    pub(crate) force: bool,
    /// Whether to wait until they are gone.
    pub(crate) wait: bool,
    /// Timeout in nanoseconds; 0 is unlimited.
    pub(crate) timeout: i64,
    /// Whether something is deleted at all.
    pub(crate) dry_run: DryRun,
    /// `name` prints only names.
    pub(crate) output: String,
    /// Whether objects that are not there are no failure.
    pub(crate) ignore_not_found: bool,
    /// Whether to warn of objects without a namespace.
    pub(crate) warn_cluster_scope: bool,
    /// The only objects to delete, if they were agreed on.
    pub(crate) agreed: Option<HashSet<Location>>,
}

/// Location of an object: group and resource, namespace, name.
pub(crate) type Location = (String, String, String);

/// Returns the location of an object.
pub(crate) fn location(info: &Info) -> Location {
    (info.mapping.resource.group_resource().to_string(), info.namespace.clone(), info.name.clone())
}

/// Formats a kind: `deployment.apps`, or `pod`.
pub(crate) fn kind_text(info: &Info) -> String {
    let kind = &info.mapping.kind;
    match kind.group.as_ref() {
        "" => kind.kind.to_lowercase(),
        group => format!("{}.{group}", kind.kind.to_lowercase()),
    }
}

impl Deletion {
    /// Reads the flags of [`FLAGS`].
    ///
    /// # Errors
    /// They make no sense.
    pub(crate) fn of(flags: &Flags, streams: &mut Streams) -> Result<Self, Failure> {
        Ok(Deletion {
            cascade: cascade(flags.text("cascade"), streams)?,
            grace_period: flags.int("grace-period"),
            force: flags.bool("force"),
            wait: flags.bool("wait"),
            timeout: flags.nanoseconds("timeout"),
            dry_run: DryRun::None,
            output: String::new(),
            ignore_not_found: false,
            warn_cluster_scope: false,
            agreed: None,
        })
    }

    /// Deletes objects, says so, and waits until they are gone.
    ///
    /// # Errors
    /// Some can't be deleted, or are not gone in time.
    pub(crate) async fn run(&self, call: &mut Call, infos: Infos) -> Outcome {
        let mut warn_cluster_scope = self.warn_cluster_scope;
        let (mut deleted, mut uids) = (Vec::new(), HashMap::new());
        let writer = Writer { dry_run: self.dry_run, ..Writer::default() };
        let streams = &mut call.streams;
        let done = infos.visit(async |info| {
            if self.agreed.as_ref().is_some_and(|agreed| !agreed.contains(&location(info))) {
                return Ok(());
            }
            deleted.push(info.clone());
            if warn_cluster_scope && !info.is_namespaced() {
                warning(streams, "deleting cluster-scoped resources, not scoped to the provided namespace");
                warn_cluster_scope = false;
            }
            if self.dry_run == DryRun::Client {
                return self.print(streams, info);
            }
            let options = delete_options(self.cascade, self.grace_period);
            match writer.delete(info, options).await {
                Ok(Some(uid)) => drop(uids.insert(location(info), uid)),
                Ok(None) => {}
                Err(error) if self.ignore_not_found && error.is_not_found() => return Ok(()),
                Err(error) => return Err(Failure::from(error).when("deleting", &info.origin.source)),
            }
            self.print(streams, info)
        });
        match done.await {
            Err(failure) if self.ignore_not_found => Failure::all(found_only(failure))?,
            done => done?,
        }
        if deleted.is_empty() {
            return call.line("No resources found");
        }
        if !self.wait || self.dry_run != DryRun::None {
            return Ok(());
        }
        let deadline = match u64::try_from(self.timeout) {
            Ok(0) => Some(Instant::now() + WEEK),
            Ok(nanoseconds) => Some(Instant::now() + Duration::from_nanos(nanoseconds)),
            Err(_) => {
                let text = "\"Timeout for context shall not be negative\"";
                call.warn(klog::error("until.go:159", text));
                None
            }
        };
        let mut progress = Progress::new(&call.streams);
        for info in &deleted {
            let uid = uids.get(&location(info)).map(String::as_str);
            let text = format!("Waiting until {} is gone", info.object_name());
            let gone = until_gone(info, uid, deadline);
            match progress.during(&mut call.streams.err, &text, gone).await {
                // Who may delete, but not look, can't wait.
                Err(Failure::Server(error)) if error.is_forbidden() || error.is_method_not_supported() => {
                    return Ok(());
                }
                done => done?,
            }
        }
        Ok(())
    }

    fn print(&self, streams: &mut Streams, info: &Info) -> Outcome {
        let kind = kind_text(info);
        if self.output == "name" {
            return Ok(writeln!(streams.out, "{kind}/{}", info.name)?);
        }
        let mut operation = if self.grace_period == 0 { "force deleted" } else { "deleted" }.to_owned();
        if info.is_namespaced() {
            operation = format!("{operation} from {} namespace", info.namespace);
        }
        Ok(writeln!(streams.out, "{kind} \"{}\" {operation}{}", info.name, self.dry_run.suffix())?)
    }
}

/// Returns the failures that are not about objects which are not there.
fn found_only(failure: Failure) -> Vec<Failure> {
    match failure {
        Failure::Many(failures) => failures.into_iter().filter(|failure| !failure.is_not_found()).collect(),
        failure if failure.is_not_found() => Vec::new(),
        failure => vec![failure],
    }
}

/// Writes a warning, coloured for people.
pub(crate) fn warning(streams: &mut Streams, text: &str) {
    let colour = streams.err_is_terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    let (on, off) = if colour { ("\x1b[33;1m", "\x1b[0m") } else { ("", "") };
    let _ = writeln!(streams.err, "{on}Warning:{off} {text}");
}

/// Parses `--cascade`, including old forms.
fn cascade(value: &str, streams: &mut Streams) -> Result<&'static str, Failure> {
    let mut old = |instead: &str| {
        let _ = writeln!(
            streams.err,
            "warning: --cascade={value} is deprecated (boolean value) and can be replaced with --cascade={instead}."
        );
    };
    match value {
        "orphan" => Ok("Orphan"),
        "foreground" => Ok("Foreground"),
        "background" => Ok("Background"),
        "1" | "t" | "T" | "TRUE" | "true" | "True" => {
            old("background");
            Ok("Background")
        }
        "0" | "f" | "F" | "FALSE" | "false" | "False" => {
            old("orphan");
            Ok("Orphan")
        }
        other => Err(Failure::message(format!(
            "invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\""
        ))),
    }
}

/// Waits until an object is gone, or another one with the same name is there. Without a deadline there is no time
/// left.
///
/// # Errors
/// It is still there when the time is over, or the server can't be asked.
pub(crate) async fn until_gone(info: &Info, uid: Option<&str>, deadline: Option<Instant>) -> Outcome {
    let late = || {
        let resource = &info.mapping.resource.resource;
        Failure::message(format!("timed out waiting for the condition on {resource}/{}", info.name))
    };
    let api = info.api()?;
    loop {
        let object = match api.get(&info.name).await {
            Ok(object) => object,
            Err(error) if error.is_not_found() => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let is_other = |found: &str| uid.is_some_and(|uid| !uid.is_empty() && uid != found);
        if is_other(metadata::text(&object, "uid")) {
            return Ok(());
        }
        let Some(deadline) = deadline else { return Err(late()) };
        let options = ListOptions {
            field_selector: format!("metadata.name={}", info.name),
            resource_version: metadata::text(&object, "resourceVersion").to_owned(),
            ..ListOptions::default()
        };
        let gone = timeout_at(deadline, async {
            let Ok(mut events) = api.watch(&options).await else {
                tokio::time::sleep(PAUSE).await;
                return false;
            };
            while let Some(event) = events.next().await {
                match event {
                    Ok(WatchEvent::Deleted(_)) => return true,
                    Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) => {
                        if is_other(metadata::text(&object, "uid")) {
                            return true;
                        }
                    }
                    Ok(_) => {}
                    Err(_) => break,
                }
            }
            tokio::time::sleep(PAUSE).await;
            false
        });
        match gone.await {
            Err(_) => return Err(late()),
            Ok(true) => return Ok(()),
            // The server ended the watch; it may have missed something.
            Ok(false) => {}
        }
    }
}
