//! `rhumb convert`: converts objects to another version of their group, like `kubectl convert`.
//!
//! Output equals kubectl's byte for byte. Two things differ: an unknown version is an error that lists the known ones,
//! and `-o name` names the objects of a list too.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use rhumb_cli::options::DryRun;
use rhumb_cli::resource::expand_files;
use rhumb_cli::{Call, Failure, ResultPrinter};
use rhumb_codec::{Codecs, Format};
use rhumb_meta::v1::List;
use rhumb_meta::{GroupVersion, GroupVersionKind, INTERNAL};
use rhumb_schema::RawJson;
use rhumb_schema::text::encode;
use rhumb_scheme::{ConversionKind, Object, Scheme, ToInternal};

use crate::documents::{self, Document};
use crate::{output, transcode};

pub(crate) fn run(call: &mut Call) -> Result<()> {
    let form = Form::of(call)?;
    let codecs = Codecs::new(Arc::new(rhumb_api::scheme()?));
    let target = match call.flags.text("output-version") {
        "" => None,
        text => Some(version(codecs.scheme(), text)?),
    };
    let options = rhumb_cli::options::files(&call.flags);
    options.require().map_err(|failure| anyhow::anyhow!(failure.bare()))?;
    let files = expand_files(&options).map_err(|failure| anyhow::anyhow!(failure.bare()))?;
    let mut sources = Vec::new();
    for file in &files {
        sources.push(documents::read(file)?);
    }
    if !options.kustomize.is_empty() {
        sources.push(documents::kustomized(&options.kustomize)?);
    }
    let (mut found, mut converted) = (0, Vec::new());
    for documents in sources {
        for document in documents {
            for object in flatten(&codecs, &document)? {
                found += 1;
                let object =
                    convert(codecs.scheme(), object, target.as_ref()).with_context(|| document.place())?;
                match object {
                    Converted::Object(object) => converted.push(object),
                    Converted::LeftOut(what) => call.warn(format!("warning: {}: {what}", document.place())),
                }
            }
        }
    }
    if found == 0 {
        bail!("no objects passed to convert: none found in {}", documents::names(&files));
    }
    if !call.flags.bool("show-managed-fields") {
        for object in &mut converted {
            object.edit_metadata(&mut |metadata| metadata.managed_fields.clear());
        }
    }
    // Only a single file with a single object, even in a list, is printed without a list.
    let alone = converted.len() == 1 && matches!(&*files, [file] if file != "-");
    if let Form::Names = form {
        return output::bytes(names(codecs.scheme(), &converted).as_bytes());
    }
    let object = if alone { converted.pop() } else { None };
    let object = object.unwrap_or_else(|| as_list(&converted));
    match form {
        Form::Names => Ok(()),
        Form::Format(Format::Json) => output::kubectl_json(&*object),
        Form::Format(format) => output::objects(&codecs, format, &[object]),
        Form::Printer(mut printer) => {
            printer.print_typed(&mut call.streams, &*object, "converted").map_err(|failure| match failure {
                Failure::Output(error) => error.into(),
                failure => anyhow::anyhow!(failure.bare()),
            })
        }
    }
}

/// Form of the output.
enum Form {
    /// One name per line.
    Names,
    /// The objects in a format.
    Format(Format),
    /// Printed by a template or another printer.
    Printer(ResultPrinter),
}

impl Form {
    /// Returns the form that the flags select.
    fn of(call: &Call) -> Result<Self> {
        let has_template = !call.flags.text("template").is_empty();
        match call.flags.text("output") {
            "name" => Ok(Form::Names),
            format @ ("json" | "protobuf") => Ok(Form::Format(output::format(format))),
            "yaml" if call.flags.is_given("output") || !has_template => Ok(Form::Format(Format::Yaml)),
            _ => {
                let printer = call.printer(DryRun::None);
                printer.map(Form::Printer).map_err(|failure| anyhow::anyhow!(failure.bare()))
            }
        }
    }
}

/// Parses a version, which must be registered.
fn version(scheme: &Scheme, text: &str) -> Result<GroupVersion> {
    let known = || {
        let all: Vec<String> =
            scheme.prioritized_versions_all_groups().iter().map(ToString::to_string).collect();
        all.join(", ")
    };
    let Ok(gv) = GroupVersion::parse(text) else {
        bail!("{text:?} is not a version; expected GROUP/VERSION. Known are: {}", known());
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

/// Returns the objects of a document; lists, also nested ones, are replaced by their items.
fn flatten(codecs: &Codecs, document: &Document) -> Result<Vec<Box<dyn Object>>> {
    let mut objects = Vec::new();
    let mut queue = vec![transcode::decode(codecs, document)?];
    while let Some(mut object) = queue.pop() {
        if let Some(list) = object.downcast_ref::<List>() {
            for (index, item) in list.items.iter().enumerate().rev() {
                let decoded = codecs.decode(item.as_bytes(), None);
                let decoded = decoded.with_context(|| format!("{}, item {index}", document.place()))?;
                queue.push(decoded.object);
            }
            continue;
        }
        let list_kind = codecs.scheme().object_kind(&*object)?;
        let Some(items) = object.take_items() else {
            objects.push(object);
            continue;
        };
        // Items of a typed list may omit their kind, which follows from the list's.
        let kind = list_kind.kind.strip_suffix("List").unwrap_or(&list_kind.kind).to_owned();
        let kind = list_kind.group_version().with_kind(kind);
        queue.extend(items.into_iter().rev().map(|mut item| {
            item.set_gvk(&kind);
            item
        }));
    }
    Ok(objects)
}

/// Result of converting an object.
enum Converted {
    /// The object in the requested version.
    Object(Box<dyn Object>),
    /// Not converted, because the version has no such kind; the message says so.
    LeftOut(String),
}

/// Sets defaults and converts an object to the target version, or else to the preferred version that has its kind.
fn convert(scheme: &Scheme, mut object: Box<dyn Object>, target: Option<&GroupVersion>) -> Result<Converted> {
    scheme.default(&mut *object);
    let gvk = scheme.object_kind(&*object)?;
    // Through the hub even if the version stays, so that equivalent forms become the same.
    if scheme.conversion_kind(&gvk) != ConversionKind::None {
        object = scheme.move_to_version(object, &ToInternal)?;
    }
    let homes = homes(scheme, &*object, &gvk)?;
    let has_kind = |gv: &&GroupVersion| {
        let mut kinds = homes.iter().filter(|home| home.group == gv.group);
        kinds.any(|home| scheme.recognizes(&gv.with_kind(home.kind.clone())))
    };
    let version = match target {
        Some(gv) if has_kind(&gv) => gv.clone(),
        Some(gv) => {
            let name = object.metadata().map(|metadata| metadata.name.clone()).unwrap_or_default();
            let kind = &gvk.kind;
            return Ok(Converted::LeftOut(format!("{kind} {name:?} is left out: {gv} has no {kind}")));
        }
        None => {
            let mut all = homes.iter().flat_map(|home| scheme.prioritized_versions(&home.group));
            all.find(has_kind).cloned().unwrap_or(gvk.group_version())
        }
    };
    Ok(Converted::Object(scheme.move_to_version(object, &version)?))
}

/// Returns the internal kinds of an object, one per group: kinds that moved between groups have several, the newer
/// group first.
fn homes(scheme: &Scheme, object: &dyn Object, own: &GroupVersionKind) -> Result<Vec<GroupVersionKind>> {
    let (kinds, _) = scheme.object_kinds(object)?;
    let homes: Vec<_> = kinds.iter().filter(|kind| kind.version == INTERNAL).cloned().collect();
    Ok(if homes.is_empty() { vec![own.clone()] } else { homes })
}

/// Wraps objects in a List.
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

/// Formats objects as `-o name` does: `deployment.apps/web`, one per line.
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
