//! `rhumb serve`: the API server until it is told to end.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use rhumb_server::Server;
use rhumb_server::config::{Options, SETTINGS, Setting, Takes, read_file};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::command_line::value;
use crate::output;

/// Settings of which only one can be had, so that a flag for one of them puts those in the file aside.
const STORAGE: [&str; 2] = ["in-memory", "etcd-servers"];

/// The command and its flags.
pub(crate) fn command() -> Command {
    let config = Arg::new("config")
        .long("config")
        .value_name("FILE")
        .help("A YAML file with these settings; flags win");
    Command::new("serve").about("Run the API server").args(SETTINGS.iter().map(flag)).arg(config)
}

fn flag(setting: &Setting) -> Arg {
    let arg = Arg::new(setting.name).long(setting.name).help(setting.help);
    match setting.takes {
        Takes::Value(name) => arg.value_name(name).action(ArgAction::Set),
        Takes::Values(name) => arg.value_name(name).action(ArgAction::Append),
        Takes::Nothing => arg.action(ArgAction::SetTrue),
    }
}

pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let options = options(matches)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(options))
}

async fn serve(options: Options) -> Result<()> {
    // The signals are caught before anything is started, so that none is missed.
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let server = Server::builder().options(options).start().await?;
    let kubeconfig = server.kubeconfig_file().map(|path| format!(", kubeconfig {}", path.display()));
    output::bytes(format!("ready at {}{}\n", server.url(), kubeconfig.unwrap_or_default()).as_bytes())?;
    either(&mut terminate, &mut interrupt).await;
    tokio::select! {
        ended = server.shutdown() => Ok(ended?),
        () = either(&mut terminate, &mut interrupt) => bail!("ended before all requests were answered"),
    }
}

async fn either(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

/// What the file says, and above it what the flags say.
fn options(matches: &ArgMatches) -> Result<Options> {
    let given: HashMap<&str, Vec<String>> =
        SETTINGS.iter().filter_map(|setting| Some((setting.name, given(matches, setting)?))).collect();
    let mut options = Options::default();
    let path = value(matches, "config");
    if !path.is_empty() {
        let content = std::fs::read(path).with_context(|| format!("the file {path} can't be read"))?;
        let stored = STORAGE.iter().any(|name| given.contains_key(name));
        let settings = read_file(&content).with_context(|| format!("the file {path} can't be used"))?;
        for (name, value) in settings {
            let is_overruled = given.contains_key(name) || (stored && STORAGE.contains(&name));
            if !is_overruled {
                options.apply(name, &value).with_context(|| format!("the file {path} can't be used"))?;
            }
        }
    }
    for setting in SETTINGS {
        for value in given.get(setting.name).into_iter().flatten() {
            options.apply(setting.name, value)?;
        }
    }
    // The whole path, because it is told to people who may stand elsewhere.
    let directory = options.data_directory.take().map_or_else(data_directory, Ok)?;
    options.data_directory = Some(std::path::absolute(directory)?);
    Ok(options)
}

fn given(matches: &ArgMatches, setting: &Setting) -> Option<Vec<String>> {
    match setting.takes {
        Takes::Nothing => matches.get_flag(setting.name).then(|| vec!["true".to_owned()]),
        Takes::Value(_) | Takes::Values(_) => {
            matches.get_many::<String>(setting.name).map(|values| values.cloned().collect())
        }
    }
}

/// The place that the XDG rules have for data of this user.
fn data_directory() -> Result<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = named("XDG_DATA_HOME").or_else(|| Some(named("HOME")?.join(".local/share")));
    Ok(base.context("there is no home directory; say where to keep data with --data-dir")?.join("rhumb"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rhumb_server::config::Storage;

    fn parse(arguments: &[&str]) -> Options {
        let matches = command().get_matches_from(["serve", "--data-dir", "/tmp/x"].iter().chain(arguments));
        options(&matches).unwrap()
    }

    #[test]
    fn flags_win_over_the_file() {
        let path = std::env::temp_dir().join(format!("rhumb-serve-{}.yaml", std::process::id()));
        let content = "listen: 127.0.0.1:1\netcd-servers: [http://a:1]\nshutdown-timeout: 3s\n";
        std::fs::write(&path, content).unwrap();
        let file = path.to_str().unwrap();
        let options = parse(&["--config", file]);
        assert_eq!((options.listen.port(), options.storage), (1, Storage::Etcd));
        let options = parse(&["--config", file, "--listen", "127.0.0.1:2", "--in-memory"]);
        assert_eq!((options.listen.port(), options.storage), (2, Storage::InMemory));
        assert_eq!(options.shutdown_timeout.as_secs(), 3);
        std::fs::remove_file(&path).unwrap();
    }
}
