//! What stands below objects, and resources that are questions.

mod binding;
mod components;
mod eviction;
mod reviews;
mod rollback;
mod scale;
mod token;

use std::sync::Arc;

use bytes::Bytes;
use rhumb_codec::{Codecs, Format, Strictness};
use rhumb_meta::v1::{CreateOptions, Status, TypeMeta};
use rhumb_meta::{GroupVersion, GroupVersionKind, Object};
use rhumb_scheme::ToInternal;
use rhumb_scheme::validation::FieldErrors;

pub(crate) use components::read;
pub(crate) use reviews::question;

use crate::base::failure::{Failure, Outcome};
use crate::base::go_names::no_conversion;
use crate::base::response::{self, Response};
use crate::endpoints::context::{RequestContext, refuse, strictness};
use crate::endpoints::handlers::create::take_namespace;
use crate::endpoints::{handlers, not_allowed};
use crate::registry::reading::{completed, told_kind, unreadable};
use rhumb_api::resources::Verb;

/// Answers a request for something below an object.
pub(crate) async fn answer(
    call: &mut RequestContext<'_>,
    verb: Verb,
    name: &str,
    body: Bytes,
) -> Outcome<Response> {
    let Some(part) = call.endpoint.part(name).cloned() else { return Ok(response::no_such_path()) };
    if !part.verbs.contains(&verb) {
        return Err(not_allowed());
    }
    let own = part.kind == call.endpoint.kind;
    match (name, verb) {
        ("scale", Verb::Get) if !own => scale::get(call, &part.kind).await,
        ("scale", Verb::Update) if !own => scale::update(call, &part.kind, body).await,
        ("scale", Verb::Patch) if !own => scale::patch(call, &part.kind, body).await,
        ("binding", Verb::Create) => binding::post(call, &part.kind, body).await,
        ("eviction", Verb::Create) => eviction::post(call, &part.kind, body).await,
        ("token", Verb::Create) => token::post(call, &part.kind, body).await,
        ("rollback", Verb::Create) => rollback::post(call, &part.kind, body).await,
        (_, Verb::Get) => handlers::get::get(call).await,
        (_, Verb::Update) => handlers::update::update(call, body, Some(name)).await,
        (_, Verb::Patch) => handlers::patch::patch(call, body, Some(name)).await,
        _ => Err(not_allowed()),
    }
}

/// Reads an object of a built-in kind, whatever kind the resource has, and brings it into its hub form.
fn read_object(
    call: &mut RequestContext<'_>,
    body: &[u8],
    format: Format,
    kind: &GroupVersionKind,
    accepted: &[GroupVersion],
    strict: Strictness,
) -> Outcome<Box<dyn Object>> {
    let scheme = Arc::clone(&call.api.scheme);
    let codecs = Codecs::new(Arc::clone(&scheme)).with_strictness(strict);
    let decoded = codecs.serializer(format, false).decode(body, Some(kind), &*scheme).map_err(|error| {
        let told = completed(told_kind(body, format), kind);
        unreadable(kind, body, &error, told.as_ref())
    })?;
    let told = decoded.gvk;
    if told.kind != kind.kind {
        return Err(no_conversion(&told, kind));
    }
    let place = told.group_version();
    if place != kind.group_version() && !accepted.contains(&place) {
        return Err(Failure::bad_request(format!(
            "the API version in the data ({place}) does not match the expected API version ({})",
            kind.group_version()
        )));
    }
    call.warnings.extend(decoded.warnings);
    let mut object = decoded.object;
    scheme.default(&mut *object);
    scheme.move_to_version(object, &ToInternal).map_err(Failure::internal)
}

/// Something that was posted to an object.
struct Posted {
    /// What was posted, in its hub form.
    object: Box<dyn Object>,
    /// The options of the request.
    options: CreateOptions,
}

/// Reads what is posted to an object.
fn posted(
    call: &mut RequestContext<'_>,
    kind: &GroupVersionKind,
    accepted: &[GroupVersion],
    body: &[u8],
) -> Outcome<Posted> {
    let options: CreateOptions = call.options()?;
    let mut errors = FieldErrors::default();
    rhumb_validation::meta::create_options(&options, &mut errors);
    refuse(&errors, "CreateOptions")?;
    let format = call.input()?;
    let strict = strictness(&options.field_validation);
    let mut object = read_object(call, body, format, kind, accepted, strict)?;
    take_namespace(call, &mut *object)?;
    Ok(Posted { object, options })
}

/// The answer that something was done.
fn done(call: &RequestContext<'_>, code: u16, message: &str) -> Outcome<Response> {
    let agreed = call.output_of(&Format::ALL)?;
    let status = Status {
        type_meta: TypeMeta { kind: "Status".to_owned(), api_version: "v1".to_owned() },
        status: "Success".to_owned(),
        message: message.to_owned(),
        code: code.into(),
        ..Status::default()
    };
    response::object(code, &status, agreed.format, agreed.pretty)
}
