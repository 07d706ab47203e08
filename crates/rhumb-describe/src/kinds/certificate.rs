//! CertificateSigningRequests with their PKCS #10 request.

use std::net::{IpAddr, Ipv6Addr};

use rhumb_api::certificates::v1::CertificateSigningRequest;
use rhumb_api::certificates::x509::PemBlock;
use rhumb_meta::human::human_duration;
use rhumb_meta::labels::format_labels;
use x509_parser::certification_request::X509CertificationRequest;
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::prelude::FromDer;
use x509_parser::x509::X509Name;

use super::creation;
use crate::go_text::format_without_arguments;
use crate::parts::{Events, events};
use crate::{DescribeError, Lines};

/// Displayed fields of the request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requested {
    common_name: String,
    serial_number: String,
    /// Parts of the subject's name, each with its title.
    subject: [(&'static str, Vec<String>); 7],
    dns_names: Vec<String>,
    email_addresses: Vec<String>,
    uris: Vec<String>,
    ip_addresses: Vec<String>,
}

/// Name attributes by the last number of their OID below `2.5.4`.
const SUBJECT: [(&str, u64); 7] = [
    ("Organization", 10),
    ("Organizational Unit", 11),
    ("Country", 6),
    ("Locality", 7),
    ("Province", 8),
    ("StreetAddress", 9),
    ("PostalCode", 17),
];

impl Requested {
    /// Reads a request in the form that objects hold it in.
    ///
    /// # Errors
    /// If it is no such request.
    pub fn from_pem(bytes: &[u8]) -> Result<Self, DescribeError> {
        let wrong = |what: String| DescribeError::CertificateRequest(what);
        let block = PemBlock::all(bytes).next().filter(|block| block.label == "CERTIFICATE REQUEST");
        let block = block.ok_or_else(|| wrong("PEM block type must be CERTIFICATE REQUEST".to_owned()))?;
        let (_, request) =
            X509CertificationRequest::from_der(&block.bytes).map_err(|error| wrong(error.to_string()))?;
        let mut requested = Requested::default();
        requested.read_subject(&request.certification_request_info.subject);
        for extension in request.requested_extensions().into_iter().flatten() {
            if let ParsedExtension::SubjectAlternativeName(names) = extension {
                names.general_names.iter().for_each(|name| requested.read_alternative(name));
            }
        }
        Ok(requested)
    }

    fn read_subject(&mut self, name: &X509Name<'_>) {
        self.subject = SUBJECT.map(|(title, _)| (title, Vec::new()));
        for attribute in name.iter_attributes() {
            let numbers: Option<Vec<u64>> = attribute.attr_type().iter().map(Iterator::collect);
            let (Some([2, 5, 4, last]), Ok(value)) = (numbers.as_deref(), attribute.as_str()) else {
                continue;
            };
            match last {
                3 => self.common_name = value.to_owned(),
                5 => self.serial_number = value.to_owned(),
                last => {
                    let place = SUBJECT.iter().position(|(_, number)| number == last);
                    if let Some((_, values)) = place.and_then(|place| self.subject.get_mut(place)) {
                        values.push(value.to_owned());
                    }
                }
            }
        }
    }

    fn read_alternative(&mut self, name: &GeneralName<'_>) {
        match name {
            GeneralName::DNSName(name) => self.dns_names.push((*name).to_owned()),
            GeneralName::RFC822Name(name) => self.email_addresses.push((*name).to_owned()),
            GeneralName::URI(name) => self.uris.push((*name).to_owned()),
            GeneralName::IPAddress(bytes) => self.ip_addresses.extend(address_text(bytes)),
            _ => {}
        }
    }
}

fn address_text(bytes: &[u8]) -> Option<String> {
    if let Ok(bytes) = <[u8; 4]>::try_from(bytes) {
        return Some(IpAddr::from(bytes).to_string());
    }
    let address = Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?);
    Some(address.to_ipv4_mapped().map_or_else(|| address.to_string(), |address| address.to_string()))
}

/// Describes a CertificateSigningRequest.
pub fn signing_request(
    out: &mut Lines,
    request: &CertificateSigningRequest,
    requested: &Requested,
    shown_events: Events<'_>,
) {
    let CertificateSigningRequest { metadata, spec, .. } = request;
    out.field(0, "Name", &metadata.name);
    out.field(0, "Labels", format_labels(&metadata.labels));
    out.field(0, "Annotations", format_labels(&metadata.annotations));
    creation(out, metadata);
    out.field(0, "Requesting User", &spec.username);
    if !spec.signer_name.is_empty() {
        out.field(0, "Signer", &spec.signer_name);
    }
    if let Some(seconds) = spec.expiration_seconds {
        out.field(0, "Requested Duration", human_duration(i64::from(seconds) * 1_000_000_000));
    }
    out.field(0, "Status", status(request));
    out.line(0, "Subject:");
    out.line(0, format_args!("\tCommon Name:\t{}", requested.common_name));
    out.line(0, format_args!("\tSerial Number:\t{}", requested.serial_number));
    for (title, values) in &requested.subject {
        several(out, title, values);
    }
    let alternatives = [
        ("DNS Names", &requested.dns_names),
        ("Email Addresses", &requested.email_addresses),
        ("URIs", &requested.uris),
        ("IP Addresses", &requested.ip_addresses),
    ];
    if alternatives.iter().any(|(_, values)| !values.is_empty()) {
        out.line(0, "Subject Alternative Names:");
    }
    for (title, values) in alternatives {
        several(out, title, values);
    }
    events(out, shown_events);
}

/// Writes values one per line. kubectl uses them as a format.
fn several(out: &mut Lines, title: &str, values: &[String]) {
    if !values.is_empty() {
        let values = format_without_arguments(&values.join("\n\t\t"));
        out.line(0, format_args!("\t{title}:\t{values}"));
    }
}

fn status(request: &CertificateSigningRequest) -> String {
    let has = |kind: &str| request.status.conditions.iter().any(|condition| condition.type_ == kind);
    let mut status = if has("Denied") {
        "Denied"
    } else if has("Approved") {
        "Approved"
    } else {
        "Pending"
    }
    .to_owned();
    if has("Failed") {
        status.push_str(",Failed");
    }
    if !request.status.certificate.0.is_empty() {
        status.push_str(",Issued");
    }
    status
}
