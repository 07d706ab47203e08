//! Speaking for others: the `Impersonate-*` headers.
//!
//! Kubernetes tries several ways in turn, each with rights of its own: nodes and service accounts by name
//! alone, other users in all details, and last the oldest way, which knows no bounds. Masters have all of
//! these rights, and nobody else has any, so what is left to decide here is which groups come out, and which
//! way's refusal is told.

use std::collections::BTreeMap;

use http::HeaderMap;
use rhumb_meta::validation::{NamePart, name_is_dns_label, name_is_dns_subdomain};
use rhumb_schema::text::quoted;

use super::purpose::Purpose;
use crate::access;
use crate::failure::Failure;
use crate::identity::{ANONYMOUS, User};
use crate::request::{self, ResourcePath};

const USER: &str = "impersonate-user";
const UID: &str = "impersonate-uid";
const GROUP: &str = "impersonate-group";
const EXTRA_PREFIX: &str = "impersonate-extra-";

const AUTHENTICATED: &str = "system:authenticated";
const UNAUTHENTICATED: &str = "system:unauthenticated";
/// What a service account's token says about the node that its pod is on.
const NODE_OF_ACCOUNT: &str = "authentication.kubernetes.io/node-name";

/// The user that a request is answered for: the one that it names in its headers if its sender may speak for
/// that one, and the sender if it names nobody. The headers are taken out, so that nobody behind behaves
/// differently.
pub(crate) fn resolve(headers: &mut HeaderMap, sender: User, purpose: &Purpose) -> Result<User, Failure> {
    let Some(wanted) = wanted(headers)? else { return Ok(sender) };
    let named = Named::of(&wanted.name);
    let by_name_alone = wanted.uid.is_empty() && wanted.groups.is_empty() && wanted.extra.is_empty();
    if !sender.is_master() {
        return Err(refusal(&sender, &wanted.name, &named, by_name_alone, purpose));
    }
    let mut user = wanted;
    match named {
        Named::Node(_) if by_name_alone => user.groups = vec!["system:nodes".to_owned()],
        Named::Account { namespace, .. } if user.groups.is_empty() => {
            user.groups =
                vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
        }
        _ => {}
    }
    let has = |group: &str| user.groups.iter().any(|known| known == group);
    if user.name == ANONYMOUS {
        if !has(UNAUTHENTICATED) {
            user.groups.push(UNAUTHENTICATED.to_owned());
        }
    } else if !has(UNAUTHENTICATED) && !has(AUTHENTICATED) {
        user.groups.push(AUTHENTICATED.to_owned());
    }
    Ok(user)
}

/// Whom the headers name.
fn wanted(headers: &mut HeaderMap) -> Result<Option<User>, Failure> {
    let keys: Vec<_> = headers
        .keys()
        .filter(|name| matches!(name.as_str(), USER | UID | GROUP) || name.as_str().starts_with(EXTRA_PREFIX))
        .cloned()
        .collect();
    if keys.is_empty() {
        return Ok(None);
    }
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let first = |name: &str| headers.get(name).map(text).unwrap_or_default();
    let all = |name: &str| -> Vec<String> { headers.get_all(name).iter().map(text).collect() };
    let mut user = User { name: first(USER), uid: first(UID), groups: all(GROUP), extra: BTreeMap::new() };
    let mut has_extra = false;
    for (name, key) in keys.iter().filter_map(|name| Some((name, name.as_str().strip_prefix(EXTRA_PREFIX)?)))
    {
        has_extra = true;
        // A key that is escaped badly is taken as it is.
        let key = request::decoded_path(key).map_or_else(|| key.to_owned(), Into::into);
        user.extra.entry(key).or_default().extend(all(name.as_str()));
    }
    if user.name.is_empty() {
        if user.uid.is_empty() && user.groups.is_empty() && !has_extra {
            return Ok(None);
        }
        let message = format!("requested {} without impersonating a user name", in_go(&user));
        return Err(Failure::bad_request(message));
    }
    for key in keys {
        headers.remove(key);
    }
    Ok(Some(user))
}

/// A user as Go prints one.
fn in_go(user: &User) -> String {
    let list = |values: &[String]| match values {
        [] => "[]string(nil)".to_owned(),
        values => format!("[]string{{{}}}", values.iter().map(quoted).collect::<Vec<_>>().join(", ")),
    };
    let extra = if user.extra.is_empty() {
        "(nil)".to_owned()
    } else {
        let entry = |(key, values): (&String, &Vec<String>)| format!("{}:{}", quoted(key), list(values));
        format!("{{{}}}", user.extra.iter().map(entry).collect::<Vec<_>>().join(", "))
    };
    format!(
        "&user.DefaultInfo{{Name:{}, UID:{}, Groups:{}, Extra:map[string][]string{extra}}}",
        quoted(&user.name),
        quoted(&user.uid),
        list(&user.groups)
    )
}

/// What a name says about its user.
enum Named {
    /// A node of this name.
    Node(String),
    /// A service account.
    Account { namespace: String, name: String },
    /// Anybody.
    Other,
}

impl Named {
    fn of(name: &str) -> Self {
        if let Some(node) = name.strip_prefix("system:node:")
            && name_is_dns_subdomain(node, NamePart::Whole).is_empty()
        {
            return Named::Node(node.to_owned());
        }
        if let Some((namespace, account)) =
            name.strip_prefix("system:serviceaccount:").and_then(|rest| rest.split_once(':'))
            && name_is_dns_label(namespace, NamePart::Whole).is_empty()
            && name_is_dns_subdomain(account, NamePart::Whole).is_empty()
        {
            return Named::Account { namespace: namespace.to_owned(), name: account.to_owned() };
        }
        Named::Other
    }
}

/// What a sender is told who may not speak for others: the refusal of the first way that was open.
fn refusal(sender: &User, wanted: &str, named: &Named, by_name_alone: bool, purpose: &Purpose) -> Failure {
    let way = match named {
        Named::Node(node) if by_name_alone => {
            let is_account = matches!(Named::of(&sender.name), Named::Account { .. });
            match sender.extra.get(NODE_OF_ACCOUNT).map(Vec::as_slice) {
                Some([own]) if is_account && own == node => "associated-node",
                _ => "arbitrary-node",
            }
        }
        Named::Account { .. } if by_name_alone => "serviceaccount",
        Named::Other => "user-info",
        Named::Node(_) => {
            let users = ResourcePath {
                resource: "users".to_owned(),
                name: wanted.to_owned(),
                ..ResourcePath::default()
            };
            return access::refusal(&sender.name, "impersonate", &users);
        }
        Named::Account { namespace, name } => {
            let accounts = ResourcePath {
                namespace: namespace.clone(),
                resource: "serviceaccounts".to_owned(),
                name: name.clone(),
                ..ResourcePath::default()
            };
            return access::refusal(&sender.name, "impersonate", &accounts);
        }
    };
    purpose.refusal(&sender.name, &format!("impersonate-on:{way}:"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::MASTERS;
    use http::{HeaderName, HeaderValue, Method};

    fn ask(sender: &[&str], sent: &[(&'static str, &'static str)]) -> Result<User, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let groups = sender.iter().map(|group| (*group).to_owned()).collect();
        let sender = User { name: "eve".into(), groups, ..User::default() };
        let purpose = Purpose::of(&Method::GET, "/api/v1/namespaces/a/pods", "");
        let resolved = resolve(&mut headers, sender, &purpose).map_err(|failure| failure.0.message);
        assert!(resolved.is_err() || headers.is_empty(), "{headers:?}");
        resolved
    }

    fn groups(sent: &[(&'static str, &'static str)]) -> Vec<String> {
        ask(&[MASTERS], sent).unwrap().groups
    }

    #[test]
    fn groups_come_from_the_name_and_the_headers() {
        assert_eq!(groups(&[(USER, "tom")]), [AUTHENTICATED]);
        assert_eq!(groups(&[(USER, "tom"), (GROUP, "a"), (GROUP, "b")]), ["a", "b", AUTHENTICATED]);
        assert_eq!(groups(&[(USER, ANONYMOUS)]), [UNAUTHENTICATED]);
        assert_eq!(groups(&[(USER, "system:node:n")]), ["system:nodes", AUTHENTICATED]);
        assert_eq!(groups(&[(USER, "system:node:n"), (GROUP, "a")]), ["a", AUTHENTICATED]);
        let account = "system:serviceaccount:a:b";
        let theirs = ["system:serviceaccounts", "system:serviceaccounts:a", AUTHENTICATED];
        assert_eq!(groups(&[(USER, account)]), theirs);
        assert_eq!(groups(&[(USER, account), (GROUP, "g")]), ["g", AUTHENTICATED]);
    }

    #[test]
    fn extra_keys_are_unescaped() {
        let user = ask(&[MASTERS], &[(USER, "tom"), ("impersonate-extra-acme%2fscope", "s")]).unwrap();
        assert_eq!(user.extra, BTreeMap::from([("acme/scope".to_owned(), vec!["s".to_owned()])]));
        let user = ask(&[MASTERS], &[(USER, "tom"), ("impersonate-extra-a%", "s")]).unwrap();
        assert!(user.extra.contains_key("a%"));
    }

    #[test]
    fn details_without_a_name_are_an_error() {
        let sent = [(UID, "u"), ("impersonate-extra-k", "v")];
        let message = "requested &user.DefaultInfo{Name:\"\", UID:\"u\", Groups:[]string(nil), \
                       Extra:map[string][]string{\"k\":[]string{\"v\"}}} without impersonating a user name";
        assert_eq!(ask(&[MASTERS], &sent).unwrap_err(), message);
        assert_eq!(ask(&[], &[]).unwrap().name, "eve");
    }

    #[test]
    fn nobody_but_masters_speaks_for_others() {
        let told = |name: &'static str, more: &[(&'static str, &'static str)]| {
            ask(&[AUTHENTICATED], &[&[(USER, name)], more].concat()).unwrap_err()
        };
        let here = "resource \"pods\" in API group \"\" in the namespace \"a\"";
        let expect =
            |way: &str| format!("pods is forbidden: User \"eve\" cannot impersonate-on:{way}:list {here}");
        assert_eq!(told("tom", &[(GROUP, "g")]), expect("user-info"));
        assert_eq!(told("system:node:n", &[]), expect("arbitrary-node"));
        assert_eq!(told("system:serviceaccount:a:b", &[]), expect("serviceaccount"));
        assert_eq!(
            told("system:serviceaccount:a:b", &[(GROUP, "g")]),
            "serviceaccounts \"b\" is forbidden: User \"eve\" cannot impersonate resource \
             \"serviceaccounts\" in API group \"\" in the namespace \"a\""
        );
    }
}
