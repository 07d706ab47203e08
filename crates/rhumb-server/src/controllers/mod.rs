//! The small controllers that a server without kube-controller-manager can't do without: they empty namespaces that are
//! going, delete what nobody owns any more, and give every namespace its account and the server's certificate.
//!
//! Each of them follows the store directly, so that none needs a cache to be filled, and asks the server for changes
//! through [`Inner`](crate::inner::Inner). They end with the server.

mod feed;
mod garbage;
mod keeper;
mod namespaces;

use std::sync::Arc;

use crate::api::Api;

/// The controllers by name, with the older names that still work.
const NAMES: &[(&str, &str)] = &[
    (NAMESPACE, "namespace"),
    (GARBAGE, "garbagecollector"),
    (ACCOUNT, "serviceaccount"),
    (CERTIFICATE, "root-ca-cert-publisher"),
];

const NAMESPACE: &str = "namespace-controller";
const GARBAGE: &str = "garbage-collector-controller";
const ACCOUNT: &str = "serviceaccount-controller";
const CERTIFICATE: &str = "root-ca-certificate-publisher-controller";

/// Whether a list of names, `*` and names with a minus has a controller in it. What is first about it counts.
fn is_wanted(list: &[String], name: &str) -> bool {
    let older = NAMES.iter().find(|(known, _)| *known == name).map_or("", |(_, older)| older);
    let is = |told: &str| told == name || told == older;
    for told in list {
        match told.strip_prefix('-') {
            Some(told) if is(told) => return false,
            None if is(told) => return true,
            _ => {}
        }
    }
    list.iter().any(|told| told == "*")
}

/// Starts the controllers that are wanted.
pub(crate) fn start(api: &Arc<Api>) {
    let wanted = |name| is_wanted(api.options.controllers.words(), name);
    if wanted(NAMESPACE) {
        namespaces::start(api);
    }
    if wanted(GARBAGE) {
        garbage::start(api);
    }
    if wanted(ACCOUNT) {
        keeper::start(api, keeper::Kept::Account);
    }
    if wanted(CERTIFICATE) {
        keeper::start(api, keeper::Kept::Certificate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controllers_are_chosen_as_kube_controller_manager_does() {
        let wanted = |list: &[&str], name| {
            let list: Vec<String> = list.iter().map(|name| (*name).to_owned()).collect();
            is_wanted(&list, name)
        };
        assert!(wanted(&["*"], NAMESPACE));
        assert!(!wanted(&[], NAMESPACE));
        assert!(!wanted(&["*", "-namespace-controller"], NAMESPACE));
        assert!(!wanted(&["-namespace", "*"], NAMESPACE));
        assert!(wanted(&["-namespace", "*"], GARBAGE));
        assert!(wanted(&["garbagecollector"], GARBAGE));
        assert!(!wanted(&["garbagecollector"], ACCOUNT));
        assert!(wanted(&["root-ca-cert-publisher", "-root-ca-cert-publisher"], CERTIFICATE));
    }
}
