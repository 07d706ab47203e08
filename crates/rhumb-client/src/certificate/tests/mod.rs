//! Requests, pairs, files, and the rotation on a clock that runs years in a moment.

mod files;
mod requests;
mod rotating;

use std::time::Duration;

use rcgen::{CertificateParams, CertificateSigningRequestParams, DnType, Issuer, KeyPair, date_time_ymd};

/// An authority of a test.
pub(super) struct Authority(Issuer<'static, KeyPair>);

impl Authority {
    pub(super) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "test-ca");
        Authority(Issuer::new(params, KeyPair::generate().unwrap()))
    }

    /// Signs a request for a time in Unix seconds.
    pub(super) fn sign(&self, request: &[u8], from: i64, until: i64) -> Vec<u8> {
        let text = std::str::from_utf8(request).unwrap();
        let mut request = CertificateSigningRequestParams::from_pem(text).unwrap();
        let at =
            |seconds: i64| date_time_ymd(1970, 1, 1) + Duration::from_secs(u64::try_from(seconds).unwrap());
        (request.params.not_before, request.params.not_after) = (at(from), at(until));
        request.signed_by(&self.0).unwrap().pem().into_bytes()
    }
}
