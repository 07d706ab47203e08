//! `create`: creates objects from files or flags.

mod account;
mod binding;
mod config_map;
mod from_files;
mod generator;
mod hash;
mod ingress;
mod policy;
mod role;
mod secret;
mod service;
mod sources;
mod tls;
mod token;
mod workload;

pub(crate) use generator::refused;
pub(crate) use policy::label_selector;

use rhumb_cli::command::{Action, Command, Family};
use rhumb_cli::options;

use crate::change_cause;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "create",
    family: Family::Beginner,
    about: "Create objects from files or standard input",
    long: from_files::LONG,
    usage: "-f FILENAME",
    examples: from_files::EXAMPLES,
    flags: &[
        from_files::FLAGS,
        change_cause::FLAGS,
        options::FILES,
        options::VALIDATE,
        options::SAVE_CONFIG,
        options::DRY_RUN,
        options::SELECTOR,
        options::PRINT,
    ],
    commands: &[&[
        &account::NAMESPACE,
        &policy::QUOTA,
        &secret::COMMAND,
        &config_map::COMMAND,
        &account::SERVICE_ACCOUNT,
        &service::COMMAND,
        &workload::DEPLOYMENT,
        &role::CLUSTER_ROLE,
        &binding::CLUSTER_ROLE_BINDING,
        &role::ROLE,
        &binding::ROLE_BINDING,
        &policy::DISRUPTION_BUDGET,
        &policy::PRIORITY_CLASS,
        &workload::JOB,
        &workload::CRON_JOB,
        &ingress::COMMAND,
        &token::COMMAND,
    ]],
    action: Action::Run(|call| Box::pin(from_files::run(call))),
    ..Command::EMPTY
};
