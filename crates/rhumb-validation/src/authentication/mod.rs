//! Validation of the `authentication.k8s.io` group. Reviews of tokens and of oneself take anything.

use rhumb_api::authentication::v1::TokenRequest;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const TEN_MINUTES: i64 = 10 * 60;

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<TokenRequest>(Rules::create(token_request))?;
    Ok(())
}

fn token_request(request: &TokenRequest, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("spec").child("expirationSeconds");
    let seconds = request.spec.expiration_seconds.unwrap_or_default();
    if seconds < TEN_MINUTES {
        errors.invalid(&path, &seconds, "may not specify a duration less than 10 minutes");
    }
    if seconds > 1 << 32 {
        errors.invalid(&path, &seconds, "may not specify a duration larger than 2^32 seconds");
    }
}
