//! Runs a command line: from arguments to an exit code.

use std::io::Write;
use std::sync::Arc;

use rhumb_cli::command::{Action, Command, ParseError, Parsed, Phases, help, parse, parse_leniently, steps};
use rhumb_cli::{Call, Factory, Failure, Outcome, Streams, global};
use rhumb_client::Error;
use rhumb_client::config::{Environment, PluginPolicy, WarningWriter};
use rhumb_codec::json;
use rhumb_schema::text::indent_by;

use crate::{completion, kuberc, plugin, version};

/// Runs the command that the words behind the program's name call, and gives the exit code.
pub fn main(root: &'static Command, program: &str, args: &[String]) -> u8 {
    let mut streams = Streams::process();
    let has_commands = root.children().next().is_some();
    match args.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some((word @ ("__complete" | "__completeNoDesc"), words)) => {
            return completion::answer(root, program, words, word == "__complete", &mut streams);
        }
        Some(("help", words)) if has_commands => return show_help(root, program, words, &mut streams),
        _ => {}
    }
    let environment = Environment::process();
    let applied = match has_commands {
        true => kuberc::apply(root, &environment, args),
        // Preferences are about commands.
        false => Ok(kuberc::Applied::none(args)),
    };
    let kuberc::Applied { args, policy, warnings } = match applied {
        Ok(applied) => applied,
        Err(error) => {
            let _ = writeln!(streams.err, "error occurred while applying preferences {error}");
            return 1;
        }
    };
    let _ = streams.err.write_all(warnings.as_bytes());
    if let Err(error) = plugin_for_create(root, &environment, &args) {
        let _ = writeln!(streams.err, "Error: {error}");
        return 1;
    }
    let parsed = match parse(root, global::FLAGS, program, &args) {
        Ok(parsed) => parsed,
        Err(error @ ParseError::Command { is_first: true, .. }) => {
            let problem = match args.first().filter(|first| first.starts_with('-')) {
                Some(first) => Err(format!("flags cannot be placed before plugin name: {first}")),
                None => plugin::run(&environment, &args, 1).map_err(|error| error.to_string()),
            };
            if let Err(problem) = problem {
                let _ = writeln!(streams.err, "Error: {problem}");
                return 1;
            }
            return refuse(&mut streams, &error);
        }
        Err(error) => return refuse(&mut streams, &error),
    };
    for warning in &parsed.warnings {
        let _ = writeln!(streams.err, "{warning}");
    }
    finish(parsed, environment, policy, streams)
}

/// Runs a command that was understood, and tells what it came to.
fn finish(parsed: Parsed, environment: Environment, policy: PluginPolicy, streams: Streams) -> u8 {
    let warnings = WarningWriter::new(std::io::stderr()).deduplicated();
    let warnings = Arc::new(if streams.err_is_terminal { warnings.colored() } else { warnings });
    let factory = Factory::new(&parsed.flags, environment, warnings).with_plugin_policy(policy);
    let Parsed { commands, path, flags, args, dash, help, .. } = parsed;
    let mut call = Call { commands, path, flags, args, dash, streams, factory };
    let done = if help { call.show_help() } else { run(&mut call) };
    let flushed = call.streams.out.flush();
    let failure = match (done, flushed) {
        (Ok(()), Ok(())) => return 0,
        (Ok(()), Err(error)) => Failure::from(error),
        (Err(failure), _) => failure,
    };
    tell_status(&call, &failure);
    let server = call.factory.server();
    let _ = call.streams.err.write_all(failure.text(&server).as_bytes());
    failure.code()
}

/// Shows the whole of what a server answered to whoever wants to see much.
fn tell_status(call: &Call, failure: &Failure) {
    let Some(status) = failure.server_error().and_then(Error::status).filter(|_| call.flags.int("v") >= 4)
    else {
        return;
    };
    let (mut text, mut indented) = (Vec::new(), Vec::new());
    json::encode(status, &mut text);
    indent_by(2, &text, &mut indented);
    let message = format!("server response object: %s[{}]", String::from_utf8_lossy(&indented));
    rhumb_cli::log('I', call.factory.environment(), "helpers.go:246", &message);
}

fn refuse(streams: &mut Streams, error: &ParseError) -> u8 {
    // A diff that could not be made is told apart from one that found differences.
    if let ParseError::Flag { problem, path, .. } = error
        && path.ends_with(" diff")
    {
        let _ = writeln!(streams.err, "error: {problem}\nSee '{path} -h' for help and examples");
        return 2;
    }
    let _ = writeln!(streams.err, "error: {error}");
    1
}

/// Hooks of every command.
pub const PHASES: Phases = Phases {
    before_all: Some(Action::Plain(|call| check_profile(call))),
    after_all: Some(Action::Plain(|call| check_warnings(call))),
    ..Phases::NONE
};

/// Fails on server warnings with `--warnings-as-errors`.
fn check_warnings(call: &Call) -> Outcome {
    match (call.flags.bool("warnings-as-errors"), call.factory.warning_count()) {
        (false, _) | (true, 0) => Ok(()),
        (true, 1) => Err(Failure::message("1 warning received")),
        (true, many) => Err(Failure::message(format!("{many} warnings received"))),
    }
}

/// Validates `--profile`, although no profile is written.
fn check_profile(call: &Call) -> Outcome {
    // `debug` has a flag of the same name, which is another one.
    match call.flags.only(global::FLAGS).text("profile") {
        "" | "none" | "cpu" | "heap" | "goroutine" | "threadcreate" | "block" | "mutex" => Ok(()),
        other => Err(Failure::message(format!("unknown profile '{other}'"))),
    }
}

/// Shows help: `help rollout status` is `rollout status --help`.
fn show_help(root: &'static Command, program: &str, words: &[String], streams: &mut Streams) -> u8 {
    let parsed = parse_leniently(root, global::FLAGS, program, words);
    let command = parsed.commands.last().copied().unwrap_or(root);
    let text = help(command, &parsed.path, global::FLAGS);
    if parsed.commands.len() < 2 && !parsed.args.is_empty() {
        let words: Vec<String> = parsed.args.iter().map(|word| format!("`{word}`")).collect();
        let _ = writeln!(streams.err, "Unknown help topic [{}]", words.join(" "));
        let _ = streams.err.write_all(text.as_bytes());
        return 0;
    }
    let written = streams.out.write_all(text.as_bytes()).and_then(|()| streams.out.flush());
    u8::from(written.is_err_and(|error| error.kind() != std::io::ErrorKind::BrokenPipe))
}

/// Runs a plugin below `create`; returns if there is none.
fn plugin_for_create(
    root: &'static Command,
    environment: &Environment,
    args: &[String],
) -> Result<(), std::io::Error> {
    let [first, second, ..] = args else { return Ok(()) };
    let Some(create) = root.find(first).filter(|command| command.name == "create") else { return Ok(()) };
    if second.starts_with('-') || create.find(second).is_some() {
        return Ok(());
    }
    plugin::run(environment, args, 2)
}

/// Runs the command that was called, with what is done before and after it.
///
/// # Errors
/// What the command comes to.
pub fn run(call: &mut Call) -> Outcome {
    let steps = steps(&call.commands);
    let mut left = steps.as_slice();
    while let Some((step, others)) = left.split_first() {
        left = others;
        match step {
            Action::Help => show_commands(call)?,
            Action::Plain(run) => run(call)?,
            Action::Run(first) => {
                let more = others.iter().map_while(|step| match step {
                    Action::Run(run) => Some(run),
                    _ => None,
                });
                let together: Vec<_> = std::iter::once(first).chain(more).collect();
                left = others.get(together.len() - 1..).unwrap_or_default();
                // In one runtime, because the client's connections end with it.
                block_on(async {
                    if call.flags.bool("match-server-version") {
                        version::check_match(call).await?;
                    }
                    for run in together {
                        run(call).await?;
                    }
                    Ok(())
                })?;
            }
        }
    }
    Ok(())
}

/// Shows which commands are below one that does nothing by itself.
fn show_commands(call: &mut Call) -> Outcome {
    if !call.path.contains(' ') {
        return call.show_help();
    }
    // What a family of commands has goes to where mistakes are told.
    let text = help(call.command(), &call.path, global::FLAGS);
    // That of `rollout` alone is an answer, as it is in kubectl.
    match call.command().name {
        "rollout" => call.text(text)?,
        _ => call.warn(text.trim_end_matches('\n')),
    }
    Err(Failure::exit(1))
}

/// Does what needs a runtime, in one of its own.
pub(crate) fn block_on(work: impl Future<Output = Outcome>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::message(format!("there are no threads or files left: {error}")))?;
    let done = runtime.block_on(tokio::task::LocalSet::new().run_until(work));
    // What still reads standard input can't be waited for.
    runtime.shutdown_background();
    done
}
