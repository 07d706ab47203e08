//! The controller of CronTabs: says in the status of each whether it can run.
//!
//! It pulls no images and starts nothing; what it does with each object is what every controller does: it is told a
//! name, looks at how things are, and writes what it found.
//!
//! ```console
//! $ KUBECONFIG=stable.kubeconfig stable-controller
//! ```

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use rhumb_client::controller::{Action, Controller, Request, Shutdown, WallClock, predicate};
use rhumb_client::informer::SharedInformer;
use rhumb_client::{Client, Error as ClientError};
use rhumb_meta::Time;
use rhumb_meta::v1::{Condition, UpdateOptions};
use stable_example_com::v1::{CronTab, CronTabStatus};

/// Who owns the fields that the controller writes.
const MANAGER: &str = "stable-controller";

/// The program.
#[tokio::main]
pub async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Works until it is interrupted.
async fn run() -> Result<(), Box<dyn Error>> {
    let shutdown = Shutdown::new();
    let ending = shutdown.clone();
    tokio::spawn(async move {
        let _ = tokio::signal::ctrl_c().await;
        ending.begin();
    });
    let client = Client::infer().await?;
    let crons = SharedInformer::builder(client.resource::<CronTab>()).build();
    let context = Arc::new(Context { clock: WallClock::of(&client), client });
    let controller = Controller::new(&crons)
        // The status that it writes itself is no reason to look again.
        .when(predicate::generation_changed)
        .workers(2)
        .on_error(|key, error| drop(writeln!(std::io::stderr(), "{key}: {error}")));
    Ok(controller.run(&shutdown, context, reconcile).await?)
}

/// What every call of the function needs.
struct Context {
    client: Client,
    clock: WallClock,
}

/// Makes the status of one CronTab what it should be. If it fails it is called again, a little later each time.
async fn reconcile(request: Request<CronTab>, context: Arc<Context>) -> Result<Action, ClientError> {
    let Some(cron) = request.object else { return Ok(Action::done()) };
    let status = judge(&cron, context.clock.now().into());
    if status == cron.status {
        return Ok(Action::done());
    }
    let mut judged = CronTab::clone(&cron);
    judged.status = status;
    let crons = context.client.resource::<CronTab>().namespace(&cron.metadata.namespace);
    let options = UpdateOptions { field_manager: MANAGER.to_owned(), ..UpdateOptions::default() };
    match crons.update_status(&judged, &options).await {
        // Whoever deleted it meanwhile needs no status. If somebody else changed it, it is looked at again.
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(Action::done()),
    }
}

/// The status that a CronTab should have.
fn judge(cron: &CronTab, now: Time) -> CronTabStatus {
    let (status, reason, message) = match cron.spec.policy.suspend {
        true => ("False", "Suspended", "The policy keeps it from running.".to_owned()),
        false => ("True", "Scheduled", format!("It runs at {}.", cron.spec.schedule)),
    };
    let before = cron.status.conditions.iter().find(|condition| condition.type_ == "Ready");
    let since = before.filter(|before| before.status == status).map(|before| before.last_transition_time);
    let ready = Condition {
        type_: "Ready".to_owned(),
        status: status.to_owned(),
        observed_generation: cron.metadata.generation,
        last_transition_time: since.unwrap_or(now),
        reason: reason.to_owned(),
        message,
    };
    CronTabStatus {
        observed_generation: cron.metadata.generation,
        replicas: if status == "True" { cron.spec.replicas.unwrap_or(1) } else { 0 },
        conditions: vec![ready],
    }
}
