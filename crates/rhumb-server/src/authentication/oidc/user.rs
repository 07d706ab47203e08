//! Who the user of an ID token is.

use std::collections::BTreeMap;

use rhumb_cel::value::Value;
use rhumb_schema::text::quoted;
use serde_json::{Value as Json, json};

use crate::authentication::configuration::{CompiledAuthenticator, Mapping, Rule, Subject, Variable, value};
use crate::authentication::jwt::text;
use crate::base::identity::User;

const CREDENTIAL_ID: &str = "authentication.kubernetes.io/credential-id";
const NO_TEXTS: &str = "expression must return a string or a list of strings";

/// Returns the user that claims speak of.
///
/// # Errors
/// If a claim that is needed is not there or not as it must be, or a rule is broken.
pub(super) fn user(authenticator: &CompiledAuthenticator, claims: &Json) -> Result<User, String> {
    let variable = Subject::Claims.with(value(claims));
    let user = User {
        name: username(&authenticator.username, claims, &variable)?,
        groups: groups(&authenticator.groups, claims, &variable)?,
        uid: uid(&authenticator.uid, claims, &variable)?,
        extra: extra(authenticator, claims, &variable)?,
    };
    for (claim, wanted) in &authenticator.required_claims {
        required(claim, wanted, claims)?;
    }
    let failed = |why| format!("oidc: error evaluating claim validation expression: {why}");
    check(&authenticator.claim_rules, &variable).map_err(failed)?;
    if !authenticator.user_rules.is_empty() {
        let info = json!({
            "username": user.name, "uid": user.uid, "groups": user.groups, "extra": user.extra,
        });
        let failed = |why| format!("oidc: error evaluating user info validation rule: {why}");
        check(&authenticator.user_rules, &Subject::User.with(value(&info))).map_err(failed)?;
    }
    Ok(user)
}

fn username(mapping: &Mapping, claims: &Json, variable: &Variable<'_>) -> Result<String, String> {
    let (claim, prefix) = match mapping {
        Mapping::Nothing => return Err("oidc: no username is mapped".to_owned()),
        Mapping::Claim { name, prefix } => (name, prefix),
        Mapping::Expression(expression) => {
            let failed = |why: String| format!("oidc: error evaluating username claim expression: {why}");
            return match expression.evaluate(variable).map_err(failed)? {
                Value::String(name) if name.is_empty() => {
                    Err("oidc: empty username via CEL expression is not allowed".to_owned())
                }
                Value::String(name) => Ok(name.to_string()),
                _ => Err(failed("username claim expression must return a string".to_owned())),
            };
        }
    };
    let name = match claims.get(claim) {
        Some(Json::String(name)) => name,
        Some(_) => return Err(format!("oidc: parse username claims {}: no text", quoted(claim))),
        None => return Err(format!("oidc: parse username claims {}: claim not present", quoted(claim))),
    };
    if claim == "email" {
        match claims.get("email_verified") {
            None | Some(Json::Bool(true)) => {}
            Some(Json::Bool(false)) => return Err("oidc: email not verified".to_owned()),
            Some(_) => return Err("oidc: parse 'email_verified' claim: no truth".to_owned()),
        }
    }
    Ok(format!("{prefix}{name}"))
}

fn groups(mapping: &Mapping, claims: &Json, variable: &Variable<'_>) -> Result<Vec<String>, String> {
    let (claim, prefix) = match mapping {
        Mapping::Nothing => return Ok(Vec::new()),
        Mapping::Claim { name, prefix } => (name, prefix),
        Mapping::Expression(expression) => {
            let failed = |why: String| format!("oidc: error evaluating group claim expression: {why}");
            let groups = expression.evaluate(variable).map_err(failed)?;
            return texts(&groups).ok_or_else(|| failed(NO_TEXTS.to_owned()));
        }
    };
    let malformed = || format!("oidc: parse groups claim {}: no texts", quoted(claim));
    let prefixed = |group: &str| format!("{prefix}{group}");
    match claims.get(claim) {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::String(group)) => Ok(vec![prefixed(group)]),
        Some(Json::Array(groups)) => {
            groups.iter().map(|group| group.as_str().map(prefixed).ok_or_else(malformed)).collect()
        }
        Some(_) => Err(malformed()),
    }
}

fn uid(mapping: &Mapping, claims: &Json, variable: &Variable<'_>) -> Result<String, String> {
    match mapping {
        Mapping::Nothing => Ok(String::new()),
        Mapping::Claim { name, .. } => match claims.get(name) {
            Some(Json::String(uid)) => Ok(uid.clone()),
            Some(_) => Err(format!("oidc: parse uid claim {}: no text", quoted(name))),
            None => Err(format!("oidc: parse uid claim {}: claim not present", quoted(name))),
        },
        Mapping::Expression(expression) => {
            let failed = |why: String| format!("oidc: error evaluating uid claim expression: {why}");
            match expression.evaluate(variable).map_err(failed)? {
                Value::String(uid) => Ok(uid.to_string()),
                _ => Err(failed("uid claim expression must return a string".to_owned())),
            }
        }
    }
}

fn extra(
    authenticator: &CompiledAuthenticator,
    claims: &Json,
    variable: &Variable<'_>,
) -> Result<BTreeMap<String, Vec<String>>, String> {
    let mut extra = BTreeMap::new();
    let id = text(claims, "/jti");
    if !id.is_empty() {
        extra.insert(CREDENTIAL_ID.to_owned(), vec![format!("JTI={id}")]);
    }
    for (key, expression) in &authenticator.extra {
        let failed = |why: &str| {
            format!("oidc: error evaluating extra claim expression: {}: {why}", expression.text())
        };
        let values = texts(&expression.evaluate(variable)?).ok_or_else(|| failed(NO_TEXTS))?;
        if !values.is_empty() {
            extra.insert(key.clone(), values);
        }
    }
    Ok(extra)
}

/// Returns a text or a list of them, without those that are empty; nothing if it is something else.
fn texts(value: &Value<'_>) -> Option<Vec<String>> {
    let mut all = match value {
        Value::Null => Vec::new(),
        Value::String(text) => vec![text.to_string()],
        Value::List(list) => {
            let texts = list.iter().map(|element| match element {
                Value::String(text) => Some(text.to_string()),
                _ => None,
            });
            texts.collect::<Option<_>>()?
        }
        _ => return None,
    };
    all.retain(|text| !text.is_empty());
    Some(all)
}

fn required(claim: &str, wanted: &str, claims: &Json) -> Result<(), String> {
    match claims.get(claim) {
        None => Err(format!("oidc: required claim {claim} not present in ID token")),
        Some(Json::String(found)) if found == wanted => Ok(()),
        Some(Json::String(found)) => {
            Err(format!("oidc: required claim {claim} value does not match. Got = {found}, want = {wanted}"))
        }
        Some(_) => Err(format!("oidc: parse claim {claim}: no text")),
    }
}

/// Checks that all rules hold.
fn check(rules: &[Rule], variable: &Variable<'_>) -> Result<(), String> {
    // Which rule is broken is told only if all of them have a value.
    let mut values = Vec::with_capacity(rules.len());
    for rule in rules {
        values.push((rule, rule.expression.evaluate(variable)?));
    }
    for (rule, value) in values {
        match value {
            Value::Bool(true) => {}
            Value::Bool(false) => {
                let (text, message) = (rule.expression.text(), &rule.message);
                return Err(format!("validation expression '{text}' failed: {message}"));
            }
            _ => return Err("validation expression must return a boolean".to_owned()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authentication::OidcOptions;
    use crate::authentication::configuration::{authenticator, v1, validate};

    /// How flags make a user.
    struct Mapping(CompiledAuthenticator);

    impl Mapping {
        fn new(options: &OidcOptions) -> Self {
            let options = OidcOptions { client_id: "kubernetes".to_owned(), ..options.clone() };
            let jwt = vec![authenticator(&options)];
            let configuration = v1::AuthenticationConfiguration { jwt, ..Default::default() };
            let compiled = validate(&configuration, &Default::default()).unwrap();
            Mapping(compiled.authenticators.into_iter().next().unwrap())
        }

        fn user(&self, claims: &Json) -> Result<User, String> {
            user(&self.0, claims)
        }
    }

    #[track_caller]
    fn check(options: &OidcOptions, claims: &Json, expect: &str) {
        let options = OidcOptions { issuer: "https://i".to_owned(), ..options.clone() };
        let found = match Mapping::new(&options).user(claims) {
            Ok(user) => format!("{} {:?}", user.name, user.groups),
            Err(why) => why,
        };
        assert_eq!(found, expect);
    }

    #[test]
    fn users_come_of_claims_as_in_kubernetes() {
        let plain = OidcOptions::default();
        check(&plain, &json!({"sub": "a"}), "https://i#a []");
        check(&plain, &json!({}), "oidc: parse username claims \"sub\": claim not present");
        let bare = OidcOptions { username_prefix: "-".to_owned(), ..plain.clone() };
        check(&bare, &json!({"sub": "a"}), "a []");
        let mail = OidcOptions { username_claim: "email".to_owned(), ..plain.clone() };
        check(&mail, &json!({"email": "a@b"}), "a@b []");
        check(&mail, &json!({"email": "a@b", "email_verified": true}), "a@b []");
        check(&mail, &json!({"email": "a@b", "email_verified": false}), "oidc: email not verified");
        let groups =
            OidcOptions { groups_claim: "roles".to_owned(), groups_prefix: "o:".to_owned(), ..bare.clone() };
        check(&groups, &json!({"sub": "a", "roles": "x"}), "a [\"o:x\"]");
        check(&groups, &json!({"sub": "a", "roles": ["x", "y"]}), "a [\"o:x\", \"o:y\"]");
        check(&groups, &json!({"sub": "a", "roles": [1]}), "oidc: parse groups claim \"roles\": no texts");
        let required = OidcOptions { required_claims: vec![("hd".to_owned(), "e".to_owned())], ..bare };
        check(&required, &json!({"sub": "a", "hd": "e"}), "a []");
        check(&required, &json!({"sub": "a"}), "oidc: required claim hd not present in ID token");
        check(
            &required,
            &json!({"sub": "a", "hd": "f"}),
            "oidc: required claim hd value does not match. Got = f, want = e",
        );
    }
}
