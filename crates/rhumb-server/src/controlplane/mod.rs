//! Control plane: what a fresh server has, and what it keeps up by itself.

pub(crate) mod bootstrap;
pub(crate) mod custom;
mod legacy_tokens;
pub(crate) mod registrations;
pub(crate) mod repair;
pub(crate) mod standing;

use tokio::sync::mpsc;

use crate::authentication::service_accounts::UsedSecret;
use crate::base::failure::Outcome;
use crate::loopback::Loopback;

/// Starts what the server keeps up by itself, whatever controllers are wanted.
pub(crate) fn start(api: &Loopback, used: mpsc::Receiver<UsedSecret>) {
    legacy_tokens::start(api, used);
    standing::start(api);
    repair::start(api);
}

/// Serves custom resources from now on.
///
/// # Errors
/// If definitions can't be read.
pub(crate) async fn serve_definitions(api: &Loopback) -> Outcome<()> {
    custom::start(api).await
}
