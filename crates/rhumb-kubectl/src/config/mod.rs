//! `config`: reads and changes kubeconfig files.
//!
//! The commands look at the files alone, with paths as they stand there, and never at a server. Those that change
//! something do it with [`rhumb_client::config::LoadingRules::edit`], which writes each entry to the file it is from.

mod cluster;
mod contexts;
mod credentials;
mod entries;
mod property;
mod view;

use rhumb_cli::command::{Command, Family};
use rhumb_cli::{Call, Failure};
use rhumb_client::config::{ConfigError, Kubeconfig, PathForm};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "config",
    family: Family::Other,
    about: "Change kubeconfig files",
    long: "Look at kubeconfig files and change them.\n\n\
        Which files: the one that --kubeconfig names, alone; else those that $KUBECONFIG lists, merged; else \
        ~/.kube/config.\nA change goes to the file that has the entry. What is new goes to the first file that is \
        there, or to the last of the list.",
    usage: "SUBCOMMAND",
    examples: &[
        ("The settings, merged", "config view"),
        ("Work in another namespace from now on", "config set-context --current --namespace=shop"),
    ],
    commands: &[&[
        &contexts::CURRENT,
        &entries::DELETE_CLUSTER,
        &contexts::DELETE,
        &entries::DELETE_USER,
        &entries::GET_CLUSTERS,
        &contexts::GET,
        &entries::GET_USERS,
        &contexts::RENAME,
        &property::SET,
        &cluster::COMMAND,
        &contexts::SET,
        &credentials::COMMAND,
        &property::UNSET,
        &contexts::USE,
        &view::COMMAND,
    ]],
    ..Command::EMPTY
};

/// Loads the kubeconfig. A missing explicit file is empty.
fn starting(call: &Call) -> Result<Kubeconfig, Failure> {
    match call.factory.loading_rules().load_unresolved() {
        Err(error) if error.is_missing_file() => Ok(Kubeconfig::default()),
        other => Ok(other?),
    }
}

/// Changes the files.
fn edit(
    call: &Call,
    paths: PathForm,
    change: impl FnOnce(&mut Kubeconfig) -> Result<(), ConfigError>,
) -> Result<(), Failure> {
    Ok(call.factory.loading_rules().edit(paths, change)?)
}

/// Returns the file that is named in messages.
fn file_name(call: &Call) -> String {
    let rules = call.factory.loading_rules();
    rules.default_file().map(|file| file.display().to_string()).unwrap_or_default()
}

/// Returns the one word that a command takes.
fn only_word(call: &mut Call) -> Result<String, Failure> {
    match call.args.as_slice() {
        [word] => Ok(word.clone()),
        _ => {
            let message = format!("Unexpected args: {}", call.listed_args());
            Err(call.help_and(message))
        }
    }
}
