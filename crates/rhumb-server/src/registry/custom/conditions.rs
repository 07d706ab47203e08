//! What a server says of a definition: which names it got, whether it is served, whether it is going.
//!
//! Kubernetes takes these steps one after the other, each with a write of its own. Here one write takes all of those
//! that can be taken, because what is written is the whole definition each time.

use rhumb_api::apiextensions::v1beta1::{
    CustomResourceDefinition, CustomResourceDefinitionCondition, CustomResourceDefinitionNames,
};
use rhumb_meta::Time;
use rhumb_meta::url::Url;
use rhumb_schema::text::quoted;
use rhumb_structural::names::{Condition, Names, Progress, Taken, accept};
use rhumb_validation::apiextensions::{NotStructural, not_structural};

/// The finalizer that keeps a definition until its objects are gone.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";
const APPROVED: &str = "api-approved.kubernetes.io";
const APPROVAL: &str = "KubernetesAPIApprovalPolicyConformant";
const STRUCTURE: &str = "NonStructuralSchema";

fn condition(type_: &str, status: &str, reason: &str, message: &str) -> CustomResourceDefinitionCondition {
    CustomResourceDefinitionCondition {
        type_: type_.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        ..CustomResourceDefinitionCondition::default()
    }
}

/// The condition that says whether objects are being removed.
pub(crate) fn terminating(status: &str, reason: &str, message: &str) -> CustomResourceDefinitionCondition {
    condition("Terminating", status, reason, message)
}

fn find<'a>(
    definition: &'a CustomResourceDefinition,
    type_: &str,
) -> Option<&'a CustomResourceDefinitionCondition> {
    definition.status.conditions.iter().find(|condition| condition.type_ == type_)
}

fn is_true(definition: &CustomResourceDefinition, type_: &str) -> bool {
    find(definition, type_).is_some_and(|condition| condition.status == "True")
}

/// Sets a condition. Its time is that of the last change of its status.
pub(crate) fn set(
    definition: &mut CustomResourceDefinition,
    mut condition: CustomResourceDefinitionCondition,
    now: Time,
) {
    let conditions = &mut definition.status.conditions;
    condition.last_transition_time = now;
    match conditions.iter_mut().find(|known| known.type_ == condition.type_) {
        None => conditions.push(condition),
        Some(known) => {
            if known.status == condition.status && !known.last_transition_time.is_zero() {
                condition.last_transition_time = known.last_transition_time;
            }
            *known = condition;
        }
    }
}

fn same(known: Option<&CustomResourceDefinitionCondition>, new: &CustomResourceDefinitionCondition) -> bool {
    known.is_some_and(|known| {
        known.status == new.status && known.reason == new.reason && known.message == new.message
    })
}

fn of(decided: &Condition) -> CustomResourceDefinitionCondition {
    condition(decided.type_, decided.status, &decided.reason, &decided.message)
}

fn written(names: Names) -> CustomResourceDefinitionNames {
    CustomResourceDefinitionNames {
        plural: names.plural,
        singular: names.singular,
        short_names: names.short_names,
        kind: names.kind,
        list_kind: names.list_kind,
        categories: names.categories,
    }
}

/// Takes all steps that a definition can take beside the names that its group has; false if there is none.
pub(crate) fn settle(definition: &mut CustomResourceDefinition, taken: &Taken, now: Time) -> bool {
    let named = take_names(definition, taken, now);
    let approved = tell_approval(definition, now);
    let told = tell_structure(definition, now);
    establish(definition, now) || named || approved || told
}

fn take_names(definition: &mut CustomResourceDefinition, taken: &Taken, now: Time) -> bool {
    let (wanted, accepted) = (names(&definition.spec.names), names(&definition.status.accepted_names));
    if wanted == accepted {
        return false;
    }
    let progress = match find(definition, "Established").map(|condition| condition.status.as_str()) {
        None => Progress::New,
        Some("True") => Progress::Established,
        Some(_) => Progress::Waiting,
    };
    let decided = accept(&wanted, &accepted, taken, progress);
    let names_accepted = of(&decided.names_accepted);
    if decided.names == accepted && same(find(definition, "NamesAccepted"), &names_accepted) {
        return false;
    }
    definition.status.accepted_names = written(decided.names);
    set(definition, names_accepted, now);
    if let Some(established) = &decided.established {
        set(definition, of(established), now);
    }
    true
}

/// Whether a group is of the community's own domains.
pub(crate) fn is_protected(group: &str) -> bool {
    let is_in =
        |domain: &str| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    is_in("k8s.io") || is_in("kubernetes.io")
}

/// Groups of the community's own domains say by whom they were approved.
fn tell_approval(definition: &mut CustomResourceDefinition, now: Time) -> bool {
    if !is_protected(&definition.spec.group) {
        return false;
    }
    let about = definition.metadata.annotations.get(APPROVED).map(String::as_str).unwrap_or_default();
    let told = match about {
        "" => {
            let why = format!(
                "protected groups must have approval annotation {}, see https://github.com/kubernetes/enhancements/pull/1111",
                quoted(APPROVED)
            );
            condition(APPROVAL, "False", "MissingAnnotation", &why)
        }
        text if text.starts_with("unapproved") => {
            condition(APPROVAL, "False", "UnapprovedAnnotation", &format!("not approved: {}", quoted(text)))
        }
        text if Url::parse(text).is_ok_and(|url| url.is_absolute()) => {
            condition(APPROVAL, "True", "ApprovedAnnotation", &format!("approved in {text}"))
        }
        _ => {
            let why = format!(
                "protected groups must have approval annotation {} with either a URL or a reason starting with \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111",
                quoted(APPROVED)
            );
            condition(APPROVAL, "False", "InvalidAnnotation", &why)
        }
    };
    if same(find(definition, APPROVAL), &told) {
        return false;
    }
    set(definition, told, now);
    true
}

/// What is told of schemas that are not structural.
fn structure(fault: &NotStructural) -> CustomResourceDefinitionCondition {
    let (status, reason) = match fault {
        NotStructural::Violations(_) => ("True", "Violations"),
        _ => ("Unknown", "StructuralError"),
    };
    condition(STRUCTURE, status, reason, &fault.to_string())
}

/// Whether a definition tells what is wrong with its schemas, or nothing if nothing is.
pub(crate) fn is_structure_told(
    definition: &CustomResourceDefinition,
    fault: Option<&NotStructural>,
) -> bool {
    let known = find(definition, STRUCTURE);
    fault.map_or(known.is_none(), |fault| same(known, &structure(fault)))
}

fn tell_structure(definition: &mut CustomResourceDefinition, now: Time) -> bool {
    let fault = not_structural(&definition.spec);
    if is_structure_told(definition, fault.as_ref()) {
        return false;
    }
    match fault {
        Some(fault) => set(definition, structure(&fault), now),
        None => definition.status.conditions.retain(|known| known.type_ != STRUCTURE),
    }
    true
}

fn establish(definition: &mut CustomResourceDefinition, now: Time) -> bool {
    if !is_true(definition, "NamesAccepted") || is_true(definition, "Established") {
        return false;
    }
    let message = "the initial names have been accepted";
    set(definition, condition("Established", "True", "InitialNamesAccepted", message), now);
    true
}

/// Marks a definition that is deleted: it stays until its objects are gone.
pub(crate) fn mark_deleted(definition: &mut CustomResourceDefinition, now: Time) {
    if find(definition, "Terminating").is_some() {
        return;
    }
    let meta = &mut definition.metadata;
    if !meta.finalizers.iter().any(|name| name == CLEANUP) {
        meta.finalizers.push(CLEANUP.to_owned());
    }
    let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    set(definition, terminating("True", "InstanceDeletionPending", message), now);
}

/// The names of a definition, in the form in which they are decided about.
pub(crate) fn names(names: &CustomResourceDefinitionNames) -> Names {
    Names {
        plural: names.plural.clone(),
        singular: names.singular.clone(),
        short_names: names.short_names.clone(),
        kind: names.kind.clone(),
        list_kind: names.list_kind.clone(),
        categories: names.categories.clone(),
    }
}
