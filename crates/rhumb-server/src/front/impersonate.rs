//! Speaking for others: the `Impersonate-*` headers.
//!
//! Kubernetes tries several ways in turn, each with rights of its own: nodes and service accounts by name
//! alone, other users in all details, and last the oldest way, which knows no bounds. What the newer ways allow
//! also depends on what is asked.

use std::collections::{BTreeMap, HashMap};

use http::HeaderMap;
use parking_lot::Mutex;
use rhumb_meta::validation::{NamePart, name_is_dns_label, name_is_dns_subdomain};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_validation::meta::domain_prefixed_path;

use crate::authorize::{AskedResource, Attributes, Authorize, Decision, refusal};
use crate::failure::Failure;
use crate::identity::{ANONYMOUS, MASTERS, User};
use crate::request;

const USER: &str = "impersonate-user";
const UID: &str = "impersonate-uid";
const GROUP: &str = "impersonate-group";
const EXTRA_PREFIX: &str = "impersonate-extra-";

/// The group that the details of users are in.
const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHENTICATED: &str = "system:authenticated";
const UNAUTHENTICATED: &str = "system:unauthenticated";
/// What a service account's token says about the node that its pod is on.
const NODE_OF_ACCOUNT: &str = "authentication.kubernetes.io/node-name";

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

/// A way to speak for somebody, with rights of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A service account speaks for the node that its pod is on.
    OwnNode,
    /// Somebody speaks for a node.
    AnyNode,
    /// Somebody speaks for a service account.
    Account,
    /// Somebody speaks for anybody else, in all details.
    Details,
    /// The oldest way, which knows no bounds but the names.
    Old,
}

/// The ways that were open to senders, so that they are tried first. There is no harm in forgetting them.
#[derive(Default)]
pub(crate) struct Ways(Mutex<HashMap<String, Way>>);

impl Ways {
    /// How many senders are remembered.
    const MOST: usize = 10_000;

    fn get(&self, sender: &str) -> Option<Way> {
        self.0.lock().get(sender).copied()
    }

    fn note(&self, sender: &str, way: Way) {
        let mut known = self.0.lock();
        if known.get(sender) == Some(&way) {
            return;
        }
        if known.len() >= Self::MOST {
            known.clear();
        }
        known.insert(sender.to_owned(), way);
    }
}

/// From how many names on it is worth asking whether all of them are allowed.
const MANY: usize = 4;

impl Way {
    const ALL: [Way; 5] = [Way::OwnNode, Way::AnyNode, Way::Account, Way::Details, Way::Old];

    /// What its verbs call it.
    fn name(self) -> &'static str {
        match self {
            Way::OwnNode => "associated-node",
            Way::AnyNode => "arbitrary-node",
            Way::Account => "serviceaccount",
            Way::Details => "user-info",
            Way::Old => "",
        }
    }

    /// Whether somebody can be spoken for in this way at all.
    fn is_for(self, sender: &User, wanted: &User, named: &Named) -> bool {
        let by_name_alone = wanted.uid.is_empty() && wanted.groups.is_empty() && wanted.extra.is_empty();
        match (self, named) {
            (Way::OwnNode, Named::Node(node)) => {
                let is_account = matches!(Named::of(&sender.name), Named::Account { .. });
                let own = sender.extra.get(NODE_OF_ACCOUNT).map(Vec::as_slice);
                by_name_alone && is_account && matches!(own, Some([own]) if own == node)
            }
            (Way::AnyNode, Named::Node(_)) | (Way::Account, Named::Account { .. }) => by_name_alone,
            (Way::Details, Named::Other) | (Way::Old, _) => true,
            _ => false,
        }
    }

    /// Who the sender is from now on: what the headers say, and what goes without saying.
    fn user(self, mut user: User, named: &Named) -> User {
        match named {
            Named::Node(_) if self != Way::Old => user.groups = vec!["system:nodes".to_owned()],
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
        user
    }
}

/// One way, tried for one request.
struct Attempt<'a> {
    way: Way,
    asked: &'a Attributes<'a>,
    authorizer: &'a dyn Authorize,
}

impl Attempt<'_> {
    /// Refuses if the sender may not speak for a user in this way, or not to ask this.
    async fn check(&self, wanted: &User, named: &Named) -> Result<(), Failure> {
        if self.way != Way::Old {
            let verb = format!("impersonate-on:{}:{}", self.way.name(), self.asked.verb);
            self.allow(&Attributes { verb: verb.into(), ..self.asked.clone() }).await?;
        }
        self.check_name(wanted, named).await?;
        if !wanted.uid.is_empty() {
            self.may(AUTHENTICATION, "uids", "", "", &wanted.uid).await?;
        }
        self.check_groups(&wanted.groups).await?;
        self.check_extra(&wanted.extra).await
    }

    async fn check_name(&self, wanted: &User, named: &Named) -> Result<(), Failure> {
        match named {
            Named::Node(_) if self.way == Way::OwnNode => self.may(self.group(), "nodes", "", "", "*").await,
            Named::Node(node) if self.way != Way::Old => self.may(self.group(), "nodes", "", "", node).await,
            Named::Account { namespace, name } => {
                self.may(self.group(), "serviceaccounts", "", namespace, name).await
            }
            _ => self.may(self.group(), "users", "", "", &wanted.name).await,
        }
    }

    async fn check_groups(&self, groups: &[String]) -> Result<(), Failure> {
        if groups.is_empty() {
            return Ok(());
        }
        if self.way != Way::Old {
            let refuse = |name: &'static str, why: &str| {
                Err(refusal(&self.question(self.group(), "groups", "", "", name), why))
            };
            if groups.iter().any(String::is_empty) {
                return refuse("", "impersonating the empty string group is not allowed");
            }
            if groups.iter().any(|group| group == MASTERS) {
                return refuse(MASTERS, "impersonating the system:masters group is not allowed");
            }
            if groups.len() >= MANY && self.may(self.group(), "groups", "", "", "*").await.is_ok() {
                return Ok(());
            }
        }
        for group in groups {
            self.may(self.group(), "groups", "", "", group).await?;
        }
        Ok(())
    }

    async fn check_extra(&self, extra: &BTreeMap<String, Vec<String>>) -> Result<(), Failure> {
        if extra.is_empty() {
            return Ok(());
        }
        if self.way != Way::Old {
            if let Some(why) = extra.iter().find_map(|(key, values)| bad_extra(key, values)) {
                return Err(refusal(&self.question(AUTHENTICATION, "userextras", "", "", ""), &why));
            }
            let is_large = extra.len() >= MANY || extra.values().map(Vec::len).sum::<usize>() >= MANY;
            if is_large && self.may(AUTHENTICATION, "userextras", "*", "", "*").await.is_ok() {
                return Ok(());
            }
        }
        for (key, values) in extra {
            for value in values {
                self.may(AUTHENTICATION, "userextras", key, "", value).await?;
            }
        }
        Ok(())
    }

    /// The group that names of users and groups are in.
    fn group(&self) -> &'static str {
        if self.way == Way::Old { "" } else { AUTHENTICATION }
    }

    fn question<'q>(
        &'q self,
        group: &'q str,
        resource: &'q str,
        subresource: &'q str,
        namespace: &'q str,
        name: &'q str,
    ) -> Attributes<'q> {
        let verb = match self.way {
            Way::Old => "impersonate".to_owned(),
            way => format!("impersonate:{}", way.name()),
        };
        let name = name.into();
        let asked = AskedResource { group, resource, subresource, namespace, name, fields: Vec::new() };
        Attributes::resource(self.asked.user, verb, asked)
    }

    async fn may(
        &self,
        group: &str,
        resource: &str,
        subresource: &str,
        namespace: &str,
        name: &str,
    ) -> Result<(), Failure> {
        self.allow(&self.question(group, resource, subresource, namespace, name)).await
    }

    async fn allow(&self, wanted: &Attributes<'_>) -> Result<(), Failure> {
        match self.authorizer.authorize(wanted).await {
            Decision::Allowed(_) => Ok(()),
            Decision::Refused(why) => Err(refusal(wanted, &why)),
        }
    }
}

/// Why nobody can be given this in the newer ways.
fn bad_extra(key: &str, values: &[String]) -> Option<String> {
    if key.is_empty() {
        return Some("impersonating the empty string key in extra is not allowed".to_owned());
    }
    let mut errors = FieldErrors::default();
    domain_prefixed_path(key, &FieldPath::new("extra").child("key"), &mut errors);
    if !errors.is_empty() {
        let told: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
        let told = if told.len() == 1 { told.concat() } else { format!("[{}]", told.join(", ")) };
        return Some(format!("impersonating an invalid key in extra is not allowed: {told}"));
    }
    if key.chars().any(char::is_uppercase) {
        return Some(format!("impersonating a non-lowercase key in extra is not allowed: {}", quoted(key)));
    }
    if values.is_empty() {
        return Some("impersonating empty values in extra is not allowed".to_owned());
    }
    if values.iter().any(String::is_empty) {
        return Some("impersonating the empty string value in extra is not allowed".to_owned());
    }
    None
}

/// Whom the headers name, if anybody. They are taken out, so that nobody behind behaves differently.
pub(crate) fn wanted(headers: &mut HeaderMap) -> Result<Option<User>, Failure> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authorize::MastersOnly;
    use crate::front::purpose::Purpose;
    use http::{HeaderName, HeaderValue, Method};

    async fn ask(sender: &[&str], sent: &[(&'static str, &'static str)]) -> Result<User, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let groups = sender.iter().map(|group| (*group).to_owned()).collect();
        let sender = User { name: "eve".into(), groups, ..User::default() };
        let purpose = Purpose::of(&Method::GET, "/api/v1/namespaces/a/pods", "");
        let Some(wanted) = wanted(&mut headers).map_err(|failure| failure.0.message)? else {
            return Ok(sender);
        };
        assert!(headers.is_empty(), "{headers:?}");
        let asked = purpose.attributes(&sender, "");
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
