//! Manual pages in troff, generated from the command table.

use std::fmt::Write;

use super::help::{default_shown, described};
use super::{Command, Flag};

/// A manual page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManPage {
    /// The name of its file: `kubectl-rollout-status.1`.
    pub file: String,
    /// Contents.
    pub text: String,
}

/// Returns the pages of a command and of all commands below it, except those that help leaves out.
pub fn man_pages(command: &Command, path: &str, globals: &'static [Flag]) -> Vec<ManPage> {
    let mut pages = vec![ManPage { file: format!("{}.1", name(path)), text: page(command, path, globals) }];
    for child in command.children().filter(|child| !child.hidden) {
        pages.extend(man_pages(child, &format!("{path} {}", child.name), globals));
    }
    pages
}

/// Formats a page's name: `kubectl-rollout-status`.
fn name(path: &str) -> String {
    path.replace(' ', "-")
}

fn page(command: &Command, path: &str, globals: &'static [Flag]) -> String {
    let program = path.split(' ').next().unwrap_or(path);
    let mut out = String::new();
    let _ = writeln!(out, ".TH \"{}\" \"1\" \"\" \"Rhumb\" \"{program}\"", name(path).to_uppercase());
    let _ = writeln!(
        out,
        ".SH NAME\n{} \\- {}",
        escape(&name(path)),
        escape(command.about.trim_end_matches('.'))
    );
    let _ = writeln!(out, ".SH SYNOPSIS\n\\fB{}\\fR {}", escape(path), escape(command.usage));
    let about = if command.long.is_empty() { command.about } else { command.long };
    out.push_str(".SH DESCRIPTION\n");
    paragraphs(about, &mut out);
    if !command.aliases.is_empty() {
        let _ = writeln!(out, ".SH ALIASES\n{}", escape(&command.aliases.join(", ")));
    }
    let children: Vec<_> = command.children().filter(|child| !child.hidden).collect();
    if !children.is_empty() {
        out.push_str(".SH COMMANDS\n");
        for child in &children {
            let _ = writeln!(out, ".TP\n\\fB{}\\fR\n{}", escape(child.name), escape(child.about));
        }
    }
    let mut own: Vec<&Flag> = command.own_flags().filter(|flag| !flag.hidden).collect();
    own.sort_by_key(|flag| flag.name);
    options("OPTIONS", &own, &mut out);
    if !command.stands_alone {
        let is_own = |flag: &&Flag| command.flag(flag.name).is_some();
        let globals: Vec<&Flag> = globals.iter().filter(|flag| !flag.hidden && !is_own(flag)).collect();
        options("OPTIONS OF ALL COMMANDS", &globals, &mut out);
    }
    if !command.examples.is_empty() {
        out.push_str(".SH EXAMPLES\n");
        for (what, words) in command.examples {
            let _ = writeln!(out, "{}:\n.PP\n.nf\n.RS", escape(what));
            for line in words.lines() {
                let _ = writeln!(out, "{} {}", escape(program), escape(line));
            }
            out.push_str(".RE\n.fi\n.PP\n");
        }
    }
    let parent = path.rsplit_once(' ').map(|(parent, _)| name(parent));
    let below = children.iter().map(|child| name(&format!("{path} {}", child.name)));
    let others: Vec<String> =
        parent.into_iter().chain(below).map(|name| format!("\\fB{}\\fR(1)", escape(&name))).collect();
    if !others.is_empty() {
        let _ = writeln!(out, ".SH SEE ALSO\n{}", others.join(", "));
    }
    out
}

fn options(heading: &str, flags: &[&Flag], out: &mut String) {
    if flags.is_empty() {
        return;
    }
    let _ = writeln!(out, ".SH {heading}");
    for flag in flags {
        let short = flag.short.map_or_else(String::new, |letter| format!("\\fB\\-{letter}\\fR, "));
        let (name, default) = (inline(flag.name), inline(&default_shown(flag)));
        let _ = writeln!(out, ".TP\n{short}\\fB\\-\\-{name}\\fR={default}\n{}", escape(&described(flag)));
    }
}

fn paragraphs(text: &str, out: &mut String) {
    for line in text.lines() {
        match line {
            "" => out.push_str(".PP\n"),
            line => drop(writeln!(out, "{}", escape(line))),
        }
    }
}

/// Returns a text within a line, without anything that `man` would take for an order.
fn inline(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// Escapes a text at the start of a line, where requests begin.
fn escape(text: &str) -> String {
    let text = inline(text);
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static FLAGS: &[Flag] = &[Flag::text("output", "How to print.").short('o')];
    static CHILD: Command = Command {
        name: "do",
        about: "Do it",
        examples: &[("Now", "do x")],
        flags: &[FLAGS],
        ..Command::EMPTY
    };
    static ROOT: Command =
        Command { name: "tool", about: "A tool", commands: &[&[&CHILD]], ..Command::EMPTY };

    #[test]
    fn each_command_has_a_page() {
        let pages = man_pages(&ROOT, "tool", &[]);
        let files: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        assert_eq!(files, ["tool.1", "tool-do.1"]);
        let text = pages.last().map(|page| page.text.as_str()).unwrap_or_default();
        assert!(text.contains("tool\\-do \\- Do it"), "{text}");
        assert!(text.contains("\\fB\\-o\\fR, \\fB\\-\\-output\\fR=''"), "{text}");
    }

    #[test]
    fn texts_are_no_orders() {
        assert_eq!(escape(".x"), "\\&.x");
        assert_eq!(escape("a\\b-c"), "a\\eb\\-c");
    }
}
