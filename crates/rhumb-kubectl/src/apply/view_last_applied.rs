//! `apply view-last-applied`: prints the last-applied configuration.

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome, options};
use rhumb_codec::yaml;
use rhumb_schema::text::{indent_by, parse_tree, quoted};

use crate::last_applied;

/// The command.
pub(super) static COMMAND: Command = Command {
    name: "view-last-applied",
    about: "Show what was applied last, as the object's annotation has it",
    usage: "(TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)",
    examples: &[
        ("Of a Deployment", "apply view-last-applied deployment/web"),
        ("Of what a file names, as JSON", "apply view-last-applied -f web.yaml -o json"),
    ],
    flags: &[FLAGS, options::FILES, options::SELECTOR],
    words: Words::TypesAndNames,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

static FLAGS: &[Flag] = &[
    Flag::text("output", "yaml or json.").short('o').default("yaml").choices(&["yaml", "json"]),
    Flag::bool("all", "Of all objects of the types, in the namespace."),
];

async fn run(call: &mut Call) -> Outcome {
    let (namespace, enforce) = call.factory.namespace()?;
    let flags = &call.flags;
    let infos = call
        .factory
        .builder()
        .namespace(&namespace)
        .default_namespace()
        .files(enforce, &options::files(flags), &mut call.streams)
        .words(enforce, &call.args)
        .select_all(flags.bool("all"))
        .label_selector(flags.text("selector"))
        .latest()
        .flatten()
        .build()
        .await?;
    let mut found = Vec::new();
    infos
        .visit(async |info| {
            match last_applied::original(info.object()?) {
                Some(text) => found.push(text),
                // Objects that were named without a file are passed over, as kubectl does.
                None if info.origin.source.is_empty() => {}
                None => {
                    return Err(format!(
                        "error when no last-applied-configuration annotation found on resource: {}\n {}: <nil>",
                        info.name,
                        quoted(&info.origin.source)
                    )
                    .into());
                }
            }
            Ok(())
        })
        .await?;
    for text in found {
        show(call, &text)?;
    }
    Ok(())
}

fn show(call: &mut Call, text: &str) -> Outcome {
    let mut out = Vec::new();
    match call.flags.text("output") {
        "json" => {
            parse_tree(text.as_bytes()).map_err(|error| Failure::message(error.to_string()))?;
            // White space at the end stays, as Go leaves it.
            let value = text.trim_end();
            indent_by(2, value.as_bytes(), &mut out);
            out.extend_from_slice(text.get(value.len()..).unwrap_or_default().as_bytes());
        }
        "yaml" => {
            let tree = parse_tree(text.as_bytes()).map_err(|error| Failure::message(error.to_string()))?;
            yaml::from_json_value(&tree, &mut out);
        }
        other => {
            return Err(call.usage(format!(
                "Unexpected -o output mode: {other}, the flag 'output' must be one of yaml|json"
            )));
        }
    }
    call.text(String::from_utf8_lossy(&out))
}
