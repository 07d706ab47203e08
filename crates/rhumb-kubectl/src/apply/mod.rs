//! `apply`: creates and updates objects from files.
//!
//! Without more words the difference is found here, from three states: what was applied last (kept in an annotation of
//! the object), what the file says, and what the server has. With `--server-side` the server does it, by who set which
//! field.

mod apply_set;
mod edit_last_applied;
mod one;
mod patcher;
pub(crate) mod prune;
mod server_side;
mod set_last_applied;
mod view_last_applied;

pub(crate) use one::warn_if_deleting;
pub(crate) use patcher::Patcher;

use std::collections::{BTreeSet, HashSet};

use rhumb_cli::command::{Action, Command, Family, Flag, Flags};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::{Info, Infos};
use rhumb_cli::{Call, Failure, Outcome, Progress};
use rhumb_patch::strategic::Overwrite;
use serde_json::Value;

use crate::change_cause::{self, Recorder};
use crate::deletion::{self, Deletion};
use crate::metadata;
use apply_set::ApplySet;
use prune::Prunable;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "apply",
    family: Family::Advanced,
    about: "Make objects what files or standard input say, whether they are there or not",
    long: "Creates the objects that are not there, and changes the others to what the files say. What a file said the \
           last time and no longer says is taken away; what others set and the file never mentioned stays.\n\nWith \
           --server-side the server keeps count of who set which field, and refuses to take fields from others unless \
           it is told to. An object that is too large to be kept in its own annotation is applied that way, too.",
    usage: "(-f FILENAME | -k DIRECTORY)",
    examples: &[
        ("Apply a file", "apply -f web.yaml"),
        ("Apply a directory with a kustomization", "apply -k web/"),
        ("Apply what comes from standard input", "apply -f - <web.yaml"),
        (
            "Let the server do it, and take fields over from others",
            "apply --server-side --force-conflicts -f web.yaml",
        ),
        (
            "Apply a directory and delete what carries the label, but is no longer there",
            "apply --prune -f web/ -l app=web",
        ),
    ],
    flags: &[
        options::FILES,
        deletion::FLAGS,
        FLAGS,
        SERVER_SIDE,
        change_cause::FLAGS,
        options::PRINT,
        options::VALIDATE,
        options::DRY_RUN,
        options::SELECTOR,
    ],
    commands: &[&[&edit_last_applied::COMMAND, &set_last_applied::COMMAND, &view_last_applied::COMMAND]],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

/// Number of objects read before the first is applied, so that unreadable ones in usual files are reported early
/// without holding all objects of a stream.
const AT_HAND: usize = 256;

/// Number of objects from which progress is shown.
const MANY: usize = 10;

static FLAGS: &[Flag] = &[
    Flag::bool("wait", "Wait until what is deleted is gone."),
    Flag::array("prune-allowlist", "Prune these kinds, as group/version/kind, in place of the usual ones."),
    Flag::bool("all", "Prune all objects of the kinds, in the namespaces of what is applied."),
    Flag::text("applyset", "The object that remembers what is applied, as [RESOURCE][.GROUP]/NAME.").hidden(),
    Flag::bool("prune", "Delete what was applied before and is no longer in the files. Needs -l or --all."),
    Flag::bool("overwrite", "The files win over what others changed.").default("true"),
    Flag::bool("openapi-patch", "Find differences by what the server says about its kinds.").default("true"),
    Flag::text("subresource", "Apply to this subresource. Only with --server-side.")
        .choices(&["status", "scale", "resize"]),
];

/// Flags of server-side apply.
pub(crate) static SERVER_SIDE: &[Flag] = &[
    Flag::bool("server-side", "Let the server find out what to change."),
    Flag::bool("force-conflicts", "Take fields over that others own. Only with --server-side."),
    options::field_manager(CLIENT_SIDE_MANAGER),
];

/// Field manager of client-side apply.
const CLIENT_SIDE_MANAGER: &str = "kubectl-client-side-apply";

/// Field manager of server-side apply.
const SERVER_SIDE_MANAGER: &str = "kubectl";

/// Returns the name that owns the fields, which depends on who applies them.
pub(crate) fn field_manager(flags: &Flags) -> String {
    match flags.given_text("field-manager") {
        Some(name) => name.to_owned(),
        None if flags.bool("server-side") => SERVER_SIDE_MANAGER.to_owned(),
        None => CLIENT_SIDE_MANAGER.to_owned(),
    }
}

/// Settings of an apply.
struct Apply {
    recorder: Recorder,
    deletion: Deletion,
    dry_run: DryRun,
    server_side: bool,
    force_conflicts: bool,
    field_manager: String,
    field_validation: &'static str,
    overwrite: Overwrite,
    asks_openapi: bool,
    subresource: String,
    selector: String,
    prune: Option<Vec<Prunable>>,
    apply_set: Option<ApplySet>,
    visited_uids: HashSet<String>,
    visited_namespaces: BTreeSet<String>,
}

async fn run(call: &mut Call) -> Outcome {
    let mut apply = Apply::of(call).await?;
    apply.validate(call).await?;
    let (namespace, enforce) = call.factory.namespace()?;
    if enforce {
        apply.visited_namespaces.insert(namespace.clone());
    }
    let validator = options::validator(call)?;
    let mut infos = call
        .factory
        .builder()
        .validated(validator)
        .continue_on_error()
        .namespace(&namespace)
        .default_namespace()
        .files(enforce, &options::files(&call.flags), &mut call.streams)
        .label_selector(&apply.selector)
        .flatten()
        .build()
        .await?;
    // A set must know all of its members before, and a list is printed when all are applied.
    let most = if apply.apply_set.is_some() || Apply::prints_objects(call) { usize::MAX } else { AT_HAND };
    let (mut unread, mut failures, mut count) = (Vec::new(), Vec::new(), 0);
    let mut progress = Progress::new(&call.streams);
    loop {
        let (mut some, problems) = infos.gather_some(most).await;
        unread.extend(problems);
        if let Some(set) = &apply.apply_set {
            set.label(&mut some)?;
        }
        if count == 0 && some.is_empty() && unread.is_empty() {
            return Err("no objects passed to apply".into());
        }
        if let Some(set) = &mut apply.apply_set {
            set.before_apply(call, &some, apply.dry_run, apply.field_validation).await?;
        }
        let is_last = some.len() < most;
        let total = if is_last { format!(" of {}", count + some.len()) } else { String::new() };
        if count == 0 {
            progress = progress.only_if(some.len() >= MANY);
        }
        for info in &mut some {
            count += 1;
            progress.show(&mut call.streams.err, &format!("{count}{total}: {}", info.object_name()));
            if let Err(failure) = apply.one(call, info, &mut progress).await {
                if matches!(failure, Failure::Output(_)) {
                    return Err(failure);
                }
                failures.push(failure.at(&info.origin));
            }
        }
        if is_last {
            progress.clear(&mut call.streams.err);
            let failures = Infos::all(unread).into_iter().chain(failures).collect();
            Failure::all(failures).map_err(Failure::unwrapped)?;
            apply.print_all(call, &some)?;
            return apply.prune(call, &namespace).await;
        }
    }
}

impl Apply {
    async fn of(call: &mut Call) -> Result<Self, Failure> {
        if !call.args.is_empty() {
            return Err(call.usage(format!("Unexpected args: [{}]", call.args.join(" "))));
        }
        let dry_run = DryRun::of(call)?;
        call.factory.client()?;
        let recorder = Recorder::of(call);
        let deletion = Deletion::of(&call.flags, &mut call.streams)?;
        options::files(&call.flags).require()?;
        let field_validation = options::field_validation(&call.flags)?;
        let apply_set = ApplySet::of(call).await?;
        let flags = &call.flags;
        let prune = match flags.bool("prune") {
            true => Some(prune::parse(call, &flags.list("prune-allowlist")).await?),
            false => None,
        };
        Ok(Apply {
            recorder,
            deletion,
            dry_run,
            server_side: flags.bool("server-side"),
            force_conflicts: flags.bool("force-conflicts"),
            field_manager: field_manager(flags),
            field_validation,
            overwrite: if flags.bool("overwrite") { Overwrite::Yes } else { Overwrite::No },
            asks_openapi: flags.bool("openapi-patch"),
            subresource: flags.text("subresource").to_owned(),
            selector: flags.text("selector").to_owned(),
            prune,
            apply_set,
            visited_uids: HashSet::new(),
            visited_namespaces: BTreeSet::new(),
        })
    }

    async fn validate(&self, call: &Call) -> Outcome {
        let all = call.flags.bool("all");
        let force = self.deletion.force;
        let refuse = |text: &str| Err(Failure::message(text));
        if self.force_conflicts && !self.server_side {
            return refuse("--force-conflicts only works with --server-side");
        }
        if self.dry_run == DryRun::Client && self.server_side {
            return refuse(
                "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)",
            );
        }
        if self.server_side && force {
            return refuse("--force cannot be used with --server-side");
        }
        if self.dry_run == DryRun::Server && force {
            return refuse("--dry-run=server cannot be used with --force");
        }
        if all && !self.selector.is_empty() {
            return refuse("cannot set --all and --selector at the same time");
        }
        if let Some(set) = &self.apply_set {
            if self.prune.is_none() {
                return refuse("--applyset requires --prune");
            }
            set.validate(call).await?;
        }
        if let Some(prunable) = &self.prune {
            if force {
                return refuse("--force cannot be used with --prune");
            }
            if self.apply_set.is_some() {
                if all {
                    return refuse("--all is incompatible with --applyset");
                }
                if !self.selector.is_empty() {
                    return refuse("--selector is incompatible with --applyset");
                }
                if !prunable.is_empty() {
                    return refuse("--prune-allowlist is incompatible with --applyset");
                }
            } else {
                if !all && self.selector.is_empty() {
                    return refuse(
                        "all resources selected for prune without explicitly passing --all. To prune all resources, \
                         pass the --all flag. If you did not mean to prune all resources, specify a label selector",
                    );
                }
                if self.server_side {
                    return refuse(
                        "--prune is in alpha and doesn't currently work on objects created by server-side apply",
                    );
                }
            }
        }
        if !self.subresource.is_empty() && !self.server_side {
            return refuse("--subresource can only be specified for --server-side");
        }
        Ok(())
    }

    /// Reports whether whole objects are printed, at the end.
    fn prints_objects(call: &Call) -> bool {
        !matches!(call.flags.text("output"), "" | "name")
    }

    fn visited(&mut self, info: &Info) -> Outcome {
        self.visited_uids.insert(metadata::text(info.object()?, "uid").to_owned());
        Ok(())
    }

    /// Prints the objects: one as it is, several as a list.
    fn print_all(&self, call: &mut Call, infos: &[Info]) -> Outcome {
        if !Self::prints_objects(call) {
            return Ok(());
        }
        let mut printer = call.printer(self.dry_run)?;
        let objects: Result<Vec<&Value>, Failure> =
            infos.iter().map(|info| Ok(info.object()?.tree())).collect();
        match (infos, objects?) {
            ([], _) => Ok(()),
            ([one], _) => printer.print(&mut call.streams, one.object()?, ""),
            (_, objects) => {
                // The list is of a type whose fields have an order; the objects in it are not.
                let mut text = br#"{"kind":"List","apiVersion":"v1","metadata":{},"items":"#.to_vec();
                text.extend_from_slice(&metadata::json(&Value::from_iter(objects.into_iter().cloned())));
                text.push(b'}');
                printer.print_text(&mut call.streams, &text)
            }
        }
    }

    async fn prune(&self, call: &mut Call, namespace: &str) -> Outcome {
        let Some(prunable) = &self.prune else { return Ok(()) };
        match &self.apply_set {
            Some(set) => set.prune(call, self).await,
            None => {
                let asked = prune::Question {
                    prunable,
                    namespaces: &self.visited_namespaces,
                    visited: &self.visited_uids,
                    selector: &self.selector,
                    is_namespaced: !namespace.is_empty(),
                };
                prune::delete_all(call, &asked, &self.deletion, self.dry_run).await
            }
        }
    }
}
