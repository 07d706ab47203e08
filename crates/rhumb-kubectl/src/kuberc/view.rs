//! `kuberc view`: prints preferences.

use std::io::{BufRead, BufReader};

use rhumb_cli::command::{Action, Command};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::config::os_text;

use super::preference::{CommandDefaults, CommandOptionDefault, Preference};

/// The command.
pub(super) static COMMAND: Command = Command {
    name: "view",
    about: "Show your preferences",
    usage: "",
    examples: &[
        ("As YAML", "kuberc view"),
        ("As JSON", "kuberc view --output json"),
        ("Those of another file", "kuberc view --kuberc ./kuberc"),
    ],
    flags: &[options::PRINT_YAML],
    action: Action::Plain(run),
    ..Command::EMPTY
};

fn run(call: &mut Call) -> Outcome {
    let (file, named) = super::file(call)?;
    let text = match std::fs::read(&file) {
        Ok(text) => text,
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            let error = os_text(&error);
            return Err(Failure::message(format!("error reading kuberc file: open {file}: {error}")));
        }
        Err(_) if named => return Err(Failure::message(format!("kuberc file not found at {file}"))),
        Err(_) => return offer(call, &file),
    };
    // A file with nothing in it has no preferences, and so has no kind either.
    let preference = Preference::read(&text).map_err(Failure::message)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&preference.to_json())
        .replacen("\"defaults\":null", "\"defaults\":[]", 1)
        .replacen("\"aliases\":null", "\"aliases\":[]", 1);
    call.printer(DryRun::None)?.print_text(&mut call.streams, text.as_bytes())
}

/// Offers to write a file with what is good for most.
fn offer(call: &mut Call, file: &str) -> Outcome {
    call.line(format!("kuberc file not found at {file}"))?;
    call.text("Would you like to generate a default kuberc file with recommended options? (y/N): ")?;
    call.streams.out.flush()?;
    let mut answer = String::new();
    let read = BufReader::new(&mut call.streams.input).read_line(&mut answer);
    if read.is_err() || !answer.trim().eq_ignore_ascii_case("y") {
        return Ok(());
    }
    let on = |command: &str, flag: &str| CommandDefaults {
        command: command.to_owned(),
        options: vec![CommandOptionDefault { name: flag.to_owned(), default: "true".to_owned() }],
    };
    let defaults = vec![on("apply", "server-side"), on("delete", "interactive")];
    Preference { defaults, ..Preference::new() }.save(file).map_err(Failure::message)?;
    call.line(format!("Updated {file}"))
}
