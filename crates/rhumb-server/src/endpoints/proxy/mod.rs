//! Proxy to nodes, pods and Services: logs, streams, and requests that are passed on.
//!
//! [`location`] finds out where a request leads, and refuses places that clients must not reach. [`network`] connects,
//! [`exchange`] asks and is answered. A log is an answer that is passed on ([`log`]); a stream is a connection that
//! is joined with the client's ([`upgrade`]), through a tunnel if the kubelet knows no WebSocket
//! ([`tunnel`], [`translate`]); everything else is passed on as it is, but for the links in it ([`forward`]).

mod errors;
mod exchange;
mod forward;
mod html;
mod links;
mod location;
mod log;
mod network;
mod options;
mod spdy;
mod stream;
mod translate;
mod tunnel;
mod upgrade;

use crate::base::request::Peer;

use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use hyper::upgrade::OnUpgrade;
use rhumb_api::core::v1::{NodeProxyOptions, PodProxyOptions, ServiceProxyOptions};
use rhumb_meta::Object;

pub(crate) use exchange::PassedBody;
pub use network::KubeletAccess;
pub(crate) use network::Network;
pub use options::KubeletOptions;

use crate::base::failure::{Failure, Outcome};
use crate::base::response::Response;
use crate::endpoints::context::RequestContext;
use crate::endpoints::handlers::admit;
use crate::endpoints::routing::{no_such_resource, not_allowed};
use rhumb_api::resources::Verb;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");

/// A request that is to be passed on.
pub(crate) struct Passing {
    method: Method,
    /// The path, without escapes.
    path: String,
    headers: HeaderMap,
    /// Whom the client thinks it talks to.
    host: Option<HeaderValue>,
    peer: Option<Peer>,
    upgrade: Option<OnUpgrade>,
    body: PassedBody,
}

impl Passing {
    /// Takes what is passed on from a request.
    pub(crate) fn new(parts: &Parts, path: &str, body: PassedBody) -> Self {
        let mut headers = parts.headers.clone();
        // The front gave it to the request for what is behind it, and that ends here.
        headers.remove(AUDIT_ID);
        let named = parts.uri.authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok());
        let host = headers.remove(header::HOST).or(named);
        Passing {
            method: parts.method.clone(),
            path: path.to_owned(),
            headers,
            host,
            peer: parts.extensions.get::<Peer>().copied(),
            upgrade: parts.extensions.get::<OnUpgrade>().cloned(),
            body,
        }
    }

    /// Whether the client wants to go on in another protocol.
    fn wants_upgrade(&self) -> bool {
        let mut asked = self.headers.get_all(header::CONNECTION).iter();
        asked.any(|value| value.to_str().is_ok_and(|text| text.to_ascii_lowercase().contains("upgrade")))
    }

    /// Adds where the request came from, behind those who passed it on before.
    fn add_forwarded_for(&mut self) {
        let Some(Peer(peer)) = self.peer else { return };
        let before = self.headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
        let mut all: Vec<String> = before.map(str::to_owned).collect();
        all.push(peer.ip().to_string());
        if let Ok(value) = HeaderValue::try_from(all.join(", ")) {
            self.headers.insert(FORWARDED_FOR, value);
        }
    }
}

/// Answers a request that is passed on.
pub(crate) async fn answer(call: &mut RequestContext<'_>, verb: Verb, passing: Passing) -> Outcome<Response> {
    let name = call.path.subresource.as_str();
    if !call.endpoint.knows(verb, name) {
        return Err(not_allowed());
    }
    if name != "proxy" && !call.path.rest.is_empty() {
        return Err(no_such_resource());
    }
    if name == "log" {
        return log::answer(call).await;
    }
    if rhumb_codec::query::parse(call.query).first("dryRun").is_some() {
        return Err(Failure::bad_request("dryRun is not supported"));
    }
    if name != "proxy" {
        return stream::answer(call, passing).await;
    }
    let mut wanted = proxied(call, &passing.path)?;
    admit::connect(call, &mut *wanted).await?;
    forward::answer(call, passing).await
}

/// What somebody wants who asks for a request to be passed on, as plugins see it.
fn proxied(call: &RequestContext<'_>, passed: &str) -> Outcome<Box<dyn Object>> {
    let path = forward::path_beyond(&call.path.rest, passed);
    Ok(match &*call.endpoint.resource.resource {
        "nodes" => Box::new(NodeProxyOptions { path, ..call.options()? }),
        "services" => Box::new(ServiceProxyOptions { path, ..call.options()? }),
        _ => Box::new(PodProxyOptions { path, ..call.options()? }),
    })
}
