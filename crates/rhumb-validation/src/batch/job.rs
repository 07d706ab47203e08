//! Validation of Jobs.

use rhumb_api::batch::v1::{Job, JobSpec};
use rhumb_api::core::v1::{PodSpec, PodTemplateSpec};
use rhumb_meta::validation::{is_dns1123_label, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Shown};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::{job_policies, job_status};
use crate::apps::{matches, template};
use crate::internal_form::internal;
use crate::meta::{
    LabelSelectorOptions, Scope, all_nonnegative, domain_prefixed_path, has_invalid_label_value,
    immutable_field, label_selector, object_meta, object_meta_update, required_label,
};

/// How many indexes may run or fail at once, so that the lists of them in the status stay short.
const MAX_OF_INDEXED: i32 = 100_000;
/// From this many completions on, with a limit per index, fewer may run or fail.
const MANY_COMPLETIONS: i32 = 100_000;
const MAX_OF_MANY: i32 = 10_000;
const MAX_MANAGED_BY: usize = 63;
/// The label of a Job's pods with its uid, and the one with its name; each also under its older name.
const UID_LABEL: &str = "batch.kubernetes.io/controller-uid";
const NAME_LABEL: &str = "batch.kubernetes.io/job-name";
const OLD_UID_LABEL: &str = "controller-uid";
const OLD_NAME_LABEL: &str = "job-name";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules(Rules::create(create).update(update).on("status", job_status::update))?;
    Ok(())
}

fn create(job: &Job, _: &Context, errors: &mut FieldErrors) {
    whole(job, None, LabelSelectorOptions::default(), errors);
}

fn update(new: &Job, old: &Job, _: &Context, errors: &mut FieldErrors) {
    let allow_invalid_label_value = old.spec.selector.as_deref().is_some_and(has_invalid_label_value);
    let options = LabelSelectorOptions { allow_invalid_label_value, ..LabelSelectorOptions::default() };
    whole(new, Some(old), options, errors);
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec");
    selected_spec(&new.spec, Some(&old.spec.template), options, &path, errors);
    completions(&new.spec, &old.spec, &path.child("completions"), errors);
    immutable_field(&new.spec.selector, &old.spec.selector, &path.child("selector"), errors);
    template_update(&new.spec, old, &path.child("template"), errors);
    let (new, old) = (&new.spec, &old.spec);
    immutable_field(&new.completion_mode, &old.completion_mode, &path.child("completionMode"), errors);
    if new.pod_failure_policy != old.pod_failure_policy {
        let shown = new.pod_failure_policy.as_deref().map(job_policies::shown_failure_policy);
        immutable(shown, &path.child("podFailurePolicy"), errors);
    }
    let at = path.child("backoffLimitPerIndex");
    immutable_field(&new.backoff_limit_per_index, &old.backoff_limit_per_index, &at, errors);
    immutable_field(&new.managed_by, &old.managed_by, &path.child("managedBy"), errors);
    if new.success_policy != old.success_policy {
        let shown = new.success_policy.as_deref().map(job_policies::shown_success_policy);
        immutable(shown, &path.child("successPolicy"), errors);
    }
}

fn immutable(shown: Option<String>, path: &FieldPath, errors: &mut FieldErrors) {
    let shown = Shown(shown.unwrap_or_else(|| "null".to_owned()));
    errors.invalid(path, &shown, "field is immutable");
}

/// What is checked on create and, once more, on update.
fn whole(job: &Job, old: Option<&Job>, options: LabelSelectorOptions, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&job.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    generated_selector(job, old, errors);
    let old_template = old.map(|old| &old.spec.template);
    selected_spec(&job.spec, old_template, options, &FieldPath::new("spec"), errors);
    if let (Some("Indexed"), Some(completions @ 1..)) =
        (job.spec.completion_mode.as_deref(), job.spec.completions)
    {
        // The host name of a pod is the Job's name and the index.
        let longest = format!("{}-{}", job.metadata.name, completions - 1);
        if !is_dns1123_label(&longest).is_empty() {
            let detail = format!("will not able to create pod with invalid DNS label: {longest}");
            errors.invalid(&path.child("name"), &job.metadata.name, &detail);
        }
    }
}

/// A selector that the server made asks for the uid, and the template has it and the name as labels.
fn generated_selector(job: &Job, old: Option<&Job>, errors: &mut FieldErrors) {
    if job.spec.manual_selector == Some(true) || job.spec.selector.is_none() {
        return;
    }
    let (metadata, labels) = (&job.metadata, &job.spec.template.metadata);
    if metadata.uid.is_empty() {
        errors.required(&FieldPath::new("metadata").child("uid"), "");
    }
    let path = FieldPath::new("spec").child("template").child("metadata");
    required_label(labels, OLD_UID_LABEL, &metadata.uid, &path, errors);
    required_label(labels, OLD_NAME_LABEL, &metadata.name, &path, errors);
    // Jobs from before the labels had prefixes go on without.
    let prefixed = old.is_none_or(|old| {
        let labels = &old.spec.template.metadata.labels;
        labels.contains_key(NAME_LABEL) && labels.contains_key(UID_LABEL)
    });
    let mut expected = PodTemplateSpec::default();
    let mut expect = |key: &str, value: &str| {
        expected.metadata.labels.insert(key.to_owned(), value.to_owned());
    };
    if prefixed {
        required_label(labels, UID_LABEL, &metadata.uid, &path, errors);
        required_label(labels, NAME_LABEL, &metadata.name, &path, errors);
        expect(UID_LABEL, &metadata.uid);
        expect(NAME_LABEL, &metadata.name);
    }
    expect(OLD_UID_LABEL, &metadata.uid);
    expect(OLD_NAME_LABEL, &metadata.name);
    if matches(job.spec.selector.as_deref(), &expected) == Some(false) {
        let path = FieldPath::new("spec").child("selector");
        errors.invalid(&path, &job.spec.selector, "`selector` not auto-generated");
    }
}

fn selected_spec(
    spec: &JobSpec,
    old_template: Option<&PodTemplateSpec>,
    options: LabelSelectorOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    unselected_spec(spec, old_template, path, errors);
    match &spec.selector {
        // The server makes a selector and the labels for it before it stores the Job.
        None if spec.manual_selector != Some(true) && old_template.is_none() => return,
        None => errors.required(&path.child("selector"), ""),
        Some(selector) => label_selector(selector, options, &path.child("selector"), errors),
    }
    if matches(spec.selector.as_deref(), &spec.template) == Some(false) {
        let path = path.child("template").child("metadata").child("labels");
        let detail = "`selector` does not match template `labels`";
        errors.invalid(&path, &spec.template.metadata.labels, detail);
    }
}

/// All of a spec but its selector, which the Jobs of a CronJob don't have yet.
pub(super) fn unselected_spec(
    spec: &JobSpec,
    old_template: Option<&PodTemplateSpec>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let numbers = [
        ("parallelism", spec.parallelism.unwrap_or(0).into()),
        ("completions", spec.completions.unwrap_or(0).into()),
        ("activeDeadlineSeconds", spec.active_deadline_seconds.unwrap_or(0)),
        ("backoffLimit", spec.backoff_limit.unwrap_or(0).into()),
        ("ttlSecondsAfterFinished", spec.ttl_seconds_after_finished.unwrap_or(0).into()),
        ("backoffLimitPerIndex", spec.backoff_limit_per_index.unwrap_or(0).into()),
        ("maxFailedIndexes", spec.max_failed_indexes.unwrap_or(0).into()),
    ];
    all_nonnegative(&numbers, path, errors);
    if spec.max_failed_indexes.is_some() && spec.backoff_limit_per_index.is_none() {
        errors.required(&path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
    }
    if let Some(managed_by) = &spec.managed_by {
        let path = path.child("managedBy");
        domain_prefixed_path(managed_by, &path, errors);
        if managed_by.len() > MAX_MANAGED_BY {
            errors.too_long(&path, MAX_MANAGED_BY);
        }
    }
    completion_mode(spec, path, errors);
    if let Some(policy) = &spec.pod_failure_policy {
        job_policies::failure_policy(policy, spec, &path.child("podFailurePolicy"), errors);
    }
    if let Some(policy) = &spec.success_policy {
        let path = path.child("successPolicy");
        if spec.completion_mode.as_deref() == Some("Indexed") {
            job_policies::success_policy(policy, spec.completions, &path, errors);
        } else {
            let shown = Shown(job_policies::shown_success_policy(policy));
            errors.invalid(&path, &shown, "requires indexed completion mode");
        }
    }
    replacement_policy(spec, &path.child("podReplacementPolicy"), errors);
    template(&spec.template, old_template, &path.child("template"), errors);
    restart_policy(spec, &path.child("template").child("spec").child("restartPolicy"), errors);
}

fn completion_mode(spec: &JobSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child("completionMode");
    match spec.completion_mode.as_deref() {
        Some("Indexed") => indexed(spec, path, errors),
        Some("NonIndexed") | None => {
            let limits = [
                ("backoffLimitPerIndex", spec.backoff_limit_per_index),
                ("maxFailedIndexes", spec.max_failed_indexes),
            ];
            for (name, limit) in limits {
                if let Some(limit) = limit {
                    errors.invalid(&path.child(name), &limit, "requires indexed completion mode");
                }
            }
        }
        Some(other) => errors.not_supported(&at, &Named(other), &["NonIndexed", "Indexed"]),
    }
}

fn indexed(spec: &JobSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let parallelism = spec.parallelism.unwrap_or(0);
    let at_parallelism = path.child("parallelism");
    let at_failed = path.child("maxFailedIndexes");
    if spec.completions.is_none() {
        errors.required(&path.child("completions"), "when completion mode is Indexed");
    }
    if parallelism > MAX_OF_INDEXED {
        let detail =
            format!("must be less than or equal to {MAX_OF_INDEXED} when completion mode is Indexed");
        errors.invalid(&at_parallelism, &parallelism, &detail);
    }
    if let (Some(completions), Some(failed)) = (spec.completions, spec.max_failed_indexes)
        && failed > completions
    {
        errors.invalid(&at_failed, &failed, "must be less than or equal to completions");
    }
    if let Some(failed) = spec.max_failed_indexes.filter(|failed| *failed > MAX_OF_INDEXED) {
        errors.invalid(&at_failed, &failed, &format!("must be less than or equal to {MAX_OF_INDEXED}"));
    }
    if spec.completions.is_none_or(|number| number <= MANY_COMPLETIONS)
        || spec.backoff_limit_per_index.is_none()
    {
        return;
    }
    if spec.max_failed_indexes.is_none() {
        let detail = format!("must be specified when completions is above {MANY_COMPLETIONS}");
        errors.required(&at_failed, &detail);
    }
    let detail = format!(
        "must be less than or equal to {MAX_OF_MANY} when completions are above {MANY_COMPLETIONS} and used with \
         backoff limit per index"
    );
    if parallelism > MAX_OF_MANY {
        errors.invalid(&at_parallelism, &parallelism, &detail);
    }
    if let Some(failed) = spec.max_failed_indexes.filter(|failed| *failed > MAX_OF_MANY) {
        errors.invalid(&at_failed, &failed, &detail);
    }
}

fn replacement_policy(spec: &JobSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let supported: &[&str] =
        if spec.pod_failure_policy.is_some() { &["Failed"] } else { &["Failed", "TerminatingOrFailed"] };
    if let Some(policy) = spec.pod_replacement_policy.as_deref().filter(|policy| !supported.contains(policy))
    {
        errors.not_supported(path, &Named(policy), supported);
    }
}

fn restart_policy(spec: &JobSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let policy = spec.template.spec.restart_policy.as_str();
    match policy {
        // Always is what is filled in where nothing was given.
        "" | "Always" => errors.required(path, "valid values: \"OnFailure\", \"Never\""),
        "Never" => {}
        "OnFailure" if spec.pod_failure_policy.is_none() => {}
        "OnFailure" => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            errors.invalid(path, &Named(policy), detail);
        }
        _ => errors.not_supported(path, &Named(policy), &["OnFailure", "Never"]),
    }
}

/// The completions of an Indexed Job may change together with its parallelism, those of others not.
fn completions(new: &JobSpec, old: &JobSpec, path: &FieldPath, errors: &mut FieldErrors) {
    if new.completion_mode.as_deref() != Some("Indexed") {
        return immutable_field(&new.completions, &old.completions, path, errors);
    }
    if new.completions.is_some() && new.completions != old.completions && new.completions != new.parallelism {
        errors.invalid(path, &new.completions, "can only be modified in tandem with spec.parallelism");
    }
}

/// The template of a Job that waits and has no pods yet may change in where its pods go and in what they get.
fn template_update(new: &JobSpec, old: &Job, path: &FieldPath, errors: &mut FieldErrors) {
    let suspended = old.spec.suspend == Some(true);
    let status = &old.status;
    let at_rest = suspended
        && (status.start_time.is_none() || job_status::is_true(status, "Suspended"))
        && status.active == 0;
    let mut before = old.spec.template.clone();
    if at_rest {
        take_scheduling(&mut before, &new.template);
    }
    if !at_rest {
        if new.template != before {
            errors.invalid(path, &internal(&new.template), "field is immutable");
        }
        return;
    }
    take_resources(&mut before.spec, &new.template.spec);
    if new.template.spec != before.spec {
        let shown = internal(&new.template.spec);
        errors.invalid(&path.child("spec"), &shown, "field is immutable");
    }
}

fn take_scheduling(old: &mut PodTemplateSpec, new: &PodTemplateSpec) {
    match (&new.spec.affinity, &mut old.spec.affinity) {
        (None, before @ Some(_)) => {
            if let Some(affinity) = before {
                affinity.node_affinity = None;
                if affinity.pod_affinity.is_none() && affinity.pod_anti_affinity.is_none() {
                    *before = None;
                }
            }
        }
        (Some(affinity), before) => {
            before.get_or_insert_default().node_affinity.clone_from(&affinity.node_affinity);
        }
        (None, None) => {}
    }
    old.spec.node_selector.clone_from(&new.spec.node_selector);
    old.spec.tolerations.clone_from(&new.spec.tolerations);
    old.spec.scheduling_gates.clone_from(&new.spec.scheduling_gates);
    old.metadata.annotations.clone_from(&new.metadata.annotations);
    old.metadata.labels.clone_from(&new.metadata.labels);
}

fn take_resources(old: &mut PodSpec, new: &PodSpec) {
    for (old, new) in
        [(&mut old.containers, &new.containers), (&mut old.init_containers, &new.init_containers)]
    {
        if old.len() == new.len() {
            for (old, new) in old.iter_mut().zip(new).filter(|(old, new)| old.name == new.name) {
                old.resources.clone_from(&new.resources);
            }
        }
    }
}
