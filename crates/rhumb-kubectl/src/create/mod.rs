//! `create`: objects from files, and generators that make them from flags.

mod account;
mod binding;
mod config_map;
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

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::{Call, Outcome, options};

static FLAGS: &[Flag] = &[
    Flag::bool("edit", "Edit the objects before they are created."),
    Flag::text("raw", "A path of the server to POST the file to as it is."),
    Flag::bool("windows-line-endings", "With --edit, end lines as Windows does."),
    options::field_manager("kubectl-create"),
];

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "create",
    family: Family::Beginner,
    about: "Create objects from a file or from standard input",
    long: "Creates what files or standard input say. The commands below make objects from flags instead.",
    usage: "-f FILENAME [options]",
    examples: &[
        ("The pod that a file describes", "create -f pod.yaml"),
        ("Objects from standard input", "create -f - <objects.yaml"),
        ("Change what a file says before it is sent", "create -f registry.yaml --edit -o json"),
    ],
    flags: &[
        options::FILES,
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        options::SELECTOR,
        FLAGS,
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
    words: Words::None,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    if !call.args.is_empty() {
        return Err(call.usage(format!("Unexpected args: [{}]", call.args.join(" "))));
    }
    Err("must specify one of -f and -k".into())
}
