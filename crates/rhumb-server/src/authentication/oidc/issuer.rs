//! Checking the tokens of one issuer.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use sha2::{Digest, Sha256};

use super::fetch::{Fetcher, Trust};
use super::keys::Source;
use super::user::user;
use crate::authentication::configuration::CompiledAuthenticator;
use crate::authentication::jwt::{Algorithm, Token, seconds, strings};
use crate::authentication::remembered::Remembered;
use crate::base::environment::Clock;
use crate::base::identity::User;

/// How long the look at a token is good for, and how many are kept.
const REMEMBERED: Duration = Duration::from_secs(10);
const MOST_REMEMBERED: usize = 4096;
/// The largest user that is kept, in bytes. Those of more groups are looked at each time.
const LARGEST_REMEMBERED: usize = 16 << 10;
/// How long to wait when the issuer could not be asked at the start.
const RETRY: Duration = Duration::from_secs(10);
/// How far the issuer's clock may be ahead.
const AHEAD: i64 = 5 * 60;

/// Knows clients by ID tokens of one issuer.
pub(super) struct Issuer {
    authenticator: CompiledAuthenticator,
    algorithms: Vec<Algorithm>,
    source: Arc<Source>,
    remembered: Remembered<[u8; 32], (User, i64)>,
    clock: Arc<dyn Clock>,
}

impl Issuer {
    /// Creates what knows clients as an authenticator says.
    ///
    /// # Errors
    /// If those who vouch for the issuer can't be used.
    pub(super) fn new(
        authenticator: CompiledAuthenticator,
        trust: Trust,
        algorithms: Vec<Algorithm>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, String> {
        let source = Source {
            issuer: authenticator.url.clone(),
            discovery_url: authenticator.discovery_url.clone(),
            fetcher: Fetcher::new(trust)?,
            keys: ArcSwapOption::empty(),
            asked: Arc::default(),
            clock: Arc::clone(&clock),
        };
        Ok(Issuer {
            authenticator,
            algorithms,
            source: Arc::new(source),
            remembered: Remembered::new(MOST_REMEMBERED, REMEMBERED),
            clock,
        })
    }

    /// The name that tokens have for the issuer.
    pub(super) fn url(&self) -> &str {
        &self.source.issuer
    }

    /// Whether the issuer has told its keys.
    pub(super) fn is_initialized(&self) -> bool {
        self.source.keys.load().is_some()
    }

    /// Reads again who vouches for the issuer.
    ///
    /// # Errors
    /// If the file of authorities can't be used; then those it had before vouch on.
    pub(super) fn trust_again(&self) -> Result<(), String> {
        self.source.fetcher.trust_again()
    }

    /// Asks the issuer until it has told its keys.
    pub(super) async fn begin(&self) {
        loop {
            match self.source.fetch(None).await {
                Ok(()) if self.is_initialized() => return,
                Ok(()) => {}
                Err(why) => {
                    tracing::warn!(issuer = self.source.issuer, why, "an OpenID issuer can't be asked")
                }
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    /// Returns the user of a token of this issuer.
    ///
    /// # Errors
    /// If the token is not good, or can't be checked now.
    pub(super) async fn user(&self, raw: &str, token: &Token<'_>) -> Result<User, String> {
        let digest: [u8; 32] = Sha256::digest(raw).into();
        let (now, elapsed) = (self.clock.now().0, self.clock.elapsed());
        if let Some((user, until)) = self.remembered.get(&digest, elapsed)
            && now < until
        {
            return Ok(user);
        }
        let until = self.verify(token, now).await?;
        let user = user(&self.authenticator, &token.claims)?;
        if size(&user) <= LARGEST_REMEMBERED {
            self.remembered.put(digest, (user.clone(), until), elapsed);
        }
        Ok(user)
    }

    /// Checks that a token is of the issuer, for us, and good now; until when is what is given.
    async fn verify(&self, token: &Token<'_>, now: i64) -> Result<i64, String> {
        let failed = |why: &str| format!("oidc: verify token: {why}");
        let audiences = strings(token.claims.get("aud"));
        let wanted = &self.authenticator.audiences;
        if !audiences.iter().any(|audience| wanted.contains(audience)) {
            return Err(failed(&match wanted.as_slice() {
                [only] => format!("oidc: expected audience {only} got {audiences:?}"),
                _ => format!("oidc: expected audience in {wanted:?} got {audiences:?}"),
            }));
        }
        let until = seconds(&token.claims, "exp").unwrap_or_default();
        if until < now {
            return Err(failed(&format!("oidc: token is expired (Token Expiry: {until})")));
        }
        if seconds(&token.claims, "nbf").is_some_and(|from| now.saturating_add(AHEAD) < from) {
            return Err(failed("oidc: current time is before the nbf (not before) time"));
        }
        if !token.algorithm().is_some_and(|algorithm| self.algorithms.contains(&algorithm)) {
            return Err(failed("oidc: id token signed with unsupported algorithm"));
        }
        let keys = self.source.keys.load_full();
        if keys.as_deref().is_some_and(|keys| keys.signed(token)) {
            return Ok(until);
        }
        self.source.fetch(keys.as_ref()).await.map_err(|why| failed(&why))?;
        match self.source.keys.load_full() {
            None => Err("oidc: authenticator not initialized".to_owned()),
            Some(keys) if keys.signed(token) => Ok(until),
            Some(_) => Err(failed("failed to verify signature: failed to verify id token signature")),
        }
    }
}

/// About how many bytes a user takes.
fn size(user: &User) -> usize {
    let texts = user.extra.iter().flat_map(|(key, values)| values.iter().chain([key])).chain(&user.groups);
    user.name.len() + user.uid.len() + texts.map(|text| text.len() + size_of::<String>()).sum::<usize>()
}
