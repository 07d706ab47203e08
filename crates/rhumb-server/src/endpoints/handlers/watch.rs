//! Watch: changes as they happen.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use http::header;
use http_body::Frame;
use http_body_util::BodyExt;
use rhumb_codec::negotiate::{self, Negotiated, ResourceEndpoint};
use rhumb_codec::{Format, proto};
use rhumb_meta::v1::{ListOptions, StatusReason};
use rhumb_meta::{GroupVersionKind, Object};
use rhumb_print::IncludeObject;
use rhumb_schema::wire::varint_len;
use rhumb_store::Revision;
use rhumb_store::cache::{
    At, Bookmark, Bookmarks, CacheError, Cached, InitialEnd, WatchEvent, WatchFrom, WatchOptions, Watcher,
};

use crate::base::data::Data;
use crate::base::failure::{Failure, Outcome};
use crate::base::request::header_text;
use crate::base::response::{self, Response};
use crate::endpoints::Handlers;
use crate::endpoints::context::{RequestContext, bare, in_version};
use crate::endpoints::handlers::selection::{check, revision, selection};
use crate::registry::cached::CachedObject;
use crate::registry::deadline::{deadline, deadline_of};
use crate::registry::forms::{ENVELOPE_END, envelope_head, varint};
use crate::registry::message::Message;
use crate::registry::storage::Objects;
use crate::registry::watch_frames::{Shape, Watching};
use crate::registry::{Endpoint, Storage};

/// How long a watch lasts that doesn't say so itself: this, and up to as much again.
const LASTS: Duration = Duration::from_secs(1800);
/// How many seconds a watch may last.
const LONGEST: i64 = i64::MAX / 1_000_000_000;
/// A watch no longer than this ends without a word about how far it came.
const SHORT: Duration = Duration::from_secs(2);
/// How much is sent at once.
const PIECE: usize = 64 * 1024;
/// What marks the bookmark behind the initial events.
const INITIAL_END: &str = "k8s.io/initial-events-end";

/// Answers with a stream of changes.
pub(crate) async fn watch(call: &RequestContext<'_>) -> Outcome<Response> {
    let options: ListOptions = call.options()?;
    check(&options, true)?;
    let storage = call.storage()?;
    let selection = selection(call, &options)?;
    let bookmarks = if options.allow_watch_bookmarks { Bookmarks::Wanted } else { Bookmarks::Unwanted };
    let begun = begin(call, &options).await?;
    // Where it begins is asked before in which form it comes.
    let endpoint =
        ResourceEndpoint { own_formats: call.endpoint.model.formats(), ..ResourceEndpoint::default() };
    let accept = header_text(call.headers, header::ACCEPT);
    let agreed = negotiate::output_stream(accept, &Format::ALL, &endpoint)
        .map_err(|error| Failure::from(error.status()))?;
    let lasts = match options.timeout_seconds {
        None | Some(0) => LASTS + call.api.environment.jitter(LASTS),
        Some(seconds @ 1..=LONGEST) => Duration::from_secs(seconds.unsigned_abs()),
        // The time is over already. Kubernetes counts nanoseconds, and too many of them are less than none.
        Some(_) => Duration::ZERO,
    };
    let writer = Writer {
        api: Arc::clone(call.api),
        endpoint: Arc::clone(&call.endpoint),
        storage: Arc::clone(storage),
        table: agreed
            .convert
            .as_ref()
            .filter(|kind| kind.kind == "Table")
            .map(|_| call.table_options())
            .transpose()?,
        table_begun: false,
        // A watch that is over at once has nothing more to tell.
        bookmarks: options.allow_watch_bookmarks && lasts > SHORT,
        ended: false,
        agreed,
        _watching: storage.pieces.begin(),
    };
    let watcher =
        match begun.and_then(|from| storage.cache().watch(WatchOptions { from, selection, bookmarks })) {
            Ok(watcher) => Ok(watcher),
            // Clients expect the news that their place is lost, or not reached yet, inside the stream.
            Err(error @ (CacheError::Expired { .. } | CacheError::TooLarge { .. })) => Err(error),
            Err(error) => return Err(error.into()),
        };
    let content_type = writer.content_type();
    let body = WatchBody::new(writer, watcher, lasts);
    let mut answer = Response::new(body.boxed_unsync());
    response::set(&mut answer, header::CONTENT_TYPE, &content_type);
    Ok(answer)
}

/// Where a watch begins, or why it can't.
async fn begin(call: &RequestContext<'_>, options: &ListOptions) -> Outcome<Result<WatchFrom, CacheError>> {
    let cache = call.storage()?.cache();
    let at = revision(&options.resource_version)
        .map_err(|failure| Failure::new(StatusReason::Unknown, failure.to_string()))?;
    let end = if options.allow_watch_bookmarks { InitialEnd::Marked } else { InitialEnd::Unmarked };
    if options.send_initial_events == Some(true) {
        // The newest state, or one that is at least as new as was asked for.
        if options.resource_version.is_empty() {
            let newest = call.api.store.revision().await?;
            caught_up(cache.wait_until(newest, deadline_of(cache, At::Newest)).await)?;
        } else {
            let waited = cache.wait_until(at, deadline()).await;
            return Ok(waited.map(|_| WatchFrom::Initial(end)));
        }
        return Ok(Ok(WatchFrom::Initial(end)));
    }
    cache.wait_until(rhumb_store::Revision::ZERO, deadline()).await?;
    Ok(Ok(match options.resource_version.as_str() {
        "" => {
            let newest = call.api.store.revision().await?;
            caught_up(cache.wait_until(newest, deadline_of(cache, At::Newest)).await)?;
            if options.send_initial_events.is_some() { WatchFrom::Now } else { WatchFrom::Initial(end) }
        }
        "0" if options.send_initial_events.is_none() => WatchFrom::Initial(end),
        // The same in other words, of which less is known to Kubernetes.
        _ if at == Revision::ZERO && options.send_initial_events.is_none() => {
            WatchFrom::Initial(InitialEnd::Unmarked)
        }
        _ if at == Revision::ZERO => WatchFrom::Now,
        _ => WatchFrom::After(at),
    }))
}

/// A watch of a store that can't tell how far it is begins where the cache is.
fn caught_up(waited: Result<Revision, CacheError>) -> Outcome<()> {
    match waited {
        Ok(_) | Err(CacheError::TooLarge { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Turns changes into frames of a stream.
struct Writer {
    api: Arc<Handlers>,
    endpoint: Arc<Endpoint>,
    storage: Arc<Storage>,
    agreed: Negotiated,
    table: Option<rhumb_print::Options>,
    table_begun: bool,
    /// Whether the client wants to know how far it came.
    bookmarks: bool,
    /// Whether the last frame has been written.
    ended: bool,
    _watching: Watching,
}

impl Writer {
    fn content_type(&self) -> String {
        let plain = self.agreed.format.media_type();
        match self.agreed.format {
            Format::Protobuf => format!("{plain};stream=watch"),
            _ => plain.to_owned(),
        }
    }

    /// Changes as the next piece of the stream; nothing, if not even the first can be written.
    fn piece(&mut self, events: &[WatchEvent<CachedObject>]) -> Option<Data> {
        if let Some(shared) = self.shared(events) {
            return Some(shared);
        }
        let is_bookmark = |event: &WatchEvent<CachedObject>| matches!(event, WatchEvent::Bookmark(_));
        let mut data = Data::default();
        // How far a watcher came is its own business, and what is between is not.
        for some in events.chunk_by(|one, next| !is_bookmark(one) && !is_bookmark(next)) {
            if !some.iter().any(is_bookmark)
                && let Ok(piece) = self.common(some)
            {
                data.push(piece);
                continue;
            }
            let mut out = BytesMut::new();
            self.ended = some.iter().any(|event| self.event(event, &mut out).is_err());
            data.push(out.freeze());
            if self.ended {
                break;
            }
        }
        (data.len() > 0).then_some(data)
    }

    /// Changes as bytes that others who watch in the same way get, too.
    fn common(&mut self, events: &[WatchEvent<CachedObject>]) -> Outcome<Bytes> {
        let (form, shape) = (self.endpoint.form_id(self.agreed.format), self.shape());
        let pieces = Arc::clone(&self.storage.pieces);
        let begun = self.table_begun;
        let piece = pieces.get(form, &shape, events, || {
            let capacity = match shape {
                Shape::Plain => events.iter().map(about).sum::<usize>() / 4 * 5,
                // Nobody knows how much of the objects is left.
                _ => 0,
            };
            let mut out = BytesMut::with_capacity(capacity);
            events.iter().try_for_each(|event| self.event(event, &mut out))?;
            Outcome::Ok(out.freeze())
        });
        self.table_begun = begun || (piece.is_ok() && matches!(shape, Shape::Table(..)));
        piece
    }

    /// What the client wants in place of the objects.
    fn shape(&self) -> Shape {
        match (&self.agreed.convert, self.table) {
            (None, _) => Shape::Plain,
            (Some(target), None) => Shape::Metadata(target.clone()),
            (Some(target), Some(options)) => {
                Shape::Table(target.clone(), self.next_table(options), self.api.environment.time())
            }
        }
    }

    /// How the next table is written: the first one has the headers.
    fn next_table(&self, mut options: rhumb_print::Options) -> rhumb_print::Options {
        if self.table_begun {
            options.headers = rhumb_print::Headers::Omitted;
        }
        options
    }

    /// A large change that comes alone, with the object's form from where it is kept: copies for many watchers that
    /// are not in step would take as much memory each.
    fn shared(&self, events: &[WatchEvent<CachedObject>]) -> Option<Data> {
        let [event] = events else { return None };
        if self.agreed.convert.is_some() || about(event) < PIECE {
            return None;
        }
        let (name, cached) = named(event).ok()?;
        let mut data = Data::default();
        if self.agreed.format == Format::Protobuf {
            let message = self.endpoint.message(cached).ok()?;
            message.share(binary_head(name, &self.endpoint.kind, message.len()), &mut data);
            data.push(Bytes::from_static(ENVELOPE_END));
        } else {
            let form = self.endpoint.form(cached, self.agreed.format).ok()?;
            data.push(text_head(name).into());
            data.push(form);
            data.push(Bytes::from_static(TEXT_END));
        }
        Some(data)
    }

    /// Appends a change.
    fn event(&mut self, event: &WatchEvent<CachedObject>, out: &mut BytesMut) -> Outcome<()> {
        let (name, cached) = match named(event) {
            Ok(named) => named,
            Err(bookmark) => return self.bookmark(bookmark, out),
        };
        if self.agreed.convert.is_none() && self.agreed.format == Format::Protobuf {
            let message = self.endpoint.message(cached)?;
            binary_frame(name, &self.endpoint.kind, &message, out);
            return Ok(());
        }
        if self.agreed.convert.is_none() {
            text_frame(name, &self.endpoint.form(cached, self.agreed.format)?, out);
            return Ok(());
        }
        let object = self.converted(cached)?;
        self.object(name, &*object, out)
    }

    /// An object in the form that was asked for in place of its own.
    fn converted(&mut self, cached: &Cached<CachedObject>) -> Outcome<Box<dyn Object>> {
        let hub = self.storage.hub(cached)?;
        self.transformed(hub)
    }

    fn transformed(&mut self, hub: Box<dyn Object>) -> Outcome<Box<dyn Object>> {
        let kind = self.endpoint.kind.clone();
        let Some(target) = self.agreed.convert.clone() else {
            return self.endpoint.model.external(hub, &kind);
        };
        let Some(options) = self.table else {
            let object = self.endpoint.model.external(hub, &kind)?;
            return Ok(Box::new(bare(&*object, &target)));
        };
        let revision = hub.metadata().map(|meta| meta.resource_version.clone()).unwrap_or_default();
        let options = self.next_table(options);
        self.table_begun = true;
        let mut table = self.endpoint.model.table(&kind, vec![hub], &options, self.api.environment.time())?;
        table.metadata.resource_version = revision;
        in_version(&mut table, &target);
        Ok(Box::new(table))
    }

    fn bookmark(&mut self, bookmark: Bookmark, out: &mut BytesMut) -> Outcome<()> {
        let empty = format!(
            r#"{{"kind":{:?},"apiVersion":{:?}}}"#,
            self.endpoint.kind.kind.as_ref(),
            self.endpoint.kind.api_version()
        );
        let model = &self.endpoint.model;
        let read = model.read(
            &self.endpoint.kind,
            empty.as_bytes(),
            Format::Json,
            rhumb_codec::Strictness::Ignore,
        )?;
        let mut object = read.object;
        object.edit_metadata(&mut |meta| {
            meta.resource_version = bookmark.revision.to_string();
            if bookmark.ends_initial {
                meta.annotations.insert(INITIAL_END.to_owned(), "true".to_owned());
            }
        });
        if self.agreed.convert.is_none() {
            return self.object("BOOKMARK", &*object, out);
        }
        let hub = model.to_hub(object)?;
        // A bookmark is nothing but metadata, so a table has it even where objects are not wanted.
        let options = self.table;
        if let Some(options) = self.table.as_mut().filter(|one| one.include_object == IncludeObject::None) {
            options.include_object = IncludeObject::Metadata;
        }
        let object = self.transformed(hub);
        self.table = options;
        self.object("BOOKMARK", &*object?, out)
    }

    /// Appends the news that the watch can't go on.
    fn error(&mut self, error: CacheError, out: &mut BytesMut) {
        let failure = Failure::from(error);
        // There is no other way left to tell the client.
        let _ = self.object("ERROR", &*failure.0, out);
    }

    fn object(&self, name: &str, object: &dyn Object, out: &mut BytesMut) -> Outcome<()> {
        let mut form = Vec::new();
        if self.agreed.format == Format::Protobuf {
            proto::encode_bare(object, &mut form).map_err(Failure::internal)?;
            let (api_version, kind) = object.type_meta();
            let kind = GroupVersionKind::from_api_version_and_kind(api_version, kind);
            binary_frame(name, &kind, &Message::Made(form.into()), out);
        } else {
            rhumb_schema::text::encode(object, &mut form);
            text_frame(name, &form, out);
        }
        Ok(())
    }
}

/// A change's name and its object, or else how far the watch is.
fn named(event: &WatchEvent<CachedObject>) -> Result<(&'static str, &Arc<Cached<CachedObject>>), Bookmark> {
    match event {
        WatchEvent::Added(cached) => Ok(("ADDED", cached)),
        WatchEvent::Modified(cached) => Ok(("MODIFIED", cached)),
        WatchEvent::Deleted(cached) => Ok(("DELETED", cached)),
        WatchEvent::Bookmark(bookmark) => Err(*bookmark),
    }
}

/// What stands behind an object in a frame of JSON.
const TEXT_END: &[u8] = b"}\n";

/// What stands before an object in a frame of JSON.
fn text_head(name: &str) -> String {
    format!("{{\"type\":\"{name}\",\"object\":")
}

/// Appends a frame around an object in JSON.
fn text_frame(name: &str, form: &[u8], out: &mut BytesMut) {
    out.reserve(form.len() + name.len() + 24);
    out.put_slice(b"{\"type\":\"");
    out.put_slice(name.as_bytes());
    out.put_slice(b"\",\"object\":");
    out.put_slice(form);
    out.put_slice(TEXT_END);
}

/// Appends a frame around an object in protobuf: a message of the type and, as raw bytes in a message of its own, the
/// object in its envelope.
fn binary_frame(name: &str, kind: &GroupVersionKind, message: &Message, out: &mut BytesMut) {
    let head = binary_head(name, kind, message.len());
    out.reserve(head.len() + message.len() + ENVELOPE_END.len());
    out.put_slice(&head);
    message.put(out);
    out.put_slice(ENVELOPE_END);
}

/// What stands before a message of some length in its frame.
fn binary_head(name: &str, kind: &GroupVersionKind, message: usize) -> BytesMut {
    let head = envelope_head(kind, message);
    let object = head.len() + message + ENVELOPE_END.len();
    let field = |length: usize| 1 + varint_len(length as u64) + length;
    let length = field(name.len()) + field(field(object));
    let mut out = BytesMut::with_capacity(head.len() + name.len() + 24);
    out.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    out.put_u8(0x0a);
    varint(name.len(), &mut out);
    out.put_slice(name.as_bytes());
    out.put_u8(0x12);
    varint(field(object), &mut out);
    out.put_u8(0x0a);
    varint(object, &mut out);
    out.put_slice(&head);
    out
}

type Ending = Pin<Box<dyn Future<Output = ()> + Send>>;
type Step = Pin<Box<dyn Future<Output = (Writing, Option<Data>)> + Send>>;

/// A watch between two pieces of its stream.
struct Writing {
    writer: Writer,
    watcher: Watcher<Objects>,
    /// Done when the time that the client gave is over, or the server ends.
    ending: Ending,
}

/// The body of a watch: what has happened when it is asked, or what happens next.
struct WatchBody {
    step: Option<Step>,
    /// What is sent once, when there is nothing to watch.
    last: Option<Bytes>,
}

impl WatchBody {
    fn new(mut writer: Writer, watcher: Result<Watcher<Objects>, CacheError>, lasts: Duration) -> Self {
        let closing = writer.api.closing();
        let ending = Box::pin(async move {
            tokio::select! {
                () = tokio::time::sleep(lasts) => {}
                () = closing => {}
            }
        });
        match watcher {
            Ok(watcher) => {
                let writing = Writing { writer, watcher, ending };
                WatchBody { step: Some(Box::pin(step(writing))), last: None }
            }
            Err(error) => {
                let mut out = BytesMut::new();
                writer.error(error, &mut out);
                WatchBody { step: None, last: Some(out.freeze()) }
            }
        }
    }
}

/// Waits for a change, and takes with it what else has happened. Gives nothing more when the watch is over.
async fn step(mut writing: Writing) -> (Writing, Option<Data>) {
    let Writing { writer, watcher, ending } = &mut writing;
    if writer.ended {
        return (writing, None);
    }
    let next = tokio::select! {
        biased;
        next = watcher.next() => Some(next),
        () = ending => None,
    };
    let mut out = BytesMut::new();
    match next {
        Some(Ok(event)) => {
            let events = taken_along(event, watcher).await;
            let piece = writer.piece(&events);
            return (writing, piece);
        }
        Some(Err(CacheError::Closed)) => return (writing, None),
        Some(Err(error)) => writer.error(error, &mut out),
        None => {
            // Clients that want to know how far they came are told once more at the end.
            if writer.bookmarks
                && let Some(bookmark) = watcher.bookmark()
            {
                let _ = writer.bookmark(bookmark, &mut out);
            }
        }
    }
    writer.ended = true;
    let piece = (!out.is_empty()).then(|| out.freeze().into());
    (writing, piece)
}

/// A change, and what else is there already, as much as goes into one piece; nothing is waited for.
async fn taken_along(
    first: WatchEvent<CachedObject>,
    watcher: &mut Watcher<Objects>,
) -> Vec<WatchEvent<CachedObject>> {
    let mut size = about(&first);
    let mut events = vec![first];
    while size < PIECE {
        let mut next = std::pin::pin!(watcher.next());
        match std::future::poll_fn(|context| Poll::Ready(poll_once(next.as_mut(), context))).await {
            Some(Ok(event)) => {
                size += about(&event);
                events.push(event);
            }
            // An error comes again, when what is there has been sent.
            Some(Err(_)) | None => break,
        }
    }
    events
}

/// About how long a change is in a stream: most objects are twice as long as text as they are stored.
fn about(event: &WatchEvent<CachedObject>) -> usize {
    match event {
        WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object) => {
            2 * object.value().len()
        }
        WatchEvent::Bookmark(_) => 0,
    }
}

fn poll_once<F: Future>(future: Pin<&mut F>, context: &mut Context<'_>) -> Option<F::Output> {
    match future.poll(context) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}

impl http_body::Body for WatchBody {
    type Data = Data;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Data>, std::io::Error>>> {
        if let Some(last) = self.last.take() {
            return Poll::Ready(Some(Ok(Frame::data(last.into()))));
        }
        let Some(current) = self.step.as_mut() else { return Poll::Ready(None) };
        match current.as_mut().poll(context) {
            Poll::Ready((writing, Some(piece))) => {
                self.step = Some(Box::pin(step(writing)));
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            Poll::Ready((_, None)) => {
                self.step = None;
                Poll::Ready(None)
            }
            Poll::Pending => Poll::Pending,
        }
    }
}
