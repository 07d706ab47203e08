//! The front of a server, from outside: files, certificates, users, health, and how it ends.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::client::{Client, Shifted, connect, in_time, start};
use http::Method;
use rhumb_server::config::Anonymous;
use rhumb_server::environment::SystemClock;
use rhumb_server::identity::User;
use rhumb_server::{Server, StartError};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use x509_parser::prelude::{FromDer, GeneralName, X509Certificate};

/// What kube-apiserver sends to a client with a bad token that asks for protobuf.
const UNAUTHORIZED_PROTOBUF: &[u8] =
    b"k8s\x00\x0a\x0c\x0a\x02v1\x12\x06Status\x120\x0a\x06\x0a\x00\x12\x00\x1a\x00\x12\x07Failure\x1a\
    \x0cUnauthorized\"\x0cUnauthorized0\x91\x03\x1a\x00\"\x00";

/// A directory of one test, removed at its end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rhumb-front-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Directory(path)
    }

    fn modes(&self) -> BTreeMap<String, u32> {
        fn walk(base: &Path, path: &Path, found: &mut BTreeMap<String, u32>) {
            let name = path.strip_prefix(base).unwrap().display().to_string();
            found.insert(name, std::fs::metadata(path).unwrap().permissions().mode() & 0o777);
            if path.is_dir() {
                for entry in std::fs::read_dir(path).unwrap() {
                    walk(base, &entry.unwrap().path(), found);
                }
            }
        }
        let mut found = BTreeMap::new();
        walk(&self.0, &self.0, &mut found);
        found
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn user(name: &str, group: &str) -> User {
    User { name: name.to_owned(), groups: vec![group.to_owned()], ..User::default() }
}

#[tokio::test]
async fn the_first_start_makes_private_files_and_the_next_ones_keep_them() {
    let directory = Directory::new("files");
    let build = || Server::builder().data_directory(&directory.0);
    let (server, _) = start(build()).await;
    let modes = directory.modes();
    for name in ["", "pki", "store"] {
        assert_eq!(modes[name], 0o700, "{name:?}");
    }
    for name in [
        "pki/ca.crt",
        "pki/ca.key",
        "pki/apiserver.crt",
        "pki/apiserver.key",
        "pki/admin.crt",
        "pki/admin.key",
        "pki/kubelet-client.crt",
        "pki/kubelet-client.key",
        "pki/service-account.key",
        "admin.kubeconfig",
    ] {
        assert_eq!(modes[name], 0o600, "{name}");
    }
    assert!(modes.keys().all(|name| !name.ends_with(".tmp")), "{modes:?}");
    assert_eq!(server.kubeconfig(), directory.read("admin.kubeconfig"));
    assert!(server.kubeconfig().contains(&format!("server: {}\n", server.url())));
    let before: Vec<String> = ["ca.crt", "ca.key", "apiserver.crt", "admin.crt", "service-account.key"]
        .map(|name| directory.read(&format!("pki/{name}")))
        .into();
    in_time(server.shutdown()).await.unwrap();

    let (server, _) = start(build()).await;
    let after: Vec<String> = ["ca.crt", "ca.key", "apiserver.crt", "admin.crt", "service-account.key"]
        .map(|name| directory.read(&format!("pki/{name}")))
        .into();
    assert_eq!(before, after);
    in_time(server.shutdown()).await.unwrap();

    // Certificates that come of age are renewed; keys and the authority stay.
    let late = Arc::new(Shifted(SystemClock::default(), 200 * 24 * 60 * 60));
    let (server, _) = start(build().clock(late)).await;
    assert_eq!(directory.read("pki/ca.crt"), before[0]);
    assert_ne!(directory.read("pki/apiserver.crt"), before[2]);
    assert_ne!(directory.read("pki/admin.crt"), before[3]);
    in_time(server.shutdown()).await.unwrap();
}

#[tokio::test]
async fn a_lost_authority_key_is_an_error_and_not_a_new_authority() {
    let directory = Directory::new("lost");
    let (server, _) = start(Server::builder().data_directory(&directory.0)).await;
    in_time(server.shutdown()).await.unwrap();
    std::fs::remove_file(directory.0.join("pki/ca.key")).unwrap();
    let builder = Server::builder().data_directory(&directory.0).listen(([127, 0, 0, 1], 0).into());
    let error = builder.start().await.unwrap_err();
    assert!(matches!(error, StartError::Pki(_)), "{error:?}");
    assert!(error.to_string().contains("restore ca.key"), "{error}");
}

#[tokio::test]
async fn the_certificate_has_all_names_that_the_server_is_reached_by() {
    let (server, _) = start(Server::builder().in_memory()).await;
    for name in ["localhost", "127.0.0.1", "::1", "10.0.0.1", "kubernetes.default.svc.cluster.local"] {
        let connected = connect(server.address(), server.ca_certificate(), None, b"h2", name).await;
        assert!(connected.is_ok(), "{name}: {connected:?}");
    }
    let other = connect(server.address(), server.ca_certificate(), None, b"h2", "example.com").await;
    assert!(other.is_err());

    let stream = connect(server.address(), server.ca_certificate(), None, b"h2", "localhost").await.unwrap();
    let chain = stream.get_ref().1.peer_certificates().unwrap().to_vec();
    let (_, certificate) = X509Certificate::from_der(&chain[0]).unwrap();
    let names = certificate.subject_alternative_name().unwrap().unwrap();
    let hosts: Vec<_> = names
        .value
        .general_names
        .iter()
        .filter_map(|name| match name {
            GeneralName::DNSName(name) => Some(*name),
            _ => None,
        })
        .collect();
    assert_eq!(
        hosts,
        [
            "kubernetes",
            "kubernetes.default",
            "kubernetes.default.svc",
            "kubernetes.default.svc.cluster.local",
            "localhost",
        ]
    );
    let der = CertificateDer::from_pem_slice(server.admin_certificate().0.as_bytes()).unwrap();
    let (_, admin) = X509Certificate::from_der(&der).unwrap();
    assert_eq!(admin.subject().to_string(), "O=system:masters, CN=admin");
}

#[tokio::test]
async fn users_are_known_by_certificate_and_by_token() {
    let builder = Server::builder().in_memory().token("secret", user("jane", "dev"));
    let builder = builder.anonymous(Anonymous::Everything);
    let (server, _) = start(builder).await;
    let admin = Some(server.admin_certificate());
    for mut client in [Client::http1(&server, admin).await, Client::http2(&server, admin).await] {
        assert_eq!(client.get("/api").await.body, "admin [system:masters system:authenticated]");
        // The certificate is asked first, so that a bad token beside it does no harm.
        let answered = client.get_with("/api", &[("authorization", "Bearer bad")]).await;
        assert_eq!(answered.body, "admin [system:masters system:authenticated]");
    }
    let mut client = Client::http1(&server, None).await;
    let token = client.get_with("/api", &[("authorization", "Bearer secret")]).await;
    assert_eq!(token.body, "jane [dev system:authenticated]");
    assert_eq!(client.get("/api").await.body, "system:anonymous [system:unauthenticated]");
    let forged = client.get_with("/api", &[("x-remote-user", "admin"), ("x-remote-group", "system:masters")]);
    assert_eq!(forged.await.body, "system:anonymous [system:unauthenticated]");
    let protocols = "v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0";
    let socket = [("upgrade", "websocket"), ("connection", "Upgrade"), ("sec-websocket-protocol", protocols)];
    assert_eq!(client.get_with("/api", &socket).await.body, "jane [dev system:authenticated]");
}

#[tokio::test]
async fn credentials_that_are_not_good_are_refused_in_the_form_asked_for() {
    let (server, _) = start(Server::builder().in_memory()).await;
    let (other, _) = start(Server::builder().in_memory()).await;
    let mut client = Client::http1(&server, None).await;
    let bad = ("authorization", "Bearer bad");
    let answered = client.get_with("/readyz", &[bad, ("audit-id", "abc"), ("user-agent", "curl/8")]).await;
    assert_eq!((answered.code, answered.header("content-type")), (401, "application/json"));
    assert_eq!((answered.header("audit-id"), answered.header("cache-control")), ("abc", "no-cache, private"));
    assert_eq!(
        answered.body,
        "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {},\n  \"status\": \"Failure\",\n  \
         \"message\": \"Unauthorized\",\n  \"reason\": \"Unauthorized\",\n  \"code\": 401\n}"
    );
    let yaml = client.get_with("/api", &[bad, ("accept", "application/yaml")]).await;
    assert_eq!(
        yaml.body,
        "apiVersion: v1\ncode: 401\nkind: Status\nmessage: Unauthorized\nmetadata: {}\nreason: Unauthorized\n\
         status: Failure\n"
    );
    let binary = client.get_with("/api", &[bad, ("accept", "application/vnd.kubernetes.protobuf")]).await;
    assert_eq!(binary.code, 401);
    assert_eq!(binary.bytes.as_ref(), UNAUTHORIZED_PROTOBUF);
    // A certificate of somebody else ends no handshake; it is the request that is refused.
    let mut stranger = Client::http2(&server, Some(other.admin_certificate())).await;
    assert_eq!(stranger.get("/api").await.code, 401);
}

#[tokio::test]
async fn anyone_may_ask_how_the_server_is_and_what_it_speaks() {
    let (server, _) = start(Server::builder().in_memory().anonymous(Anonymous::Everything)).await;
    let mut client = Client::http1(&server, None).await;
    for path in ["/livez", "/readyz", "/healthz"] {
        let answered = client.get(path).await;
        assert_eq!((answered.code, answered.body.as_str()), (200, "ok"), "{path}");
        assert_eq!(answered.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(answered.header("x-content-type-options"), "nosniff");
        assert_eq!(answered.header("audit-id").len(), 36);
    }
    let verbose = client.get("/readyz?verbose").await.body;
    assert_eq!(
        verbose,
        "[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]shutdown ok\nreadyz check passed\n"
    );
    let version: serde_json::Value = serde_json::from_str(&client.get("/version").await.body).unwrap();
    assert_eq!((version["major"].as_str(), version["minor"].as_str()), (Some("1"), Some("36")));
    assert!(version["gitVersion"].as_str().unwrap().starts_with("v1.36.4+rhumb-"));
    assert_eq!(client.get_with("/version", &[("accept", "application/yaml")]).await.code, 406);
    // What says more is for masters only.
    for path in ["/readyz/etcd", "/readyz/nope", "/metrics"] {
        let refused = client.get_with(path, &[("user-agent", "curl/8")]).await;
        assert_eq!(refused.code, 403, "{path}");
        let message = format!("forbidden: User \\\"system:anonymous\\\" cannot get path \\\"{path}\\\"");
        assert!(refused.body.contains(&message), "{}", refused.body);
    }
    let request = client.request(Method::POST, "/version", &[]);
    assert_eq!(client.send(request).await.unwrap().code, 403);

    let mut admin = Client::http2(&server, Some(server.admin_certificate())).await;
    assert_eq!(admin.get("/readyz/etcd").await.body, "ok");
    let missing = admin.get("/readyz/nope").await;
    assert_eq!((missing.code, missing.body.as_str()), (404, "404 page not found\n"));
    let metrics = admin.get("/metrics").await.body;
    assert!(metrics.contains("subresource=\"/readyz\",verb=\"GET\",version=\"\"} "), "{metrics}");
    assert!(metrics.contains("process_resident_memory_bytes "));
    let form = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";
    assert_eq!(admin.get("/metrics").await.header("content-type"), form);
    let request = admin.request(Method::POST, "/version", &[]);
    assert_eq!(admin.send(request).await.unwrap().code, 405);
}

#[tokio::test]
async fn without_credentials_there_is_health_and_the_version_unless_somebody_says_otherwise() {
    for (anonymous, health, others) in
        [(Anonymous::Health, 200, 401), (Anonymous::Everything, 200, 200), (Anonymous::Nothing, 401, 401)]
    {
        let (server, _) = start(Server::builder().in_memory().anonymous(anonymous.clone())).await;
        let mut client = Client::http1(&server, None).await;
        for path in ["/livez", "/readyz?verbose", "/healthz", "/version", "/version/", "/%6civez"] {
            assert_eq!(client.get(path).await.code, health, "{path} {anonymous:?}");
        }
        for path in ["/api", "/", "//livez", "/versionx", "/apis/apps/v1/deployments"] {
            assert_eq!(client.get(path).await.code, others, "{path} {anonymous:?}");
        }
        // A slash behind it names a check, and those are not for everybody.
        let one = if others == 200 { 403 } else { others };
        assert_eq!(client.get("/livez%2f").await.code, one, "{anonymous:?}");
    }
}

#[tokio::test]
async fn a_handler_that_breaks_harms_no_other_request() {
    let (server, _) = start(Server::builder().in_memory()).await;
    let admin = Some(server.admin_certificate());
    for mut client in [Client::http1(&server, admin).await, Client::http2(&server, admin).await] {
        let broken = client.get("/panic").await;
        assert_eq!(broken.code, 500);
        assert!(broken.body.contains("This request caused apiserver to panic"), "{}", broken.body);
        assert_eq!(client.get("/api").await.code, 200);
    }
}

#[tokio::test]
async fn answers_to_head_have_a_length_and_no_body() {
    let (server, _) = start(Server::builder().in_memory()).await;
    let admin = Some(server.admin_certificate());
    for mut client in [Client::http1(&server, admin).await, Client::http2(&server, admin).await] {
        for _ in 0..2 {
            let request = client.request(Method::HEAD, "/livez", &[]);
            let answered = client.send(request).await.unwrap();
            assert_eq!((answered.code, answered.header("content-length")), (200, "2"));
            assert!(answered.body.is_empty());
        }
    }
}

#[tokio::test]
async fn requests_under_way_are_answered_before_the_server_ends() {
    let (server, fake) = start(Server::builder().in_memory()).await;
    let address = server.address();
    let admin = Some(server.admin_certificate());
    let mut slow = Client::http2(&server, admin).await;
    let mut watch = Client::http1(&server, admin).await;
    let mut probe = Client::http1(&server, admin).await;
    let mut late = Client::http1(&server, admin).await;
    let slow = tokio::spawn(async move { slow.get("/wait").await });
    fake.entered.notified().await;
    let watch = tokio::spawn(async move { watch.get("/watch").await });
    fake.entered.notified().await;

    server.begin_shutdown();
    assert_eq!(in_time(watch).await.unwrap().code, 200);
    let ready = probe.get("/readyz").await;
    assert_eq!(ready.code, 500);
    assert!(ready.body.contains("[-]shutdown failed: reason withheld\n"), "{}", ready.body);
    assert_eq!(probe.get("/livez").await.code, 200);
    let refused = late.get("/api").await;
    assert_eq!((refused.code, refused.header("retry-after")), (429, "5"));
    assert_eq!(refused.body, "The apiserver is shutting down, please try again later.\n");
    let ending = tokio::spawn(server.shutdown());
    assert!(!slow.is_finished() && !ending.is_finished());

    fake.release.notify_one();
    assert_eq!(in_time(slow).await.unwrap().code, 200);
    in_time(ending).await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_request_that_does_not_end_is_cut_off() {
    let patience = Duration::from_millis(50);
    let (server, fake) = start(Server::builder().in_memory().shutdown_timeout(patience)).await;
    let mut slow = Client::http1(&server, Some(server.admin_certificate())).await;
    let request = slow.request(Method::GET, "/wait", &[]);
    let slow = tokio::spawn(async move { slow.send(request).await });
    fake.entered.notified().await;
    in_time(server.shutdown()).await.unwrap();
    assert!(in_time(slow).await.unwrap().is_err());
}

#[tokio::test]
async fn servers_live_side_by_side_and_end_when_they_are_dropped() {
    let (one, _) = start(Server::builder().in_memory()).await;
    let (two, _) = start(Server::builder().in_memory()).await;
    assert_ne!(one.address(), two.address());
    assert_ne!(one.ca_certificate(), two.ca_certificate());
    let address = one.address();
    drop(one);
    in_time(async {
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let mut client = Client::http2(&two, Some(two.admin_certificate())).await;
    assert_eq!(client.get("/api").await.code, 200);
}

#[tokio::test]
async fn an_address_that_is_taken_is_an_error() {
    let (server, _) = start(Server::builder().in_memory()).await;
    let error = Server::builder().in_memory().listen(server.address()).start().await.unwrap_err();
    assert_eq!(error.to_string(), format!("failed to listen on {}", server.address()));
    let error = Server::builder().listen(([127, 0, 0, 1], 0).into()).start().await.unwrap_err();
    assert!(matches!(error, StartError::NoDataDirectory));
}

#[tokio::test]
async fn hostile_connections_harm_nobody() {
    let (server, _) = start(Server::builder().in_memory()).await;
    let authority = server.ca_certificate().to_owned();
    let mut held = Vec::new();
    for _ in 0..50 {
        // No TLS at all, and nothing at all.
        let mut plain = TcpStream::connect(server.address()).await.unwrap();
        plain.write_all(b"GET /livez HTTP/1.1\r\n\r\n").await.unwrap();
        held.push(plain);
        held.push(TcpStream::connect(server.address()).await.unwrap());
    }
    let mut half = connect(server.address(), &authority, None, b"http/1.1", "localhost").await.unwrap();
    half.write_all(b"GET /livez HTTP/1.1\r\nHost: local").await.unwrap();
    let mut garbage = connect(server.address(), &authority, None, b"h2", "localhost").await.unwrap();
    garbage.write_all(&[0xff; 4096]).await.unwrap();
    let mut huge = connect(server.address(), &authority, None, b"http/1.1", "localhost").await.unwrap();
    huge.write_all(b"GET /livez HTTP/1.1\r\nHost: ").await.unwrap();
    let mut answer = Vec::new();
    let line = vec![b'a'; 64 << 10];
    for _ in 0..64 {
        if huge.write_all(&line).await.is_err() {
            break;
        }
    }
    let _ = in_time(huge.read_to_end(&mut answer)).await;
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"), "{}", String::from_utf8_lossy(&answer));

    let mut client = Client::http1(&server, Some(server.admin_certificate())).await;
    assert_eq!(in_time(client.get("/api")).await.code, 200);
    drop((held, half, garbage));
    in_time(server.shutdown()).await.unwrap();
}

/// Sends requests as they are written, and gives all that comes back until the server closes.
async fn exchanged(server: &Server, parts: &[&str]) -> String {
    let identity = Some(server.admin_certificate());
    let stream = connect(server.address(), server.ca_certificate(), identity, b"http/1.1", "localhost");
    let mut stream = stream.await.unwrap();
    for part in parts {
        stream.write_all(part.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
    }
    let mut answer = Vec::new();
    let _ = in_time(stream.read_to_end(&mut answer)).await;
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn a_refused_body_leaves_the_connection_usable() {
    let builder = Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.start().await.unwrap();
    for path in ["/apis", "/nothing", "/apis/apps/v9/deployments", "/api/v1/namespaces/default/pods/x/status"]
    {
        let first = format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n");
        let then = "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        // The body comes when the request is refused already.
        let answers = exchanged(&server, &[&first, "{        }", then]).await;
        assert_eq!(answers.matches("HTTP/1.1 ").count(), 2, "{path}: {answers}");
        assert!(answers.ends_with("\r\n\r\nok"), "{path}: {answers}");
    }
}

/// A body that comes when it is told to.
struct Gated(Option<tokio::sync::oneshot::Receiver<()>>);

impl http_body::Body for Gated {
    type Data = bytes::Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<bytes::Bytes>, std::io::Error>>> {
        let Some(gate) = &mut self.0 else { return std::task::Poll::Ready(None) };
        std::task::ready!(std::future::Future::poll(std::pin::Pin::new(gate), context)).unwrap();
        self.0 = None;
        std::task::Poll::Ready(Some(Ok(http_body::Frame::data("{}".into()))))
    }
}

/// An answer that comes before the body makes the server end the stream early, and curl takes that for an error.
#[tokio::test]
async fn a_refused_body_is_read_on_http2_before_the_answer_comes() {
    let builder = Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into());
    let server = builder.start().await.unwrap();
    let identity = Some(server.admin_certificate());
    let stream = connect(server.address(), server.ca_certificate(), identity, b"h2", "localhost");
    let stream = hyper_util::rt::TokioIo::new(stream.await.unwrap());
    let executor = hyper_util::rt::TokioExecutor::new();
    let (mut sender, connection) = hyper::client::conn::http2::handshake(executor, stream).await.unwrap();
    tokio::spawn(connection);
    let (open, gate) = tokio::sync::oneshot::channel();
    let request = http::Request::put(format!("https://{}/apis/apps/v1/nothing/x", server.address()));
    let mut answer = Box::pin(sender.send_request(request.body(Gated(Some(gate))).unwrap()));
    let early = tokio::time::timeout(std::time::Duration::from_millis(200), &mut answer).await;
    assert!(early.is_err(), "{early:?}");
    open.send(()).unwrap();
    assert_eq!(in_time(answer).await.unwrap().status(), 404);
}

#[tokio::test]
async fn requests_for_nobody_and_for_others_are_refused() {
    let (server, _) = start(Server::builder().in_memory()).await;
    let end = "Connection: close\r\n\r\n";
    for (head, code) in [
        ("GET /livez HTTP/1.1\r\n", 400),
        ("GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n", 400),
        ("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n", 404),
        ("GET /livez HTTP/1.1\r\nHost: a\r\n", 200),
        ("GET /livez HTTP/1.0\r\n", 200),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n", 200),
        ("GET /livez HTTP/1.1\r\nHost: a\r\nExpect: nonsense\r\n", 417),
        ("GET /livez HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n", 200),
    ] {
        let answer = exchanged(&server, &[head, end]).await;
        let told: u16 = answer.split(' ').nth(1).unwrap_or_default().parse().unwrap_or_default();
        assert_eq!(told, code, "{head}: {answer}");
    }
}

#[tokio::test]
async fn who_forgets_to_encrypt_is_told_so() {
    let (server, _) = start(Server::builder().in_memory()).await;
    for request in
        ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "POST /api HTTP/1.1\r\n\r\n", "OPTIONS * HTTP/1.1\r\n"]
    {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // What was sent and never read may end the connection with an error.
        let _ = in_time(stream.read_to_end(&mut answer)).await;
        let told = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
        assert_eq!(String::from_utf8_lossy(&answer), told);
    }
}

#[tokio::test]
async fn strangers_get_one_request_on_an_http2_connection() {
    let (server, _) = start(Server::builder().in_memory()).await;
    let mut stranger = Client::http2(&server, None).await;
    assert_eq!(stranger.get("/livez").await.code, 200);
    in_time(async {
        loop {
            let request = stranger.request(Method::GET, "/livez", &[]);
            if stranger.send(request).await.is_err() {
                break;
            }
        }
    })
    .await;
}
