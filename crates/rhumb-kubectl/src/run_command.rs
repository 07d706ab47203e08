//! From the process's words to a command that runs, and to an exit code.

use std::io::Write;
use std::sync::Arc;

use rhumb_cli::command::{Action, Command, ParseError, Parsed, help, parse};
use rhumb_cli::{Call, Factory, Failure, Outcome, Streams, global};
use rhumb_client::config::{Environment, WarningWriter};

/// Runs the command that the words behind the program's name call, and gives the exit code.
pub fn main(root: &'static Command, program: &str, args: &[String]) -> u8 {
    let mut streams = Streams::process();
    let parsed = match parse(root, global::FLAGS, program, args) {
        Ok(parsed) => parsed,
        Err(error) => return refuse(&mut streams, &error),
    };
    for warning in &parsed.warnings {
        let _ = writeln!(streams.err, "{warning}");
    }
    let (mut call, command) = call(root, parsed, streams);
    let done = run(&mut call, command);
    let flushed = call.streams.out.flush();
    let failure = match (done, flushed) {
        (Ok(()), Ok(())) => return 0,
        (Ok(()), Err(error)) => Failure::from(error),
        (Err(failure), _) => failure,
    };
    let server = call.factory.server();
    let _ = call.streams.err.write_all(failure.text(&server).as_bytes());
    failure.code()
}

fn refuse(streams: &mut Streams, error: &ParseError) -> u8 {
    let _ = writeln!(streams.err, "error: {error}");
    1
}

fn call(root: &'static Command, parsed: Parsed, streams: Streams) -> (Call, Option<&'static Command>) {
    let command = parsed.commands.last().copied().unwrap_or(root);
    let warnings = WarningWriter::new(std::io::stderr()).deduplicated();
    let warnings = if streams.err_is_terminal { warnings.colored() } else { warnings };
    let factory = Factory::new(&parsed.flags, Environment::process(), Arc::new(warnings));
    let call = Call {
        command,
        path: parsed.path,
        flags: parsed.flags,
        args: parsed.args,
        dash: parsed.dash,
        streams,
        factory,
    };
    (call, (!parsed.help).then_some(command))
}

/// Runs a command; without one, shows the help of the one that was called.
///
/// # Errors
/// What the command comes to.
pub fn run(call: &mut Call, command: Option<&'static Command>) -> Outcome {
    match command.map(|command| command.action) {
        // A family of commands does nothing by itself: what it has goes to where mistakes are told.
        Some(Action::Help) if call.path.contains(' ') => {
            let text = help(call.command, &call.path, global::FLAGS);
            let _ = call.streams.err.write_all(text.as_bytes());
            Err(Failure::exit(1))
        }
        None | Some(Action::Help) => call.show_help(),
        Some(Action::Plain(run)) => run(call),
        Some(Action::Run(run)) => block_on(run(call)),
    }
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
