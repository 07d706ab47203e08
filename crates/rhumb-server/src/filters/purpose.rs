//! What a request is for, as far as the front must know it: to refuse it in the right words, to count it
//! among those that read or change, and to know whether it may take as long as it likes.

use std::time::Duration;

use http::Method;
use rhumb_codec::query;

use crate::authorization::Attributes;
use crate::base::failure::Failure;
use crate::base::identity::User;
use crate::base::metrics::RequestKind;
use crate::endpoints::proxy::PASSED_ON;
use crate::endpoints::request_info::{self, ResourcePath, Target, Verb};

/// How long a request may take that ends by itself.
const LONGEST: Duration = Duration::from_secs(60);

/// What a request is for.
#[derive(Clone, Debug)]
pub(crate) struct Purpose {
    /// The path, without escapes.
    path: String,
    /// The resource, if it is about one.
    resource: Option<ResourcePath>,
    /// What is asked of it; nothing if the method means nothing.
    verb: Option<Verb>,
    /// How it is asked.
    method: Method,
}

impl Purpose {
    /// Reads it from a request's first line.
    pub(crate) fn of(method: &Method, path: &str, query: &str) -> Self {
        let path = request_info::decoded_path(path).map_or_else(|| path.to_owned(), Into::into);
        match request_info::target(&path) {
            Target::Resource(resource) => {
                let verb = resource.verb(method, query);
                Purpose { path, resource: Some(resource), verb, method: method.clone() }
            }
            _ => Purpose { path, resource: None, verb: None, method: method.clone() },
        }
    }

    /// The path, without escapes.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The resource, if it is about one.
    pub(crate) fn resource(&self) -> Option<&ResourcePath> {
        self.resource.as_ref()
    }

    /// Whether it is a watch.
    pub(crate) fn is_watch(&self) -> bool {
        self.verb == Some(Verb::Watch)
    }

    /// Whether it goes on until one side ends it.
    pub(crate) fn is_long_running(&self) -> bool {
        let stays = |found: &ResourcePath| PASSED_ON.contains(&found.subresource.as_str());
        self.is_watch() || self.resource.as_ref().is_some_and(stays)
    }

    /// Whether it may keep a processor busy for long.
    pub(crate) fn is_heavy(&self) -> bool {
        self.resource.is_some() && matches!(self.verb, Some(Verb::List | Verb::DeleteCollection))
    }

    /// Whether it changes anything.
    pub(crate) fn kind(&self) -> RequestKind {
        let reads = match &self.resource {
            Some(_) => matches!(self.verb, Some(Verb::Get | Verb::List | Verb::Watch)),
            None => self.method == Method::GET,
        };
        if reads { RequestKind::ReadOnly } else { RequestKind::Mutating }
    }

    /// How long it may take; none for as long as it likes. Clients can only ask for less than the server
    /// allows.
    pub(crate) fn allowed_time(&self, raw_query: &str) -> Result<Option<Duration>, Failure> {
        if self.is_long_running() {
            return Ok(None);
        }
        if !raw_query.contains("timeout") {
            return Ok(Some(LONGEST));
        }
        let parsed = query::parse(raw_query);
        let Some(asked) = parsed.first("timeout").filter(|asked| !asked.is_empty()) else {
            return Ok(Some(LONGEST));
        };
        let asked = rhumb_meta::Duration::parse(asked).map_err(|error| {
            Failure::bad_request(format!("invalid timeout specified in the request URL - {error}"))
        })?;
        let asked = u64::try_from(asked.nanoseconds()).map(Duration::from_nanos).unwrap_or_default();
        Ok(Some(if asked.is_zero() || asked > LONGEST { LONGEST } else { asked }))
    }

    /// What it asks, if a user does.
    pub(crate) fn attributes<'a>(&'a self, user: &'a User, raw_query: &str) -> Attributes<'a> {
        match &self.resource {
            Some(resource) => Attributes::of_request(user, self.verb, resource, raw_query),
            None => Attributes::of_path(user, &self.method, &self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(path: &str, query: &str) -> Purpose {
        Purpose::of(&Method::GET, path, query)
    }

    #[test]
    fn watches_and_streams_take_as_long_as_they_like() {
        assert!(get("/api/v1/pods", "watch=1").is_long_running());
        assert!(get("/api/v1/namespaces/a/pods/b/log", "").is_long_running());
        assert!(!get("/api/v1/pods", "").is_long_running());
        assert!(!get("/watch", "").is_long_running());
    }

    #[test]
    fn whatever_does_not_read_may_change_something() {
        assert_eq!(get("/api/v1/pods", "").kind(), RequestKind::ReadOnly);
        assert_eq!(Purpose::of(&Method::POST, "/api/v1/nodes", "").kind(), RequestKind::Mutating);
        assert_eq!(Purpose::of(&Method::OPTIONS, "/api", "").kind(), RequestKind::Mutating);
    }

    #[test]
    fn clients_may_ask_for_less_time() {
        let time = |query| get("/api/v1/pods", query).allowed_time(query);
        assert_eq!(time("").unwrap(), Some(LONGEST));
        assert_eq!(time("timeout=0s").unwrap(), Some(LONGEST));
        assert_eq!(time("timeout=1h").unwrap(), Some(LONGEST));
        assert_eq!(time("timeout=1500ms").unwrap(), Some(Duration::from_millis(1500)));
        assert_eq!(time("watch=1&timeout=x").unwrap(), None);
        let refused = time("timeout=5").unwrap_err();
        let message = "invalid timeout specified in the request URL - time: missing unit in duration \"5\"";
        assert_eq!((refused.code(), refused.0.message.as_str()), (400, message));
    }
}
