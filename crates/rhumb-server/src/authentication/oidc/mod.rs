//! Knowing clients by ID tokens of an OpenID issuer elsewhere.
//!
//! The issuer's keys are fetched when the server starts, and again when a token is signed with one that is not among
//! them, but never more often than once in a while, whatever clients send. Whoever comes meanwhile waits for what is
//! being fetched, and whoever gives up stops nothing. What the issuer says is bounded in time, size and number, too.

mod fetch;
mod user;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use rhumb_schema::text::quoted;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;

use super::{Refused, TokenAuthenticator, TokenVerdict};
use crate::authentication::OidcOptions;
use crate::authentication::jwt::{Algorithm, PublicKey, Token, seconds, strings, text};
use crate::authentication::remembered::Remembered;
use crate::base::environment::Clock;
use crate::base::identity::User;
use fetch::Fetcher;
use user::Mapping;

/// How long the look at a token is good for, and how many are kept.
const REMEMBERED: Duration = Duration::from_secs(10);
const MOST_REMEMBERED: usize = 4096;
/// The largest user that is kept, in bytes. Those of more groups are looked at each time.
const LARGEST_REMEMBERED: usize = 16 << 10;
/// How many keys of an issuer are kept: a token without the name of a key is tried with each of them.
const MOST_KEYS: usize = 256;
/// How long to wait before the issuer is asked again.
const BETWEEN_FETCHES: Duration = Duration::from_secs(1);
/// How long to wait when it could not be asked at the start.
const RETRY: Duration = Duration::from_secs(10);
/// How far the issuer's clock may be ahead.
const AHEAD: i64 = 5 * 60;

/// Knows clients by ID tokens of one issuer.
pub(crate) struct Oidc {
    client_id: String,
    algorithms: Vec<Algorithm>,
    mapping: Mapping,
    source: Arc<Source>,
    remembered: Remembered<[u8; 32], (User, i64)>,
    clock: Arc<dyn Clock>,
}

/// An issuer, and the keys that it told last.
struct Source {
    issuer: String,
    fetcher: Fetcher,
    keys: ArcSwapOption<Keys>,
    /// When the issuer had answered last, or failed to. It is locked while it is asked.
    asked: Arc<Mutex<Option<Duration>>>,
    clock: Arc<dyn Clock>,
}

/// The keys of an issuer, and where they are.
struct Keys {
    url: String,
    keys: Vec<PublicKey>,
}

impl Oidc {
    /// None if no ID tokens are taken.
    ///
    /// # Errors
    /// If the file of authorities can't be used.
    pub(crate) fn new(options: &OidcOptions, clock: Arc<dyn Clock>) -> Result<Option<Self>, String> {
        if options.issuer.is_empty() {
            return Ok(None);
        }
        let named = options.signing_algorithms.iter().filter_map(|name| Algorithm::of(name));
        let mut algorithms: Vec<_> = named.collect();
        if algorithms.is_empty() {
            algorithms.push(Algorithm::Rs256);
        }
        let source = Source {
            issuer: options.issuer.clone(),
            fetcher: Fetcher::new(options.authority_file.clone())?,
            keys: ArcSwapOption::empty(),
            asked: Arc::default(),
            clock: Arc::clone(&clock),
        };
        Ok(Some(Oidc {
            client_id: options.client_id.clone(),
            algorithms,
            mapping: Mapping::new(options),
            source: Arc::new(source),
            remembered: Remembered::new(MOST_REMEMBERED, REMEMBERED),
            clock,
        }))
    }

    /// Reads again who vouches for the issuer.
    ///
    /// # Errors
    /// If the file of authorities can't be used; then those it had before vouch on.
    pub(crate) fn trust_again(&self) -> Result<(), String> {
        self.source.fetcher.trust_again()
    }

    /// Asks the issuer until it has told its keys.
    pub(crate) async fn begin(&self) {
        loop {
            match self.source.fetch(None).await {
                Ok(()) => return,
                Err(why) => {
                    tracing::warn!(issuer = self.source.issuer, why, "an OpenID issuer can't be asked")
                }
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    async fn look(&self, raw: &str) -> Result<Option<User>, String> {
        let Some(token) = Token::parse(raw) else { return Ok(None) };
        let issuer = match text(&token.claims, "/iss") {
            // Google leaves the scheme out.
            "accounts.google.com" => "https://accounts.google.com",
            issuer => issuer,
        };
        if issuer != self.source.issuer {
            return Ok(None);
        }
        let digest: [u8; 32] = Sha256::digest(raw).into();
        let (now, elapsed) = (self.clock.now().0, self.clock.elapsed());
        if let Some((user, until)) = self.remembered.get(&digest, elapsed)
            && now < until
        {
            return Ok(Some(user));
        }
        let until = self.verify(&token, now).await?;
        let user = self.mapping.user(&token.claims)?;
        if size(&user) <= LARGEST_REMEMBERED {
            self.remembered.put(digest, (user.clone(), until), elapsed);
        }
        Ok(Some(user))
    }

    /// Checks that a token is of the issuer, for us, and good now; until when is what is given.
    async fn verify(&self, token: &Token<'_>, now: i64) -> Result<i64, String> {
        let failed = |why: &str| format!("oidc: verify token: {why}");
        let audiences = strings(token.claims.get("aud"));
        if !audiences.contains(&self.client_id) {
            return Err(failed(&format!("oidc: expected audience {} got {audiences:?}", self.client_id)));
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

impl Source {
    /// Fetches keys, unless somebody else has since those were seen that were not enough. What has begun goes on when
    /// who asked gives up, or clients that ask and give up could keep everybody from new keys.
    async fn fetch(self: &Arc<Self>, seen: Option<&Arc<Keys>>) -> Result<(), String> {
        let mut asked = Arc::clone(&self.asked).lock_owned().await;
        let current = self.keys.load_full();
        let is_newer = match (&current, seen) {
            (Some(current), Some(seen)) => !Arc::ptr_eq(current, seen),
            (current, None) => current.is_some(),
            (None, Some(_)) => false,
        };
        let now = self.clock.elapsed();
        if is_newer || asked.is_some_and(|last| now.saturating_sub(last) < BETWEEN_FETCHES) {
            return Ok(());
        }
        let source = Arc::clone(self);
        let fetching = tokio::spawn(async move {
            let told = source.ask().await;
            *asked = Some(source.clock.elapsed());
            told
        });
        fetching.await.unwrap_or_else(|error| Err(error.to_string()))
    }

    /// Asks the issuer for its keys, and where they are if that is not known.
    async fn ask(&self) -> Result<(), String> {
        let url = match self.keys.load_full() {
            Some(current) => current.url.clone(),
            None => self.discover().await?,
        };
        let document = self.fetcher.json(&url).await?;
        let listed = document.get("keys").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let keys: Vec<_> = listed.iter().filter_map(PublicKey::of_jwk).take(MOST_KEYS).collect();
        tracing::info!(issuer = self.issuer, keys = keys.len(), "fetched the keys of an OpenID issuer");
        self.keys.store(Some(Arc::new(Keys { url, keys })));
        Ok(())
    }

    /// Where the issuer says that its keys are.
    async fn discover(&self) -> Result<String, String> {
        let url = format!("{}/.well-known/openid-configuration", self.issuer.trim_end_matches('/'));
        let document = self.fetcher.json(&url).await?;
        let issuer = text(&document, "/issuer");
        if issuer != self.issuer {
            return Err(format!(
                "oidc: issuer URL provided to client ({}) did not match the issuer URL returned by provider ({})",
                quoted(&self.issuer),
                quoted(issuer)
            ));
        }
        match text(&document, "/jwks_uri") {
            "" => Err("provider did not return JWKS URL".to_owned()),
            url => Ok(url.to_owned()),
        }
    }
}

/// About how many bytes a user takes.
fn size(user: &User) -> usize {
    let groups = user.groups.iter().map(|group| group.len() + size_of::<String>());
    user.name.len() + groups.sum::<usize>()
}

impl Keys {
    fn signed(&self, token: &Token<'_>) -> bool {
        let id = token.key_id();
        let mut keys = self.keys.iter().filter(|key| id.is_empty() || key.id() == id);
        keys.any(|key| token.is_signed_with(key))
    }
}

impl TokenAuthenticator for Oidc {
    fn authenticate<'a>(&'a self, token: &'a str) -> TokenVerdict<'a> {
        Box::pin(async move { self.look(token).await.map_err(Refused) })
    }
}
