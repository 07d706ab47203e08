//! Impersonation: the `Impersonate-*` headers.
//!
//! Kubernetes tries several ways in turn, each with rights of its own: nodes and service accounts by name
//! alone, other users in all details, and last the oldest way, which knows no bounds. What the newer ways allow
//! also depends on what is asked.

mod ways;

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderName};
use rhumb_meta::validation::{NamePart, name_is_dns_label, name_is_dns_subdomain};
use rhumb_schema::text::quoted;

pub(crate) use self::ways::Ways;
use self::ways::{Attempt, Way};
use crate::authorization::{Attributes, Authorize};
use crate::base::failure::Failure;
use crate::base::identity::User;

const USER: &str = "impersonate-user";
const UID: &str = "impersonate-uid";
const GROUP: &str = "impersonate-group";
const EXTRA_PREFIX: &str = "impersonate-extra-";

const AUTHENTICATED: &str = "system:authenticated";
const UNAUTHENTICATED: &str = "system:unauthenticated";

/// The user that a request is answered for: the one whom it names in its headers, if its sender may speak for
/// that one when asking this.
///
/// Each way is tried in turn, the one that was open to the sender before all others. If none is open, the sender
/// is told what stood in the first one.
pub(crate) async fn resolve(
    wanted: User,
    asked: &Attributes<'_>,
    authorizer: &dyn Authorize,
    remembered: &Ways,
) -> Result<User, Failure> {
    let named = Named::of(&wanted.name);
    let mut first = None;
    let mut ways = Way::ALL;
    if let Some(last) = remembered.get(&asked.user.name) {
        ways.sort_by_key(|way| *way != last);
    }
    for way in ways.into_iter().filter(|way| way.is_for(asked.user, &wanted, &named)) {
        match (Attempt { way, asked, authorizer }).check(&wanted, &named).await {
            Ok(()) => {
                remembered.note(&asked.user.name, way);
                return Ok(way.user(wanted, &named));
            }
            Err(failure) => first = first.or(Some(failure)),
        }
    }
    // The last way is for everybody, so there is a failure.
    Err(first.unwrap_or_else(|| Failure::internal("all impersonation modes failed")))
}

/// Whether headers name somebody, or begin to.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    headers.keys().any(names_somebody)
}

fn names_somebody(name: &HeaderName) -> bool {
    matches!(name.as_str(), USER | UID | GROUP) || name.as_str().starts_with(EXTRA_PREFIX)
}

/// Whom the headers name, if anybody. They are taken out, so that nobody behind behaves differently.
pub(crate) fn wanted(headers: &mut HeaderMap) -> Result<Option<User>, Failure> {
    let keys: Vec<_> = headers.keys().filter(|name| names_somebody(name)).cloned().collect();
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
        let key = crate::base::request::decoded_path(key).map_or_else(|| key.to_owned(), Into::into);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authorization::MastersOnly;
    use crate::base::identity::{ANONYMOUS, MASTERS};
    use crate::endpoints::request_info::RequestInfo;
    use http::{HeaderValue, Method};

    async fn ask(sender: &[&str], sent: &[(&'static str, &'static str)]) -> Result<User, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let groups = sender.iter().map(|group| (*group).to_owned()).collect();
        let sender = User { name: "eve".into(), groups, ..User::default() };
        let info = RequestInfo::of(&Method::GET, &"/api/v1/namespaces/a/pods".parse().unwrap()).unwrap();
        let Some(wanted) = wanted(&mut headers).map_err(|failure| failure.0.message)? else {
            return Ok(sender);
        };
        assert!(headers.is_empty(), "{headers:?}");
        let asked = info.attributes(&sender);
        resolve(wanted, &asked, &MastersOnly, &Ways::default()).await.map_err(|failure| failure.0.message)
    }

    async fn groups(sent: &[(&'static str, &'static str)]) -> Vec<String> {
        ask(&[MASTERS], sent).await.unwrap().groups
    }

    #[tokio::test]
    async fn groups_come_from_the_name_and_the_headers() {
        assert_eq!(groups(&[(USER, "tom")]).await, [AUTHENTICATED]);
        assert_eq!(groups(&[(USER, "tom"), (GROUP, "a"), (GROUP, "b")]).await, ["a", "b", AUTHENTICATED]);
        assert_eq!(groups(&[(USER, ANONYMOUS)]).await, [UNAUTHENTICATED]);
        assert_eq!(groups(&[(USER, "system:node:n")]).await, ["system:nodes", AUTHENTICATED]);
        assert_eq!(groups(&[(USER, "system:node:n"), (GROUP, "a")]).await, ["a", AUTHENTICATED]);
        let account = "system:serviceaccount:a:b";
        let theirs = ["system:serviceaccounts", "system:serviceaccounts:a", AUTHENTICATED];
        assert_eq!(groups(&[(USER, account)]).await, theirs);
        assert_eq!(groups(&[(USER, account), (GROUP, "g")]).await, ["g", AUTHENTICATED]);
    }

    #[tokio::test]
    async fn extra_keys_are_unescaped() {
        let user = ask(&[MASTERS], &[(USER, "tom"), ("impersonate-extra-acme%2fscope", "s")]).await.unwrap();
        assert_eq!(user.extra, BTreeMap::from([("acme/scope".to_owned(), vec!["s".to_owned()])]));
        let user = ask(&[MASTERS], &[(USER, "tom"), ("impersonate-extra-a%", "s")]).await.unwrap();
        assert!(user.extra.contains_key("a%"));
    }

    #[tokio::test]
    async fn details_without_a_name_are_an_error() {
        let sent = [(UID, "u"), ("impersonate-extra-k", "v")];
        let message = "requested &user.DefaultInfo{Name:\"\", UID:\"u\", Groups:[]string(nil), \
                       Extra:map[string][]string{\"k\":[]string{\"v\"}}} without impersonating a user name";
        assert_eq!(ask(&[MASTERS], &sent).await.unwrap_err(), message);
        assert_eq!(ask(&[], &[]).await.unwrap().name, "eve");
    }

    #[tokio::test]
    async fn nobody_but_masters_speaks_for_others() {
        let told = async |name: &'static str, more: &[(&'static str, &'static str)]| {
            ask(&[AUTHENTICATED], &[&[(USER, name)], more].concat()).await.unwrap_err()
        };
        let here = "resource \"pods\" in API group \"\" in the namespace \"a\"";
        let expect =
            |way: &str| format!("pods is forbidden: User \"eve\" cannot impersonate-on:{way}:list {here}");
        assert_eq!(told("tom", &[(GROUP, "g")]).await, expect("user-info"));
        assert_eq!(told("system:node:n", &[]).await, expect("arbitrary-node"));
        assert_eq!(told("system:serviceaccount:a:b", &[]).await, expect("serviceaccount"));
        assert_eq!(
            told("system:serviceaccount:a:b", &[(GROUP, "g")]).await,
            "serviceaccounts \"b\" is forbidden: User \"eve\" cannot impersonate resource \
             \"serviceaccounts\" in API group \"\" in the namespace \"a\""
        );
    }
}
