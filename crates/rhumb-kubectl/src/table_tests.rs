//! Consistency of the command table: everything is documented, and in help, manual pages and completion.

use std::collections::BTreeSet;

use rhumb_cli::command::{Action, Command, Flag, help, man_pages, parse_leniently};
use rhumb_cli::global;

static ROOT: Command = crate::KUBECTL;

/// Returns all commands with their paths.
fn all() -> Vec<(String, &'static Command)> {
    fn below(path: &str, command: &'static Command, found: &mut Vec<(String, &'static Command)>) {
        for child in command.children() {
            let path = format!("{path} {}", child.name).trim_start().to_owned();
            found.push((path.clone(), child));
            below(&path, child, found);
        }
    }
    let mut found = Vec::new();
    below("", &ROOT, &mut found);
    found
}

/// Checks something of all commands, and tells all that fails.
fn check(what: impl Fn(&str, &'static Command) -> Vec<String>) {
    let problems: Vec<String> = all()
        .iter()
        .flat_map(|(path, command)| {
            what(path, command).into_iter().map(move |text| format!("{path}: {text}"))
        })
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Reports whether words call a command, or one below it.
fn calls(words: &str, command: &'static Command) -> bool {
    let words = words.split_whitespace().skip_while(|word| *word == "kubectl");
    let words: Vec<String> = words.map(str::to_owned).collect();
    let called = parse_leniently(&ROOT, global::FLAGS, "kubectl", &words).commands;
    called.into_iter().any(|called| std::ptr::eq(called, command))
}

#[test]
fn every_command_says_what_it_is_for() {
    check(|_, command| {
        let mut problems = Vec::new();
        if command.about.is_empty() || command.about.ends_with('.') || command.about.contains('\n') {
            problems.push(format!("about is a line without a full stop: {:?}", command.about));
        }
        if command.examples.is_empty() {
            problems.push("there is no example".to_owned());
        }
        for (what, words) in command.examples {
            if what.is_empty() || !words.split(['|', '\n']).any(|part| calls(part, command)) {
                problems.push(format!("{words:?} is no example of it"));
            }
        }
        problems
    });
}

#[test]
fn every_command_below_another_has_a_name_of_its_own() {
    fn names(command: &'static Command) -> Vec<&'static str> {
        command.children().flat_map(|child| child.aliases.iter().copied().chain([child.name])).collect()
    }
    check(|_, command| {
        let mut seen = BTreeSet::new();
        names(command)
            .into_iter()
            .filter(|name| !seen.insert(*name))
            .map(|name| format!("{name} twice"))
            .collect()
    });
    let mut seen = BTreeSet::new();
    assert!(names(&ROOT).into_iter().all(|name| seen.insert(name)));
}

#[test]
fn every_flag_is_one_and_says_what_it_does() {
    check(|_, command| {
        let (mut names, mut letters, mut problems) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        for flag in command.own_flags() {
            if !names.insert(flag.name) {
                problems.push(format!("--{} twice", flag.name));
            }
            if flag.short.is_some_and(|letter| !letters.insert(letter)) {
                problems.push(format!("-{} twice", flag.short.unwrap_or_default()));
            }
            if !flag.hidden && !flag.about.ends_with('.') {
                problems.push(format!("--{}: {:?} is no sentence", flag.name, flag.about));
            }
        }
        problems
    });
}

#[test]
fn every_default_can_be_set() {
    check(|path, command| {
        let words: Vec<String> = path.split(' ').map(str::to_owned).collect();
        let parsed = parse_leniently(&ROOT, global::FLAGS, "kubectl", &words);
        let wrong = |flag: &&'static Flag| {
            !flag.default.is_empty() && parsed.flags.clone().set(flag, flag.default).is_err()
        };
        let all: Vec<&'static Flag> = command.own_flags().collect();
        all.iter()
            .filter(|flag| wrong(flag))
            .map(|flag| format!("--{}={}", flag.name, flag.default))
            .collect()
    });
}

#[test]
fn help_manual_pages_and_completion_know_every_flag() {
    check(|path, command| {
        let called = format!("kubectl {path}");
        let help = help(command, &called, global::FLAGS);
        let pages = man_pages(command, &called, global::FLAGS);
        let page = pages.first().map(|page| page.text.replace('\\', "")).unwrap_or_default();
        let words: Vec<String> = path.split(' ').map(str::to_owned).collect();
        let parsed = parse_leniently(&ROOT, global::FLAGS, "kubectl", &words);
        let mut problems = Vec::new();
        for flag in command.own_flags().filter(|flag| !flag.hidden) {
            let name = format!("--{}", flag.name);
            if !help.contains(&format!("{name}=")) {
                problems.push(format!("help has no {name}"));
            }
            if !page.contains(&format!("fB{name}fR=")) {
                problems.push(format!("the manual page has no {name}"));
            }
            if parsed.flags.find(flag.name).is_none() {
                problems.push(format!("completion has no {name}"));
            }
        }
        problems
    });
}

#[test]
fn help_ends_with_where_to_go_on() {
    check(|path, command| {
        let called = format!("kubectl {path}");
        let help = help(command, &called, global::FLAGS);
        let options = "Use \"kubectl options\"";
        let end = match command.children().next() {
            Some(_) => format!("\n\nUse \"{called} <command> --help\" for more about a command.\n{options}"),
            None => format!("\n\n{options}"),
        };
        if help.contains(&end) { Vec::new() } else { vec![format!("help has no {end:?}")] }
    });
}

#[test]
fn families_of_commands_do_nothing_by_themselves() {
    check(|_, command| {
        let is_family = matches!(command.action, Action::Help);
        match is_family && command.children().next().is_none() && !command.hidden {
            true => vec!["it does nothing".to_owned()],
            false => Vec::new(),
        }
    });
}
