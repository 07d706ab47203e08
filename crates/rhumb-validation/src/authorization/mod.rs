//! Validation of the `authorization.k8s.io` group: a review is about one action, and about someone.
//!
//! Reviews are answered and not stored, so they have no name, and a refusal names neither kind nor object.

use rhumb_api::authorization::v1::{
    LocalSubjectAccessReview, NonResourceAttributes, ResourceAttributes, SelfSubjectAccessReview,
    SubjectAccessReview, SubjectAccessReviewSpec,
};
use rhumb_meta::ObjectMeta;
use rhumb_scheme::validation::{BadValue, Context, FieldErrors, FieldPath, Named, Rules, Shown, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{
    LabelSelectorOptions, UnknownOperators, field_selector_requirement, label_selector_requirement,
};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder
        .rules::<SubjectAccessReview>(Rules::create(subject_access_review))?
        .rules::<SelfSubjectAccessReview>(Rules::create(self_subject_access_review))?
        .rules::<LocalSubjectAccessReview>(Rules::create(local_subject_access_review))?;
    Ok(())
}

fn subject_access_review(review: &SubjectAccessReview, _: &Context, errors: &mut FieldErrors) {
    spec(&review.spec, errors);
    empty_metadata(&review.metadata, ObjectMeta::default(), "must be empty", errors);
}

fn self_subject_access_review(review: &SelfSubjectAccessReview, _: &Context, errors: &mut FieldErrors) {
    let spec = &review.spec;
    one_action(spec.resource_attributes.as_deref(), spec.non_resource_attributes.as_deref(), errors);
    selectors(spec.resource_attributes.as_deref(), errors);
    empty_metadata(&review.metadata, ObjectMeta::default(), "must be empty", errors);
}

fn local_subject_access_review(review: &LocalSubjectAccessReview, _: &Context, errors: &mut FieldErrors) {
    spec(&review.spec, errors);
    let namespace = &review.metadata.namespace;
    let allowed = ObjectMeta { namespace: namespace.clone(), ..ObjectMeta::default() };
    empty_metadata(&review.metadata, allowed, "must be empty except for namespace", errors);
    let path = FieldPath::new("spec");
    if let Some(resource) = &review.spec.resource_attributes
        && resource.namespace != *namespace
    {
        let path = path.child("resourceAttributes").child("namespace");
        errors.invalid(&path, &resource.namespace, "must match metadata.namespace");
    }
    if let Some(other) = &review.spec.non_resource_attributes {
        let detail = "disallowed on this kind of request";
        errors.invalid(&path.child("nonResourceAttributes"), &shown(other), detail);
    }
}

fn spec(spec: &SubjectAccessReviewSpec, errors: &mut FieldErrors) {
    one_action(spec.resource_attributes.as_deref(), spec.non_resource_attributes.as_deref(), errors);
    if spec.user.is_empty() && spec.groups.is_empty() {
        let detail = "at least one of user or group must be specified";
        errors.invalid(&FieldPath::new("spec").child("user"), &spec.user, detail);
    }
    selectors(spec.resource_attributes.as_deref(), errors);
}

fn one_action(
    resource: Option<&ResourceAttributes>,
    other: Option<&NonResourceAttributes>,
    errors: &mut FieldErrors,
) {
    let path = FieldPath::new("spec");
    match (resource, other) {
        (Some(_), Some(other)) => {
            let detail = "cannot be specified in combination with resourceAttributes";
            errors.invalid(&path.child("nonResourceAttributes"), &shown(other), detail);
        }
        (None, None) => {
            let detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            errors.invalid(&path.child("resourceAttributes"), &Shown("null".to_owned()), detail);
        }
        _ => {}
    }
}

/// Who wrote which field doesn't count as content.
fn empty_metadata(metadata: &ObjectMeta, allowed: ObjectMeta, detail: &str, errors: &mut FieldErrors) {
    let given = ObjectMeta { managed_fields: Vec::new(), ..metadata.clone() };
    if given != allowed {
        errors.invalid(&FieldPath::new("metadata"), metadata, detail);
    }
}

/// As the internal type prints.
fn shown(attributes: &NonResourceAttributes) -> Shown {
    let [path, verb] = [&attributes.path, &attributes.verb].map(|text| Named(text).shown());
    Shown(format!(r#"{{"Path":{path},"Verb":{verb}}}"#))
}

/// Operators of newer clients are let through: what the server doesn't understand it doesn't grant by.
fn selectors(resource: Option<&ResourceAttributes>, errors: &mut FieldErrors) {
    let Some(resource) = resource else { return };
    let path = FieldPath::new("spec").child("resourceAttributes");
    if let Some(selector) = &resource.field_selector {
        let path = path.child("fieldSelector");
        one_form(&selector.raw_selector, selector.requirements.len(), &path, errors);
        for (index, requirement) in selector.requirements.iter().enumerate().wanted() {
            let path = path.child("requirements").index(index);
            field_selector_requirement(requirement, UnknownOperators::Allowed, &path, errors);
        }
    }
    if let Some(selector) = &resource.label_selector {
        let path = path.child("labelSelector");
        one_form(&selector.raw_selector, selector.requirements.len(), &path, errors);
        let options = LabelSelectorOptions {
            unknown_operators: UnknownOperators::Allowed,
            ..LabelSelectorOptions::default()
        };
        for (index, requirement) in selector.requirements.iter().enumerate().wanted() {
            let path = path.child("requirements").index(index);
            label_selector_requirement(requirement, options, &path, errors);
        }
    }
}

fn one_form(raw: &str, requirements: usize, path: &FieldPath, errors: &mut FieldErrors) {
    if !raw.is_empty() && requirements > 0 {
        let detail = "may not specified at the same time as requirements";
        errors.invalid(&path.child("rawSelector"), raw, detail);
    }
    if raw.is_empty() && requirements == 0 {
        let detail = format!("when {path} is specified, requirements or rawSelector is required");
        errors.required(&path.child("requirements"), &detail);
    }
}
