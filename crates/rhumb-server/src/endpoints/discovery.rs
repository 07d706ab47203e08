//! Discovery: groups, versions and resources, one by one and all at once.

use http::header;
use http::request::Parts;
use rhumb_codec::Format;
use rhumb_codec::negotiate::{self, DiscoveryEndpoint, PlainEndpoint};
use rhumb_meta::v1::ServerAddressByClientCIDR;
use rhumb_meta::{GroupVersion, Object};
use sha2::{Digest, Sha512};

use crate::base::failure::{Failure, Outcome};
use crate::base::request::wishes;
use crate::base::response::{self, Response};
use crate::endpoints::openapi::Sources;
use crate::endpoints::request_info::Discovery;
use crate::endpoints::{Handlers, routing};

/// Answers a request for what there is.
pub(crate) fn answer(api: &Handlers, place: &Discovery, parts: &Parts, query: &str) -> Outcome<Response> {
    let resources = api.resources();
    // The list of groups and each group are answered whatever the method is, the others by routes.
    let is_routed = match place {
        Discovery::Legacy => true,
        Discovery::Groups | Discovery::Group(_) => false,
        Discovery::Version(group, version) => {
            let place = GroupVersion::new(group.clone(), version.clone());
            let is_built_in = routing::is_built_in(&resources, group);
            let is_there =
                if is_built_in { resources.is_built_in_place(&place) } else { resources.is_place(&place) };
            if !is_there {
                return routing::nowhere(&resources, group);
            }
            is_built_in
        }
    };
    if is_routed {
        if parts.method != http::Method::GET {
            return Err(routing::not_allowed());
        }
        routing::accepts(&parts.headers, Format::ALL.iter().map(|format| format.media_type()))?;
    }
    let wishes = wishes(&parts.headers, query);
    if matches!(place, Discovery::Legacy | Discovery::Groups)
        && let Ok(agreed) = negotiate::output(wishes, &Format::ALL, &DiscoveryEndpoint)
        && DiscoveryEndpoint::is_aggregated(agreed.convert.as_ref())
    {
        let is_core = *place == Discovery::Legacy;
        let sources = api.library.sources(&resources);
        let tag = tag(&sources, is_core, &agreed.content_type_with_kind(), agreed.pretty);
        let known = parts.headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
        let mut answer = if known == Some(tag.as_str()) {
            response::bytes(304, &agreed.content_type_with_kind(), "")
        } else {
            let is_kept = !is_core && agreed.format == Format::Json && !agreed.pretty;
            let body = match is_kept.then(|| sources.aggregated_json()).flatten() {
                Some(body) => body,
                None => response::encode(&resources.aggregated(is_core), agreed.format, agreed.pretty)?,
            };
            response::bytes(200, &agreed.content_type_with_kind(), body)
        };
        response::set(&mut answer, header::ETAG, &tag);
        response::set(&mut answer, header::VARY, "Accept");
        response::set(&mut answer, header::CACHE_CONTROL, "public");
        return Ok(answer);
    }
    let agreed = negotiate::output(wishes, &Format::ALL, &PlainEndpoint)
        .map_err(|error| Failure::from(error.status()))?;
    let document: Option<Box<dyn Object>> = match place {
        Discovery::Legacy => {
            let address = api.address.map(|(ip, port)| ServerAddressByClientCIDR {
                client_cidr: "0.0.0.0/0".to_owned(),
                server_address: std::net::SocketAddr::new(ip, port).to_string(),
            });
            Some(Box::new(resources.table.api_versions(address.into_iter().collect())))
        }
        Discovery::Groups => Some(Box::new(resources.group_list())),
        Discovery::Group(name) => resources.group(name).map(|group| Box::new(group) as Box<dyn Object>),
        Discovery::Version(group, version) => {
            let place = GroupVersion::new(group.clone(), version.clone());
            resources.resource_list(&place).map(|list| Box::new(list) as Box<dyn Object>)
        }
    };
    match document {
        Some(document) => response::object(200, &*document, agreed.format, agreed.pretty),
        None => Ok(response::no_such_path()),
    }
}

/// The tag of the one document of all. It changes with what the document is made of, so nothing has to be made to tell
/// that a client has it already.
fn tag(sources: &Sources, is_core: bool, content_type: &str, pretty: bool) -> String {
    let text = format!("{is_core} {content_type} {pretty} {}", sources.discovery_hash(is_core));
    let digest = Sha512::digest(text);
    let digest: String = digest.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("\"{digest}\"")
}
