//! Strategies of `certificates.k8s.io`. The server sets the requesting user.

use std::collections::HashMap;

use rhumb_api::certificates::v1::{
    CertificateSigningRequest, CertificateSigningRequestSpec, CertificateSigningRequestStatus, ExtraValue,
};
use rhumb_api::certificates::v1beta1::{
    ClusterTrustBundle, PodCertificateRequest, PodCertificateRequestSpec, PodCertificateRequestStatus,
};
use rhumb_meta::Time;

use crate::context::Context;
use crate::error::RegisterError;
use crate::parts::{fresh, has_status, keep_spec, keep_spec_and_metadata, keep_status};
use crate::registry::StrategiesBuilder;
use crate::reset::{ResetPath, SPEC};
use crate::strategy::{Part, Strategy};

has_status!(
    CertificateSigningRequest: CertificateSigningRequestSpec, CertificateSigningRequestStatus;
    PodCertificateRequest: PodCertificateRequestSpec, PodCertificateRequestStatus;
);

const GROUP: &str = "certificates.k8s.io";
const VERSIONS: &[&str] = &["certificates.k8s.io/v1", "certificates.k8s.io/v1beta1"];
const POD_VERSIONS: &[&str] = &["certificates.k8s.io/v1beta1"];
const ALL: &[ResetPath] = &[&["spec"], &["status"]];
const ALL_BUT_CERTIFICATE: &[ResetPath] = &[&["spec"], &["status", "conditions"]];
const ALL_BUT_CONDITIONS: &[ResetPath] = &[&["spec"], &["status", "certificate"]];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder
        .add(
            Strategy::new(GROUP, "CertificateSigningRequest")
                .create(create)
                .update(update)
                .resets(VERSIONS, ALL)
                .on("status", Part::new(update_status).resets(VERSIONS, ALL_BUT_CERTIFICATE))
                .on("approval", Part::new(approve).resets(VERSIONS, ALL_BUT_CONDITIONS)),
        )?
        .add(Strategy::<ClusterTrustBundle>::new(GROUP, "ClusterTrustBundle").conditional_update())?
        .add(
            Strategy::<PodCertificateRequest>::new(GROUP, "PodCertificateRequest")
                .conditional_update()
                .create(fresh)
                .update(keep_status)
                .on("status", Part::new(keep_spec_and_metadata).resets(POD_VERSIONS, SPEC)),
        )?;
    Ok(())
}

fn create(request: &mut CertificateSigningRequest, context: &Context) {
    let user = context.user;
    request.spec.username.clone_from(&user.name);
    request.spec.uid.clone_from(&user.uid);
    request.spec.groups.clone_from(&user.groups);
    let extra = user.extra.iter().map(|(key, values)| (key.clone(), ExtraValue(values.clone())));
    request.spec.extra = extra.collect();
    fresh(request, context);
}

fn update(new: &mut CertificateSigningRequest, old: &CertificateSigningRequest, context: &Context) {
    keep_spec(new, old, context);
    keep_status(new, old, context);
}

fn update_status(new: &mut CertificateSigningRequest, old: &CertificateSigningRequest, context: &Context) {
    keep_spec(new, old, context);
    // Approval has a way of its own. Conditions that come or go are left in, for validation to refuse.
    for type_ in ["Approved", "Denied"] {
        let before: Vec<_> = old.status.conditions.iter().filter(|one| one.type_ == type_).collect();
        let after: Vec<_> = new.status.conditions.iter_mut().filter(|one| one.type_ == type_).collect();
        if before.len() == after.len() {
            after.into_iter().zip(before).for_each(|(after, before)| after.clone_from(before));
        }
    }
    fill_in_times(new, old, context);
}

fn approve(new: &mut CertificateSigningRequest, old: &CertificateSigningRequest, context: &Context) {
    fill_in_times(new, old, context);
    keep_spec(new, old, context);
    let conditions = std::mem::take(&mut new.status.conditions);
    new.status = CertificateSigningRequestStatus { conditions, ..old.status.clone() };
}

fn fill_in_times(new: &mut CertificateSigningRequest, old: &CertificateSigningRequest, context: &Context) {
    let mut before: HashMap<(&str, &str), Time> = HashMap::new();
    for old in old.status.conditions.iter().filter(|old| !old.last_transition_time.is_zero()) {
        // Of several the first counts.
        before.entry((&old.type_, &old.status)).or_insert(old.last_transition_time);
    }
    for condition in &mut new.status.conditions {
        if condition.last_update_time.is_zero() {
            condition.last_update_time = context.now;
        }
        if condition.last_transition_time.is_zero() {
            let same = before.get(&(condition.type_.as_str(), condition.status.as_str()));
            condition.last_transition_time = same.copied().unwrap_or(context.now);
        }
    }
}
