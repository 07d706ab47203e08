//! Questions: what is posted comes back with an answer in it, and nothing is kept.

use std::borrow::Cow;

use bytes::Bytes;
use rhumb_api::authentication::v1::{
    ExtraValue, SelfSubjectReview, SelfSubjectReviewStatus, TokenReview, TokenReviewStatus, UserInfo,
};
use rhumb_api::authorization::v1::{
    LocalSubjectAccessReview, NonResourceAttributes, NonResourceRule, ResourceAttributes, ResourceRule,
    SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview, SubjectAccessReviewSpec,
    SubjectAccessReviewStatus, SubjectRulesReviewStatus,
};
use rhumb_codec::Format;
use rhumb_codec::negotiate::{self, PlainEndpoint};
use rhumb_meta::v1::{CreateOptions, LabelSelector, LabelSelectorRequirement};
use rhumb_meta::{GroupKind, Object, ObjectMeta, fields, labels};
use rhumb_scheme::validation::{Context, FieldErrors};

use super::{binding, read_object};
use crate::admission::Write;
use crate::authentication::Refused;
use crate::authentication::service_accounts::Known;
use crate::authorization::{AskedResource, Attributes};
use crate::base::failure::{Failure, Outcome};
use crate::base::identity::User;
use crate::base::request::wishes;
use crate::base::response::{self, Response};
use crate::endpoints::context::{RequestContext, refuse, strictness};
use crate::endpoints::handlers::admit;
use crate::endpoints::handlers::create::take_namespace;
use crate::registry::managed_fields;

/// Answers a question.
pub(crate) async fn question(call: &mut RequestContext<'_>, body: Bytes) -> Outcome<Response> {
    if call.endpoint.resource.resource == "bindings" {
        return binding::post_old(call, body).await;
    }
    let agreed = negotiate::output(wishes(call.headers, call.query), &Format::ALL, &PlainEndpoint)
        .map_err(|error| Failure::from(error.status()))?;
    let options: CreateOptions = call.options()?;
    let mut errors = FieldErrors::default();
    rhumb_validation::meta::create_options(&options, &mut errors);
    refuse(&errors, "CreateOptions")?;
    let format = call.input()?;
    let kind = call.endpoint.kind.clone();
    let strict = strictness(&options.field_validation);
    let mut hub = read_object(call, &body, format, &kind, &[], strict)?;
    take_namespace(call, &mut *hub)?;
    hub.edit_metadata(&mut |meta| {
        meta.uid.clear();
        meta.self_link.clear();
        meta.creation_timestamp = Default::default();
        meta.deletion_timestamp = None;
        meta.deletion_grace_period_seconds = None;
    });
    let manager = call.manager(&options.field_manager);
    let mut hub = managed_fields::created(call.fields(), hub, &manager)?;
    let dry_run = !options.dry_run.is_empty();
    let name = hub.metadata().map(|meta| meta.name.clone()).unwrap_or_default();
    admit::mutate(call, Write::create(&name, dry_run), None, &mut *hub).await?;
    check(call, &*hub)?;
    admit::validate(call, Write::create(&name, dry_run), None, Some(&*hub)).await?;
    let answered = decide(call, hub).await?;
    let object = call.endpoint.model.external(answered, &kind)?;
    response::object(201, &*object, agreed.format, agreed.pretty)
}

/// Refuses a question that can't be answered, before plugins look at it.
fn check(call: &RequestContext<'_>, hub: &dyn Object) -> Outcome<()> {
    let place = call.endpoint.place();
    let errors = call.api.scheme.validate_create(hub, &Context::new(&place));
    if !errors.is_empty() {
        // The kind is not named: Kubernetes has forgotten it at this point.
        return Err(errors.status(&GroupKind::new("authorization.k8s.io", ""), "").into());
    }
    let why = if let Some(review) = hub.downcast_ref::<TokenReview>() {
        let is_empty = review.spec.token.is_empty();
        is_empty.then(|| "token is required for TokenReview in authentication".to_owned())
    } else if let Some(review) = hub.downcast_ref::<LocalSubjectAccessReview>() {
        let namespace = &call.path.namespace;
        let is_elsewhere = review.metadata.namespace != *namespace;
        is_elsewhere.then(|| format!("spec.resourceAttributes.namespace must match namespace: {namespace}"))
    } else if let Some(review) = hub.downcast_ref::<SelfSubjectRulesReview>() {
        review.spec.namespace.is_empty().then(|| "no namespace on request".to_owned())
    } else {
        None
    };
    why.map_or(Ok(()), |why| Err(Failure::bad_request(why)))
}

async fn decide(call: &RequestContext<'_>, mut hub: Box<dyn Object>) -> Outcome<Box<dyn Object>> {
    if let Some(review) = hub.downcast_mut::<TokenReview>() {
        review_token(call, review).await;
    } else if hub.downcast_ref::<SelfSubjectReview>().is_some() {
        return Ok(Box::new(SelfSubjectReview {
            metadata: ObjectMeta { creation_timestamp: call.api.environment.time(), ..ObjectMeta::default() },
            status: SelfSubjectReviewStatus { user_info: info(call.user) },
            ..SelfSubjectReview::default()
        }));
    } else if let Some(review) = hub.downcast_mut::<SubjectAccessReview>() {
        review.status = access_of(call, &review.spec).await;
    } else if let Some(review) = hub.downcast_mut::<LocalSubjectAccessReview>() {
        review.status = access_of(call, &review.spec).await;
    } else if let Some(review) = hub.downcast_mut::<SelfSubjectAccessReview>() {
        let spec = &review.spec;
        let (resource, path) = (spec.resource_attributes.as_deref(), spec.non_resource_attributes.as_deref());
        review.status = access(call, call.user, resource, path).await;
    } else if let Some(review) = hub.downcast_ref::<SelfSubjectRulesReview>() {
        return Ok(Box::new(SelfSubjectRulesReview {
            status: rules(call, &review.spec.namespace).await,
            ..SelfSubjectRulesReview::default()
        }));
    } else {
        return Err(crate::endpoints::not_allowed());
    }
    Ok(hub)
}

fn info(user: &User) -> UserInfo {
    let extra = user.extra.iter().map(|(key, values)| (key.clone(), ExtraValue(values.clone())));
    UserInfo {
        username: user.name.clone(),
        uid: user.uid.clone(),
        groups: user.groups.clone(),
        extra: extra.collect(),
    }
}

async fn review_token(call: &RequestContext<'_>, review: &mut TokenReview) {
    const UNKNOWN: &str = "invalid bearer token";
    let (token, audiences) = (&review.spec.token, &review.spec.audiences);
    let known = match for_server(call, token, audiences).await {
        Ok(None) => call.api.accounts.review_token(token, audiences).await,
        decided => decided,
    };
    review.status = match known {
        Ok(Some(known)) => TokenReviewStatus {
            authenticated: true,
            user: info(&known.user),
            audiences: known.audiences,
            error: String::new(),
        },
        Ok(None) => TokenReviewStatus { error: UNKNOWN.to_owned(), ..TokenReviewStatus::default() },
        Err(why) => {
            TokenReviewStatus { error: format!("[{UNKNOWN}, {why}]"), ..TokenReviewStatus::default() }
        }
    };
}

/// Whose token it is, if it is not one of a service account. Such a token is for the server itself, and so for those
/// of the audiences that mean it.
async fn for_server(
    call: &RequestContext<'_>,
    token: &str,
    audiences: &[String],
) -> Result<Option<Known>, String> {
    let found = call.api.tokens.user(token).await;
    let Some(user) = found.map_err(|Refused(why)| why)? else { return Ok(None) };
    let Some(signer) = call.api.accounts.issuer() else {
        // The server has no name that an audience could be.
        return Ok(audiences.is_empty().then_some(Known { user, audiences: Vec::new() }));
    };
    let own = signer.audiences();
    let wanted = if audiences.is_empty() { own } else { audiences };
    let audiences: Vec<String> = wanted.iter().filter(|wanted| own.contains(wanted)).cloned().collect();
    Ok((!audiences.is_empty()).then_some(Known { user, audiences }))
}

/// What the user of a review may.
async fn access_of(call: &RequestContext<'_>, spec: &SubjectAccessReviewSpec) -> SubjectAccessReviewStatus {
    let user = User {
        name: spec.user.clone(),
        uid: spec.uid.clone(),
        groups: spec.groups.clone(),
        extra: spec.extra.iter().map(|(key, values)| (key.clone(), values.0.clone())).collect(),
    };
    let (resource, path) = (spec.resource_attributes.as_deref(), spec.non_resource_attributes.as_deref());
    access(call, &user, resource, path).await
}

/// What a user may. One of the two is given: a review with none or both is not valid.
async fn access(
    call: &RequestContext<'_>,
    user: &User,
    resource: Option<&ResourceAttributes>,
    path: Option<&NonResourceAttributes>,
) -> SubjectAccessReviewStatus {
    let mut problems = Vec::new();
    let wanted = match (resource, path) {
        (Some(resource), _) => {
            let asked = AskedResource {
                group: &resource.group,
                resource: &resource.resource,
                subresource: &resource.subresource,
                namespace: &resource.namespace,
                name: Cow::Borrowed(&resource.name),
                fields: selected_fields(resource, &mut problems),
            };
            check_labels(resource, &mut problems);
            Attributes::resource(user, resource.verb.as_str(), asked)
        }
        (None, Some(path)) => Attributes::path(user, path.verb.as_str(), &path.path),
        (None, None) => return SubjectAccessReviewStatus::default(),
    };
    let decision = call.api.authorizer.authorized(&wanted).await;
    SubjectAccessReviewStatus {
        allowed: decision.is_allowed(),
        denied: false,
        reason: decision.reason(),
        evaluation_error: problems.join("; "),
    }
}

/// How much of a selector was not understood, for the review.
fn ignored(selector: &str, some_left: bool) -> String {
    let part = if some_left { "partially ignored" } else { "ignored" };
    format!("spec.resourceAttributes.{selector} {part} due to parse error")
}

/// The fields that are selected by with one value each.
fn selected_fields(resource: &ResourceAttributes, problems: &mut Vec<String>) -> Vec<(String, String)> {
    let Some(told) = &resource.field_selector else { return Vec::new() };
    let mut known = 0;
    let mut found = Vec::new();
    if told.requirements.is_empty() {
        match fields::Selector::parse(&told.raw_selector) {
            Ok(selector) => {
                let terms = selector.requirements().iter();
                let equal = terms.filter(|term| term.operator == fields::Operator::Equals);
                found.extend(equal.map(|term| (term.field.clone(), term.value.clone())));
            }
            Err(_) => problems.push(ignored("fieldSelector", false)),
        }
        return found;
    }
    for term in &told.requirements {
        match (term.operator.as_str(), term.values.as_slice()) {
            ("In", [value]) => found.push((term.key.clone(), value.clone())),
            ("NotIn", [_]) => {}
            _ => continue,
        }
        known += 1;
    }
    if known < told.requirements.len() {
        problems.push(ignored("fieldSelector", known > 0));
    }
    found
}

/// Notes labels that can't be selected by. No rule looks at labels.
fn check_labels(resource: &ResourceAttributes, problems: &mut Vec<String>) {
    let Some(told) = &resource.label_selector else { return };
    if told.requirements.is_empty() {
        if labels::Selector::parse(&told.raw_selector).is_err() {
            problems.push(ignored("labelSelector", false));
        }
        return;
    }
    let is_good = |term: &LabelSelectorRequirement| {
        let alone = LabelSelector { match_expressions: vec![term.clone()], ..LabelSelector::default() };
        alone.to_selector().is_ok()
    };
    let known = told.requirements.iter().filter(|term| is_good(term)).count();
    if known < told.requirements.len() {
        problems.push(ignored("labelSelector", known > 0));
    }
}

/// What the sender may do in a namespace.
async fn rules(call: &RequestContext<'_>, namespace: &str) -> SubjectRulesReviewStatus {
    let found = call.api.authorizer.rules_of(call.user, namespace, &call.offload).await;
    let mut status = SubjectRulesReviewStatus {
        incomplete: found.is_incomplete,
        evaluation_error: found.problems.in_one(),
        ..SubjectRulesReviewStatus::default()
    };
    for rule in found.rules {
        if !rule.resources.is_empty() {
            status.resource_rules.push(ResourceRule {
                verbs: rule.verbs.clone(),
                api_groups: rule.api_groups,
                resources: rule.resources,
                resource_names: rule.resource_names,
            });
        }
        if !rule.non_resource_urls.is_empty() {
            let urls = rule.non_resource_urls;
            status.non_resource_rules.push(NonResourceRule { verbs: rule.verbs, non_resource_urls: urls });
        }
    }
    status
}
