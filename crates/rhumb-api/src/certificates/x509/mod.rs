//! What the API machinery must understand of certificates: PEM blocks, and enough of X.509 to tell whom a request is
//! for, which key it is about and whether a certificate is an authority's.
//!
//! Signatures are not verified here: that takes cryptography, which this crate has none of.

mod der;
mod pem;
mod public_key;

use std::fmt;

use der::{Der, Tag};
pub use pem::{PemBlock, PemBlocks};
pub use public_key::{KeyKind, PublicKey};

/// Why bytes are no certificate or request, in Go's words where those are short.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum X509Error {
    /// There is no PEM block of a request.
    NotARequest,
    /// The structure is broken.
    Malformed(String),
}

impl fmt::Display for X509Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            X509Error::NotARequest => f.write_str("PEM block type must be CERTIFICATE REQUEST"),
            X509Error::Malformed(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for X509Error {}

impl X509Error {
    fn malformed(what: &str) -> Self {
        X509Error::Malformed(format!("x509: {what}"))
    }
}

/// The type of PEM blocks that hold certificates.
pub const CERTIFICATE: &str = "CERTIFICATE";

const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
const REQUESTED_EXTENSIONS: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x0e];

/// A request for a certificate (PKCS#10): who it is for, and the key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pkcs10 {
    /// The last common name of the subject.
    pub common_name: String,
    /// The organizations of the subject.
    pub organizations: Vec<String>,
    /// How many alternative names are host names.
    pub dns_names: usize,
    /// How many alternative names are addresses of mail.
    pub email_addresses: usize,
    /// How many alternative names are URIs.
    pub uris: usize,
    /// How many alternative names are IP addresses.
    pub ip_addresses: usize,
    /// The key that shall be certified.
    pub public_key: PublicKey,
}

impl Pkcs10 {
    /// Reads the request in the first PEM block.
    ///
    /// # Errors
    /// If that is no request, or a broken one.
    pub fn from_pem(bytes: &[u8]) -> Result<Self, X509Error> {
        match PemBlock::all(bytes).next() {
            Some(block) if block.label == "CERTIFICATE REQUEST" => Pkcs10::from_der(&block.bytes),
            _ => Err(X509Error::NotARequest),
        }
    }

    /// Reads a request.
    ///
    /// # Errors
    /// If it is broken.
    pub fn from_der(bytes: &[u8]) -> Result<Self, X509Error> {
        let mut outer = Der::new(bytes);
        let mut whole = outer.expect(Tag::SEQUENCE)?;
        outer.end()?;
        let mut info = whole.expect(Tag::SEQUENCE)?;
        whole.expect(Tag::SEQUENCE)?;
        whole.expect(Tag::BIT_STRING)?;
        let mut request = Pkcs10::default();
        info.expect(Tag::INTEGER)?;
        request.read_subject(info.expect(Tag::SEQUENCE)?)?;
        request.public_key = PublicKey::from_info(info.expect(Tag::SEQUENCE)?)?;
        if let Some(mut attributes) = info.optional(Tag::context(0))? {
            while let Some(mut attribute) = attributes.next_of(Tag::SEQUENCE)? {
                if attribute.expect(Tag::OBJECT_IDENTIFIER)?.rest() == REQUESTED_EXTENSIONS {
                    let mut values = attribute.expect(Tag::SET)?;
                    if let Some(extensions) = values.optional(Tag::SEQUENCE)? {
                        request.read_extensions(extensions)?;
                    }
                }
            }
        }
        Ok(request)
    }

    /// Whether there is any alternative name.
    pub fn has_alternative_names(&self) -> bool {
        self.dns_names + self.email_addresses + self.uris + self.ip_addresses > 0
    }

    fn read_subject(&mut self, mut names: Der<'_>) -> Result<(), X509Error> {
        while let Some(mut set) = names.next_of(Tag::SET)? {
            while let Some(mut pair) = set.next_of(Tag::SEQUENCE)? {
                let name = pair.expect(Tag::OBJECT_IDENTIFIER)?.rest();
                let (_, value) = pair.any()?;
                let text = String::from_utf8_lossy(value.rest()).into_owned();
                match name {
                    COMMON_NAME => self.common_name = text,
                    ORGANIZATION => self.organizations.push(text),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn read_extensions(&mut self, extensions: Der<'_>) -> Result<(), X509Error> {
        for extension in Extension::all(extensions)? {
            if extension.id == ALTERNATIVE_NAMES {
                let mut names = Der::new(extension.value).expect(Tag::SEQUENCE)?;
                while !names.is_empty() {
                    let (tag, _) = names.any()?;
                    match tag.context_number() {
                        Some(1) => self.email_addresses += 1,
                        Some(2) => self.dns_names += 1,
                        Some(6) => self.uris += 1,
                        Some(7) => self.ip_addresses += 1,
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }
}

/// A certificate, as far as it takes to trust it or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// Whether it may sign others.
    pub is_authority: bool,
    /// The key that is certified.
    pub public_key: PublicKey,
}

impl Certificate {
    /// Reads a certificate.
    ///
    /// # Errors
    /// If it is broken, or something follows it.
    pub fn from_der(bytes: &[u8]) -> Result<Self, X509Error> {
        let mut outer = Der::new(bytes);
        let mut whole =
            outer.expect(Tag::SEQUENCE).map_err(|_| X509Error::malformed("malformed certificate"))?;
        outer.end().map_err(|_| X509Error::malformed("trailing data"))?;
        Certificate::read(&mut whole)
    }

    fn read(whole: &mut Der<'_>) -> Result<Self, X509Error> {
        let mut body =
            whole.expect(Tag::SEQUENCE).map_err(|_| X509Error::malformed("malformed tbs certificate"))?;
        whole
            .expect(Tag::SEQUENCE)
            .map_err(|_| X509Error::malformed("malformed signature algorithm identifier"))?;
        whole.expect(Tag::BIT_STRING).map_err(|_| X509Error::malformed("malformed signature"))?;
        body.optional(Tag::context(0))?;
        body.expect(Tag::INTEGER).map_err(|_| X509Error::malformed("malformed serial number"))?;
        body.expect(Tag::SEQUENCE)
            .map_err(|_| X509Error::malformed("malformed signature algorithm identifier"))?;
        body.expect(Tag::SEQUENCE).map_err(|_| X509Error::malformed("malformed issuer"))?;
        body.expect(Tag::SEQUENCE).map_err(|_| X509Error::malformed("malformed validity"))?;
        body.expect(Tag::SEQUENCE).map_err(|_| X509Error::malformed("malformed issuer"))?;
        let key = body.expect(Tag::SEQUENCE).map_err(|_| X509Error::malformed("malformed spki"))?;
        let mut certificate = Certificate { is_authority: false, public_key: PublicKey::from_info(key)? };
        body.optional(Tag::context_primitive(1))?;
        body.optional(Tag::context_primitive(2))?;
        if let Some(mut extensions) = body.optional(Tag::context(3))? {
            for extension in Extension::all(extensions.expect(Tag::SEQUENCE)?)? {
                if extension.id == BASIC_CONSTRAINTS {
                    let broken = |_| X509Error::malformed("invalid basic constraints");
                    let mut constraints = Der::new(extension.value).expect(Tag::SEQUENCE).map_err(broken)?;
                    let authority = constraints.optional(Tag::BOOLEAN).map_err(broken)?;
                    certificate.is_authority = authority.is_some_and(|value| value.rest() == [0xff]);
                }
            }
        }
        Ok(certificate)
    }
}

/// An extension of a certificate or request.
struct Extension<'a> {
    id: &'a [u8],
    value: &'a [u8],
}

impl<'a> Extension<'a> {
    fn all(mut extensions: Der<'a>) -> Result<Vec<Self>, X509Error> {
        let mut all = Vec::new();
        while let Some(mut extension) = extensions.next_of(Tag::SEQUENCE)? {
            let id = extension.expect(Tag::OBJECT_IDENTIFIER)?.rest();
            extension.optional(Tag::BOOLEAN)?;
            all.push(Extension { id, value: extension.expect(Tag::OCTET_STRING)?.rest() });
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests;
