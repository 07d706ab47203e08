//! `api-versions`: lists the API versions of the server.

use rhumb_cli::command::{Action, Command, Family};
use rhumb_cli::{Call, Outcome};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "api-versions",
    family: Family::Other,
    about: "List the API versions that the server has, as group/version",
    usage: "",
    examples: &[("All API versions", "api-versions")],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    if !call.args.is_empty() {
        return Err(call.usage(format!("unexpected arguments: [{}]", call.args.join(" "))));
    }
    // What is asked for here is what the server has now, not what it had some hours ago.
    let mapper = call.factory.mapper()?;
    mapper.reset().await;
    let groups = mapper.discovery().groups().await?;
    let mut versions: Vec<String> = groups
        .groups
        .iter()
        .flat_map(|group| group.versions.iter().map(|version| version.group_version.clone()))
        .collect();
    versions.sort();
    for version in versions {
        call.line(version)?;
    }
    Ok(())
}
