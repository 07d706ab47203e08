//! Paths that are neither resources nor discovery: OpenAPI, how tokens of service accounts are checked, and the list
//! of paths itself.
//!
//! A document is made when it is first asked for and kept compressed, because most clients take it so and few ask
//! for more than a handful of them. What custom resources have a part of is put together for each request, from pieces
//! that are kept for each definition ([`merged`]).

mod built_in;
mod merged;

use std::collections::HashMap;
use std::io::Read;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Buf;
use flate2::read::GzDecoder;
use http::request::Parts;
use http::{HeaderValue, Method, header};
use parking_lot::Mutex;
use rhumb_meta::GroupVersion;
use rhumb_openapi::{Documents, Enums, Form, Settings};
use serde_json::json;

use crate::authentication::service_accounts::Accounts;
use crate::base::compress::{Member, takes_gzip};
use crate::base::data::Data;
use crate::base::failure::Outcome;
use crate::base::health::{Hook, PostStartHooks};
use crate::base::memory;
use crate::base::request::header_text;
use crate::base::response::{self, Response};
use crate::endpoints::{Handlers, routing};
use crate::registry::Resources;

use built_in::BuiltInDocuments;

/// Where it is told who signs tokens of service accounts, and with which keys.
const ISSUER: &str = "/.well-known/openid-configuration";
const KEYS: &str = "/openid/v1/jwks";
/// From how many compressed bytes on a document takes so much memory to be made or read that the allocator is asked to
/// return it.
const WORTH_RETURNING: usize = 1 << 20;
const JWK_SET: &str = "application/jwk-set+json";

/// A document, compressed, its hash and when it was made.
#[derive(Clone)]
struct Document {
    packed: Data,
    hash: String,
    made: i64,
}

/// The documents that were asked for.
#[derive(Default)]
pub(crate) struct Library {
    /// What is kept of the built-in resources.
    kept: Arc<BuiltInDocuments>,
    /// The built-in ones, by name.
    made: Mutex<HashMap<String, Document>>,
    /// Since when the others have been as they are: by name, with their hashes.
    since: Mutex<HashMap<String, (String, i64)>>,
}

/// What documents are made from: the resources of a moment, and what is kept of the built-in ones.
#[derive(Clone)]
pub(crate) struct Sources {
    resources: Arc<Resources>,
    kept: Arc<BuiltInDocuments>,
}

impl Library {
    /// What documents of these resources are made from.
    pub(crate) fn sources(&self, resources: &Arc<Resources>) -> Sources {
        Sources { resources: Arc::clone(resources), kept: Arc::clone(&self.kept) }
    }

    /// A built-in document, made unless it is there.
    fn get(
        &self,
        name: &str,
        hash: &str,
        now: i64,
        make: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Option<Document> {
        if let Some(document) = self.made.lock().get(name).filter(|document| document.hash == hash) {
            return Some(document.clone());
        }
        let mut member = Member::new();
        member.add_text(&make()?).ok()?;
        let document = Document { packed: member.end().ok()?, hash: hash.to_owned(), made: now };
        self.made.lock().insert(name.to_owned(), document.clone());
        Some(document)
    }

    /// Since when a document that is not kept has had a hash. Those that are no longer there are forgotten.
    fn since(&self, name: &str, hash: &str, now: i64, is_there: impl Fn(&str) -> bool) -> i64 {
        let mut since = self.since.lock();
        match since.get(name) {
            Some((known, since)) if known == hash => *since,
            _ => {
                since.retain(|name, _| is_there(name));
                since.insert(name.to_owned(), (hash.to_owned(), now));
                now
            }
        }
    }
}

/// How documents are made.
pub(crate) fn settings() -> Settings {
    let version = crate::base::version::GIT_VERSION.to_owned();
    Settings { version, cbor: false, logs: false, enums: Enums::Shown }
}

/// Makes the index of the documents, which tells clients what all others have, as soon as all that is there to be
/// served is served.
pub(crate) fn start(api: &Handlers, hooks: &Arc<PostStartHooks>) {
    let hooks = Arc::clone(hooks);
    let sources = api.library.sources(&api.resources());
    api.tasks.spawn(async move {
        let making = move || rhumb_openapi::index(keys(&sources));
        if tokio::task::spawn_blocking(making).await.is_ok() {
            hooks.done(&[Hook::Documents]);
        }
    });
}

/// Answers a request for anything that is no resource.
pub(crate) async fn answer(api: &Handlers, path: &str, parts: &Parts) -> Outcome<Response> {
    let resources = api.resources();
    let sources = api.library.sources(&resources);
    Ok(match path {
        "/" => {
            let paths = paths(&resources);
            let mut text = serde_json::to_vec_pretty(&json!({ "paths": paths })).unwrap_or_default();
            text.push(b'\n');
            response::bytes(200, "application/json", text)
        }
        _ if path.strip_suffix('/').unwrap_or(path) == ISSUER => return issuer(api, parts),
        _ if path.strip_suffix('/').unwrap_or(path) == KEYS => return signing_keys(api, parts),
        "/openapi/v2" => v2(api, sources, parts).await,
        "/openapi/v3" => {
            let index = rhumb_openapi::index(keys(&sources));
            let now = api.environment.now().0;
            let mut answer = match is_known(parts, "", now) {
                true => nothing(304),
                false => response::bytes(200, "text/plain; charset=utf-8", index),
            };
            response::set(&mut answer, header::LAST_MODIFIED, &date(now));
            answer
        }
        _ if path.starts_with("/version/") => return Err(routing::no_such_resource()),
        other => match other.strip_prefix("/openapi/v3/") {
            Some(key) => v3(api, sources, key, parts).await,
            None => response::no_such_path(),
        },
    })
}

/// Who tokens of service accounts are from, as OpenID Connect asks for it.
fn issuer(api: &Handlers, parts: &Parts) -> Outcome<Response> {
    let Some(accounts) = routed(api, parts, "application/json")? else { return Ok(response::no_such_path()) };
    let host = api.address.map(|(ip, port)| SocketAddr::new(ip, port).to_string()).unwrap_or_default();
    let document = json!({
        "issuer": accounts.issuer(),
        "jwks_uri": accounts.keys_url().map_or_else(|| format!("https://{host}{KEYS}"), str::to_owned),
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": accounts.algorithms(),
    });
    Ok(for_an_hour(response::bytes(200, "application/json", document.to_string())))
}

/// The keys that tokens of service accounts are checked with.
fn signing_keys(api: &Handlers, parts: &Parts) -> Outcome<Response> {
    let Some(accounts) = routed(api, parts, JWK_SET)? else { return Ok(response::no_such_path()) };
    Ok(for_an_hour(response::bytes(200, JWK_SET, accounts.public_keys().to_string())))
}

/// Who signs tokens, if the request is one that is answered; none if nobody does.
fn routed<'a>(api: &'a Handlers, parts: &Parts, media_type: &str) -> Outcome<Option<&'a Accounts>> {
    let Some(accounts) = api.accounts.issuer() else { return Ok(None) };
    if parts.method != Method::GET {
        return Err(routing::not_allowed());
    }
    routing::accepts(&parts.headers, std::iter::once(media_type))?;
    Ok(Some(accounts))
}

/// Lets everybody keep an answer for an hour.
fn for_an_hour(mut answer: Response) -> Response {
    response::set(&mut answer, header::CACHE_CONTROL, "public, max-age=3600");
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
fn keys(sources: &Sources) -> Vec<(String, String)> {
    let mut keys = sources.own_keys().to_vec();
    keys.extend(sources.custom_keys());
    keys.sort();
    keys
}

fn key_of(place: &GroupVersion) -> String {
    format!("apis/{}/{}", place.group, place.version)
}

/// The version that custom resources have a document under a key for.
fn custom_place(key: &str) -> Option<GroupVersion> {
    let (group, version) = key.strip_prefix("apis/")?.split_once('/')?;
    Some(GroupVersion::new(group.to_owned(), version.to_owned()))
}

async fn v3(api: &Handlers, sources: Sources, key: &str, parts: &Parts) -> Response {
    let own = sources.own_keys().iter().find(|(known, _)| known == key).map(|(_, hash)| hash.clone());
    let custom = custom_place(key).and_then(|place| Some((sources.custom_hash(&place)?, place)));
    let Some(hash) = own.or_else(|| custom.as_ref().map(|(hash, _)| hash.clone())) else {
        return nothing(404);
    };
    let asked = rhumb_codec::query::parse(parts.uri.query().unwrap_or_default());
    if asked.first("hash").is_some_and(|asked| asked != hash) {
        let mut answer = response::bytes(301, "text/html; charset=utf-8", "");
        response::set(&mut answer, header::LOCATION, &rhumb_openapi::relative_url(key, &hash));
        return answer;
    }
    if !takes(parts, &["application/json"]) {
        return vary(nothing(406), &["Accept"]);
    }
    let now = api.environment.now().0;
    let document = match custom {
        Some((_, place)) => {
            let is_there =
                |key: &str| custom_place(key).is_none_or(|place| sources.custom_hash(&place).is_some());
            let made = api.library.since(key, &hash, now, is_there);
            if let Some(answer) = unchanged(parts, &hash, made) {
                return vary(answer, &["Accept"]);
            }
            let sources = sources.clone();
            let packed = apart(api, move || sources.custom_v3(&place)).await;
            packed.map(|packed| Document { packed, hash, made })
        }
        None => api.library.get(key, &hash, now, || {
            let settings = settings();
            Documents::new(&api.scheme, &sources.resources.table, &settings).v3(key)
        }),
    };
    match document {
        Some(document) => vary(send(&document, "application/json", parts), &["Accept"]),
        None => response::no_such_path(),
    }
}

/// What is made beside the requests of others, because it may take a while. What that took goes back afterwards.
async fn apart(
    api: &Handlers,
    make: impl FnOnce() -> std::io::Result<Data> + Send + 'static,
) -> Option<Data> {
    let made = tokio::task::spawn_blocking(make).await.ok()?.ok()?;
    if made.len() >= WORTH_RETURNING {
        api.tasks.spawn(memory::give_back());
    }
    Some(made)
}

/// An answer without anything.
fn nothing(code: u16) -> Response {
    let mut answer = response::bytes(code, "", "");
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
fn vary(mut answer: Response, names: &[&'static str]) -> Response {
    for name in names {
        answer.headers_mut().append(header::VARY, HeaderValue::from_static(name));
    }
    answer
}

async fn v2(api: &Handlers, sources: Sources, parts: &Parts) -> Response {
    let accept = header_text(&parts.headers, header::ACCEPT);
    let forms = [rhumb_openapi::V2_PROTOBUF, rhumb_openapi::V2_PROTOBUF_ANSWER];
    let protobuf = accept.split(',').any(|clause| forms.iter().any(|form| clause.trim().starts_with(form)));
    const VARY: &[&str] = &["Accept-Encoding", "Accept"];
    if !protobuf && !takes(parts, &["application/json"]) {
        return vary(nothing(406), VARY);
    }
    let (form, name, content_type) = match protobuf {
        true => (Form::Protobuf, "v2.pb", rhumb_openapi::V2_PROTOBUF_ANSWER),
        false => (Form::Json, "v2.json", "application/json"),
    };
    let hash = sources.v2_hash(form);
    let made = api.library.since(name, &hash, api.environment.now().0, |_| true);
    if let Some(answer) = unchanged(parts, &hash, made) {
        return vary(answer, VARY);
    }
    match apart(api, move || sources.v2(form)).await {
        Some(packed) => vary(send(&Document { packed, hash, made }, content_type, parts), VARY),
        None => response::no_such_path(),
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

/// The answer to who has a document already.
fn unchanged(parts: &Parts, hash: &str, made: i64) -> Option<Response> {
    let tag = rhumb_openapi::etag(hash);
    is_known(parts, &tag, made).then(|| {
        let mut answer = nothing(304);
        response::set(&mut answer, header::ETAG, &tag);
        answer
    })
}

/// The answer that a document is.
fn send(document: &Document, content_type: &str, parts: &Parts) -> Response {
    if let Some(answer) = unchanged(parts, &document.hash, document.made) {
        return answer;
    }
    let gzip = takes_gzip(&parts.headers);
    let mut answer = if gzip {
        response::data(200, content_type, document.packed.clone())
    } else {
        let mut bytes = Vec::new();
        if GzDecoder::new(document.packed.clone().reader()).read_to_end(&mut bytes).is_err() {
            return response::text(500, "the document could not be read\n");
        }
        response::bytes(200, content_type, bytes)
    };
    if gzip {
        // Kubernetes doesn't say of all documents that they vary with what encodings are taken; who does adds it.
        response::set(&mut answer, header::CONTENT_ENCODING, "gzip");
    }
    response::set(&mut answer, header::ETAG, &rhumb_openapi::etag(&document.hash));
    response::set(&mut answer, header::LAST_MODIFIED, &date(document.made));
    answer
}
