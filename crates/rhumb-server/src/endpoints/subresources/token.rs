//! Tokens for service accounts, made when they are asked for.

use std::collections::BTreeMap;

use bytes::Bytes;
use rhumb_api::authentication::v1::{TokenRequest, TokenRequestStatus};
use rhumb_api::core::v1::{Node, Pod};
use rhumb_codec::Format;
use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_meta::{GroupResource, GroupVersionKind, Object, ObjectMeta, Time};
use rhumb_patch::apply::{self, ConvertError, RequestedFields, Versions};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath};
use serde_json::{Value as Json, json};

use super::posted;
use crate::authentication::service_accounts::user_name;
use crate::base::failure::{Failure, Outcome};
use crate::base::response::{self, Response};
use crate::endpoints::context::RequestContext;
use crate::endpoints::handlers::admit;
use crate::registry::tree::tree_of;

/// The time that kubelets ask for, which old clients in pods may overstay.
const OVERSTAYED: i64 = 60 * 60 + 7;
/// How long they may.
const YEAR: i64 = 365 * 24 * 60 * 60;

/// Makes a token for the account of the path.
pub(super) async fn post(
    call: &mut RequestContext<'_>,
    kind: &GroupVersionKind,
    body: Bytes,
) -> Outcome<Response> {
    let agreed = call.output_of(&Format::ALL)?;
    let mut posted = posted(call, kind, &[], &body)?;
    let dry_run = !posted.options.dry_run.is_empty();
    admit::mutate_posted(call, &mut *posted.object, dry_run).await?;
    let Some(mut request) = posted.object.downcast_ref::<TokenRequest>().cloned() else {
        return Err(Failure::internal("no TokenRequest was posted"));
    };
    let manager = call.manager(&posted.options.field_manager);
    request.metadata.managed_fields = owned(call, kind, &request, &manager)?;
    let name = call.path.name.clone();
    if !matches!(request.metadata.name.as_str(), "") && request.metadata.name != name {
        let mut errors = FieldErrors::default();
        let path = FieldPath::new("metadata").child("name");
        let detail = "must match the service account name if specified";
        errors.invalid(&path, &request.metadata.name, detail);
        return Err(Failure::invalid(kind, &name, &errors));
    }
    let account = object(call, "serviceaccounts", &call.path.namespace, &name).await?;
    let account = account.metadata().map(std::borrow::Cow::into_owned).unwrap_or_default();
    if !request.metadata.uid.is_empty() && request.metadata.uid != account.uid {
        let why = format!(
            "the UID in the token request ({}) does not match the UID of the service account ({})",
            request.metadata.uid, account.uid
        );
        let resource = GroupResource::new(kind.group.clone(), kind.kind.clone());
        return Err(Failure::conflict(&resource, &name, &why));
    }
    let now = call.api.environment.time();
    complete(call, &mut request, &account, now);
    let place = kind.group_version();
    let errors = call.api.scheme.validate_create(&request, &Context::new(&place));
    if !errors.is_empty() {
        return Err(Failure::invalid(kind, "", &errors));
    }
    admit::validate_posted(call, &request, dry_run).await?;
    let bound = bound_objects(call, &request, &name).await?;
    let Some(signer) = call.api.accounts.issuer() else {
        return Err(Failure::not_found(&call.endpoint.resource, &name));
    };
    let seconds = request.spec.expiration_seconds.unwrap_or_default();
    let extended = seconds == OVERSTAYED
        && bound.contains_key("pod")
        && request.spec.audiences.iter().all(|audience| signer.audiences().contains(audience));
    let claims = claims(call, &request, &account, bound, extended, signer.issuer());
    let token = signer
        .sign(&claims)
        .map_err(|error| Failure::internal(format!("failed to generate token: {error}")))?;
    let until = now.unix_seconds().saturating_add(seconds);
    request.status = TokenRequestStatus { token, expiration_timestamp: Time::from_unix(until, 0) };
    let mut answer = call
        .api
        .scheme
        .move_to_version(Box::new(request), &kind.group_version())
        .map_err(Failure::internal)?;
    answer.set_gvk(kind);
    response::object(201, &*answer, agreed.format, agreed.pretty)
}

/// Fills in what a request leaves to the server.
fn complete(call: &RequestContext<'_>, request: &mut TokenRequest, account: &ObjectMeta, now: Time) {
    if request.spec.audiences.is_empty()
        && let Some(signer) = call.api.accounts.issuer()
    {
        request.spec.audiences = signer.audiences().to_vec();
    }
    request.metadata.name.clone_from(&account.name);
    request.metadata.namespace.clone_from(&account.namespace);
    request.metadata.uid.clone_from(&account.uid);
    request.metadata.creation_timestamp = now;
    request.status = TokenRequestStatus::default();
}

async fn object(
    call: &RequestContext<'_>,
    resource: &str,
    namespace: &str,
    name: &str,
) -> Outcome<Box<dyn Object>> {
    let missing = || Failure::not_found(&GroupResource::new("", resource.to_owned()), name);
    let resources = call.api.resources();
    let storage = resources.find("", "v1", resource).and_then(|found| found.storage.as_ref());
    let storage = storage.ok_or_else(missing)?;
    let current = storage.current(&storage.key(namespace, name)?).await?;
    current.map(|current| current.hub).ok_or_else(missing)
}

fn reference(meta: &ObjectMeta) -> Json {
    let mut reference = json!({"name": meta.name});
    if let (Json::Object(fields), false) = (&mut reference, meta.uid.is_empty()) {
        fields.insert("uid".to_owned(), meta.uid.clone().into());
    }
    reference
}

/// What the token is to be bound to, as its claims name it.
async fn bound_objects(
    call: &RequestContext<'_>,
    request: &TokenRequest,
    account: &str,
) -> Outcome<BTreeMap<&'static str, Json>> {
    let mut bound = BTreeMap::new();
    let Some(wanted) = &request.spec.bound_object_ref else { return Ok(bound) };
    let kind = GroupVersionKind::from_api_version_and_kind(&wanted.api_version, &wanted.kind);
    let namespace = &call.path.namespace;
    let found = match (kind.group.as_ref(), kind.kind.as_ref()) {
        ("", "Pod") => {
            let found = object(call, "pods", namespace, &wanted.name).await?;
            if let Some(pod) = found.downcast_ref::<Pod>() {
                if pod.spec.service_account_name != account {
                    let account = quoted(account);
                    return Err(Failure::bad_request(format!(
                        "cannot bind token for serviceaccount {account} to pod running with different \
                         serviceaccount name."
                    )));
                }
                let node = &pod.spec.node_name;
                if !node.is_empty() {
                    bound.insert("node", reference(&node_meta(call, node).await?));
                }
            }
            bound.insert("pod", Json::Null);
            found
        }
        ("", "Node") => {
            bound.insert("node", Json::Null);
            object(call, "nodes", "", &wanted.name).await?
        }
        ("", "Secret") => {
            bound.insert("secret", Json::Null);
            object(call, "secrets", namespace, &wanted.name).await?
        }
        _ => return Err(Failure::bad_request(format!("cannot bind token to object of type {kind}"))),
    };
    let meta = found.metadata().map(std::borrow::Cow::into_owned).unwrap_or_default();
    if !wanted.uid.is_empty() && wanted.uid != meta.uid {
        let why = format!(
            "the UID in the bound object reference ({}) does not match the UID in record. The object might \
             have been \
             deleted and then recreated",
            wanted.uid
        );
        let resource = GroupResource::new(kind.group.clone(), kind.kind.clone());
        return Err(Failure::conflict(&resource, &wanted.name, &why));
    }
    bound.values_mut().filter(|value| value.is_null()).for_each(|value| *value = reference(&meta));
    Ok(bound)
}

/// The metadata of a pod's node; only the name, if the node is not there.
async fn node_meta(call: &RequestContext<'_>, name: &str) -> Outcome<ObjectMeta> {
    let node = call.api.accounts.seen("nodes", "", name).await?;
    let known = node.and_then(|node| node.downcast_ref::<Node>().map(|node| node.metadata.clone()));
    Ok(known.unwrap_or_else(|| ObjectMeta { name: name.to_owned(), ..ObjectMeta::default() }))
}

fn claims(
    call: &RequestContext<'_>,
    request: &TokenRequest,
    account: &ObjectMeta,
    bound: BTreeMap<&'static str, Json>,
    extended: bool,
    issuer: &str,
) -> Json {
    let now = request.metadata.creation_timestamp.unix_seconds();
    let seconds = request.spec.expiration_seconds.unwrap_or_default();
    let lives = if extended { YEAR } else { seconds };
    let mut about = json!({"namespace": account.namespace, "serviceaccount": reference(account)});
    if let Json::Object(fields) = &mut about {
        fields.extend(bound.into_iter().map(|(kind, reference)| (kind.to_owned(), reference)));
        if extended {
            fields.insert("warnafter".to_owned(), now.saturating_add(seconds).into());
        }
    }
    json!({
        "aud": request.spec.audiences,
        "exp": now.saturating_add(lives),
        "iat": now,
        "iss": issuer,
        "jti": call.api.environment.uid(),
        "kubernetes.io": about,
        "nbf": now,
        "sub": user_name(&account.namespace, &account.name),
    })
}

/// The one version of a kind.
struct Only<'a>(apply::Type<'a>);

impl Versions for Only<'_> {
    fn schema(&self, _: &str) -> Result<apply::Type<'_>, ConvertError> {
        Ok(self.0)
    }

    fn convert(&self, object: &Json, _: &str) -> Result<Json, ConvertError> {
        Ok(object.clone())
    }
}

/// Which fields of a request its sender set. It is told, though nothing is kept.
fn owned(
    call: &RequestContext<'_>,
    kind: &GroupVersionKind,
    request: &TokenRequest,
    manager: &str,
) -> Outcome<Vec<ManagedFieldsEntry>> {
    let scheme = &call.api.scheme;
    let Some(known) = scheme.known_type(kind) else { return Ok(Vec::new()) };
    let schema = apply::Type::of(known.desc);
    let empty = tree_of(&*scheme.new_object(kind).map_err(Failure::internal)?);
    let api_version = kind.api_version();
    let filters = BTreeMap::new();
    let only = Only(schema);
    let endpoint = apply::Endpoint {
        schema,
        api_version: &api_version,
        kind: &kind.kind,
        subresource: "token",
        empty: &empty,
        filters: &filters,
        versions: &only,
    };
    let mut object = request.clone_object();
    object.set_gvk(kind);
    let now = call.api.environment.time();
    Ok(endpoint.update(&empty, &tree_of(&*object), &[], RequestedFields::Absent, manager, now))
}
