//! Credentials of requests, refreshed when they expire.

use std::error::Error as StdError;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::exec::ExecPlugin;
use super::{Auth, Config, Secret};

/// Period after which a token file is read again. Tokens in pods live for an hour and are replaced long before.
const TOKEN_FILE_PERIOD: Duration = Duration::from_secs(50);

/// Client certificate and key in PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    /// The certificate, with those in between if there are any.
    pub certificate: Arc<[u8]>,
    /// The key. It is not shown.
    pub key: Arc<[u8]>,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").finish_non_exhaustive()
    }
}

/// Headers and certificate that authenticate a request.
#[derive(Clone, Debug, Default)]
pub struct Authorization {
    /// The value of the header `Authorization`, marked as sensitive.
    pub header: Option<HeaderValue>,
    /// The certificate that an exec plugin said. A connection that was made with another one must not be used.
    pub identity: Option<Identity>,
}

/// Credentials of a configuration, consulted before every request; work is done only when something has expired.
#[derive(Clone, Debug)]
pub struct Credentials(Arc<Kind>);

#[derive(Debug)]
enum Kind {
    Fixed(Authorization),
    TokenFile { path: PathBuf, cached: Mutex<Option<(Instant, HeaderValue)>> },
    Exec(Box<ExecPlugin>),
}

impl Credentials {
    /// Creates the credentials of a configuration.
    ///
    /// # Errors
    /// They can't be sent in a header.
    pub fn new(config: &Config) -> Result<Self, CredentialsError> {
        let kind = match &config.auth {
            Auth::None => Kind::Fixed(Authorization::default()),
            Auth::Token(token) => Kind::Fixed(Authorization { header: Some(bearer(token)?), identity: None }),
            Auth::TokenFile(path) => Kind::TokenFile { path: path.clone(), cached: Mutex::default() },
            Auth::Basic { username, password } => {
                let pair = STANDARD.encode(format!("{username}:{}", password.expose()));
                Kind::Fixed(Authorization {
                    header: Some(sensitive(&format!("Basic {pair}"))?),
                    identity: None,
                })
            }
            Auth::Exec(exec) => Kind::Exec(Box::new(ExecPlugin::new(exec, config))),
        };
        Ok(Credentials(Arc::new(kind)))
    }

    /// Returns the authentication of the next request.
    ///
    /// # Errors
    /// It can't be had.
    pub async fn authorize(&self) -> Result<Authorization, CredentialsError> {
        match &*self.0 {
            Kind::Fixed(authorization) => Ok(authorization.clone()),
            Kind::Exec(plugin) => plugin.authorize().await,
            Kind::TokenFile { path, cached } => {
                let known = cached.lock().clone();
                let now = Instant::now();
                if let Some((until, header)) = &known
                    && now < *until
                {
                    return Ok(Authorization { header: Some(header.clone()), identity: None });
                }
                let header = match (read_token(path).await, known) {
                    (Ok(header), _) => header,
                    // A file that is away for a moment is no reason to stop: the old token may still be good.
                    (Err(_), Some((_, header))) => header,
                    (Err(error), None) => return Err(error),
                };
                *cached.lock() = Some((now + TOKEN_FILE_PERIOD, header.clone()));
                Ok(Authorization { header: Some(header), identity: None })
            }
        }
    }

    /// Marks the last result of [`authorize`](Credentials::authorize) as refused by a server: it is not returned again
    /// if there is another.
    pub fn invalidate(&self) {
        self.forget(None);
    }

    /// Says that a server did not accept these. If others have been had since then, nothing happens: so of many
    /// requests that are refused together only the first has new ones made.
    pub fn refused(&self, used: &Authorization) {
        self.forget(Some(used));
    }

    fn forget(&self, used: Option<&Authorization>) {
        match &*self.0 {
            Kind::Fixed(_) => {}
            Kind::TokenFile { cached, .. } => {
                if let Some((until, header)) = &mut *cached.lock()
                    && used.is_none_or(|used| used.header.as_ref() == Some(header))
                {
                    *until = Instant::now();
                }
            }
            Kind::Exec(plugin) => plugin.forget(used),
        }
    }

    /// Reports whether new credentials may be available after a refusal, so that a retry makes sense.
    pub fn can_change(&self) -> bool {
        !matches!(&*self.0, Kind::Fixed(_))
    }
}

async fn read_token(path: &Path) -> Result<HeaderValue, CredentialsError> {
    let failed =
        |why: String| CredentialsError(format!("failed to read token file \"{}\": {why}", path.display()));
    let content = tokio::fs::read_to_string(path).await.map_err(|error| failed(error.to_string()))?;
    match content.trim() {
        "" => Err(CredentialsError(format!("read empty token from file \"{}\"", path.display()))),
        token => bearer(&Secret::from(token)),
    }
}

/// Returns the value of the header for a bearer token.
pub(super) fn bearer(token: &Secret) -> Result<HeaderValue, CredentialsError> {
    sensitive(&format!("Bearer {}", token.expose()))
}

fn sensitive(value: &str) -> Result<HeaderValue, CredentialsError> {
    let mut value = HeaderValue::from_str(value).map_err(|_| {
        CredentialsError("the credentials have characters that no header can have".to_owned())
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// Error of obtaining credentials.
#[derive(Clone, Debug)]
pub struct CredentialsError(pub(super) String);

impl fmt::Display for CredentialsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for CredentialsError {}
