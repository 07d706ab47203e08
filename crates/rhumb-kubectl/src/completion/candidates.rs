//! Completion candidates for a command line.

use std::io::Write;
use std::sync::Arc;

use rhumb_cli::command::{Command, Flag, Kind, Parsed, Words, parse_leniently};
use rhumb_cli::{Factory, Streams, global};
use rhumb_client::config::{Environment, NoWarnings};

use super::objects::Objects;
use crate::plugin;

/// Directives for shells beside the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Directive(u8);

impl Directive {
    /// Complete file names if there are no candidates.
    const DEFAULT: Directive = Directive(0);
    /// Add no space after a candidate.
    const NO_SPACE: Directive = Directive(2);
    /// Don't complete file names.
    const NO_FILES: Directive = Directive(4);
    /// Candidates are file name extensions.
    const EXTENSIONS: Directive = Directive(8);

    fn and(self, other: Directive) -> Directive {
        Directive(self.0 | other.0)
    }

    fn name(self) -> String {
        let names = [
            (Directive::NO_SPACE, "ShellCompDirectiveNoSpace"),
            (Directive::NO_FILES, "ShellCompDirectiveNoFileComp"),
            (Directive::EXTENSIONS, "ShellCompDirectiveFilterFileExt"),
        ];
        let set: Vec<&str> =
            names.iter().filter(|(bit, _)| self.0 & bit.0 != 0).map(|(_, name)| *name).collect();
        if set.is_empty() { "ShellCompDirectiveDefault".to_owned() } else { set.join(", ") }
    }
}

/// Candidates with optional descriptions.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    all: Vec<(String, String)>,
    /// Note for debugging.
    note: String,
}

impl Candidates {
    fn add(&mut self, text: impl Into<String>, about: &str) {
        self.all.push((text.into(), about.to_owned()));
    }

    fn add_all(&mut self, texts: impl IntoIterator<Item = String>) {
        self.all.extend(texts.into_iter().map(|text| (text, String::new())));
    }
}

/// Answers a shell: writes the candidates for the last of some words.
pub(crate) fn answer(
    root: &'static Command,
    program: &str,
    words: &[String],
    descriptions: bool,
    streams: &mut Streams,
) -> u8 {
    let (candidates, directive) = complete(root, program, words);
    let mut out = String::new();
    for (text, about) in &candidates.all {
        out.push_str(text);
        if descriptions && let Some(line) = about.lines().next().filter(|line| !line.is_empty()) {
            out.push('\t');
            out.push_str(line);
        }
        out.push('\n');
    }
    out.push_str(&format!(":{}\n", directive.0));
    let written = streams.out.write_all(out.as_bytes()).and_then(|()| streams.out.flush());
    if !candidates.note.is_empty() {
        let _ = writeln!(streams.err, "{}", candidates.note);
    }
    let _ = writeln!(streams.err, "Completion ended with directive: {}", directive.name());
    u8::from(written.is_err())
}

fn complete(root: &'static Command, program: &str, words: &[String]) -> (Candidates, Directive) {
    let (current, before) = words.split_last().map_or(("", &[][..]), |(last, rest)| (last.as_str(), rest));
    if let Some((first, path)) = before.split_first()
        && first == "help"
        && !current.starts_with('-')
    {
        let parsed = parse_leniently(root, global::FLAGS, program, path);
        let mut found = Candidates::default();
        if parsed.args.is_empty() {
            let command = parsed.commands.last().copied().unwrap_or(root);
            let mut children: Vec<_> = command.children().filter(|child| !child.hidden).collect();
            children.sort_by_key(|child| child.name);
            for child in children.iter().filter(|child| child.name.starts_with(current)) {
                found.add(child.name, child.about);
            }
        }
        return (found, Directive::NO_FILES);
    }
    let mut parsed = parse_leniently(root, global::FLAGS, program, before);
    let has_dash = parsed.dash.is_some();
    // A word behind a flag that wants a value is that value.
    if let Some(flag) = before.last().and_then(|word| open_flag(&parsed, word)).filter(|_| !has_dash) {
        parsed =
            parse_leniently(root, global::FLAGS, program, before.get(..before.len() - 1).unwrap_or_default());
        return value(&parsed, flag, current);
    }
    if let (Some(flag), false) = (current.strip_prefix("--"), has_dash)
        && let Some((name, text)) = flag.split_once('=')
    {
        return match parsed.flags.find(name) {
            Some(flag) => value(&parsed, flag, text),
            None => {
                let command = parsed.commands.last().map_or(root.name, |command| command.name);
                let note = format!("[Debug] [Error] Subcommand '{command}' does not support flag '{name}'");
                (Candidates { note, ..Candidates::default() }, Directive::DEFAULT)
            }
        };
    }
    if current.starts_with('-') && !has_dash {
        return (flags(&parsed, current), Directive::NO_FILES);
    }
    arguments(root, &parsed, current)
}

/// Returns the flag that a word gives and that still waits for its value.
fn open_flag(parsed: &Parsed, word: &str) -> Option<&'static Flag> {
    let flag = match word.strip_prefix("--") {
        Some(name) => parsed.flags.find(name),
        None => {
            let letters = word.strip_prefix('-')?;
            let last = letters.chars().next_back()?;
            let others_are_alone = letters
                .chars()
                .rev()
                .skip(1)
                .all(|letter| parsed.flags.find_short(letter).is_some_and(|flag| flag.bare.is_some()));
            parsed.flags.find_short(last).filter(|_| others_are_alone)
        }
    };
    flag.filter(|flag| flag.bare.is_none())
}

fn flags(parsed: &Parsed, current: &str) -> Candidates {
    let mut found = Candidates::default();
    let own: Vec<&'static Flag> =
        parsed.commands.last().map(|command| command.own_flags().collect()).unwrap_or_default();
    let is_own = |flag: &Flag| own.iter().any(|own| own.name == flag.name);
    let may_repeat = |flag: &Flag| matches!(flag.kind, Kind::List | Kind::Array);
    let mut all: Vec<&'static Flag> = parsed.flags.known().to_vec();
    all.sort_by_key(|flag| (is_own(flag), flag.name));
    for flag in all {
        if flag.hidden || (parsed.flags.is_given(flag.name) && !may_repeat(flag)) {
            continue;
        }
        for name in [Some(format!("--{}", flag.name)), flag.short.map(|letter| format!("-{letter}"))] {
            if let Some(name) = name.filter(|name| name.starts_with(current)) {
                found.add(name, flag.about);
            }
        }
    }
    for name in ["--help", "-h"] {
        if name.starts_with(current) {
            found.add(name, "Show help for the command");
        }
    }
    found
}

/// Completes the value of a flag.
fn value(parsed: &Parsed, flag: &'static Flag, current: &str) -> (Candidates, Directive) {
    let mut found = Candidates::default();
    let fitting = |text: &str| text.starts_with(current);
    if flag.kind == Kind::Bool {
        return (found, Directive::DEFAULT);
    }
    if !flag.choices.is_empty() {
        found.add_all(flag.choices.iter().filter(|text| fitting(text)).map(|text| (*text).to_owned()));
        return (found, Directive::NO_FILES);
    }
    if flag.name == "filename" {
        found.add_all(["json", "yaml", "yml"].map(str::to_owned));
        return (found, Directive::EXTENSIONS);
    }
    if flag.name == "container" {
        let objects = objects(parsed);
        let names = parsed.args.first().map(|pod| objects.containers(pod)).unwrap_or_default();
        found.add_all(names.into_iter().filter(|name| fitting(name)));
        return (found, Directive::NO_FILES);
    }
    words(parsed, flag.words, &[], current)
}

fn arguments(root: &'static Command, parsed: &Parsed, current: &str) -> (Candidates, Directive) {
    let mut found = Candidates::default();
    let command = parsed.commands.last().copied().unwrap_or(root);
    let required = command.own_flags().filter(|flag| flag.required && !parsed.flags.is_given(flag.name));
    for flag in required {
        let name = format!("--{}", flag.name);
        if name.starts_with(current) {
            found.add(name, flag.about);
        }
    }
    let has_commands = command.children().next().is_some();
    if has_commands && parsed.args.is_empty() {
        let mut children: Vec<_> = command
            .children()
            .filter(|child| !child.hidden && child.name.starts_with(current))
            .map(|child| (child.name.to_owned(), child.about.to_owned()))
            .collect();
        if parsed.commands.len() < 2 {
            children.extend(
                ["help"]
                    .iter()
                    .filter(|name| name.starts_with(current))
                    .map(|name| ((*name).to_owned(), "Show help for a command".to_owned())),
            );
            for name in plugin::names(&Environment::process()) {
                if name.starts_with(current) && !children.iter().any(|(known, _)| *known == name) {
                    let about = format!("The command {name} is a plugin installed by the user");
                    children.push((name, about));
                }
            }
        }
        children.sort();
        found.all.extend(children);
    }
    let (more, directive) = words(parsed, command.words, &parsed.args, current);
    found.all.extend(more.all);
    let is_group = has_commands && command.words == Words::None;
    (found, if is_group { Directive::NO_FILES } else { directive })
}

fn objects(parsed: &Parsed) -> Objects {
    Objects::new(Factory::new(&parsed.flags, Environment::process(), Arc::new(NoWarnings)))
}

/// Completes arguments.
fn words(parsed: &Parsed, words: Words, args: &[String], current: &str) -> (Candidates, Directive) {
    let mut found = Candidates::default();
    let mut directive = Directive::NO_FILES;
    let fitting = |text: &String| text.starts_with(current);
    match words {
        Words::None | Words::Files => return (found, Directive::DEFAULT),
        Words::Fixed(list) if args.is_empty() => {
            found.add_all(list.iter().map(|word| (*word).to_owned()).filter(fitting));
        }
        Words::PodFiles if args.is_empty() => return pod_files(&objects(parsed), current),
        Words::PodFiles => directive = Directive::NO_SPACE,
        Words::NamesOf(kind) if args.is_empty() => found.add_all(objects(parsed).names(kind, current)),
        Words::Types if args.is_empty() => found.add_all(types(&objects(parsed), None, current)),
        Words::Contexts | Words::Clusters | Words::Users if args.is_empty() => {
            let config = objects(parsed).kubeconfig();
            let names: Vec<String> = match words {
                Words::Contexts => config.contexts.into_keys().collect(),
                Words::Clusters => config.clusters.into_keys().collect(),
                _ => config.users.into_keys().collect(),
            };
            found.add_all(names.into_iter().filter(fitting));
        }
        Words::TypesAndNames => return types_and_names(&objects(parsed), None, args, current),
        Words::Of(list) => return types_and_names(&objects(parsed), Some(list), args, current),
        Words::PodOrType => {
            let command = parsed.commands.last().map_or("", |command| command.name);
            match (args, command) {
                ([], "debug") => return pods(&objects(parsed), &["nodes", "pods"], current),
                ([], _) => return pods(&objects(parsed), &WITH_PODS, current),
                ([pod], "logs") => {
                    found.add_all(objects(parsed).containers(pod).into_iter().filter(fitting));
                }
                ([target], "port-forward") => {
                    found.add_all(objects(parsed).ports(target, current).into_iter().filter(fitting));
                }
                _ => {}
            }
        }
        _ => directive = Directive::NO_FILES,
    }
    (found, directive)
}

/// Types that begin so; of a list with commas the last part is completed.
fn types(objects: &Objects, only: Option<&[&str]>, current: &str) -> Vec<String> {
    match only {
        Some(list) => {
            list.iter().filter(|name| name.starts_with(current)).map(|name| (*name).to_owned()).collect()
        }
        None => {
            let (before, last) = current.rfind(',').map_or(("", current), |at| current.split_at(at + 1));
            let all = objects.types();
            all.iter().filter(|name| name.starts_with(last)).map(|name| format!("{before}{name}")).collect()
        }
    }
}

/// Returns a type and then names, or `TYPE/NAME` each.
fn types_and_names(
    objects: &Objects,
    only: Option<&[&str]>,
    args: &[String],
    current: &str,
) -> (Candidates, Directive) {
    let mut found = Candidates::default();
    let mut directive = Directive::NO_FILES;
    match (args.first().map(|first| (first, first.contains('/'))), current.split_once('/')) {
        (Some((kind, false)), _) => {
            let names = objects.names(kind, current);
            found.add_all(names.into_iter().filter(|name| !args.contains(name)));
        }
        (_, Some((kind, name))) => {
            let names = objects.names(kind, name).into_iter().map(|name| format!("{kind}/{name}"));
            found.add_all(names.filter(|name| !args.contains(name)));
        }
        (None, None) => found.add_all(types(objects, only, current)),
        (Some(_), None) => {
            directive = directive.and(Directive::NO_SPACE);
            found.add_all(types(objects, only, current).into_iter().map(|kind| format!("{kind}/")));
        }
    }
    (found, directive)
}

/// Types whose pods can be found.
const WITH_PODS: [&str; 8] = [
    "daemonsets",
    "deployments",
    "pods",
    "jobs",
    "replicasets",
    "replicationcontrollers",
    "services",
    "statefulsets",
];

/// Returns a pod, or `TYPE/NAME` of some types.
fn pods(objects: &Objects, kinds: &[&str], current: &str) -> (Candidates, Directive) {
    let mut found = Candidates::default();
    if let Some((kind, name)) = current.split_once('/') {
        found.add_all(objects.names(kind, name).into_iter().map(|name| format!("{kind}/{name}")));
        return (found, Directive::NO_FILES);
    }
    found.add_all(objects.names("pods", current));
    let directive = match found.all.is_empty() {
        true => Directive::NO_FILES.and(Directive::NO_SPACE),
        false => Directive::NO_FILES,
    };
    found.add_all(kinds.iter().filter(|kind| kind.starts_with(current)).map(|kind| format!("{kind}/")));
    (found, directive)
}

/// Completes a file argument: a pod and a colon, a namespace and a slash, or a path. Local and remote paths are left
/// to the shell.
fn pod_files(objects: &Objects, current: &str) -> (Candidates, Directive) {
    let mut found = Candidates::default();
    if current.starts_with(['/', '.', '~']) || current.contains(':') {
        return (found, Directive::NO_SPACE);
    }
    if let Some((namespace, name)) = current.split_once('/') {
        let pods = objects.names_in(namespace, "pods", name);
        found.add_all(pods.into_iter().map(|pod| format!("{namespace}/{pod}:")));
        return (found, Directive::NO_SPACE);
    }
    found.add_all(objects.names("namespaces", current).into_iter().map(|name| format!("{name}/")));
    found.add_all(objects.names("pods", current).into_iter().map(|name| format!("{name}:")));
    if current.is_empty() {
        found.add_all(["./", "/"].map(str::to_owned));
    } else if !found.all.is_empty() {
        // The shell completes files only where there is nothing else.
        found.add_all(files(current));
    }
    (found, Directive::NO_SPACE)
}

/// Files of the current directory that begin so.
fn files(prefix: &str) -> Vec<String> {
    let entries = std::fs::read_dir(".").into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let slash = if entry.path().is_dir() { "/" } else { "" };
            Some(format!("{}{slash}", entry.file_name().to_str()?))
        })
        .filter(|name| name.starts_with(prefix))
        .collect();
    names.sort();
    names
}
