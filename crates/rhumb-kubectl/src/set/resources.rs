//! `set resources`: sets requests and limits of containers.

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::options;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_meta::Quantity;
use serde_json::{Map, Value};

use super::change::{Changer, MANAGER, SCOPE, with_name};
use super::image::WORKLOADS;
use crate::two_way::at_mut;
use crate::{change_cause, pod_spec};

static FLAGS: &[Flag] = &[
    Flag::text("containers", "Which containers, by name; * stands for anything.").short('c').default("*"),
    Flag::text("limits", "What may be used at most: cpu=100m,memory=256Mi."),
    Flag::text("requests", "What is asked for: cpu=100m,memory=256Mi."),
];

/// `set resources`.
pub(super) static COMMAND: Command = Command {
    name: "resources",
    about: "Change what containers ask for and may use",
    usage: "(-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS]",
    examples: &[
        ("Limits for one container", "set resources deployment web -c=nginx --limits=cpu=200m,memory=512Mi"),
        ("Requests for all containers", "set resources deployment web --requests=cpu=100m"),
        ("What a file says, printed", "set resources -f web.yaml --limits=cpu=1 --local -o yaml"),
    ],
    flags: &[
        options::PRINT,
        change_cause::FLAGS,
        options::FILES,
        SCOPE,
        options::SELECTOR,
        FLAGS,
        options::DRY_RUN,
        MANAGER,
    ],
    words: Words::Of(WORKLOADS),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let mut changer = Changer::of(
        call,
        "resource requirements updated",
        "failed to patch resources update to pod template ",
    )?;
    let words = call.args.clone();
    changer.refuse_words(&words)?;
    let infos = changer.find(call, &words).await?;
    changer.check_flags(call)?;
    let flags = &call.flags;
    if flags.text("limits").is_empty() && flags.text("requests").is_empty() {
        return Err(
            "you must specify an update to requests or limits (in the form of --requests/--limits)".into()
        );
    }
    let changes =
        [("limits", quantities(flags.text("limits"))?), ("requests", quantities(flags.text("requests"))?)];
    let pattern = flags.text("containers").to_owned();
    let mut failures = Vec::new();
    for info in &infos {
        let before = changer.before(info)?;
        let mut after = before.clone();
        let spec = match pod_spec::of_mut(&mut after) {
            Ok(spec) => spec,
            Err(failure) => {
                failures.push(with_name(info, &failure));
                continue;
            }
        };
        let found = pod_spec::each_container(spec, &pattern, |container| {
            for (field, quantities) in changes.iter().filter(|(_, quantities)| !quantities.is_empty()) {
                at_mut(container, &["resources", field]).extend(quantities.clone());
            }
        });
        if found == 0 {
            let missing = Failure::message(format!("error: unable to find container named {pattern}"));
            failures.push(missing.at(&info.origin));
            continue;
        }
        if let Err(failure) = changer.apply(call, info, &before, after).await {
            failures.push(failure);
        }
    }
    Failure::all(failures)
}

/// Resources and how much of them: `cpu=1,memory=1Gi`.
pub(crate) fn quantities(list: &str) -> Result<Map<String, Value>, Failure> {
    let mut quantities = Map::new();
    for pair in list.split(',').filter(|_| !list.is_empty()) {
        let parts: Vec<&str> = pair.split('=').collect();
        let [name, quantity] = parts.as_slice() else {
            return Err(format!("Invalid argument syntax {pair}, expected <resource>=<value>").into());
        };
        let quantity: Quantity = quantity.parse().map_err(|error| Failure::message(format!("{error}")))?;
        quantities.insert((*name).to_owned(), quantity.to_string().into());
    }
    Ok(quantities)
}
