//! Columns of RBAC kinds and certificate requests.

use rhumb_api::certificates::v1::CertificateSigningRequest;
use rhumb_api::certificates::v1beta1::{ClusterTrustBundle, PodCertificateRequest};
use rhumb_api::rbac::v1::{ClusterRoleBinding, RoleBinding, RoleRef, Subject};
use rhumb_meta::ObjectMeta;
use rhumb_meta::labels::format_labels;
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::human::human_duration;
use crate::now::Now;
use crate::texts::{NONE, or};

const BINDING_COLUMNS: &[Column] = &[
    Column::NAME,
    Column::text("Role", "The role that is given."),
    Column::AGE,
    Column::text("Users", "The users it is given to.").wide(),
    Column::text("Groups", "The groups it is given to.").wide(),
    Column::text("ServiceAccounts", "The service accounts it is given to.").wide(),
];

impl Printed for RoleBinding {
    const COLUMNS: &'static [Column] = BINDING_COLUMNS;

    fn cells(&self, now: &Now) -> Vec<Json> {
        binding(&self.metadata, &self.role_ref, &self.subjects, now)
    }
}

impl Printed for ClusterRoleBinding {
    const COLUMNS: &'static [Column] = BINDING_COLUMNS;

    fn cells(&self, now: &Now) -> Vec<Json> {
        binding(&self.metadata, &self.role_ref, &self.subjects, now)
    }
}

fn binding(meta: &ObjectMeta, role: &RoleRef, subjects: &[Subject], now: &Now) -> Vec<Json> {
    let of_kind = |kind: &str| {
        let names = subjects.iter().filter(|subject| subject.kind == kind).map(|subject| {
            if kind == "ServiceAccount" && !subject.namespace.is_empty() {
                format!("{}/{}", subject.namespace, subject.name)
            } else {
                subject.name.clone()
            }
        });
        names.collect::<Vec<_>>().join(", ")
    };
    cells![
        meta.name.as_str(),
        format!("{}/{}", role.kind, role.name),
        now.since(&meta.creation_timestamp),
        of_kind("User"),
        of_kind("Group"),
        of_kind("ServiceAccount"),
    ]
}

impl Printed for CertificateSigningRequest {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::AGE,
        Column::text("SignerName", "Who is asked to sign."),
        Column::text("Requestor", "Who asks."),
        Column::text("RequestedDuration", "For how long the certificate is wanted."),
        Column::text("Condition", "Whether the request was approved, and the certificate issued."),
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let seconds = self.spec.expiration_seconds;
        cells![
            self.metadata.name.as_str(),
            now.since(&self.metadata.creation_timestamp),
            or(&self.spec.signer_name, NONE),
            self.spec.username.as_str(),
            seconds.map_or_else(
                || NONE.to_owned(),
                |seconds| human_duration(i64::from(seconds) * 1_000_000_000)
            ),
            condition(self),
        ]
    }
}

fn condition(request: &CertificateSigningRequest) -> String {
    let has = |type_: &str| request.status.conditions.iter().any(|condition| condition.type_ == type_);
    let decision = if has("Denied") {
        "Denied"
    } else if has("Approved") {
        "Approved"
    } else {
        "Pending"
    };
    let failed = if has("Failed") { ",Failed" } else { "" };
    let issued = if request.status.certificate.0.is_empty() { "" } else { ",Issued" };
    format!("{decision}{failed}{issued}")
}

impl Printed for ClusterTrustBundle {
    const COLUMNS: &'static [Column] =
        &[Column::NAME, Column::text("SignerName", "The signer whose certificates it verifies.")];

    fn cells(&self, _: &Now) -> Vec<Json> {
        cells![self.metadata.name.as_str(), or(&self.spec.signer_name, NONE)]
    }
}

impl Printed for PodCertificateRequest {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("PodName", "The pod that the certificate is for."),
        Column::text("ServiceAccountName", "The service account that the pod runs as."),
        Column::text("NodeName", "The node that the pod runs on."),
        Column::text("SignerName", "Who is asked to sign."),
        Column::text("State", "Pending, Issued, Denied or Failed."),
        Column::text("UnverifiedUserAnnotations", "What the pod adds for the signer, unchecked."),
    ];

    fn cells(&self, _: &Now) -> Vec<Json> {
        let mut conditions = self.status.conditions.iter().map(|condition| condition.type_.as_str());
        let state = conditions.rfind(|type_| matches!(*type_, "Issued" | "Denied" | "Failed"));
        cells![
            self.metadata.name.as_str(),
            self.spec.pod_name.as_str(),
            self.spec.service_account_name.as_str(),
            self.spec.node_name.as_str(),
            self.spec.signer_name.as_str(),
            state.unwrap_or("Pending"),
            format_labels(&self.spec.unverified_user_annotations),
        ]
    }
}
