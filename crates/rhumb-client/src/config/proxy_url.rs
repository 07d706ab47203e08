//! Proxy URLs.

use std::fmt;

use http::Uri;
use http::uri::Scheme;

use super::ConfigError;

/// URL of a proxy: `http`, `https` or `socks5`. Its user and password are not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ProxyUrl(Uri);

impl ProxyUrl {
    /// Parses the `proxy-url` of a kubeconfig.
    ///
    /// # Errors
    /// It is no URL, or it has another scheme.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let uri: Uri = text.parse().map_err(|_| ConfigError::Proxy(format!("could not parse: {text}")))?;
        match uri.scheme().map(Scheme::as_str) {
            Some("http" | "https" | "socks5") => Ok(ProxyUrl(uri)),
            other => {
                let scheme = other.unwrap_or_default();
                Err(ConfigError::Proxy(format!(
                    "unsupported scheme \"{scheme}\", must be http, https, or socks5"
                )))
            }
        }
    }

    /// Returns the URL with user and password.
    pub fn uri(&self) -> &Uri {
        &self.0
    }

    /// Returns the scheme: `http`, `https` or `socks5`.
    pub fn scheme(&self) -> &str {
        self.0.scheme_str().unwrap_or_default()
    }

    /// Returns the host.
    pub fn host(&self) -> &str {
        self.0.host().unwrap_or_default()
    }

    /// Returns the port, or the scheme's default.
    pub fn port(&self) -> u16 {
        self.0.port_u16().unwrap_or(match self.scheme() {
            "https" => 443,
            "socks5" => 1080,
            _ => 80,
        })
    }

    /// Returns user and password as written (percent-encoded).
    pub fn user_info(&self) -> Option<(&str, &str)> {
        let (info, _) = self.0.authority()?.as_str().rsplit_once('@')?;
        Some(info.split_once(':').unwrap_or((info, "")))
    }
}

impl fmt::Debug for ProxyUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProxyUrl({}://{}:{})", self.scheme(), self.host(), self.port())
    }
}
