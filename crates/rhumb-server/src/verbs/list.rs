//! All objects that match, as one answer that is put together from the encoded forms that the cache holds.

use std::io;
use std::sync::Arc;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header;
use rhumb_codec::Format;
use rhumb_codec::negotiate::Negotiated;
use rhumb_meta::v1::{ListOptions, PartialObjectMetadataList, TypeMeta};
use rhumb_meta::{GroupVersionKind, ListMeta, fields};
use rhumb_schema::text;
use rhumb_store::cache::{At, CacheError, Cached, ContinueAt, ContinueToken, Items, Listing, Together};

use super::select::{check, deadline_of, revision, selection};
use crate::call::{Call, bare, in_version};
use crate::compress::takes_gzip;
use crate::data::Data;
use crate::failure::{Failure, Outcome};
use crate::resource::Endpoint;
use crate::resource::forms::{ENVELOPE_END, envelope_head, item_head, item_len, list_meta_field, snug};
use crate::resource::storage::Held;
use crate::respond::{self, Answer};

/// How many bytes are handed on at once, and from which size on an answer is compressed.
const PIECE: usize = 128 * 1024;

const EXPIRED_CONTINUE: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
const EXPIRED: &str = "The resourceVersion for the provided list is too old.";

/// Answers with a list.
pub(crate) async fn list(call: &Call<'_>) -> Outcome<Answer> {
    let agreed = call.output()?;
    let options: ListOptions = call.options()?;
    check(&options, false)?;
    let (listing, meta) = find(call, &options).await?;
    present(call, Box::new(listing.items), meta, &agreed)
}

/// The objects of a list.
pub(crate) type Found = Box<dyn Listed>;

/// Objects one after the other, or several at once that are kept together.
pub(crate) trait Listed: Iterator<Item = Arc<Cached<Held>>> + Send {
    /// Those that come next, if they are kept together.
    fn together(&mut self) -> Option<Together<Held>> {
        None
    }
}

impl Listed for Items<Held> {
    fn together(&mut self) -> Option<Together<Held>> {
        Items::together(self)
    }
}

impl Listed for std::vec::IntoIter<Arc<Cached<Held>>> {}

/// The answer that a list of objects is.
pub(crate) fn present(call: &Call<'_>, items: Found, meta: ListMeta, agreed: &Negotiated) -> Outcome<Answer> {
    match &agreed.convert {
        Some(target) if target.kind == "Table" => table(call, items, meta, agreed, target),
        Some(target) => bare_list(call, items, meta, agreed, target),
        None if agreed.format == Format::Json && !agreed.pretty => Ok(json(call, items, &meta)),
        None if agreed.format == Format::Protobuf => protobuf(call, items, &meta),
        None => {
            // YAML and indented JSON are for people; they come from the compact form.
            let compact = gathered(JsonPieces::new(&call.endpoint, items, &meta))?;
            let mut out = Vec::new();
            if agreed.format == Format::Yaml {
                yaml_of(&compact, &mut out)?;
            } else {
                text::indent(compact.trim_ascii_end(), &mut out);
            }
            Ok(respond::bytes(200, agreed.format.media_type(), out))
        }
    }
}

fn yaml_of(json: &[u8], out: &mut Vec<u8>) -> Outcome<()> {
    let tree = text::parse_tree(json).map_err(Failure::internal)?;
    let list =
        rhumb_scheme::Unstructured::new(tree).ok_or_else(|| Failure::internal("a list is an object"))?;
    out.extend_from_slice(&respond::encode(&list, Format::Yaml, false)?);
    Ok(())
}

/// Finds the objects, and what the list says of itself.
pub(crate) async fn find(call: &Call<'_>, options: &ListOptions) -> Outcome<(Listing<Held>, ListMeta)> {
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
            ContinueAt::Exact(revision) => At::Exact(revision),
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
        let token = ContinueToken { at: ContinueAt::Exact(listing.revision), start: next.clone() };
        meta.continue_ = token.encode(&prefix).map_err(Failure::internal)?;
        let remaining = listing.remaining.filter(|_| !has_predicate);
        meta.remaining_item_count = remaining.and_then(|count| i64::try_from(count).ok());
    }
    Ok((listing, meta))
}

/// Whether a list is of one object, which is found by its name.
fn is_for_one(call: &Call<'_>, options: &ListOptions) -> bool {
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
        ("Exact", _) => At::Exact(at),
        (_, "0") => At::Any,
        // Parts of a list belong together, so one that has parts is of the revision asked for.
        ("", _) if options.limit > 0 => At::Exact(at),
        _ => At::NotOlderThan(at),
    })
}

/// The pieces of a list in JSON.
pub(crate) struct JsonPieces {
    endpoint: Arc<Endpoint>,
    items: Found,
    skipped: usize,
    head: Option<Bytes>,
    first: bool,
    done: bool,
}

impl JsonPieces {
    pub(crate) fn new(endpoint: &Arc<Endpoint>, items: Found, meta: &ListMeta) -> Self {
        let head = endpoint.list_head(meta);
        let skipped = endpoint.skipped_in_items();
        JsonPieces {
            endpoint: Arc::clone(endpoint),
            items,
            skipped,
            head: Some(head),
            first: true,
            done: false,
        }
    }
}

impl Iterator for JsonPieces {
    type Item = io::Result<Data>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let mut out = Gathering { most: Gathering::MOST, ..Gathering::default() };
        if let Some(head) = self.head.take() {
            // The first piece tells whether the list is long.
            out.most = usize::MAX;
            out.copy(&head);
        }
        while !out.is_enough() {
            let added = match self.items.together() {
                Some(together) => self.add_together(&together, &mut out),
                None => match self.items.next() {
                    Some(cached) => self.add(&cached, &mut out),
                    None => {
                        out.copy(b"]}\n");
                        self.done = true;
                        break;
                    }
                },
            };
            if let Err(failure) = added {
                self.done = true;
                return Some(Err(io::Error::other(failure.to_string())));
            }
        }
        Some(Ok(out.end()))
    }
}

impl JsonPieces {
    fn add(&mut self, cached: &Cached<Held>, out: &mut Gathering) -> Outcome<()> {
        let mut form = self.endpoint.form(cached, Format::Json)?;
        let begin = if std::mem::take(&mut self.first) { &b"{"[..] } else { b",{" };
        form.advance(form.len().min(1 + self.skipped));
        out.add(begin, form);
        Ok(())
    }

    /// Adds objects that are kept together, of which there is or will be one form for all. Then none of them has to be
    /// looked at.
    fn add_together(&mut self, together: &Together<Held>, out: &mut Gathering) -> Outcome<()> {
        let id = self.endpoint.form_id(Format::Json);
        let mut joined = together.encoded(id, || self.join(together.objects()).unwrap_or_default());
        if joined.is_empty() {
            // One of them can't be encoded, and is to say why.
            return together.objects().iter().try_for_each(|cached| self.add(cached, out));
        }
        if std::mem::take(&mut self.first) {
            joined.advance(1);
        }
        out.add(b"", joined);
        Ok(())
    }

    /// Objects as they stand in a list, each with the comma before it. No form is kept while this is made: who makes
    /// room for one may want to look at the one that is being made here.
    fn join(&self, objects: &[Arc<Cached<Held>>]) -> Outcome<Bytes> {
        let id = self.endpoint.form_id(Format::Json);
        let mut joined = Vec::with_capacity(objects.iter().map(|cached| cached.value().len() * 2).sum());
        for cached in objects {
            let before = joined.len();
            match cached.kept(id) {
                Some(form) => joined.extend_from_slice(&form),
                None => self.endpoint.encode_to(cached, Format::Json, &mut joined)?,
            }
            let kind = before..(before + 1 + self.skipped).min(joined.len());
            drop(joined.splice(kind, *b",{"));
        }
        Ok(snug(joined))
    }
}

/// A piece that is being put together. Small parts are copied, and large ones are handed on as they are.
#[derive(Default)]
struct Gathering {
    data: Data,
    /// What was copied since the last large part.
    copied: BytesMut,
    /// How many large parts there are, and how many there may be.
    large: usize,
    most: usize,
}

impl Gathering {
    /// What is shorter is copied: a part of its own would cost more.
    const LARGE: usize = 2048;
    /// How many large parts a piece has. Each has something before it, and what goes to the network with one call has
    /// 64 parts at most.
    const MOST: usize = 30;

    fn copy(&mut self, bytes: &[u8]) {
        self.copied.extend_from_slice(bytes);
    }

    /// Adds bytes, and a few before them.
    fn add(&mut self, before: &'static [u8], bytes: Bytes) {
        if bytes.len() < Self::LARGE {
            self.copy(before);
            return self.copy(&bytes);
        }
        if self.copied.is_empty() {
            self.data.push(Bytes::from_static(before));
        } else {
            self.copy(before);
            self.data.push(self.copied.split().freeze());
        }
        self.data.push(bytes);
        self.large += 1;
    }

    fn is_enough(&self) -> bool {
        self.data.len() + self.copied.len() >= PIECE || self.large >= self.most
    }

    fn end(mut self) -> Data {
        self.data.push(self.copied.freeze());
        self.data.approach();
        self.data
    }
}

fn gathered(pieces: impl Iterator<Item = io::Result<Data>>) -> Outcome<Vec<u8>> {
    let mut out = Vec::new();
    for piece in pieces {
        out.put(piece.map_err(Failure::internal)?);
    }
    Ok(out)
}

fn json(call: &Call<'_>, items: Found, meta: &ListMeta) -> Answer {
    stream(call, Format::Json, JsonPieces::new(&call.endpoint, items, meta))
}

/// An answer of pieces: small ones as a whole, large ones as they are made, and compressed if the client can
/// read that.
pub(crate) fn stream(
    call: &Call<'_>,
    format: Format,
    mut pieces: impl Iterator<Item = io::Result<Data>> + Send + Unpin + 'static,
) -> Answer {
    let Some(Ok(first)) = pieces.next() else { return respond::text(500, "the list could not be written\n") };
    if first.len() < PIECE {
        return respond::bytes(200, format.media_type(), first.joined());
    }
    let all = std::iter::once(Ok(first)).chain(pieces);
    let gzip = takes_gzip(call.headers);
    let body = if gzip { respond::pieces(Gzipped::new(all)) } else { respond::pieces(all) };
    let mut answer = Answer::new(body);
    respond::set(&mut answer, header::CONTENT_TYPE, format.media_type());
    if gzip {
        respond::set(&mut answer, header::CONTENT_ENCODING, "gzip");
        respond::set(&mut answer, header::VARY, "Accept-Encoding");
    }
    answer
}

/// Pieces, compressed.
struct Gzipped<I> {
    pieces: I,
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl<I> Gzipped<I> {
    fn new(pieces: I) -> Self {
        Gzipped { pieces, encoder: Some(GzEncoder::new(Vec::new(), Compression::fast())) }
    }
}

impl<I: Iterator<Item = io::Result<Data>>> Iterator for Gzipped<I> {
    type Item = io::Result<Data>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let encoder = self.encoder.as_mut()?;
            match self.pieces.next() {
                Some(Ok(piece)) => {
                    let mut parts = piece.parts();
                    if let Err(error) = parts.try_for_each(|part| io::Write::write_all(encoder, part)) {
                        return Some(Err(error));
                    }
                    if encoder.get_ref().len() >= PIECE / 4 {
                        return Some(Ok(Bytes::from(std::mem::take(encoder.get_mut())).into()));
                    }
                }
                Some(Err(error)) => {
                    self.encoder = None;
                    return Some(Err(error));
                }
                None => {
                    let packed = self.encoder.take().map(GzEncoder::finish);
                    return packed.map(|packed| packed.map(|packed| Bytes::from(packed).into()));
                }
            }
        }
    }
}

fn protobuf(call: &Call<'_>, items: Found, meta: &ListMeta) -> Outcome<Answer> {
    let meta = list_meta_field(meta)?;
    let messages: Outcome<Vec<_>> = items.map(|cached| call.endpoint.message(&cached)).collect();
    let messages = messages?;
    let length = meta.len() + messages.iter().map(|message| item_len(message.len())).sum::<usize>();
    let kind = GroupVersionKind::new(
        call.endpoint.kind.group.clone(),
        call.endpoint.kind.version.clone(),
        call.endpoint.list_kind.clone(),
    );
    let mut head = envelope_head(&kind, length);
    head.extend_from_slice(&meta);
    let (mut head, mut messages, mut ended) = (Some(head), messages.into_iter(), false);
    let packed = std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let mut out = BytesMut::with_capacity(PIECE + 4096);
        out.extend_from_slice(&head.take().unwrap_or_default());
        while out.len() < PIECE {
            let Some(message) = messages.next() else {
                out.extend_from_slice(ENVELOPE_END);
                ended = true;
                break;
            };
            item_head(message.len(), &mut out);
            message.put(&mut out);
        }
        Some(Ok(out.freeze().into()))
    });
    Ok(stream(call, Format::Protobuf, packed))
}

fn table(
    call: &Call<'_>,
    items: Found,
    meta: ListMeta,
    agreed: &Negotiated,
    target: &GroupVersionKind,
) -> Outcome<Answer> {
    let storage = call.storage()?;
    let hubs: Outcome<Vec<_>> = items.map(|cached| storage.hub(&cached)).collect();
    let endpoint = &call.endpoint;
    let now = call.api.environment.time();
    let mut table = endpoint.model.table(&endpoint.kind, hubs?, &call.table_options()?, now)?;
    table.metadata = meta;
    in_version(&mut table, target);
    respond::object(200, &table, agreed.format, agreed.pretty)
}

fn bare_list(
    call: &Call<'_>,
    items: Found,
    meta: ListMeta,
    agreed: &Negotiated,
    target: &GroupVersionKind,
) -> Outcome<Answer> {
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
        return respond::object(200, &list, agreed.format, agreed.pretty);
    }
    let list = PartialObjectMetadataList {
        type_meta: TypeMeta {
            api_version: target.api_version(),
            kind: "PartialObjectMetadataList".to_owned(),
        },
        metadata: meta,
        items,
    };
    respond::object(200, &list, agreed.format, agreed.pretty)
}
