//! AuthenticationConfiguration: issuers whose tokens are taken, and what anonymous requests may reach, as a file of
//! `--authentication-config` or the flags `--oidc-*` say.
//!
//! A configuration is read strictly, validated with Kubernetes' messages, and its expressions are compiled meanwhile,
//! so that one that was accepted can be used as it is. Nothing here asks an issuer for anything.

mod claims;
mod email;
mod expressions;
mod flags;
mod issuer;
pub(crate) mod v1;
mod validate;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rhumb_codec::{CodecError, Codecs, Strictness};
use rhumb_meta::GroupVersion;
use rhumb_scheme::validation::FieldErrors;
use rhumb_scheme::{RegisterError, Scheme, SchemeBuilder};

pub(crate) use claims::value;
pub(crate) use expressions::{Subject, Variable};
pub(crate) use flags::authenticator;
pub(crate) use validate::{Compiled, CompiledAuthenticator, Mapping, Rule, change, validate};

const GROUP: &str = "apiserver.config.k8s.io";
const VERSIONS: [&str; 3] = ["v1", "v1beta1", "v1alpha1"];
/// What errors about unknown kinds begin with: the position in Kubernetes' source.
const SCHEME: &str = "pkg/runtime/scheme.go:111";

/// Why a configuration can't be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// The file can't be read.
    Read(std::io::Error),
    /// There is nothing in it.
    Empty,
    /// It is malformed, of another kind, or has fields that there are not.
    Decode(CodecError),
    /// Fields have values that they can't have.
    Invalid(FieldErrors),
    /// The kinds could not be registered, which is no fault of the file.
    Register(RegisterError),
}

impl fmt::Display for ConfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Empty => f.write_str("empty config data"),
            Self::Decode(error) => error.fmt(f),
            Self::Invalid(errors) => write!(f, "invalid authentication configuration: {errors}"),
            Self::Register(error) => error.fmt(f),
        }
    }
}

// Its text is the text of what it wraps, which is why that is not its source as well.
impl std::error::Error for ConfigurationError {}

/// Reads the text of a file.
pub(crate) fn load(path: &Path) -> Result<Vec<u8>, ConfigurationError> {
    std::fs::read(path).map_err(ConfigurationError::Read)
}

fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for version in VERSIONS {
        builder.register::<v1::AuthenticationConfiguration>(&GroupVersion::new_static(GROUP, version))?;
    }
    Ok(())
}

/// Parses a configuration in YAML or JSON.
///
/// # Errors
/// If it is malformed, of another kind, or has a field that there is not.
pub(crate) fn parse(text: &[u8]) -> Result<v1::AuthenticationConfiguration, ConfigurationError> {
    if text.is_empty() {
        return Err(ConfigurationError::Empty);
    }
    let scheme = Scheme::builder().named(SCHEME).install(install).and_then(SchemeBuilder::freeze);
    let scheme = scheme.map_err(ConfigurationError::Register)?;
    let codecs = Codecs::new(Arc::new(scheme)).with_strictness(Strictness::Strict);
    let decoded = codecs.decode(text, None).map_err(ConfigurationError::Decode)?;
    // No other kind is registered.
    Ok(decoded.object.downcast_ref::<v1::AuthenticationConfiguration>().cloned().unwrap_or_default())
}
