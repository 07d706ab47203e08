//! Watch streams, whose events are decoded directly into objects.

use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use rhumb_codec::framing::{FrameError, Framing};
use rhumb_codec::{CodecError, Format, proto};
use rhumb_meta::Object;
use rhumb_meta::v1::{PartialObjectMetadata, Status};
use rhumb_schema::text::Scanner;
use rhumb_schema::wire::{self, Payload};

use super::body::Piped;
use super::frames::Frames;
use super::response::{fill, format_of, is_tree};
use super::room::Room;
use crate::Error;
use crate::config::{RequestObserver, WatchEnd};
use crate::object::{INITIAL_EVENTS_END, WatchEvent};

/// Stream of watch events.
///
/// It ends when the server ends the watch, which it does from time to time, and when the client's time is over
/// ([`Config::timeout`](crate::Config::timeout)): go on from the last resource version. It also ends after the first
/// error, and after [`WatchEvent::Error`]. Dropping it ends the watch.
///
/// As in a list, objects with a Rust type don't say their kind.
#[derive(Debug)]
#[must_use = "a watch that is dropped ends"]
pub struct WatchStream<K> {
    /// None once the stream has ended.
    open: Option<Open>,
    objects: PhantomData<fn() -> K>,
}

struct Open {
    body: Piped,
    frames: Frames,
    format: Format,
    room: Room,
    observer: Option<Arc<dyn RequestObserver>>,
}

impl fmt::Debug for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Open").field("body", &self.body).field("format", &self.format).finish_non_exhaustive()
    }
}

impl<K: Object + Default> WatchStream<K> {
    pub(crate) fn new(
        headers: &HeaderMap,
        body: Piped,
        observer: Option<Arc<dyn RequestObserver>>,
    ) -> Result<Self, Error> {
        if let Some(encoding) = headers.get(CONTENT_ENCODING).filter(|value| *value != "identity") {
            return Err(Error::Stream(format!(
                "the watch comes in the encoding {encoding:?}, not asked for"
            )));
        }
        let format = format_of(headers, &[]);
        let framing = match format {
            Format::Protobuf => Framing::LengthDelimited,
            _ => Framing::Json,
        };
        let open = Open { body, frames: Frames::new(framing), format, room: Room::default(), observer };
        Ok(WatchStream { open: Some(open), objects: PhantomData })
    }

    /// Returns the next event; none at the end.
    pub async fn next(&mut self) -> Option<Result<WatchEvent<K>, Error>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Returns the next event, for those who hand it on: an object is large, and to move it costs more than to move a
    /// box.
    pub(crate) fn poll_boxed(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        let Some(open) = &mut self.open else { return Poll::Ready(None) };
        let event = ready!(open.poll_event(cx));
        if matches!(event, None | Some(Err(_) | Ok(WatchEvent::Error(_)))) {
            self.open = None;
        }
        Poll::Ready(event)
    }
}

/// A watch event with a boxed object.
type Event<K> = Result<WatchEvent<Box<K>>, Error>;

impl Open {
    /// Returns the next event; none at the end.
    fn poll_event<K: Object + Default>(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        loop {
            match self.frames.next_frame() {
                Ok(Some(frame)) => {
                    self.room.make(frame.len());
                    return Poll::Ready(Some(read_event(self.format, frame)));
                }
                Ok(None) => {}
                Err(error) => return Poll::Ready(Some(Err(Error::Stream(error.to_string())))),
            }
            if let Some(line) = self.frames.line()
                && let Some(event) = read_usual(line)
            {
                let length = line.len();
                self.room.make(length);
                self.frames.pass_line(length);
                return Poll::Ready(Some(Ok(event)));
            }
            if self.frames.read_on() {
                continue;
            }
            match ready!(self.body.poll_piece(cx)) {
                Some(Ok(piece)) => self.frames.add(piece),
                Some(Err(Error::Timeout(_))) => {
                    self.tell(WatchEnd::Timeout);
                    return Poll::Ready(None);
                }
                Some(Err(error)) => {
                    self.tell(match error.is_unexpected_end() {
                        true => WatchEnd::Truncated,
                        false => WatchEnd::Failed(&error),
                    });
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    let end = self.frames.finish();
                    if end == Err(FrameError::UnexpectedEnd) {
                        self.tell(WatchEnd::Truncated);
                    }
                    return Poll::Ready(end.err().map(|error| Err(Error::Stream(error.to_string()))));
                }
            }
        }
    }

    fn tell(&self, why: WatchEnd<'_>) {
        if let Some(observer) = &self.observer {
            observer.watch_ended(why);
        }
    }
}

impl<K: Object + Default> Stream for WatchStream<K> {
    type Item = Result<WatchEvent<K>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let event = ready!(self.poll_boxed(cx));
        Poll::Ready(event.map(|event| event.map(|event| event.map(|object| *object))))
    }
}

/// Returns the type of an event and the bytes of its object.
fn open_event(format: Format, frame: &[u8]) -> Result<(Cow<'_, str>, &[u8]), Error> {
    match format {
        Format::Protobuf => open_protobuf(frame).ok_or_else(|| no_event("malformed protobuf")),
        _ => open_json(frame).map_err(|error| no_event(&error.to_string())),
    }
}

#[cold]
fn no_event(why: &str) -> Error {
    Error::Stream(format!("unable to decode to metav1.WatchEvent: {why}"))
}

/// Returns the object of an event in the one form that servers write, without looking into it. If the object turns out
/// to be none, the event is not in that form.
fn open_usual(frame: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = frame.strip_prefix(br#"{"type":""#)?;
    let length = rest.iter().take("MODIFIED".len() + 1).position(|byte| *byte == b'"')?;
    let (kind, rest) = rest.split_at_checked(length)?;
    let object = rest.strip_prefix(br#"","object":"#)?.trim_ascii_end().strip_suffix(b"}")?;
    Some((kind, object))
}

fn open_json(frame: &[u8]) -> Result<(Cow<'_, str>, &[u8]), rhumb_schema::text::SyntaxError> {
    let mut scanner = Scanner::whole(frame);
    let (mut kind, mut object) = (Cow::Borrowed(""), &b""[..]);
    if scanner.peek() != Some(b'{') {
        return Err(scanner.error("looking for beginning of object key string"));
    }
    scanner.bump();
    let mut first = true;
    while scanner.next_entry(first)? {
        first = false;
        match &*scanner.key()? {
            "type" if scanner.peek() == Some(b'"') => kind = scanner.string()?,
            "object" => object = scanner.skip()?,
            _ => drop(scanner.skip()?),
        }
    }
    scanner.end()?;
    Ok((kind, object))
}

/// Unpacks a protobuf watch event. It has no envelope of its own; its object has one, in the raw extension.
fn open_protobuf(frame: &[u8]) -> Option<(Cow<'_, str>, &[u8])> {
    let (mut kind, mut object) = ("", &b""[..]);
    for field in wire::fields(frame) {
        match field.ok()? {
            (1, Payload::Bytes(bytes)) => kind = std::str::from_utf8(bytes).ok()?,
            (2, Payload::Bytes(extension)) => {
                for field in wire::fields(extension) {
                    if let (1, Payload::Bytes(bytes)) = field.ok()? {
                        object = bytes;
                    }
                }
            }
            _ => {}
        }
    }
    Some((Cow::Borrowed(kind), object))
}

/// Decodes a common event in one pass. None for other events and invalid ones.
fn read_usual<K: Object + Default>(line: &[u8]) -> Option<WatchEvent<Box<K>>> {
    let (kind, object) = open_usual(line)?;
    let event = match kind {
        b"ADDED" => WatchEvent::Added,
        b"MODIFIED" => WatchEvent::Modified,
        b"DELETED" => WatchEvent::Deleted,
        _ => return None,
    };
    read_object(Format::Json, object).ok().map(event)
}

fn read_event<K: Object + Default>(format: Format, frame: &[u8]) -> Event<K> {
    if format == Format::Json
        && let Some(event) = read_usual(frame)
    {
        return Ok(event);
    }
    let (kind, object) = open_event(format, frame)?;
    // Within a protobuf frame the object says itself what it is.
    let format = match object.starts_with(proto::MAGIC) {
        true => Format::Protobuf,
        false => Format::Json,
    };
    match &*kind {
        "ADDED" => read_object(format, object).map(WatchEvent::Added),
        "MODIFIED" => read_object(format, object).map(WatchEvent::Modified),
        "DELETED" => read_object(format, object).map(WatchEvent::Deleted),
        "BOOKMARK" => {
            let mut bookmark = PartialObjectMetadata::default();
            fill(format, object, &mut bookmark).map_err(undecodable)?;
            let metadata = bookmark.metadata;
            Ok(WatchEvent::Bookmark {
                resource_version: metadata.resource_version,
                initial_events_end: metadata
                    .annotations
                    .get(INITIAL_EVENTS_END)
                    .is_some_and(|end| end == "true"),
            })
        }
        "ERROR" => {
            let mut status = Status::default();
            fill(format, object, &mut status).map_err(undecodable)?;
            Ok(WatchEvent::Error(Box::new(status)))
        }
        other => Err(Error::Stream(format!("got invalid watch event type: {other}"))),
    }
}

#[cold]
fn undecodable(error: CodecError) -> Error {
    Error::Stream(format!("unable to decode watch event: {error}"))
}

fn read_object<K: Object + Default>(format: Format, bytes: &[u8]) -> Result<Box<K>, Error> {
    let mut object = Box::<K>::default();
    fill(format, bytes, &mut *object).map_err(undecodable)?;
    // Objects in lists have no kind. Those that come later must not differ from them, nor take more memory.
    if !is_tree(&*object) && TypeId::of::<K>() != TypeId::of::<PartialObjectMetadata>() {
        object.set_type_meta("", "");
    }
    Ok(object)
}

#[cfg(test)]
mod tests {
    use rhumb_api::core::v1::Pod;
    use rhumb_scheme::Unstructured;

    use super::*;

    fn json_event<K: Object + Default>(text: &str) -> Event<K> {
        read_event(Format::Json, text.as_bytes())
    }

    #[test]
    fn events_are_read_from_json() {
        let text = r#"{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}}"#;
        let Ok(WatchEvent::Added(pod)) = json_event::<Pod>(text) else { panic!("no pod") };
        assert_eq!((&*pod.metadata.name, &*pod.type_meta.kind), ("a", ""));
        let Ok(WatchEvent::Added(tree)) = json_event::<Unstructured>(text) else { panic!("no tree") };
        assert_eq!(tree.type_meta(), ("v1", "Pod"));
        for text in [
            r#"{"type":"MODIFIED","object":{"metadata":{"name":"a"}},"more":{}}"#,
            r#"{"type": "MODIFIED", "object":{"metadata":{"name":"a"}}}"#,
            concat!(
                r#"{"type":"ADDED","object":{"metadata":{"name":"b"}},"#,
                r#""type":"MODIFIED","object":{"metadata":{"name":"a"}}}"#
            ),
        ] {
            let Ok(WatchEvent::Modified(pod)) = json_event::<Pod>(text) else { panic!("no pod: {text}") };
            assert_eq!(&*pod.metadata.name, "a", "{text}");
        }
        let text = r#"{"object":{"metadata":{"resourceVersion":"7",
            "annotations":{"k8s.io/initial-events-end":"true"}}},"type":"BOOKMARK"}"#;
        let Ok(WatchEvent::Bookmark { resource_version, initial_events_end }) = json_event::<Pod>(text)
        else {
            panic!("no bookmark")
        };
        assert_eq!((&*resource_version, initial_events_end), ("7", true));
        let text =
            r#"{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","reason":"Expired","code":410}}"#;
        let Ok(WatchEvent::Error(status)) = json_event::<Pod>(text) else { panic!("no status") };
        assert_eq!((&*status.reason, status.code), ("Expired", 410));
    }

    #[test]
    fn what_is_no_event_is_told() {
        for (text, expect) in [
            (r#"{"type":"RENAMED","object":{}}"#, "got invalid watch event type: RENAMED"),
            (r#"{}"#, "got invalid watch event type: "),
            (
                r#"{"type":"ADDED","object":{"metadata":7}}"#,
                "unable to decode watch event: json: cannot unmarshal number into Go struct field Pod.metadata of \
                 type v1.ObjectMeta",
            ),
        ] {
            assert_eq!(json_event::<Pod>(text).unwrap_err().to_string(), expect);
        }
        for text in ["7", r#"{"type":"ADDED","object":}"#, r#"{"type":"ADDED"} x"#, ""] {
            let error = json_event::<Pod>(text).unwrap_err().to_string();
            assert!(error.starts_with("unable to decode to metav1.WatchEvent: "), "{error}");
        }
        assert!(read_event::<Pod>(Format::Protobuf, &[0x0a, 0xff]).is_err());
    }

    #[test]
    fn events_are_read_from_protobuf() {
        let mut pod = Pod::default();
        pod.type_meta.set("v1", "Pod");
        pod.metadata.name = "a".into();
        let mut object = Vec::new();
        proto::encode(&pod, &mut object).unwrap();
        let event =
            rhumb_meta::v1::WatchEvent { type_: "DELETED".into(), object: rhumb_schema::RawJson(object) };
        let mut frame = Vec::new();
        proto::encode_bare(&event, &mut frame).unwrap();
        let Ok(WatchEvent::Deleted(read)) = read_event::<Pod>(Format::Protobuf, &frame) else {
            panic!("no pod")
        };
        assert_eq!((&*read.metadata.name, &*read.type_meta.kind), ("a", ""));
    }
}
