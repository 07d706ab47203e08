//! `describe`: prints details of objects.

use std::path::PathBuf;

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome, options};
use rhumb_describe::{DescribeError, Mapping, Settings, Zone};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "describe",
    suggest_for: &["inspect"],
    family: Family::Troubleshooting,
    about: "Tell all about an object or several",
    long: "Tell all about objects, what belongs to them and what happened to them included. A name that no object has \
           means all objects whose names begin with it.",
    usage: "(-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)",
    examples: &[
        ("A node", "describe nodes n1"),
        ("A pod", "describe pods/web-0"),
        ("What a file names", "describe -f pod.json"),
        ("All pods", "describe pods"),
        ("Pods with a label", "describe pods -l app=web"),
        ("All pods whose names begin with web", "describe pods web"),
    ],
    flags: &[
        options::FILES,
        options::SELECTOR,
        &[
            Flag::bool("all-namespaces", "From all namespaces.").short('A'),
            Flag::bool("show-events", "Show what happened. Without it: yes for one object, no for several.")
                .default("true"),
            Flag::int("chunk-size", "500", "How many objects to fetch at once; 0 is all of them."),
        ],
    ],
    words: Words::TypesAndNames,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let (namespace, explicit) = call.factory.namespace()?;
    let all_namespaces = call.flags.bool("all-namespaces");
    let files = options::files(&call.flags);
    if call.args.is_empty() && files.is_empty() {
        return Err(Failure::message(format!(
            "You must specify the type of resource to describe. Use \"{} api-resources\" for a complete list of \
             supported resources.\n",
            call.program()
        )));
    }
    let args = call.args.clone();
    let infos = call
        .factory
        .builder()
        .program(call.program())
        .continue_on_error()
        .namespace(&namespace)
        .default_namespace()
        .all_namespaces(all_namespaces)
        .files(explicit && !all_namespaces, &files, &mut call.streams)
        .label_selector(call.flags.text("selector"))
        .words(true, &args)
        .chunks_of(call.flags.int("chunk-size"))
        .flatten()
        .build()
        .await?;
    let (infos, failure) = infos.gather_ignoring(|_| false).await;
    let mut settings = settings(call);
    if (failure.is_some() || infos.len() > 1) && !call.flags.is_given("show-events") {
        settings.show_events = false;
    }
    let mut failures = Vec::new();
    if let Some(failure) = failure {
        if failure.is_not_found()
            && let [kind, prefix] = args.as_slice()
        {
            return matching(call, failure, &namespace, kind, prefix, &settings).await;
        }
        failures.push(failure);
    }
    let mut is_first = true;
    for info in &infos {
        match describe(call, info, &settings).await {
            Ok(text) => {
                call.text(if std::mem::take(&mut is_first) { text } else { format!("\n\n{text}") })?;
            }
            Err(failure) if failures.iter().any(|known: &Failure| known.bare() == failure.bare()) => {}
            Err(failure) => failures.push(failure),
        }
    }
    if infos.is_empty() && failures.is_empty() {
        match all_namespaces {
            true => call.warn("No resources found"),
            false => call.warn(format!("No resources found in {namespace} namespace.")),
        }
    }
    Failure::all(failures)
}

/// Describes the objects whose names begin with something.
async fn matching(
    call: &mut Call,
    missing: Failure,
    namespace: &str,
    kind: &str,
    prefix: &str,
    settings: &Settings,
) -> Outcome {
    let infos = call
        .factory
        .builder()
        .namespace(namespace)
        .default_namespace()
        .words(true, &[kind.to_owned()])
        .single_type()
        .chunks_of(call.flags.int("chunk-size"))
        .flatten()
        .build()
        .await?;
    let mut is_found = false;
    for info in infos.collect().await?.iter().filter(|info| info.name.starts_with(prefix)) {
        is_found = true;
        let text = describe(call, info, settings).await?;
        call.line(text)?;
    }
    if is_found { Ok(()) } else { Err(missing) }
}

async fn describe(call: &Call, info: &Info, settings: &Settings) -> Result<String, Failure> {
    let mapping = Mapping {
        kind: info.mapping.kind.clone(),
        resource: info.mapping.resource.clone(),
        scope: info.mapping.scope,
    };
    let client = call.factory.client()?;
    rhumb_describe::describe(client, &mapping, &info.namespace, &info.name, settings).await.map_err(|error| {
        match error {
            DescribeError::Client(error) => Failure::from(error),
            other => Failure::message(other.to_string()),
        }
    })
}

fn settings(call: &Call) -> Settings {
    Settings {
        show_events: call.flags.bool("show-events"),
        chunk_size: call.flags.int("chunk-size"),
        now: call.factory.now(),
        zone: zone(call),
    }
}

/// Returns the time zone of the user: `$TZ`, or that of the machine.
fn zone(call: &Call) -> Zone {
    let file = match call.factory.environment().variable("TZ") {
        None => PathBuf::from("/etc/localtime"),
        Some("" | "UTC") => return Zone::utc(),
        Some(name) if name.starts_with('/') => PathBuf::from(name),
        Some(name) => PathBuf::from("/usr/share/zoneinfo").join(name.trim_start_matches(':')),
    };
    let bytes = std::fs::read(file).unwrap_or_default();
    Zone::from_tzif(&bytes).unwrap_or_else(|_| Zone::utc())
}
