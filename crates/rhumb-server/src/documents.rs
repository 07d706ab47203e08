//! Paths that are neither resources nor discovery: OpenAPI, how tokens of service accounts are checked, and the list
//! of paths itself.
//!
//! A document is made when it is first asked for and kept compressed, because most clients take it so and few ask
//! for more than a handful of them.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use http::request::Parts;
use http::{HeaderValue, Method, header};
use parking_lot::Mutex;
use rhumb_openapi::{Documents, Enums, Settings};
use serde_json::json;

use crate::accounts::Accounts;
use crate::api::Api;
use crate::call::header_text;
use crate::compress::takes_gzip;
use crate::failure::Outcome;
use crate::resource::Resources;
use crate::respond::{self, Answer};
use crate::route;

/// Where it is told who signs tokens of service accounts, and with which keys.
const ISSUER: &str = "/.well-known/openid-configuration";
const KEYS: &str = "/openid/v1/jwks";
const JWK_SET: &str = "application/jwk-set+json";

/// A document, compressed, its hash and when it was made.
#[derive(Clone)]
struct Document {
    packed: Bytes,
    hash: String,
    made: i64,
}

/// The documents that were asked for.
#[derive(Default)]
pub(crate) struct Library {
    /// By name, each with the resources that it was made of.
    made: Mutex<HashMap<String, (Arc<Resources>, Document)>>,
}

impl Library {
    /// A document, made unless it is there.
    fn get(
        &self,
        resources: &Arc<Resources>,
        name: &str,
        now: i64,
        make: impl FnOnce() -> Option<(Vec<u8>, String)>,
    ) -> Option<Document> {
        if let Some((of, document)) = self.made.lock().get(name)
            && Arc::ptr_eq(of, resources)
        {
            return Some(document.clone());
        }
        let (bytes, hash) = make()?;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&bytes).ok()?;
        let document = Document { packed: encoder.finish().ok()?.into(), hash, made: now };
        self.made.lock().insert(name.to_owned(), (Arc::clone(resources), document.clone()));
        Some(document)
    }
}

/// How documents are made.
pub(crate) fn settings() -> Settings {
    let version = crate::front::version::GIT_VERSION.to_owned();
    Settings { version, cbor: false, logs: false, enums: Enums::Shown }
}

/// Answers a request for anything that is no resource.
pub(crate) fn answer(api: &Arc<Api>, path: &str, parts: &Parts) -> Outcome<Answer> {
    let resources = api.resources();
    Ok(match path {
        "/" => {
            let paths = paths(&resources);
            let mut text = serde_json::to_vec_pretty(&json!({ "paths": paths })).unwrap_or_default();
            text.push(b'\n');
            respond::bytes(200, "application/json", text)
        }
        _ if path.strip_suffix('/').unwrap_or(path) == ISSUER => return issuer(api, parts),
        _ if path.strip_suffix('/').unwrap_or(path) == KEYS => return signing_keys(api, parts),
        "/openapi/v2" => v2(api, &resources, parts),
        "/openapi/v3" => {
            let index = rhumb_openapi::index(keys(api, &resources));
            let now = api.environment.now().0;
            let mut answer = match is_known(parts, "", now) {
                true => nothing(304),
                false => respond::bytes(200, "text/plain; charset=utf-8", index),
            };
            respond::set(&mut answer, header::LAST_MODIFIED, &date(now));
            answer
        }
        _ if path.starts_with("/version/") => return Err(route::no_such_resource()),
        other => match other.strip_prefix("/openapi/v3/") {
            Some(key) => v3(api, &resources, key, parts),
            None => respond::no_such_path(),
        },
    })
}

/// Who tokens of service accounts are from, as OpenID Connect asks for it.
fn issuer(api: &Arc<Api>, parts: &Parts) -> Outcome<Answer> {
    let Some(accounts) = routed(api, parts, "application/json")? else { return Ok(respond::no_such_path()) };
    let host =
        api.options.address.map(|(ip, port)| SocketAddr::new(ip, port).to_string()).unwrap_or_default();
    let document = json!({
        "issuer": accounts.issuer(),
        "jwks_uri": accounts.keys_url().map_or_else(|| format!("https://{host}{KEYS}"), str::to_owned),
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": accounts.algorithms(),
    });
    Ok(for_an_hour(respond::bytes(200, "application/json", document.to_string())))
}

/// The keys that tokens of service accounts are checked with.
fn signing_keys(api: &Arc<Api>, parts: &Parts) -> Outcome<Answer> {
    let Some(accounts) = routed(api, parts, JWK_SET)? else { return Ok(respond::no_such_path()) };
    Ok(for_an_hour(respond::bytes(200, JWK_SET, accounts.public_keys().to_string())))
}

/// Who signs tokens, if the request is one that is answered; none if nobody does.
fn routed<'a>(api: &'a Api, parts: &Parts, media_type: &str) -> Outcome<Option<&'a Accounts>> {
    let Some(accounts) = &api.accounts else { return Ok(None) };
    if parts.method != Method::GET {
        return Err(route::not_allowed());
    }
    route::accepts(&parts.headers, std::iter::once(media_type))?;
    Ok(Some(accounts))
}

/// Lets everybody keep an answer for an hour.
fn for_an_hour(mut answer: Answer) -> Answer {
    respond::set(&mut answer, header::CACHE_CONTROL, "public, max-age=3600");
    answer
}

/// A time in the form of HTTP's headers.
fn date(seconds: i64) -> String {
    let since = Duration::from_secs(u64::try_from(seconds).unwrap_or_default());
    UNIX_EPOCH.checked_add(since).map(httpdate::fmt_http_date).unwrap_or_default()
}

/// The paths that there are.
fn paths(resources: &Resources) -> Vec<String> {
    let fixed = [
        ISSUER,
        "/api",
        "/apis",
        "/apis/",
        "/healthz",
        "/livez",
        "/metrics",
        "/openapi/v2",
        "/openapi/v3",
        "/openapi/v3/",
        KEYS,
        "/readyz",
        "/version",
    ];
    let mut paths: Vec<String> = fixed.map(str::to_owned).to_vec();
    for place in resources.places() {
        if place.group.is_empty() {
            paths.push(format!("/api/{}", place.version));
        } else {
            paths.push(format!("/apis/{}", place.group));
            paths.push(format!("/apis/{}/{}", place.group, place.version));
        }
    }
    paths.sort();
    paths.dedup();
    paths
}

/// The keys of all documents, with the hashes that tell when one has changed.
fn keys(api: &Api, resources: &Resources) -> Vec<(String, String)> {
    let settings = settings();
    let documents = Documents::new(&api.scheme, &resources.table, &settings);
    let mut keys: Vec<(String, String)> = documents
        .keys()
        .into_iter()
        .map(|key| {
            let hash = built_in_hash(resources, &key);
            (key, hash)
        })
        .collect();
    for place in resources.custom_places() {
        let key = format!("apis/{}/{}", place.group, place.version);
        keys.retain(|(known, _)| *known != key);
        keys.push((key, resources.custom_hash(&place)));
    }
    keys.sort();
    keys
}

/// What a built-in document depends on: this build, and which resources it has. So its hash is known before it
/// is made.
fn built_in_hash(resources: &Resources, key: &str) -> String {
    let served: Vec<String> = resources
        .table
        .iter()
        .map(|served| format!("{}/{}/{}", served.group, served.version, served.resource.plural))
        .filter(|name| format!("apis/{name}").starts_with(key) || format!("api{name}").starts_with(key))
        .collect();
    let text = format!("{} {key} {}", crate::front::version::GIT_VERSION, served.join(","));
    rhumb_openapi::hash(text.as_bytes())
}

fn v3(api: &Arc<Api>, resources: &Arc<Resources>, key: &str, parts: &Parts) -> Answer {
    let Some((_, hash)) = keys(api, resources).into_iter().find(|(known, _)| known == key) else {
        return nothing(404);
    };
    let asked = rhumb_codec::query::parse(parts.uri.query().unwrap_or_default());
    if asked.first("hash").is_some_and(|asked| asked != hash) {
        let mut answer = respond::bytes(301, "text/html; charset=utf-8", "");
        respond::set(&mut answer, header::LOCATION, &rhumb_openapi::relative_url(key, &hash));
        return answer;
    }
    if !takes(parts, &["application/json"]) {
        return vary(nothing(406), &["Accept"]);
    }
    let now = api.environment.now().0;
    let document = api.library.get(resources, &format!("v3/{key}"), now, || {
        let settings = settings();
        let documents = Documents::new(&api.scheme, &resources.table, &settings);
        let place = key.strip_prefix("apis/").and_then(|place| place.split_once('/'));
        let custom = place.and_then(|(group, version)| {
            resources.custom_v3(&rhumb_meta::GroupVersion::new(group.to_owned(), version.to_owned()))
        });
        let bytes = match custom {
            Some(custom) => custom.to_string().into_bytes(),
            None => documents.v3(key)?,
        };
        Some((bytes, hash.clone()))
    });
    match document {
        Some(document) => vary(send(&document, "application/json", parts), &["Accept"]),
        None => respond::no_such_path(),
    }
}

/// An answer without anything.
fn nothing(code: u16) -> Answer {
    let mut answer = respond::bytes(code, "", "");
    answer.headers_mut().remove(header::CONTENT_TYPE);
    answer
}

/// Whether a client takes one of these media types.
fn takes(parts: &Parts, given: &[&str]) -> bool {
    let accept = header_text(&parts.headers, header::ACCEPT);
    let mut clauses = accept.split(',').map(|clause| clause.split(';').next().unwrap_or_default().trim());
    accept.is_empty()
        || clauses.any(|clause| {
            let of_family = |given: &&str| {
                clause
                    .strip_suffix('*')
                    .is_some_and(|family| family.ends_with('/') && given.starts_with(family))
            };
            clause == "*/*" || given.contains(&clause) || given.iter().any(of_family)
        })
}

/// Says which headers of the request an answer depends on.
fn vary(mut answer: Answer, names: &[&'static str]) -> Answer {
    for name in names {
        answer.headers_mut().append(header::VARY, HeaderValue::from_static(name));
    }
    answer
}

fn v2(api: &Arc<Api>, resources: &Arc<Resources>, parts: &Parts) -> Answer {
    let accept = header_text(&parts.headers, header::ACCEPT);
    let forms = [rhumb_openapi::V2_PROTOBUF, rhumb_openapi::V2_PROTOBUF_ANSWER];
    let protobuf = accept.split(',').any(|clause| forms.iter().any(|form| clause.trim().starts_with(form)));
    const VARY: &[&str] = &["Accept-Encoding", "Accept"];
    if !protobuf && !takes(parts, &["application/json"]) {
        return vary(nothing(406), VARY);
    }
    let now = api.environment.now().0;
    let name = if protobuf { "v2.pb" } else { "v2.json" };
    let document = api.library.get(resources, name, now, || {
        let settings = settings();
        let documents = Documents::new(&api.scheme, &resources.table, &settings);
        let custom = resources.custom_v2();
        let bytes = if protobuf { documents.v2_protobuf(&custom) } else { documents.v2(&custom) };
        let hash = rhumb_openapi::hash(&bytes);
        Some((bytes, hash))
    });
    let content_type = if protobuf { rhumb_openapi::V2_PROTOBUF_ANSWER } else { "application/json" };
    match document {
        Some(document) => vary(send(&document, content_type, parts), VARY),
        None => respond::no_such_path(),
    }
}

/// Whether a client has a document of this tag already: it names the tag, or else a time since which the document has
/// not changed.
fn is_known(parts: &Parts, tag: &str, made: i64) -> bool {
    let tags = header_text(&parts.headers, header::IF_NONE_MATCH);
    if !tags.is_empty() {
        let mut known = tags.split(',').map(|known| known.trim());
        return known.any(|known| known == "*" || !tag.is_empty() && known.trim_start_matches("W/") == tag);
    }
    let since = httpdate::parse_http_date(header_text(&parts.headers, header::IF_MODIFIED_SINCE));
    let since = since.ok().and_then(|since| since.duration_since(UNIX_EPOCH).ok());
    since.is_some_and(|since| u64::try_from(made).unwrap_or_default() <= since.as_secs())
}

/// The answer that a document is.
fn send(document: &Document, content_type: &str, parts: &Parts) -> Answer {
    let tag = rhumb_openapi::etag(&document.hash);
    if is_known(parts, &tag, document.made) {
        let mut answer = nothing(304);
        respond::set(&mut answer, header::ETAG, &tag);
        return answer;
    }
    let gzip = takes_gzip(&parts.headers);
    let mut answer = if gzip {
        respond::bytes(200, content_type, document.packed.clone())
    } else {
        let mut bytes = Vec::new();
        if GzDecoder::new(&*document.packed).read_to_end(&mut bytes).is_err() {
            return respond::text(500, "the document could not be read\n");
        }
        respond::bytes(200, content_type, bytes)
    };
    if gzip {
        respond::set(&mut answer, header::CONTENT_ENCODING, "gzip");
    }
    respond::set(&mut answer, header::ETAG, &tag);
    respond::set(&mut answer, header::LAST_MODIFIED, &date(document.made));
    answer
}
