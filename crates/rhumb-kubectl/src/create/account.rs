//! `create namespace` and `create serviceaccount`.

use rhumb_api::core::v1::{Namespace, ServiceAccount};
use rhumb_cli::command::{Action, Command};
use rhumb_cli::{Call, Outcome, options};
use serde_json::json;

use super::generator::{Generator, MANAGER};

/// `create namespace`.
pub(super) static NAMESPACE: Command = Command {
    name: "namespace",
    aliases: &["ns"],
    about: "Create a namespace",
    usage: "NAME [--dry-run=server|client|none]",
    examples: &[
        ("A namespace named team-a", "create namespace team-a"),
        ("What would be sent for it", "create ns team-a --dry-run=client -o yaml"),
    ],
    flags: &[options::PRINT, options::SAVE_CONFIG, options::VALIDATE, options::DRY_RUN, MANAGER],
    action: Action::Run(|call| Box::pin(namespace(call))),
    ..Command::EMPTY
};

/// `create serviceaccount`.
pub(super) static SERVICE_ACCOUNT: Command = Command {
    name: "serviceaccount",
    aliases: &["sa"],
    about: "Create a service account",
    usage: "NAME [--dry-run=server|client|none]",
    examples: &[
        ("An account for a program", "create serviceaccount robot"),
        ("The same in another namespace", "create sa robot -n team-a"),
    ],
    flags: &[options::PRINT, options::SAVE_CONFIG, options::VALIDATE, options::DRY_RUN, MANAGER],
    action: Action::Run(|call| Box::pin(service_account(call))),
    ..Command::EMPTY
};

async fn namespace(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    if generator.name.is_empty() {
        return Err("name must be specified".into());
    }
    // A namespace stands in none, whatever flag was given.
    let tree = json!({"metadata": {"name": generator.name}});
    generator.create::<Namespace>(call, tree, "").await
}

async fn service_account(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    if generator.name.is_empty() {
        return Err("name must be specified".into());
    }
    let tree = json!({"metadata": generator.metadata()});
    generator.create::<ServiceAccount>(call, tree, "failed to create serviceaccount: ").await
}
