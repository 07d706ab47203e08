//! Authenticators: tell who sends a request, by what a trusted proxy says, by client certificate, by bearer token,
//! or nobody known.
//!
//! The ways are tried in order and the first that knows the client decides. A credential that nobody takes makes the
//! request unauthorized; a request without any is from the anonymous user, where that one is let in.

mod certificate;
mod config_file;
pub(crate) mod configuration;
pub(crate) mod jwt;
pub(crate) mod oidc;
mod options;
mod proxy;
pub(crate) mod remembered;
pub(crate) mod service_accounts;
mod token_file;

use crate::base::request::is_websocket;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue, SEC_WEBSOCKET_PROTOCOL};

use crate::base::identity::User;
use crate::base::secret::Secret;
pub(crate) use certificate::{CertificateAuthenticator, Presented, Trusted};
pub(crate) use config_file::{Configured, ConfiguredError};
pub use configuration::ConfigurationError;
pub use options::{AccountFiles, Anonymous, AuthenticationOptions, OidcOptions, ProxyOptions};
pub(crate) use proxy::ProxyHeaders;
pub(crate) use token_file::StaticTokens;
pub use token_file::{TokenFile, TokenFileError};

/// What every user gets whom some way knows.
const AUTHENTICATED: &str = "system:authenticated";
const UNAUTHENTICATED: &str = "system:unauthenticated";
const TOKEN_PROTOCOL: &str = "base64url.bearer.authorization.k8s.io.";
/// Headers by which a proxy in front would tell whom it speaks for. Nobody may say so from outside.
const FORWARDED_HEADERS: [&str; 3] = ["x-remote-user", "x-remote-uid", "x-remote-group"];
const FORWARDED_PREFIX: &str = "x-remote-extra-";

/// What a look at a token gives.
pub type TokenVerdict<'a> = Pin<Box<dyn Future<Output = Result<Option<User>, Refused>> + Send + 'a>>;

/// A way of knowing clients by bearer tokens.
pub trait TokenAuthenticator: Send + Sync + 'static {
    /// Whose token this is; none if it is not one of ours.
    ///
    /// # Errors
    /// If the token is one of ours and not good, or can't be checked now.
    fn authenticate<'a>(&'a self, token: &'a str) -> TokenVerdict<'a>;
}

/// Ways of knowing clients by bearer tokens, in the order in which they are tried. Requests and reviews of tokens go
/// by the same.
#[derive(Clone, Default)]
pub struct TokenWays(Vec<Arc<dyn TokenAuthenticator>>);

impl std::fmt::Debug for TokenWays {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TokenWays({})", self.0.len())
    }
}

impl FromIterator<Arc<dyn TokenAuthenticator>> for TokenWays {
    fn from_iter<I: IntoIterator<Item = Arc<dyn TokenAuthenticator>>>(ways: I) -> Self {
        TokenWays(ways.into_iter().collect())
    }
}

impl TokenWays {
    /// These, and then others.
    pub(crate) fn and(self, others: Vec<Arc<dyn TokenAuthenticator>>) -> Self {
        self.0.into_iter().chain(others).collect()
    }

    /// Whose token it is, with the group of all who are known; none if it is not one of any way's.
    ///
    /// # Errors
    /// If it is one of a way's and not good, or can't be checked now.
    pub(crate) async fn user(&self, token: &str) -> Result<Option<User>, Refused> {
        let mut refused = None;
        for way in &self.0 {
            match way.authenticate(token).await {
                Ok(Some(user)) => return Ok(Some(with_group(user))),
                Ok(None) => {}
                Err(error) => refused = Some(error),
            }
        }
        refused.map_or(Ok(None), Err)
    }
}

/// A credential was shown and is not good. The reason is for the log, never for the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

/// A reason may have words of the client, and is a line of log: control characters are escaped.
impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for part in self.0.split_inclusive(char::is_control) {
            match part.char_indices().next_back() {
                Some((at, last)) if last.is_control() => {
                    write!(f, "{}{}", part.get(..at).unwrap_or_default(), last.escape_default())?;
                }
                _ => f.write_str(part)?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}

/// All ways of knowing clients.
#[derive(Clone)]
pub(crate) struct Chain {
    pub(crate) certificates: Arc<CertificateAuthenticator>,
    pub(crate) proxies: Option<Arc<ProxyHeaders>>,
    pub(crate) tokens: TokenWays,
    pub(crate) anonymous: Anonymous,
}

/// What a request was refused for, one after the other.
#[derive(Default)]
struct Refusals(Vec<String>);

impl Refusals {
    /// Who was found, if all was well.
    fn note<T>(&mut self, found: Result<Option<T>, Refused>) -> Option<T> {
        found.unwrap_or_else(|Refused(why)| {
            self.0.push(why);
            None
        })
    }
}

impl Chain {
    /// Who sends a request for a path. What its headers say about that is taken out of them.
    pub(crate) async fn authenticate(
        &self,
        headers: &mut HeaderMap,
        presented: Option<&Presented>,
        path: &str,
    ) -> Result<User, Refused> {
        let mut refusals = Refusals::default();
        let mut found = None;
        if let (Some(proxies), Some(presented)) = (&self.proxies, presented) {
            found = refusals.note(proxies.user(self.certificates.proxy(presented), headers));
        }
        if let (None, Some(presented)) = (&found, presented) {
            found = refusals.note(self.certificates.user(presented));
        }
        if found.is_none()
            && let Some(token) = bearer_token(headers)
        {
            found = refusals.note(self.by_token(&token).await.map(Some));
        }
        if found.is_none() && is_websocket(headers) {
            found = refusals.note(self.by_protocol(headers).await);
        }
        let user = match found {
            Some(user) => with_group(user),
            None if !refusals.0.is_empty() => return Err(Refused(refusals.0.join("; "))),
            None if self.anonymous.covers(path) => User::anonymous(),
            None => return Err(Refused("no credentials".to_owned())),
        };
        remove_credentials(headers);
        if let Some(proxies) = &self.proxies {
            proxies.remove(headers);
        }
        Ok(user)
    }

    async fn by_token(&self, token: &Secret) -> Result<User, Refused> {
        let user = self.tokens.user(token.expose()).await?;
        user.ok_or_else(|| Refused("invalid bearer token".to_owned()))
    }

    /// A browser can't set headers on a WebSocket, so its token comes as one of the protocols it offers.
    async fn by_protocol(&self, headers: &mut HeaderMap) -> Result<Option<User>, Refused> {
        let refused = |why: &str| Refused(why.to_owned());
        let mut token = None;
        let mut others = Vec::new();
        let offered = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
        for protocol in offered.flat_map(|value| value.split(',')).map(str::trim) {
            let Some(encoded) = protocol.strip_prefix(TOKEN_PROTOCOL) else {
                others.push(protocol.to_owned());
                continue;
            };
            if token.is_some() {
                return Err(refused("multiple base64.bearer.authorization tokens specified"));
            }
            let decoded = URL_SAFE_NO_PAD
                .decode(encoded)
                .map_err(|_| refused("invalid base64.bearer.authorization token encoding"))?;
            let text = String::from_utf8(decoded)
                .map_err(|_| refused("invalid base64.bearer.authorization token"))?;
            token = Some(Secret::from(text));
        }
        let Some(token) = token.filter(|token| !token.expose().is_empty()) else { return Ok(None) };
        if others.is_empty() {
            return Err(refused("missing additional subprotocol"));
        }
        let user = self.by_token(&token).await?;
        if let Ok(value) = HeaderValue::try_from(others.join(",")) {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, value);
        }
        Ok(Some(user))
    }
}

impl Anonymous {
    /// Whether requests without credentials may ask for a path.
    fn covers(&self, path: &str) -> bool {
        match self {
            Anonymous::Everything => true,
            Anonymous::Paths(paths) => paths.iter().any(|allowed| allowed == path),
            Anonymous::Nothing => false,
            Anonymous::Health => {
                matches!(path, "/livez" | "/readyz" | "/healthz" | "/version" | "/version/")
            }
        }
    }
}

/// The token of an `Authorization` header, if it has one.
fn bearer_token(headers: &HeaderMap) -> Option<Secret> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?.trim();
    let mut parts = value.splitn(3, ' ');
    let is_bearer = parts.next()?.eq_ignore_ascii_case("bearer");
    let token = parts.next()?;
    (is_bearer && !token.is_empty()).then(|| Secret::from(token))
}

fn remove_credentials(headers: &mut HeaderMap) {
    headers.remove(AUTHORIZATION);
    for name in FORWARDED_HEADERS {
        headers.remove(name);
    }
    let extra: Vec<_> =
        headers.keys().filter(|name| name.as_str().starts_with(FORWARDED_PREFIX)).cloned().collect();
    for name in extra {
        headers.remove(name);
    }
}

/// A user whom some way knows, with the group of all of them.
fn with_group(mut user: User) -> User {
    if !user.groups.iter().any(|group| group == AUTHENTICATED || group == UNAUTHENTICATED) {
        user.groups.push(AUTHENTICATED.to_owned());
    }
    user
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_as_kubernetes_finds_them() {
        for (value, expect) in [
            ("Bearer abc", Some("abc")),
            ("  bEARER abc def", Some("abc")),
            ("Bearer  abc", None),
            ("Bearer", None),
            ("Basic abc", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, HeaderValue::from_static(value));
            assert_eq!(bearer_token(&headers), expect.map(Secret::from), "{value:?}");
        }
    }

    #[test]
    fn nobody_speaks_for_others_from_outside() {
        let mut headers = HeaderMap::new();
        for name in ["x-remote-user", "x-remote-extra-scopes", "authorization", "accept"] {
            headers.insert(name, HeaderValue::from_static("x"));
        }
        remove_credentials(&mut headers);
        assert_eq!(headers.keys().map(|name| name.as_str()).collect::<Vec<_>>(), ["accept"]);
    }
}
