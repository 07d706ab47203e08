//! `logs`: prints container logs.

use std::io::Write;
use std::time::Duration;

use rhumb_api::core::v1::{Pod, PodLogOptions};
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome, options};
use rhumb_client::{ByteStream, Client};
use rhumb_meta::Time;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::choose::{
    container, container_names, go_type, has_several, is_pod, matching, pod, preferred, running_timeout,
    selector,
};
use super::order;

/// Default number of lines per pod with a selector.
const SELECTOR_TAIL: i64 = 10;

const USAGE: &str = "logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]";

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "logs",
    family: Family::Troubleshooting,
    about: "Print what the containers of a pod have written",
    long: "Print what the containers of a pod, or of the pods of an object, have written. If a pod has one container, \
           its name need not be given.",
    usage: "[-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]",
    examples: &[
        ("All that a pod with one container has written", "logs web-0"),
        (
            "Of every container of it, each line with where it came from",
            "logs web-0 --all-containers --prefix",
        ),
        ("Of a deployment's pods", "logs deployment/web --all-pods"),
        ("Of the pods with a label", "logs -l app=web"),
        ("Of the instance before the last restart", "logs -p -c ruby web-1"),
        ("What is written from now on as well", "logs -f web-0"),
        ("The last 20 lines", "logs --tail=20 web-0"),
        ("The last hour", "logs --since=1h web-0"),
    ],
    flags: &[
        &[
            Flag::bool("all-pods", "From all pods, each line with where it came from."),
            Flag::bool("all-containers", "From all containers of the pods."),
            Flag::bool("follow", "Go on with what is written from now on.").short('f'),
            Flag::bool("timestamps", "Show the time of each line."),
            Flag::int("limit-bytes", "0", "How many bytes to print at most."),
            Flag::bool("previous", "Of the instance before the last restart.").short('p'),
            Flag::int(
                "tail",
                "-1",
                "How many of the last lines; -1 is all, and 10 is the default with a selector.",
            ),
            Flag::bool("ignore-errors", "Go on with the other containers when one fails."),
            Flag::text("since-time", "Only lines after this time, as RFC 3339. Not with --since."),
            Flag::duration("since", "0s", "Only lines of the last 5s, 2m or 3h. Not with --since-time."),
            Flag::text("container", "The container.").short('c'),
            Flag::bool("insecure-skip-tls-verify-backend", "Trust any certificate of the node."),
            Flag::duration("pod-running-timeout", "20s", "How long to wait for a pod that runs."),
            Flag::int("max-log-requests", "5", "How many logs to follow at once at most."),
            Flag::bool("prefix", "Show before each line the pod and the container it came from."),
        ],
        options::SELECTOR,
    ],
    words: Words::PodOrType,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

/// Log of one container.
struct Log {
    pod: String,
    namespace: String,
    options: PodLogOptions,
}

async fn run(call: &mut Call) -> Outcome {
    if !call.flags.bool("follow") {
        return print_logs(call).await;
    }
    tokio::select! {
        done = print_logs(call) => done,
        _ = tokio::signal::ctrl_c() => Err(Failure::exit(1)),
    }
}

async fn print_logs(call: &mut Call) -> Outcome {
    let selector = call.flags.text("selector").to_owned();
    let mut wanted = call.flags.text("container").to_owned();
    let usage = format!("expected '{USAGE}'.\nPOD or TYPE/NAME is a required argument for the logs command");
    let name = match call.args.as_slice() {
        [] if selector.is_empty() => return Err(call.usage(usage)),
        [] => None,
        [_] if !selector.is_empty() => {
            return Err(call.usage("only a selector (-l) or a POD name is allowed"));
        }
        [name] => Some(name.clone()),
        [name, container] => {
            wanted.clone_from(container);
            Some(name.clone())
        }
        _ => return Err(call.usage(usage)),
    };
    let (namespace, _) = call.factory.namespace()?;
    let timeout = running_timeout(call)?;
    let options = log_options(call, &wanted)?;
    let infos = find(call, &namespace, name.as_deref(), &selector).await?;
    validate(call, &options)?;
    let mut logs = Vec::new();
    for info in &infos {
        logs.extend(logs_of(call, info, &options, timeout).await?);
    }
    let follow = call.flags.bool("follow");
    let limit = usize::try_from(call.flags.int("max-log-requests")).unwrap_or_default();
    if follow && logs.len() > 1 {
        if logs.len() > limit {
            return Err(Failure::message(format!(
                "you are attempting to follow {} log streams, but maximum allowed concurrency is {limit}, use \
                 --max-log-requests to increase the limit",
                logs.len()
            )));
        }
        return together(call, logs, timeout).await;
    }
    let client = call.factory.client()?.clone();
    for log in &logs {
        let prefix = prefix(call, log);
        let deadline = Instant::now() + timeout;
        loop {
            let read = copy(call, &client, log, &prefix).await;
            match read {
                Ok(()) => break,
                Err(failure @ Failure::Output(_)) => return Err(failure),
                Err(failure) if call.flags.bool("ignore-errors") => {
                    call.line(format!("error: {}", failure.bare()))?;
                    break;
                }
                Err(failure) if !follow => return Err(failure),
                Err(failure) => {
                    // The container may not have started yet.
                    call.warn(failure.bare());
                    if failure.server_error().and_then(|error| error.status()).is_none() {
                        return Err(failure);
                    }
                    if Instant::now() + Duration::from_secs(1) >= deadline {
                        return Err("context deadline exceeded".into());
                    }
                    sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }
    Ok(())
}

fn log_options(call: &Call, container: &str) -> Result<PodLogOptions, Failure> {
    let flags = &call.flags;
    let since_time = match flags.text("since-time") {
        "" => None,
        text => Some(Time::parse(text).map_err(|error| Failure::message(error.to_string()))?),
    };
    let since = flags.nanoseconds("since");
    let tail = flags.int("tail");
    let tail_lines = match tail {
        -1 if !flags.text("selector").is_empty() && !flags.is_given("tail") => Some(SELECTOR_TAIL),
        -1 => None,
        lines => Some(lines),
    };
    Ok(PodLogOptions {
        container: container.to_owned(),
        follow: flags.bool("follow"),
        previous: flags.bool("previous"),
        timestamps: flags.bool("timestamps"),
        insecure_skip_tls_verify_backend: flags.bool("insecure-skip-tls-verify-backend"),
        since_time,
        limit_bytes: Some(flags.int("limit-bytes")).filter(|bytes| *bytes != 0),
        since_seconds: (since != 0).then(|| rounded_seconds(since)),
        tail_lines,
        ..PodLogOptions::default()
    })
}

/// Nanoseconds as whole seconds, halves away from zero.
fn rounded_seconds(nanoseconds: i64) -> i64 {
    let half = if nanoseconds < 0 { -500_000_000 } else { 500_000_000 };
    nanoseconds.saturating_add(half) / 1_000_000_000
}

fn validate(call: &Call, options: &PodLogOptions) -> Outcome {
    let flags = &call.flags;
    if !flags.text("since-time").is_empty() && flags.nanoseconds("since") != 0 {
        return Err("at most one of `sinceTime` or `sinceSeconds` may be specified".into());
    }
    if flags.bool("all-containers") && !options.container.is_empty() {
        return Err(Failure::message(format!(
            "--all-containers=true should not be specified with container name {}",
            options.container
        )));
    }
    if flags.is_given("container") && call.args.len() == 2 {
        return Err("only one of -c or an inline [CONTAINER] arg is allowed".into());
    }
    if flags.int("limit-bytes") < 0 {
        return Err("--limit-bytes must be greater than 0".into());
    }
    if options.since_seconds.is_some_and(|seconds| seconds < 0) {
        return Err("--since must be greater than 0".into());
    }
    if options.tail_lines.is_some_and(|lines| lines < -1) {
        return Err("--tail must be greater than or equal to -1".into());
    }
    Ok(())
}

/// Returns the object that is named, or the pods with the labels.
async fn find(
    call: &mut Call,
    namespace: &str,
    name: Option<&str>,
    selector: &str,
) -> Result<Vec<Info>, Failure> {
    let builder = call.factory.builder().namespace(namespace).default_namespace().single_type();
    let builder = match name {
        Some(name) => builder.names_of("pods", &[name.to_owned()]),
        None => builder.types(&["pods"]).label_selector(selector).flatten(),
    };
    let infos = match builder.build().await?.collect().await {
        Ok(infos) => infos,
        Err(failure) if failure.is_not_found() => {
            return Err(Failure::message(format!(
                "error from server (NotFound): {} in namespace {namespace:?}",
                failure.bare()
            )));
        }
        Err(failure) => return Err(failure),
    };
    if name.is_none() && infos.is_empty() {
        call.warn(format!("No resources found in {namespace} namespace."));
    }
    Ok(infos)
}

/// Returns the logs of an object: of its containers if it is a pod, else of one of its pods or of all.
async fn logs_of(
    call: &mut Call,
    info: &Info,
    options: &PodLogOptions,
    timeout: Duration,
) -> Result<Vec<Log>, Failure> {
    let all_pods = call.flags.bool("all-pods");
    if is_pod(info) {
        return logs_of_pod(call, &pod(info.object()?)?, options, all_pods);
    }
    let (namespace, selector) = selector(info).map_err(|reason| {
        Failure::message(format!("cannot get the logs from {}: {reason}", go_type(info)))
    })?;
    let mut pods = matching(info.client()?, &namespace, &selector, timeout, order::by_logging).await?;
    if pods.len() > 1 && !all_pods {
        if let Some(first) = pods.first() {
            call.warn(format!("Found {} pods, using pod/{}", pods.len(), first.metadata.name));
        }
        pods.truncate(1);
    }
    let mut logs = Vec::new();
    for pod in &pods {
        logs.extend(logs_of_pod(call, pod, options, all_pods)?);
    }
    Ok(logs)
}

fn logs_of_pod(
    call: &mut Call,
    pod: &Pod,
    options: &PodLogOptions,
    all_pods: bool,
) -> Result<Vec<Log>, Failure> {
    let log = |container: &str| Log {
        pod: pod.metadata.name.clone(),
        namespace: pod.metadata.namespace.clone(),
        options: PodLogOptions { container: container.to_owned(), ..options.clone() },
    };
    let spec = &pod.spec;
    if call.flags.bool("all-containers") {
        let initial = spec.init_containers.iter().map(|container| container.name.as_str());
        let regular = spec.containers.iter().map(|container| container.name.as_str());
        let ephemeral = spec
            .ephemeral_containers
            .iter()
            .map(|container| container.ephemeral_container_common.name.as_str());
        return Ok(initial.chain(regular).chain(ephemeral).map(log).collect());
    }
    let mut name = options.container.as_str();
    if name.is_empty()
        && let Some(wanted) = preferred(pod)
    {
        match container(pod, wanted) {
            Some(found) => name = found.name,
            None => {
                call.warn(format!("Default container name {wanted:?} not found in pod {}", pod.metadata.name))
            }
        }
    }
    if name.is_empty() {
        name = spec.containers.first().map_or("", |container| container.name.as_str());
        if has_several(pod) && !all_pods {
            call.warn(format!("Defaulted container {name:?} out of: {}", container_names(pod)));
        }
    }
    match container(pod, name) {
        Some(_) => Ok(vec![log(name)]),
        None => Err(super::choose::no_such_container(pod, name)),
    }
}

/// Returns the prefix of each line.
fn prefix(call: &Call, log: &Log) -> String {
    match call.flags.bool("prefix") || call.flags.bool("all-pods") {
        true => format!("[pod/{}/{}] ", log.pod, log.options.container),
        false => String::new(),
    }
}

/// Prints the log of a container of a pod.
pub(crate) async fn print(call: &mut Call, pod: &Pod, options: PodLogOptions) -> Outcome {
    let client = call.factory.client()?.clone();
    let (namespace, pod) = (pod.metadata.namespace.clone(), pod.metadata.name.clone());
    copy(call, &client, &Log { pod, namespace, options }, "").await
}

async fn open(client: &Client, log: &Log) -> Result<ByteStream, Failure> {
    Ok(client.core_v1().pods(&log.namespace).log(&log.pod, &log.options).await?)
}

async fn copy(call: &mut Call, client: &Client, log: &Log, prefix: &str) -> Outcome {
    let mut stream = open(client, log).await?;
    let mut lines = Lines { prefix, begins: true };
    while let Some(bytes) = stream.next().await {
        call.streams.out.write_all(&lines.mark(&bytes?))?;
        call.streams.out.flush()?;
    }
    Ok(())
}

/// Writer that prefixes each line, however the input is split.
struct Lines<'a> {
    prefix: &'a str,
    begins: bool,
}

impl Lines<'_> {
    fn mark(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.prefix.is_empty() {
            return bytes.to_vec();
        }
        let mut marked = Vec::with_capacity(bytes.len() + self.prefix.len());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.begins {
                marked.extend_from_slice(self.prefix.as_bytes());
            }
            marked.extend_from_slice(line);
            self.begins = line.ends_with(b"\n");
        }
        marked
    }
}

/// Follows several logs at once; whole lines are kept together.
async fn together(call: &mut Call, logs: Vec<Log>, timeout: Duration) -> Outcome {
    let client = call.factory.client()?.clone();
    let ignores = call.flags.bool("ignore-errors");
    let (sender, mut lines) = mpsc::channel::<Result<Vec<u8>, Failure>>(64);
    for log in logs {
        let (sender, client, prefix) = (sender.clone(), client.clone(), prefix(call, &log));
        tokio::task::spawn_local(async move {
            let done = follow(&client, &log, &prefix, &sender, timeout).await;
            if let Err(failure) = done {
                let last = match ignores {
                    true => Ok(format!("error: {}\n", failure.bare()).into_bytes()),
                    false => Err(failure),
                };
                let _ = sender.send(last).await;
            }
        });
    }
    drop(sender);
    while let Some(line) = lines.recv().await {
        call.streams.out.write_all(&line?)?;
        call.streams.out.flush()?;
    }
    Ok(())
}

async fn follow(
    client: &Client,
    log: &Log,
    prefix: &str,
    sender: &mpsc::Sender<Result<Vec<u8>, Failure>>,
    timeout: Duration,
) -> Outcome {
    let deadline = Instant::now() + timeout;
    let mut stream = loop {
        match open(client, log).await {
            Ok(stream) => break stream,
            Err(failure) if failure.is_not_found() || Instant::now() >= deadline => return Err(failure),
            Err(_) => sleep(Duration::from_secs(1)).await,
        }
    };
    let mut line = Vec::new();
    while let Some(bytes) = stream.next().await {
        for part in bytes?.split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let marked = [prefix.as_bytes(), &std::mem::take(&mut line)].concat();
                if sender.send(Ok(marked)).await.is_err() {
                    return Ok(());
                }
            }
        }
    }
    if !line.is_empty() {
        let _ = sender.send(Ok([prefix.as_bytes(), &line].concat())).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_marked_wherever_they_are_cut() {
        let mut lines = Lines { prefix: "> ", begins: true };
        assert_eq!(lines.mark(b"a\nb"), b"> a\n> b");
        assert_eq!(lines.mark(b"c\n"), b"c\n");
        assert_eq!(lines.mark(b"d\n"), b"> d\n");
    }

    #[test]
    fn seconds_are_rounded() {
        assert_eq!(rounded_seconds(1_500_000_000), 2);
        assert_eq!(rounded_seconds(-1_500_000_000), -2);
        assert_eq!(rounded_seconds(1_400_000_000), 1);
    }
}
