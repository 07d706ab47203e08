//! Who the user of an ID token is.

use std::collections::BTreeMap;

use rhumb_schema::text::quoted;
use serde_json::Value as Json;

use crate::authentication::OidcOptions;
use crate::authentication::jwt::text;
use crate::base::identity::User;

/// Which claims make the user.
pub(super) struct Mapping {
    name: String,
    name_prefix: String,
    groups: String,
    groups_prefix: String,
    required: Vec<(String, String)>,
}

impl Mapping {
    pub(super) fn new(options: &OidcOptions) -> Self {
        let name = match options.username_claim.as_str() {
            "" => "sub",
            claim => claim,
        };
        let name_prefix = match (options.username_prefix.as_str(), name) {
            ("-", _) | ("", "email") => String::new(),
            ("", _) => format!("{}#", options.issuer),
            (prefix, _) => prefix.to_owned(),
        };
        Mapping {
            name: name.to_owned(),
            name_prefix,
            groups: options.groups_claim.clone(),
            groups_prefix: options.groups_prefix.clone(),
            required: options.required_claims.clone(),
        }
    }

    /// The user that claims speak of.
    ///
    /// # Errors
    /// If one that is needed is not there, or not as it must be.
    pub(super) fn user(&self, claims: &Json) -> Result<User, String> {
        let name = match claims.get(&self.name) {
            Some(Json::String(name)) => name,
            Some(_) => return Err(format!("oidc: parse username claims {}: no text", quoted(&self.name))),
            None => {
                return Err(format!("oidc: parse username claims {}: claim not present", quoted(&self.name)));
            }
        };
        if self.name == "email" {
            match claims.get("email_verified") {
                None | Some(Json::Bool(true)) => {}
                Some(Json::Bool(false)) => return Err("oidc: email not verified".to_owned()),
                Some(_) => return Err("oidc: parse 'email_verified' claim: no truth".to_owned()),
            }
        }
        for (claim, wanted) in &self.required {
            match claims.get(claim) {
                None => return Err(format!("oidc: required claim {claim} not present in ID token")),
                Some(Json::String(found)) if found == wanted => {}
                Some(Json::String(found)) => {
                    return Err(format!(
                        "oidc: required claim {claim} value does not match. Got = {found}, want = {wanted}"
                    ));
                }
                Some(_) => return Err(format!("oidc: parse claim {claim}: no text")),
            }
        }
        let mut extra = BTreeMap::new();
        let id = text(claims, "/jti");
        if !id.is_empty() {
            let key = "authentication.kubernetes.io/credential-id".to_owned();
            extra.insert(key, vec![format!("JTI={id}")]);
        }
        Ok(User {
            name: format!("{}{name}", self.name_prefix),
            groups: self.groups(claims)?,
            extra,
            ..User::default()
        })
    }

    fn groups(&self, claims: &Json) -> Result<Vec<String>, String> {
        let malformed = || format!("oidc: parse groups claim {}: no texts", quoted(&self.groups));
        let prefixed = |group: &str| format!("{}{group}", self.groups_prefix);
        match claims.get(&self.groups).filter(|_| !self.groups.is_empty()) {
            None | Some(Json::Null) => Ok(Vec::new()),
            Some(Json::String(group)) => Ok(vec![prefixed(group)]),
            Some(Json::Array(groups)) => {
                groups.iter().map(|group| group.as_str().map(prefixed).ok_or_else(malformed)).collect()
            }
            Some(_) => Err(malformed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
