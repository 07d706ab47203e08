//! Evictions: deletions of pods that ask the disruption budgets first.

use crate::base::identity::User;
use bytes::Bytes;
use http::HeaderMap;
use rhumb_api::core::v1::{Pod, PodCondition};
use rhumb_api::policy::v1::{Eviction, PodDisruptionBudget};
use rhumb_meta::v1::{Condition, DeleteOptions, LabelSelector, Preconditions, StatusCause};
use rhumb_meta::{GroupResource, GroupVersion, GroupVersionKind, Time};
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_store::Range;

use super::{done, posted};
use crate::base::failure::{Failure, Outcome};
use crate::base::response::Response;
use crate::endpoints::context::{RequestContext, refuse};
use crate::endpoints::handlers::delete::delete_seen;
use crate::endpoints::handlers::update::{Changed, Permit, Seen, change};
use crate::endpoints::handlers::{admit, more_to_do};
use crate::registry::managed_fields;

/// How often an eviction is tried anew when the pod changes in the meantime.
const TRIES: usize = 20;
/// How many evictions a budget may have granted that its controller has not seen.
const MOST_DISRUPTED: usize = 2000;
const VIOLATES: &str = "Cannot evict pod as it would violate the pod's disruption budget.";
const DISRUPTION_ALLOWED: &str = "DisruptionAllowed";

/// Evicts the pod of the path.
pub(super) async fn post(
    call: &mut RequestContext<'_>,
    kind: &GroupVersionKind,
    body: Bytes,
) -> Outcome<Response> {
    let older = [GroupVersion::new_static("policy", "v1beta1")];
    let mut posted = posted(call, kind, &older, &body)?;
    admit::mutate_posted(call, &mut *posted.object, !posted.options.dry_run.is_empty()).await?;
    let eviction = posted.object.downcast_ref::<Eviction>().cloned().unwrap_or_default();
    let name = call.path.name.clone();
    if eviction.metadata.name != name {
        return Err(Failure::bad_request("name in URL does not match name in Eviction object"));
    }
    let mut options = eviction.delete_options.map(|options| *options).unwrap_or_default();
    if options.ignore_store_read_error_with_cluster_breaking_potential == Some(true) {
        let mut errors = FieldErrors::default();
        let path = FieldPath::new("deleteOptions").child("ignoreStoreReadErrorWithClusterBreakingPotential");
        errors.invalid(&path, &true, "can not be set for pod eviction, try after removing the option");
        return Err(Failure::invalid(kind, &name, &errors));
    }
    let asked = posted.options.dry_run;
    let dry_run = !asked.is_empty();
    if options.dry_run.is_empty() {
        options.dry_run = asked;
    } else if !asked.is_empty() && asked != options.dry_run {
        return Err(Failure::unexplained(format!(
            "Non-matching dry-run options in request and content: [{}] and [{}]",
            asked.join(" "),
            options.dry_run.join(" ")
        )));
    }
    admit::validate_posted(call, &*posted.object, dry_run).await?;
    evict(call, &options).await?;
    done(call, 201, "")
}

async fn evict(call: &mut RequestContext<'_>, options: &DeleteOptions) -> Outcome<()> {
    let names_revision = revision_of(options).is_some();
    let Some(pod) = evict_freely(call, options, names_revision).await? else { return Ok(()) };
    let mut options = options.clone();
    let mut pinned = None;
    if let Some(budget) = budget_of(call, &pod).await? {
        let name = budget.metadata.name.clone();
        if goes_anyway(&pod, &budget) {
            // The pod must still be unready when it goes.
            require_revision(&mut options, &pod);
            pinned = Some(name);
        } else {
            take_from_budget(call, &name, &pod.metadata.name, !options.dry_run.is_empty()).await?;
        }
    }
    match (mark_and_delete(call, options).await, pinned) {
        (Err(failure), Some(budget)) if failure.is_conflict() && !names_revision => Err(busy(&budget)),
        (outcome, _) => outcome,
    }
}

/// Evicts a pod that no budget counts on; gives it back if one may.
async fn evict_freely(
    call: &mut RequestContext<'_>,
    options: &DeleteOptions,
    names_revision: bool,
) -> Outcome<Option<Pod>> {
    let mut lost = Failure::modified(&call.endpoint.resource, &call.path.name);
    for _ in 0..TRIES {
        let pod = current_pod(call).await?;
        let over = matches!(pod.status.phase.as_str(), "Succeeded" | "Failed")
            || pod.metadata.deletion_timestamp.is_some();
        if !over && pod.status.phase != "Pending" {
            return Ok(Some(pod));
        }
        let mut options = options.clone();
        if !over && !names_revision {
            require_revision(&mut options, &pod);
        }
        match mark_and_delete(call, options).await {
            Ok(()) => return Ok(None),
            Err(failure) if failure.is_conflict() && !names_revision => lost = failure,
            Err(failure) => return Err(failure),
        }
    }
    Err(lost)
}

async fn current_pod(call: &RequestContext<'_>) -> Outcome<Pod> {
    let storage = call.storage()?;
    let key = storage.key(&call.path.namespace, &call.path.name)?;
    let current = storage.current(&key).await?;
    let pod = current.and_then(|current| current.hub.downcast_ref::<Pod>().cloned());
    pod.ok_or_else(|| Failure::not_found(&call.endpoint.resource, &call.path.name))
}

fn revision_of(options: &DeleteOptions) -> Option<&String> {
    options.preconditions.as_ref()?.resource_version.as_ref()
}

fn require_revision(options: &mut DeleteOptions, pod: &Pod) {
    let preconditions = options.preconditions.get_or_insert_with(|| Box::new(Preconditions::default()));
    preconditions.resource_version = Some(pod.metadata.resource_version.clone());
}

/// Says in the pod why it goes, and deletes it.
async fn mark_and_delete(call: &mut RequestContext<'_>, mut options: DeleteOptions) -> Outcome<()> {
    let mut errors = FieldErrors::default();
    rhumb_validation::meta::delete_options(&options, &mut errors);
    refuse(&errors, "DeleteOptions")?;
    let name = call.path.name.clone();
    if options.dry_run.is_empty() {
        let wanted = options.preconditions.as_deref().cloned().unwrap_or_default();
        let now = call.api.environment.time();
        let permit = Permit {
            subresource: Some("status"),
            dry_run: false,
            preconditions: None,
            creates: false,
            seen: Seen::Nothing,
        };
        let marked = change(call, &permit, &mut |_, current| {
            let Some(current) = current else { return Err(Failure::internal("there is no pod")) };
            let mut hub = current.hub.clone_object();
            if let Some(pod) = hub.downcast_mut::<Pod>() {
                check(&wanted, pod)?;
                mark(pod, now);
            }
            Ok(Changed { hub, based_on_current: true })
        })
        .await;
        let marked = more_to_do(marked)?;
        if let Some(preconditions) =
            options.preconditions.as_mut().filter(|one| one.resource_version.is_some())
        {
            let meta = marked.hub.metadata();
            preconditions.resource_version = meta.map(|meta| meta.resource_version.clone());
        }
    }
    delete_seen(call, &name, &mut options).await.map(|_| ())
}

fn check(wanted: &Preconditions, pod: &Pod) -> Outcome<()> {
    let meta = &pod.metadata;
    let conflict =
        |why: String| Err(Failure::conflict(&GroupResource::new_static("", "Pod"), &meta.name, &why));
    if let Some(uid) = wanted.uid.as_ref().filter(|uid| !uid.is_empty() && **uid != meta.uid) {
        return conflict(format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({}). The object might \
             have been \
             deleted and then recreated",
            meta.uid
        ));
    }
    let revision = wanted.resource_version.as_ref();
    if let Some(told) = revision.filter(|told| !told.is_empty() && **told != meta.resource_version) {
        return conflict(format!(
            "the ResourceVersion in the precondition ({told}) does not match the ResourceVersion in record \
             ({}). The \
             object might have been modified",
            meta.resource_version
        ));
    }
    Ok(())
}

fn mark(pod: &mut Pod, now: Time) {
    let mut condition = PodCondition {
        type_: "DisruptionTarget".to_owned(),
        status: "True".to_owned(),
        reason: "EvictionByEvictionAPI".to_owned(),
        message: "Eviction API: evicting".to_owned(),
        last_transition_time: now,
        ..PodCondition::default()
    };
    let conditions = &mut pod.status.conditions;
    match conditions.iter_mut().find(|old| old.type_ == condition.type_) {
        Some(old) => {
            if old.status == condition.status {
                condition.last_transition_time = old.last_transition_time;
            }
            *old = condition;
        }
        None => conditions.push(condition),
    }
}

fn matches(selector: &LabelSelector, pod: &Pod) -> bool {
    selector.to_selector().is_ok_and(|selector| selector.matches(&pod.metadata.labels))
}

/// The budget that counts a pod.
async fn budget_of(call: &RequestContext<'_>, pod: &Pod) -> Outcome<Option<PodDisruptionBudget>> {
    let resources = call.api.resources();
    let endpoint = resources.find("policy", "v1", "poddisruptionbudgets");
    let Some(storage) = endpoint.and_then(|endpoint| endpoint.storage.as_ref()) else { return Ok(None) };
    let page = call.api.store.range(Range::all(storage.namespace_prefix(&call.path.namespace))).await?;
    let mut found = Vec::new();
    for entry in page.entries {
        let hub = storage.model.load(&entry.value, entry.modified)?;
        let Some(budget) = hub.downcast_ref::<PodDisruptionBudget>() else { continue };
        if budget.spec.selector.as_ref().is_some_and(|selector| matches(selector, pod)) {
            found.push(budget.clone());
        }
    }
    if found.len() > 1 {
        return Err(Failure::unexplained(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not \
             support.",
        ));
    }
    Ok(found.pop())
}

/// Whether a pod is not ready and the budget lets such pods go.
fn goes_anyway(pod: &Pod, budget: &PodDisruptionBudget) -> bool {
    let ready = pod.status.conditions.iter().any(|one| one.type_ == "Ready" && one.status == "True");
    let status = &budget.status;
    !ready
        && (budget.spec.unhealthy_pod_eviction_policy.as_deref() == Some("AlwaysAllow")
            || (status.current_healthy >= status.desired_healthy && status.desired_healthy > 0))
}

/// Notes in a budget that a pod goes, if it allows that.
async fn take_from_budget(call: &RequestContext<'_>, name: &str, pod: &str, dry_run: bool) -> Outcome<()> {
    let resources = call.api.resources();
    let Some(endpoint) = resources.find("policy", "v1", "poddisruptionbudgets") else { return Ok(()) };
    let (user, headers) = (User::apiserver(), HeaderMap::new());
    let mut inner = RequestContext::internal(call.api, endpoint, &call.path.namespace, name, &user, &headers);
    inner.offload = call.offload.clone();
    let permit = Permit {
        subresource: Some("status"),
        dry_run,
        preconditions: None,
        creates: false,
        seen: Seen::Object,
    };
    let now = call.api.environment.time();
    let done = change(&mut inner, &permit, &mut |inner, current| {
        let Some(current) = current else { return Err(Failure::internal("there is no budget")) };
        let mut hub = current.hub.clone_object();
        if let Some(budget) = hub.downcast_mut::<PodDisruptionBudget>() {
            decrement(budget, pod, now)?;
        }
        let hub = managed_fields::updated(
            inner.fields(),
            hub,
            &*current.hub,
            "kube-apiserver",
            Some("status"),
            false,
        )?;
        Ok(Changed { hub, based_on_current: true })
    })
    .await;
    more_to_do(done).map(|_| ())
}

fn with_cause(mut failure: Failure, message: String) -> Failure {
    if let Some(details) = &mut failure.0.details {
        let cause = StatusCause { reason: "DisruptionBudget".to_owned(), message, ..StatusCause::default() };
        details.causes.push(cause);
    }
    failure
}

fn busy(budget: &str) -> Failure {
    let why = format!("The disruption budget {budget} is still being processed by the server.");
    with_cause(Failure::too_many_requests(VIOLATES, 10), why)
}

fn decrement(budget: &mut PodDisruptionBudget, pod: &str, now: Time) -> Outcome<()> {
    let name = budget.metadata.name.clone();
    let forbidden = |why: &str| {
        let resource = GroupResource::new_static("policy", "poddisruptionbudget");
        Err(Failure::forbidden(&resource, &name, why))
    };
    let status = &mut budget.status;
    if status.observed_generation < budget.metadata.generation {
        return Err(busy(&name));
    }
    if status.disruptions_allowed < 0 {
        return forbidden("pdb disruptions allowed is negative");
    }
    if status.disrupted_pods.len() > MOST_DISRUPTED {
        return forbidden("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
    }
    if status.disruptions_allowed == 0 {
        let condition = status.conditions.iter().find(|one| one.type_ == DISRUPTION_ALLOWED);
        let told = condition.filter(|one| one.status == "False" && !one.message.is_empty());
        let why = match told {
            Some(told) if told.reason == "SyncFailed" => format!(
                "The disruption budget {name} does not allow evicting pods currently because it failed \
                 sync: {}",
                told.message
            ),
            _ if status.current_healthy <= status.desired_healthy => format!(
                "The disruption budget {name} needs {} healthy pods and has {} currently",
                status.desired_healthy, status.current_healthy
            ),
            Some(told) => format!(
                "The disruption budget {name} does not allow evicting pods currently ({}): {}",
                told.reason, told.message
            ),
            None => format!("The disruption budget {name} does not allow evicting pods currently"),
        };
        return Err(with_cause(Failure::too_many_requests(VIOLATES, 0), why));
    }
    status.disruptions_allowed -= 1;
    if status.disruptions_allowed == 0 {
        let mut condition = Condition {
            type_: DISRUPTION_ALLOWED.to_owned(),
            status: "False".to_owned(),
            reason: "InsufficientPods".to_owned(),
            observed_generation: status.observed_generation,
            last_transition_time: now,
            ..Condition::default()
        };
        match status.conditions.iter_mut().find(|one| one.type_ == DISRUPTION_ALLOWED) {
            Some(old) => {
                if old.status == condition.status {
                    condition.last_transition_time = old.last_transition_time;
                }
                *old = condition;
            }
            None => status.conditions.push(condition),
        }
    }
    status.disrupted_pods.insert(pod.to_owned(), now);
    Ok(())
}
