//! The flags `--oidc-*` as an authenticator of a configuration.

use super::v1::{ClaimMappings, ClaimValidationRule, Issuer, JwtAuthenticator, PrefixedClaimOrExpression};
use crate::authentication::OidcOptions;

/// Returns the authenticator that flags describe.
pub(crate) fn authenticator(options: &OidcOptions) -> JwtAuthenticator {
    let claim = match options.username_claim.as_str() {
        "" => "sub",
        claim => claim,
    };
    let prefix = match (options.username_prefix.as_str(), claim) {
        ("-", _) | ("", "email") => String::new(),
        ("", _) => format!("{}#", options.issuer),
        (prefix, _) => prefix.to_owned(),
    };
    let username =
        PrefixedClaimOrExpression { claim: claim.to_owned(), prefix: Some(prefix), ..Default::default() };
    let groups = PrefixedClaimOrExpression {
        claim: options.groups_claim.clone(),
        prefix: (!options.groups_claim.is_empty()).then(|| options.groups_prefix.clone()),
        ..Default::default()
    };
    // As in Kubernetes, where flags fill a map, the last value that was named for a claim counts.
    let mut required: Vec<ClaimValidationRule> = Vec::new();
    for (claim, value) in &options.required_claims {
        required.retain(|known| known.claim != *claim);
        required.push(ClaimValidationRule {
            claim: claim.clone(),
            required_value: value.clone(),
            ..Default::default()
        });
    }
    JwtAuthenticator {
        issuer: Issuer {
            url: options.issuer.clone(),
            audiences: vec![options.client_id.clone()],
            ..Default::default()
        },
        claim_validation_rules: required,
        claim_mappings: ClaimMappings { username, groups, ..Default::default() },
        ..Default::default()
    }
}
