//! ValidatingAdmissionPolicy: requests are refused, warned of or audited by what expressions of policies say.
//!
//! A request first asks whether any policy is bound at all. For each that is, the rules of the policy and of its
//! bindings are looked at, then parameters are collected, and only then objects are made into trees and expressions
//! are evaluated: once for each policy and parameters, however many bindings there are. An evaluation is a pure
//! function (`evaluation`), which starts where the request is and is repeated on the pool if it takes long.

mod authorizer;
mod definition;
mod evaluation;
pub(super) mod follow;
mod matching;
mod outcome;
mod params;
mod request;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rhumb_cel::value::Value;
use rhumb_cel_kubernetes::json;
use rhumb_cel_kubernetes::library::{self, Check};
use rhumb_cel_kubernetes::policy::Inputs;
use rhumb_meta::Object;
use rhumb_schema::budget;
use serde_json::Value as Json;

use self::authorizer::Asking;
use self::definition::{Binding, Policy};
use self::evaluation::{Interrupted, Verdict};
use self::follow::Hook;
use self::matching::Matched;
use self::outcome::Outcomes;
use self::params::Param;
use self::request::{Request, Side, namespace_tree};
use super::{Admission, Attributes, Deciding};
use crate::base::failure::{Failure, Outcome};
use crate::base::offload;
use crate::registry::Endpoint;

const NAME: &str = "ValidatingAdmissionPolicy";

/// Resources that no policy is about: those that policies are made of, and questions without which nobody could
/// repair a cluster.
const EXEMPT: &[(&str, &[&str])] = &[
    (
        "admissionregistration.k8s.io",
        &[
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
            "mutatingadmissionpolicies",
            "mutatingadmissionpolicybindings",
        ],
    ),
    ("authentication.k8s.io", &["selfsubjectreviews", "tokenreviews"]),
    (
        "authorization.k8s.io",
        &[
            "localsubjectaccessreviews",
            "selfsubjectaccessreviews",
            "selfsubjectrulesreviews",
            "subjectaccessreviews",
        ],
    ),
];

/// How often an evaluation is asked whether to stop before it moves to the pool.
const MOST_INLINE: u32 = 64;

pub(super) struct ValidatingAdmissionPolicies;

impl Admission for ValidatingAdmissionPolicies {
    fn name(&self) -> &str {
        NAME
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        let (group, resource) = (&*request.resource.group, &*request.resource.resource);
        if EXEMPT.iter().any(|(exempt, resources)| *exempt == group && resources.contains(&resource)) {
            return false;
        }
        match request.cluster.admitter().policies.get() {
            Some(Some(followed)) => !followed.is_empty(),
            Some(None) => false,
            None => true,
        }
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        Box::pin(validate(request, old, new))
    }
}

async fn validate(
    attributes: &Attributes<'_>,
    old: Option<&dyn Object>,
    new: Option<&dyn Object>,
) -> Outcome<()> {
    let admitter = attributes.cluster.admitter();
    let Some(followed) = admitter.policies.get_or_init(|| follow::start(&admitter.registry)) else {
        return Ok(());
    };
    let Some(hooks) = followed.hooks().await else {
        return Err(attributes.forbidden(new.or(old), "not yet ready to handle request"));
    };
    if hooks.all.is_empty() {
        return Ok(());
    }
    let request = Request::new(attributes, old, new);
    let asking = Arc::new(Asking::new(&admitter.authorizer, attributes.user));
    let mut outcomes = Outcomes::default();
    for hook in &hooks.all {
        dispatch(hook, &request, &asking, &mut outcomes).await?;
    }
    outcomes.settle(attributes, new.or(old))
}

/// Asks one policy with all its bindings.
async fn dispatch(
    hook: &Hook,
    request: &Request<'_>,
    asking: &Arc<Asking>,
    outcomes: &mut Outcomes,
) -> Outcome<()> {
    let policy = &*hook.policy;
    let matched = match &policy.matching {
        Ok(matching) => request.matched(matching).await,
        Err(error) => Err((*error).to_owned()),
    };
    let matched = match matched {
        Ok(Some(matched)) => matched,
        Ok(None) => return Ok(()),
        Err(error) => {
            outcomes.misconfigured(policy, None, &error);
            return Ok(());
        }
    };
    let registry = &request.attributes.cluster.admitter().registry;
    let resources = registry.resources();
    let param_endpoint = match &policy.param_kind {
        None => None,
        Some(kind) => match resources.by_kind(kind) {
            Some(endpoint) => Some(&**endpoint),
            None => {
                let shown = format!("{}/{}, Kind={}", kind.group, kind.version, kind.kind);
                let error = format!("failed to find resource referenced by paramKind: '{shown}'");
                outcomes.misconfigured(policy, None, &error);
                return Ok(());
            }
        },
    };
    let mut verdicts: HashMap<Option<(String, String)>, Arc<Verdict>> = HashMap::new();
    for binding in &hook.bindings {
        let params = match applicable(binding, request, param_endpoint).await {
            Ok(params) => params,
            Err(error) => {
                outcomes.misconfigured(policy, Some(binding), &error);
                continue;
            }
        };
        for param in params {
            let key = param.key();
            let verdict = match verdicts.get(&key) {
                Some(verdict) => Arc::clone(verdict),
                None => {
                    let values = match Values::of(policy, request, &matched, &param, param_endpoint).await? {
                        Ok(values) => values,
                        Err(error) => {
                            outcomes.misconfigured(policy, Some(binding), &error);
                            break;
                        }
                    };
                    let verdict = Arc::new(evaluate(policy, request, &values, asking).await?);
                    verdicts.insert(key, Arc::clone(&verdict));
                    verdict
                }
            };
            outcomes.add(policy, binding, &verdict, request.attributes);
        }
    }
    outcomes.annotate(policy, request.attributes);
    Ok(())
}

/// The parameters that a binding is to be evaluated with; none if it is not about the request.
async fn applicable(
    binding: &Binding,
    request: &Request<'_>,
    endpoint: Option<&Endpoint>,
) -> Result<Vec<Param>, String> {
    if let Some(matching) = &binding.matching
        && request.matched(matching).await?.is_none()
    {
        return Ok(Vec::new());
    }
    let cluster = &request.attributes.cluster;
    params::collect(cluster, endpoint, binding.param_ref(), request.namespace).await
}

/// The values of a request for one policy and parameters, as trees.
struct Values {
    object: Arc<Json>,
    old_object: Arc<Json>,
    params: Json,
    request: Json,
    /// The request as conditions see it, if that is another one.
    requested: Option<Json>,
    namespace: Json,
}

impl Values {
    /// Makes what the policy looks at. The inner error is one of the binding.
    async fn of(
        policy: &Policy,
        request: &Request<'_>,
        matched: &Matched<'_>,
        param: &Param,
        param_endpoint: Option<&Endpoint>,
    ) -> Outcome<Result<Self, String>> {
        let uses = policy.compiled().uses;
        // It has to be there, also if no expression looks at it.
        let namespace = request.namespace().await?;
        let tree = |side, is_used: bool| match is_used {
            true => request.tree(side, matched),
            false => Ok(Arc::default()),
        };
        let trees = tree(Side::New, uses.object).and_then(|new| Ok((new, tree(Side::Old, uses.old_object)?)));
        let (object, old_object) = match trees {
            Ok(trees) => trees,
            Err(failure) => return Ok(Err(format!("failed to convert object version: {failure}"))),
        };
        let params = match (param, param_endpoint) {
            (Param::Object(object), Some(endpoint)) if uses.params => {
                let external = endpoint.model.external(object.clone_object(), &endpoint.kind)?;
                crate::registry::tree::tree_of(&*external)
            }
            _ => Json::Null,
        };
        let is_equivalent = matches!(matched, Matched::Equivalent(_));
        Ok(Ok(Values {
            object,
            old_object,
            params,
            request: if uses.request { request.described(matched, matched) } else { Json::Null },
            requested: (uses.request && is_equivalent)
                .then(|| request.described(&Matched::Requested, matched)),
            namespace: match namespace {
                Some(namespace) if uses.namespace => namespace_tree(&**namespace),
                _ => Json::Null,
            },
        }))
    }
}

/// Evaluates a policy, again and again until nothing has to be waited for.
async fn evaluate(
    policy: &Policy,
    request: &Request<'_>,
    values: &Values,
    asking: &Arc<Asking>,
) -> Outcome<Verdict> {
    let mut is_inline = true;
    loop {
        let evaluated = evaluate_once(policy, request, values, asking, is_inline);
        if budget::is_stopped() {
            return Err(Failure::stopped());
        }
        match evaluated {
            _ if asking.settle().await => {}
            Ok(verdict) => return Ok(verdict),
            Err(Interrupted) => {
                is_inline = false;
                request.attributes.offload.of(offload::LARGE).await;
            }
        }
    }
}

fn evaluate_once(
    policy: &Policy,
    request: &Request<'_>,
    values: &Values,
    asking: &Arc<Asking>,
    is_inline: bool,
) -> Result<Verdict, Interrupted> {
    let asked = AtomicU32::new(0);
    let interrupt =
        || budget::is_stopped() || (is_inline && asked.fetch_add(1, Ordering::Relaxed) >= MOST_INLINE);
    let compiled = policy.compiled();
    let authorizer = compiled.uses.authorizer.then(|| {
        let (group, resource) = request.resource();
        let check = Check::Resource {
            group: group.to_owned(),
            resource: resource.to_owned(),
            subresource: request.attributes.subresource.to_owned(),
            namespace: request.namespace.to_owned(),
            name: request.attributes.name.to_owned(),
            field_selector: String::new(),
            label_selector: String::new(),
        };
        let asking: Arc<dyn library::Authorizer> = Arc::clone(asking) as _;
        (library::authorizer(Arc::clone(&asking)), library::resource_authorizer(asking, check))
    });
    let described: Value<'_> = json::value(&values.request);
    let evaluated = evaluation::Request {
        requested: values.requested.as_ref().map_or_else(|| described.clone(), json::value),
        inputs: Inputs {
            object: json::value(&values.object),
            old_object: json::value(&values.old_object),
            params: json::value(&values.params),
            namespace: json::value(&values.namespace),
            request: described,
            authorizer,
        },
        interrupt: &interrupt,
    };
    evaluation::evaluate(compiled, policy.failure, &evaluated)
}
