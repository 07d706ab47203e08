//! The API server of `stable.example.com`: its own group, and the namespaces that its objects live in.
//!
//! ```console
//! $ stable-server --in-memory --listen 127.0.0.1:7443 --kubeconfig-out stable.kubeconfig
//! ```

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use rhumb_server::config::{Options, SETTINGS, Takes};
use rhumb_server::{Server, StartError};
use tokio::signal::unix::{SignalKind, signal};

/// The program.
#[tokio::main]
pub async fn main() -> ExitCode {
    match options(std::env::args().skip(1)) {
        Ok(options) => match run(options).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&*error),
        },
        Err(error) => failed(&*error),
    }
}

/// Serves until it is told to end.
async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let server = start(options).await?;
    writeln!(std::io::stdout(), "ready at {}", server.url())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(server.shutdown().await?)
}

/// The server: the group, served alone.
async fn start(options: Options) -> Result<Server, StartError> {
    Server::builder().options(options).serve(stable_example_com::group()).alone().start().await
}

/// The settings that every server of the library has, as flags.
fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, Box<dyn Error>> {
    let mut options = Options::default();
    while let Some(argument) = arguments.next() {
        let name = argument.strip_prefix("--").ok_or_else(|| format!("{argument:?} is no flag"))?;
        let takes = SETTINGS.iter().find(|setting| setting.name == name).map(|setting| setting.takes);
        let value = match takes {
            Some(Takes::Value(_) | Takes::Values(_)) => {
                arguments.next().ok_or_else(|| format!("--{name} needs a value"))?
            }
            _ => "true".to_owned(),
        };
        options.apply(name, &value)?;
    }
    Ok(options)
}

/// Says what went wrong, and what that came of.
fn failed(error: &dyn Error) -> ExitCode {
    let mut text = format!("error: {error}");
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    // Nobody is left to tell if this fails.
    let _ = writeln!(std::io::stderr(), "{text}");
    ExitCode::FAILURE
}
