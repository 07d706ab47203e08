//! `diff`: shows what an apply would change.

mod external;
mod lines;
mod masking;
mod unified;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Write;

use rhumb_cli::command::{Action, Command, Family, Flag};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome, Streams, klog};
use rhumb_client::PatchKind;
use rhumb_codec::yaml;
use rhumb_patch::strategic::Overwrite;
use rhumb_scheme::Unstructured;
use serde_json::Value;

use crate::apply::{self, Patcher, prune, warn_if_deleting};
use crate::last_applied;
use crate::metadata::{self, json_line};
use crate::writing::Writer;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "diff",
    family: Family::Advanced,
    about: "Show what an apply of files would change",
    long: "Compares the objects on the server with what they would be if the files were applied, as YAML.\n\nThe \
           differences are shown as diff -u -N shows them, coloured on a terminal. KUBECTL_EXTERNAL_DIFF names \
           another program for it, with its flags: KUBECTL_EXTERNAL_DIFF=\"colordiff -N -u\".\n\nThe exit code is 0 \
           if there are no differences, 1 if there are, and more if something went wrong.",
    usage: "-f FILENAME",
    examples: &[
        ("What a file would change", "diff -f web.yaml"),
        ("What comes from standard input", "diff -f - <web.yaml"),
        ("With what a prune would delete", "diff --prune -f web/ -l app=web"),
    ],
    flags: &[FLAGS, options::FILES, apply::SERVER_SIDE, options::SELECTOR],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::array("prune-allowlist", "Prune these kinds, as group/version/kind, in place of the usual ones."),
    Flag::bool("prune", "Show what --prune would delete, too."),
    Flag::bool("show-managed-fields", "Compare who set which fields, too."),
    Flag::bool("show-secrets", "Show the values of Secrets."),
    Flag::int("concurrency", "1", "How many objects to compare at once."),
];

/// Maximum attempts if an object changes meanwhile.
const ATTEMPTS: usize = 4;

/// Live and resulting text of each object by file name. Pruned objects have no resulting text.
type Texts = BTreeMap<String, (Vec<u8>, Option<Vec<u8>>)>;

async fn run(call: &mut Call) -> Outcome {
    match compare(call).await {
        Ok(false) => Ok(()),
        Ok(true) => Err(Failure::exit(1)),
        Err(failure @ (Failure::Exit { .. } | Failure::Output(_))) => Err(failure),
        // One is the code for differences, so failures have the next.
        Err(failure) => {
            let message = failure.text(&call.factory.server());
            Err(Failure::Exit { code: failure.code().saturating_add(1), message: Some(message) })
        }
    }
}

/// Compares, shows the differences and tells whether there are any.
async fn compare(call: &mut Call) -> Result<bool, Failure> {
    if !call.args.is_empty() {
        return Err(call.usage(format!("Unexpected args: [{}]", call.args.join(" "))));
    }
    let files = options::files(&call.flags);
    files.require()?;
    if call.flags.bool("force-conflicts") && !call.flags.bool("server-side") {
        return Err("--force-conflicts only works with --server-side".into());
    }
    let (namespace, enforce) = call.factory.namespace()?;
    let prunable = match call.flags.bool("prune") {
        true => Some(prune::parse(call, &call.flags.list("prune-allowlist")).await?),
        false => None,
    };
    let selector = call.flags.text("selector").to_owned();
    let infos = call
        .factory
        .builder()
        .namespace(&namespace)
        .default_namespace()
        .files(enforce, &files, &mut call.streams)
        .label_selector(&selector)
        .flatten()
        .build()
        .await?;
    let writer = Writer {
        dry_run: DryRun::Server,
        field_manager: apply::field_manager(&call.flags),
        ..Writer::default()
    };
    let (flags, streams) = (&call.flags, &mut call.streams);
    let comparison = Comparison {
        writer,
        shown: Shown {
            managed_fields: flags.bool("show-managed-fields"),
            secrets: flags.bool("show-secrets"),
        },
        how: How { by_server: flags.bool("server-side"), force: flags.bool("force-conflicts") },
        streams: RefCell::new(streams),
        found: RefCell::default(),
    };
    let many = usize::try_from(flags.int("concurrency")).unwrap_or_default();
    infos.visit_at_once(many, async |info| comparison.add(info).await).await?;
    let Found { mut texts, uids, namespaces } = comparison.found.into_inner();
    if let Some(prunable) = &prunable {
        let question = prune::Question {
            prunable,
            namespaces: &namespaces,
            visited: &uids,
            selector: &selector,
            is_namespaced: !namespace.is_empty(),
        };
        add_pruned(call, &question, &mut texts).await?;
    }
    show(call, &texts).await
}

/// A concurrent comparison of several objects.
struct Comparison<'a> {
    writer: Writer,
    shown: Shown,
    how: How,
    streams: RefCell<&'a mut Streams>,
    found: RefCell<Found>,
}

/// Results about objects.
#[derive(Default)]
struct Found {
    texts: Texts,
    uids: HashSet<String>,
    namespaces: BTreeSet<String>,
}

impl Comparison<'_> {
    /// Compares one object. What is said about it is said in one piece.
    async fn add(&self, mut info: Info) -> Outcome {
        let (mut streams, said) = Streams::beside();
        let compared = self.compared(&mut streams, &mut info).await;
        warn_if_deleting(&mut streams, &info);
        let _ = self.streams.borrow_mut().err.write_all(&said.take());
        let merged = compared?;
        // A Secret that is not there is masked all the same, and what is masked is printed as nothing at all.
        let absent: &[u8] = if self.shown.masks(&merged) { b"null\n" } else { b"" };
        let (live, merged) = self.shown.of(info.object.clone(), merged);
        let live = live.map_or_else(|| absent.to_vec(), |live| text(&live));
        self.found.borrow_mut().texts.insert(file_name(&info), (live, Some(text(&merged))));
        Ok(())
    }

    /// Returns the object as it would be; the info has it as it is.
    async fn compared(&self, streams: &mut Streams, info: &mut Info) -> Result<Unstructured, Failure> {
        let local = info.object()?.clone();
        let mut merged = Err("the object was not compared".into());
        for attempt in 1..=ATTEMPTS {
            match info.get().await {
                Ok(()) => {}
                Err(failure) if failure.is_not_found() => info.object = None,
                Err(failure) => return Err(failure),
            }
            if attempt == ATTEMPTS {
                let text = format!(
                    "Object ({}: {}) keeps changing, diffing without lock",
                    info.mapping.kind, info.name
                );
                let _ = writeln!(streams.err, "{}", klog::warning("diff.go:723", &text));
            }
            self.note(info);
            merged = self.how.merged(streams, info, &local, &self.writer, attempt < ATTEMPTS).await;
            match &merged {
                Err(failure) if failure.server_error().is_some_and(rhumb_client::Error::is_conflict) => {}
                _ => break,
            }
        }
        merged
    }

    /// Notes what a prune would have to know of an object.
    fn note(&self, info: &Info) {
        let mut found = self.found.borrow_mut();
        if info.is_namespaced() {
            found.namespaces.insert(info.namespace.clone());
        }
        if let Some(object) = &info.object {
            found.uids.insert(metadata::text(object, "uid").to_owned());
        }
    }
}

/// Shows the differences by the program that is named, or as diff shows them.
async fn show(call: &mut Call, texts: &Texts) -> Result<bool, Failure> {
    if let Some(program) = external::program() {
        call.streams.out.flush()?;
        return external::run(&program, texts).await;
    }
    let coloured = call.streams.is_coloured();
    let (time, place) = (unified::now(), std::env::temp_dir());
    let id = std::process::id();
    let (from, to) = (place.join(format!("LIVE-{id}")), place.join(format!("MERGED-{id}")));
    let mut differ = false;
    for (name, (live, merged)) in texts {
        let sides = [
            unified::Side { path: from.join(name).display().to_string(), time: time.clone(), text: live },
            unified::Side {
                path: to.join(name).display().to_string(),
                // What is not there was last changed when time began, says diff.
                time: merged.as_ref().map_or_else(unified::epoch, |_| time.clone()),
                text: merged.as_deref().unwrap_or_default(),
            },
        ];
        if let Some(text) = unified::diff(&sides, coloured) {
            differ = true;
            call.streams.out.write_all(&text)?;
        }
    }
    Ok(differ)
}

async fn add_pruned(call: &mut Call, question: &prune::Question<'_>, texts: &mut Texts) -> Outcome {
    let client = call.factory.client()?.clone();
    let mut failed = None;
    match question.places(call).await {
        Err(failure) => failed = Some(failure),
        Ok(places) => {
            for place in places {
                let kind = place.0.kind.clone();
                let scope = if place.1.is_empty() { "nonNamespaced" } else { "namespaced" };
                match question.found(&client, &place).await {
                    Ok(found) => {
                        for pruned in found {
                            let object = &pruned.object;
                            let name = metadata::text(object, "name");
                            let namespace = metadata::text(object, "namespace");
                            texts.insert(name_of(&kind, namespace, name), (text(object), None));
                        }
                    }
                    Err(failure) => {
                        failed = Some(failure.context(&format!("error pruning {scope} object {kind}")));
                        break;
                    }
                }
            }
        }
    }
    if let Some(failure) = failed {
        let text = format!("pruning failed and could not be evaluated err: {}", failure.bare());
        call.warn(klog::warning("diff.go:760", &text));
    }
    Ok(())
}

fn text(object: &Unstructured) -> Vec<u8> {
    let mut text = Vec::new();
    yaml::from_json_value(object.tree(), &mut text);
    text
}

fn file_name(info: &Info) -> String {
    name_of(&info.mapping.kind, &info.namespace, &info.name)
}

fn name_of(kind: &rhumb_meta::GroupVersionKind, namespace: &str, name: &str) -> String {
    let dot = if kind.group.is_empty() { "" } else { "." };
    format!("{}{dot}{}.{}.{namespace}.{name}", kind.group, kind.version, kind.kind)
}

/// Settings of the output.
struct Shown {
    managed_fields: bool,
    secrets: bool,
}

impl Shown {
    fn masks(&self, object: &Unstructured) -> bool {
        let field = |name: &str| object.get(&[name]).and_then(Value::as_str).unwrap_or_default();
        let version = field("apiVersion").rsplit('/').next().unwrap_or_default();
        !self.secrets && version == "v1" && field("kind") == "Secret"
    }

    fn of(
        &self,
        mut live: Option<Unstructured>,
        mut merged: Unstructured,
    ) -> (Option<Unstructured>, Unstructured) {
        if !self.managed_fields {
            live.as_mut().map(metadata::take_managed_fields);
            metadata::take_managed_fields(&mut merged);
        }
        if self.masks(&merged) {
            masking::mask(live.as_mut(), &mut merged);
        }
        (live, merged)
    }
}

/// Settings of the apply.
struct How {
    by_server: bool,
    force: bool,
}

impl How {
    /// Returns an object as it would be. It may be held to the revision that was read.
    async fn merged(
        &self,
        streams: &mut Streams,
        info: &Info,
        local: &Unstructured,
        writer: &Writer,
        holds: bool,
    ) -> Result<Unstructured, Failure> {
        if self.by_server {
            return writer.patch(info, PatchKind::Apply, &json_line(local), Some(self.force)).await;
        }
        let Some(live) = &info.object else { return writer.create(info, local).await };
        let patcher = Patcher {
            writer,
            overwrite: Overwrite::Yes,
            asks_openapi: true,
            by_force: None,
            resource_version: holds.then(|| metadata::text(live, "resourceVersion").to_owned()),
        };
        let modified = last_applied::without_annotation(local);
        let patched = patcher.patch(streams, info, &modified).await;
        patched.map(|(_, object)| object).map_err(|(_, failure)| failure)
    }
}
