//! The commands and their flags.

use anyhow::Result;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::{convert, scheme, serve, transcode};

/// The whole command line.
pub(crate) fn command() -> Command {
    let file = || {
        Arg::new("filename")
            .short('f')
            .long("filename")
            .value_name("FILE")
            .required(true)
            .action(ArgAction::Append)
            .help(
                "A file to read, in JSON, YAML or protobuf; - is standard input. May be given several times",
            )
    };
    Command::new("rhumb")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The Kubernetes API machinery in one binary")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(serve::command())
        .subcommand(
            Command::new("transcode")
                .about("Write objects in another format: the same version, nothing filled in")
                .arg(file())
                .arg(
                    Arg::new("output")
                        .short('o')
                        .long("output")
                        .value_name("FORMAT")
                        .value_parser(["json", "yaml", "protobuf"])
                        .default_value("yaml")
                        .help("The format to write"),
                ),
        )
        .subcommand(
            Command::new("convert")
                .about("Convert objects to another version of their API group")
                .arg(file())
                .arg(Arg::new("output-version").long("output-version").value_name("GROUP/VERSION").help(
                    "The version to write, such as apps/v1. Without it, the preferred version of each group",
                ))
                .arg(
                    Arg::new("show-managed-fields")
                        .long("show-managed-fields")
                        .action(ArgAction::SetTrue)
                        .help("Keep who owns which fields in the metadata"),
                )
                .arg(
                    Arg::new("output")
                        .short('o')
                        .long("output")
                        .value_name("FORMAT")
                        .value_parser(["json", "yaml", "protobuf", "name"])
                        .default_value("yaml")
                        .help("The format to write"),
                ),
        )
        .subcommand(
            Command::new("scheme")
                .about("Look at the registry of kinds")
                .subcommand_required(true)
                .arg_required_else_help(true)
                .subcommand(Command::new("kinds").about("List the kinds of every version").arg(
                    Arg::new("group").long("group").value_name("GROUP").help("Only this group; \"\" is core"),
                ))
                .subcommand(
                    Command::new("show")
                        .about("Show the fields of a kind: types, numbers, defaults, conversion")
                        .arg(Arg::new("version").value_name("GROUP/VERSION").required(true))
                        .arg(Arg::new("kind").value_name("KIND").required(true)),
                )
                .subcommand(Command::new("graph").about("Draw the versions and their hubs, as SVG")),
        )
}

/// Runs the command that was given.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    match matches.subcommand() {
        Some(("transcode", matches)) => transcode::run(matches),
        Some(("convert", matches)) => convert::run(matches),
        Some(("scheme", matches)) => scheme::run(matches),
        Some(("serve", matches)) => serve::run(matches),
        _ => Ok(()),
    }
}

/// All values of a flag that may be given several times.
pub(crate) fn values(matches: &ArgMatches, name: &str) -> Vec<String> {
    matches.get_many::<String>(name).into_iter().flatten().cloned().collect()
}

/// The value of a flag, empty if it was not given.
pub(crate) fn value<'a>(matches: &'a ArgMatches, name: &str) -> &'a str {
    matches.get_one::<String>(name).map(String::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
