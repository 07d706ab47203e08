//! `config view`: prints the merged configuration.

use rhumb_cli::command::{Action, Command, Flag};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Failure, Outcome};

/// The command.
pub(super) static COMMAND: Command = Command {
    name: "view",
    about: "Show the settings of all kubeconfig files together",
    long: "Show the settings of all kubeconfig files together, or those of one file.\n\n\
        Certificates, keys, tokens and passwords are left out unless --raw or --flatten is given.",
    examples: &[
        ("All settings", "config view"),
        (
            "Only what the current context uses, in one file that can be taken elsewhere",
            "config view --minify --flatten",
        ),
        ("One value", "config view -o jsonpath='{.users[?(@.name==\"e2e\")].user.token}' --raw"),
    ],
    flags: &[FLAGS, options::PRINT_YAML],
    action: Action::Plain(run),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::bool("flatten", "Put the content of certificate and key files into the output."),
    Flag::bool("merge", "Merge all kubeconfig files.").default("true"),
    Flag::bool("minify", "Leave out what the current context doesn't use."),
    Flag::bool("raw", "Show certificates, keys, tokens and passwords."),
];

fn run(call: &mut Call) -> Outcome {
    if !call.args.is_empty() {
        return Err(call.usage(format!("unexpected arguments: {}", call.listed_args())));
    }
    let rules = call.factory.loading_rules();
    let explicit = rules.explicit_file();
    let mut printer = call.printer(DryRun::None)?;
    let merge = match call.flags.is_given("merge") {
        true => call.flags.bool("merge"),
        false => explicit.is_none(),
    };
    if !merge && explicit.is_none() {
        return Err(Failure::message("if merge==false a precise file must be specified"));
    }
    let mut config = super::starting(call)?;
    if call.flags.bool("minify") {
        if let Some(context) = Some(call.flags.text("context")).filter(|name| !name.is_empty()) {
            context.clone_into(&mut config.current_context);
        }
        config.minify()?;
    }
    if call.flags.bool("flatten") {
        config.flatten(call.factory.environment().working_dir())?;
    } else if !call.flags.bool("raw") {
        config.shorten();
    }
    let text = config.to_json();
    printer.print_text(&mut call.streams, &text)
}
