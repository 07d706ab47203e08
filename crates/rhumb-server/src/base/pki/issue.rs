//! Making keys and certificates. All keys are of the curve P-256: made in microseconds, and every client takes them.

use std::net::IpAddr;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, SanType, SerialNumber, date_time_ymd,
};

use crate::base::environment::{Clock, Entropy};

const DAY: i64 = 24 * 60 * 60;
/// How long an authority vouches for others.
const AUTHORITY_DAYS: i64 = 3650;
/// How long a certificate is good. It is renewed when less than half of that is left.
const LEAF_DAYS: i64 = 365;
/// Certificates are good from an hour ago, for clients whose clocks are behind.
const LEEWAY: i64 = 60 * 60;

/// A new key, as PEM.
pub(super) fn key() -> Result<String, rcgen::Error> {
    Ok(KeyPair::generate()?.serialize_pem())
}

/// The certificate of an authority by its own key.
pub(super) fn authority(
    key: &KeyPair,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
) -> Result<String, rcgen::Error> {
    let mut params = dated(clock, entropy, AUTHORITY_DAYS);
    params.distinguished_name.push(DnType::CommonName, "rhumb-ca");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages =
        vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    Ok(params.self_signed(key)?.pem())
}

/// The certificate of a server of these names.
pub(super) fn serving(
    issuer: &Issuer<'_, KeyPair>,
    key: &KeyPair,
    names: &Names,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
) -> Result<String, rcgen::Error> {
    let mut params = dated(clock, entropy, LEAF_DAYS);
    params.distinguished_name.push(DnType::CommonName, "kube-apiserver");
    for name in &names.hosts {
        params.subject_alt_names.push(SanType::DnsName(name.as_str().try_into()?));
    }
    params.subject_alt_names.extend(names.addresses.iter().copied().map(SanType::IpAddress));
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    leaf(params, issuer, key)
}

/// The certificate of a client.
pub(super) fn client(
    issuer: &Issuer<'_, KeyPair>,
    key: &KeyPair,
    name: &str,
    group: &str,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
) -> Result<String, rcgen::Error> {
    let mut params = dated(clock, entropy, LEAF_DAYS);
    params.distinguished_name.push(DnType::OrganizationName, group);
    params.distinguished_name.push(DnType::CommonName, name);
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    leaf(params, issuer, key)
}

/// The names and addresses that a server is reached by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// The host names.
    pub(crate) hosts: Vec<String>,
    /// The addresses.
    pub(crate) addresses: Vec<IpAddr>,
}

/// When a certificate that ends then is to be renewed.
pub(super) fn renew_at(not_after: i64) -> i64 {
    not_after.saturating_sub(LEAF_DAYS * DAY / 2)
}

/// Whether a certificate is good for that much longer that it need not be renewed.
pub(super) fn is_fresh(not_before: i64, not_after: i64, clock: &dyn Clock) -> bool {
    let now = clock.now().0;
    not_before <= now && now < renew_at(not_after)
}

fn leaf(
    mut params: CertificateParams,
    issuer: &Issuer<'_, KeyPair>,
    key: &KeyPair,
) -> Result<String, rcgen::Error> {
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
    params.use_authority_key_identifier_extension = true;
    Ok(params.signed_by(key, issuer)?.pem())
}

fn dated(clock: &dyn Clock, entropy: &dyn Entropy, days: i64) -> CertificateParams {
    // Beyond the year 8000 dates can't be written any more.
    let now = clock.now().0.clamp(LEEWAY, 190_000_000_000);
    let moment = |seconds: i64| {
        date_time_ymd(1970, 1, 1) + std::time::Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
    };
    let mut serial = [0u8; 16];
    entropy.fill(&mut serial);
    // A serial number is positive and has no leading zero.
    serial[0] = (serial[0] & 0x7f) | 0x40;
    let mut params = CertificateParams::default();
    params.not_before = moment(now - LEEWAY);
    params.not_after = moment(now + days * DAY);
    params.serial_number = Some(SerialNumber::from_slice(&serial));
    params.distinguished_name = DistinguishedName::new();
    params
}
