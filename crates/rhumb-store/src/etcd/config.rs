//! How to reach an etcd.

use std::time::Duration;

use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use crate::error::StoreError;

/// How to reach an etcd, and how patient to be.
#[derive(Clone, Debug)]
pub struct Config {
    /// The addresses of its members, like `https://10.0.0.1:2379`. Without a scheme, it is `https` if there is a
    /// [`Config::tls`] and `http` if not.
    pub endpoints: Vec<String>,
    /// Whom to trust and who we are, for endpoints with `https`.
    pub tls: Option<Tls>,
    /// How long a request may take, with all attempts at all members.
    pub request_timeout: Duration,
    /// How long connecting to a member may take.
    pub connect_timeout: Duration,
    /// How long a watch hears nothing before it asks the server up to where it has got. Servers older than 3.4.31 and
    /// 3.5.13 are not asked, because they may answer with a revision whose events are still to come.
    pub progress_interval: Duration,
    /// The largest request that the server takes (its `--max-request-bytes`). Only told in
    /// [`StoreError::TooLarge`]: the server decides.
    pub request_limit: usize,
    /// Where the spread of waiting times begins. Servers that start together should have different ones.
    pub seed: u64,
}

/// Whom to trust and who we are. All of it is PEM.
#[derive(Clone)]
pub struct Tls {
    /// The certificates of those who vouch for the servers.
    pub authorities: Vec<u8>,
    /// Our certificate and its key, if the servers ask who we are.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl std::fmt::Debug for Tls {
    /// Leaves out the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").field("identity", &self.identity.is_some()).finish_non_exhaustive()
    }
}

impl Config {
    /// Everything as usual, for these members.
    pub fn new(endpoints: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Config {
            endpoints: endpoints.into_iter().map(Into::into).collect(),
            tls: None,
            request_timeout: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(3),
            progress_interval: Duration::from_secs(5),
            request_limit: 3 << 19,
            seed: 0,
        }
    }

    /// The endpoints in the words of the transport.
    pub(super) fn resolved(&self) -> Result<Vec<Endpoint>, StoreError> {
        if self.endpoints.is_empty() {
            return Err(StoreError::Unavailable("no etcd endpoint is given".to_owned()));
        }
        self.endpoints.iter().map(|endpoint| self.endpoint(endpoint)).collect()
    }

    fn endpoint(&self, text: &str) -> Result<Endpoint, StoreError> {
        let refused =
            |why: String| StoreError::Unavailable(format!("the etcd endpoint {text:?} can't be used: {why}"));
        let default = if self.tls.is_some() { "https" } else { "http" };
        let address = if text.contains("://") { text.to_owned() } else { format!("{default}://{text}") };
        let endpoint = Endpoint::from_shared(address).map_err(|error| refused(error.to_string()))?;
        let endpoint = match (endpoint.uri().scheme_str(), &self.tls) {
            (Some("http"), _) => endpoint,
            (Some("https"), Some(tls)) => {
                endpoint.tls_config(tls.client()).map_err(|error| refused(described(&error)))?
            }
            (Some("https"), None) => return Err(refused("no certificate authority is given".to_owned())),
            _ => return Err(refused("it begins neither with http:// nor with https://".to_owned())),
        };
        // etcd closes connections that are pinged more often than every 5 seconds.
        Ok(endpoint
            .connect_timeout(self.connect_timeout)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(Duration::from_secs(10))
            .keep_alive_timeout(Duration::from_secs(5))
            .keep_alive_while_idle(true))
    }
}

impl Tls {
    fn client(&self) -> ClientTlsConfig {
        let config = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&self.authorities));
        match &self.identity {
            Some((certificate, key)) => config.identity(Identity::from_pem(certificate, key)),
            None => config,
        }
    }
}

fn described(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_refused_before_they_are_tried() {
        let tls = Tls { authorities: Vec::new(), identity: None };
        for (endpoint, tls, expect) in [
            ("127.0.0.1:2379", None, Ok("http://127.0.0.1:2379/")),
            ("http://[::1]:2379", None, Ok("http://[::1]:2379/")),
            ("https://etcd:2379", None, Err("no certificate authority is given")),
            ("ftp://etcd:2379", Some(tls.clone()), Err("it begins neither with http:// nor with https://")),
            ("http://etcd:2379", Some(tls), Ok("http://etcd:2379/")),
        ] {
            let config = Config { tls, ..Config::new([endpoint]) };
            let found = config.resolved().map(|endpoints| endpoints[0].uri().to_string());
            let expect = expect.map(str::to_owned).map_err(|why| {
                StoreError::Unavailable(format!("the etcd endpoint {endpoint:?} can't be used: {why}"))
            });
            assert_eq!(found, expect);
        }
        assert!(Config::new(Vec::<String>::new()).resolved().is_err());
    }
}
