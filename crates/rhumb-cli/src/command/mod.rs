//! Commands and flags as data.
//!
//! A [`Command`] is a static table: its words, its flags, its examples, what it runs. Parsing, help, manual pages and
//! completion all read the same table, so none of them can forget a flag.
//!
//! ```
//! use rhumb_cli::command::{Command, Flag};
//!
//! static FLAGS: &[Flag] = &[Flag::bool("watch", "After listing, go on with what changes.").short('w')];
//! static GET: Command = Command {
//!     name: "get",
//!     about: "Show objects",
//!     flags: &[FLAGS],
//!     ..Command::EMPTY
//! };
//! assert_eq!(GET.flag("watch").map(|flag| flag.short), Some(Some('w')));
//! ```

mod help;
mod man;
mod parse;
mod phases;
mod suggest;
mod values;

pub use help::{global_options, help};
pub use man::{ManPage, man_pages};
pub use parse::{ParseError, Parsed, parse, parse_leniently};
pub use phases::{Phases, steps};
pub use suggest::suggestions;
pub use values::Flags;

use std::pin::Pin;

use crate::{Call, Outcome};

/// What a command does when it is called.
pub type Run = for<'a> fn(&'a mut Call) -> Pin<Box<dyn Future<Output = Outcome> + 'a>>;

/// What happens when a command is called.
#[derive(Clone, Copy)]
pub enum Action {
    /// It only has commands below it; called alone, it shows its help.
    Help,
    /// It runs inside the command line's runtime.
    Run(Run),
    /// It runs outside any runtime: it brings its own, or needs none.
    Plain(fn(&mut Call) -> Outcome),
}

/// The group that a command stands in on the first page of help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// First steps.
    Beginner,
    /// Looking at objects and changing them.
    Intermediate,
    /// Rolling out.
    Deploy,
    /// Nodes and certificates.
    Cluster,
    /// Finding out what is wrong.
    Troubleshooting,
    /// Whole configurations.
    Advanced,
    /// Labels, annotations, completion.
    Settings,
    /// The rest.
    Other,
    /// What only this program has.
    Rhumb,
}

impl Family {
    /// Returns the heading.
    pub fn title(self) -> &'static str {
        match self {
            Family::Beginner => "Basic Commands (Beginner)",
            Family::Intermediate => "Basic Commands (Intermediate)",
            Family::Deploy => "Deploy Commands",
            Family::Cluster => "Cluster Management Commands",
            Family::Troubleshooting => "Troubleshooting and Debugging Commands",
            Family::Advanced => "Advanced Commands",
            Family::Settings => "Settings Commands",
            Family::Other => "Other Commands",
            Family::Rhumb => "Rhumb Commands",
        }
    }
}

/// What may stand in the place of a command's words, for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Nothing that could be completed.
    None,
    /// A type, then names of it; or `TYPE/NAME`.
    TypesAndNames,
    /// A type of those listed, then names of it; or `TYPE/NAME`.
    Of(&'static [&'static str]),
    /// Names of a type.
    NamesOf(&'static str),
    /// The words listed.
    Fixed(&'static [&'static str]),
    /// A pod (or `TYPE/NAME` of what has pods), then for `logs` and `exec` a container of it.
    PodOrType,
    /// A type only.
    Types,
    /// A context of the kubeconfig.
    Contexts,
    /// A cluster of the kubeconfig.
    Clusters,
    /// A user of the kubeconfig.
    Users,
    /// A file.
    Files,
    /// A file here, or `[NAMESPACE/]POD:` for one there.
    PodFiles,
}

/// One command.
pub struct Command {
    /// The word it is called by.
    pub name: &'static str,
    /// Other words for it.
    pub aliases: &'static [&'static str],
    /// Words that call nothing, and by which it is meant: they are answered with its name.
    pub suggest_for: &'static [&'static str],
    /// Where it stands on the first page of help.
    pub family: Family,
    /// What it does, in one line.
    pub about: &'static str,
    /// What there is to know beyond that line, in paragraphs.
    pub long: &'static str,
    /// What follows the command's name: `(TYPE NAME | TYPE/NAME) [flags]`.
    pub usage: &'static str,
    /// What for, and the words: without the program's name, which depends on how it was called.
    pub examples: &'static [(&'static str, &'static str)],
    /// Its own flags, in groups that commands share.
    pub flags: &'static [&'static [Flag]],
    /// The commands below it, in groups.
    pub commands: &'static [&'static [&'static Command]],
    /// What its words may be.
    pub words: Words,
    /// What it does.
    pub action: Action,
    /// What is done around that, and around what the commands below it do.
    pub phases: Phases,
    /// Whether help and completion leave it out.
    pub hidden: bool,
    /// Whether everything behind the first word that is no flag is left as it is.
    pub stops_at_words: bool,
    /// Whether it does without the flags that all others have: it asks no server.
    pub stands_alone: bool,
}

impl Command {
    /// A command without anything, to be filled in by others.
    pub const EMPTY: Command = Command {
        name: "",
        aliases: &[],
        suggest_for: &[],
        family: Family::Other,
        about: "",
        long: "",
        usage: "[flags]",
        examples: &[],
        flags: &[],
        commands: &[],
        words: Words::None,
        action: Action::Help,
        phases: Phases::NONE,
        hidden: false,
        stops_at_words: false,
        stands_alone: false,
    };

    /// Returns the command below this one that a word calls.
    pub fn find(&self, word: &str) -> Option<&'static Command> {
        self.children().find(|command| command.name == word || command.aliases.contains(&word))
    }

    /// Returns the commands below this one.
    pub fn children(&self) -> impl Iterator<Item = &'static Command> {
        self.commands.iter().flat_map(|group| group.iter().copied())
    }

    /// Returns its own flags.
    pub fn own_flags(&self) -> impl Iterator<Item = &'static Flag> {
        self.flags.iter().flat_map(|group| group.iter())
    }

    /// Returns one of its own flags, by name.
    pub fn flag(&self, name: &str) -> Option<&'static Flag> {
        self.own_flags().find(|flag| flag.name == name)
    }
}

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`; alone it is `true`.
    Bool,
    /// Any text; the last one counts.
    Text,
    /// A whole number of 64 bits.
    Int,
    /// A whole number of 32 bits.
    Int32,
    /// A number with a fraction.
    Float,
    /// A duration as Go writes it: `1m30s`.
    Duration,
    /// Several texts, by commas or by repeating the flag.
    List,
    /// Several texts, by repeating the flag only.
    Array,
    /// Several `key=value`, by commas or by repeating the flag.
    Pairs,
    /// How much to log of some source files: `pattern=N`, by commas.
    Levels,
}

/// One flag.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Its name, without the hyphens.
    pub name: &'static str,
    /// Its letter.
    pub short: Option<char>,
    /// What it takes.
    pub kind: Kind,
    /// What it is when it is not given.
    pub default: &'static str,
    /// What it is when it is given without a value.
    pub bare: Option<&'static str>,
    /// What it does.
    pub about: &'static str,
    /// The values to choose from, for completion.
    pub choices: &'static [&'static str],
    /// What may be completed behind it.
    pub words: Words,
    /// Whether help and completion leave it out.
    pub hidden: bool,
    /// What to use instead: giving the flag says so.
    pub deprecated: Option<&'static str>,
    /// Whether the command can't go without it.
    pub required: bool,
}

impl Flag {
    const fn new(name: &'static str, kind: Kind, default: &'static str, about: &'static str) -> Flag {
        Flag {
            name,
            short: None,
            kind,
            default,
            bare: None,
            about,
            choices: &[],
            words: Words::None,
            hidden: false,
            deprecated: None,
            required: false,
        }
    }

    /// Returns a flag that is on or off, and off by default.
    pub const fn bool(name: &'static str, about: &'static str) -> Flag {
        Flag { bare: Some("true"), ..Flag::new(name, Kind::Bool, "false", about) }
    }

    /// Returns a flag that takes a text, empty by default.
    pub const fn text(name: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Text, "", about)
    }

    /// Returns a flag that takes a number.
    pub const fn int(name: &'static str, default: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Int, default, about)
    }

    /// Returns a flag that takes a number of 32 bits.
    pub const fn int32(name: &'static str, default: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Int32, default, about)
    }

    /// Returns a flag that takes a number with a fraction.
    pub const fn float(name: &'static str, default: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Float, default, about)
    }

    /// Returns a flag that takes a duration.
    pub const fn duration(name: &'static str, default: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Duration, default, about)
    }

    /// Returns a flag that takes several texts, by commas or repeated.
    pub const fn list(name: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::List, "", about)
    }

    /// Returns a flag that takes several texts, repeated.
    pub const fn array(name: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Array, "", about)
    }

    /// Returns a flag that takes several `key=value`, by commas or repeated.
    pub const fn pairs(name: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Pairs, "", about)
    }

    /// Returns a flag that takes how much to log of some source files.
    pub const fn levels(name: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Levels, "", about)
    }

    /// Reports whether a word is its name, in which underscores may stand for hyphens.
    pub fn is_called(&self, word: &str) -> bool {
        self.name.len() == word.len()
            && self
                .name
                .bytes()
                .zip(word.bytes())
                .all(|(ours, theirs)| ours == theirs || (ours, theirs) == (b'-', b'_'))
    }

    /// Returns its letter.
    pub const fn short(self, letter: char) -> Flag {
        Flag { short: Some(letter), ..self }
    }

    /// Returns what it is when it is not given.
    pub const fn default(self, value: &'static str) -> Flag {
        Flag { default: value, ..self }
    }

    /// Returns what it is when it is given without a value.
    pub const fn bare(self, value: &'static str) -> Flag {
        Flag { bare: Some(value), ..self }
    }

    /// Returns the values to choose from.
    pub const fn choices(self, choices: &'static [&'static str]) -> Flag {
        Flag { choices, ..self }
    }

    /// Returns what may be completed behind it.
    pub const fn words(self, words: Words) -> Flag {
        Flag { words, ..self }
    }

    /// Left out of help and completion.
    pub const fn hidden(self) -> Flag {
        Flag { hidden: true, ..self }
    }

    /// Says what to use instead.
    pub const fn deprecated(self, instead: &'static str) -> Flag {
        Flag { deprecated: Some(instead), hidden: true, ..self }
    }

    /// The command can't go without it.
    pub const fn required(self) -> Flag {
        Flag { required: true, ..self }
    }
}
