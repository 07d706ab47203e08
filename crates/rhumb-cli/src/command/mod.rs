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

/// Function of a command.
pub type Run = for<'a> fn(&'a mut Call) -> Pin<Box<dyn Future<Output = Outcome> + 'a>>;

/// What a command runs.
#[derive(Clone, Copy)]
pub enum Action {
    /// Shows its help, since it only groups commands.
    Help,
    /// Runs inside the async runtime.
    Run(Run),
    /// Runs outside the async runtime.
    Plain(fn(&mut Call) -> Outcome),
}

/// Group of a command in the help of the program.
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
    /// Commands that kubectl doesn't have.
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

/// What arguments or flag values are, for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Can't be completed.
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

/// A command.
pub struct Command {
    /// The word it is called by.
    pub name: &'static str,
    /// Aliases.
    pub aliases: &'static [&'static str],
    /// Other words for which this command is suggested.
    pub suggest_for: &'static [&'static str],
    /// Group in the help of the program.
    pub family: Family,
    /// One-line description.
    pub about: &'static str,
    /// Full description, in paragraphs.
    pub long: &'static str,
    /// Arguments after the command's name: `(TYPE NAME | TYPE/NAME) [flags]`.
    pub usage: &'static str,
    /// Examples: description and arguments, without the program's name, which depends on how it is called.
    pub examples: &'static [(&'static str, &'static str)],
    /// Its own flags, in groups that commands share.
    pub flags: &'static [&'static [Flag]],
    /// The commands below it, in groups.
    pub commands: &'static [&'static [&'static Command]],
    /// What its arguments are, for completion.
    pub words: Words,
    /// What it runs.
    pub action: Action,
    /// Hooks around it and the commands below it.
    pub phases: Phases,
    /// Whether help and completion leave it out.
    pub hidden: bool,
    /// Whether everything behind the first word that is no flag is left as it is.
    pub stops_at_words: bool,
    /// Whether it does without the flags that all others have: it asks no server.
    pub stands_alone: bool,
}

impl Command {
    /// Empty command, as a base for others.
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

    /// Returns the command's own flags.
    pub fn own_flags(&self) -> impl Iterator<Item = &'static Flag> {
        self.flags.iter().flat_map(|group| group.iter())
    }

    /// Returns one of the command's own flags by name.
    pub fn flag(&self, name: &str) -> Option<&'static Flag> {
        self.own_flags().find(|flag| flag.name == name)
    }
}

/// Type of a flag's value.
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
    /// Log levels per source file: comma-separated `pattern=N`.
    Levels,
}

/// A flag.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Name without hyphens.
    pub name: &'static str,
    /// Short name.
    pub short: Option<char>,
    /// Type of its value.
    pub kind: Kind,
    /// Default value.
    pub default: &'static str,
    /// Value if the flag is given without one.
    pub bare: Option<&'static str>,
    /// Description.
    pub about: &'static str,
    /// The values to choose from, for completion.
    pub choices: &'static [&'static str],
    /// What its values are, for completion.
    pub words: Words,
    /// Whether help and completion leave it out.
    pub hidden: bool,
    /// Replacement for a deprecated flag, shown as a warning.
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

    /// Creates a boolean flag, false by default.
    pub const fn bool(name: &'static str, about: &'static str) -> Flag {
        Flag { bare: Some("true"), ..Flag::new(name, Kind::Bool, "false", about) }
    }

    /// Creates a string flag, empty by default.
    pub const fn text(name: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Text, "", about)
    }

    /// Creates an integer flag.
    pub const fn int(name: &'static str, default: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Int, default, about)
    }

    /// Creates a 32-bit integer flag.
    pub const fn int32(name: &'static str, default: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Int32, default, about)
    }

    /// Creates a float flag.
    pub const fn float(name: &'static str, default: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Float, default, about)
    }

    /// Creates a duration flag.
    pub const fn duration(name: &'static str, default: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Duration, default, about)
    }

    /// Creates a string list flag, comma-separated or repeated.
    pub const fn list(name: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::List, "", about)
    }

    /// Creates a string list flag, repeated.
    pub const fn array(name: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Array, "", about)
    }

    /// Creates a `key=value` list flag, comma-separated or repeated.
    pub const fn pairs(name: &'static str, about: &'static str) -> Flag {
        Flag::new(name, Kind::Pairs, "", about)
    }

    /// Creates a flag of log levels per source file.
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

    /// Sets the short name.
    pub const fn short(self, letter: char) -> Flag {
        Flag { short: Some(letter), ..self }
    }

    /// Sets the default value.
    pub const fn default(self, value: &'static str) -> Flag {
        Flag { default: value, ..self }
    }

    /// Sets the value for the flag without one.
    pub const fn bare(self, value: &'static str) -> Flag {
        Flag { bare: Some(value), ..self }
    }

    /// Sets the choices.
    pub const fn choices(self, choices: &'static [&'static str]) -> Flag {
        Flag { choices, ..self }
    }

    /// Sets what the values are, for completion.
    pub const fn words(self, words: Words) -> Flag {
        Flag { words, ..self }
    }

    /// Hides the flag from help and completion.
    pub const fn hidden(self) -> Flag {
        Flag { hidden: true, ..self }
    }

    /// Marks the flag as deprecated, with its replacement.
    pub const fn deprecated(self, instead: &'static str) -> Flag {
        Flag { deprecated: Some(instead), hidden: true, ..self }
    }

    /// Marks the flag as required.
    pub const fn required(self) -> Flag {
        Flag { required: true, ..self }
    }
}
