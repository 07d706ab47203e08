//! Who may do what, in a server with its listener and without: what roles allow, what goes past them, and what
//! becomes of the attempts. What a real server answers is in `compare/cases/authorize.yaml`.

use crate::client::Client;
use crate::inside::{Inside, Said, eventually};
use bytes::Bytes;
use http::Method;
use rhumb_server::config::{AuthorizationModes, Options};
use rhumb_server::identity::User;
use rhumb_server::{ApiOptions, Server};
use serde_json::{Value, json};

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const SECRET: &str = "aHVzaA==";

fn user(name: &str, groups: &[&str]) -> User {
    let groups = groups.iter().chain(&["system:authenticated"]).map(|group| (*group).to_owned()).collect();
    User { name: name.to_owned(), groups, ..User::default() }
}

impl Inside {
    /// The same server, asked by somebody else.
    fn by(&self, user: User) -> Inside {
        Inside { api: std::sync::Arc::clone(&self.api), user }
    }

    async fn role(&self, name: &str, rules: Value) {
        let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": name}, "rules": rules});
        let said = self.post(&format!("{RBAC}/clusterroles"), role).await;
        assert_eq!(said.code, 201, "{}", said.json);
    }

    /// Binds a cluster role to a user, in a namespace or everywhere.
    async fn bind(&self, namespace: &str, role: &str, user: &str) {
        let (kind, path) = match namespace {
            "" => ("ClusterRoleBinding", format!("{RBAC}/clusterrolebindings")),
            _ => ("RoleBinding", format!("{RBAC}/namespaces/{namespace}/rolebindings")),
        };
        let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
            "metadata": {"name": format!("{role}-{user}")},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]});
        let said = self.post(&path, binding).await;
        assert_eq!(said.code, 201, "{}", said.json);
    }

    async fn secret(&self, namespace: &str, name: &str) {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name},
            "data": {"key": SECRET}});
        let said = self.post(&format!("/api/v1/namespaces/{namespace}/secrets"), secret).await;
        assert_eq!(said.code, 201, "{}", said.json);
    }

    /// Waits until a request is answered in a way.
    async fn until(&self, path: &str, code: u16) -> Said {
        eventually(async || Some(self.get(path).await).filter(|said| said.code == code)).await
    }
}

fn pods() -> Value {
    json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}])
}

#[tokio::test]
async fn everybody_known_may_look_around_from_the_first_request_on() {
    let server = Inside::start().await;
    let (ann, nobody) = (server.by(user("ann", &[])), server.by(User::anonymous()));
    for path in ["/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1", "/openapi/v2", "/openapi/v3"] {
        assert_eq!(ann.get(path).await.code, 200, "{path}");
        assert_eq!(nobody.get(path).await.code, 403, "{path}");
    }
    let refused = ann.get("/api/v1/nodes").await;
    let told =
        r#"nodes is forbidden: User "ann" cannot list resource "nodes" in API group "" at the cluster scope"#;
    assert_eq!((refused.code, refused.json["message"].as_str()), (403, Some(told)));
}

#[tokio::test]
async fn what_a_binding_grants_holds_as_long_as_it_is_there() {
    let server = Inside::start().await;
    server.role("pods", pods()).await;
    server.bind("default", "pods", "tom").await;
    let tom = server.by(user("tom", &[]));
    tom.until("/api/v1/namespaces/default/pods", 200).await;
    assert_eq!(tom.get("/api/v1/namespaces/kube-system/pods").await.code, 403);
    assert_eq!(tom.get("/api/v1/pods").await.code, 403);
    assert_eq!(tom.delete("/api/v1/namespaces/default/pods/x").await.code, 403);
    assert_eq!(tom.get("/api/v1/namespaces/default/pods/x/log").await.code, 403);
    let other = json!({"rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"]}]});
    server.patch(&format!("{RBAC}/clusterroles/pods"), "application/merge-patch+json", other).await;
    tom.until("/api/v1/namespaces/default/pods", 403).await;
    tom.until("/api/v1/namespaces/default/secrets", 200).await;
    assert_eq!(server.delete(&format!("{RBAC}/namespaces/default/rolebindings/pods-tom")).await.code, 200);
    tom.until("/api/v1/namespaces/default/secrets", 403).await;
}

/// Requests that mean a secret and are spelled as if they were for pods, or the other way round.
#[tokio::test]
async fn no_spelling_reaches_an_object_under_the_rule_for_another() {
    let server = Inside::start().await;
    server.role("pods", pods()).await;
    server.bind("", "pods", "tom").await;
    server.secret("default", "s").await;
    let tom = server.by(user("tom", &[]));
    tom.until("/api/v1/pods", 200).await;
    let here = "/api/v1/namespaces/default";
    let paths = [
        "/secrets",
        "/secrets/",
        "/secrets/s",
        "/secrets/s/",
        "//secrets/s",
        "/secrets//s",
        "/Secrets/s",
        "/SECRETS/s",
        "/%73ecrets/s",
        "/secrets%2fs",
        "/secrets/%73",
        "/pods/../secrets/s",
        "/./secrets/s",
        "/pods/..%2fsecrets%2fs",
        "/pods/%2e%2e/secrets/s",
        "/pods/%2e%2e%2fsecrets%2fs",
        "/pods/secrets/s",
        "/pods/x/../../secrets/s",
        "/pods%2f..%2fsecrets%2fs",
        "/pods//secrets/s",
        "/pods;/secrets/s",
        "/secrets/s?fieldSelector=metadata.name%3Dx",
        "/secrets?watch=1&timeoutSeconds=1",
        "/secrets?watch=true",
        "/secrets?fieldSelector=metadata.name%3Ds",
        "/secrets?resource=pods",
        "/secrets/s?subresource=status",
        "/secrets/s?pretty=1#/pods",
        "/pods%00/secrets/s",
        "/secrets%00",
        "/pods/x/secrets/s",
        "/pods/%252e%252e/secrets/s",
        "/namespaces/default/secrets/s",
        "/pods/..;/secrets/s",
        "/secrets/s/pods",
    ];
    let mut tried = 0;
    for path in paths.iter().map(|path| format!("{here}{path}")).chain(
        [
            "/api/v1/secrets",
            "//api/v1/secrets",
            "/api//v1/secrets",
            "/api/v1//secrets",
            "/API/v1/secrets",
            "/api/v1/namespaces//secrets",
            "/api/v1/watch/namespaces/default/secrets/s",
            "/api/v1/watch/secrets",
            "/api/v1/namespaces/default/secrets/s/../s",
            "/apis//v1/secrets",
            "/apis/v1/secrets",
            "/apis/core/v1/secrets",
            "/api/v1/namespaces/default%2fsecrets%2fs",
            "/api/v1/namespaces/%2e/secrets",
            "/api/v1/namespaces/default/../kube-system/secrets",
            "/registry/secrets/default/s",
            "/api/v1/namespaces/..%2f..%2fsecrets/pods/s",
            "/api/v1/namespaces/*/secrets",
            "/api/v1/proxy/namespaces/default/secrets/s",
            "/../api/v1/secrets",
            "/./api/v1/secrets",
        ]
        .iter()
        .map(|path| (*path).to_owned()),
    ) {
        let Ok(uri) = path.parse::<http::Uri>() else { continue };
        for method in
            [Method::GET, Method::HEAD, Method::POST, Method::OPTIONS, Method::DELETE, Method::PATCH]
        {
            let said = tom.ask(method.clone(), &uri.to_string(), &[], Bytes::new()).await;
            let text = String::from_utf8_lossy(&said.body);
            assert!((400..500).contains(&said.code), "{method} {path}: {} {text}", said.code);
            assert!(!text.contains(SECRET), "{method} {path}: {text}");
            tried += 1;
        }
    }
    assert!(tried > 300, "{tried}");
    let kept = server.get("/api/v1/namespaces/default/secrets/s").await;
    assert_eq!((kept.code, kept.json["data"]["key"].as_str()), (200, Some(SECRET)));
}

#[tokio::test]
async fn names_in_rules_shut_out_everything_else() {
    let server = Inside::start().await;
    let verbs = ["get", "list", "watch", "delete", "deletecollection", "create", "update", "patch"];
    let rule =
        json!({"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["mine"], "verbs": verbs});
    server.role("mine", json!([rule])).await;
    server.bind("default", "mine", "tom").await;
    server.secret("default", "mine").await;
    server.secret("default", "other").await;
    let tom = server.by(user("tom", &[]));
    let secrets = "/api/v1/namespaces/default/secrets";
    tom.until(&format!("{secrets}/mine"), 200).await;
    let one = tom.get(&format!("{secrets}?fieldSelector=metadata.name%3Dmine")).await;
    assert_eq!((one.code, one.json["items"].as_array().map(Vec::len)), (200, Some(1)));
    for query in [
        "",
        "?fieldSelector=metadata.name!%3Dother",
        "?fieldSelector=metadata.name%3Dother",
        "?limit=1",
        "?fieldSelector=metadata.name%3Dother&fieldSelector=metadata.name%3Dmine",
        "?fieldSelector=metadata.namespace%3Ddefault",
        "?labelSelector=metadata.name%3Dmine",
        "?fieldSelector=metadata.name%3D",
        "?fieldSelector=metadata.name",
        "?fieldSelector",
    ] {
        let said = tom.get(&format!("{secrets}{query}")).await;
        assert_eq!(said.code, 403, "{query}: {}", said.json);
    }
    // Both terms hold, so that nothing is found; and what counts for the rule counts for the list.
    for query in [
        "?fieldSelector=metadata.name%3Dmine,metadata.name%3Dother",
        "?fieldSelector=metadata.name%3Dother,metadata.name%3Dmine",
        "?fieldSelector=metadata.name%3Dmine&fieldSelector=metadata.name%3Dother",
        "?FieldSelector=&fieldSelector=metadata.name%3Dmine",
    ] {
        let said = tom.get(&format!("{secrets}{query}")).await;
        assert!(
            !String::from_utf8_lossy(&said.body).contains("\"name\":\"other\""),
            "{query}: {}",
            said.json
        );
    }
    assert_eq!(tom.delete(&format!("{secrets}?fieldSelector=metadata.name%3Dmine")).await.code, 403);
    assert_eq!(tom.delete(secrets).await.code, 403);
    assert_eq!(server.get(&format!("{secrets}/other")).await.code, 200);
}

#[tokio::test]
async fn custom_resources_are_reached_in_their_own_scope_and_kind_only() {
    let server = Inside::start().await;
    for (kind, plural, scope) in [("Global", "globals", "Cluster"), ("Local", "locals", "Namespaced")] {
        let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.example.com")},
            "spec": {"group": "example.com", "scope": scope,
                "names": {"kind": kind, "plural": plural, "singular": plural.trim_end_matches('s')},
                "versions": [{"name": "v1", "served": true, "storage": true,
                    "schema": {"openAPIV3Schema": schema}}]}});
        let made = server.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition).await;
        assert_eq!(made.code, 201, "{}", made.json);
    }
    server.until("/apis/example.com/v1/globals", 200).await;
    server.until("/apis/example.com/v1/locals", 200).await;
    let global =
        json!({"apiVersion": "example.com/v1", "kind": "Global", "metadata": {"name": "g"}, "data": SECRET});
    assert_eq!(server.post("/apis/example.com/v1/globals", global.clone()).await.code, 201);
    let rules = json!([{"apiGroups": ["example.com"], "resources": ["globals", "locals"], "verbs": ["*"]}]);
    server.role("customs", rules).await;
    server.bind("default", "customs", "tom").await;
    server
        .role("locals", json!([{"apiGroups": ["example.com"], "resources": ["locals"], "verbs": ["*"]}]))
        .await;
    server.bind("", "locals", "ann").await;
    let (tom, ann) = (server.by(user("tom", &[])), server.by(user("ann", &[])));
    tom.until("/apis/example.com/v1/namespaces/default/locals", 200).await;
    ann.until("/apis/example.com/v1/locals", 200).await;
    // Rights in a namespace reach nothing that is in none (CVE-2019-11247).
    for path in [
        "/apis/example.com/v1/globals",
        "/apis/example.com/v1/globals/g",
        "/apis/example.com/v1/namespaces/default/globals",
        "/apis/example.com/v1/namespaces/default/globals/g",
        "/apis/example.com/v1/watch/namespaces/default/globals/g?timeoutSeconds=1",
    ] {
        let said = tom.get(path).await;
        let text = String::from_utf8_lossy(&said.body);
        assert!(matches!(said.code, 403 | 404) && !text.contains(SECRET), "{path}: {} {text}", said.code);
        let deleted = tom.delete(path).await;
        assert!(matches!(deleted.code, 403..=405), "{path}: {}", deleted.code);
    }
    // Nor does a list of one kind reach another of the same group (CVE-2022-3162).
    for path in [
        "/apis/example.com/v1/globals",
        "/apis/example.com/v1/locals/../globals",
        "/apis/example.com/v1/locals%2f..%2fglobals/g",
        "/apis/example.com/v1/namespaces/..%2fglobals/locals",
        "/apis/example.com/v1/namespaces/%2e%2e/locals",
        "/apis/example.com/v1/namespaces/..%2f..%2fglobals/locals/g",
        "/apis/example.com/v1/namespaces/globals/locals/g",
    ] {
        let said = ann.get(path).await;
        let text = String::from_utf8_lossy(&said.body);
        assert!(!text.contains(SECRET), "{path}: {} {text}", said.code);
    }
    assert_eq!(server.get("/apis/example.com/v1/globals/g").await.json["data"], SECRET);
}

#[tokio::test]
async fn nobody_grants_more_than_they_have_in_any_form_of_write() {
    let server = Inside::start().await;
    let resources = ["roles", "rolebindings", "clusterroles", "clusterrolebindings"];
    let rule = json!({"apiGroups": ["rbac.authorization.k8s.io"], "resources": resources,
        "verbs": ["get", "list", "create", "update", "patch", "delete"]});
    server.role("maker", json!([rule])).await;
    server.bind("", "maker", "max").await;
    let max = server.by(user("max", &[]));
    max.until(&format!("{RBAC}/clusterroles/maker"), 200).await;
    let more = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]);
    let held = |name: &str| {
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name},
            "rules": [{"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"], "verbs": ["get"]}]})
    };
    assert_eq!(max.post(&format!("{RBAC}/clusterroles"), held("own")).await.code, 201);
    let own = format!("{RBAC}/clusterroles/own");
    let (mut whole, mut fresh) = (held("own"), held("fresh"));
    whole["rules"] = more.clone();
    fresh["rules"] = more.clone();
    let mut said = vec![
        max.post(&format!("{RBAC}/clusterroles"), fresh.clone()).await,
        max.put(&own, whole.clone()).await,
        max.put(&format!("{RBAC}/clusterroles/fresh"), fresh.clone()).await,
        max.patch(&own, "application/merge-patch+json", json!({"rules": more})).await,
        max.patch(&own, "application/strategic-merge-patch+json", json!({"rules": more})).await,
        max.patch(
            &own,
            "application/json-patch+json",
            json!([{"op": "add", "path": "/rules/-", "value": more[0]}]),
        )
        .await,
        max.patch(&format!("{own}?fieldManager=m&force=true"), "application/apply-patch+yaml", whole).await,
        max.patch(
            &format!("{RBAC}/clusterroles/fresh?fieldManager=m"),
            "application/apply-patch+yaml",
            fresh,
        )
        .await,
    ];
    let binding = |role: &str| {
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "b"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "max"}]})
    };
    let bindings = format!("{RBAC}/clusterrolebindings");
    said.push(max.post(&bindings, binding("cluster-admin")).await);
    said.push(max.put(&format!("{bindings}/b"), binding("cluster-admin")).await);
    let join = json!({"subjects": binding("x")["subjects"]});
    said.push(max.patch(&format!("{bindings}/cluster-admin"), "application/merge-patch+json", join).await);
    let gather = json!({"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}});
    said.push(max.patch(&own, "application/merge-patch+json", gather).await);
    for (number, said) in said.iter().enumerate() {
        assert_eq!(said.code, 403, "{number}: {}", said.json);
    }
    assert_eq!(max.post(&bindings, binding("own")).await.code, 201);
    assert_eq!(max.get("/api/v1/namespaces/default/secrets/x").await.code, 403);
    assert_eq!(server.get(&own).await.json["rules"], held("own")["rules"]);
}

#[tokio::test]
async fn whoever_may_change_objects_may_not_make_them_by_a_change() {
    let server = Inside::start().await;
    let rule = json!({"apiGroups": ["", "coordination.k8s.io"], "resources": ["configmaps", "leases"],
        "verbs": ["get", "update", "patch"]});
    server.role("changer", json!([rule])).await;
    server.bind("default", "changer", "tom").await;
    let tom = server.by(user("tom", &[]));
    let map = "/api/v1/namespaces/default/configmaps/m";
    tom.until(map, 404).await;
    let config =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": "b"}});
    let applied = format!("{map}?fieldManager=m");
    let said = tom.patch(&applied, "application/apply-patch+yaml", config.clone()).await;
    let told = "configmaps \"m\" is forbidden: User \"tom\" cannot create resource \"configmaps\" in API group \
                \"\" in the namespace \"default\"";
    assert_eq!((said.code, said.json["message"].as_str()), (403, Some(told)));
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"}});
    let path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
    assert_eq!(tom.put(path, lease.clone()).await.code, 403);
    assert_eq!(server.get(path).await.code, 404);
    let made = server.put(path, lease).await;
    assert_eq!(made.code, 201);
    assert_eq!(tom.put(path, made.json).await.code, 200);
    assert_eq!(server.post("/api/v1/namespaces/default/configmaps", config.clone()).await.code, 201);
    assert_eq!(tom.patch(&applied, "application/apply-patch+yaml", config).await.code, 200);
}

#[tokio::test]
async fn roles_are_gathered_when_what_they_select_changes() {
    let server = Inside::start().await;
    let admin = format!("{RBAC}/clusterroles/admin");
    let rules = async |path: &str| server.get(path).await.json["rules"].to_string();
    eventually(async || rules(&admin).await.contains("\"secrets\"").then_some(())).await;
    let mine = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": "widgets", "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
        "rules": [{"apiGroups": ["example.com"], "resources": ["widgets"], "verbs": ["get"]}]});
    assert_eq!(server.post(&format!("{RBAC}/clusterroles"), mine).await.code, 201);
    // What `view` gathers `edit` gathers, and then `admin`.
    for role in ["view", "edit", "admin"] {
        let path = format!("{RBAC}/clusterroles/{role}");
        eventually(async || rules(&path).await.contains("widgets").then_some(())).await;
    }
    let fields = &server.get(&admin).await.json["metadata"]["managedFields"];
    let managers: Vec<&Value> = fields.as_array().unwrap().iter().map(|entry| &entry["manager"]).collect();
    assert!(managers.contains(&&json!("clusterrole-aggregation-controller")), "{managers:?}");
    assert_eq!(server.delete(&format!("{RBAC}/clusterroles/widgets")).await.code, 200);
    eventually(async || (!rules(&admin).await.contains("widgets")).then_some(())).await;
}

#[tokio::test]
async fn nodes_read_what_their_pods_need() {
    let server = Inside::with(ApiOptions::default()).await;
    server.secret("default", "wanted").await;
    server.secret("default", "unwanted").await;
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "i"}],
            "volumes": [{"name": "v", "secret": {"secretName": "wanted"}}]}});
    assert_eq!(server.post("/api/v1/namespaces/default/pods", pod).await.code, 201);
    let node = |name: &str| server.by(user(&format!("system:node:{name}"), &["system:nodes"]));
    let secrets = "/api/v1/namespaces/default/secrets";
    node("n1").until(&format!("{secrets}/wanted"), 200).await;
    let refused = node("n1").get(&format!("{secrets}/unwanted")).await;
    let told = "secrets \"unwanted\" is forbidden: User \"system:node:n1\" cannot get resource \"secrets\" in API \
                group \"\" in the namespace \"default\": no relationship found between node 'n1' and this object";
    assert_eq!((refused.code, refused.json["message"].as_str()), (403, Some(told)));
    assert_eq!(node("n2").get(&format!("{secrets}/wanted")).await.code, 403);
    assert_eq!(node("").get(&format!("{secrets}/wanted")).await.code, 403);
    assert_eq!(server.by(user("system:node:n1", &[])).get(&format!("{secrets}/wanted")).await.code, 403);
    let options = json!({"gracePeriodSeconds": 0}).to_string();
    let json = [("content-type", "application/json")];
    let gone = server.ask(Method::DELETE, "/api/v1/namespaces/default/pods/p", &json, options.into()).await;
    assert_eq!(gone.code, 200, "{}", gone.json);
    node("n1").until(&format!("{secrets}/wanted"), 403).await;
}

#[tokio::test]
async fn users_of_a_token_file_get_what_is_bound_to_them() {
    let path = std::env::temp_dir().join(format!("rhumb-authorize-{}.csv", std::process::id()));
    let lines = "t-admin,admin,1,system:masters\nt-tom,tom,2\nt-ann,ann,3,\"devs,ops\"\nt-eve,eve,4\n";
    std::fs::write(&path, lines).unwrap();
    let options = Options { token_file: Some(path.clone()), ..Options::default() };
    let builder = Server::builder().options(options).in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.start().await.unwrap();
    std::fs::remove_file(&path).unwrap();
    let mut client = Client::http1(&server, None).await;
    let mut send = async |token: &str, method: Method, path: &str, more: &[(&str, &str)], body: Value| {
        let authorization = format!("Bearer {token}");
        let mut headers =
            vec![("authorization", authorization.as_str()), ("content-type", "application/json")];
        headers.extend_from_slice(more);
        let request = client.request(method, path, &headers);
        let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
        let answered = client.send(request.map(|_| body.into())).await.unwrap();
        (answered.code, answered.body)
    };
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "x"},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
            {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
            {"apiGroups": [""], "resources": ["users"], "resourceNames": ["eve"], "verbs": ["impersonate"]}]});
    let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": {"name": "x"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "x"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "ops"}]});
    assert_eq!(send("t-admin", Method::POST, &format!("{RBAC}/clusterroles"), &[], role).await.0, 201);
    assert_eq!(
        send("t-admin", Method::POST, &format!("{RBAC}/clusterrolebindings"), &[], binding).await.0,
        201
    );
    for _ in 0..1000 {
        if send("t-ann", Method::GET, "/api/v1/pods", &[], Value::Null).await.0 == 200 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let eve = [("impersonate-user", "eve")];
    let tom = [("impersonate-user", "tom")];
    let eve_as_master = [("impersonate-user", "eve"), ("impersonate-group", "system:masters")];
    type Headers<'a> = &'a [(&'a str, &'a str)];
    let table: [(&str, &str, Headers<'_>, u16, &str); 12] = [
        ("t-ann", "/api/v1/pods", &[], 200, ""),
        ("t-ann", "/metrics", &[], 200, ""),
        ("t-tom", "/metrics", &[], 403, r#"forbidden: User \"tom\" cannot get path \"/metrics\""#),
        ("t-tom", "/healthz", &[], 200, "ok"),
        ("t-tom", "/readyz/etcd", &[], 403, r#"cannot get path \"/readyz/etcd\""#),
        ("t-tom", "/version", &[], 200, ""),
        ("t-tom", "/api/v1/pods", &[], 403, r#"User \"tom\" cannot list resource \"pods\""#),
        ("t-ann", "/api/v1/pods", &eve, 403, r#"User \"eve\" cannot list resource \"pods\""#),
        ("t-ann", "/api/v1/pods", &tom, 403, r#"User \"ann\" cannot impersonate resource \"users\""#),
        (
            "t-ann",
            "/api/v1/pods",
            &eve_as_master,
            403,
            r#"User \"ann\" cannot impersonate resource \"groups\""#,
        ),
        ("t-tom", "/api/v1/pods", &eve, 403, r#"User \"tom\" cannot impersonate-on:user-info:list"#),
        ("t-eve", "/api/v1/pods", &eve_as_master, 403, "cannot impersonate"),
    ];
    for (token, path, headers, code, text) in table {
        let (got, body) = send(token, Method::GET, path, headers, Value::Null).await;
        assert_eq!(got, code, "{token} {path} {headers:?}: {body}");
        assert!(body.contains(text), "{token} {path} {headers:?}: {body}");
    }
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"verb": "list", "resource": "pods", "namespace": "default"}}});
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let (code, body) = send("t-ann", Method::POST, path, &[], review).await;
    let told = r#"RBAC: allowed by ClusterRoleBinding \"x\" of ClusterRole \"x\" to Group \"ops\""#;
    assert!(code == 201 && body.contains(told), "{body}");
    server.shutdown().await.unwrap();
}

#[tokio::test]
async fn those_decide_who_were_named() {
    let start = async |modes: &str| {
        let authorization = AuthorizationModes::parse(modes).unwrap();
        Inside::with(ApiOptions { authorization, ..ApiOptions::default() }).await
    };
    let rules = async |server: &Inside| {
        let review = json!({"spec": {"namespace": "default"}});
        let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
        server.post(path, review).await.json["status"].clone()
    };
    let everybody = start("AlwaysAllow").await.by(user("ann", &[]));
    assert_eq!(everybody.get("/api/v1/secrets").await.code, 200);
    let all = json!(["*"]);
    let told = rules(&everybody).await;
    assert_eq!(told["resourceRules"], json!([{"verbs": all, "apiGroups": all, "resources": all}]));
    assert_eq!(told["nonResourceRules"], json!([{"verbs": all, "nonResourceURLs": all}]));

    // What nobody may, masters may.
    let server = start("AlwaysDeny").await;
    assert_eq!(server.get("/api/v1/secrets").await.code, 200);
    let nobody = server.by(user("ann", &[]));
    let refused = nobody.get("/api/v1/nodes").await;
    let told = "nodes is forbidden: User \"ann\" cannot list resource \"nodes\" in API group \"\" at the cluster \
                scope: Everything is forbidden.";
    assert_eq!((refused.code, refused.json["message"].as_str()), (403, Some(told)));
    assert_eq!(nobody.get("/version").await.code, 403);

    // Without the one for nodes, nodes have what roles give them.
    let node = |server: &Inside| server.by(user("system:node:n", &["system:nodes"]));
    let (with, without) = (start("Node,RBAC").await, start("RBAC").await);
    assert_eq!(node(&with).get("/api/v1/nodes/n").await.code, 404);
    assert_eq!(node(&without).get("/api/v1/nodes/n").await.code, 403);
    assert_eq!(rules(&node(&with)).await["incomplete"], true);
    assert_eq!(rules(&node(&without)).await["incomplete"], false);
    let only_nodes = start("Node").await;
    assert_eq!(only_nodes.by(user("ann", &[])).get("/api").await.code, 403);
}
