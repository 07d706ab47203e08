//! What a fresh server has: the namespaces and objects that clients count on.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use serde_json::{Value as Json, json};

use crate::api::Api;
use crate::call::Call;
use crate::failure::{Failure, Outcome};
use crate::identity::{MASTERS, User};
use crate::request::ResourcePath;
use crate::verbs;

/// Who the server itself is.
pub(crate) fn server() -> User {
    User { name: "system:apiserver".to_owned(), groups: vec![MASTERS.to_owned()], ..User::default() }
}

const NAMESPACES: &[&str] = &["kube-system", "kube-public", "kube-node-lease", "default"];

/// Makes what is missing.
pub(crate) async fn run(api: &Arc<Api>) -> Outcome<()> {
    for name in NAMESPACES {
        let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        create_if_absent(api, "", "v1", "namespaces", "", &object).await?;
    }
    Ok(())
}

/// Makes an object unless there is one of its name. Nothing happens if the resource is not served.
pub(crate) async fn create_if_absent(
    api: &Arc<Api>,
    group: &str,
    version: &str,
    resource: &str,
    namespace: &str,
    object: &Json,
) -> Outcome<()> {
    let resources = api.resources();
    let Some(endpoint) = resources.find(group, version, resource) else { return Ok(()) };
    let user = server();
    let headers = HeaderMap::new();
    let mut call = Call {
        api,
        endpoint: Arc::clone(endpoint),
        path: ResourcePath {
            group: group.to_owned(),
            version: version.to_owned(),
            namespace: namespace.to_owned(),
            resource: resource.to_owned(),
            ..ResourcePath::default()
        },
        user: &user,
        headers: &headers,
        query: "fieldManager=kube-apiserver",
        warnings: Vec::new(),
    };
    match verbs::create::create(&mut call, Bytes::from(object.to_string())).await {
        Ok(_) => Ok(()),
        Err(failure) if failure.is_already_exists() => Ok(()),
        Err(failure) => Err(Failure::internal(format!("{resource} can't be made: {failure}"))),
    }
}
