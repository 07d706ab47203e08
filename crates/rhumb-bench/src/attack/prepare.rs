//! Setup before an attack, cleanup after it, and detection of leaked allocations.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use tokio::time::timeout;

use super::attacked::{ATTACKERS, Attacked, attacker};
use super::bodies::Bodies;
use super::polite::{self, object};
use super::wire::{Connection, Credentials, Request};
use crate::server::Outcome;
use crate::server::https::JSON;

/// Path of definitions.
pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// The resources that definitions make.
const DEFINED: [&str; 3] = ["bombs", "patterns", "keyeds"];
/// Number of objects that attackers list.
const FILLING: usize = 500;
/// Number of connections that create them.
const LANES: usize = 4;
/// Maximum size of a response to examine.
const LARGEST: usize = 256 << 20;
/// Default range of node ports.
const PORTS: std::ops::RangeInclusive<i64> = 30_000..=32_767;
/// Number of ports tried at once.
const TRIED: usize = 100;
/// Request timeout of the administrator.
const ANSWERED: Duration = Duration::from_secs(150);
/// Timeout until definitions are served.
const SERVED: Duration = Duration::from_secs(60);

/// The administrator.
pub(crate) struct Admin {
    connection: Connection,
    who: Credentials,
}

impl Admin {
    pub(crate) async fn connect(server: &Attacked) -> Outcome<Self> {
        let connection = timeout(ANSWERED, server.target.connect()).await??;
        Ok(Admin { connection, who: server.admin.clone() })
    }

    /// Sends a request, which must have one of these statuses.
    async fn expect(&mut self, request: &Request, expected: &[u16]) -> Outcome<(u16, Vec<u8>)> {
        let answer = timeout(ANSWERED, self.connection.exchange(request, &self.who, LARGEST)).await;
        let answer = answer.map_err(|_| format!("{} {}: no answer", request.method, request.path))??;
        if !expected.contains(&answer.status) {
            let told =
                String::from_utf8_lossy(answer.body.get(..answer.body.len().min(500)).unwrap_or_default());
            return Err(format!("{} {}: {} {told}", request.method, request.path, answer.status).into());
        }
        Ok((answer.status, answer.body))
    }

    /// Creates an object, unless it is there.
    async fn make(&mut self, path: impl Into<String>, body: impl Into<Bytes>) -> Outcome<()> {
        self.expect(&Request::create(path, body), &[201, 409]).await.map(drop)
    }

    async fn read(&mut self, path: &str) -> Outcome<Value> {
        let (_, body) = self.expect(&Request::get(path), &[200]).await?;
        Ok(serde_json::from_slice(&body)?)
    }
}

/// Makes namespaces, rights, definitions and the objects that are attacked, and lets the server make what it keeps:
/// its documents. Returns the version from which on the polite user's objects are watched.
pub(crate) async fn prepare(server: &Attacked, bodies: &Bodies) -> Outcome<String> {
    let mut admin = Admin::connect(server).await?;
    let role = r#"{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"all-here"},
        "rules":[{"apiGroups":["*"],"resources":["*"],"verbs":
        ["get","list","watch","create","update","patch","delete","deletecollection"]}]}"#;
    admin.make("/apis/rbac.authorization.k8s.io/v1/clusterroles", role).await?;
    let spec = r#"{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":
        {"text":{"type":"string","default":"TEXT"}}}}}}"#;
    let bomb = definition("bombs", "Bomb", &spec.replace("TEXT", &"x".repeat(100_000)));
    let spec = r#"{"type":"object","properties":{"text":{"type":"string","pattern":"[^b]{500}"}}}"#;
    let pattern = definition("patterns", "Pattern", spec);
    // A key that items of a list have by default is a part of what each field of them is known by.
    let spec = r#"{"type":"object","properties":{"items":{"type":"array","x-kubernetes-list-type":"map",
        "x-kubernetes-list-map-keys":["name","text"],"items":{"type":"object","required":["name"],"properties":
        {"name":{"type":"string"},"text":{"type":"string","default":"TEXT"}}}}}}"#;
    let keyed = definition("keyeds", "Keyed", &spec.replace("TEXT", &"x".repeat(100_000)));
    for body in [bomb, pattern, keyed] {
        admin.make(DEFINITIONS, body).await?;
    }
    let users: Vec<String> = (0..ATTACKERS).map(attacker).chain([polite::NAMESPACE.to_owned()]).collect();
    for user in &users {
        own_namespace(&mut admin, user).await?;
    }
    let path = |name: &str, resource: &str| format!("/api/v1/namespaces/{name}/{resource}");
    for number in 0..polite::READ {
        admin.make(path(polite::NAMESPACE, "configmaps"), object(&format!("read-{number}"))).await?;
    }
    for name in (0..ATTACKERS).map(attacker) {
        admin.make(path(&name, "configmaps"), object("watched")).await?;
        let pod = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"target"},
            "spec":{"containers":[{"name":"c","image":"i"}]}}"#;
        admin.make(path(&name, "pods"), pod).await?;
        let deployments = format!("/apis/apps/v1/namespaces/{name}/deployments");
        admin.make(deployments, bodies.long_list.clone()).await?;
        fill(server, &path(&name, "configmaps")).await?;
    }
    let begun = Instant::now();
    for plural in DEFINED {
        let list = Request::get(format!("/apis/attack.example.com/v1/{plural}?limit=1"));
        while admin.expect(&list, &[200, 404]).await?.0 != 200 {
            if begun.elapsed() > SERVED {
                return Err(format!("{plural} are never served").into());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    for form in [JSON, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"] {
        for packed in ["identity", "gzip"] {
            let document = Request::get("/openapi/v2").with("accept", form).with("accept-encoding", packed);
            admin.expect(&document, &[200]).await?;
        }
    }
    let list = admin.read(&format!("{}?limit=1", path(polite::NAMESPACE, "configmaps"))).await?;
    let version = list.pointer("/metadata/resourceVersion").and_then(Value::as_str);
    Ok(version.ok_or("a list without a version")?.to_owned())
}

/// A namespace in which a user may do everything but what would give it more.
async fn own_namespace(admin: &mut Admin, user: &str) -> Outcome<()> {
    let body = format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{user}"}}}}"#);
    admin.make("/api/v1/namespaces", body).await?;
    // A server without controllers doesn't make that by itself, and then takes no pods.
    let account = r#"{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default"}}"#;
    admin.make(format!("/api/v1/namespaces/{user}/serviceaccounts"), account).await?;
    let binding = format!(
        r#"{{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{{"name":"all-here"}},
        "roleRef":{{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"all-here"}},
        "subjects":[{{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"{user}"}}]}}"#
    );
    let path = format!("/apis/rbac.authorization.k8s.io/v1/namespaces/{user}/rolebindings");
    admin.make(path, binding).await
}

/// Makes objects to list.
async fn fill(server: &Attacked, path: &str) -> Outcome<()> {
    let lanes = (0..LANES).map(|lane| async move {
        let mut admin = Admin::connect(server).await?;
        for number in (lane..FILLING).step_by(LANES) {
            let text = "x".repeat(2_000);
            let body = format!(
                r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"filling-{number}"}},
                "data":{{"a":"{text}"}}}}"#
            );
            admin.make(path, body).await?;
        }
        Outcome::Ok(())
    });
    futures_util::future::try_join_all(lanes).await.map(drop)
}

/// Returns a definition whose objects have this spec.
fn definition(plural: &str, kind: &str, spec: &str) -> String {
    let group = "attack.example.com";
    format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{{"name":"{plural}.{group}"}},"spec":{{"group":"{group}","scope":"Namespaced",
        "names":{{"plural":"{plural}","kind":"{kind}"}},"versions":[{{"name":"v1","served":true,"storage":true,
        "schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":{spec}}}}}}}}}]}}}}"#
    )
}

/// A definition that comes and goes: its name and itself. Each attacker has its own, round by round.
pub(crate) fn passing(attacker: usize, chance: u64) -> (String, String) {
    let plural = format!("passing{attacker}x{:x}", chance & 0xffff);
    let body =
        definition(&plural, &format!("Passing{attacker}x{:x}", chance & 0xffff), r#"{"type":"object"}"#);
    (format!("{plural}.attack.example.com"), body)
}

/// Deletes what attackers left behind.
pub(crate) async fn tidy_up(server: &Attacked) -> Outcome<()> {
    let mut admin = Admin::connect(server).await?;
    let delete = |path: String| Request::new("DELETE", path, JSON, Bytes::new());
    for name in (0..ATTACKERS).map(attacker) {
        for resource in ["pods", "configmaps", "services"] {
            let path = format!("/api/v1/namespaces/{name}/{resource}");
            admin.expect(&delete(path), &[200]).await?;
        }
        for plural in DEFINED {
            let path = format!("/apis/attack.example.com/v1/namespaces/{name}/{plural}");
            admin.expect(&delete(path), &[200]).await?;
        }
        let roles = format!("/apis/rbac.authorization.k8s.io/v1/namespaces/{name}/roles");
        admin.expect(&delete(roles), &[200]).await?;
    }
    let definitions = admin.read(DEFINITIONS).await?;
    for name in names(&definitions).filter(|name| name.starts_with("passing")) {
        admin.expect(&delete(format!("{DEFINITIONS}/{name}")), &[200, 404]).await?;
    }
    Ok(())
}

/// Returns the names of the objects of a list.
fn names(list: &Value) -> impl Iterator<Item = &str> {
    items(list).filter_map(|item| item.pointer("/metadata/name")?.as_str())
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.get("items").and_then(Value::as_array).into_iter().flatten()
}

/// Allocations without an owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Leaked {
    pub(crate) ports: Vec<i64>,
    pub(crate) addresses: Vec<String>,
}

impl Leaked {
    pub(crate) fn is_nothing(&self) -> bool {
        self.ports.is_empty() && self.addresses.is_empty()
    }
}

/// Looks for what no Service has and no Service can get: ports are asked for by Services that are not stored, and the
/// objects of addresses are compared with the Services that there are.
pub(crate) async fn leaked(server: &Attacked) -> Outcome<Leaked> {
    let mut admin = Admin::connect(server).await?;
    let addresses = admin.read("/apis/networking.k8s.io/v1/ipaddresses").await?;
    let services = admin.read("/api/v1/services").await?;
    let (owned_ports, owned_addresses) = owned(&services);
    let addresses = names(&addresses).filter(|name| !owned_addresses.contains(*name)).map(str::to_owned);
    let mut leaked = Leaked { ports: Vec::new(), addresses: addresses.collect() };
    let free: Vec<i64> = PORTS.filter(|port| !owned_ports.contains(port)).collect();
    for some in free.chunks(TRIED) {
        if can_be_had(&mut admin, some).await? {
            continue;
        }
        for port in some {
            if !can_be_had(&mut admin, &[*port]).await? {
                leaked.ports.push(*port);
            }
        }
    }
    Ok(leaked)
}

/// Returns the ports and addresses that Services have.
fn owned(services: &Value) -> (BTreeSet<i64>, BTreeSet<String>) {
    let lists = |pointer: &'static str| {
        items(services).filter_map(move |item| item.pointer(pointer)?.as_array()).flatten()
    };
    let ports = lists("/spec/ports").filter_map(|port| port.get("nodePort")?.as_i64()).collect();
    let addresses = lists("/spec/clusterIPs").filter_map(|ip| ip.as_str().map(str::to_owned)).collect();
    (ports, addresses)
}

/// Reports whether a Service could have these ports of nodes.
async fn can_be_had(admin: &mut Admin, ports: &[i64]) -> Outcome<bool> {
    let ports: Vec<Value> = ports
        .iter()
        .map(|port| serde_json::json!({"name": format!("p{port}"), "port": port, "nodePort": port}))
        .collect();
    let service = serde_json::json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "asking"},
        "spec": {"type": "NodePort", "ports": ports},
    });
    let path = format!("/api/v1/namespaces/{}/services?dryRun=All", polite::NAMESPACE);
    let (status, _) = admin.expect(&Request::create(path, service.to_string()), &[201, 422]).await?;
    Ok(status == 201)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_own_ports_and_addresses() {
        let services = serde_json::json!({"items": [
            {"spec": {"clusterIPs": ["10.0.0.1"], "ports": [{"port": 443}]}},
            {"spec": {"clusterIPs": ["10.0.0.9"], "ports": [{"port": 80, "nodePort": 30001}]}},
            {"spec": {"externalName": "x"}},
        ]});
        let (ports, addresses) = owned(&services);
        assert_eq!(ports.into_iter().collect::<Vec<_>>(), [30001]);
        assert_eq!(addresses.into_iter().collect::<Vec<_>>(), ["10.0.0.1", "10.0.0.9"]);
    }

    #[test]
    fn definitions_are_json() {
        let (name, body) = passing(2, 0x1_00ab);
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["metadata"]["name"], name.as_str());
        assert_eq!(name, "passing2xab.attack.example.com");
    }
}
