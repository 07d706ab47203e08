//! Lists: all objects that match, as one answer that is put together from the encoded forms that the cache holds.

mod gathering;
mod json;
mod packed;
mod part;
mod protobuf;

use std::io;
use std::sync::Arc;

use bytes::BufMut;
use http::header;
use rhumb_codec::Format;
use rhumb_codec::continue_token::{ContinueAt, ContinueToken};
use rhumb_codec::negotiate::Negotiated;
use rhumb_meta::v1::{ListOptions, PartialObjectMetadataList, TypeMeta};
use rhumb_meta::{GroupVersionKind, ListMeta, fields};
use rhumb_schema::text;
use rhumb_store::Revision;
use rhumb_store::cache::{At, CacheError, Cached, Items, Listing, Together};

use self::json::{JsonItems, JsonPieces};
use self::part::Parts;

use crate::base::compress;
use crate::base::data::Data;
use crate::base::failure::{Failure, Outcome};
use crate::base::response::{self, Response};
use crate::endpoints::context::{RequestContext, bare, in_version};
use crate::endpoints::handlers::selection::{check, revision, selection};
use crate::registry::cached::CachedObject;
use crate::registry::deadline::deadline_of;

/// How many bytes are handed on at once.
const PIECE: usize = 128 * 1024;

/// How many bytes of work an object of a list counts for that is read, changed or written by itself.
pub(crate) const EACH: usize = 1024;

const EXPIRED_CONTINUE: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
const EXPIRED: &str = "The resourceVersion for the provided list is too old.";

/// Answers with a list.
pub(crate) async fn list(call: &RequestContext<'_>) -> Outcome<Response> {
    let agreed = call.output()?;
    let options: ListOptions = call.options()?;
    check(&options, false)?;
    let (listing, meta) = find(call, &options).await?;
    if !is_made_of_kept_forms(&agreed) {
        call.offload.of(listing.items.size_hint().1.unwrap_or(0) * EACH).await;
    }
    present(call, Box::new(listing.items), meta, &agreed)
}

/// Whether a list is put together from encoded forms while it is sent. Others are made whole, object by object.
fn is_made_of_kept_forms(agreed: &Negotiated) -> bool {
    let is_compact = agreed.format == Format::Json && !agreed.pretty;
    agreed.convert.is_none() && (is_compact || agreed.format == Format::Protobuf)
}

/// The objects of a list.
pub(crate) type Found = Box<dyn Listed>;

/// Objects one after the other, or several at once that are kept together.
pub(crate) trait Listed: Iterator<Item = Arc<Cached<CachedObject>>> + Send {
    /// Those that come next, if they are kept together.
    fn together(&mut self) -> Option<Together<CachedObject>> {
        None
    }
}

impl Listed for Items<CachedObject> {
    fn together(&mut self) -> Option<Together<CachedObject>> {
        Items::together(self)
    }
}

impl Listed for std::vec::IntoIter<Arc<Cached<CachedObject>>> {}

/// The answer that a list of objects is.
pub(crate) fn present(
    call: &RequestContext<'_>,
    items: Found,
    meta: ListMeta,
    agreed: &Negotiated,
) -> Outcome<Response> {
    match &agreed.convert {
        Some(target) if target.kind == "Table" => table(call, items, meta, agreed, target),
        Some(target) => bare_list(call, items, meta, agreed, target),
        None if agreed.format == Format::Json && !agreed.pretty => Ok(json::answer(call, items, &meta)),
        None if agreed.format == Format::Protobuf => protobuf::answer(call, items, &meta),
        None => {
            // YAML and indented JSON are for people; they come from the compact form.
            let (items, parts) = (JsonItems::new(&call.endpoint), Parts::new(items));
            let compact = gathered(JsonPieces::new(items, parts, &meta))?;
            let mut out = Vec::new();
            if agreed.format == Format::Yaml {
                yaml_of(&compact, &mut out)?;
            } else {
                text::indent(compact.trim_ascii_end(), &mut out);
            }
            Ok(response::bytes(200, agreed.format.media_type(), out))
        }
    }
}

fn yaml_of(json: &[u8], out: &mut Vec<u8>) -> Outcome<()> {
    let tree = text::parse_tree(json).map_err(Failure::internal)?;
    let list =
        rhumb_scheme::Unstructured::new(tree).ok_or_else(|| Failure::internal("a list is an object"))?;
    out.extend_from_slice(&response::encode(&list, Format::Yaml, false)?);
    Ok(())
}

/// Finds the objects, and what the list says of itself.
pub(crate) async fn find(
    call: &RequestContext<'_>,
    options: &ListOptions,
) -> Outcome<(Listing<CachedObject>, ListMeta)> {
    let storage = call.storage()?;
    let selection = selection(call, options)?;
    // Tokens hold what follows the prefix without its last slash.
    let prefix = selection.prefix.slice(..selection.prefix.len().saturating_sub(1));
    let limit = usize::try_from(options.limit).unwrap_or(0);
    let mut wanted = rhumb_store::cache::ListOptions { selection, limit, ..Default::default() };
    let continued = !options.continue_.is_empty();
    if continued {
        let token = ContinueToken::decode(&options.continue_, &wanted.selection.prefix)
            .map_err(|error| Failure::bad_request(format!("invalid continue token: {error}")))?;
        if !matches!(options.resource_version.as_str(), "" | "0") {
            let why = "specifying resource version is not allowed when using continue";
            return Err(Failure::bad_request(why));
        }
        wanted.start = token.start;
        wanted.at = match token.at {
            ContinueAt::Exact(revision) => At::Exact(Revision(revision)),
            ContinueAt::Newest => At::Newest,
        };
        if options.resource_version == "0" {
            wanted.limit = 0;
        }
    } else {
        wanted.at = as_of(options)?;
        if wanted.at == At::Any {
            // Any state will do, so all of it is given at once.
            wanted.limit = 0;
        }
    }
    let has_predicate = wanted.selection.predicate.is_some();
    let listing = match storage.cache().list(&wanted, deadline_of(storage.cache(), wanted.at)).await {
        Ok(listing) => listing,
        Err(CacheError::Expired { .. }) if continued => {
            let token = ContinueToken { at: ContinueAt::Newest, start: wanted.start.clone() };
            let mut failure = Failure::expired(EXPIRED_CONTINUE);
            failure.0.metadata.continue_ = token.encode(&prefix).map_err(Failure::internal)?;
            return Err(failure);
        }
        Err(CacheError::Expired { .. }) => return Err(Failure::expired(EXPIRED)),
        Err(error) => return Err(error.into()),
    };
    let mut meta = ListMeta { resource_version: listing.revision.to_string(), ..ListMeta::default() };
    // There is nothing behind the one object that was asked for by its name.
    if let Some(next) = listing.next.as_ref().filter(|_| !is_for_one(call, options)) {
        let token = ContinueToken { at: ContinueAt::Exact(listing.revision.0), start: next.clone() };
        meta.continue_ = token.encode(&prefix).map_err(Failure::internal)?;
        let remaining = listing.remaining.filter(|_| !has_predicate);
        meta.remaining_item_count = remaining.and_then(|count| i64::try_from(count).ok());
    }
    Ok((listing, meta))
}

/// Whether a list is of one object, which is found by its name.
fn is_for_one(call: &RequestContext<'_>, options: &ListOptions) -> bool {
    let is_placed = !call.endpoint.namespaced || !call.path.namespace.is_empty();
    let fields = fields::Selector::parse(&options.field_selector);
    is_placed && fields.is_ok_and(|fields| fields.requires_exact_match("metadata.name").is_some())
}

/// As of when a list is wanted.
fn as_of(options: &ListOptions) -> Outcome<At> {
    let at = revision(&options.resource_version)
        .map_err(|failure| Failure::bad_request(format!("invalid resource version: {failure}")))?;
    Ok(match (options.resource_version_match.as_str(), options.resource_version.as_str()) {
        (_, "") => At::Newest,
        (_, "0") => At::Any,
        // Nothing is of the first revision of all: whoever asks for it in other words gets the newest.
        _ if at == Revision::ZERO => At::Newest,
        ("Exact", _) => At::Exact(at),
        // Parts of a list belong together, so one that has parts is of the revision asked for.
        ("", _) if options.limit > 0 => At::Exact(at),
        _ => At::NotOlderThan(at),
    })
}

fn gathered(pieces: impl Iterator<Item = io::Result<Data>>) -> Outcome<Vec<u8>> {
    let mut out = Vec::new();
    for piece in pieces {
        out.put(piece.map_err(Failure::internal)?);
    }
    Ok(out)
}

/// An answer of pieces: small ones as a whole, large ones as they are made.
fn stream(
    format: Format,
    mut pieces: impl Iterator<Item = io::Result<Data>> + Send + Unpin + 'static,
) -> Response {
    let Some(Ok(first)) = pieces.next() else {
        return response::text(500, "the list could not be written\n");
    };
    if first.len() < PIECE {
        return response::bytes(200, format.media_type(), first.joined());
    }
    let mut answer = Response::new(response::pieces(std::iter::once(Ok(first)).chain(pieces)));
    response::set(&mut answer, header::CONTENT_TYPE, format.media_type());
    answer
}

/// An answer of pieces that are compressed.
fn stream_packed(
    format: Format,
    pieces: impl Iterator<Item = io::Result<Data>> + Send + Unpin + 'static,
) -> Response {
    let mut answer = Response::new(response::pieces(pieces));
    response::set(&mut answer, header::CONTENT_TYPE, format.media_type());
    compress::mark(answer.headers_mut());
    answer
}

fn table(
    call: &RequestContext<'_>,
    items: Found,
    meta: ListMeta,
    agreed: &Negotiated,
    target: &GroupVersionKind,
) -> Outcome<Response> {
    let storage = call.storage()?;
    let hubs: Outcome<Vec<_>> = items.map(|cached| storage.hub(&cached)).collect();
    let endpoint = &call.endpoint;
    let now = call.api.environment.time();
    let mut table = endpoint.model.table(&endpoint.kind, hubs?, &call.table_options()?, now)?;
    table.metadata = meta;
    in_version(&mut table, target);
    response::object(200, &table, agreed.format, agreed.pretty)
}

fn bare_list(
    call: &RequestContext<'_>,
    items: Found,
    meta: ListMeta,
    agreed: &Negotiated,
    target: &GroupVersionKind,
) -> Outcome<Response> {
    let storage = call.storage()?;
    let kind = &call.endpoint.kind;
    let items: Outcome<Vec<_>> = items
        .map(|cached| {
            let object = call.endpoint.model.external(storage.hub(&cached)?, kind)?;
            Ok(bare(&*object, target))
        })
        .collect();
    let items = items?;
    if items.is_empty() && agreed.format.is_text() {
        // An empty list of these says null, unlike all others.
        let mut tree = serde_json::Map::new();
        tree.insert("kind".to_owned(), "PartialObjectMetadataList".into());
        tree.insert("apiVersion".to_owned(), target.api_version().into());
        tree.insert("metadata".to_owned(), rhumb_schema::to_tree(&meta));
        tree.insert("items".to_owned(), serde_json::Value::Null);
        let list = rhumb_scheme::Unstructured::new(tree.into()).unwrap_or_default();
        return response::object(200, &list, agreed.format, agreed.pretty);
    }
    let list = PartialObjectMetadataList {
        type_meta: TypeMeta {
            api_version: target.api_version(),
            kind: "PartialObjectMetadataList".to_owned(),
        },
        metadata: meta,
        items,
    };
    response::object(200, &list, agreed.format, agreed.pretty)
}
