//! Command line as data: types for the table of commands, and the parser and help that read it.

use std::fmt::Write;

use crate::failure::Failure;
use crate::workspace::Workspace;

/// A command with its arguments, flags and function.
pub(crate) struct Command {
    /// Name, the word after `cargo xtask`.
    pub(crate) name: &'static str,
    /// Arguments as shown in the help; empty if it takes none.
    pub(crate) arguments: &'static str,
    /// One line for the help.
    pub(crate) about: &'static str,
    /// Its flags.
    pub(crate) flags: &'static [Flag],
    /// Runs it.
    pub(crate) run: fn(&Workspace, &Request) -> Result<(), Failure>,
}

/// A flag of a command.
pub(crate) struct Flag {
    /// Name with its two dashes.
    pub(crate) name: &'static str,
    /// Placeholder of its value in the help, for a flag that takes one.
    pub(crate) value: Option<&'static str>,
    /// One line for the help.
    pub(crate) about: &'static str,
}

/// Flags of a command that passes all words to another program.
pub(crate) const PASS_THROUGH: &[Flag] =
    &[Flag { name: "--", value: None, about: "all flags and arguments are passed on" }];

/// Parsed arguments and flags of a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    /// Positional arguments.
    pub(crate) arguments: Vec<String>,
    flags: Vec<(&'static str, Option<String>)>,
}

impl Request {
    /// Reports whether a flag was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|(given, _)| *given == name)
    }

    /// Returns the value of a flag; the last one wins.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.flags.iter().rev().find(|(given, _)| *given == name).and_then(|(_, value)| value.as_deref())
    }

    /// Returns the value of a flag as a number, or the default.
    pub(crate) fn number(&self, name: &str, default: u64) -> Result<u64, Failure> {
        self.value(name).map_or(Ok(default), |value| {
            value.parse().map_err(|_| Failure::usage(format!("{name} needs a whole number, not {value:?}")))
        })
    }

    /// Returns the flags as words, for a program with the same flags.
    pub(crate) fn flags(&self) -> impl Iterator<Item = String> {
        self.flags.iter().map(|(name, value)| match value {
            Some(value) => format!("{name}={value}"),
            None => (*name).to_owned(),
        })
    }

    /// Returns the argument of a command that takes at most one.
    pub(crate) fn at_most_one_argument(&self) -> Result<Option<&str>, Failure> {
        match self.arguments.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            [_, second, ..] => Err(Failure::usage(format!("unexpected argument {second:?}"))),
        }
    }
}

/// Result of parsing a command line.
pub(crate) enum Resolved<'a> {
    /// Print the help.
    Help,
    /// Run a command.
    Run(&'a Command, Request),
}

/// Parses the words after `cargo xtask`.
pub(crate) fn resolve<'a>(commands: &'a [Command], words: &[String]) -> Result<Resolved<'a>, Failure> {
    let Some((name, rest)) = words.split_first() else {
        return Ok(Resolved::Help);
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        return Ok(Resolved::Help);
    }
    let command = commands
        .iter()
        .find(|command| command.name == name)
        .ok_or_else(|| Failure::usage(format!("unknown command {name:?}")))?;
    if command.flags.iter().any(|flag| flag.name == "--") {
        return Ok(Resolved::Run(command, Request { arguments: rest.to_vec(), flags: Vec::new() }));
    }
    if rest.iter().any(|word| matches!(word.as_str(), "--help" | "-h")) {
        return Ok(Resolved::Help);
    }
    parse(command, rest).map(|request| Resolved::Run(command, request))
}

fn parse(command: &Command, words: &[String]) -> Result<Request, Failure> {
    let mut request = Request::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            if command.arguments.is_empty() {
                return Err(Failure::usage(format!("{} takes no argument {word:?}", command.name)));
            }
            request.arguments.push(word.clone());
            continue;
        }
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let flag = command
            .flags
            .iter()
            .find(|flag| flag.name == name)
            .ok_or_else(|| Failure::usage(format!("{} has no flag {name}", command.name)))?;
        let value = match (flag.value, attached) {
            (None, None) => None,
            (None, Some(_)) => return Err(Failure::usage(format!("{name} takes no value"))),
            (Some(_), Some(value)) => Some(value),
            (Some(shown), None) => Some(
                words
                    .next()
                    .cloned()
                    .ok_or_else(|| Failure::usage(format!("{name} needs a value: {shown}")))?,
            ),
        };
        request.flags.push((flag.name, value));
    }
    Ok(request)
}

/// Formats the text of `cargo xtask help`.
pub(crate) fn help(commands: &[Command]) -> String {
    let mut text = String::from("Usage: cargo xtask COMMAND [FLAG...]\n\nCommands:\n");
    for command in commands {
        let head = format!("{} {}", command.name, command.arguments);
        line(&mut text, 2, head.trim_end(), command.about);
        for flag in command.flags {
            let head = format!("{} {}", flag.name, flag.value.unwrap_or_default());
            line(&mut text, 6, head.trim_end(), flag.about);
        }
    }
    line(&mut text, 2, "help", "print this help");
    text.push_str("\nExit codes: 0 success, 1 failure, 2 usage error.\n");
    text
}

fn line(text: &mut String, indent: usize, head: &str, about: &str) {
    let width = 28usize.saturating_sub(indent);
    let _ = writeln!(text, "{:indent$}{head:width$} {about}", "");
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: &[Command] = &[
        Command {
            name: "walk",
            arguments: "[WHERE]",
            about: "walks",
            flags: &[
                Flag { name: "--steps", value: Some("N"), about: "how far" },
                Flag { name: "--back", value: None, about: "backwards" },
            ],
            run: |_, _| Ok(()),
        },
        Command { name: "stop", arguments: "", about: "stops", flags: &[], run: |_, _| Ok(()) },
        Command { name: "hand", arguments: "", about: "hands", flags: PASS_THROUGH, run: |_, _| Ok(()) },
    ];

    /// Shows what a command line resolves to, or the message it is refused with.
    fn check(line: &str, expect: &str) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let shown = match resolve(TABLE, &words) {
            Ok(Resolved::Help) => "help".to_owned(),
            Ok(Resolved::Run(command, request)) => format!(
                "{} {:?} steps={:?} back={}",
                command.name,
                request.arguments,
                request.value("--steps"),
                request.has("--back")
            ),
            Err(failure) => failure.to_string(),
        };
        assert_eq!(shown.replace("; see cargo xtask help", ""), expect, "{line}");
    }

    #[test]
    fn command_lines() {
        check("", "help");
        check("help", "help");
        check("walk --help", "help");
        check("walk", "walk [] steps=None back=false");
        check("walk north --steps 3", "walk [\"north\"] steps=Some(\"3\") back=false");
        check("walk --steps=3 --back --steps=4", "walk [] steps=Some(\"4\") back=true");
        check("hand --any thing -h", "hand [\"--any\", \"thing\", \"-h\"] steps=None back=false");
        check("walk --steps", "--steps needs a value: N");
        check("walk --back=1", "--back takes no value");
        check("walk --fast", "walk has no flag --fast");
        check("stop here", "stop takes no argument \"here\"");
        check("run", "unknown command \"run\"");
    }

    #[test]
    fn numbers_and_single_arguments_are_checked() {
        let request =
            Request { arguments: vec!["a".into(), "b".into()], flags: vec![("--steps", Some("x".into()))] };
        assert!(request.number("--steps", 1).is_err());
        assert_eq!(request.number("--other", 1).unwrap(), 1);
        assert!(request.at_most_one_argument().is_err());
    }

    #[test]
    fn flags_can_be_handed_on() {
        let words = ["walk", "--steps", "3", "--back"].map(str::to_owned);
        let Ok(Resolved::Run(_, request)) = resolve(TABLE, &words) else { panic!("it is understood") };
        assert_eq!(request.flags().collect::<Vec<_>>(), ["--steps=3", "--back"]);
    }

    #[test]
    fn the_help_shows_commands_and_flags_in_columns() {
        let expect = "\
Usage: cargo xtask COMMAND [FLAG...]

Commands:
  walk [WHERE]               walks
      --steps N              how far
      --back                 backwards
  stop                       stops
  hand                       hands
      --                     all flags and arguments are passed on
  help                       print this help

Exit codes: 0 success, 1 failure, 2 usage error.
";
        assert_eq!(help(TABLE), expect);
    }
}
