//! `rhumb convert`: objects in another version of their group, as `kubectl convert` does it.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::ArgMatches;
use rhumb_codec::{Codecs, Format};
use rhumb_meta::v1::List;
use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_schema::RawJson;
use rhumb_schema::text::encode;
use rhumb_scheme::{Object, Scheme};

use crate::command_line::{value, values};
use crate::documents::{self, Document};
use crate::{output, transcode};

pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let codecs = Codecs::new(Arc::new(rhumb_api::scheme()?));
    let target = match value(matches, "output-version") {
        "" => None,
        text => Some(version(codecs.scheme(), text)?),
    };
    let files = values(matches, "filename");
    let mut converted = Vec::new();
    let mut several = false;
    for file in &files {
        for document in documents::read(file)? {
            let (objects, list) = flatten(&codecs, &document)?;
            several |= list;
            for object in objects {
                converted.push(convert(codecs.scheme(), object, target.as_ref()).with_context(|| document.place())?);
            }
        }
    }
    if converted.is_empty() {
        bail!("no objects passed to convert: {} hold none", files.join(", "));
    }
    several |= converted.len() > 1;
    match value(matches, "output") {
        "name" => output::bytes(names(codecs.scheme(), &converted).as_bytes()),
        format => {
            let objects = if several { vec![as_list(&converted)] } else { converted };
            let format = output::format(format);
            output::objects(&codecs, format, &objects)?;
            // A person's terminal wants the line end that the format itself doesn't have.
            if format == Format::Json { output::bytes(b"\n") } else { Ok(()) }
        }
    }
}

/// The version that a text names, which must be a known one.
fn version(scheme: &Scheme, text: &str) -> Result<GroupVersion> {
    let known = || {
        let all: Vec<String> =
            scheme.prioritized_versions_all_groups().iter().map(ToString::to_string).collect();
        all.join(", ")
    };
    let Ok(gv) = GroupVersion::parse(text) else {
        bail!("{text:?} is not a version; write it as GROUP/VERSION. Known are: {}", known());
    };
    if scheme.is_version_registered(&gv) {
        return Ok(gv);
    }
    let of_group = scheme.prioritized_versions(&gv.group);
    if of_group.is_empty() {
        bail!("unknown version {text:?}. Known are: {}", known());
    }
    let versions: Vec<String> = of_group.iter().map(ToString::to_string).collect();
    bail!("unknown version {text:?}. Known versions of this group are: {}", versions.join(", "));
}

/// The objects of a document: itself, or what is in it if it is a list.
fn flatten(codecs: &Codecs, document: &Document) -> Result<(Vec<Box<dyn Object>>, bool)> {
    let mut object = transcode::decode(codecs, document)?;
    if let Some(list) = object.downcast_ref::<List>() {
        let mut objects = Vec::new();
        for (index, item) in list.items.iter().enumerate() {
            let decoded = codecs
                .decode(item.as_bytes(), None)
                .with_context(|| format!("{}, item {index}", document.place()))?;
            objects.push(decoded.object);
        }
        return Ok((objects, true));
    }
    let list_kind = codecs.scheme().object_kind(&*object)?;
    match object.take_items() {
        Some(mut items) => {
            let kind = list_kind.kind.strip_suffix("List").unwrap_or(&list_kind.kind).to_owned();
            for item in &mut items {
                item.set_gvk(&list_kind.group_version().with_kind(kind.clone()));
            }
            Ok((items, true))
        }
        None => Ok((vec![object], false)),
    }
}

/// The object with its defaults, in the target version if its group has it, else in its group's preferred one.
fn convert(
    scheme: &Scheme,
    mut object: Box<dyn Object>,
    target: Option<&GroupVersion>,
) -> Result<Box<dyn Object>> {
    scheme.default(&mut *object);
    let gvk = scheme.object_kind(&*object)?;
    let has_kind = |gv: &GroupVersion| scheme.recognizes(&gv.with_kind(gvk.kind.clone()));
    let preferred = || scheme.prioritized_versions(&gvk.group).iter().find(|gv| has_kind(gv)).cloned();
    let own = gvk.group_version();
    let version = match target {
        // An object of another group stays in its version, so that a file of many groups can be converted at once.
        Some(gv) if gv.group != gvk.group || !has_kind(gv) => own,
        Some(gv) => gv.clone(),
        None => preferred().filter(|gv| gv.version != INTERNAL).unwrap_or(own),
    };
    Ok(scheme.into_version(object, &version)?)
}

/// Several objects as one of kind List.
fn as_list(objects: &[Box<dyn Object>]) -> Box<dyn Object> {
    let mut list = List::default();
    list.type_meta.set("v1", "List");
    for object in objects {
        let mut json = Vec::new();
        encode(&**object, &mut json);
        list.items.push(RawJson(json));
    }
    Box::new(list)
}

/// `deployment.apps/web` a line, as `-o name` prints it.
fn names(scheme: &Scheme, objects: &[Box<dyn Object>]) -> String {
    let mut out = String::new();
    for object in objects {
        let gvk = scheme.object_kind(&**object).unwrap_or_default();
        let kind = gvk.kind.to_lowercase();
        let name = object.metadata().map(|metadata| metadata.name.clone()).unwrap_or_default();
        if gvk.group.is_empty() {
            out.push_str(&format!("{kind}/{name}\n"));
        } else {
            out.push_str(&format!("{kind}.{}/{name}\n", gvk.group));
        }
    }
    out
}
