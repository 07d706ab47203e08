//! `events`: lists events in the order in which they were last seen.

use std::io::Write;

use rhumb_api::core::v1::{Event, EventList};
use rhumb_cli::command::{Action, Command, Family, Flag};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::WatchEvent;
use rhumb_meta::human::human_duration;
use rhumb_meta::v1::ListOptions;
use rhumb_meta::{GroupVersionKind, GroupVersionResource, MicroTime, Object, Time};
use rhumb_output::TabWriter;
use rhumb_output::terminal::escaped;

/// Page size.
const CHUNK: i64 = 500;

static FLAGS: &[Flag] = &[
    Flag::bool("watch", "After listing, go on with what happens.").short('w'),
    Flag::bool("all-namespaces", "In all namespaces.").short('A'),
    Flag::text("for", "Only events about this object: TYPE/NAME."),
    Flag::list("types", "Only events of these types: Normal, Warning."),
    Flag::bool("no-headers", "Print no headings."),
    Flag::int("chunk-size", "500", "How many events to fetch at once; 0 is all."),
];

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "events",
    family: Family::Troubleshooting,
    about: "List events",
    long: "Shows what happened in a namespace, or to one object, those last that were seen last.",
    usage: "[(-o|--output=)json|yaml|kyaml|name|go-template|go-template-file|template|templatefile|jsonpath|\
            jsonpath-as-json|jsonpath-file] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]",
    examples: &[
        ("In the namespace", "events"),
        ("About a pod, as they happen", "events --for pod/web-0 --watch"),
        ("Only warnings, everywhere", "events --types=Warning -A"),
    ],
    flags: &[FLAGS, options::PRINT],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let (namespace, _) = call.factory.namespace()?;
    let mut options = ListOptions { limit: CHUNK, ..ListOptions::default() };
    if !call.flags.text("for").is_empty() {
        let (kind, name) = object(call, call.flags.text("for")).await?;
        options.field_selector = format!(
            "involvedObject.kind={},involvedObject.apiVersion={},involvedObject.name={name}",
            kind.kind,
            kind.api_version()
        );
    }
    let types = call.flags.list("types");
    // An unknown format is refused before anything is asked.
    let mut printer = call.printer(DryRun::None)?;
    let is_known =
        |kind: &String| kind.eq_ignore_ascii_case("Normal") || kind.eq_ignore_ascii_case("Warning");
    if !types.iter().all(is_known) {
        return Err("valid --types are Normal or Warning".into());
    }
    let wanted =
        |event: &Event| types.is_empty() || types.iter().any(|kind| kind.eq_ignore_ascii_case(&event.type_));
    let everywhere = call.flags.bool("all-namespaces");
    let api = call.factory.client()?.resource::<Event>();
    let api = if everywhere { api.all_namespaces() } else { api.namespace(&namespace) };
    let shown = Shown { headings: !call.flags.bool("no-headers"), namespaces: everywhere };
    if call.flags.bool("watch") {
        let mut events = api.watch(&options).await?;
        let mut table = TabWriter::table(Vec::new());
        let mut first = true;
        while let Some(event) = events.next().await {
            let (WatchEvent::Added(mut event) | WatchEvent::Modified(mut event)) = event? else { continue };
            if !wanted(&event) {
                continue;
            }
            event.set_type_meta("v1", "Event");
            if printer.is_plain() {
                if std::mem::replace(&mut first, false) {
                    shown.head(&mut table)?;
                }
                shown.row(&mut table, &event, &call.factory.now())?;
                table.flush()?;
                call.streams.out.write_all(&std::mem::take(table.get_mut()))?;
            } else {
                printer.print_typed(&mut call.streams, &event, "events")?;
            }
            call.streams.out.flush()?;
        }
        return Ok(());
    }
    let mut events: Vec<Event> = api.list_all(&options).await?.items.into_iter().filter(wanted).collect();
    if events.is_empty() {
        call.warn(match everywhere {
            true => "No events found.".to_owned(),
            false => format!("No events found in {namespace} namespace."),
        });
        return Ok(());
    }
    events.sort_by_key(last_seen);
    if printer.is_plain() {
        let mut table = TabWriter::table(Vec::new());
        shown.head(&mut table)?;
        for event in &events {
            shown.row(&mut table, event, &call.factory.now())?;
        }
        return Ok(call.streams.out.write_all(&table.into_inner()?)?);
    }
    if call.flags.text("output") == "name" {
        // A list of a type has no name, and kubectl doesn't say that it can't print one.
        return Ok(());
    }
    events.iter_mut().for_each(|event| event.set_type_meta("v1", "Event"));
    let mut list = EventList { items: events, ..EventList::default() };
    list.set_type_meta("v1", "EventList");
    printer.print_typed(&mut call.streams, &list, "events")
}

/// Returns the kind and the name that `TYPE/NAME` means.
async fn object(call: &Call, word: &str) -> Result<(GroupVersionKind, String), Failure> {
    let parts: Vec<&str> = word.split('/').collect();
    let (resource, name) = match parts.as_slice() {
        [_] | [] => return Err("--for must be in resource/name form".into()),
        [resource, name] => (resource.to_lowercase(), (*name).to_owned()),
        _ => return Err("arguments in resource/name form may not have more than one slash".into()),
    };
    let mapper = call.factory.mapper()?;
    let (full, partial) = GroupVersionResource::parse_arg(&resource);
    let mut found = None;
    if let Some(full) = full {
        found = mapper.resource_for(&full).await.ok();
    }
    let found = match found {
        Some(found) => found,
        None => {
            let partial = GroupVersionResource::new(partial.group, "", partial.resource);
            mapper.resource_for(&partial).await?
        }
    };
    Ok((mapper.kind_for(&found).await?, name))
}

/// Returns when an event was last seen, in nanoseconds.
fn last_seen(event: &Event) -> i128 {
    let at = |seconds: i64, nanos: u32| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    match &event.series {
        Some(series) => at(series.last_observed_time.unix_seconds(), series.last_observed_time.nanos()),
        None if !event.last_timestamp.is_zero() => at(event.last_timestamp.unix_seconds(), 0),
        None => at(event.event_time.unix_seconds(), event.event_time.nanos()),
    }
}

/// Columns of an event table.
struct Shown {
    headings: bool,
    namespaces: bool,
}

impl Shown {
    fn head(&self, table: &mut dyn Write) -> Outcome {
        if self.headings {
            let namespace = if self.namespaces { "NAMESPACE\t" } else { "" };
            writeln!(table, "{namespace}LAST SEEN\tTYPE\tREASON\tOBJECT\tMESSAGE")?;
        }
        Ok(())
    }

    fn row(&self, table: &mut dyn Write, event: &Event, now: &Time) -> Outcome {
        if self.namespaces {
            write!(table, "{}\t", event.metadata.namespace)?;
        }
        Ok(writeln!(
            table,
            "{}\t{}\t{}\t{}/{}\t{}",
            interval(event, now),
            escaped(&event.type_),
            escaped(&event.reason),
            escaped(&event.involved_object.kind),
            escaped(&event.involved_object.name),
            escaped(event.message.trim())
        )?)
    }
}

/// Formats the age of an event; a repeated one has its first time, too.
fn interval(event: &Event, now: &Time) -> String {
    let first = match event.event_time.is_zero() {
        true => age(&event.first_timestamp, now),
        false => micro_age(&event.event_time, now),
    };
    match &event.series {
        Some(series) => {
            format!("{} (x{} over {first})", micro_age(&series.last_observed_time, now), series.count)
        }
        None if event.count > 1 => {
            format!("{} (x{} over {first})", age(&event.last_timestamp, now), event.count)
        }
        None => first,
    }
}

fn age(time: &Time, now: &Time) -> String {
    since(time.is_zero(), time.unix_seconds(), time.nanos(), now)
}

fn micro_age(time: &MicroTime, now: &Time) -> String {
    since(time.is_zero(), time.unix_seconds(), time.nanos(), now)
}

fn since(is_zero: bool, seconds: i64, nanos: u32, now: &Time) -> String {
    if is_zero {
        return "<unknown>".to_owned();
    }
    let seconds = now.unix_seconds().saturating_sub(seconds);
    let nanoseconds = i64::from(now.nanos()) - i64::from(nanos);
    human_duration(seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds))
}
