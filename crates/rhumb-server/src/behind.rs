//! What stands behind the front: the API itself.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use http::Request;

use crate::api::{Api, ApiOptions};
use crate::environment::Environment;
use crate::front::authenticate::{Refused, TokenAuthenticator, TokenVerdict};
use crate::front::{self, Answering, RequestBody};
use crate::identity::User;
use crate::server::{Behind, Foundation, StartError};

/// Starts the API on what the server has prepared.
pub(crate) async fn start(foundation: Foundation) -> Result<Behind, StartError> {
    let options = ApiOptions {
        table: Arc::new(foundation.resources),
        prefix: foundation.options.prefix.clone(),
        address: Some((foundation.address.ip(), foundation.address.port())),
        service_networks: foundation
            .options
            .service_ranges
            .iter()
            .map(|range| (range.base(), range.prefix()))
            .collect(),
        controllers: foundation.options.controllers.clone(),
        authority: foundation.authority.clone(),
        service_account_key: Some(foundation.service_account_key.clone()),
        metrics: Arc::clone(&foundation.metrics),
        ..ApiOptions::default()
    };
    let environment = Environment::new(foundation.clock, foundation.entropy);
    let api = Api::start(foundation.store, options, environment)
        .await
        .map_err(|failure| StartError::Behind(Box::new(failure)))?;
    let closing = Arc::clone(&api);
    let shutdown = foundation.shutdown;
    api.tasks.spawn(async move {
        shutdown.requested().await;
        closing.close();
    });
    let accounts = Arc::new(Accounts(Arc::clone(&api)));
    Ok(Behind { tokens: vec![accounts], ..Behind::new(Arc::new(Served(api))) })
}

/// Knows clients by tokens of service accounts.
struct Accounts(Arc<Api>);

impl TokenAuthenticator for Accounts {
    fn authenticate<'a>(&'a self, token: &'a str) -> TokenVerdict<'a> {
        Box::pin(async move {
            let known = self.0.review_token(token, &[]).await.map_err(Refused)?;
            Ok(known.map(|known| known.user))
        })
    }
}

/// The API as the front sees it.
struct Served(Arc<Api>);

impl front::Answer for Served {
    fn answer(self: Arc<Self>, request: Request<RequestBody>, user: User) -> Answering {
        Box::pin(async move { self.0.answer(request, &user).await })
    }

    fn finish(self: Arc<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.0.end();
        Box::pin(std::future::ready(()))
    }
}
