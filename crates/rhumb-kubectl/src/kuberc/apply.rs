//! Applies preferences to a command line.

use std::collections::BTreeSet;

use rhumb_cli::command::{Command, Flags, parse_leniently};
use rhumb_cli::global;
use rhumb_client::config::{Environment, PluginPolicy};

use super::preference::{CommandOptionDefault, LoadError, Loaded, Preference, file, load};

/// Log level that shows loaded preferences.
const LOADING: i64 = 5;

/// A command line with its preferences applied.
pub(crate) struct Applied {
    /// The words.
    pub(crate) args: Vec<String>,
    /// Which programs may be asked for credentials.
    pub(crate) policy: PluginPolicy,
    /// Warnings about the file, terminated as the file is.
    pub(crate) warnings: String,
}

impl Applied {
    /// Creates a command line as it is.
    pub(crate) fn none(args: &[String]) -> Self {
        Applied { args: args.to_vec(), policy: PluginPolicy::default(), warnings: String::new() }
    }
}

/// Puts the preferences into a command line: aliases become what they stand for, flags that are not given get the
/// values that they should have.
pub(crate) fn apply(
    root: &'static Command,
    environment: &Environment,
    args: &[String],
) -> Result<Applied, String> {
    let mut applied = Applied::none(args);
    let is_off = environment.variable("KUBECTL_KUBERC").is_some_and(|value| value == "false");
    if args.is_empty() || is_off {
        return Ok(applied);
    }
    let Some((path, named)) = file(environment, &flag(args)?).map_err(error_of)? else { return Ok(applied) };
    let shows = parse_leniently(root, global::FLAGS, "", args).flags.int("v") >= LOADING;
    let tell = |place: &str, message: &str| {
        if shows {
            rhumb_cli::log('I', environment, place, message);
        }
    };
    let preference = match (load(&path, tell), named) {
        (Ok(None), _) | (Err(LoadError::Missing(_)), false) => return Ok(applied),
        (Ok(Some(Loaded { preference, problems: None, .. })), _) => preference,
        (Ok(Some(Loaded { preference, problems: Some(problems), .. })), _) => {
            applied.warnings = format!("kuberc: ignoring strict decoding error in {path}: {problems}");
            preference
        }
        (Err(LoadError::Missing(error) | LoadError::Other(error)), true) => {
            return Err(error_of(format!("kuberc: {error}")));
        }
        (Err(LoadError::Other(error)), false) => {
            applied.warnings = format!("kuberc: no preferences loaded from {path}: {error}");
            return Ok(applied);
        }
    };
    applied.policy = preference.policy()?;
    validate(&preference)?;
    if find(root, args).is_empty() {
        alias(root, &preference, &mut applied)?;
    } else {
        defaults(root, &preference, &mut applied)?;
    }
    Ok(applied)
}

fn error_of(error: String) -> String {
    format!("kuberc error {error}")
}

/// Returns the value of `--kuberc`, which must be known before flags are read.
fn flag(args: &[String]) -> Result<String, String> {
    let before_dash = args.iter().take_while(|arg| *arg != "--");
    for (at, arg) in before_dash.enumerate() {
        let value = match arg.strip_prefix("--kuberc") {
            Some("") => args.get(at + 1).cloned(),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => continue,
        };
        match value {
            Some(value) if !value.is_empty() => return Ok(value),
            _ if arg == "--kuberc" || arg == "--kuberc=" => return Err("kuberc file is not found".to_owned()),
            _ => {}
        }
    }
    Ok(String::new())
}

/// Returns the commands that words call, without the program itself; none if the first word is no command.
fn find(root: &'static Command, args: &[String]) -> Vec<&'static Command> {
    parse_leniently(root, global::FLAGS, "", args).commands.into_iter().skip(1).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn validate(preference: &Preference) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for alias in &preference.aliases {
        if alias.name.is_empty() || !alias.name.chars().all(|letter| letter.is_ascii_alphabetic()) {
            return Err("invalid alias name, can only include alphabetical characters".to_owned());
        }
        validate_options(&alias.options)?;
        if !names.insert(&alias.name) {
            return Err(format!("duplicate alias name {}", alias.name));
        }
    }
    preference.defaults.iter().try_for_each(|defaults| validate_options(&defaults.options))
}

fn validate_options(options: &[CommandOptionDefault]) -> Result<(), String> {
    match options.iter().find(|option| option.name.starts_with('-')) {
        Some(option) => Err(format!("flag name {} should be in long form without dashes", option.name)),
        None => Ok(()),
    }
}

/// Returns the flags to put before all words: those that are not given. Each is checked as if it had been.
fn flags(
    flags: &Flags,
    options: &[CommandOptionDefault],
    unknown: impl Fn(&str) -> String,
    wrong: impl Fn(&CommandOptionDefault, String) -> String,
) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for option in options {
        let Some(flag) = flags.find(&option.name) else { return Err(unknown(&option.name)) };
        if flags.is_given(flag.name) {
            continue;
        }
        flags.clone().set_named(flag, &option.default).map_err(|error| wrong(option, error))?;
        found.push(format!("--{}={}", option.name, option.default));
    }
    Ok(found)
}

fn alias(root: &'static Command, preference: &Preference, applied: &mut Applied) -> Result<(), String> {
    let is_word = |arg: &String| !arg.starts_with('-') && !arg.starts_with("__complete");
    let Some(at) = applied.args.iter().position(is_word) else { return Ok(()) };
    let Some(name) = applied.args.get(at).cloned() else { return Ok(()) };
    let Some(alias) = preference.aliases.iter().find(|alias| alias.name == name) else { return Ok(()) };
    let command = words(&alias.command);
    if find(root, &command).is_empty() {
        return Err(format!(
            "command {:?} not found to set alias {:?}: [{}]",
            alias.command,
            alias.name,
            command.join(" ")
        ));
    }
    let mut args = applied.args.clone();
    let inserted = command.into_iter().chain(alias.prepend_args.iter().cloned());
    args.splice(at..=at, inserted);
    args.extend(alias.append_args.iter().cloned());
    let parsed = parse_leniently(root, global::FLAGS, "", &args);
    let more = flags(
        &parsed.flags,
        &alias.options,
        |flag| format!("invalid alias flag {flag} in alias {}", alias.name),
        |option, error| {
            let CommandOptionDefault { name, default } = option;
            format!("could not apply value {default} to flag {name} in alias {} err: {error}", alias.name)
        },
    )?;
    args.splice(0..0, more);
    applied.args = args;
    Ok(())
}

fn defaults(root: &'static Command, preference: &Preference, applied: &mut Applied) -> Result<(), String> {
    let parsed = parse_leniently(root, global::FLAGS, "", &applied.args);
    let Some(called) = parsed.commands.last() else { return Ok(()) };
    for defaults in &preference.defaults {
        let command = &defaults.command;
        let Some(found) = find(root, &words(command)).last().copied() else {
            let warning = format!("Warning: command {command:?} not found to set kuberc override\n");
            applied.warnings.push_str(&warning);
            continue;
        };
        if !std::ptr::eq(found, *called) {
            continue;
        }
        let more = flags(
            &parsed.flags,
            &defaults.options,
            |flag| format!("invalid flag {flag} for command {command}"),
            |option, error| {
                let CommandOptionDefault { name, default } = option;
                format!(
                    "could not apply override value {default} to flag {name} in command {command} err: {error}"
                )
            },
        )?;
        applied.args.splice(0..0, more);
    }
    Ok(())
}
