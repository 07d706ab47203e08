//! `rhumb transcode`: converts objects between formats without changing their version.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use rhumb_cli::Call;
use rhumb_codec::{CodecError, Codecs, Format};
use rhumb_meta::GroupVersionKind;
use rhumb_meta::v1::WatchEvent;
use rhumb_schema::text;
use rhumb_scheme::{NotRegistered, Object, ObjectCreater};

use crate::command_line::choice;
use crate::documents::{self, Document};
use crate::output;

pub(crate) fn run(call: &Call) -> Result<()> {
    let format = output::format(choice(call, "output")?);
    let codecs = Codecs::new(Arc::new(rhumb_api::scheme()?));
    let objects = decode_all(&codecs, &call.flags.list("filename"))?;
    output::objects(&codecs, format, &objects)
}

/// Decodes all objects of some files, without defaults or conversion.
fn decode_all(codecs: &Codecs, files: &[String]) -> Result<Vec<Box<dyn Object>>> {
    let mut objects = Vec::new();
    for file in files {
        for mut document in documents::read(file)? {
            without_layout(&mut document);
            objects.push(decode(codecs, &document)?);
        }
    }
    if objects.is_empty() {
        bail!("no objects found in {}", documents::names(files));
    }
    Ok(objects)
}

/// Removes insignificant white space from JSON. Raw fields would keep it otherwise, so that protobuf would depend on
/// how a file was indented.
fn without_layout(document: &mut Document) {
    let mut compact = Vec::with_capacity(document.data.len());
    // Malformed JSON stays as it is, so that errors give positions in the file.
    if document.format == Format::Json && text::compact(&document.data, &mut compact).is_ok() {
        document.data = compact;
    }
}

/// Decodes one object, without defaults or conversion.
pub(crate) fn decode(codecs: &Codecs, document: &Document) -> Result<Box<dyn Object>> {
    let serializer = codecs.serializer(document.format, false);
    match serializer.decode(&document.data, None, codecs.scheme()) {
        Ok(decoded) => Ok(decoded.object),
        Err(error) => {
            let frame = matches!(error, CodecError::MissingKind(_)).then(|| watch_event(codecs, document));
            frame.flatten().ok_or(error).with_context(|| document.place())
        }
    }
}

/// Decodes a document as a watch event, which has no kind; none if it is not one.
fn watch_event(codecs: &Codecs, document: &Document) -> Option<Box<dyn Object>> {
    struct Frames;
    impl ObjectCreater for Frames {
        fn new_object(&self, _: &GroupVersionKind) -> Result<Box<dyn Object>, NotRegistered> {
            Ok(Box::new(WatchEvent::default()))
        }
    }
    let frame = GroupVersionKind::new_static("", "v1", "WatchEvent");
    let decoded =
        codecs.serializer(document.format, false).decode(&document.data, Some(&frame), &Frames).ok()?;
    let event = decoded.object.downcast_ref::<WatchEvent>()?;
    (!event.type_.is_empty() && !event.object.0.is_empty()).then_some(decoded.object)
}
