//! Validation of PriorityLevelConfigurations.

use rhumb_api::flowcontrol::v1::{
    ExemptPriorityLevelConfiguration, LimitResponse, LimitedPriorityLevelConfiguration,
    PriorityLevelConfiguration, PriorityLevelConfigurationSpec, PriorityLevelConfigurationStatus,
    QueuingConfiguration,
};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::flow_schema::condition_types;
use super::{EXEMPT, mandatory};
use crate::internal_form::internal;
use crate::meta::{Scope, object_meta};

/// An annotation of v1beta3, which has no meaning elsewhere.
const PRESERVE_ZERO: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
const MAX_QUEUES: i32 = 10_000_000;
/// How many bits a request's hash has to choose queues by.
const HASH_BITS: f64 = 60.0;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    let rules = Rules::create(create).update(update).on("status", status_update);
    builder.rules::<PriorityLevelConfiguration>(rules)?;
    Ok(())
}

fn create(level: &PriorityLevelConfiguration, context: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&level.metadata, Scope::Cluster, name_is_dns_subdomain, &metadata, errors);
    if level.metadata.annotations.contains_key(PRESERVE_ZERO) {
        let detail = format!("annotation '{PRESERVE_ZERO}' is forbidden");
        errors.forbidden(&metadata.child("annotations"), &detail);
    }
    let path = FieldPath::new("spec");
    spec(&level.spec, &level.metadata.name, context, &path, errors);
    fixed_spec(level, &path, errors);
    status(&level.status, errors);
}

fn update(
    new: &PriorityLevelConfiguration,
    _: &PriorityLevelConfiguration,
    context: &Context,
    errors: &mut FieldErrors,
) {
    create(new, context, errors);
}

fn fixed_spec(level: &PriorityLevelConfiguration, path: &FieldPath, errors: &mut FieldErrors) {
    let name = &level.metadata.name;
    let Some(fixed) = mandatory::priority_level(name) else { return };
    let is_exempt = name == EXEMPT;
    let exempt = if is_exempt { fixed.exempt.clone() } else { level.spec.exempt.clone() };
    if (PriorityLevelConfigurationSpec { exempt, ..level.spec.clone() }) != fixed {
        let except = if is_exempt { " except the 'spec.exempt' field" } else { "" };
        let detail = format!("spec of '{name}'{except} must equal the fixed value");
        errors.invalid(path, &internal(&level.spec), &detail);
    }
}

fn spec(
    spec: &PriorityLevelConfigurationSpec,
    name: &str,
    context: &Context,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let type_path = path.child("type");
    if (name == EXEMPT) != (spec.type_ == "Exempt") {
        let detail = "must be 'Exempt' if and only if `name` is 'exempt'";
        errors.invalid(&type_path, &Named(&spec.type_), detail);
    }
    let (exempt_path, limited_path) = (path.child("exempt"), path.child("limited"));
    match spec.type_.as_str() {
        "Exempt" => {
            if spec.limited.is_some() {
                errors.forbidden(&limited_path, "must be nil if the type is not Limited");
            }
            if let Some(settings) = &spec.exempt {
                exempt(settings, &exempt_path, errors);
            }
        }
        "Limited" => {
            if spec.exempt.is_some() {
                errors.forbidden(&exempt_path, "must be nil if the type is Limited");
            }
            match &spec.limited {
                Some(settings) => limited(settings, context, &limited_path, errors),
                None => errors.required(&limited_path, "must not be empty when type is Limited"),
            }
        }
        "" => errors.required(&type_path, ""),
        other => errors.not_supported(&type_path, &Named(other), &["Exempt", "Limited"]),
    }
}

fn exempt(settings: &ExemptPriorityLevelConfiguration, path: &FieldPath, errors: &mut FieldErrors) {
    shares(settings.nominal_concurrency_shares, &path.child("nominalConcurrencyShares"), errors);
    lendable(settings.lendable_percent, path, errors);
}

fn limited(
    settings: &LimitedPriorityLevelConfiguration,
    context: &Context,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let field = match &*context.request_version.version {
        "v1beta1" | "v1beta2" => "assuredConcurrencyShares",
        _ => "nominalConcurrencyShares",
    };
    shares(settings.nominal_concurrency_shares, &path.child(field), errors);
    response(&settings.limit_response, &path.child("limitResponse"), errors);
    lendable(settings.lendable_percent, path, errors);
    if let Some(percent) = settings.borrowing_limit_percent
        && percent < 0
    {
        let detail = "if specified, must be a non-negative integer";
        errors.invalid(&path.child("borrowingLimitPercent"), &percent, detail);
    }
}

fn shares(shares: Option<i32>, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(shares) = shares
        && shares < 0
    {
        errors.invalid(path, &shares, "must be a non-negative integer");
    }
}

fn lendable(percent: Option<i32>, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(percent) = percent
        && !(0..=100).contains(&percent)
    {
        errors.invalid(&path.child("lendablePercent"), &percent, "must be between 0 and 100, inclusive");
    }
}

fn response(response: &LimitResponse, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child("queuing");
    match (response.type_.as_str(), &response.queuing) {
        ("Reject", None) => {}
        ("Reject", Some(_)) => {
            errors.forbidden(&at, "must be nil if limited.limitResponse.type is not Limited");
        }
        ("Queue", None) => {
            errors.required(&at, "must not be empty if limited.limitResponse.type is Limited");
        }
        ("Queue", Some(settings)) => queuing(settings, &at, errors),
        ("", _) => errors.required(&path.child("type"), ""),
        (other, _) => errors.not_supported(&path.child("type"), &Named(other), &["Queue", "Reject"]),
    }
}

fn queuing(settings: &QueuingConfiguration, path: &FieldPath, errors: &mut FieldErrors) {
    const POSITIVE: &str = "must be positive";
    let QueuingConfiguration { queues, hand_size, queue_length_limit } = *settings;
    if queue_length_limit <= 0 {
        errors.invalid(&path.child("queueLengthLimit"), &queue_length_limit, POSITIVE);
    }
    if queues <= 0 {
        errors.invalid(&path.child("queues"), &queues, POSITIVE);
    } else if queues > MAX_QUEUES {
        errors.invalid(&path.child("queues"), &queues, &format!("must not be greater than {MAX_QUEUES}"));
    }
    let at = path.child("handSize");
    if hand_size <= 0 {
        errors.invalid(&at, &hand_size, POSITIVE);
    } else if hand_size > queues {
        errors.invalid(&at, &hand_size, &format!("should not be greater than queues ({queues})"));
    } else if (f64::from(queues).log2() * f64::from(hand_size)).ceil() > HASH_BITS {
        let detail = format!(
            "required entropy bits of deckSize {queues} and handSize {hand_size} should not be greater than {HASH_BITS}"
        );
        errors.invalid(&at, &hand_size, &detail);
    }
}

fn status_update(
    new: &PriorityLevelConfiguration,
    _: &PriorityLevelConfiguration,
    _: &Context,
    errors: &mut FieldErrors,
) {
    status(&new.status, errors);
}

fn status(status: &PriorityLevelConfigurationStatus, errors: &mut FieldErrors) {
    condition_types(status.conditions.iter().map(|condition| condition.type_.as_str()), errors);
}
