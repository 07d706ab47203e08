//! Certificates: who may approve requests for a signer (CertificateApproval), who may sign them (CertificateSigning),
//! and that nobody asks for a certificate of a master (CertificateSubjectRestriction).

use rhumb_api::certificates::v1::CertificateSigningRequest;
use rhumb_api::certificates::x509::Pkcs10;
use rhumb_meta::Object;
use rhumb_schema::text::quoted;

use super::{Admission, Attributes, Deciding, Operation, Question};
use crate::base::identity::MASTERS;

const GROUP: &str = "certificates.k8s.io";
const REQUESTS: &str = "certificatesigningrequests";
const CLIENT_SIGNER: &str = "kubernetes.io/kube-apiserver-client";

fn request_of(object: Option<&dyn Object>) -> Option<&CertificateSigningRequest> {
    object?.downcast_ref()
}

/// Whether a user may do something with requests for a signer, or for all signers of its domain.
async fn may(request: &Attributes<'_>, verb: &str, signer: &str) -> bool {
    let domain = signer.split('/').next().unwrap_or_default();
    for name in [signer, &format!("{domain}/*")] {
        let question = Question { verb, group: GROUP, resource: "signers", name, ..Question::default() };
        if request.cluster.authorized(request.user, &question).await.is_ok() {
            return true;
        }
    }
    false
}

pub(super) struct Approval;

impl Admission for Approval {
    fn name(&self) -> &str {
        "CertificateApproval"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation == Operation::Update && request.is_below(GROUP, REQUESTS, "approval")
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        // The stored one counts: whoever approves could have put another signer into the new one.
        let signer = request_of(old).map(|found| found.spec.signer_name.as_str()).unwrap_or_default();
        Box::pin(async move {
            if may(request, "approve", signer).await {
                return Ok(());
            }
            let why = format!("user not permitted to approve requests with signerName {}", quoted(signer));
            Err(request.forbidden(new, why))
        })
    }
}

pub(super) struct Signing;

impl Admission for Signing {
    fn name(&self) -> &str {
        "CertificateSigning"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation == Operation::Update && request.is_below(GROUP, REQUESTS, "status")
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        let same = match (request_of(old), request_of(new)) {
            (Some(old), Some(new)) => {
                old.status.certificate == new.status.certificate
                    && old.status.conditions == new.status.conditions
            }
            _ => false,
        };
        let signer = request_of(old).map(|found| found.spec.signer_name.as_str()).unwrap_or_default();
        Box::pin(async move {
            if same || may(request, "sign", signer).await {
                return Ok(());
            }
            let why = format!("user not permitted to sign requests with signerName {}", quoted(signer));
            Err(request.forbidden(new, why))
        })
    }
}

pub(super) struct SubjectRestriction;

impl Admission for SubjectRestriction {
    fn name(&self) -> &str {
        "CertificateSubjectRestriction"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation == Operation::Create && request.is(GROUP, REQUESTS)
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        let wanted = request_of(new).filter(|wanted| wanted.spec.signer_name == CLIENT_SIGNER);
        let verdict = match wanted.map(|wanted| Pkcs10::from_pem(&wanted.spec.request.0)) {
            Some(Err(why)) => Err(request.forbidden(new, format!("failed to parse CSR: {why}"))),
            Some(Ok(subject)) if subject.organizations.iter().any(|group| group == MASTERS) => {
                let why = format!("use of {CLIENT_SIGNER} signer with {MASTERS} group is not allowed");
                Err(request.forbidden(new, why))
            }
            _ => Ok(()),
        };
        Box::pin(std::future::ready(verdict))
    }
}
