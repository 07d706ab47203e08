//! `create token`: requests a service account token.

use std::io::Write;

use rhumb_api::authentication::v1::TokenRequest;
use rhumb_api::core::v1::ServiceAccount;
use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Outcome};
use rhumb_meta::Object;
use rhumb_meta::v1::CreateOptions;
use serde_json::{Map, Value, json};

use super::generator::{one_name, refused};
use crate::typed;

const KINDS: &[&str] = &["Node", "Pod", "Secret"];

static FLAGS: &[Flag] = &[
    Flag::array("audience", "Whom the token is for. May be given several times; without it, the API server."),
    Flag::duration("duration", "0s", "How long the token should be good for; 0 leaves that to the server."),
    Flag::text("bound-object-kind", "The kind of an object without which the token is void.").choices(KINDS),
    Flag::text("bound-object-name", "The name of that object."),
    Flag::text("bound-object-uid", "The uid of that object; without it, that of the one there is."),
];

/// `create token`.
pub(super) static COMMAND: Command = Command {
    name: "token",
    about: "Ask for a token of a service account",
    usage: "SERVICE_ACCOUNT_NAME",
    examples: &[
        ("A token for the API server", "create token robot"),
        ("A token for someone else, for ten minutes", "create token robot --audience=vault --duration=10m"),
        (
            "A token that goes with a pod",
            "create token robot --bound-object-kind=Pod --bound-object-name=web-0",
        ),
    ],
    flags: &[options::PRINT, FLAGS],
    words: Words::NamesOf("serviceaccounts"),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let name = one_name(call)?;
    let (namespace, _) = call.factory.namespace()?;
    let mut printer = call.printer(DryRun::None)?;
    let spec = spec(call, &name)?;
    let mut request: TokenRequest = typed::from_tree(json!({"spec": spec}))?;
    request.set_type_meta("authentication.k8s.io/v1", "TokenRequest");
    let accounts = call.factory.client()?.resource::<ServiceAccount>().namespace(&namespace);
    let answer = accounts.create_token(&name, &request, &CreateOptions::default()).await;
    let mut answer = answer.map_err(|error| refused("failed to create token: ", error))?;
    if answer.status.token.is_empty() {
        return Err("failed to create token: no token in server response".into());
    }
    if call.flags.is_given("output") {
        answer.set_type_meta("authentication.k8s.io/v1", "TokenRequest");
        return printer.print_typed(&mut call.streams, &answer, "created");
    }
    let end = if call.streams.out_is_terminal { "\n" } else { "" };
    write!(call.streams.out, "{}{end}", answer.status.token)?;
    Ok(())
}

fn spec(call: &Call, name: &str) -> Result<Value, rhumb_cli::Failure> {
    let flags = &call.flags;
    if name.is_empty() {
        return Err("service account name is required".into());
    }
    let duration = flags.nanoseconds("duration");
    if duration < 0 {
        return Err("--duration must be greater than or equal to 0".into());
    }
    if duration % 1_000_000_000 != 0 {
        return Err("--duration cannot be expressed in units less than seconds".into());
    }
    let audiences = flags.list("audience");
    if audiences.iter().any(String::is_empty) {
        return Err("--audience must not be an empty string".into());
    }
    let text = |suffix: &str| flags.text(&format!("bound-object-{suffix}"));
    let mut spec = Map::new();
    spec.insert("audiences".to_owned(), json!(audiences));
    if duration > 0 {
        spec.insert("expirationSeconds".to_owned(), json!(duration / 1_000_000_000));
    }
    match (text("kind"), text("name"), text("uid")) {
        ("", "", "") => {}
        ("", "", _) => {
            return Err("--bound-object-uid can only be set if --bound-object-kind is provided".into());
        }
        ("", ..) => {
            return Err("--bound-object-name can only be set if --bound-object-kind is provided".into());
        }
        (kind, ..) if !KINDS.contains(&kind) => {
            return Err(format!("supported --bound-object-kind values are {}", KINDS.join(", ")).into());
        }
        (_, "", _) => {
            return Err("--bound-object-name is required if --bound-object-kind is provided".into());
        }
        (kind, name, uid) => {
            let bound = json!({"kind": kind, "apiVersion": "v1", "name": name, "uid": uid});
            spec.insert("boundObjectRef".to_owned(), bound);
        }
    }
    Ok(Value::Object(spec))
}
