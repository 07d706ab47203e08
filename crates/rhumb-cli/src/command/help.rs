//! Help texts, generated from the command table.

use std::fmt::Write;

use super::{Command, Family, Flag, Kind};

/// Maximum line width.
const WIDTH: usize = 100;

/// Returns the help of a command that was called by a path.
pub fn help(command: &Command, path: &str, globals: &'static [Flag]) -> String {
    let program = path.split(' ').next().unwrap_or(path);
    let mut out = String::new();
    let about = if command.long.is_empty() { command.about } else { command.long };
    for line in about.trim_end().lines() {
        // What stands in is laid out already.
        match line.starts_with(' ') || line.is_empty() {
            true => drop(writeln!(out, "{line}")),
            false => {
                for line in wrap(line, WIDTH) {
                    let _ = writeln!(out, "{line}");
                }
            }
        }
    }
    if !command.aliases.is_empty() {
        let _ = writeln!(out, "\nAliases:\n  {}, {}", command.name, command.aliases.join(", "));
    }
    if !command.examples.is_empty() {
        out.push_str("\nExamples:\n");
        for (index, (what, words)) in command.examples.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            let _ = writeln!(out, "  # {what}");
            for line in words.lines() {
                let _ = writeln!(out, "  {program} {line}");
            }
        }
    }
    commands(&mut out, command);
    let has_commands = command.children().next().is_some();
    // A program that is one command has nothing else that could show the flags of all.
    let is_program = !path.contains(' ') && !has_commands;
    let globals_here = if is_program { globals } else { &[] };
    let flags = command.own_flags().chain(globals_here);
    let mut flags: Vec<&Flag> = flags.filter(|flag| !flag.hidden).collect();
    if !flags.is_empty() {
        flags.sort_by_key(|flag| flag.name);
        out.push_str("\nOptions:\n");
        out.push_str(&options(&flags));
    }
    let _ = write!(out, "\nUsage:\n  {path}");
    if !command.usage.is_empty() {
        let _ = write!(out, " {}", command.usage);
    }
    out.push('\n');
    if has_commands {
        let _ = writeln!(out, "\nUse \"{path} <command> --help\" for more about a command.");
    }
    if !globals.is_empty() && !is_program {
        if !has_commands {
            out.push('\n');
        }
        let _ = writeln!(out, "Use \"{program} options\" for the flags that all commands have.");
    }
    out
}

/// Writes the commands below one: grouped for the program, else as one list.
fn commands(out: &mut String, command: &Command) {
    let mut children: Vec<_> = command.children().filter(|child| !child.hidden).collect();
    let width = children.iter().map(|child| child.name.len()).max().unwrap_or_default();
    let mut families: Vec<Family> = children.iter().map(|child| child.family).collect();
    families.sort_unstable();
    families.dedup();
    let by_family = families.len() > 1;
    if !by_family && !children.is_empty() {
        children.sort_by_key(|child| child.name);
        out.push_str("\nAvailable Commands:\n");
    }
    for family in families {
        if by_family {
            let _ = writeln!(out, "\n{}:", family.title());
        }
        if family == Family::Other {
            children.sort_by_key(|child| child.name);
        }
        for child in children.iter().filter(|child| child.family == family) {
            let _ = writeln!(out, "  {:width$}   {}", child.name, child.about);
        }
    }
}

/// Returns the flags that all commands have, with what they do.
pub fn global_options(globals: &[Flag]) -> String {
    let flags: Vec<&Flag> = globals.iter().filter(|flag| !flag.hidden).collect();
    options(&flags)
}

/// Flags with what they do.
pub(crate) fn options(flags: &[&Flag]) -> String {
    let mut out = String::new();
    for (index, flag) in flags.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let short = flag.short.map_or_else(|| "    ".to_owned(), |letter| format!("-{letter}, "));
        let _ = writeln!(out, "  {short}--{}={}:", flag.name, default_shown(flag));
        for line in wrap(&described(flag), WIDTH - 8) {
            let _ = writeln!(out, "        {line}");
        }
    }
    out
}

/// Describes a flag with its choices.
pub(super) fn described(flag: &Flag) -> String {
    match flag.choices {
        [] => flag.about.to_owned(),
        choices => format!("{} One of: {}.", flag.about, choices.join(", ")),
    }
}

/// Formats a flag's default.
pub(super) fn default_shown(flag: &Flag) -> String {
    match flag.kind {
        Kind::Text => format!("'{}'", flag.default),
        Kind::List | Kind::Array | Kind::Pairs => format!("[{}]", flag.default),
        _ => flag.default.to_owned(),
    }
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.len() + 1 + word.len() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}
