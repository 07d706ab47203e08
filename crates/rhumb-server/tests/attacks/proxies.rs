//! Proxies in front that are none, and what lies behind the server that nobody may be led to.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::Method;
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, date_time_ymd};
use rhumb_server::Server;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::authority::Authority;
use crate::client::{Client, connect, in_time, start};
use crate::inside::Inside;
use crate::{options, user};

/// Headers in which a proxy speaks, in all the ways in which somebody might try to.
const SPOKEN: [&[(&str, &str)]; 8] = [
    &[("x-remote-user", "root"), ("x-remote-group", "system:masters")],
    &[("X-REMOTE-USER", "root"), ("X-Remote-Group", "system:masters"), ("x-remote-extra-scopes", "all")],
    &[("x_remote_user", "root"), ("x_remote_group", "system:masters")],
    &[("x-remote-user", ""), ("x-remote-user", "root"), ("x-remote-group", "system:masters")],
    &[("x-remote-user", " root"), ("x-remote-uid", "0"), ("x-remote-group", "system:masters")],
    &[("x-other-user", "root"), ("x-remote-user", "root")],
    &[("x-forwarded-user", "root"), ("remote-user", "root"), ("x-webauth-user", "root")],
    &[("x-remote-group", "system:masters"), ("x-remote-extra-a", "b")],
];

fn described(name: &str, usage: ExtendedKeyUsagePurpose, years: (i32, i32)) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.extended_key_usages = vec![usage];
    params.not_before = date_time_ymd(years.0, 1, 1);
    params.not_after = date_time_ymd(years.1, 1, 1);
    params
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_speaks_as_a_proxy_with_a_certificate_of_others() {
    const CLIENT: ExtendedKeyUsagePurpose = ExtendedKeyUsagePurpose::ClientAuth;
    const NOW: (i32, i32) = (2000, 4000);
    let (proxies, clients, strangers) =
        (Authority::new("proxies"), Authority::new("clients"), Authority::new("proxies"));
    let path = |name: &str| std::env::temp_dir().join(format!("rhumb-proxies-{}-{name}", std::process::id()));
    let written = |name: &str, authority: &Authority| {
        std::fs::write(path(name), &authority.certificate).unwrap();
        path(name).to_str().unwrap().to_owned()
    };
    let (proxies_file, clients_file) = (written("proxies", &proxies), written("clients", &clients));
    let settings = [
        ("requestheader-client-ca-file", proxies_file.as_str()),
        ("client-ca-file", clients_file.as_str()),
        ("requestheader-allowed-names", "front"),
        ("requestheader-username-headers", "X-Remote-User"),
        ("requestheader-uid-headers", "X-Remote-Uid"),
        ("requestheader-group-headers", "X-Remote-Group"),
        ("requestheader-extra-headers-prefix", "X-Remote-Extra-"),
    ];
    let (server, _) = start(Server::builder().options(options(&settings)).token("good", user("jane"))).await;
    for name in ["proxies", "clients"] {
        std::fs::remove_file(path(name)).unwrap();
    }
    let self_signed = {
        let params = described("front", CLIENT, NOW);
        let key = rcgen::KeyPair::generate().unwrap();
        (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
    };
    let others = [
        ("of clients", clients.client("front", "system:masters"), "front"),
        ("of an authority of the same name", strangers.client("front", ""), ""),
        ("of itself", self_signed, ""),
        ("of another name", proxies.issued(described("fronts", CLIENT, NOW)), ""),
        ("of a name that is longer", proxies.issued(described("front\0", CLIENT, NOW)), ""),
        ("of no name", proxies.issued(described("", CLIENT, NOW)), ""),
        ("of the past", proxies.issued(described("front", CLIENT, (2000, 2001))), ""),
        ("of the future", proxies.issued(described("front", CLIENT, (3000, 4000))), ""),
        ("for servers", proxies.issued(described("front", ExtendedKeyUsagePurpose::ServerAuth, NOW)), ""),
        ("of the server's own administrator", owned(server.admin_certificate()), "admin"),
    ];
    for (what, (certificate, key), own) in &others {
        for spoken in SPOKEN {
            for token in [false, true] {
                let identity = Some((certificate.as_str(), key.as_str()));
                let stream =
                    connect(server.address(), server.ca_certificate(), identity, b"http/1.1", "localhost");
                // One that the server takes for nobody's may be refused before anything is asked.
                let Ok(stream) = stream.await else { continue };
                let mut client = Client::over_http1(stream).await;
                let mut headers = spoken.to_vec();
                if token {
                    headers.push(("authorization", "Bearer good"));
                }
                let request = client.request(Method::GET, "/api", &headers);
                let Ok(answered) = in_time(client.send(request)).await else { continue };
                let said = format!("{what}, {headers:?}: {} {}", answered.code, answered.body);
                assert!(!answered.body.contains("root"), "{said}");
                let known = match (answered.code, token) {
                    (401, _) => own.is_empty() && !token,
                    (200, true) if own.is_empty() => answered.body.starts_with("jane ["),
                    (200, _) => !own.is_empty() && answered.body.starts_with(&format!("{own} [")),
                    _ => false,
                };
                assert!(known, "{said}");
            }
        }
    }
    // The one proxy that there is.
    let (certificate, key) = proxies.issued(described("front", CLIENT, NOW));
    let mut front = Client::http2(&server, Some((&certificate, &key))).await;
    assert!(front.get_with("/api", SPOKEN[0]).await.body.starts_with("root [system:masters "));
}

fn owned((certificate, key): (&str, &str)) -> (String, String) {
    (certificate.to_owned(), key.to_owned())
}

/// Counts who comes.
async fn listener(address: IpAddr) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((address, 0)).await.unwrap();
    let (port, count) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    (port, count)
}

const LOCAL: [&str; 16] = [
    "127.0.0.1",
    "127.1.2.3",
    "0.0.0.0",
    "169.254.169.254",
    "169.254.0.1",
    "255.255.255.255",
    "224.0.0.1",
    "::1",
    "::",
    "fe80::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:169.254.169.254",
    "0:0:0:0:0:ffff:7f00:0001",
    "0127.0.0.1",
];

/// Sets the status of something; whether that was taken.
async fn told(server: &Inside, path: &str, status: Value) -> bool {
    let form = "application/merge-patch+json";
    let said = server.patch(&format!("{path}/status"), form, json!({"status": status})).await;
    assert!(matches!(said.code, 200 | 422), "{said:?}");
    said.code == 200
}

#[tokio::test]
async fn nothing_leads_to_the_server_s_own_machine_or_to_its_neighbours() {
    let server = Inside::start().await;
    let (port, reached) = listener(IpAddr::V4(Ipv4Addr::LOCALHOST)).await;
    let namespace = "/api/v1/namespaces/default";
    let mut tried = 0;
    for (number, address) in LOCAL.iter().enumerate() {
        // A pod that says that it is there, and a Service with an endpoint that is that pod's.
        let container = json!({"name": "c", "image": "i", "ports": [{"containerPort": port}]});
        let pod = json!({"metadata": {"name": format!("p{number}")}, "spec": {"containers": [container]}});
        assert_eq!(server.post(&format!("{namespace}/pods"), pod).await.code, 201);
        let status = json!({"podIP": address, "podIPs": [{"ip": address}]});
        if told(&server, &format!("{namespace}/pods/p{number}"), status).await {
            tried += 1;
        }
        let ports = json!([{"name": "web", "port": 80}]);
        let service = json!({"metadata": {"name": format!("s{number}")}, "spec": {"ports": ports}});
        assert_eq!(server.post(&format!("{namespace}/services"), service).await.code, 201);
        let target = json!({"kind": "Pod", "name": format!("p{number}"), "namespace": "default"});
        let endpoints = json!({"metadata": {"name": format!("s{number}")}, "subsets": [{
            "addresses": [{"ip": address, "targetRef": target}], "ports": [{"name": "web", "port": port}]}]});
        // Many of these addresses are refused where they are written.
        let said = server.post(&format!("{namespace}/endpoints"), endpoints).await;
        assert!(matches!(said.code, 201 | 422), "{address}: {said:?}");
        for scheme in ["", "http:", "https:"] {
            for name in [format!("p{number}"), format!("{scheme}p{number}:{port}")] {
                for method in [Method::GET, Method::POST] {
                    let path = format!("{namespace}/pods/{name}/proxy/x");
                    let said = server.ask(method, &path, &[], "x".into()).await;
                    assert_eq!(said.code, 400, "{address} {path}: {said:?}");
                }
                let upgrade = [("connection", "Upgrade"), ("upgrade", "SPDY/3.1")];
                let path = format!("{namespace}/pods/{name}/proxy/x");
                assert_eq!(server.ask(Method::POST, &path, &upgrade, "".into()).await.code, 400, "{address}");
            }
            for name in [format!("{scheme}s{number}:web"), format!("{scheme}s{number}:80")] {
                let said = server.get(&format!("{namespace}/services/{name}/proxy/x")).await;
                assert!(matches!(said.code, 404 | 503), "{address} {name}: {said:?}");
            }
        }
    }
    assert!(tried >= 10, "only {tried} addresses were tried");
    // Nodes, by address and by a name that means this machine.
    let names = ["localhost", "localhost.", "LOCALHOST"];
    // An address with a zero before it is a name, and whoever looks names up may take it for octal.
    let addresses = LOCAL.iter().filter(|address| **address != "0127.0.0.1");
    for (number, address) in addresses.chain(&names).enumerate() {
        let path = format!("/api/v1/nodes/n{number}");
        let node = json!({"metadata": {"name": format!("n{number}")}});
        assert_eq!(server.post("/api/v1/nodes", node).await.code, 201);
        for kind in ["InternalIP", "Hostname"] {
            let status = json!({"addresses": [{"type": kind, "address": address}],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": port}}});
            if !told(&server, &path, status).await {
                continue;
            }
            for name in
                [format!("n{number}"), format!("http:n{number}:{port}"), format!("https:n{number}:80")]
            {
                let said = server.get(&format!("/api/v1/nodes/{name}/proxy/")).await;
                assert_eq!(said.code, 400, "{address} {name}: {said:?}");
            }
        }
    }
    assert_eq!(reached.load(Ordering::SeqCst), 0, "somebody was led to this machine");
}
