//! PodSecurity: namespaces say by their labels what pods in them may do. What is enforced is refused, what is audited
//! is noted, and of what is warned of the client hears, also when it writes what pods are made from.

use std::sync::Arc;

use rhumb_api::core::v1::{Namespace, Pod, PodSpec};
use rhumb_meta::{Object, ObjectMeta};
use rhumb_policy::pod_security::{
    LevelAndVersion, Policy, Violation, evaluate, existing_pods, has_pod_spec, is_significant_update,
    must_check_existing, pod_spec, refusal, warning,
};
use rhumb_scheme::validation::FieldErrors;

use super::{Admission, Attributes, Deciding, Operation};
use crate::base::failure::{Failure, Outcome};

/// What is posted to pods, or written of them, and is no pod with a spec that counts. Anything else is looked at, so
/// that a way to write pods which is new is not a way around this.
const IGNORED: &[&str] = &["attach", "binding", "eviction", "exec", "log", "portforward", "proxy", "status"];
/// What the audit log calls what it is told here.
const PREFIX: &str = "pod-security.kubernetes.io/";

pub(super) struct PodSecurity;

impl Admission for PodSecurity {
    fn name(&self) -> &str {
        "PodSecurity"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        let (group, resource) = (&*request.resource.group, &*request.resource.resource);
        match (request.operation, group, resource) {
            (Operation::Delete | Operation::Connect, ..) => false,
            (_, "", "namespaces") => request.subresource.is_empty(),
            (_, "", "pods") => !IGNORED.contains(&request.subresource),
            _ => request.subresource.is_empty() && has_pod_spec(group, resource),
        }
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(new) = new else { return Ok(()) };
            if let Some(namespace) = new.downcast_ref::<Namespace>() {
                let old = old.and_then(|old| old.downcast_ref::<Namespace>());
                return check_namespace(request, namespace, old).await;
            }
            if let Some(pod) = new.downcast_ref::<Pod>() {
                return check_pod(request, pod, old.and_then(|old| old.downcast_ref::<Pod>())).await;
            }
            let Some((metadata, spec)) = pod_spec(new) else { return Ok(()) };
            let Some((policy, errors)) = policy_of(request).await? else { return Ok(()) };
            let evaluated = Evaluated { request, policy, errors, metadata, spec };
            evaluated.note(None);
            Ok(())
        })
    }
}

fn policy_from(namespace: &Namespace) -> (Policy, FieldErrors) {
    Policy::from_labels(&namespace.metadata.labels, &Policy::default())
}

/// What the namespace of a request wants; nothing if everything may be done in it.
async fn policy_of(request: &Attributes<'_>) -> Outcome<Option<(Policy, FieldErrors)>> {
    let found = request.cluster.get(("", "v1", "namespaces"), "", request.namespace).await?;
    let Some(namespace) = found.as_ref().and_then(|found| found.downcast_ref::<Namespace>()) else {
        let name = rhumb_schema::text::quoted(request.namespace);
        return Err(Failure::internal(format!("failed to lookup namespace {name}")));
    };
    let (policy, errors) = policy_from(namespace);
    Ok((!errors.is_empty() || !policy.is_fully_privileged()).then_some((policy, errors)))
}

/// Labels must be readable, and who makes a namespace stricter hears which pods would no longer be let in.
async fn check_namespace(request: &Attributes<'_>, new: &Namespace, old: Option<&Namespace>) -> Outcome<()> {
    let (policy, errors) = policy_from(new);
    let before = old.map(policy_from);
    let unchanged = before.as_ref().is_some_and(|(_, before)| *before == errors);
    if !errors.is_empty() && !unchanged {
        return Err(Failure::invalid(request.kind, request.name, &errors));
    }
    let Some((before, _)) = before else { return Ok(()) };
    if must_check_existing(&before, &policy) {
        let name = &new.metadata.name;
        let pods: Vec<Arc<dyn Object>> = request.cluster.pods(name).await?;
        let pods = pods.iter().filter_map(|pod| pod.downcast_ref::<Pod>());
        existing_pods(name, &policy.enforce, pods).into_iter().for_each(|text| request.warn(text));
    }
    Ok(())
}

async fn check_pod(request: &Attributes<'_>, pod: &Pod, old: Option<&Pod>) -> Outcome<()> {
    if old.is_some_and(|old| !is_significant_update(pod, old)) {
        return Ok(());
    }
    let Some((policy, errors)) = policy_of(request).await? else {
        request.annotate(format!("{PREFIX}enforce-policy"), LevelAndVersion::PRIVILEGED.to_string());
        return Ok(());
    };
    let evaluated = Evaluated { request, policy, errors, metadata: &pod.metadata, spec: &pod.spec };
    request.annotate(format!("{PREFIX}enforce-policy"), policy.enforce.to_string());
    let violations = evaluated.violations(&policy.enforce);
    let refused = !violations.is_empty();
    let why = refusal(&policy.enforce, &violations);
    evaluated.note(Some(violations));
    if refused { Err(request.forbidden(Some(pod), why)) } else { Ok(()) }
}

/// A pod, or what pods are made from, under the policy of its namespace.
struct Evaluated<'a> {
    request: &'a Attributes<'a>,
    policy: Policy,
    errors: FieldErrors,
    metadata: &'a ObjectMeta,
    spec: &'a PodSpec,
}

impl Evaluated<'_> {
    fn violations(&self, level: &LevelAndVersion) -> Vec<Violation> {
        evaluate(level, self.metadata, self.spec)
    }

    /// Notes for the audit log and for the client what is done against the other two levels. `enforced` is what was
    /// found against the first one: a client that is refused needs no warning.
    fn note(&self, enforced: Option<Vec<Violation>>) {
        let Policy { enforce, audit, warn } = &self.policy;
        if !self.errors.is_empty() {
            let texts: Vec<String> = self.errors.0.iter().map(ToString::to_string).collect();
            let texts = match texts.as_slice() {
                [one] => one.clone(),
                all => format!("[{}]", all.join(", ")),
            };
            self.request.annotate(format!("{PREFIX}error"), format!("Failed to parse policy: {texts}"));
        }
        let known = |level: &LevelAndVersion| match &enforced {
            Some(found) if level == enforce => found.clone(),
            _ => self.violations(level),
        };
        let audited = known(audit);
        if !audited.is_empty() {
            self.request.annotate(format!("{PREFIX}audit-violations"), warning(audit, &audited));
        }
        if enforced.as_ref().is_some_and(|found| !found.is_empty()) {
            return;
        }
        let warned = if warn == audit { audited } else { known(warn) };
        if !warned.is_empty() {
            self.request.warn(warning(warn, &warned));
        }
    }
}
