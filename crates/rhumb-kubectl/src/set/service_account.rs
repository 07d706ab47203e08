//! `set serviceaccount`: sets the service account of workloads.

use rhumb_cli::command::{Action, Command, Words};
use rhumb_cli::options;
use rhumb_cli::{Call, Failure, Outcome};

use super::change::{Changer, MANAGER, SCOPE, with_name};
use super::image::WORKLOADS;
use crate::{change_cause, pod_spec};

/// `set serviceaccount`.
pub(super) static COMMAND: Command = Command {
    name: "serviceaccount",
    aliases: &["sa"],
    about: "Change the service account that pods run as",
    usage: "(-f FILENAME | TYPE NAME) SERVICE_ACCOUNT",
    examples: &[
        ("For a deployment", "set serviceaccount deployment web robot"),
        ("What a file says, printed", "set sa -f web.yaml robot --local -o yaml"),
    ],
    flags: &[options::PRINT, change_cause::FLAGS, options::FILES, SCOPE, options::DRY_RUN, MANAGER],
    words: Words::Of(WORKLOADS),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let mut changer = Changer::of(call, "serviceaccount updated", "failed to patch ServiceAccountName ")?;
    changer.check_flags(call)?;
    let args = call.args.clone();
    let Some((account, words)) = args.split_last() else { return Err("serviceaccount is required".into()) };
    let infos = changer.find(call, words).await?;
    let mut failures = Vec::new();
    for info in &infos {
        let before = changer.before(info)?;
        let mut after = before.clone();
        match pod_spec::of_mut(&mut after) {
            Ok(spec) => spec.insert("serviceAccountName".to_owned(), account.as_str().into()),
            Err(failure) => {
                failures.push(with_name(info, &failure));
                continue;
            }
        };
        if let Err(failure) = changer.apply_always(call, info, &before, after).await {
            failures.push(failure);
        }
    }
    Failure::all(failures)
}
