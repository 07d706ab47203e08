//! A server that is starting: what its health tells meanwhile, who has to wait, and what it tells others of itself.

pub(crate) mod gate;
mod hooks;

use std::net::SocketAddr;
use std::sync::Arc;

use crate::client::{Client, in_time};
use gate::{Gate, Held};
use rhumb_server::config::Options;
use rhumb_server::identity::{MASTERS, User};
use rhumb_server::{Server, StartError};
use rhumb_store::Store;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// The checks that upstream's end-to-end test of the health handlers asks for, at each of the three paths.
const EVERYWHERE: [&str; 21] = [
    "ping",
    "log",
    "etcd",
    "poststarthook/start-apiserver-admission-initializer",
    "poststarthook/generic-apiserver-start-informers",
    "poststarthook/start-apiextensions-informers",
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/bootstrap-controller",
    "poststarthook/start-system-namespaces-controller",
    "poststarthook/start-service-ip-repair-controllers",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/start-kube-aggregator-informers",
    "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-status-local-available-controller",
    "poststarthook/apiservice-status-remote-available-controller",
    "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
    "poststarthook/storage-readiness",
];
/// What is well before anything could be written.
const AT_ONCE: [&str; 6] = [
    "ping",
    "log",
    "etcd",
    "etcd-readiness",
    "shutdown",
    "poststarthook/start-apiserver-admission-initializer",
];

/// The lines of a verbose answer, and the names of the checks that failed.
fn failed(body: &str) -> Vec<&str> {
    let lines = body.lines().filter_map(|line| line.strip_prefix("[-]"));
    lines.map(|line| line.strip_suffix(" failed: reason withheld").unwrap()).collect()
}

fn passed(body: &str) -> Vec<&str> {
    body.lines().filter_map(|line| line.strip_prefix("[+]")?.strip_suffix(" ok")).collect()
}

const TOKEN: (&str, &str) = ("authorization", "Bearer admin");

/// Starts a server on a store, with a port without TLS that answers as soon as there is anything to be told.
fn starting(store: Arc<dyn Store>) -> (JoinHandle<Result<Server, StartError>>, SocketAddr) {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let admin = User { name: "admin".to_owned(), groups: vec![MASTERS.to_owned()], ..User::default() };
    let mut options = Options::default();
    options.apply("insecure-port", &port.port().to_string()).unwrap();
    let builder = Server::builder()
        .options(options)
        .store(store)
        .token("admin", admin)
        .listen(([127, 0, 0, 1], 0).into())
        .in_memory();
    (tokio::spawn(builder.start()), port)
}

/// A connection to an address that somebody will listen on.
async fn connected(address: SocketAddr) -> Client {
    let stream = in_time(async {
        loop {
            if let Ok(stream) = tokio::net::TcpStream::connect(address).await {
                return stream;
            }
            tokio::task::yield_now().await;
        }
    });
    Client::over_http1(stream.await).await
}

#[tokio::test]
async fn checks_fail_while_what_they_name_is_not_done() {
    let store = Gate::new(Held::Writes(""));
    let (starting, address) = starting(Arc::clone(&store) as Arc<dyn Store>);
    let mut client = connected(address).await;
    for path in ["/healthz", "/livez", "/readyz"] {
        let early = in_time(client.get(&format!("{path}?verbose"))).await;
        assert_eq!(early.code, 500, "{}", early.body);
        let failed = failed(&early.body);
        for name in EVERYWHERE.iter().filter(|name| !AT_ONCE.contains(name)) {
            assert!(failed.contains(name), "{path}: {name} is well before it is done:\n{}", early.body);
        }
        assert!(AT_ONCE.iter().all(|name| !failed.contains(name)), "{}", early.body);
        assert_eq!(failed.contains(&"informer-sync"), path == "/readyz", "{}", early.body);
    }
    let one = client.get_with("/readyz/poststarthook/rbac/bootstrap-roles", &[TOKEN]).await;
    assert_eq!((one.code, one.body.as_str()), (500, "internal server error: not finished\n"));
    assert_eq!(client.get_with("/readyz/ping", &[TOKEN]).await.body, "ok");

    // Others wait, and are answered when the server has started.
    let waiting = tokio::spawn(async move {
        let answered = client.get_with("/api/v1/namespaces/kube-system", &[TOKEN]).await;
        (client, answered)
    });
    store.hold(Held::Nothing);
    let server = in_time(starting).await.unwrap().unwrap();
    let (mut client, answered) = in_time(waiting).await.unwrap();
    assert_eq!(answered.code, 200, "{}", answered.body);
    for path in ["/healthz", "/livez", "/readyz"] {
        let late = client.get(&format!("{path}?verbose")).await;
        assert_eq!(late.code, 200, "{}", late.body);
        let passed = passed(&late.body);
        assert!(EVERYWHERE.iter().all(|name| passed.contains(name)), "{}", late.body);
        assert_eq!(passed.contains(&"informer-sync"), path == "/readyz");
    }
    for name in EVERYWHERE {
        let one = client.get_with(&format!("/livez/{name}"), &[TOKEN]).await;
        assert_eq!((one.code, one.body.as_str()), (200, "ok"), "{name}");
    }
    in_time(server.shutdown()).await.unwrap();
}

#[tokio::test]
async fn who_waits_for_a_server_that_ends_before_it_has_started_is_told_so() {
    let store = Gate::new(Held::Writes(""));
    let (starting, address) = starting(Arc::clone(&store) as Arc<dyn Store>);
    let mut client = connected(address).await;
    assert_eq!(in_time(client.get("/livez")).await.code, 500);
    let waiting = tokio::spawn(async move { client.get("/api").await });
    tokio::task::yield_now().await;
    starting.abort();
    assert_eq!(in_time(waiting).await.unwrap().code, 429);
}

/// Starts a server with one setting, and asks it for some paths.
async fn told(setting: &str, value: &str, paths: &[&str]) -> Result<Vec<Value>, StartError> {
    let mut options = Options::default();
    options.apply(setting, value).unwrap();
    let builder = Server::builder().options(options).in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.start().await?;
    let mut client = Client::http2(&server, Some(server.admin_certificate())).await;
    let mut answers = Vec::new();
    for path in paths {
        answers.push(serde_json::from_str(&client.get(path).await.body).unwrap());
    }
    in_time(server.shutdown()).await.unwrap();
    Ok(answers)
}

#[tokio::test]
async fn a_server_on_loopback_tells_the_cluster_the_address_that_it_was_given() {
    let paths = [
        "/api/v1/namespaces/default/endpoints/kubernetes",
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
        "/api",
    ];
    let answers = told("advertise-address", "203.0.113.7", &paths).await.unwrap();
    let [endpoints, slice, versions] = answers.as_slice() else { panic!("{answers:?}") };
    let port = endpoints["subsets"][0]["ports"][0]["port"].clone();
    assert_eq!(endpoints["subsets"][0]["addresses"][0]["ip"], "203.0.113.7");
    assert_eq!(
        (&slice["endpoints"][0]["addresses"][0], &slice["ports"][0]["port"]),
        (&"203.0.113.7".into(), &port)
    );
    let address = &versions["serverAddressByClientCIDRs"][0]["serverAddress"];
    assert_eq!(address, &format!("203.0.113.7:{port}"));
}

#[tokio::test]
async fn a_server_on_loopback_is_found_by_the_address_of_its_host() {
    // The same choice that the server has: where packets to anywhere else would come from.
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    let host = match socket.connect("198.51.100.1:9").and_then(|()| socket.local_addr()) {
        Ok(address) if !address.ip().is_loopback() && !address.ip().is_unspecified() => {
            Some(address.ip().to_string())
        }
        _ => None,
    };
    let builder = Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.start().await.unwrap();
    let port = server.address().port();
    let mut client = Client::http2(&server, Some(server.admin_certificate())).await;
    let endpoints = client.get("/api/v1/namespaces/default/endpoints/kubernetes").await;
    let slice = client.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes").await;
    match host {
        Some(host) => {
            let (endpoints, slice): (Value, Value) =
                (serde_json::from_str(&endpoints.body).unwrap(), serde_json::from_str(&slice.body).unwrap());
            let ports = json!([{"name": "https", "port": port, "protocol": "TCP"}]);
            assert_eq!(endpoints["subsets"], json!([{"addresses": [{"ip": host}], "ports": ports}]));
            assert_eq!(slice["endpoints"], json!([{"addresses": [host], "conditions": {"ready": true}}]));
            assert_eq!((&slice["ports"], &slice["addressType"]), (&ports, &json!("IPv4")));
        }
        // A host without a way out has no address to give.
        None => assert_eq!((endpoints.code, slice.code), (404, 404)),
    }
    in_time(server.shutdown()).await.unwrap();
}

#[tokio::test]
async fn an_address_of_another_family_than_that_of_services_is_refused() {
    let error = told("advertise-address", "2001:db8::7", &[]).await.unwrap_err();
    let expect = "service IP family \"10.0.0.0/24\" must match public address family \"2001:db8::7\"";
    assert_eq!(error.to_string(), expect);
}

#[tokio::test]
async fn a_data_directory_belongs_to_one_server() {
    let path = std::env::temp_dir().join(format!("rhumb-starting-{}", std::process::id()));
    let build = || Server::builder().data_directory(&path).listen(([127, 0, 0, 1], 0).into());
    let first = build().in_memory().start().await.unwrap();
    let kubeconfig = std::fs::read_to_string(path.join("admin.kubeconfig")).unwrap();
    for builder in [build().in_memory(), build()] {
        let error = builder.start().await.unwrap_err();
        assert!(matches!(error, StartError::InUse(_)), "{error:?}");
    }
    assert_eq!(std::fs::read_to_string(path.join("admin.kubeconfig")).unwrap(), kubeconfig);
    in_time(first.shutdown()).await.unwrap();
    in_time(build().in_memory().start().await.unwrap().shutdown()).await.unwrap();
    std::fs::remove_dir_all(&path).unwrap();
}
