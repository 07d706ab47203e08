//! Plugins: programs in `PATH` whose names begin with `kubectl-`.
//!
//! `kubectl foo bar-baz x` runs the longest of `kubectl-foo-bar_baz-x`, `kubectl-foo-bar_baz` and `kubectl-foo` that
//! is there, with the words that are not in its name. A hyphen within a word is an underscore in the name. Plugins
//! don't take the place of commands, except that `create` may get more of them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use rhumb_cli::command::{Action, Command, Family, Flag};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::config::{Environment, os_text};

/// Prefix of plugin names.
const PREFIX: &str = "kubectl-";

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "plugin",
    family: Family::Other,
    about: "Work with plugins: programs that add commands",
    long: "Work with plugins. A plugin is a program in PATH whose name begins with kubectl-: kubectl-foo is run by \
        the command foo.",
    examples: &[("The plugins that there are", "plugin list"), ("Their names", "plugin list --name-only")],
    commands: &[&[&LIST]],
    ..Command::EMPTY
};

static LIST: Command = Command {
    name: "list",
    about: "List the plugins in PATH",
    long: "List the programs in PATH that are plugins, and warn of those that can't be run or are hidden by others.",
    examples: &[
        ("The plugins with their paths", "plugin list"),
        ("Only their names", "plugin list --name-only"),
    ],
    flags: &[&[Flag::bool("name-only", "Show the names without the directories.")]],
    action: Action::Plain(list),
    ..Command::EMPTY
};

/// Returns the directories of `PATH`, each once.
fn directories(environment: &Environment) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for dir in std::env::split_paths(environment.variable("PATH").unwrap_or_default()) {
        if !dir.to_string_lossy().trim().is_empty() && !found.contains(&dir) {
            found.push(dir);
        }
    }
    found
}

/// Returns the plugins in a directory, in the order of their names.
fn in_directory(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_dir && entry.file_name().to_string_lossy().starts_with(PREFIX) {
            found.push(dir.join(entry.file_name()));
        }
    }
    found.sort();
    Ok(found)
}

fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| !data.is_dir() && data.permissions().mode() & 0o111 != 0)
}

/// Returns the words that plugins are called by, for completion: only the first of each.
pub(crate) fn names(environment: &Environment) -> Vec<String> {
    let all = directories(environment).into_iter().filter_map(|dir| in_directory(&dir).ok()).flatten();
    let names = all.filter(|path| is_executable(path)).filter_map(|path| {
        let name = path.file_name()?.to_str()?.strip_prefix(PREFIX)?;
        name.split('-').next().filter(|name| !name.is_empty()).map(|name| name.replace('_', "-"))
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}

/// Runs the plugin that words call, in place of this process; comes back if there is none.
///
/// At least some of the words must be in the plugin's name: two for `create foo`.
pub(crate) fn run(
    environment: &Environment,
    words: &[String],
    at_least: usize,
) -> Result<(), std::io::Error> {
    let named: Vec<String> =
        words.iter().take_while(|word| !word.starts_with('-')).map(|word| word.replace('-', "_")).collect();
    for count in (at_least.max(1)..=named.len()).rev() {
        let name = format!("{PREFIX}{}", named.get(..count).unwrap_or_default().join("-"));
        let Some(path) = find(environment, &name) else { continue };
        let args = words.get(count..).unwrap_or_default();
        return Err(std::process::Command::new(&path).arg0(&path).args(args).exec());
    }
    Ok(())
}

fn find(environment: &Environment, name: &str) -> Option<OsString> {
    let mut paths = directories(environment).into_iter().map(|dir| dir.join(name));
    paths.find(|path| is_executable(path)).map(PathBuf::into_os_string)
}

fn list(call: &mut Call) -> Outcome {
    let environment = call.factory.environment().clone();
    let mut plugins = Vec::new();
    for dir in directories(&environment) {
        match in_directory(&dir) {
            Ok(found) => plugins.extend(found),
            Err(error) => {
                let (dir, error) = (dir.display(), os_text(&error));
                call.warn(format!(
                    "Unable to read directory \"{dir}\" from your PATH: open {dir}: {error}. Skipping..."
                ));
            }
        }
    }
    if plugins.is_empty() {
        return Err(Failure::message("error: unable to find any kubectl plugins in your PATH\n"));
    }
    call.line("The following compatible plugins are available:\n")?;
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut warnings = 0;
    for path in &plugins {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let shown = path.display().to_string();
        call.line(if call.flags.bool("name-only") { &name } else { &shown })?;
        for problem in problems(call, path, &name, &mut seen) {
            call.warn(format!("  - {problem}"));
            warnings += 1;
        }
    }
    match warnings {
        0 => Ok(()),
        1 => Err(Failure::message("error: one plugin warning was found\n")),
        many => Err(Failure::message(format!("error: {many} plugin warnings were found\n"))),
    }
}

/// Returns the problems of a plugin.
fn problems(call: &Call, path: &Path, name: &str, seen: &mut BTreeMap<String, String>) -> Vec<String> {
    let shown = path.display().to_string();
    let mut problems = Vec::new();
    if !is_executable(path) {
        problems.push(format!("warning: {shown} identified as a kubectl plugin, but it is not executable"));
    }
    match seen.get(name) {
        Some(first) => {
            problems.push(format!("warning: {shown} is overshadowed by a similarly named plugin: {first}"))
        }
        None => drop(seen.insert(name.to_owned(), shown)),
    }
    let words: Vec<&str> = name.split('-').skip(1).collect();
    if let Some(path) = command_path(call.program(), &words) {
        problems.push(format!("warning: {name} overwrites existing command: {path:?}"));
    }
    problems
}

/// Returns the command that a plugin of a name hides behind, if there is one: `kubectl get` for `kubectl-get-foo`.
fn command_path(program: &str, words: &[&str]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let matches =
        |command: &&&'static Command, word: &str| command.name == word || command.aliases.contains(&word);
    let mut command: &'static Command = super::COMMANDS.iter().find(|command| matches(command, first))?;
    let mut path = format!("{program} {}", command.name);
    for word in rest {
        let Some(child) = command.find(word) else { break };
        command = child;
        path = format!("{path} {}", child.name);
    }
    Some(path)
}
