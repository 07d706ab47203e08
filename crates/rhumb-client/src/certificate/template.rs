//! `Template`: the contents of a certificate, and the signing request for it.

use std::net::IpAddr;

use yasna::Tag;
use yasna::models::ObjectIdentifier;

use super::CertificateError;
use super::key::{PrivateKey, pem};
use super::pair::Leaf;

const EC_PUBLIC_KEY: &[u64] = &[1, 2, 840, 10045, 2, 1];
const P256: &[u64] = &[1, 2, 840, 10045, 3, 1, 7];
const ECDSA_WITH_SHA256: &[u64] = &[1, 2, 840, 10045, 4, 3, 2];
const ORGANIZATION: &[u64] = &[2, 5, 4, 10];
const COMMON_NAME: &[u64] = &[2, 5, 4, 3];
const EXTENSION_REQUEST: &[u64] = &[1, 2, 840, 113_549, 1, 9, 14];
const SUBJECT_ALT_NAME: &[u64] = &[2, 5, 29, 17];

/// Subject of a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// The name: for a client its user.
    pub common_name: String,
    /// The organizations: for a client its groups.
    pub organizations: Vec<String>,
    /// The names under which a server is reached.
    pub dns_names: Vec<String>,
    /// The addresses under which a server is reached.
    pub ip_addresses: Vec<IpAddr>,
}

impl Template {
    /// Creates a signing request for a key, in PEM.
    ///
    /// # Errors
    /// A DNS name is no ASCII, or the key can't sign.
    pub fn request(&self, key: &PrivateKey) -> Result<Vec<u8>, CertificateError> {
        if let Some(name) = self.dns_names.iter().find(|name| !name.is_ascii()) {
            return Err(CertificateError::Key(format!("the DNS name {name:?} is no ASCII")));
        }
        let info = self.info(key);
        let signature = key.sign(&info)?;
        let request = yasna::construct_der(|writer| {
            writer.write_sequence(|writer| {
                writer.next().write_der(&info);
                writer.next().write_sequence(|writer| {
                    writer.next().write_oid(&ObjectIdentifier::from_slice(ECDSA_WITH_SHA256));
                });
                writer.next().write_bitvec_bytes(&signature, signature.len() * 8);
            });
        });
        Ok(pem("CERTIFICATE REQUEST", &request))
    }

    /// Encodes the data to sign: version, subject, key, and the requested names as an extension.
    fn info(&self, key: &PrivateKey) -> Vec<u8> {
        let organizations = self.organizations.iter().map(|name| (ORGANIZATION, name));
        let common_name = Some((COMMON_NAME, &self.common_name)).filter(|(_, name)| !name.is_empty());
        yasna::construct_der(|writer| {
            writer.write_sequence(|writer| {
                writer.next().write_u8(0);
                writer.next().write_sequence(|writer| {
                    for (attribute, value) in organizations.chain(common_name) {
                        writer.next().write_set(|writer| {
                            writer.next().write_sequence(|writer| {
                                writer.next().write_oid(&ObjectIdentifier::from_slice(attribute));
                                writer.next().write_utf8_string(value);
                            });
                        });
                    }
                });
                writer.next().write_sequence(|writer| {
                    writer.next().write_sequence(|writer| {
                        writer.next().write_oid(&ObjectIdentifier::from_slice(EC_PUBLIC_KEY));
                        writer.next().write_oid(&ObjectIdentifier::from_slice(P256));
                    });
                    writer.next().write_bitvec_bytes(key.public(), key.public().len() * 8);
                });
                writer.next().write_tagged_implicit(Tag::context(0), |writer| {
                    writer.write_set_of(|writer| {
                        if let Some(names) = self.subject_alt_names() {
                            writer.next().write_der(&extension_request(&names));
                        }
                    });
                });
            });
        })
    }

    fn subject_alt_names(&self) -> Option<Vec<u8>> {
        if self.dns_names.is_empty() && self.ip_addresses.is_empty() {
            return None;
        }
        Some(yasna::construct_der(|writer| {
            writer.write_sequence(|writer| {
                for name in &self.dns_names {
                    let tag = Tag::context(2);
                    writer.next().write_tagged_implicit(tag, |writer| writer.write_bytes(name.as_bytes()));
                }
                for address in &self.ip_addresses {
                    let bytes = match address {
                        IpAddr::V4(address) => address.octets().to_vec(),
                        IpAddr::V6(address) => address.octets().to_vec(),
                    };
                    writer.next().write_tagged_implicit(Tag::context(7), |writer| writer.write_bytes(&bytes));
                }
            });
        }))
    }

    /// Reports whether a certificate says all of this. It may say more.
    pub(super) fn is_satisfied_by(&self, leaf: &Leaf) -> bool {
        self.common_name == leaf.common_name
            && self.organizations.iter().all(|name| leaf.organizations.contains(name))
            && self.dns_names.iter().all(|name| leaf.dns_names.contains(name))
            && self.ip_addresses.iter().all(|address| leaf.ip_addresses.contains(address))
    }
}

/// Returns the attribute that asks for the extension with the names.
fn extension_request(names: &[u8]) -> Vec<u8> {
    yasna::construct_der(|writer| {
        writer.write_sequence(|writer| {
            writer.next().write_oid(&ObjectIdentifier::from_slice(EXTENSION_REQUEST));
            writer.next().write_set(|writer| {
                writer.next().write_sequence(|writer| {
                    writer.next().write_sequence(|writer| {
                        writer.next().write_oid(&ObjectIdentifier::from_slice(SUBJECT_ALT_NAME));
                        writer.next().write_bytes(names);
                    });
                });
            });
        });
    })
}
