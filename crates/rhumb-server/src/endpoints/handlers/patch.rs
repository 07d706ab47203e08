//! Patch: changes objects by what is to be different, in four forms; server-side apply is one of them.

use std::sync::Arc;

use bytes::Bytes;
use http::header;
use rhumb_codec::{Strictness, json};
use rhumb_meta::v1::{PatchOptions, StatusReason};
use rhumb_meta::{GroupKind, ObjectMeta};
use rhumb_patch::{PatchError, json_patch, merge, strategic};
use rhumb_schema::StructDesc;
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_validation::meta::PatchType;
use serde_json::Value as Json;

use super::update::{Changed, Permit, Seen, change, check_patched};
use crate::base::failure::{Failure, Outcome};
use crate::base::request::header_text;
use crate::base::response::Response;
use crate::endpoints::context::{RequestContext, refuse, strictness};
use crate::registry::storage::Current;
use crate::registry::tree::tree_of;
use crate::registry::{Endpoint, managed_fields};

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

/// A form of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Merge,
    Strategic,
    Apply,
}

/// The form that a content type names.
pub(crate) fn form(call: &RequestContext<'_>) -> Outcome<Form> {
    let content_type = header_text(call.headers, header::CONTENT_TYPE);
    let plain = content_type.split(';').next().unwrap_or_default().trim();
    let has_strategic = call.endpoint.model.strategic(&call.endpoint.kind).is_some();
    match plain {
        JSON => Ok(Form::Json),
        MERGE => Ok(Form::Merge),
        STRATEGIC if has_strategic => Ok(Form::Strategic),
        APPLY => Ok(Form::Apply),
        _ if call.endpoint.model.is_custom() => {
            let known = [JSON, MERGE, APPLY].join(", ");
            let message = format!(
                "the body of the request was in an unknown format - accepted media types include: {known}"
            );
            Err(Failure::new(StatusReason::UnsupportedMediaType, message))
        }
        _ => {
            let mut failure = Failure::new(StatusReason::UnsupportedMediaType, "415: Unsupported Media Type");
            failure.0.details = Some(Box::default());
            Err(failure)
        }
    }
}

/// Patches an object.
pub(crate) async fn patch(
    call: &mut RequestContext<'_>,
    body: Bytes,
    subresource: Option<&str>,
) -> Outcome<Response> {
    let form = form(call)?;
    let agreed = call.output()?;
    let options: PatchOptions = call.options()?;
    let mut errors = FieldErrors::default();
    let kind = if form == Form::Apply { PatchType::Apply } else { PatchType::Other };
    rhumb_validation::meta::patch_options(&options, kind, &mut errors);
    refuse(&errors, "PatchOptions")?;
    let permit = Permit {
        subresource,
        dry_run: !options.dry_run.is_empty(),
        preconditions: None,
        creates: form == Form::Apply || call.endpoint.model.facts().create_on_update,
        seen: Seen::Object,
    };
    let strict = strictness(&options.field_validation);
    let done = if form == Form::Apply {
        let config = Configuration::read(&body)?;
        let done = change(call, &permit, &mut |call, current| {
            let changed = apply(call, current, &config.tree, &options, subresource)?;
            config.refuse_doubled(strict)?;
            Ok(changed)
        })
        .await?;
        config.warn_of_doubled(call, strict);
        done
    } else {
        let manager = call.manager(&options.field_manager);
        let patch = Patch::read(form, &body, strict, call)?;
        change(call, &permit, &mut |call, current| {
            let Some(current) = current else {
                return Err(Failure::not_found(&call.endpoint.resource, &call.path.name));
            };
            patched(call, current, &patch, strict, &manager, subresource)
        })
        .await?
    };
    call.present(if done.created { 201 } else { 200 }, done.hub, &agreed)
}

/// A patch that is not applied.
pub(crate) struct Patch {
    form: Form,
    text: Bytes,
    tree: Json,
    /// What is doubtful in the patch itself.
    found: Vec<String>,
}

impl Patch {
    /// Reads a patch of a form.
    pub(crate) fn read(
        form: Form,
        body: &Bytes,
        strict: Strictness,
        call: &mut RequestContext<'_>,
    ) -> Outcome<Self> {
        let found = match form {
            Form::Json => json_patch::check(body),
            _ => merge::check(body),
        };
        let mut found = found.map_err(|error| match error {
            // Strategic patches are read by another reader, which says less.
            PatchError::Decode(text) if form == Form::Strategic => {
                Failure::bad_request(text.strip_prefix("error decoding patch: ").unwrap_or(&text))
            }
            error => refused(call, &error),
        })?;
        match strict {
            Strictness::Ignore => found.clear(),
            Strictness::Warn => call.warnings.append(&mut found),
            Strictness::Strict => {}
        }
        let mut tree = match form {
            Form::Json => Json::Null,
            _ => merge::decode(body).map_err(|error| refused(call, &error))?,
        };
        if form == Form::Strategic && tree.is_null() {
            tree = Json::Object(serde_json::Map::new());
        }
        Ok(Patch { form, text: body.clone(), tree, found })
    }

    /// Applies it to a tree of some type.
    pub(crate) fn apply(
        &self,
        call: &RequestContext<'_>,
        tree: &mut Json,
        table: Option<&'static StructDesc>,
    ) -> Outcome<()> {
        match (self.form, table) {
            (Form::Json, _) => json_patch::apply(tree, &self.text),
            (Form::Strategic, Some(table)) => strategic::apply(tree, &self.tree, table),
            _ => merge::apply(tree, &self.tree),
        }
        .map_err(|error| refused(call, &error))
    }

    /// Reads what the patch made, and refuses what is doubtful in it if the client wants that. What is shown of it
    /// stands in the refusal.
    pub(crate) fn checked<'a, T>(
        &self,
        call: &mut RequestContext<'a>,
        shown: &str,
        strict: Strictness,
        read: impl FnOnce(&mut RequestContext<'a>, Strictness) -> Outcome<T>,
    ) -> Outcome<T> {
        if strict != Strictness::Strict {
            return read(call, strict);
        }
        let before = call.warnings.len();
        let made = read(call, Strictness::Warn)?;
        let mut found = self.found.clone();
        found.extend(call.warnings.drain(before..));
        if found.is_empty() {
            Ok(made)
        } else {
            Err(unfit(shown, &rhumb_codec::StrictError(found).to_string()))
        }
    }

    /// Whether it may be about who set which fields. Most are not, and that is a large part of an object.
    fn concerns_owners(&self) -> bool {
        match (self.form, &self.tree) {
            (Form::Merge | Form::Strategic, Json::Object(fields)) => match fields.get("metadata") {
                Some(Json::Object(metadata)) => metadata.keys().any(|key| key.contains("managedFields")),
                _ => false,
            },
            _ => true,
        }
    }

    /// Whether the patch itself says which revision it is for.
    pub(crate) fn names_revision(&self) -> bool {
        match self.form {
            Form::Json => self.text.windows(15).any(|window| window == b"resourceVersion"),
            _ => self.tree.pointer("/metadata/resourceVersion").is_some_and(|told| !told.is_null()),
        }
    }
}

fn refused(call: &RequestContext<'_>, error: &PatchError) -> Failure {
    if error.reason() == StatusReason::Invalid {
        // The object is named, though nothing of it is at fault.
        let mut failure = Failure::invalid(&call.endpoint.kind, &call.path.name, &FieldErrors::default());
        failure.0.message = error.to_string();
        failure.0.details = Some(Box::default());
        return failure;
    }
    Failure::new(error.reason(), error.to_string())
}

/// Whether the tree of an object has who set which fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owners {
    Shown,
    Left,
}

/// The tree that a patch makes of an object's.
fn outcome(call: &RequestContext<'_>, current: &Current, patch: &Patch, owners: Owners) -> Outcome<Json> {
    let (model, kind) = (&call.endpoint.model, &call.endpoint.kind);
    let mut tree = match owners {
        Owners::Shown => tree_of(&*model.external(current.hub.clone_object(), kind)?),
        Owners::Left => model.tree(&*current.hub, kind)?,
    };
    patch.apply(call, &mut tree, model.strategic(&call.endpoint.kind))?;
    Ok(tree)
}

/// What a patch makes of an object.
fn patched(
    call: &mut RequestContext<'_>,
    current: &Current,
    patch: &Patch,
    strict: Strictness,
    manager: &str,
    subresource: Option<&str>,
) -> Outcome<Changed> {
    let endpoint = Arc::clone(&call.endpoint);
    let model = &endpoint.model;
    // Where owners are left out they stay who they were.
    let owners = if patch.concerns_owners() { Owners::Shown } else { Owners::Left };
    let mut tree = outcome(call, current, patch, owners)?;
    let reset = tree.pointer("/metadata/managedFields").and_then(Json::as_array).is_some_and(Vec::is_empty);
    let is_strategic = patch.form == Form::Strategic;
    // A refusal quotes what the patch made, or the patch itself. That is made again if it is needed.
    let shown = |call: &RequestContext<'_>| match is_strategic {
        true => go_map(&patch.tree),
        false => {
            outcome(call, current, patch, Owners::Shown).map(|tree| tree.to_string()).unwrap_or_default()
        }
    };
    if let (true, Some(table)) = (is_strategic, model.strategic(&endpoint.kind)) {
        strategic::fit(&mut tree, table).map_err(|why| unfit(&shown(call), &why))?;
        // The object has its kind already, whatever the patch calls it.
        if let Json::Object(fields) = &mut tree {
            fields.insert("kind".to_owned(), endpoint.kind.kind.as_ref().into());
            fields.insert("apiVersion".to_owned(), endpoint.kind.api_version().into());
        }
    }
    let gentle = if strict == Strictness::Strict { Strictness::Warn } else { strict };
    let incoming = model.read_tree(&endpoint.kind, tree, gentle).map_err(|failure| {
        if failure.code() == 422 {
            // A custom kind has found that the object is none of it.
            return failure;
        }
        unread(&shown(call), &failure, |why| if is_strategic { of_value(why) } else { why.to_owned() })
    })?;
    if incoming.gvk != endpoint.kind {
        super::create::expect_version(call, &incoming.gvk)?;
    }
    if strict == Strictness::Strict {
        let mut found = patch.found.clone();
        found.extend(incoming.warnings);
        if !found.is_empty() {
            return Err(unfit(&shown(call), &rhumb_codec::StrictError(found).to_string()));
        }
    } else {
        call.warnings.extend(incoming.warnings);
    }
    let mut object = incoming.object;
    check_patched(call, &mut *object)?;
    let hub = model.to_hub(object)?;
    let hub = managed_fields::updated(call.fields(), hub, &*current.hub, manager, subresource, reset)?;
    Ok(Changed { hub, based_on_current: !patch.names_revision() })
}

/// The answer to a patch whose outcome could not be read as an object of the kind.
pub(crate) fn unread(shown: &str, failure: &Failure, worded: impl FnOnce(&str) -> String) -> Failure {
    let text = failure.to_string();
    unfit(shown, &worded(reason(&text).unwrap_or(&text)))
}

/// What is wrong with an object that could not be read.
fn reason(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(" cannot be handled as a ")?;
    rest.split_once(": ").map(|(_, why)| why)
}

/// The answer to an apply whose outcome has the shape of its kind and can't be read as one, for a value that is none.
/// Kubernetes takes this for its own fault.
fn unconverted(endpoint: &Endpoint, place: &str, failure: Failure) -> Failure {
    let text = failure.to_string();
    let Some(why) = reason(&text).filter(|_| !endpoint.model.is_custom()) else { return failure };
    let why = match why.strip_prefix("json: cannot unmarshal number ").zip(why.rsplit_once(" of type ")) {
        Some((rest, (_, wanted))) if rest.split(' ').next().is_some_and(|number| number.contains('.')) => {
            format!("cannot convert float64 to {wanted}")
        }
        // Kubernetes keeps the lower half of a number that is too large.
        Some(_) => return failure,
        None => of_value(why),
    };
    let kind = &endpoint.kind;
    let message = format!(
        "failed to convert new object ({place}; {kind}) to proper version: unable to convert unstructured object to {kind}: {why}"
    );
    Failure::new(StatusReason::Unknown, message)
}

/// The answer to a patch whose outcome is no object of the kind.
fn unfit(shown: &str, why: &str) -> Failure {
    let mut errors = FieldErrors::default();
    errors.invalid(&FieldPath::new("patch"), shown, why);
    errors.status(&GroupKind::default(), "").into()
}

/// What is wrong with a value that says so itself, where it is read alone and not as a part of the object.
fn of_value(why: &str) -> String {
    if why.starts_with("illegal base64 data") {
        return format!("error decoding from json: {why}");
    }
    let parts = why.split_once("Go struct field ").zip(why.rsplit_once(" of type "));
    match parts {
        Some(((before, _), (_, wanted))) => format!("{before}Go value of type {wanted}"),
        None => why.to_owned(),
    }
}

/// A tree as Go prints a map.
fn go_map(tree: &Json) -> String {
    let mut out = String::new();
    print_go(tree, &mut out);
    out
}

fn print_go(tree: &Json, out: &mut String) {
    match tree {
        Json::Object(map) => {
            out.push_str("map[");
            for (position, (key, value)) in map.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { " " });
                out.push_str(key);
                out.push(':');
                print_go(value, out);
            }
            out.push(']');
        }
        Json::Array(items) => {
            out.push('[');
            for (position, item) in items.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { " " });
                print_go(item, out);
            }
            out.push(']');
        }
        Json::String(text) => out.push_str(text),
        Json::Null => out.push_str("<nil>"),
        other => out.push_str(&other.to_string()),
    }
}

/// What a client wants an object to be, as it is applied.
pub(crate) struct Configuration {
    /// What it says.
    pub(crate) tree: Json,
    /// The lines that say something which was said before.
    doubled: Vec<String>,
}

impl Configuration {
    /// Reads a body.
    pub(crate) fn read(body: &[u8]) -> Outcome<Self> {
        let mut text = Vec::new();
        let options = rhumb_codec::yaml::ReadOptions {
            duplicate_keys: rhumb_codec::yaml::DuplicateKeys::Report,
            ..rhumb_codec::yaml::ReadOptions::default()
        };
        let report = rhumb_codec::yaml::to_json(body, &options, &mut text).map_err(|error| {
            Failure::bad_request(format!("error decoding YAML: error converting YAML to JSON: {error}"))
        })?;
        let doubled = report.strict_error().map(|error| error.to_string()).unwrap_or_default();
        let doubled = doubled.lines().map(str::trim).filter(|line| line.starts_with("line "));
        let doubled = doubled.map(str::to_owned).collect();
        let (tree, _) = json::decode_tree(&text, Strictness::Ignore)
            .map_err(|error| Failure::bad_request(format!("error decoding YAML: {error}")))?;
        let kind = match tree {
            Json::Array(_) => "array",
            Json::String(_) => "string",
            Json::Number(_) => "number",
            Json::Bool(_) => "bool",
            Json::Object(_) | Json::Null => return Ok(Configuration { tree, doubled }),
        };
        Err(Failure::bad_request(format!(
            "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
        )))
    }

    /// Refuses to be applied if it says something twice and the client wants that refused. This is found after what
    /// else is wrong.
    pub(crate) fn refuse_doubled(&self, strict: Strictness) -> Outcome<()> {
        if strict != Strictness::Strict || self.doubled.is_empty() {
            return Ok(());
        }
        let text = self.doubled.join("\n  ");
        Err(Failure::bad_request(format!(
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  {text}"
        )))
    }

    /// Tells the client what it says twice, if the client wants to know.
    pub(crate) fn warn_of_doubled(&self, call: &mut RequestContext<'_>, strict: Strictness) {
        if strict == Strictness::Warn {
            call.warnings.extend(self.doubled.iter().cloned());
        }
    }
}

/// What applying a configuration makes of an object.
pub(crate) fn apply(
    call: &mut RequestContext<'_>,
    current: Option<&Current>,
    config: &Json,
    options: &PatchOptions,
    subresource: Option<&str>,
) -> Outcome<Changed> {
    let endpoint = Arc::clone(&call.endpoint);
    let text = |pointer: &str| config.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
    if current.is_none() && !text("/metadata/uid").is_empty() {
        let why = format!(
            "uid mismatch: the provided object specified uid {}, and no existing object was found",
            text("/metadata/uid")
        );
        return Err(Failure::conflict(&endpoint.resource, &call.path.name, &why));
    }
    let old = current.map(|current| &*current.hub);
    let applied = managed_fields::applied(
        call.fields(),
        old,
        config,
        &options.field_manager,
        options.force == Some(true),
        subresource,
    )?
    .map_err(|error| error.status())?;
    if let Some(current) = current.filter(|_| !applied.changed) {
        return Ok(Changed { hub: current.hub.clone_object(), based_on_current: true });
    }
    let strict = strictness(&options.field_validation);
    let incoming = endpoint.model.read_tree(&endpoint.kind, applied.object, strict).map_err(|failure| {
        let place = format!("{}/{}", text("/metadata/namespace"), text("/metadata/name"));
        unconverted(&endpoint, &place, failure)
    })?;
    call.warnings.extend(incoming.warnings);
    let mut object = incoming.object;
    check_patched(call, &mut *object)?;
    let mut hub = endpoint.model.to_hub(object)?;
    let mut fields = Some(applied.managed_fields);
    hub.edit_metadata(&mut |meta: &mut ObjectMeta| {
        meta.managed_fields = fields.take().unwrap_or_default();
        if current.is_none() {
            // There is no revision of what isn't there; what is applied is made nevertheless.
            meta.resource_version.clear();
        }
    });
    let names_revision = !text("/metadata/resourceVersion").is_empty();
    Ok(Changed { hub, based_on_current: !names_revision })
}
