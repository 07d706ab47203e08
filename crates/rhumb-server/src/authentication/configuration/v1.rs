//! `apiserver.config.k8s.io`: the AuthenticationConfiguration, which is the same in v1, v1beta1 and v1alpha1.

use rhumb_meta::Object;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::Schema;

/// Who may be authenticated by JSON Web Tokens, and what anonymous requests may reach.
#[derive(Clone, Default, Schema, Object)]
pub(crate) struct AuthenticationConfiguration {
    /// The version and kind.
    #[field(0, inline)]
    pub(crate) type_meta: TypeMeta,
    /// Authenticators, one for each issuer.
    #[field(1, required)]
    pub(crate) jwt: Vec<JwtAuthenticator>,
    /// What anonymous requests may reach; without it the flag decides.
    #[field(2)]
    pub(crate) anonymous: Option<AnonymousAuthConfig>,
}

/// What anonymous requests may reach.
#[derive(Clone, Default, Schema)]
pub(crate) struct AnonymousAuthConfig {
    /// Whether there are any.
    #[field(1, required)]
    pub(crate) enabled: bool,
    /// Where they are let in; everywhere, if there are no conditions.
    #[field(2)]
    pub(crate) conditions: Vec<AnonymousAuthCondition>,
}

/// A place where anonymous requests are let in.
#[derive(Clone, Default, Schema)]
pub(crate) struct AnonymousAuthCondition {
    /// The whole path.
    #[field(1, required)]
    pub(crate) path: String,
}

/// How tokens of one issuer are checked and become users.
#[derive(Clone, Default, Schema)]
pub(crate) struct JwtAuthenticator {
    /// The issuer.
    #[field(1, required)]
    pub(crate) issuer: Issuer,
    /// What must hold of claims.
    #[field(2)]
    pub(crate) claim_validation_rules: Vec<ClaimValidationRule>,
    /// How claims become a user.
    #[field(3, required)]
    pub(crate) claim_mappings: ClaimMappings,
    /// What must hold of the user.
    #[field(4)]
    pub(crate) user_validation_rules: Vec<UserValidationRule>,
}

/// An issuer of tokens.
#[derive(Clone, Default, Schema)]
pub(crate) struct Issuer {
    /// Its URL, which tokens name it by.
    #[field(1, required)]
    pub(crate) url: String,
    /// The whole URL of its discovery document, if that is elsewhere than usual.
    #[field(2, json = "discoveryURL")]
    pub(crate) discovery_url: Option<String>,
    /// The authorities that vouch for it, as PEM; without them, those that the machine trusts.
    #[field(3)]
    pub(crate) certificate_authority: String,
    /// Whom tokens must be for.
    #[field(4, required)]
    pub(crate) audiences: Vec<String>,
    /// How audiences are compared: MatchAny, or empty if there is only one.
    #[field(5)]
    pub(crate) audience_match_policy: String,
    /// How the issuer is reached.
    #[field(6)]
    pub(crate) egress_selector_type: String,
}

/// A rule about claims: a claim with its value, or an expression.
#[derive(Clone, Default, Schema)]
pub(crate) struct ClaimValidationRule {
    /// The claim that must be there.
    #[field(1)]
    pub(crate) claim: String,
    /// The value that it must have.
    #[field(2)]
    pub(crate) required_value: String,
    /// The expression that must be true.
    #[field(3)]
    pub(crate) expression: String,
    /// What is said if it is not.
    #[field(4)]
    pub(crate) message: String,
}

/// How claims become a user.
#[derive(Clone, Default, Schema)]
pub(crate) struct ClaimMappings {
    /// The name.
    #[field(1, required)]
    pub(crate) username: PrefixedClaimOrExpression,
    /// The groups.
    #[field(2)]
    pub(crate) groups: PrefixedClaimOrExpression,
    /// The UID.
    #[field(3, required)]
    pub(crate) uid: ClaimOrExpression,
    /// What else is known.
    #[field(4)]
    pub(crate) extra: Vec<ExtraMapping>,
}

/// A claim with what goes before its value, or an expression.
#[derive(Clone, Default, Schema)]
pub(crate) struct PrefixedClaimOrExpression {
    /// The claim.
    #[field(1)]
    pub(crate) claim: String,
    /// What goes before its value.
    #[field(2)]
    pub(crate) prefix: Option<String>,
    /// The expression.
    #[field(3)]
    pub(crate) expression: String,
}

/// A claim or an expression.
#[derive(Clone, Default, Schema)]
pub(crate) struct ClaimOrExpression {
    /// The claim.
    #[field(1)]
    pub(crate) claim: String,
    /// The expression.
    #[field(2)]
    pub(crate) expression: String,
}

/// Something else that is known of a user.
#[derive(Clone, Default, Schema)]
pub(crate) struct ExtraMapping {
    /// Its key.
    #[field(1, required)]
    pub(crate) key: String,
    /// The expression of its values.
    #[field(2, required)]
    pub(crate) value_expression: String,
}

/// A rule about a user.
#[derive(Clone, Default, Schema)]
pub(crate) struct UserValidationRule {
    /// The expression that must be true.
    #[field(1, required)]
    pub(crate) expression: String,
    /// What is said if it is not.
    #[field(2)]
    pub(crate) message: String,
}
