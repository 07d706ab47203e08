//! Drives an API server with `kube`: a line per check, and an end at the first that fails.

mod builtin;
mod crowd;
mod custom;
mod restart;

use std::error::Error;
use std::fmt::Debug;
use std::process::ExitCode;
use std::time::Duration;

use kube::Client;
use tokio::time::{sleep, timeout};

/// What a check ends with.
type Outcome = Result<(), Box<dyn Error>>;

/// Where the checks make their objects.
const NAMESPACE: &str = "kube-client";

/// How long a check may take, a restart of the server included.
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("FAIL {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Outcome {
    let client = Client::try_default().await?;
    let c = &client;
    check("create and get", builtin::create_and_get(c)).await?;
    check("list in pages", builtin::list_in_pages(c)).await?;
    check("watch", builtin::watch(c)).await?;
    check("patch: JSON", builtin::patch_json(c)).await?;
    check("patch: merge", builtin::patch_merge(c)).await?;
    check("patch: strategic", builtin::patch_strategic(c)).await?;
    check("patch: apply", builtin::patch_apply(c)).await?;
    check("delete", builtin::delete_one_and_all(c)).await?;
    check("custom resource: definition", custom::define(c)).await?;
    check("custom resource: instances", custom::instances(c)).await?;
    check("crowd: list", crowd::list(c)).await?;
    check("crowd: a reflector that lists", crowd::reflector_that_lists(c)).await?;
    check("crowd: a reflector that takes a stream", crowd::reflector_that_takes_a_stream(c)).await?;
    check("reflectors over a restart", restart::reflectors(c)).await
}

/// Runs a check within its time and says how it went.
async fn check(name: &str, work: impl Future<Output = Outcome>) -> Outcome {
    match timeout(PATIENCE, work).await {
        Ok(Ok(())) => {
            println!("ok   {name}");
            Ok(())
        }
        Ok(Err(error)) => Err(format!("{name}: {error}").into()),
        Err(_) => Err(format!("{name}: not done after {PATIENCE:?}").into()),
    }
}

/// Compares what came with what had to come.
fn expect<T: PartialEq + Debug>(what: &str, got: T, want: T) -> Outcome {
    if got == want { Ok(()) } else { Err(format!("{what}: got {got:?}, want {want:?}").into()) }
}

/// The answer must be a refusal with this code.
fn refused<T>(what: &str, code: u16, answer: kube::Result<T>) -> Outcome {
    match answer {
        Err(kube::Error::Api(status)) => expect(what, status.code, code),
        Err(error) => Err(format!("{what}: {error}").into()),
        Ok(_) => Err(format!("{what}: was not refused with {code}").into()),
    }
}

/// Asks again and again until the answer is yes; the time of the check bounds it.
async fn until(mut ask: impl FnMut() -> bool) {
    while !ask() {
        sleep(Duration::from_millis(50)).await;
    }
}
