//! Questions: what is posted comes back with an answer in it, and nothing is kept.

use bytes::Bytes;
use rhumb_api::authentication::v1::{
    ExtraValue, SelfSubjectReview, SelfSubjectReviewStatus, TokenReview, TokenReviewStatus, UserInfo,
};
use rhumb_api::authorization::v1::{
    LocalSubjectAccessReview, NonResourceRule, ResourceRule, SelfSubjectAccessReview, SelfSubjectRulesReview,
    SubjectAccessReview, SubjectAccessReviewStatus, SubjectRulesReviewStatus,
};
use rhumb_codec::Format;
use rhumb_codec::negotiate::{self, PlainEndpoint};
use rhumb_meta::v1::CreateOptions;
use rhumb_meta::{GroupKind, Object, ObjectMeta};
use rhumb_scheme::validation::{Context, FieldErrors};

use super::{binding, read_object};
use crate::accounts::Known;
use crate::call::{Call, refuse, strictness, wishes};
use crate::failure::{Failure, Outcome};
use crate::front::authenticate::with_group;
use crate::identity::{MASTERS, User};
use crate::managed;
use crate::respond::{self, Answer};
use crate::verbs::create::take_namespace;

/// Answers a question.
pub(crate) async fn question(call: &mut Call<'_>, body: Bytes) -> Outcome<Answer> {
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
    let hub = managed::created(call, hub, &manager)?;
    let answered = decide(call, hub).await?;
    let object = call.endpoint.model.external(answered, &kind)?;
    respond::object(201, &*object, agreed.format, agreed.pretty)
}

async fn decide(call: &Call<'_>, mut hub: Box<dyn Object>) -> Outcome<Box<dyn Object>> {
    let place = call.endpoint.place();
    let errors = call.api.scheme.validate_create(&*hub, &Context::new(&place));
    if !errors.is_empty() {
        // The kind is not named: Kubernetes has forgotten it at this point.
        return Err(errors.status(&GroupKind::new("authorization.k8s.io", ""), "").into());
    }
    if let Some(review) = hub.downcast_mut::<TokenReview>() {
        review_token(call, review).await?;
    } else if hub.downcast_ref::<SelfSubjectReview>().is_some() {
        return Ok(Box::new(SelfSubjectReview {
            metadata: ObjectMeta { creation_timestamp: call.api.environment.time(), ..ObjectMeta::default() },
            status: SelfSubjectReviewStatus { user_info: info(call.user) },
            ..SelfSubjectReview::default()
        }));
    } else if let Some(review) = hub.downcast_mut::<SubjectAccessReview>() {
        review.status = access(&review.spec.groups);
    } else if let Some(review) = hub.downcast_mut::<LocalSubjectAccessReview>() {
        review.status = access(&review.spec.groups);
    } else if let Some(review) = hub.downcast_mut::<SelfSubjectAccessReview>() {
        review.status = access(&call.user.groups);
    } else if let Some(review) = hub.downcast_ref::<SelfSubjectRulesReview>() {
        if review.spec.namespace.is_empty() {
            return Err(Failure::bad_request("no namespace on request"));
        }
        return Ok(Box::new(SelfSubjectRulesReview {
            status: rules(call.user),
            ..SelfSubjectRulesReview::default()
        }));
    } else {
        return Err(crate::api::not_allowed());
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

async fn review_token(call: &Call<'_>, review: &mut TokenReview) -> Outcome<()> {
    if review.spec.token.is_empty() {
        return Err(Failure::bad_request("token is required for TokenReview in authentication"));
    }
    const UNKNOWN: &str = "invalid bearer token";
    let (token, audiences) = (&review.spec.token, &review.spec.audiences);
    let known = match by_file(call, token, audiences) {
        Some(known) => Ok(Some(known)),
        None => call.api.review_token(token, audiences).await,
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
    Ok(())
}

/// Whose token of a file it is. Such a token is for the server itself, and so for those of the audiences that mean it.
fn by_file(call: &Call<'_>, token: &str, audiences: &[String]) -> Option<Known> {
    let user = with_group(call.api.options.tokens.user(token)?.clone());
    let Some(signer) = &call.api.accounts else {
        // The server has no name that an audience could be.
        return audiences.is_empty().then_some(Known { user, audiences: Vec::new() });
    };
    let own = signer.audiences();
    let wanted = if audiences.is_empty() { own } else { audiences };
    let audiences: Vec<String> = wanted.iter().filter(|wanted| own.contains(wanted)).cloned().collect();
    (!audiences.is_empty()).then_some(Known { user, audiences })
}

/// What members of groups may: everything, if they are masters.
fn access(groups: &[String]) -> SubjectAccessReviewStatus {
    let allowed = groups.iter().any(|group| group == MASTERS);
    SubjectAccessReviewStatus { allowed, ..SubjectAccessReviewStatus::default() }
}

/// What everybody may who is known to the server, and what masters may.
fn rules(user: &User) -> SubjectRulesReviewStatus {
    const HEALTH: &[&str] = &["/healthz", "/livez", "/readyz", "/version", "/version/"];
    const DISCOVERY: &[&str] = &[
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
    ];
    let texts = |texts: &[&str]| -> Vec<String> { texts.iter().map(|text| (*text).to_owned()).collect() };
    let resources = |verb: &str, group: &str, resources: &[&str]| ResourceRule {
        verbs: texts(&[verb]),
        api_groups: texts(&[group]),
        resources: texts(resources),
        resource_names: Vec::new(),
    };
    let paths = |verb: &str, paths: &[&str]| NonResourceRule {
        verbs: texts(&[verb]),
        non_resource_urls: texts(paths),
    };
    let known = user.groups.iter().any(|group| group == "system:authenticated");
    let mut status = SubjectRulesReviewStatus::default();
    if known {
        let own = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"];
        status.resource_rules.push(resources("create", "authorization.k8s.io", &own));
        status.resource_rules.push(resources("create", "authentication.k8s.io", &["selfsubjectreviews"]));
    }
    status.non_resource_rules.push(paths("get", HEALTH));
    if user.is_master() {
        status.resource_rules.push(resources("*", "*", &["*"]));
        status.non_resource_rules.push(paths("*", &["*"]));
    }
    if known {
        status.non_resource_rules.push(paths("get", DISCOVERY));
    }
    status
}
