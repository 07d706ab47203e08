//! Command line parser with the grammar of Go's pflag: `--flag=value`, `--flag value`, `-f value`, `-fvalue`,
//! `-f=value`, combined short flags (`-it`), flags and arguments in any order, and `--` before plain arguments.

use std::fmt;

use super::suggest::nearest;
use super::{Command, Flag, Flags, suggestions};

/// A parsed command line.
#[derive(Clone)]
pub struct Parsed {
    /// The commands from the first to the one that was called.
    pub commands: Vec<&'static Command>,
    /// Command path: `kubectl rollout status`.
    pub path: String,
    /// The flags.
    pub flags: Flags,
    /// The words that are no flags.
    pub args: Vec<String>,
    /// Number of arguments before `--`, if there is one.
    pub dash: Option<usize>,
    /// Whether help was asked for.
    pub help: bool,
    /// Warnings about deprecated flags.
    pub warnings: Vec<String>,
}

/// Error of parsing a command line; its text is printed as is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// Unknown command.
    Command {
        /// The word.
        word: String,
        /// The command that has none of that name.
        path: String,
        /// Suggestions.
        similar: Vec<&'static str>,
        /// Whether it is the first word: a plugin may have that name.
        is_first: bool,
    },
    /// A flag is not there, misses its value, or has a wrong one.
    Flag {
        /// Problem with the value.
        problem: String,
        /// The command that was called.
        path: String,
        /// Suggestion.
        similar: Option<&'static str>,
    },
    /// Flags that must be given are missing.
    Missing(Vec<&'static str>),
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::Command { word, path, similar, is_first: true } => {
                write!(f, "unknown command {word:?} for {path:?}")?;
                if !similar.is_empty() {
                    f.write_str("\n\nDid you mean this?")?;
                    for name in similar {
                        write!(f, "\n\t{name}")?;
                    }
                }
                Ok(())
            }
            ParseError::Command { word, path, similar, .. } => {
                write!(f, "unknown command {word:?}")?;
                if let [name, ..] = similar.as_slice() {
                    write!(f, "; did you mean {name:?}?")?;
                }
                write!(f, "\nSee '{path} -h' for help and examples")
            }
            ParseError::Flag { problem, path, similar } => {
                f.write_str(problem)?;
                if let Some(name) = similar {
                    write!(f, "; did you mean --{name}?")?;
                }
                write!(f, "\nSee '{path} --help' for usage.")
            }
            ParseError::Missing(names) => {
                let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
                write!(f, "required flag(s) {} not set", names.join(", "))
            }
        }
    }
}

impl std::error::Error for ParseError {}

/// Understands a command line: the words behind the program's name.
///
/// # Errors
/// A command or flag is not there, or a value is wrong.
pub fn parse(
    root: &'static Command,
    globals: &'static [Flag],
    program: &str,
    args: &[String],
) -> Result<Parsed, ParseError> {
    let (commands, rest) = find(root, globals, args);
    let command = commands.last().copied().unwrap_or(root);
    let path = path(program, &commands);
    let known = known(command, globals);
    // A command that is not there is told before flags which it might have had.
    if let ([_], Some(word)) = (commands.as_slice(), first_word(&known, &rest).and_then(|at| rest.get(at)))
        && command.children().next().is_some()
    {
        let similar = suggestions(command, word);
        return Err(ParseError::Command { word: word.clone(), path, similar, is_first: true });
    }
    let flags = Flags::new(known);
    let mut parsed =
        Parsed { commands, path, flags, args: Vec::new(), dash: None, help: false, warnings: Vec::new() };
    words(&mut parsed, command, rest)?;
    if parsed.help {
        return Ok(parsed);
    }
    if let (super::Action::Help, Some(word)) = (command.action, parsed.args.first()) {
        let is_first = parsed.commands.len() < 2;
        let mut similar = suggestions(command, word);
        if !is_first {
            // Only one is named here, so it is the nearest.
            let names = command.children().filter(|child| !child.hidden).map(|child| child.name);
            similar.splice(0..0, nearest(names, word));
        }
        let word = if is_first { word.clone() } else { parsed.args.join(" ") };
        return Err(ParseError::Command { word, similar, is_first, path: parsed.path });
    }
    let missing: Vec<_> = command
        .own_flags()
        .filter(|flag| flag.required && !parsed.flags.is_given(flag.name))
        .map(|flag| flag.name)
        .collect();
    if missing.is_empty() { Ok(parsed) } else { Err(ParseError::Missing(missing)) }
}

/// Understands as much of a command line as there is to understand, as completion must: what is wrong is passed over.
pub fn parse_leniently(
    root: &'static Command,
    globals: &'static [Flag],
    program: &str,
    args: &[String],
) -> Parsed {
    let (commands, rest) = find(root, globals, args);
    let command = commands.last().copied().unwrap_or(root);
    let path = path(program, &commands);
    let flags = Flags::new(known(command, globals));
    let mut parsed =
        Parsed { commands, path, flags, args: Vec::new(), dash: None, help: false, warnings: Vec::new() };
    let mut rest = rest.into_iter();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            parsed.dash = Some(parsed.args.len());
            parsed.args.extend(rest);
            break;
        }
        let _ = match (arg.strip_prefix("--"), arg.strip_prefix('-').filter(|short| !short.is_empty())) {
            (Some(long), _) => long_flag(&mut parsed, long, &mut rest),
            (None, Some(short)) => short_flags(&mut parsed, short, &mut rest),
            (None, None) => {
                parsed.args.push(arg);
                Ok(())
            }
        };
    }
    parsed
}

/// Formats a command path: `kubectl rollout status`.
fn path(program: &str, commands: &[&'static Command]) -> String {
    let names = commands.iter().skip(1).map(|command| command.name);
    std::iter::once(program).chain(names).collect::<Vec<_>>().join(" ")
}

fn known(command: &'static Command, globals: &'static [Flag]) -> Vec<&'static Flag> {
    // A command's own flag hides a global one of the same name or letter.
    let mut known: Vec<&'static Flag> = command.own_flags().collect();
    for global in if command.stands_alone { &[] } else { globals } {
        if !known.iter().any(|flag| flag.name == global.name) {
            known.push(global);
        }
    }
    known
}

/// Follows the words that name commands, and gives the others back.
fn find(
    root: &'static Command,
    globals: &'static [Flag],
    args: &[String],
) -> (Vec<&'static Command>, Vec<String>) {
    let mut commands = vec![root];
    let mut rest = args.to_vec();
    loop {
        let command = commands.last().copied().unwrap_or(root);
        let Some(at) = first_word(&known(command, globals), &rest) else { return (commands, rest) };
        let Some(child) = rest.get(at).and_then(|word| command.find(word)) else { return (commands, rest) };
        rest.remove(at);
        commands.push(child);
    }
}

/// Returns the position of the first word that is neither a flag nor a flag's value.
fn first_word(known: &[&'static Flag], args: &[String]) -> Option<usize> {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if arg == "--" {
            return None;
        }
        let takes_next = if let Some(long) = arg.strip_prefix("--") {
            !long.contains('=')
                && known.iter().find(|flag| flag.is_called(long)).is_none_or(|flag| flag.bare.is_none())
        } else if let Some(short) = arg.strip_prefix('-').filter(|short| !short.is_empty()) {
            let mut letters = short.chars();
            let letter = letters.next();
            letters.next().is_none()
                && known.iter().find(|flag| flag.short == letter).is_none_or(|flag| flag.bare.is_none())
        } else {
            return Some(at);
        };
        at += 1 + usize::from(takes_next);
    }
    None
}

fn words(parsed: &mut Parsed, command: &Command, rest: Vec<String>) -> Result<(), ParseError> {
    let mut rest = rest.into_iter();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            parsed.dash = Some(parsed.args.len());
            parsed.args.extend(rest);
            return Ok(());
        }
        if let Some(long) = arg.strip_prefix("--") {
            long_flag(parsed, long, &mut rest)?;
        } else if let Some(short) = arg.strip_prefix('-').filter(|short| !short.is_empty()) {
            short_flags(parsed, short, &mut rest)?;
        } else {
            parsed.args.push(arg);
            if command.stops_at_words {
                parsed.args.extend(rest);
                return Ok(());
            }
        }
    }
    Ok(())
}

fn long_flag(
    parsed: &mut Parsed,
    long: &str,
    rest: &mut std::vec::IntoIter<String>,
) -> Result<(), ParseError> {
    let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
    if name.is_empty() || name.starts_with('-') {
        return Err(problem(parsed, format!("bad flag syntax: --{long}")));
    }
    let Some(flag) = parsed.flags.find(name) else {
        if name == "help" {
            parsed.help = true;
            return Ok(());
        }
        let similar =
            nearest(parsed.flags.known().iter().filter(|flag| !flag.hidden).map(|flag| flag.name), name);
        return Err(ParseError::Flag {
            problem: format!("unknown flag: --{name}"),
            path: parsed.path.clone(),
            similar,
        });
    };
    match (value, flag.bare) {
        (Some(value), _) => set(parsed, flag, value),
        (None, Some(bare)) => set(parsed, flag, bare),
        (None, None) => match rest.next() {
            Some(value) => set(parsed, flag, &value),
            None => Err(problem(parsed, format!("flag needs an argument: --{name}"))),
        },
    }
}

fn short_flags(
    parsed: &mut Parsed,
    letters: &str,
    rest: &mut std::vec::IntoIter<String>,
) -> Result<(), ParseError> {
    let mut remaining = letters;
    while let Some(letter) = remaining.chars().next() {
        let after = remaining.get(letter.len_utf8()..).unwrap_or_default();
        let Some(flag) = parsed.flags.find_short(letter) else {
            if letter == 'h' {
                parsed.help = true;
                remaining = after;
                continue;
            }
            return Err(problem(parsed, format!("unknown shorthand flag: {letter:?} in -{remaining}")));
        };
        // An equals sign with nothing behind it is a value itself.
        if let Some(value) = after.strip_prefix('=').filter(|value| !value.is_empty()) {
            return set(parsed, flag, value);
        }
        if let Some(bare) = flag.bare {
            set(parsed, flag, bare)?;
            remaining = after;
        } else if !after.is_empty() {
            return set(parsed, flag, after);
        } else {
            return match rest.next() {
                Some(value) => set(parsed, flag, &value),
                None => Err(problem(parsed, format!("flag needs an argument: {letter:?} in -{remaining}"))),
            };
        }
    }
    Ok(())
}

fn set(parsed: &mut Parsed, flag: &'static Flag, value: &str) -> Result<(), ParseError> {
    if let Some(instead) = flag.deprecated {
        parsed.warnings.push(format!("Flag --{} has been deprecated, {instead}", flag.name));
    }
    parsed.flags.set_named(flag, value).map_err(|error| problem(parsed, error))
}

fn problem(parsed: &Parsed, problem: String) -> ParseError {
    ParseError::Flag { problem, path: parsed.path.clone(), similar: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Action;

    static GLOBALS: &[Flag] = &[
        Flag::text("namespace", "The namespace").short('n'),
        Flag::int("v", "0", "How much to tell").short('v'),
    ];
    static GET_FLAGS: &[Flag] = &[
        Flag::bool("watch", "Go on").short('w'),
        Flag::text("output", "Format").short('o'),
        Flag::int("chunk-size", "500", "Pages"),
        Flag::list("labels", "Columns").short('L'),
        Flag::text("dry-run", "Only try").default("none").bare("unchanged"),
    ];
    static GET: Command =
        Command { name: "get", flags: &[GET_FLAGS], action: Action::Plain(|_| Ok(())), ..Command::EMPTY };
    static STATUS: Command = Command { name: "status", action: Action::Plain(|_| Ok(())), ..Command::EMPTY };
    static ROLLOUT: Command = Command { name: "rollout", commands: &[&[&STATUS]], ..Command::EMPTY };
    static ROOT: Command = Command { name: "kubectl", commands: &[&[&GET, &ROLLOUT]], ..Command::EMPTY };

    fn check(line: &str) -> Result<Parsed, String> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&ROOT, GLOBALS, "kubectl", &args).map_err(|error| error.to_string())
    }

    #[test]
    fn flags_stand_anywhere() {
        for line in [
            "-n x get pods -o json -w",
            "get -n=x pods --output json --watch",
            "--namespace x get -wojson pods",
            "get pods -wo json -nx",
        ] {
            let parsed = check(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(parsed.path, "kubectl get", "{line}");
            assert_eq!(parsed.args, ["pods"], "{line}");
            assert_eq!(parsed.flags.text("output"), "json", "{line}");
            assert_eq!(parsed.flags.text("namespace"), "x", "{line}");
            assert!(parsed.flags.bool("watch"), "{line}");
        }
    }

    #[test]
    fn flags_without_a_value_take_their_own() {
        let parsed = check("get --dry-run pods").unwrap();
        assert_eq!((parsed.flags.text("dry-run"), parsed.args.len()), ("unchanged", 1));
        assert_eq!(check("get pods").unwrap().flags.text("dry-run"), "none");
        assert!(!check("get pods --watch=false").unwrap().flags.bool("watch"));
    }

    #[test]
    fn help_passes_over_words_but_not_over_wrong_flags() {
        for line in ["-h nope", "--help nope", "get -h nope", "get nope -h", "rollout -h nope", "get -wh"] {
            assert!(check(line).is_ok_and(|parsed| parsed.help), "{line}");
        }
        for line in ["get -h --nope", "--nope -h", "get -h -o", "nope -h"] {
            assert!(check(line).is_err(), "{line}");
        }
    }

    #[test]
    fn words_behind_two_hyphens_are_left_alone() {
        let parsed = check("get a -- b -c --d").unwrap();
        assert_eq!(parsed.args, ["a", "b", "-c", "--d"]);
        assert_eq!(parsed.dash, Some(1));
    }

    #[test]
    fn mistakes_are_told_as_kubectl_tells_them() {
        for (line, message) in [
            ("gett", "unknown command \"gett\" for \"kubectl\"\n\nDid you mean this?\n\tget"),
            ("get --foo", "unknown flag: --foo\nSee 'kubectl get --help' for usage."),
            ("get -z", "unknown shorthand flag: 'z' in -z\nSee 'kubectl get --help' for usage."),
            ("get -o", "flag needs an argument: 'o' in -o\nSee 'kubectl get --help' for usage."),
            (
                "get --chunk-size=x",
                "invalid argument \"x\" for \"--chunk-size\" flag: strconv.ParseInt: parsing \"x\": invalid syntax\n\
                 See 'kubectl get --help' for usage.",
            ),
            (
                "get -w=maybe",
                "invalid argument \"maybe\" for \"-w, --watch\" flag: strconv.ParseBool: parsing \"maybe\": invalid \
                 syntax\nSee 'kubectl get --help' for usage.",
            ),
            ("rollout foo", "unknown command \"foo\"\nSee 'kubectl rollout -h' for help and examples"),
            ("--foo get", "unknown flag: --foo\nSee 'kubectl --help' for usage."),
        ] {
            assert_eq!(check(line).err().as_deref(), Some(message), "{line}");
        }
    }
}
