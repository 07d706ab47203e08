//! `rollout history`: lists the revisions of a workload.

use std::collections::BTreeMap;
use std::io::Write;

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_output::{TabLayout, TabWriter};
use rhumb_scheme::Unstructured;

use super::revisions::{self, Keeper};
use super::{WORKLOADS, find, require_something};
use crate::change_cause::ANNOTATION;
use crate::{metadata, typed};

static FLAGS: &[Flag] = &[Flag::int("revision", "0", "Show this revision with its template.")];

/// `rollout history`.
pub(super) static COMMAND: Command = Command {
    name: "history",
    about: "Show the revisions of a workload",
    usage: "(TYPE NAME | TYPE/NAME) [flags]",
    examples: &[
        ("All revisions of a deployment", "rollout history deployment/web"),
        ("The third, with its template", "rollout history daemonset/agent --revision=3"),
    ],
    flags: &[FLAGS, options::SELECTOR, options::FILES, options::PRINT],
    words: Words::Of(WORKLOADS),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    require_something(call)?;
    let revision = call.flags.int("revision");
    if revision < 0 {
        return Err(format!("revision must be a positive integer: {revision}").into());
    }
    let mut printer = call.printer(DryRun::None)?;
    let (infos, _) = find(call).await?;
    infos
        .visit(async |info| {
            let keeper = revisions::keeper(info, "history")?;
            let kept: BTreeMap<i64, Unstructured> =
                revisions::of(call, info, keeper).await?.into_iter().collect();
            // A template alone is no output: it prints the workload that the revisions are of.
            if call.flags.is_given("output") {
                for object in objects(info, keeper, &kept, revision)? {
                    typed::print(&mut printer, &mut call.streams, &object, "")?;
                }
                return Ok(());
            }
            let text = text(call, info, keeper, &kept, revision)?;
            let which = if revision > 0 { format!("with revision #{revision}") } else { String::new() };
            typed::print(&mut printer, &mut call.streams, info.object()?, &format!("{which}\n{text}"))
        })
        .await
}

/// Returns the workload at its revisions, or at one.
fn objects(
    info: &Info,
    keeper: Keeper,
    kept: &BTreeMap<i64, Unstructured>,
    revision: i64,
) -> Result<Vec<Unstructured>, Failure> {
    let form = |object: &Unstructured| match keeper {
        Keeper::ReplicaSets => Ok(object.clone()),
        Keeper::Revisions(_) => revisions::applied(info.object()?, object),
    };
    if revision > 0 {
        let object =
            kept.get(&revision).ok_or_else(|| Failure::message("unable to find the specified revision"))?;
        return Ok(vec![form(object)?]);
    }
    kept.values().map(form).collect()
}

/// Returns a table of the revisions, or the template of one.
fn text(
    call: &Call,
    info: &Info,
    keeper: Keeper,
    kept: &BTreeMap<i64, Unstructured>,
    revision: i64,
) -> Result<String, Failure> {
    if kept.is_empty() {
        return Ok("No rollout history found.".to_owned());
    }
    let cause = |object: &Unstructured| {
        metadata::annotations(object).remove(ANNOTATION).filter(|text| !text.is_empty())
    };
    if revision > 0 {
        let object =
            kept.get(&revision).ok_or_else(|| Failure::message("unable to find the specified revision"))?;
        return match keeper {
            Keeper::ReplicaSets => revisions::described(call, object, cause(object).as_deref()),
            Keeper::Revisions(_) => {
                let applied = revisions::applied(info.object()?, object).map_err(|_| {
                    Failure::message(format!("unable to parse history {}", metadata::text(object, "name")))
                })?;
                revisions::described(call, &applied, None)
            }
        };
    }
    let mut table = TabWriter::new(Vec::new(), TabLayout::DESCRIPTION);
    writeln!(table, "REVISION\tCHANGE-CAUSE")?;
    for (number, object) in kept {
        writeln!(table, "{number}\t{}", cause(object).as_deref().unwrap_or("<none>"))?;
    }
    Ok(String::from_utf8_lossy(&table.into_inner()?).into_owned())
}
