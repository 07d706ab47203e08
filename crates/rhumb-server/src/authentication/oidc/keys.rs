//! Keys of an issuer.
//!
//! They are fetched when the server starts, and again when a token is signed with one that is not among them, but
//! never more often than once in a while, whatever clients send. Whoever comes meanwhile waits for what is being
//! fetched, and whoever gives up stops nothing. What the issuer says is bounded in time, size and number, too.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use rhumb_schema::text::quoted;
use serde_json::Value as Json;
use tokio::sync::Mutex;

use super::fetch::Fetcher;
use crate::authentication::jwt::{PublicKey, Token, text};
use crate::base::environment::Clock;

/// How many keys of an issuer are kept: a token without the name of a key is tried with each of them.
const MOST_KEYS: usize = 256;
/// How long to wait before the issuer is asked again.
const BETWEEN_FETCHES: Duration = Duration::from_secs(1);

/// An issuer, and the keys that it told last.
pub(super) struct Source {
    pub(super) issuer: String,
    /// Where the issuer says where its keys are; the usual place, if it is empty.
    pub(super) discovery_url: String,
    pub(super) fetcher: Fetcher,
    pub(super) keys: ArcSwapOption<Keys>,
    /// When the issuer had answered last, or failed to. It is locked while it is asked.
    pub(super) asked: Arc<Mutex<Option<Duration>>>,
    pub(super) clock: Arc<dyn Clock>,
}

/// The keys of an issuer, and where they are.
pub(super) struct Keys {
    url: String,
    keys: Vec<PublicKey>,
}

impl Source {
    /// Fetches keys, unless somebody else has since those were seen that were not enough. What has begun goes on when
    /// who asked gives up, or clients that ask and give up could keep everybody from new keys.
    pub(super) async fn fetch(self: &Arc<Self>, seen: Option<&Arc<Keys>>) -> Result<(), String> {
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
        let url = match self.discovery_url.as_str() {
            "" => format!("{}/.well-known/openid-configuration", self.issuer.trim_end_matches('/')),
            elsewhere => elsewhere.to_owned(),
        };
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

impl Keys {
    /// Whether a token was signed with one of them.
    pub(super) fn signed(&self, token: &Token<'_>) -> bool {
        let id = token.key_id();
        let mut keys = self.keys.iter().filter(|key| id.is_empty() || key.id() == id);
        keys.any(|key| token.is_signed_with(key))
    }
}
