//! The ways of signing tokens.

use ring::signature::{self, VerificationAlgorithm};

/// A way of signing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
}

/// The kinds of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Rsa,
    P256,
    P384,
}

const ALL: [(Algorithm, &str); 8] = [
    (Algorithm::Rs256, "RS256"),
    (Algorithm::Rs384, "RS384"),
    (Algorithm::Rs512, "RS512"),
    (Algorithm::Ps256, "PS256"),
    (Algorithm::Ps384, "PS384"),
    (Algorithm::Ps512, "PS512"),
    (Algorithm::Es256, "ES256"),
    (Algorithm::Es384, "ES384"),
];

impl Algorithm {
    /// The one of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        ALL.iter().find(|(_, known)| *known == name).map(|(algorithm, _)| *algorithm)
    }

    /// All ways that are known.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        ALL.iter().map(|(algorithm, _)| *algorithm)
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        ALL.iter().find(|(algorithm, _)| *algorithm == self).map_or("", |(_, name)| name)
    }

    /// The kind of keys that sign so.
    pub(super) fn family(self) -> Family {
        match self {
            Algorithm::Es256 => Family::P256,
            Algorithm::Es384 => Family::P384,
            _ => Family::Rsa,
        }
    }

    /// How signatures are checked.
    pub(super) fn verification(self) -> &'static dyn VerificationAlgorithm {
        match self {
            Algorithm::Rs256 => &signature::RSA_PKCS1_2048_8192_SHA256,
            Algorithm::Rs384 => &signature::RSA_PKCS1_2048_8192_SHA384,
            Algorithm::Rs512 => &signature::RSA_PKCS1_2048_8192_SHA512,
            Algorithm::Ps256 => &signature::RSA_PSS_2048_8192_SHA256,
            Algorithm::Ps384 => &signature::RSA_PSS_2048_8192_SHA384,
            Algorithm::Ps512 => &signature::RSA_PSS_2048_8192_SHA512,
            Algorithm::Es256 => &signature::ECDSA_P256_SHA256_FIXED,
            Algorithm::Es384 => &signature::ECDSA_P384_SHA384_FIXED,
        }
    }
}

impl Family {
    /// How a key of this kind signs if nobody says otherwise.
    pub(super) fn usual(self) -> Algorithm {
        match self {
            Family::Rsa => Algorithm::Rs256,
            Family::P256 => Algorithm::Es256,
            Family::P384 => Algorithm::Es384,
        }
    }
}
