//! Knowing clients by ID tokens of OpenID issuers elsewhere, as flags or a file of `--authentication-config` say.
//!
//! All issuers are swapped as a whole when the file changes. New ones have told their keys before they take the place
//! of the old ones, so that no token is refused because a file was written.

mod fetch;
mod issuer;
mod keys;
mod user;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use rhumb_schema::text::quoted;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Refused, TokenAuthenticator, TokenVerdict};
use crate::authentication::OidcOptions;
use crate::authentication::configuration::CompiledAuthenticator;
use crate::authentication::jwt::{Algorithm, Token, text};
use crate::base::environment::Clock;
use crate::base::identity::User;
use crate::base::shutdown::Shutdown;
use fetch::Trust;
use issuer::Issuer;

/// How long the issuers of a changed file may take until all have told their keys.
const PATIENCE: Duration = Duration::from_secs(60);

/// Knows clients by ID tokens.
pub(crate) struct Oidc {
    issuers: ArcSwap<Issuers>,
    /// Those that are being asked for their first keys.
    asking: Mutex<JoinSet<()>>,
    clock: Arc<dyn Clock>,
}

/// Issuers by what tokens call them.
type Issuers = HashMap<String, Arc<Issuer>>;

/// Indexes issuers by what tokens call them.
fn indexed(issuers: impl IntoIterator<Item = Issuer>) -> Issuers {
    issuers.into_iter().map(|issuer| (issuer.url().to_owned(), Arc::new(issuer))).collect()
}

impl Oidc {
    /// Knows clients as flags say, which were compiled to one authenticator.
    ///
    /// # Errors
    /// If the file of authorities can't be used.
    pub(crate) fn of_flags(
        options: &OidcOptions,
        authenticators: Vec<CompiledAuthenticator>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, String> {
        let named = options.signing_algorithms.iter().filter_map(|name| Algorithm::of(name));
        let mut algorithms: Vec<_> = named.collect();
        if algorithms.is_empty() {
            algorithms.push(Algorithm::Rs256);
        }
        let trust = options.authority_file.clone().map_or(Trust::Machine, Trust::File);
        let issuers = authenticators.into_iter().map(|authenticator| {
            Issuer::new(authenticator, trust.clone(), algorithms.clone(), Arc::clone(&clock))
        });
        Ok(Self::new(indexed(issuers.collect::<Result<Vec<_>, _>>()?), clock))
    }

    /// Knows clients as a file says. Tokens may be signed in every way that is known.
    ///
    /// # Errors
    /// If authorities can't be used.
    pub(crate) fn of_file(
        authenticators: Vec<CompiledAuthenticator>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, String> {
        Ok(Self::new(Self::of_configuration(authenticators, &clock)?, clock))
    }

    fn new(issuers: Issuers, clock: Arc<dyn Clock>) -> Self {
        Oidc { issuers: ArcSwap::from_pointee(issuers), asking: Mutex::default(), clock }
    }

    fn of_configuration(
        authenticators: Vec<CompiledAuthenticator>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Issuers, String> {
        let issuers = authenticators.into_iter().map(|mut authenticator| {
            let trust = match std::mem::take(&mut authenticator.certificate_authority) {
                pem if pem.is_empty() => Trust::Machine,
                pem => Trust::Text(pem),
            };
            Issuer::new(authenticator, trust, Algorithm::all().collect(), Arc::clone(clock))
        });
        Ok(indexed(issuers.collect::<Result<Vec<_>, _>>()?))
    }

    /// Knows clients as a changed file says, once all its issuers have told their keys.
    ///
    /// # Errors
    /// If authorities can't be used, or an issuer doesn't tell its keys; then nothing changes.
    pub(crate) async fn replace(&self, authenticators: Vec<CompiledAuthenticator>) -> Result<(), String> {
        let issuers = Self::of_configuration(authenticators, &self.clock)?;
        let asking = issuers.values().cloned().map(|issuer| async move { issuer.begin().await });
        let mut asking: JoinSet<()> = asking.collect();
        let told = async { while asking.join_next().await.is_some() {} };
        if timeout(PATIENCE, told).await.is_err() {
            let silent = issuers.values().filter(|issuer| !issuer.is_initialized());
            let silent: Vec<String> = silent.map(|issuer| quoted(issuer.url())).collect();
            return Err(format!("oidc: no keys were fetched from the issuers {}", silent.join(", ")));
        }
        self.issuers.store(Arc::new(issuers));
        // Nobody wants to know any more what the old ones would tell.
        *self.asking.lock() = JoinSet::new();
        Ok(())
    }

    /// Reads again who vouches for issuers.
    ///
    /// # Errors
    /// If the file of authorities can't be used; then those it had before vouch on.
    pub(crate) fn trust_again(&self) -> Result<(), String> {
        self.issuers.load().values().try_for_each(|issuer| issuer.trust_again())
    }

    /// Begins to ask the issuers for their keys, until each has told them, it is replaced, or the server ends.
    pub(crate) fn begin(&self, shutdown: &Shutdown) {
        let mut asking = self.asking.lock();
        for issuer in self.issuers.load().values() {
            let (issuer, shutdown) = (Arc::clone(issuer), shutdown.clone());
            asking.spawn(async move {
                tokio::select! {
                    () = shutdown.requested() => {}
                    () = issuer.begin() => {}
                }
            });
        }
    }

    async fn look(&self, raw: &str) -> Result<Option<User>, String> {
        let Some(token) = Token::parse(raw) else { return Ok(None) };
        let name = match text(&token.claims, "/iss") {
            // Google leaves the scheme out.
            "accounts.google.com" => "https://accounts.google.com",
            name => name,
        };
        let Some(issuer) = self.issuers.load().get(name).cloned() else { return Ok(None) };
        issuer.user(raw, &token).await.map(Some)
    }
}

impl TokenAuthenticator for Oidc {
    fn authenticate<'a>(&'a self, token: &'a str) -> TokenVerdict<'a> {
        Box::pin(async move { self.look(token).await.map_err(Refused) })
    }
}
