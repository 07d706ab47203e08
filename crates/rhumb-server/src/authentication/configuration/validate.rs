//! Validation of configurations, which compiles their expressions on the way.

use std::collections::{BTreeSet, HashSet};

use rhumb_scheme::validation::{FieldErrors, FieldPath, Shown};
use rhumb_validation::meta::domain_prefixed_path;
use serde_json::json;

use super::email::{self, EMAIL, EMAIL_VERIFIED};
use super::expressions::{CompileError, Compiler, Expression, Subject, Wanted};
use super::issuer;
use super::v1::{
    AnonymousAuthConfig, AuthenticationConfiguration, ClaimMappings, ClaimValidationRule, JwtAuthenticator,
    PrefixedClaimOrExpression, UserValidationRule,
};
use crate::authentication::Anonymous;

/// The most issuers that a configuration may have.
const MOST_ISSUERS: usize = 64;
/// Domains whose extra keys are Kubernetes' own.
const RESERVED_DOMAINS: [&str; 2] = ["kubernetes.io", "k8s.io"];

/// A configuration that was validated, with its expressions compiled.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    /// The authenticators, one for each issuer.
    pub(crate) authenticators: Vec<CompiledAuthenticator>,
    /// What anonymous requests may reach, if it is said.
    pub(crate) anonymous: Option<Anonymous>,
}

/// An authenticator that was validated, with its expressions compiled.
#[derive(Debug, Default)]
pub(crate) struct CompiledAuthenticator {
    /// The issuer's URL.
    pub(crate) url: String,
    /// The whole URL of the discovery document; the usual one, if it is empty.
    pub(crate) discovery_url: String,
    /// The authorities that vouch for the issuer, as PEM; empty for those that the machine trusts.
    pub(crate) certificate_authority: String,
    /// Whom tokens must be for: one of these.
    pub(crate) audiences: Vec<String>,
    /// Claims that must have these values.
    pub(crate) required_claims: Vec<(String, String)>,
    /// What must hold of claims.
    pub(crate) claim_rules: Vec<Rule>,
    /// The name of the user.
    pub(crate) username: Mapping,
    /// The groups of the user.
    pub(crate) groups: Mapping,
    /// The UID of the user.
    pub(crate) uid: Mapping,
    /// What else is known of the user, by key.
    pub(crate) extra: Vec<(String, Expression)>,
    /// What must hold of the user.
    pub(crate) user_rules: Vec<Rule>,
}

/// Where something that is known of a user comes from.
#[derive(Debug, Default)]
pub(crate) enum Mapping {
    /// From nowhere: it is empty.
    #[default]
    Nothing,
    /// From a claim, with a prefix.
    Claim {
        /// The claim.
        name: String,
        /// What goes before its value.
        prefix: String,
    },
    /// From an expression about claims.
    Expression(Box<Expression>),
}

/// An expression that must be true, and what is said if it is not.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The expression.
    pub(crate) expression: Expression,
    /// What is said.
    pub(crate) message: String,
}

/// Validates a configuration. Issuers must be none of those that are disallowed, which are those of service accounts.
///
/// # Errors
/// If there is anything wrong with it.
pub(crate) fn validate(
    configuration: &AuthenticationConfiguration,
    disallowed: &BTreeSet<String>,
) -> Result<Compiled, FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut compiled = Compiled::default();
    let root = FieldPath::new("jwt");
    if configuration.jwt.len() > MOST_ISSUERS {
        errors.too_many(&root, configuration.jwt.len(), MOST_ISSUERS);
        return Err(errors);
    }
    let compiler = Compiler::new().map_err(|error| {
        let mut errors = FieldErrors::default();
        errors.internal(&root, &format!("unexpected error loading CEL environment: {error}"));
        errors
    })?;
    let (mut urls, mut discovery_urls) = (HashSet::new(), HashSet::new());
    for (index, authenticator) in configuration.jwt.iter().enumerate() {
        let path = root.index(index);
        let issuer = &authenticator.issuer;
        issuer::validate(issuer, disallowed, &path.child("issuer"), &mut errors);
        let mut checked = Checked { compiler: &compiler, errors: &mut errors, uses: Uses::default() };
        compiled.authenticators.push(checked.authenticator(authenticator, &path));
        if !urls.insert(issuer.url.as_str()) {
            errors.duplicate(&path.child("issuer").child("url"), &issuer.url);
        }
        if let Some(url) = issuer.discovery_url.as_deref().filter(|url| !url.is_empty())
            && !discovery_urls.insert(url)
        {
            errors.duplicate(&path.child("issuer").child("discoveryURL"), url);
        }
    }
    if let Some(config) = &configuration.anonymous {
        compiled.anonymous = Some(anonymous(config, &mut errors));
    }
    if errors.is_empty() { Ok(compiled) } else { Err(errors) }
}

/// Reports what a configuration may not change while a server runs.
pub(crate) fn change(old: Option<&Anonymous>, new: Option<&Anonymous>) -> FieldErrors {
    let mut errors = FieldErrors::default();
    if old != new {
        errors.forbidden(&FieldPath::new("anonymous"), "changed from initial configuration file");
    }
    errors
}

fn anonymous(config: &AnonymousAuthConfig, errors: &mut FieldErrors) -> Anonymous {
    let paths: Vec<String> = config.conditions.iter().map(|condition| condition.path.clone()).collect();
    match (config.enabled, paths.is_empty()) {
        (true, true) => Anonymous::Everything,
        (true, false) => Anonymous::Paths(paths),
        (false, true) => Anonymous::Nothing,
        (false, false) => {
            let shown: Vec<_> = paths.iter().map(|path| json!({"Path": path})).collect();
            let why = "enabled should be set to true when conditions are defined";
            let path = FieldPath::new("anonymous").child("conditions");
            errors.invalid(&path, &Shown(serde_json::Value::from(shown).to_string()), why);
            Anonymous::Nothing
        }
    }
}

/// Which claims about e-mail addresses expressions use.
#[derive(Default)]
struct Uses {
    email: bool,
    email_verified: bool,
}

/// Which claims about e-mail addresses count if an expression uses them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Email {
    /// The address, and whether it was verified.
    Both,
    /// Whether an address was verified.
    Verified,
    /// None.
    Neither,
}

/// The validation of one authenticator.
struct Checked<'c> {
    compiler: &'c Compiler,
    errors: &'c mut FieldErrors,
    uses: Uses,
}

impl Checked<'_> {
    fn authenticator(&mut self, authenticator: &JwtAuthenticator, path: &FieldPath) -> CompiledAuthenticator {
        let issuer = &authenticator.issuer;
        let mut compiled = CompiledAuthenticator {
            url: issuer.url.clone(),
            discovery_url: issuer.discovery_url.clone().unwrap_or_default(),
            certificate_authority: issuer.certificate_authority.clone(),
            audiences: issuer.audiences.clone(),
            ..CompiledAuthenticator::default()
        };
        let rules = path.child("claimValidationRules");
        self.claim_rules(&authenticator.claim_validation_rules, &rules, &mut compiled);
        self.mappings(&authenticator.claim_mappings, &path.child("claimMappings"), &mut compiled);
        let rules = path.child("userValidationRules");
        self.user_rules(&authenticator.user_validation_rules, &rules, &mut compiled);
        compiled
    }

    fn compile(
        &mut self,
        text: &str,
        subject: Subject,
        wanted: Wanted,
        email: Email,
        path: &FieldPath,
    ) -> Option<Expression> {
        let uses = &mut self.uses;
        let compiled = self.compiler.compile(text, subject, wanted, |expression| {
            uses.email |= email == Email::Both && email::uses(expression, EMAIL);
            uses.email_verified |= email != Email::Neither && email::uses(expression, EMAIL_VERIFIED);
        });
        match compiled {
            Ok(expression) => Some(expression),
            Err(CompileError::Invalid(why)) => {
                self.errors.invalid(path, text, &why);
                None
            }
            Err(CompileError::Internal(why)) => {
                self.errors.internal(path, &why);
                None
            }
        }
    }

    fn claim_rules(
        &mut self,
        rules: &[ClaimValidationRule],
        path: &FieldPath,
        compiled: &mut CompiledAuthenticator,
    ) {
        let (mut claims, mut expressions) = (HashSet::new(), HashSet::new());
        for (index, rule) in rules.iter().enumerate() {
            let path = path.index(index);
            match (rule.claim.as_str(), rule.expression.as_str()) {
                ("", "") => self.errors.required(&path, "claim or expression is required"),
                (claim, "") => {
                    if !rule.message.is_empty() {
                        let why = "may not be specified when claim is set";
                        self.errors.invalid(&path.child("message"), &rule.message, why);
                    }
                    if !claims.insert(claim) {
                        self.errors.duplicate(&path.child("claim"), claim);
                    }
                    compiled.required_claims.push((rule.claim.clone(), rule.required_value.clone()));
                }
                ("", expression) => {
                    if !rule.required_value.is_empty() {
                        let why = "may not be specified when expression is set";
                        self.errors.invalid(&path.child("requiredValue"), &rule.required_value, why);
                    }
                    let path = path.child("expression");
                    if !expressions.insert(expression) {
                        self.errors.duplicate(&path, expression);
                        continue;
                    }
                    let (subject, wanted) = (Subject::Claims, Wanted::Condition);
                    let expression = self.compile(expression, subject, wanted, Email::Verified, &path);
                    let message = rule.message.clone();
                    compiled.claim_rules.extend(expression.map(|expression| Rule { expression, message }));
                }
                (claim, _) => self.errors.invalid(&path, claim, "claim and expression can't both be set"),
            }
        }
    }

    fn user_rules(
        &mut self,
        rules: &[UserValidationRule],
        path: &FieldPath,
        compiled: &mut CompiledAuthenticator,
    ) {
        let mut seen = HashSet::new();
        for (index, rule) in rules.iter().enumerate() {
            let path = path.index(index).child("expression");
            if rule.expression.is_empty() {
                self.errors.required(&path, "");
            } else if !seen.insert(rule.expression.as_str()) {
                self.errors.duplicate(&path, &rule.expression);
            } else {
                let (subject, wanted) = (Subject::User, Wanted::Condition);
                let expression = self.compile(&rule.expression, subject, wanted, Email::Neither, &path);
                let message = rule.message.clone();
                compiled.user_rules.extend(expression.map(|expression| Rule { expression, message }));
            }
        }
    }

    fn mappings(&mut self, mappings: &ClaimMappings, path: &FieldPath, compiled: &mut CompiledAuthenticator) {
        let username = &mappings.username;
        let at = path.child("username");
        if username.claim.is_empty() && username.expression.is_empty() {
            self.errors.required(&at, "claim or expression is required");
        }
        compiled.username = self.prefixed(username, Email::Both, &at);
        compiled.groups = self.prefixed(&mappings.groups, Email::Neither, &path.child("groups"));
        let at = path.child("uid");
        compiled.uid = match (mappings.uid.claim.as_str(), mappings.uid.expression.as_str()) {
            ("", "") => Mapping::Nothing,
            (claim, "") => Mapping::Claim { name: claim.to_owned(), prefix: String::new() },
            ("", expression) => self.mapped(expression, Email::Neither, &at.child("expression")),
            _ => {
                self.errors.invalid(&at, "", "claim and expression can't both be set");
                Mapping::Nothing
            }
        };
        self.extra(mappings, path, compiled);
        if self.uses.email && !self.uses.email_verified {
            let why = "claims.email_verified must be used in claimMappings.username.expression or \
                       claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when \
                       claims.email is used in claimMappings.username.expression";
            let at = path.child("username").child("expression");
            self.errors.invalid(&at, &username.expression, why);
        }
    }

    fn prefixed(&mut self, mapping: &PrefixedClaimOrExpression, email: Email, path: &FieldPath) -> Mapping {
        match (mapping.claim.as_str(), mapping.expression.as_str()) {
            ("", "") => Mapping::Nothing,
            (claim, "") => {
                if mapping.prefix.is_none() {
                    let why = "prefix is required when claim is set. It can be set to an empty string to \
                               disable prefixing";
                    self.errors.required(&path.child("prefix"), why);
                }
                let prefix = mapping.prefix.clone().unwrap_or_default();
                Mapping::Claim { name: claim.to_owned(), prefix }
            }
            ("", expression) => {
                // As in Kubernetes, what an expression with a prefix looks at doesn't count.
                let email = if let Some(prefix) = &mapping.prefix {
                    let why = "may not be specified when expression is set";
                    self.errors.invalid(&path.child("prefix"), prefix, why);
                    Email::Neither
                } else {
                    email
                };
                self.mapped(expression, email, &path.child("expression"))
            }
            _ => {
                self.errors.invalid(path, "", "claim and expression can't both be set");
                Mapping::Nothing
            }
        }
    }

    fn mapped(&mut self, expression: &str, email: Email, path: &FieldPath) -> Mapping {
        let expression = self.compile(expression, Subject::Claims, Wanted::Mapping, email, path);
        expression.map_or(Mapping::Nothing, |expression| Mapping::Expression(Box::new(expression)))
    }

    fn extra(&mut self, mappings: &ClaimMappings, path: &FieldPath, compiled: &mut CompiledAuthenticator) {
        let mut seen = HashSet::new();
        for (index, mapping) in mappings.extra.iter().enumerate() {
            let path = path.child("extra").index(index);
            let (at, key) = (path.child("key"), mapping.key.as_str());
            domain_prefixed_path(key, &at, self.errors);
            if key != key.to_lowercase() {
                self.errors.invalid(&at, key, "must be lowercase");
            }
            if is_reserved(key) {
                let why = "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use";
                self.errors.invalid(&at, key, why);
            }
            if !seen.insert(key) {
                self.errors.duplicate(&at, key);
                continue;
            }
            let at = path.child("valueExpression");
            if mapping.value_expression.is_empty() {
                self.errors.required(&at, "");
                continue;
            }
            let text = mapping.value_expression.as_str();
            let expression = self.compile(text, Subject::Claims, Wanted::Mapping, Email::Verified, &at);
            compiled.extra.extend(expression.map(|expression| (mapping.key.clone(), expression)));
        }
    }
}

/// Reports whether a key is of a domain that is Kubernetes' own.
fn is_reserved(key: &str) -> bool {
    let Some((domain, _)) = key.split_once('/') else { return false };
    RESERVED_DOMAINS.iter().any(|reserved| {
        domain.strip_suffix(reserved).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}
