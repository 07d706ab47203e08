//! `kuberc set`: changes preferences.

use rhumb_cli::command::{Action, Command, Flag};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::config::os_text;

use super::preference::{AliasOverride, AllowlistEntry, CommandDefaults, CommandOptionDefault, Preference};

/// The command.
pub(super) static COMMAND: Command = Command {
    name: "set",
    about: "Change your preferences",
    long: "Change your preferences: what flags of a command are when they are not given (defaults), another name for a \
        command (aliases), or which programs may be asked for credentials (credentialplugin).",
    usage: "--section (defaults|aliases|credentialplugin) --command COMMAND",
    examples: &[
        (
            "Apply on the server unless something else is asked for",
            "kuberc set --section defaults --command apply --option server-side=true",
        ),
        (
            "A short name",
            "kuberc set --section aliases --name getn --command get --prependarg nodes --option output=wide",
        ),
        (
            "Replace what is there",
            "kuberc set --section defaults --command get --option output=wide --overwrite",
        ),
        (
            "Ask one program only for credentials",
            "kuberc set --section credentialplugin --policy Allowlist --allowlist-entry command=cloud-login",
        ),
    ],
    flags: &[&[
        Flag::text("section", "What to change.")
            .choices(&["defaults", "aliases", "credentialplugin"])
            .required(),
        Flag::text("command", "The command: get, set env."),
        Flag::text("name", "The name of an alias."),
        Flag::text("policy", "Which programs may be asked for credentials.").choices(&[
            "AllowAll",
            "DenyAll",
            "Allowlist",
        ]),
        Flag::array("option", "A flag with its value: output=yaml. May be given several times."),
        Flag::array("prependarg", "A word to put before those of an alias. May be given several times."),
        Flag::array("appendarg", "A word to put behind those of an alias. May be given several times."),
        Flag::array(
            "allowlist-entry",
            "A program that may be asked: command=NAME. May be given several times.",
        ),
        Flag::bool("overwrite", "Replace what is there."),
    ]],
    action: Action::Plain(run),
    ..Command::EMPTY
};

fn run(call: &mut Call) -> Outcome {
    let (file, _) = super::file(call)?;
    validate(call).map_err(Failure::message)?;
    let mut preference = match std::fs::read(&file) {
        Ok(text) => Preference::read(&text).map_err(Failure::message)?.unwrap_or_else(Preference::new),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Preference::new(),
        Err(error) => {
            let error = os_text(&error);
            return Err(Failure::message(format!("error reading kuberc file: open {file}: {error}")));
        }
    };
    change(call, &mut preference)?;
    preference.save(&file).map_err(Failure::message)?;
    call.line(format!("Updated {file}"))
}

fn validate(call: &Call) -> Result<(), String> {
    let flags = &call.flags;
    let section = flags.text("section");
    let has = |flag: &str| !flags.list(flag).is_empty();
    let is_empty = |flag: &str| flags.text(flag).is_empty();
    let error = |text: &str| Err(text.to_owned());
    if !["defaults", "aliases", "credentialplugin"].contains(&section) {
        return Err(format!(
            "--section must be \"defaults\", \"aliases\", or \"credentialplugin\", got: {section}"
        ));
    }
    if section == "aliases" && is_empty("name") {
        return error("--name is required when --section=aliases");
    }
    if section == "defaults" && !is_empty("name") {
        return error("--name should not be specified when --section=defaults");
    }
    if section == "defaults" && (has("prependarg") || has("appendarg")) {
        return error("--prependarg and --appendarg are only valid for --section=aliases");
    }
    if section != "credentialplugin" {
        return match is_empty("command") {
            true => error("--command is required when --section=aliases or --section=defaults"),
            false => Ok(()),
        };
    }
    match (flags.text("policy"), has("allowlist-entry")) {
        ("", _) => error("--policy is required when --section=credentialplugin"),
        ("AllowAll" | "DenyAll", true) => {
            error("--allowlist-entry may only be used when --section=credentialplugin and --policy=Allowlist")
        }
        ("Allowlist", false) => {
            error("--allowlist-entry is required when --section=credentialplugin and --policy=Allowlist")
        }
        ("AllowAll" | "DenyAll" | "Allowlist", _) => Ok(()),
        (other, _) => {
            Err(format!(" --policy must be  \"AllowAll\", \"DenyAll\", or \"Allowlist\", got: {other}"))
        }
    }
}

fn change(call: &Call, preference: &mut Preference) -> Outcome {
    let flags = &call.flags;
    let options = options(&flags.list("option")).map_err(Failure::message)?;
    let (command, overwrite) = (flags.text("command").to_owned(), flags.bool("overwrite"));
    match flags.text("section") {
        "defaults" => match preference.defaults.iter_mut().find(|known| known.command == command) {
            Some(_) if !overwrite => Err(Failure::message(format!(
                "defaults for command {command:?} already exist, use --overwrite to replace"
            ))),
            Some(known) => {
                replace(&mut known.options, options);
                Ok(())
            }
            None => {
                preference.defaults.push(CommandDefaults { command, options });
                Ok(())
            }
        },
        "aliases" => {
            let name = flags.text("name").to_owned();
            let (prepend_args, append_args) = (flags.list("prependarg"), flags.list("appendarg"));
            match preference.aliases.iter_mut().find(|known| known.name == name) {
                Some(_) if !overwrite => Err(Failure::message(format!(
                    "alias {name:?} already exists, use --overwrite to replace"
                ))),
                Some(known) => {
                    known.command = command;
                    replace(&mut known.options, options);
                    replace(&mut known.prepend_args, prepend_args);
                    replace(&mut known.append_args, append_args);
                    Ok(())
                }
                None => {
                    preference.aliases.push(AliasOverride {
                        name,
                        command,
                        prepend_args,
                        append_args,
                        options,
                    });
                    Ok(())
                }
            }
        }
        _ => {
            let policy = flags.text("policy");
            if policy == "Allowlist" {
                preference.credential_plugin_allowlist = allowlist(&flags.list("allowlist-entry"))?;
            }
            policy.clone_into(&mut preference.credential_plugin_policy);
            Ok(())
        }
    }
}

/// Replaces given values and keeps others.
fn replace<T>(known: &mut Vec<T>, given: Vec<T>) {
    if !given.is_empty() {
        *known = given;
    }
}

fn options(given: &[String]) -> Result<Vec<CommandOptionDefault>, String> {
    let option = |text: &String| match text.split_once('=') {
        Some((name, value)) => {
            let name = name.trim_start_matches('-').to_owned();
            Ok(CommandOptionDefault { name, default: value.to_owned() })
        }
        None => Err(format!("invalid option format {text:?}, expected flag=value")),
    };
    given.iter().map(option).collect()
}

fn allowlist(given: &[String]) -> Result<Vec<AllowlistEntry>, Failure> {
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    for pair in given.iter().flat_map(|pairs| pairs.split(',')) {
        match pair.split_once('=') {
            None => problems.push(format!("improperly formatted allowlist entry: {pair:?}")),
            Some(("name", _)) => problems
                .push("allowlist entry field \"name\" is deprecated, use \"command\" instead".to_owned()),
            Some(("command", value)) if value.trim().is_empty() => {
                problems.push("empty value in allowlist entry for field \"command\"".to_owned());
            }
            Some(("command", value)) => {
                entries.push(AllowlistEntry { command: value.to_owned(), ..AllowlistEntry::default() });
            }
            Some((field, _)) => problems.push(format!("unrecognized allowlist entry field: {field:?}")),
        }
    }
    Failure::all(problems.into_iter().map(Failure::message).collect()).map(|()| entries)
}
