//! Get: one object.

use rhumb_codec::Format;
use rhumb_meta::v1::{GetOptions, StatusReason};
use rhumb_store::cache::At;

use crate::base::failure::{Failure, Outcome};
use crate::base::response::{self, Response};
use crate::endpoints::context::RequestContext;
use crate::endpoints::handlers::selection::revision;
use crate::registry::deadline::deadline_of;
use crate::registry::forms::{ENVELOPE_END, envelope_head};

/// Answers with an object.
pub(crate) async fn get(call: &RequestContext<'_>) -> Outcome<Response> {
    let agreed = call.output()?;
    call.refuse_export()?;
    let options: GetOptions = call.options()?;
    let storage = call.storage()?;
    let key = storage.key(&call.path.namespace, &call.path.name)?;
    let at = match options.resource_version.as_str() {
        "" => At::Newest,
        "0" => At::Any,
        text => At::NotOlderThan(
            revision(text).map_err(|failure| Failure::new(StatusReason::Unknown, failure.to_string()))?,
        ),
    };
    let found = storage.cache().get(&key, at, deadline_of(storage.cache(), at)).await?;
    let Some(cached) = found else {
        return Err(Failure::not_found(&call.endpoint.resource, &call.path.name));
    };
    call.offload.of(cached.value().len()).await;
    // What most clients ask for is made straight from what is stored. It is not kept: that would take more memory for
    // each object that was ever read than making it again takes time.
    let plain = agreed.convert.is_none() && !agreed.pretty;
    match agreed.format {
        Format::Json if plain => {
            let mut body = Vec::with_capacity(cached.value().len() * 2);
            match cached.kept(call.endpoint.form_id(Format::Json)) {
                Some(form) => body.extend_from_slice(&form),
                None => call.endpoint.encode_to(&cached, Format::Json, &mut body)?,
            }
            body.push(b'\n');
            Ok(response::bytes(200, Format::Json.media_type(), body))
        }
        Format::Protobuf if plain => {
            let message = call.endpoint.message(&cached)?;
            let mut body = envelope_head(&call.endpoint.kind, message.len());
            body.reserve(message.len() + ENVELOPE_END.len());
            message.put(&mut body);
            body.extend_from_slice(ENVELOPE_END);
            Ok(response::bytes(200, Format::Protobuf.media_type(), body.freeze()))
        }
        _ => call.present(200, storage.hub(&cached)?, &agreed),
    }
}
