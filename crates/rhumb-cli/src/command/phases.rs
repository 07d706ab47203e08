//! Hooks before and after commands, inherited by the commands below.
//!
//! ```
//! use rhumb_cli::command::{Action, Command, Phases, steps};
//!
//! static CHECKED: Phases = Phases { before_all: Some(Action::Plain(|_| Ok(()))), ..Phases::NONE };
//! static GET: Command = Command { name: "get", action: Action::Plain(|_| Ok(())), ..Command::EMPTY };
//! static ROOT: Command =
//!     Command { name: "tool", commands: &[&[&GET]], phases: CHECKED, ..Command::EMPTY };
//! // `tool get` does what the tool does before all of its commands, and then its own work.
//! assert_eq!(steps(&[&ROOT, &GET]).len(), 2);
//! ```

use super::{Action, Command};

/// Hooks of a command around its action and those of all commands below it.
///
/// Of the commands that were called, from the first to the last, the last one that has something for all counts: a
/// command with a `before_all` of its own does not do that of those above it. In order: `before_all`, `before`, the
/// action, `after`, `after_all`; what fails ends it there.
#[derive(Clone, Copy)]
pub struct Phases {
    /// Runs before the command and all commands below it.
    pub before_all: Option<Action>,
    /// Runs before the command's own action.
    pub before: Option<Action>,
    /// Runs after the command's own action, unless it failed.
    pub after: Option<Action>,
    /// Runs after the command and all commands below it, unless something failed.
    pub after_all: Option<Action>,
}

impl Phases {
    /// No hooks.
    pub const NONE: Phases = Phases { before_all: None, before: None, after: None, after_all: None };
}

/// Returns the actions for a command and its parents, in order.
pub fn steps(called: &[&'static Command]) -> Vec<Action> {
    let Some(command) = called.last() else { return Vec::new() };
    let nearest =
        |of: fn(&Phases) -> Option<Action>| called.iter().rev().find_map(|command| of(&command.phases));
    [
        nearest(|phases| phases.before_all),
        command.phases.before,
        Some(command.action),
        command.phases.after,
        nearest(|phases| phases.after_all),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rhumb_client::config::{Environment, NoWarnings};

    use super::*;
    use crate::command::{Parsed, parse};
    use crate::{Call, Factory, Failure, Outcome, Streams};

    macro_rules! says {
        ($word:literal) => {
            Some(Action::Plain(|call| call.line($word)))
        };
    }

    static SHOW: Command = Command {
        name: "show",
        action: Action::Plain(|call| call.line("show")),
        phases: Phases { before: says!("before"), after: says!("after"), ..Phases::NONE },
        ..Command::EMPTY
    };
    static BREAK: Command = Command {
        name: "break",
        action: Action::Plain(|_| Err(Failure::message("broken"))),
        phases: Phases { after: says!("after"), ..Phases::NONE },
        ..Command::EMPTY
    };
    static OWN: Command = Command {
        name: "own",
        action: Action::Plain(|call| call.line("own")),
        phases: Phases { before_all: says!("before own"), ..Phases::NONE },
        ..Command::EMPTY
    };
    static FAMILY: Command = Command {
        name: "family",
        commands: &[&[&SHOW, &OWN]],
        phases: Phases { before: says!("never"), after_all: says!("after family"), ..Phases::NONE },
        ..Command::EMPTY
    };
    static ROOT: Command = Command {
        name: "tool",
        commands: &[&[&SHOW, &BREAK, &FAMILY]],
        phases: Phases { before_all: says!("before all"), after_all: says!("after all"), ..Phases::NONE },
        ..Command::EMPTY
    };

    /// Returns what a command line writes, and what it comes to.
    fn run(line: &str) -> (Vec<String>, Outcome) {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let Parsed { commands, path, flags, args, dash, .. } = parse(&ROOT, &[], "tool", &args).unwrap();
        let (streams, _) = Streams::beside();
        let written = crate::Kept::default();
        let streams = Streams { out: Box::new(written.clone()), ..streams };
        let factory = Factory::new(&flags, Environment::empty(), Arc::new(NoWarnings));
        let mut call = Call { commands, path, flags, args, dash, streams, factory };
        let mut done = Ok(());
        for step in steps(&call.commands.clone()) {
            let Action::Plain(run) = step else { continue };
            done = done.and_then(|()| run(&mut call));
        }
        let text = String::from_utf8(written.take()).unwrap();
        (text.lines().map(str::to_owned).collect(), done)
    }

    #[test]
    fn a_command_does_what_stands_around_it_in_order() {
        assert_eq!(run("show").0, ["before all", "before", "show", "after", "after all"]);
    }

    #[test]
    fn what_is_for_all_is_that_of_the_nearest_command() {
        assert_eq!(run("family show").0, ["before all", "before", "show", "after", "after family"]);
        assert_eq!(run("family own").0, ["before own", "own", "after family"]);
    }

    #[test]
    fn nothing_is_done_after_what_failed() {
        let (written, done) = run("break");
        assert_eq!(written, ["before all"]);
        assert_eq!(done.unwrap_err().bare(), "broken");
    }
}
