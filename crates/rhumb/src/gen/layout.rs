//! `rhumb gen new-api` and `rhumb gen add-version`: create the crate of an API group and add versions to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rhumb_cli::Call;
use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_codec::proto;
use rhumb_codegen::layout::{self, Files, NewApi};
use rhumb_codegen::write::{self, Written};
use rhumb_schema::wire::put_bytes_field;

use super::sample;
use crate::command_line::finish;
use crate::output;

pub(super) static NEW_API: Command = Command {
    name: "new-api",
    about: "Create the crate of a new API group, ready to build",
    usage: "--group GROUP --version VERSION --kind KIND [DIRECTORY]",
    examples: &[
        (
            "Create a group with one kind, in a directory named after the group",
            "gen new-api --group greet.example.com --version v1alpha1 --kind Greeting",
        ),
        (
            "Use the crates of a checkout of Rhumb",
            "gen new-api --group greet.example.com --version v1alpha1 --kind Greeting --rhumb ../rhumb greet",
        ),
    ],
    flags: &[&[
        Flag::text("group", "API group: a domain that you own, such as stable.example.com.").required(),
        Flag::text("version", "First version, such as v1alpha1.").required(),
        Flag::text("kind", "First kind, such as CronTab.").required(),
        Flag::text("plural", "Plural name of the resource (default: derived from the kind)."),
        Flag::bool("cluster", "Make the kind cluster-scoped instead of namespaced."),
        Flag::text("rhumb", "Checkout of Rhumb whose crates are used instead of published ones.")
            .words(Words::Files),
    ]],
    words: Words::Files,
    action: Action::Plain(|call| finish(new_api(call))),
    stands_alone: true,
    ..Command::EMPTY
};

pub(super) static ADD_VERSION: Command = Command {
    name: "add-version",
    about: "Add a version to an API group: a copy of the newest one, with conversions to it",
    usage: "--version VERSION [DIRECTORY]",
    examples: &[("Add the next version to the group in this directory", "gen add-version --version v1beta1")],
    flags: &[&[Flag::text("version", "The new version, such as v1beta1.").required()]],
    words: Words::Files,
    action: Action::Plain(|call| finish(add_version(call))),
    stands_alone: true,
    ..Command::EMPTY
};

fn new_api(call: &mut Call) -> Result<()> {
    let group = call.flags.text("group").to_owned();
    let root = directory(call, &group)?;
    if root.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} exists and is not empty; choose another directory", root.display());
    }
    let rhumb = match call.flags.text("rhumb") {
        "" => None,
        path => Some(checkout(Path::new(path))?),
    };
    let api = NewApi {
        version: call.flags.text("version").to_owned(),
        kind: call.flags.text("kind").to_owned(),
        plural: call.flags.text("plural").to_owned(),
        namespaced: !call.flags.bool("cluster"),
        rhumb,
        is_member: workspace_above(&root),
        group,
    };
    let files = layout::new_api(&api)?;
    let stem = Path::new("golden").join(format!("{}.{}.{}", api.group, api.version, api.kind));
    let json = with_extension(&stem, "json");
    let golden = files.get(&json).map(|text| sample::protobuf(text.as_bytes())).transpose()?;
    let written = write_below(&root, &files)?;
    if let Some(golden) = golden {
        write_bytes(&root.join(with_extension(&stem, "pb")), &golden)?;
    }
    let mut said = format!("{} files are in {}\n", written.new.len() + 1, root.display());
    if api.is_member {
        said.push_str("add it to the members of the enclosing workspace\n");
    }
    said.push_str("next: cargo test, then edit the types\n");
    output::bytes(said.as_bytes())
}

fn add_version(call: &mut Call) -> Result<()> {
    let root = directory(call, ".")?;
    let version = call.flags.text("version");
    let added = layout::add_version(&root, version)?;
    let mut golden = Vec::new();
    for (from, to) in &added.golden {
        let bytes = std::fs::read(root.join(from)).with_context(|| from.display().to_string())?;
        let sealed = resealed(&bytes, &format!("{}/{version}", added.group));
        golden.push((root.join(to), sealed.with_context(|| from.display().to_string())?));
    }
    let written = write_below(&root, &added.files)?;
    for (path, bytes) in &golden {
        write_bytes(path, bytes)?;
    }
    let said = format!(
        "{version} is a copy of {old}, and the hub: {new} files are new, {changed} have changed\n\
         {questions} questions about the conversion from {old} to {version} are marked with OPEN in {old}\n",
        old = added.old,
        new = written.new.len() + golden.len(),
        changed = written.changed.len(),
        questions = added.questions,
    );
    output::bytes(said.as_bytes())
}

/// Returns the directory in the arguments, or a default.
fn directory(call: &Call, otherwise: &str) -> Result<PathBuf> {
    match call.args.as_slice() {
        [] => Ok(PathBuf::from(otherwise)),
        [path] => Ok(PathBuf::from(path)),
        [_, word, ..] => bail!("unexpected argument {word:?}\nSee '{} --help' for usage.", call.path),
    }
}

/// Returns the absolute path of a checkout of Rhumb.
fn checkout(path: &Path) -> Result<PathBuf> {
    let whole = std::path::absolute(path)?;
    if !whole.join("crates/rhumb-schema/Cargo.toml").is_file() {
        bail!("--rhumb: {} is not a checkout of Rhumb: it has no crates/rhumb-schema", path.display());
    }
    Ok(whole)
}

/// Reports whether a directory is inside a cargo workspace.
fn workspace_above(root: &Path) -> bool {
    let Ok(whole) = std::path::absolute(root) else { return false };
    whole.ancestors().skip(1).any(|directory| {
        let manifest = std::fs::read_to_string(directory.join("Cargo.toml"));
        manifest.is_ok_and(|text| text.lines().any(|line| line.trim() == "[workspace]"))
    })
}

fn write_below(root: &Path, files: &Files) -> Result<Written> {
    let below: BTreeMap<PathBuf, String> =
        files.iter().map(|(path, text)| (root.join(path), text.clone())).collect();
    Ok(write::write(&below)?)
}

fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Appends an extension to a path, whose last name may have dots.
fn with_extension(stem: &Path, extension: &str) -> PathBuf {
    let mut path = stem.as_os_str().to_owned();
    path.push(format!(".{extension}"));
    PathBuf::from(path)
}

/// Re-encodes a protobuf object under another version with the same fields.
fn resealed(bytes: &[u8], api_version: &str) -> Result<Vec<u8>> {
    let envelope = proto::open(bytes)?;
    let mut type_meta = Vec::new();
    put_bytes_field(1, api_version.as_bytes(), &mut type_meta);
    put_bytes_field(2, envelope.kind.as_bytes(), &mut type_meta);
    let mut out = b"k8s\0".to_vec();
    put_bytes_field(1, &type_meta, &mut out);
    put_bytes_field(2, envelope.raw, &mut out);
    put_bytes_field(3, envelope.content_encoding.as_bytes(), &mut out);
    put_bytes_field(4, envelope.content_type.as_bytes(), &mut out);
    Ok(out)
}
