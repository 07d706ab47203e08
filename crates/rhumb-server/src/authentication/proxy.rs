//! Proxies in front of the server, which have found out whom they speak for and say so in headers. They are believed
//! if their certificate is of an authority that vouches for proxies.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderName};
use rhumb_schema::text::quoted;

use super::Refused;
use crate::authentication::ProxyOptions;
use crate::base::identity::User;

/// Which proxies are believed, and the headers in which they speak.
#[derive(Debug)]
pub(crate) struct ProxyHeaders {
    allowed: Vec<String>,
    names: Vec<HeaderName>,
    uids: Vec<HeaderName>,
    groups: Vec<HeaderName>,
    /// In small letters, as names of headers are here.
    extra: Vec<String>,
}

impl ProxyHeaders {
    /// None if no proxies are known.
    ///
    /// # Errors
    /// If a name is none that a header can have.
    pub(crate) fn new(options: &ProxyOptions) -> Result<Option<Self>, String> {
        if options.authority_file.is_none() {
            return Ok(None);
        }
        let headers = |names: &[String]| -> Result<Vec<HeaderName>, String> {
            let parse = |name: &String| {
                HeaderName::try_from(name.as_str())
                    .map_err(|_| format!("{} is not the name of a header", quoted(name)))
            };
            names.iter().map(parse).collect()
        };
        Ok(Some(ProxyHeaders {
            allowed: options.allowed_names.clone(),
            names: headers(&options.username_headers)?,
            uids: headers(&options.uid_headers)?,
            groups: headers(&options.group_headers)?,
            extra: options.extra_prefixes.iter().map(|prefix| prefix.to_ascii_lowercase()).collect(),
        }))
    }

    /// Whom a proxy speaks for; none if it names nobody, or it is no proxy that asks.
    pub(super) fn user(
        &self,
        proxy: Result<Option<String>, Refused>,
        headers: &HeaderMap,
    ) -> Result<Option<User>, Refused> {
        let Some(proxy) = proxy? else { return Ok(None) };
        if !self.allowed.is_empty() && !self.allowed.contains(&proxy) {
            return Err(Refused(format!("x509: subject with cn={proxy} is not in the allowed list")));
        }
        let first = |names: &[HeaderName]| {
            let values = names.iter().filter_map(|name| headers.get(name)).map(text);
            values.into_iter().find(|value| !value.is_empty()).unwrap_or_default()
        };
        let name = first(&self.names);
        if name.is_empty() {
            return Ok(None);
        }
        let groups = self.groups.iter().flat_map(|name| headers.get_all(name)).map(text);
        let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for prefix in &self.extra {
            for (header, value) in headers {
                let Some(key) = header.as_str().strip_prefix(prefix.as_str()) else { continue };
                // A key that is escaped badly is taken as it is.
                let key = crate::base::request::decoded_path(key).map_or_else(|| key.to_owned(), Into::into);
                extra.entry(key).or_default().push(text(value));
            }
        }
        Ok(Some(User {
            name,
            uid: first(&self.uids),
            groups: groups.filter(|group| !group.is_empty()).collect(),
            extra,
        }))
    }

    /// Takes all headers out in which a proxy could have spoken.
    pub(super) fn remove(&self, headers: &mut HeaderMap) {
        for name in self.names.iter().chain(&self.uids).chain(&self.groups) {
            headers.remove(name);
        }
        let spoken = |name: &&HeaderName| self.extra.iter().any(|prefix| name.as_str().starts_with(prefix));
        let further: Vec<_> = headers.keys().filter(spoken).cloned().collect();
        for name in further {
            headers.remove(name);
        }
    }
}

fn text(value: &http::HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}
