//! `rhumb transcode`: the same objects in another format.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::ArgMatches;
use rhumb_codec::Codecs;
use rhumb_scheme::Object;

use crate::command_line::{value, values};
use crate::documents::{self, Document};
use crate::output;

pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let codecs = Codecs::new(Arc::new(rhumb_api::scheme()?));
    let objects = decode_all(&codecs, &values(matches, "filename"))?;
    output::objects(&codecs, output::format(value(matches, "output")), &objects)
}

/// Every object of some files, as it stands.
fn decode_all(codecs: &Codecs, files: &[String]) -> Result<Vec<Box<dyn Object>>> {
    let mut objects = Vec::new();
    for file in files {
        for document in documents::read(file)? {
            objects.push(decode(codecs, &document)?);
        }
    }
    if objects.is_empty() {
        bail!("no objects found in {}", documents::names(files));
    }
    Ok(objects)
}

/// One object, as it stands.
pub(crate) fn decode(codecs: &Codecs, document: &Document) -> Result<Box<dyn Object>> {
    let serializer = codecs.serializer(document.format, false);
    let decoded =
        serializer.decode(&document.data, None, codecs.scheme()).with_context(|| document.place())?;
    Ok(decoded.object)
}
