//! `rhumb serve`: runs the API server until SIGTERM or SIGINT.

use std::collections::HashMap;
use std::fs::DirBuilder;
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use rhumb_cli::Call;
use rhumb_cli::command::{Action, Command, Family, Flag, Flags};
use rhumb_server::Server;
use rhumb_server::config::{Options, SETTINGS, Setting, Storage, Takes, read_file};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::command_line::finish;
use crate::output;

/// Mutually exclusive settings: a flag for one of them overrides all of them in the configuration file.
const STORAGE: [&str; 2] = ["in-memory", "etcd-servers"];

/// The command; its flags are the server's settings.
pub(crate) static COMMAND: Command = Command {
    name: "serve",
    family: Family::Rhumb,
    about: "Run the API server",
    long: "Run a Kubernetes API server with embedded storage.\n\nBy default it listens on 127.0.0.1:6443 and keeps its \
           objects, certificates and an administrator's kubeconfig in the user's data directory. With --in-memory, \
           nothing is stored and the kubeconfig is a temporary file that is removed on exit.",
    usage: "[flags]",
    examples: &[
        ("Run a server that stores objects in the user's data directory", "serve"),
        ("Run a server for tests: in memory, on a free port", "serve --in-memory --listen 127.0.0.1:0"),
        ("Run a server that stores objects in etcd", "serve --etcd-servers http://127.0.0.1:2379"),
    ],
    flags: &[&CONFIG, &FLAGS],
    action: Action::Plain(|call| finish(run(call))),
    stands_alone: true,
    ..Command::EMPTY
};

static CONFIG: [Flag; 2] = [
    Flag::text("config", "YAML configuration file with the settings below; flags take precedence."),
    Flag::int("v", "0", "Log verbosity: 0 logs warnings, 1 events, 3 requests, 8 everything.").short('v'),
];

static FLAGS: [Flag; SETTINGS.len()] = flags();

const fn flags() -> [Flag; SETTINGS.len()] {
    let mut flags = [Flag::bool("", ""); SETTINGS.len()];
    let mut at = 0;
    while at < flags.len() {
        let setting = &SETTINGS[at];
        flags[at] = match setting.takes {
            Takes::Value(_) => Flag::text(setting.name, setting.help),
            Takes::Values(_) => Flag::array(setting.name, setting.help),
            Takes::Nothing => Flag::bool(setting.name, setting.help),
        };
        at += 1;
    }
    flags
}

fn run(call: &mut Call) -> Result<()> {
    if let [word, ..] = call.args.as_slice() {
        bail!("unexpected argument {word:?}\nSee '{} --help' for usage.", call.path);
    }
    crate::log::begin(call.flags.int("v"));
    let mut options = options(&call.flags)?;
    // Clients need a kubeconfig even if nothing is kept.
    let temporary = match (&options.data_directory, &options.kubeconfig_out) {
        (None, None) => Some(Temporary::new()?),
        _ => None,
    };
    if let Some(directory) = &temporary {
        options.kubeconfig_out = Some(directory.0.join("admin.kubeconfig"));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(options))
}

async fn serve(options: Options) -> Result<()> {
    // Signal handlers are installed before anything is started, so that no signal is missed.
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let server = tokio::select! {
        started = Server::builder().options(options).start() => started?,
        () = either(&mut terminate, &mut interrupt) => bail!("interrupted before the server was ready"),
    };
    let kubeconfig = server.kubeconfig_file().map(|path| format!(", kubeconfig {}", path.display()));
    output::bytes(format!("ready at {}{}\n", server.url(), kubeconfig.unwrap_or_default()).as_bytes())?;
    either(&mut terminate, &mut interrupt).await;
    tokio::select! {
        ended = server.shutdown() => Ok(ended?),
        () = either(&mut terminate, &mut interrupt) => bail!("interrupted before all requests had finished"),
    }
}

async fn either(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

/// Merges the configuration file and the flags; flags take precedence.
fn options(flags: &Flags) -> Result<Options> {
    let given: HashMap<&str, Vec<String>> =
        SETTINGS.iter().filter_map(|setting| Some((setting.name, given(flags, setting)?))).collect();
    let mut options = Options::default();
    let path = flags.text("config");
    if !path.is_empty() {
        let content =
            std::fs::read(path).with_context(|| format!("cannot read configuration file {path}"))?;
        let is_wanted = |name: &&str| given.get(*name).is_some_and(|values| values != &["false"]);
        let stored = STORAGE.iter().any(is_wanted);
        let settings = read_file(&content).with_context(|| format!("invalid configuration file {path}"))?;
        for (name, value) in settings {
            let is_overruled = given.contains_key(name) || (stored && STORAGE.contains(&name));
            if !is_overruled {
                options.apply(name, &value).with_context(|| format!("invalid configuration file {path}"))?;
            }
        }
    }
    for setting in SETTINGS {
        for value in given.get(setting.name).into_iter().flatten() {
            options.apply(setting.name, value)?;
        }
    }
    if options.data_directory.is_none() && options.storage != Storage::InMemory {
        options.data_directory = Some(data_directory()?);
    }
    // Absolute, because these paths are printed for use from other directories.
    for path in [&mut options.data_directory, &mut options.kubeconfig_out].into_iter().flatten() {
        *path = std::path::absolute(&*path)?;
    }
    Ok(options)
}

/// Temporary directory with mode 0700, removed on drop.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Self> {
        let process = std::process::id();
        let names = (0..100).map(|number| std::env::temp_dir().join(format!("rhumb-{process}-{number}")));
        for path in names {
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Temporary(path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).with_context(|| format!("cannot create {}", path.display())),
            }
        }
        bail!(
            "cannot create a temporary directory for the kubeconfig in {}; set --kubeconfig-out",
            std::env::temp_dir().display()
        )
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Best effort: nothing depends on the directory any more.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn given(flags: &Flags, setting: &Setting) -> Option<Vec<String>> {
    match setting.takes {
        Takes::Nothing => flags.is_given(setting.name).then(|| vec![flags.bool(setting.name).to_string()]),
        Takes::Value(_) | Takes::Values(_) => flags.given_values(setting.name).map(<[String]>::to_vec),
    }
}

/// Returns the default data directory: `rhumb` below `XDG_DATA_HOME`, else below `~/.local/share`.
fn data_directory() -> Result<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = named("XDG_DATA_HOME").or_else(|| Some(named("HOME")?.join(".local/share")));
    Ok(base.context("neither XDG_DATA_HOME nor HOME is set; set --data-dir")?.join("rhumb"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Options {
        let words = ["--data-dir", "/tmp/x"].iter().chain(arguments).map(|word| (*word).to_owned());
        let parsed = rhumb_cli::command::parse(&COMMAND, &[], "serve", &words.collect::<Vec<_>>()).unwrap();
        options(&parsed.flags).unwrap()
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

    #[test]
    fn only_a_server_that_keeps_objects_has_a_data_directory_by_default() {
        let parse = |arguments: &[&str]| {
            let words: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
            let parsed = rhumb_cli::command::parse(&COMMAND, &[], "serve", &words).unwrap();
            options(&parsed.flags).unwrap()
        };
        assert_eq!(parse(&["--in-memory"]).data_directory, None);
        assert!(parse(&[]).data_directory.is_some_and(|path| path.ends_with("rhumb")));
        let told = parse(&["--in-memory", "--data-dir", "/tmp/x", "--kubeconfig-out", "k"]);
        assert_eq!(told.data_directory, Some(PathBuf::from("/tmp/x")));
        assert_eq!(told.kubeconfig_out, Some(std::env::current_dir().unwrap().join("k")));
    }
}
